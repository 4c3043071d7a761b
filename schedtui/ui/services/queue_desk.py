"""What the queue pane is told: snapshots, stories, comparisons, the queues at a place, the scheduler's own dump.

Owns which story is open and when it is told anew, and what the log's clock is ahead of the machine's. Folding is
``queue_watch``'s; nothing here blocks the UI loop.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from schedtui.ui import messages
from schedtui.ui.services import stories
from schedtui.ui.services.dump_check import await_dump
from schedtui.ui.services.report_lines import times_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from schedtui.core.pod_story import PodStory
    from schedtui.core.queue_state import QueueSnapshot
    from schedtui.core.record import Record
    from schedtui.debugger.model import TargetState
    from schedtui.sources.log_store import LogStore
    from schedtui.sources.record_feed import Readable
    from schedtui.ui.services.plan import Plan
    from schedtui.ui.services.queue_watch import QueueWatch

LIVE_SECONDS = 60.0
"""A log that was written to so short ago is being written: waits and backoffs go on by the clock."""

RETOLD_BYTES = 24 << 20
"""The open story goes along with logs up to this size; of longer ones Enter tells it anew."""

RETOLD_SECONDS = 2.0
"""It is told anew at most this often."""

TIMES_SHARE = 20
"""Waits and reasons are counted anew after so many times what the last counting took, and a second at least."""


class Desked(Protocol):
    """What the desk uses of a session."""

    plan: Plan
    store: LogStore | None
    queue: QueueWatch | None
    state: TargetState
    target_pid: int | None

    def post(self, message: Message) -> None:
        """Hand a fact to the screen."""

    def work(self, name: str, job: Callable[[], object]) -> None:
        """Do something on a worker thread."""


class QueueDesk:
    """The queue pane's counterpart in one session."""

    def __init__(self, session: Desked, stop: threading.Event) -> None:
        """Create it; ``stop`` is set when the session ends."""
        self._session = session
        self._stop = stop
        self._stories: dict[str, PodStory] = {}
        self._open = ""
        """The pod whose story is open; empty while none, or a comparison, is."""
        self._told_line = 0
        self._told_at = 0.0
        self._telling = threading.Lock()
        self._times_due = 0.0
        self._inputs = 1

    def forget(self, inputs: int) -> None:
        """Another log is shown, of which the first so many inputs are the scheduler's."""
        self._stories, self._open, self._times_due = {}, "", 0.0
        self._inputs = inputs

    def readable(self) -> tuple[Readable, ...]:
        """What of the scheduler's log can be read once more."""
        store = self._session.store
        return tuple(one for one in store.readable() if one.source < self._inputs) if store is not None else ()

    # --- snapshots

    def changed(self, snapshot: QueueSnapshot) -> None:
        """The model took in more; called on the thread that folds."""
        queue = self._session.queue
        if queue is None:
            return
        self._session.post(self._live(queue, snapshot))
        self._session.post(messages.StationsCounted(stories.station_lines(queue.stations())))
        now = time.monotonic()
        if now >= self._times_due or queue.caught_up:
            self._session.post(messages.TimesCounted(times_lines(queue.report())))
            self._times_due = time.monotonic() + max(1.0, TIMES_SHARE * (time.monotonic() - now))
        self._retell(queue)

    def _live(self, queue: QueueWatch, snapshot: QueueSnapshot) -> messages.QueueFolded:
        return messages.QueueFolded(
            snapshot, course=queue.course(), clock_offset_us=self._clock_offset(queue, snapshot),
            placements=queue.placements(),
        )  # fmt: skip

    def _clock_offset(self, queue: QueueWatch, snapshot: QueueSnapshot) -> int | None:
        """What the log's clock is ahead of this machine's: its last line was written when the file was."""
        store = self._session.store
        if store is None or snapshot.time_us is None or not queue.caught_up:
            return None
        try:
            written = max(Path(path).stat().st_mtime for path in store.inputs if path != "-")
        except (OSError, ValueError):
            return None
        alive = self._session.state in ("running", "stopped")
        if not alive and time.time() - written > LIVE_SECONDS:
            return None
        return snapshot.time_us - int(written * 1_000_000)

    def show_at(self, record: Record | None, *, following: bool) -> None:
        """Let the queues follow the log's cursor, or live again."""
        queue = self._session.queue
        if queue is None:
            return
        if following or record is None or not record.line:
            self._session.post(self._live(queue, queue.ask(lambda fold: fold.snapshot())))
            return
        self._session.work(
            "replay", lambda: self._session.post(messages.QueueFolded(queue.snapshot_at(record), live=False))
        )

    # --- stories

    def tell_story(self, pod: str, against: str = "") -> None:
        """Tell a pod's story, or two pods side by side."""
        if self._session.store is None:
            self._session.post(messages.NoticePosted("There is no log yet.", "warning"))
            return

        def tell() -> None:
            with self._telling:
                found = self._read((pod, against) if against else (pod,))
                self._session.post(messages.WorkFinished("story"))
                self._stories = found
                self._open = "" if against else pod
                lines = stories.side_by_side(found[pod], found[against]) if against else stories.whole(found[pod])
                self._session.post(messages.PodStoryTold(pod, lines))

        self._session.work("story", tell)

    def _read(self, pods: tuple[str, ...], *, quiet: bool = False) -> dict[str, PodStory]:
        def progress(done: int, total: int) -> None:
            if total > RETOLD_BYTES and not quiet:
                self._session.post(messages.WorkProgressed(f"reading for {pods[0]}", done, total))

        release = self._session.queue.ask(lambda fold: fold.release) if self._session.queue is not None else None
        found = stories.tell(self.readable(), pods, release, progress)
        self._told_at = time.monotonic()
        row = found[pods[0]].row
        self._told_line = row.last_line if row is not None else 0
        return found

    def _retell(self, queue: QueueWatch) -> None:
        """Tell the open story anew when its pod got on."""
        pod, store = self._open, self._session.store
        if not pod or store is None or time.monotonic() - self._told_at < RETOLD_SECONDS:
            return
        row = queue.ask(lambda fold: fold.row(pod))
        if row is None or row.last_line <= self._told_line or store.state().size > RETOLD_BYTES:
            return
        self._told_at = time.monotonic()

        def tell() -> None:
            with self._telling:
                if self._open == pod:
                    self._stories = self._read((pod,), quiet=True)
                    told = messages.PodStoryTold(pod, stories.whole(self._stories[pod]), again=True)
                    self._session.post(told)

        self._session.work("story", tell)

    def compare_attempts(self, left: str, right: str) -> None:
        """Put two attempts of the open story side by side."""
        story = self._stories.get(self._open)
        lines = stories.attempts_side_by_side(story, left, right) if story is not None else ()
        if lines:
            pod, self._open = self._open, ""
            self._session.post(messages.PodStoryTold(pod, lines))

    # --- the scheduler's own word

    def ask_for_dump(self) -> None:
        """Let the running scheduler write its queues to its log (SIGUSR2), and compare."""
        session = self._session
        queue, endpoint, pid = session.queue, session.plan.endpoint, session.target_pid
        if pid is None:
            session.post(messages.NoticePosted("There is no scheduler of ours to ask.", "warning"))
        elif session.state != "running":
            session.post(
                messages.NoticePosted("A stopped scheduler cannot answer: continue it with c, then D.", "warning")
            )
        elif queue is not None:
            asked_at = time.monotonic()
            try:
                os.kill(pid, signal.SIGUSR2)
            except OSError as error:
                session.post(messages.NoticePosted(f"The scheduler cannot be asked ({error.strerror}).", "error"))
                return
            session.post(messages.NoticePosted("The scheduler is asked for its queues …"))
            session.work("dump", lambda: session.post(await_dump(queue, asked_at, endpoint, self._stop)))
