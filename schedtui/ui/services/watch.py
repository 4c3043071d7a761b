"""Looks again and again at what may be wrong with a session: no attempts, an old program, a full disk.

Owns one thread and when it looks. What it finds goes out as messages, each once; causes are ``core.exit_cause``'s,
the program's age ``rebuild``'s.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from schedtui.config.directories import directories
from schedtui.config.files import FULL_BYTES, free_bytes
from schedtui.core.errors import SchedtuiError
from schedtui.core.exit_cause import ExitFacts, explain_stall
from schedtui.debugger.exits import flags_of, tail_lines
from schedtui.ui import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from schedtui.core.exit_cause import ExitCause
    from schedtui.debugger.model import TargetState
    from schedtui.ui.services.plan import Plan
    from schedtui.ui.services.queue_watch import QueueWatch
    from schedtui.ui.services.rebuild import Rebuild

LOOK_SECONDS = 1.0
"""Distance of two looks."""

STALL_SECONDS = 6.0
"""A scheduler that ran this long without an attempt is asked why: it is up in 2 to 3 s."""

DISK_SECONDS = 5.0
"""Distance of two looks at the disk."""

LITTLE_BYTES = 200 * 10**6
"""Free room that is warned about: at V10 a scheduler logs as much in some minutes."""

STALE_SECONDS = 10.0
"""Distance of two looks at the source's files: the packages of a scheduler are about a thousand directories."""


Room = Literal["enough", "little", "none"]
"""What is left on the disk that logs go to."""


class Watched(Protocol):
    """What is looked at of a session."""

    plan: Plan
    rebuild: Rebuild
    queue: QueueWatch | None
    state: TargetState
    run_logs: tuple[str, ...]


class SessionWatch:
    """The watch over one session."""

    def __init__(self, session: Watched, post: Callable[[Message], object]) -> None:
        """Create it; ``start`` starts it."""
        self._session = session
        self._post = post
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="watch", daemon=True)
        self._ran = 0.0
        """Seconds that the target has run (not stood) without an attempt being logged."""
        self._stall = ""
        self._stale: str | None = None
        self._stale_at = 0.0
        self._room: Room = "enough"
        self._disk_at = 0.0

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; not to be called on it."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def new_target(self) -> None:
        """Another run of the target began."""
        self._ran = 0.0
        self._stale_at = 0.0

    def _work(self) -> None:
        try:
            while not self._stop.wait(LOOK_SECONDS):
                self._look_for_stall()
                if time.monotonic() - self._disk_at >= DISK_SECONDS:
                    self._look_at_disk()
                    self._disk_at = time.monotonic()
                if time.monotonic() - self._stale_at >= STALE_SECONDS:
                    self._look_at_program()
                    self._stale_at = time.monotonic()
        except SchedtuiError as error:
            self._post(messages.WorkFailed("watch", error))
        except Exception as error:  # noqa: BLE001 - a bug: told, never a thread that dies silently
            self._post(messages.NoticePosted(f"a fault in schedtui's watch: {error!r}", "error"))

    def _look_for_stall(self) -> None:
        session = self._session
        queue = session.queue
        if session.state != "running" or queue is None or not session.run_logs:
            return
        if any(station.name == "pop" and station.passed for station in queue.stations().stations):
            self._ran = 0.0
            self._tell_stall(None)
            return
        self._ran += LOOK_SECONDS
        if self._ran < STALL_SECONDS:
            return
        start = session.plan.start
        flags = flags_of(start.arguments) if start is not None else {}
        port = flags.get("secure-port", "")
        cause = explain_stall(
            ExitFacts(
                log_tail=tail_lines(session.run_logs[-1]),
                ran_seconds=self._ran,
                leader_elect=session.plan.leader_election,
                release=session.plan.release,
                kubeconfig=flags.get("kubeconfig", ""),
                config=flags.get("config", ""),
                port=int(port) if port.isdigit() else None,
            )
        )
        self._tell_stall(cause)

    def _tell_stall(self, cause: ExitCause | None) -> None:
        title = cause.title if cause is not None else ""
        if title != self._stall:
            self._stall = title
            self._post(messages.StallExplained(cause))

    def _look_at_disk(self) -> None:
        """A scheduler says nothing of a full disk: its log just ends."""
        logs = self._session.run_logs
        place = Path(logs[-1]).parent if logs else directories().state
        free = free_bytes(place)
        room: Room = "none" if free < FULL_BYTES else "little" if free < LITTLE_BYTES else "enough"
        if room == self._room:
            return
        self._room = room
        if room == "none":
            error = SchedtuiError(
                "The disk is full: what the scheduler logs from now on is lost, and queues are guessed",
                where=str(place),
                hint="Free some room, and it goes on by itself: ':runs' prunes the logs of earlier runs,"
                " 'schedtui lab cache' lists builds, 'go clean -cache' empties Go's. A lab whose etcd could not"
                " write has ended: start it anew.",
            )
            self._post(messages.WorkFailed("disk", error))
        elif room == "little":
            text = f"Only {free // 10**6} MB are free at {place}: on a full disk the log ends and a lab dies."
            self._post(messages.NoticePosted(text, "warning"))

    def _look_at_program(self) -> None:
        try:
            why = self._session.rebuild.stale()
        except SchedtuiError as error:
            # Removed while it runs, or a tree that is being changed: said as what it is.
            why = f"{error.title}: {error.where}" if error.where else error.title
        if why != self._stale and self._session.rebuild.state.over:
            self._stale = why
            self._session.rebuild.know_age(why)
            self._post(messages.BinaryAged(why))
