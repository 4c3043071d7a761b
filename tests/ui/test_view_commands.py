"""The editor and the clipboard in odd surroundings: told, never a fault."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from schedtui.ui.view_commands import ViewCommands

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schedtui.ui.stage import Stage


class Screen:
    """Keeps what it is told, and what the terminal is sent."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.copied: list[str] = []
        self.screen = SimpleNamespace(post_message=lambda message: self.told.append(message.text))

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        yield

    def redraw(self) -> None:
        pass

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)


@pytest.fixture
def screen() -> Screen:
    return Screen()


@pytest.fixture
def views(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> ViewCommands:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    return ViewCommands(cast("Stage", cast("Any", screen)))


@pytest.mark.parametrize(
    ("editor", "told"),
    [
        ('vi "', "cannot be read as a command"), ('""', "is not there"), ("nosuch-editor -w", "is not there"),
        ("{broken}", "cannot be run"),
    ],
)  # fmt: skip
def test_an_editor_that_cannot_be_run_is_told(
    views: ViewCommands, screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, editor: str, told: str
) -> None:
    broken = tmp_path / "editor"
    broken.write_bytes(b"\x7fELF, and nothing else")
    broken.chmod(0o755)
    monkeypatch.setenv("EDITOR", editor.format(broken=broken))
    views.edit(str(tmp_path / "a.go"), 1)
    assert len(screen.told) == 1
    assert told in screen.told[0]
    assert "$EDITOR" in screen.told[0]


def test_text_that_is_no_utf8_is_copied(views: ViewCommands, screen: Screen) -> None:
    views.copy("pod \udcff", "record")
    assert screen.copied == ["pod ?"]


def test_a_tmux_that_does_not_answer_leaves_the_terminals_own_clipboard(
    views: ViewCommands, screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmux = tmp_path / "tmux"
    tmux.write_text("#!/bin/sh\nexit 1\n")
    tmux.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("TMUX", "gone")
    views.copy("default/web-0", "pod")
    assert screen.copied == ["default/web-0"]


def test_a_picture_in_a_directory_that_was_removed_is_told(
    views: ViewCommands, screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "screen_text", lambda: "text")
    monkeypatch.setattr(screen, "export_screenshot", lambda: "picture", raising=False)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert views.run("screenshot", "")
    assert "cannot be saved here" in screen.told[0]
