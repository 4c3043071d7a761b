"""A terminal that vanished ends the process, whatever the screen does with the wish to leave."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from schedtui.ui import terminal

if TYPE_CHECKING:
    from collections.abc import Callable


def _never() -> None:
    threading.Event().wait()


def _fault() -> None:
    raise LookupError("no screen to leave")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("leave", [_never, _fault])
def test_it_ends_by_force_when_the_way_out_is_barred(
    leave: Callable[[], None], monkeypatch: pytest.MonkeyPatch
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
