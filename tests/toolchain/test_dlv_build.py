"""What dlv is told when it builds from a source tree by itself."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import NotASourceTree
from schedtui.debugger import launching
from schedtui.debugger.model import Launch
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.dlv_build import plan_dlv_build
from tests.toolchain.test_build import make_checkout

if TYPE_CHECKING:
    from pathlib import Path


def test_go_mod_is_completed_in_the_sessions_copy_and_the_release_is_stamped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOFLAGS", raising=False)
    monkeypatch.delenv("GOWORK", raising=False)
    checkout = open_checkout(make_checkout(tmp_path / "tree", work=False))
    session = tmp_path / "session"
    session.mkdir()
    build = plan_dlv_build(checkout, session)
    assert build.package == "./cmd/kube-scheduler"
    assert build.flags[:2] == ("-mod=mod", f"-modfile={session / 'go.mod'}")
    # "-N -l" for everything is what dlv itself adds.
    assert not any("gcflags" in flag for flag in build.flags)
    assert dict(build.environment)["GOTMPDIR"] == str(session)
    assert dict(build.environment)["GOWORK"] == "off"
    assert "GOCACHE" not in dict(build.environment) or "GOCACHE" not in os.environ


def test_a_named_package_is_built_as_it_is_named(tmp_path: Path) -> None:
    checkout = open_checkout(make_checkout(tmp_path / "tree"))
    assert plan_dlv_build(checkout, tmp_path, "./pkg/scheduler/...").package == "./pkg/scheduler/..."


def test_a_tree_that_cannot_be_built_is_refused(tmp_path: Path) -> None:
    root = make_checkout(tmp_path / "tree")
    shutil.rmtree(root / "staging")
    with pytest.raises(NotASourceTree):
        plan_dlv_build(open_checkout(root), tmp_path)


def test_flags_reach_dlv_whole(tmp_path: Path) -> None:
    """dlv splits the flags at blanks outside single quotes, and knows backslashes inside them."""
    flags = ("-mod=mod", "-ldflags=-X a/b.c=v1 -X d=it's \\ here")
    launch = Launch("dlv", mode="debug", target="./x", run_directory=str(tmp_path), build_flags=flags)
    (told,) = [word for word in launching.prepare(launch, 1).argv if word.startswith("--build-flags=")]
    assert told == r"--build-flags=-v '-mod=mod' '-ldflags=-X a/b.c=v1 -X d=it\'s \\ here'"
