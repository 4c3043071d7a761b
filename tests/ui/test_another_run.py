"""A scheduler that is started anew: its queues are its own from the beginning."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from schedtui.config.directories import directories
from schedtui.config.settings import Settings
from schedtui.ui import messages
from schedtui.ui.services.plan import Plan
from schedtui.ui.services.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from textual.message import Message

ADDED = (
    'I1130 07:50:25.408448   20334 eventhandlers.go:214] "Add event for unscheduled pod" pod="default/web-0"\n'
    'I1130 07:50:25.408500   20334 scheduling_queue.go:654] "Pod moved to an internal scheduling queue"'
    ' pod="default/web-0" event="UnscheduledPodAdd" queue="Active"\n'
)

DEADLINE_SECONDS = 30.0


def folded(posted: list[Message]) -> list[messages.QueueFolded]:
    return [message for message in posted if isinstance(message, messages.QueueFolded)]


def test_the_queues_of_the_run_before_are_gone_before_the_new_one_has_logged(
    fresh_home: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "run-1.log", tmp_path / "run-2.log"
    first.write_text(ADDED)
    second.write_text("")
    posted: list[Message] = []
    session = Session(Plan(Settings(), directories(), logs=(str(first),)), posted.append)
    try:
        session.start()
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not any(message.snapshot.pods for message in folded(posted)):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        before, queue_before = len(posted), session.queue
        assert queue_before is not None
        session.open_logs((str(second),))
        # The thread that folded the log before may come late.
        queue_before.tell()
        # At once, although nothing was logged; and behind the new log, which the pane follows again.
        told = posted[before:]
        opened = next(place for place, message in enumerate(told) if isinstance(message, messages.LogOpened))
        empty, *more = folded(told[opened:])
        for message in (empty, *more):
            assert message.live
            assert message.snapshot.pods == ()
            assert not any(message.snapshot.counts.values())
    finally:
        session.close()
