"""A terminal that vanished, or a signal, ends the process, whatever the screen does with the wish to leave."""

from __future__ import annotations

import os
import termios
import threading
import tty
from typing import TYPE_CHECKING

import pytest

from schedtui.ui import terminal

if TYPE_CHECKING:
    from collections.abc import Callable


def _never(_: int = 0) -> None:
    threading.Event().wait()


def _fault(_: int = 0) -> None:
    raise LookupError("no screen to leave")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("leave", [_never, _fault])
def test_it_ends_by_force_when_the_way_out_is_barred(
    leave: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, codes = threading.Event(), list[int]()
    cleaned = threading.Event()

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    monkeypatch.setattr(terminal, "GRACE_SECONDS", 0.05)
    monkeypatch.setattr(os, "_exit", end)
    ours, theirs = os.openpty()
    watchdog = terminal.TerminalWatchdog(theirs, leave, cleaned.set)
    watchdog.start()
    os.close(ours)
    assert ended.wait(20)
    assert codes == [129]
    assert cleaned.is_set()
    watchdog.finish()
    os.close(theirs)


@pytest.mark.parametrize("clean_up", [_never, _fault])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_signal_ends_by_force_and_gives_the_terminal_back(
    clean_up: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, codes = threading.Event(), list[int]()

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    monkeypatch.setattr(terminal, "GRACE_SECONDS", 0.05)
    monkeypatch.setattr(terminal, "CLEAN_UP_SECONDS", 0.05)
    monkeypatch.setattr(os, "_exit", end)
    ours, theirs = os.openpty()
    before = termios.tcgetattr(theirs)
    asked, told = list[int](), threading.Event()

    def leave(code: int) -> None:
        asked.append(code)
        told.set()

    watchdog = terminal.TerminalWatchdog(theirs, leave, clean_up)
    tty.setraw(theirs)
    watchdog.start()
    watchdog.hurry(143)
    assert ended.wait(20)
    assert told.wait(20)
    assert (asked, codes) == ([143], [143])
    assert b"\x1b[?1049l" in os.read(ours, 1000)
    assert termios.tcgetattr(theirs) == before
    watchdog.finish()
    os.close(ours)
    os.close(theirs)
