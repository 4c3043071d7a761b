"""The clock of a scenario: rate, duration, stop."""

from __future__ import annotations

import threading
import time

import pytest

from schedtui.lab.pace import Pace, Stopped


def test_stop_ends_any_wait() -> None:
    cancel = threading.Event()
    pace = Pace(rate=0, duration=0, cancel=cancel)
    threading.Timer(0.05, cancel.set).start()
    with pytest.raises(Stopped, match="stopped"):
        pace.pause(600)


def test_duration_ends_any_wait() -> None:
    pace = Pace(rate=0, duration=0.05)
    pace.start()
    with pytest.raises(Stopped, match="its time is over"):
        pace.pause(600)


def test_without_a_rate_changes_do_not_wait() -> None:
    pace = Pace(rate=0, duration=0)
    for _ in range(1000):
        pace.before_change()
    assert pace.changes == 1000


def test_rate_spaces_changes() -> None:
    pace = Pace(rate=50, duration=0)
    pace.start()
    for _ in range(6):
        pace.before_change()
    # The first one is free, five intervals of 20 ms follow.
    assert pace.elapsed() >= 0.1


def test_time_lost_is_not_made_up_in_a_burst() -> None:
    pace = Pace(rate=20, duration=0)
    pace.before_change()
    deadline = time.monotonic() + 0.15
    while time.monotonic() < deadline:
        pace.pause(0.01)
    # Of the next two the second keeps its distance from the first, however late either is taken up.
    before = time.monotonic()
    pace.before_change()
    pace.before_change()
    assert time.monotonic() - before >= 0.05
