"""The generated Go module, from go.mod files as releases have them."""

from __future__ import annotations

import pytest

from schedtui.core.errors import LabFailed
from schedtui.lab.module import CONTROL_PLANE_RELEASE, check_release, control_plane_release
from schedtui.lab.module_files import MAINS, go_mod_text, main_text

KUBERNETES_GO_MOD = """\
module k8s.io/kubernetes

go 1.26.0

godebug default=go1.26

require (
	go.etcd.io/etcd/client/v3 v3.6.8
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/client-go => ./staging/src/k8s.io/client-go
)
"""


def test_staging_modules_get_their_published_versions() -> None:
    text = go_mod_text("v1.36.3", KUBERNETES_GO_MOD)
    assert "\nrequire (\n\tk8s.io/kubernetes v1.36.3\n\tgo.etcd.io/etcd/server/v3 v3.6.8\n)" in text
    assert "\tk8s.io/api => k8s.io/api v0.36.3\n\tk8s.io/client-go => k8s.io/client-go v0.36.3\n" in text
    assert "\ngo 1.26.0\n" in text


@pytest.mark.parametrize("name", MAINS)
def test_mains_call_what_they_import(name: str) -> None:
    text = main_text(name)
    package, function = MAINS[name]
    assert f'"{package}"' in text
    assert f"{package.rpartition('/')[2]}.{function}(" in text
    assert "{{" not in text


@pytest.mark.parametrize(
    ("release", "server"),
    [
        ("v1.29.0", CONTROL_PLANE_RELEASE),
        ("v1.36.0", CONTROL_PLANE_RELEASE),
        ("v1.36.3", "v1.36.3"),
        ("v1.36.10", "v1.36.10"),
        ("v1.37.2", "v1.37.2"),
        ("v1.100.0", "v1.100.0"),
    ],
)
def test_api_server_is_never_older_than_the_scheduler(release: str, server: str) -> None:
    assert control_plane_release(release) == server


@pytest.mark.parametrize(
    "text", ["1.36", "v1.36", "latest", "v2.0.0", "v1.36.3-rc.1", "", "v1.28.15", "../v1.36.3"]
)
def test_no_release(text: str) -> None:
    with pytest.raises(LabFailed):
        check_release(text)


def test_release_without_its_letter() -> None:
    assert check_release("1.36.3") == "v1.36.3"
