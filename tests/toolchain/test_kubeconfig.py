from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedtui.toolchain.kubeconfig import default_kubeconfig, read_kubeconfig
from schedtui.toolchain.scheduler_config import read_scheduler_config
from tests.toolchain.doctor_setup import Certificates, make_certificates, script

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return make_certificates()


def write(place: Path, user: dict[str, object], cluster: dict[str, object] | None = None) -> Path:
    document = {
        "apiVersion": "v1", "kind": "Config", "current-context": "dev",
        "contexts": [{"name": "dev", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:6443", **(cluster or {})}}],
        "users": [{"name": "u", "user": user}],
    }  # fmt: skip
    path = place / "kubeconfig"
    path.write_text(yaml.safe_dump(document))
    return path


def test_the_first_that_exists_is_used(tmp_path: Path) -> None:
    assert default_kubeconfig({"HOME": str(tmp_path)}) is None
    usual = tmp_path / ".kube" / "config"
    usual.parent.mkdir()
    usual.write_text("")
    assert default_kubeconfig({"HOME": str(tmp_path)}) == usual
    second = tmp_path / "second"
    second.write_text("")
    missing = tmp_path / "missing"
    assert default_kubeconfig({"HOME": str(tmp_path), "KUBECONFIG": f"{missing}:{second}"}) == second
    assert default_kubeconfig({"HOME": str(tmp_path), "KUBECONFIG": str(missing)}) == missing


def test_embedded_data_is_read(tmp_path: Path, certificates: Certificates) -> None:
    def data(pem: bytes) -> str:
        return base64.b64encode(pem).decode()

    user: dict[str, object] = {
        "client-certificate-data": data(certificates.client), "client-key-data": data(certificates.client_key),
    }  # fmt: skip
    cluster: dict[str, object] = {"certificate-authority-data": data(certificates.authority)}
    config = read_kubeconfig(write(tmp_path, user, cluster))
    assert (config.problem, config.note) == ("", "")
    assert config.certificate == certificates.client and config.authority == certificates.authority
    broken = read_kubeconfig(write(tmp_path, {"client-certificate-data": "%%"}))
    assert "not base64" in broken.problem
    no_pem = read_kubeconfig(write(tmp_path, {"client-certificate-data": data(b"text")}))
    assert "not a PEM certificate" in no_pem.problem


def test_a_token_file_is_relative_to_the_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    assert read_kubeconfig(write(tmp_path, {"tokenFile": "token"})).token == "secret"
    gone = read_kubeconfig(write(tmp_path, {"tokenFile": "gone"}))
    assert "token file" in gone.problem and str(tmp_path / "gone") in gone.problem


def test_a_credential_plugin_beside_the_kubeconfig_is_found(tmp_path: Path) -> None:
    script(tmp_path / "bin" / "plugin", "exit 1")
    config = read_kubeconfig(write(tmp_path, {"exec": {"command": "./bin/plugin"}}))
    assert (config.problem, config.credential_command) == ("", "./bin/plugin")


def test_a_clock_that_is_wrong(tmp_path: Path, certificates: Certificates) -> None:
    (tmp_path / "client.crt").write_bytes(certificates.client)
    path = write(tmp_path, {"client-certificate": "client.crt"})
    early = read_kubeconfig(path, now=datetime.now(UTC) - timedelta(days=30))
    assert "valid only from" in early.problem and "date -u" in early.advice


KEYS = (
    "kind", "users", "contexts", "clusters", "current-context", "name", "user", "cluster", "server", "exec",
    "command", "token", "tokenFile", "client-key", "client-certificate-data", "certificate-authority",
    "profiles", "leaderElection", "leaderElect", "clientConnection", "kubeconfig", "schedulerName",
)  # fmt: skip

ANY_YAML = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


@given(ANY_YAML, st.dictionaries(st.sampled_from(KEYS), ANY_YAML, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_yaml_is_answered(tmp_path: Path, document: object, fields: dict[str, object]) -> None:
    path = tmp_path / "any.yaml"
    header = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    named = {"contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}], "current-context": "a"}
    own = {"clusters": [{"name": "a", "cluster": fields}], "users": [{"name": "a", "user": fields}]}
    for shape in (document, {**fields, **header}, {**named, **own}, {**named, **own, **fields, "kind": "Config"}):
        path.write_text(yaml.safe_dump(shape))
        config = read_kubeconfig(path)
        assert bool(config.problem) == bool(config.advice)
        checked = read_scheduler_config(path)
        assert bool(checked.problem) == bool(checked.advice)


@pytest.mark.parametrize(
    ("text", "minor", "problem"),
    [
        ("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", 36, ""),
        ("apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n", 28, ""),
        ("apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n", 29, "v1beta3"),
        ("apiVersion: kubescheduler.config.k8s.io/v2\nkind: KubeSchedulerConfiguration\n", 36, "unknown version"),
        ("kind: KubeSchedulerConfiguration\n", 36, "has no apiVersion"),
        ("", 36, "is empty"),
        ("a: 1\n---\nb: 2\n", 36, "not one YAML object"),
        ("a: [1\n", 36, "line 2"),
        (
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
            "profiles: [{schedulerName: a}, {schedulerName: a}]\n",
            36,
            "two profiles named a",
        ),
    ],
)
def test_scheduler_configurations(tmp_path: Path, text: str, minor: int, problem: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    found = read_scheduler_config(path, minor)
    assert problem in found.problem and bool(found.problem) == bool(problem)


def test_one_without_contexts_is_told_to_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text("apiVersion: v1\nkind: Config\n")
    found = read_kubeconfig(path)
    assert "no context at all" in found.problem
    assert "use-context" not in found.advice
