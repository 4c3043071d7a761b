"""Which dlv is used: the named one, one that is there, or one that is installed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import ToolMissing
from schedtui.toolchain.dlv import (
    PINNED_RELEASE,
    DlvTool,
    ensure_dlv,
    find_dlv,
    format_release,
    own_dlv_path,
    probe_dlv,
)
from schedtui.toolchain.go import GoVersion

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def fake_dlv(tmp_path: Path) -> Callable[[Path, str], Path]:
    """Makes programs that answer ``dlv version`` with a version of choice."""

    def make(program: Path, version: str) -> Path:
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\nprintf 'Delve Debugger\\nVersion: {version}\\nBuild: $Id$\\n'\n")
        program.chmod(0o755)
        return program

    return make


@pytest.mark.dlv
def test_installed_dlv_answers_with_the_pinned_release(dlv_path: Path) -> None:
    tool = probe_dlv(dlv_path)
    assert tool is not None
    assert tool.release >= PINNED_RELEASE


def test_recent_dlv_on_path_is_used(
    fake_dlv: Callable[[Path, str], Path], tmp_path: Path, fresh_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_dlv(tmp_path / "bin" / "dlv", "1.27.4")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert ensure_dlv() == program


def test_old_dlv_on_path_is_left_alone(
    fake_dlv: Callable[[Path, str], Path], tmp_path: Path, fresh_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_dlv(tmp_path / "bin" / "dlv", "1.22.1")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("GOPATH", str(tmp_path / "go"))
    assert find_dlv() is None
    own = fake_dlv(own_dlv_path(), format_release(PINNED_RELEASE))
    assert ensure_dlv() == own


def test_named_dlv_is_taken_or_refused(fake_dlv: Callable[[Path, str], Path], tmp_path: Path) -> None:
    # A user's choice is respected whatever its age.
    program = fake_dlv(tmp_path / "mine", "1.22.1")
    assert ensure_dlv(dlv=program) == program
    with pytest.raises(ToolMissing, match="there is no such dlv"):
        ensure_dlv(dlv=tmp_path / "nowhere")
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho hello\n")
    other.chmod(0o755)
    with pytest.raises(ToolMissing, match="this is no dlv"):
        ensure_dlv(dlv=other)


@pytest.mark.parametrize(
    ("go", "word"),
    [
        (GoVersion(1, 24, 6), "too old"),
        (GoVersion(1, 28), "too new"),
        (GoVersion(1, 25), ""),
        (GoVersion(1, 27, 9), ""),
    ],
)
def test_fit_of_the_go_that_built_the_target(go: GoVersion, word: str) -> None:
    misfit = DlvTool(Path("dlv"), (1, 27, 2)).misfit(go)
    assert word in misfit
    assert bool(misfit) == bool(word)


def test_misfit_is_told_with_ways_out(fake_dlv: Callable[[Path, str], Path], tmp_path: Path) -> None:
    program = fake_dlv(tmp_path / "dlv", "1.27.2")
    with pytest.raises(ToolMissing) as caught:
        ensure_dlv(dlv=program, target_go=GoVersion(1, 22, 9))
    text = caught.value.as_text()
    assert "go1.22.9, which is too old for dlv 1.27.2 (go1.25 to go1.27)" in text
    assert "--check-go-version=false" in text
    assert "dlv@v1.22" in text


def test_unknown_release_of_dlv_is_given_the_benefit_of_the_doubt() -> None:
    assert DlvTool(Path("dlv"), (1, 30, 0)).misfit(GoVersion(1, 30)) == ""
