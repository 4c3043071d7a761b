"""Folds the followed log into the queue model, off the UI loop, and answers questions about it.

Owns one thread, the model and snapshots for going back in time. It reads the log itself, as a follower of the same
file, since the log pane's rows are filtered and the model must see every record.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.klog import RecordReader
from schedtui.core.queue_model import QueueModel
from schedtui.sources.tail import Began, FileFollower, Grew

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.core.queue_state import QueueSnapshot
    from schedtui.core.record import Record
    from schedtui.sources.log_file import LogFile

LOOK_SECONDS = 0.15
"""How often the file is looked at."""

SNAPSHOT_SECONDS = 0.25
"""Snapshots are posted at most this often while the log grows."""

BLOCK_BYTES = 1 << 20
"""How much is read at a time."""

KEPT_EVERY = 4000
"""Records between two kept models."""

KEPT_MODELS = 256
"""How many models are kept; when there are more, every second one goes and the distance doubles."""


@dataclass(frozen=True, slots=True)
class KeptModel:
    """The model as it was after a line."""

    line: int
    offset: int
    """Byte offset of the next record."""
    model: QueueModel


class QueueWatch:
    """The fold of one log file."""

    def __init__(
        self, path: str, post: Callable[[QueueSnapshot], None], fail: Callable[[BaseException], None], *,
        release: str | None = None, on_record: Callable[[Record], None] | None = None,
    ) -> None:  # fmt: skip
        """Create it.

        Args:
            path: The log file; it need not be there yet.
            post: Called on this thread with each new snapshot.
            fail: Called on this thread with an error that ended it.
            release: The scheduler's release when it is known for certain.
            on_record: Called on this thread with every record.
        """
        self.path = path
        self._post = post
        self._fail = fail
        self._release = release
        self._on_record = on_record
        self._stop = threading.Event()
        self._questions: queue.SimpleQueue[Callable[[QueueModel], None]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="queue-fold", daemon=True)
        self._model = QueueModel(release)
        self._reader = RecordReader()
        self._file: LogFile | None = None
        self._offset = 0
        self._kept: list[KeptModel] = []
        self._kept_every = KEPT_EVERY
        self._since_kept = 0
        self._posted_at = 0.0
        self._dirty = False

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def ask(self, question: Callable[[QueueModel], None]) -> None:
        """Let something be done with the model on its own thread."""
        self._questions.put(question)

    def close(self) -> None:
        """End the thread and wait for it."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(5.0)

    def _run(self) -> None:
        follower = FileFollower(self.path)
        try:
            while not self._stop.is_set():
                grew = False
                for event in follower.look():
                    if isinstance(event, Began):
                        self._begin(event)
                    elif isinstance(event, Grew):
                        grew = True
                        self._read(event.file, event.size)
                        follower.mark_read(event.file, self._offset)
                self._answer()
                self._tell(force=not grew)
                self._stop.wait(0 if grew else LOOK_SECONDS)
        except Exception as error:  # noqa: BLE001 - a bug: told, never a thread that dies silently
            self._fail(error)

    def _begin(self, event: Began) -> None:
        if event.reason == "first" or event.reason == "came back":
            self._reader = RecordReader()
        else:
            # A rotated log goes on in a new file; what the scheduler holds in its queues stays the same.
            self._fold(self._reader.finish())
            self._reader = RecordReader()
        self._file, self._offset = event.file, 0

    def _read(self, file: LogFile, size: int) -> None:
        if file is not self._file:
            return
        while self._offset < size and not self._stop.is_set():
            data = file.read(self._offset, min(BLOCK_BYTES, size - self._offset))
            if not data:
                return
            self._offset += len(data)
            self._fold(self._reader.feed(data))
            self._answer()
            self._tell()

    def _fold(self, records: list[Record]) -> None:
        for record in records:
            if self._model.apply(record) is not None:
                self._dirty = True
            if self._on_record is not None:
                self._on_record(record)
            self._since_kept += 1
            if self._since_kept >= self._kept_every:
                self._keep(record)

    def _keep(self, record: Record) -> None:
        self._since_kept = 0
        self._kept.append(KeptModel(record.line, record.offset + record.length, self._model.copy()))
        if len(self._kept) > KEPT_MODELS:
            self._kept = self._kept[1::2]
            self._kept_every *= 2

    def _answer(self) -> None:
        while True:
            try:
                question = self._questions.get_nowait()
            except queue.Empty:
                return
            question(self._model)

    def _tell(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if self._dirty and (force or now - self._posted_at >= SNAPSHOT_SECONDS):
            self._dirty = False
            self._posted_at = now
            self._post(self._model.snapshot())

    def snapshot_at(self, line: int, answer: Callable[[QueueSnapshot], None]) -> None:
        """Ask for the queues after the record at a 1-based line; answered on this thread."""
        self.ask(lambda _model: answer(self._replay(line)))

    def _replay(self, line: int) -> QueueSnapshot:
        start = KeptModel(0, 0, QueueModel(self._release))
        for kept in self._kept:
            if kept.line > line:
                break
            start = kept
        model = start.model.copy()
        reader = RecordReader(line=start.line + 1, offset=start.offset)
        offset, file = start.offset, self._file
        while file is not None and offset < self._offset:
            data = file.read(offset, min(BLOCK_BYTES, self._offset - offset))
            if not data:
                break
            offset += len(data)
            for record in reader.feed(data):
                if record.line > line:
                    return model.snapshot()
                model.apply(record)
        return model.snapshot()
