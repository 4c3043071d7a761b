"""Folds the log's records into the queue model, off the UI loop, and answers questions about it.

Owns the model, what is counted beside it, its history, and the lock of all three. Records come in batches on the
log store's own thread; questions come from worker threads.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, TypeVar

from schedtui.core.queue_check import QueueChecker
from schedtui.core.queue_dump import DUMP_MESSAGE, QueueDump
from schedtui.core.queue_history import QueueHistory
from schedtui.core.queue_model import QueueModel
from schedtui.core.report import ReportFold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from schedtui.core.events import QueueEvent
    from schedtui.core.placements import NodePlacement
    from schedtui.core.queue_check import DumpCheck
    from schedtui.core.queue_state import PodState, QueueSnapshot
    from schedtui.core.record import Record
    from schedtui.core.report import Report
    from schedtui.core.workflow import WorkflowSnapshot

SNAPSHOT_SECONDS = 0.25
"""Snapshots are posted at most this often while the log grows."""

SAMPLES = 32
"""Points of a sparkline."""

SAMPLE_US = 1_000_000
"""Their distance at first, microseconds of the log's clock."""

FACTS_AT_ONCE = 2_000
"""Events that are folded while others wait for the lock: some hundredths of a second."""

_MODULE_PATH = "@v0."
"""Part of every module path that can tell the release (``client-go@v0.36.3``)."""

_Answer = TypeVar("_Answer")


class QueueWatch:
    """The fold of one log."""

    def __init__(
        self, post: Callable[[QueueSnapshot], None], *, release: str | None = None, debugged: bool = False,
        on_records: Callable[[Sequence[Record]], None] | None = None,
    ) -> None:  # fmt: skip
        """Create it.

        Args:
            post: Called with each new snapshot, on the thread that hands over records.
            release: The scheduler's release when it is known for certain.
            debugged: Whether a debugger may stop the scheduler: its silence proves nothing then.
            on_records: Called with every batch, on the same thread.
        """
        self._post = post
        self._on_records = on_records
        self._lock = threading.Lock()
        self._checker = QueueChecker(release, debugged=debugged)
        self._history = QueueHistory(QueueModel(release, debugged=debugged))
        self._report = ReportFold(beside=self._checker.model)
        self._samples: deque[Mapping[PodState, int]] = deque(maxlen=SAMPLES)
        self._sample_us = SAMPLE_US
        self._next_sample_us: int | None = None
        self.dump_seen_at: float | None = None
        """When the last dump of the scheduler's queues came by, on the monotonic clock."""
        self.caught_up = False
        """Whether everything that was there has been folded in."""
        self._lines_ascend = True
        self._last_line = 0
        self._source: int | None = None
        self._module_paths: list[str] = []
        self._posted_at = 0.0
        self._dirty = False

    def take(self, records: Sequence[Record]) -> None:
        """Fold a batch in."""
        self.caught_up = False
        with self._lock:
            self._dirty = self._dirty or bool(records)
            for record in records:
                self._fold(record)
        if self._on_records is not None:
            self._on_records(records)
        if time.monotonic() - self._posted_at >= SNAPSHOT_SECONDS:
            self._tell()

    def see_head(self, head: Sequence[Record]) -> None:
        """The records of the beginning of a log whose events are handed to ``take_facts``."""
        self._module_paths = [record.raw for record in head if _MODULE_PATH in record.raw]

    def take_facts(self, facts: Sequence[QueueEvent | QueueDump]) -> None:
        """Fold in events and dumps that somebody else has read."""
        self.caught_up = False
        for start in range(0, len(facts), FACTS_AT_ONCE):
            with self._lock:
                self._dirty = True
                for fact in facts[start : start + FACTS_AT_ONCE]:
                    self._fold_fact(fact)
                model = self._checker.model
                while self._module_paths and model.process is not None:
                    model.see_module_paths(self._module_paths.pop().encode("utf-8", "replace"))
            if time.monotonic() - self._posted_at >= SNAPSHOT_SECONDS:
                self._tell()

    def _fold_fact(self, fact: QueueEvent | QueueDump) -> None:
        self._last_line = fact.line
        if isinstance(fact, QueueDump):
            self._checker.compare(fact)
            return
        self._checker.apply_event(fact)
        self._history.add(fact, self._checker.model)
        self._report.apply_event(fact)
        self._sample(fact.time_us)

    def tell(self) -> None:
        """Everything that was there has been handed over: post a snapshot of it."""
        self.caught_up = True
        self._tell(force=True)

    def _fold(self, record: Record) -> None:
        model = self._checker.model
        if record.line:
            # A rotated file begins at line 1 again, and several inputs count each for itself.
            same = self._source in (None, record.source) and record.line > self._last_line
            self._lines_ascend = self._lines_ascend and same
            self._last_line, self._source = record.line, record.source
        event = self._checker.apply(record)
        if event is not None:
            self._history.add(event, model)
            self._report.apply_event(event)
            self._sample(event.time_us)
        if record.message == DUMP_MESSAGE:
            self.dump_seen_at = time.monotonic()
        if _MODULE_PATH in record.raw:
            model.see_module_paths(record.raw.encode("utf-8", "replace"))

    def _tell(self, *, force: bool = False) -> None:
        with self._lock:
            if not self._dirty and not force:
                return
            self._dirty = False
            snapshot = self._checker.model.snapshot()
        self._posted_at = time.monotonic()
        self._post(snapshot)

    def ask(self, question: Callable[[QueueModel], _Answer]) -> _Answer:
        """What a question to the model gives; any thread."""
        with self._lock:
            return question(self._checker.model)

    def stations(self) -> WorkflowSnapshot:
        """How many pods passed each station."""
        with self._lock:
            return self._report.workflow.snapshot()

    def placements(self) -> tuple[NodePlacement, ...]:
        """What happened on each node."""
        with self._lock:
            return self._report.placements.nodes()

    def report(self) -> Report:
        """Waits, reasons, slowest and stuck pods, so far."""
        with self._lock:
            return self._report.report()

    def course(self) -> tuple[Mapping[PodState, int], ...]:
        """The counts over the log's time, oldest first, at even distances."""
        with self._lock:
            return tuple(self._samples)

    def _sample(self, time_us: int | None) -> None:
        """Take the counts when it is time; when the row is full, every second one goes and the pace halves."""
        if time_us is None:
            return
        if self._next_sample_us is None or time_us - self._next_sample_us > SAMPLES * self._sample_us:
            self._next_sample_us = time_us
        if time_us < self._next_sample_us:
            return
        self._next_sample_us += self._sample_us
        if len(self._samples) == SAMPLES:
            kept = list(self._samples)[1::2]
            self._samples.clear()
            self._samples.extend(kept)
            self._sample_us *= 2
        self._samples.append(self._checker.model.counts)

    def check(self) -> tuple[DumpCheck, ...]:
        """The comparisons with the dumps in the log so far."""
        with self._lock:
            return self._checker.results()

    def snapshot_at(self, record: Record) -> QueueSnapshot:
        """The queues after a record; in a log of several files, those at the record's time."""
        with self._lock:
            if self._lines_ascend or record.time_us is None:
                replay = self._history.before_line(record.line)
            else:
                replay = self._history.before_time(record.time_us)
            by_line = self._lines_ascend or record.time_us is None
        if by_line or record.time_us is None:
            return replay.to_line(record.line).snapshot()
        return replay.to_time(record.time_us).snapshot()
