"""Folds the log's records into the queue model, off the UI loop, and answers questions about it.

Owns the model, its lock, and copies of it for going back in time. Records come in batches on the log store's own
thread; questions come from worker threads.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from schedtui.core.klog import Clock, RecordReader
from schedtui.core.queue_check import QueueChecker
from schedtui.core.queue_dump import DUMP_MESSAGE
from schedtui.core.queue_model import QueueModel
from schedtui.core.record import EPOCH
from schedtui.core.workflow import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from schedtui.core.queue_check import DumpCheck
    from schedtui.core.queue_state import PodState, QueueSnapshot
    from schedtui.core.record import Record
    from schedtui.core.workflow import WorkflowSnapshot

SNAPSHOT_SECONDS = 0.25
"""Snapshots are posted at most this often while the log grows."""

BLOCK_BYTES = 1 << 20
"""How much is read at a time when going back."""

KEPT_EVERY = 4000
"""Records between two kept models."""

KEPT_MODELS = 128
"""How many models are kept; when there are more, every second one goes and the distance doubles."""

SAMPLES = 32
"""Points of a sparkline."""

SAMPLE_US = 1_000_000
"""Their distance at first, microseconds of the log's clock."""

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class KeptModel:
    """The model as it was after a record."""

    line: int
    offset: int
    """Byte offset of the next record in the file."""
    model: QueueModel


class QueueWatch:
    """The fold of one log."""

    def __init__(
        self, path: str, post: Callable[[QueueSnapshot], None], *, release: str | None = None,
        on_records: Callable[[Sequence[Record]], None] | None = None,
    ) -> None:  # fmt: skip
        """Create it.

        Args:
            path: The log file for going back in time; empty when there are several or it cannot be read again.
            post: Called with each new snapshot, on the thread that hands over records.
            release: The scheduler's release when it is known for certain.
            on_records: Called with every batch, on the same thread.
        """
        self._path = path
        self._post = post
        self._release = release
        self._on_records = on_records
        self._lock = threading.Lock()
        self._checker = QueueChecker(release)
        self._workflow = Workflow()
        self._samples: deque[Mapping[PodState, int]] = deque(maxlen=SAMPLES)
        self._sample_us = SAMPLE_US
        self._next_sample_us: int | None = None
        self.dump_seen_at: float | None = None
        """When the last dump of the scheduler's queues came by, on the monotonic clock."""
        self._kept: list[KeptModel] = []
        self._kept_every = KEPT_EVERY
        self._since_kept = 0
        self._posted_at = 0.0
        self._dirty = False

    def take(self, records: Sequence[Record]) -> None:
        """Fold a batch in."""
        with self._lock:
            self._dirty = self._dirty or bool(records)
            for record in records:
                event = self._checker.apply(record)
                if event is not None:
                    self._workflow.apply(event)
                    self._sample(event.time_us)
                if record.message == DUMP_MESSAGE:
                    self.dump_seen_at = time.monotonic()
                self._since_kept += 1
                if self._since_kept >= self._kept_every and self._path:
                    self._keep(record)
        if self._on_records is not None:
            self._on_records(records)
        if time.monotonic() - self._posted_at >= SNAPSHOT_SECONDS:
            self.tell()

    def tell(self) -> None:
        """Post a snapshot when something changed since the last one."""
        with self._lock:
            if not self._dirty:
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
            return self._workflow.snapshot()

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

    def snapshot_at(self, line: int) -> QueueSnapshot | None:
        """The queues after the record at a 1-based line; None when the log cannot be read again."""
        if not self._path:
            return None
        start = KeptModel(0, 0, QueueModel(self._release))
        with self._lock:
            for kept in self._kept:
                if kept.line > line:
                    break
                start = kept
            model = start.model.copy()
        clock = None
        if model.time_us is not None:
            clock = Clock.for_year((EPOCH + timedelta(microseconds=model.time_us)).year, guessed=True)
        reader = RecordReader(clock=clock, line=start.line + 1, offset=start.offset)
        with Path(self._path).open("rb") as stream:
            stream.seek(start.offset)
            while data := stream.read(BLOCK_BYTES):
                for record in reader.feed(data):
                    if record.line > line:
                        return model.snapshot()
                    model.apply(record)
        for record in reader.finish():
            if record.line <= line:
                model.apply(record)
        return model.snapshot()

    def _keep(self, record: Record) -> None:
        self._since_kept = 0
        end_line = record.line + record.line_count - 1
        self._kept.append(KeptModel(end_line, record.offset + record.length, self._checker.model.copy()))
        if len(self._kept) > KEPT_MODELS:
            self._kept = self._kept[1::2]
            self._kept_every *= 2
