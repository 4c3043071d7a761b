"""All records of a log in the order of its files, for whoever folds them (the queue model).

Owns a thread that reads behind the index, parses, and hands over batches. Several inputs come merged by time as
far as they have been read; records that two of them share come once. It keeps nothing, and knows neither rows nor
filters.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from schedtui.core.klog import RecordReader, clock_for
from schedtui.core.record import Record
from schedtui.sources.feed_history import hand_over_history
from schedtui.sources.parallel import WORTH_IT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedtui.core.klog import Clock
    from schedtui.sources.feed_history import HistoryTaker, Place
    from schedtui.sources.log_file import LogFile

READ_BYTES = 256 << 10
"""How much is read and parsed before a batch is handed over: some 20 ms."""

HEAD_START_SECONDS = 1.0
"""How long the screen and the index have the processor before a large log's history is read."""

PACE_SECONDS = 0.25
"""A log that grows all the time is handed over so often: every batch is folded, told and painted anew. What comes
after a pause is handed over at once."""

SAMPLE_BYTES = 64 << 10
"""How much of a file's beginning and end is looked at to find its year."""

MOST_TWINS = 40_000
"""How many records are remembered to notice that another input has the same one: klog flushes its files every five
seconds, one after the other."""


@dataclass(frozen=True, slots=True)
class Readable:
    """How far a file generation can be read."""

    source: int
    number: int
    file: LogFile
    upto: int
    """Bytes that are there in whole lines."""
    ended: bool
    """It will not grow."""
    notice: str = ""
    """What is said when this generation begins (rotation); empty for a first one."""


class _Source:
    """One input: its generations one after the other."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.waiting: deque[Record] = deque()
        self.caught_up = True
        self._reader: RecordReader | None = None
        self._generation = -1
        self._offset = 0
        self._clock: Clock | None = None

    def begin_behind(self, generation: Readable, place: Place, clock: Clock) -> None:
        """Go on behind what has been handed over as history."""
        self._clock = clock
        self._generation = generation.number
        self._offset = place.offset
        self._reader = RecordReader(self.number, clock, line=place.line, offset=place.offset)

    def read(self, generations: Sequence[Readable]) -> bool:
        """Read and parse one block; False when everything that is there has been read."""
        mine = [one for one in generations if one.source == self.number and one.number >= self._generation]
        if not mine:
            return False
        current = mine[0]
        if current.number != self._generation:
            self._begin(current)
        if self._offset < current.upto:
            self.caught_up = False
            # Rewritten meanwhile, another text stands at the offset, until a copy takes the file's place.
            sound = current.file.begins_as_read()
            data = current.file.read(self._offset, min(READ_BYTES, current.upto - self._offset))
            if data and self._reader is not None and sound and current.file.begins_as_read():
                self._offset += len(data)
                self.waiting.extend(self._reader.feed(data))
                return True
        if len(mine) > 1:
            if self._reader is not None:
                self.waiting.extend(self._reader.finish())
            self._begin(mine[1])
            return True
        self._settle()
        return False

    def _begin(self, generation: Readable) -> None:
        if self._clock is None:
            self._clock = clock_of_generation(generation)
        if generation.notice:
            self.waiting.append(Record(0, generation.notice, kind="notice", source=self.number))
        self._generation = generation.number
        self._offset = 0
        self._reader = RecordReader(self.number, self._clock)

    def _settle(self) -> None:
        """Everything is read: the last record is complete unless a block in it is open."""
        self.caught_up = True
        if self._reader is None:
            return
        pending = self._reader.pending()
        if pending is not None and not pending.incomplete:
            self.waiting.extend(self._reader.finish())


def clock_of_generation(generation: Readable) -> Clock:
    """Knows the year of a generation's records, by its beginning, its end and when it was written."""
    size = generation.upto
    lines = generation.file.read(0, min(SAMPLE_BYTES, size)).split(b"\n")
    if size > SAMPLE_BYTES:
        lines += generation.file.read(max(SAMPLE_BYTES, size - SAMPLE_BYTES), SAMPLE_BYTES).split(b"\n")[1:]
    return clock_for(lines, datetime.fromtimestamp(generation.file.modified(), UTC).replace(tzinfo=None))


class RecordFeed:
    """The thread."""

    def __init__(
        self,
        inputs: int,
        readable: Callable[[], Sequence[Readable]],
        callback: Callable[[Sequence[Record]], None],
        failed: Callable[[BaseException], None],
        caught_up: Callable[[], None] | None = None,
        may_begin: Callable[[], bool] = lambda: True,
        history: HistoryTaker | None = None,
    ) -> None:
        """Create a feed.

        Args:
            inputs: How many inputs there are.
            readable: How far each file generation can be read.
            callback: Takes batches of records.
            failed: Told of an error that nobody expected.
            caught_up: Called each time everything that was there has been handed over.
            may_begin: False while the interpreter has something more urgent to do (the index).
            history: Takes what a large single log holds at first, as events, instead of ``callback``.
        """
        self._sources = [_Source(number) for number in range(inputs)]
        self._readable = readable
        self._callback = callback
        self._failed = failed
        self._caught_up = caught_up
        self._may_begin = may_begin
        self._history = history if inputs == 1 else None
        self._untold = False
        """Whether something was handed over since ``caught_up`` was called."""
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log-records", daemon=True)
        self._handed_at = -PACE_SECONDS
        self._twins: dict[tuple[int | None, int], int] = {}

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """More can be read."""
        self._wake.set()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._stop.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._wake.clear()
                if not self._may_begin():
                    self._wake.wait(0.5)
                    continue
                generations = self._readable()
                if self._history is not None and generations:
                    self._hand_over_history(self._history, generations[0])
                    self._history = None
                more = [source.read(generations) for source in self._sources]
                self._hand_over(final=not any(more))
                if not any(more):
                    self._wake.wait(1.0)
                    pause = self._handed_at + PACE_SECONDS - time.monotonic()
                    if pause > 0:
                        self._stop.wait(pause)
        except Exception as error:  # noqa: BLE001 - handed to the owner, who tells the user
            self._failed(error)

    def _hand_over_history(self, taker: HistoryTaker, generation: Readable) -> None:
        if generation.upto >= WORTH_IT_BYTES:
            # The end of the log comes on the screen first: starting processes would hold it up.
            self._stop.wait(HEAD_START_SECONDS)
        clock = clock_of_generation(generation)
        place = hand_over_history(generation.file, generation.upto, clock, taker, self._stop.is_set)
        if place is not None:
            self._sources[0].begin_behind(generation, place, clock)
            self._untold = True
            taker.end(generation.source, generation.number, place.offset)

    def _hand_over(self, *, final: bool) -> None:
        if len(self._sources) == 1:
            batch = list(self._sources[0].waiting)
            self._sources[0].waiting.clear()
        else:
            batch = self._merged(final=final)
        if batch:
            self._handed_at = time.monotonic()
            self._callback(batch)
            self._untold = True
        if final and self._untold and self._caught_up is not None:
            # The last record may still be open: all that is whole has been handed over.
            self._untold = False
            self._caught_up()

    def _merged(self, *, final: bool) -> list[Record]:
        """Records that no input can bring an earlier one for; all of them when everything is read."""
        batch: list[Record] = []
        while True:
            ready = [source for source in self._sources if source.waiting]
            if not ready or (not final and any(not one.waiting and not one.caught_up for one in self._sources)):
                return batch
            first = min(ready, key=lambda one: (_moment(one.waiting[0]), one.number))
            record = first.waiting.popleft()
            if not self._is_twin(record):
                batch.append(record)

    def _is_twin(self, record: Record) -> bool:
        # The text itself may be long: thousands of pod dumps would fill the memory.
        key = (record.time_us, hash(record.raw))
        owner = self._twins.get(key)
        if owner is None:
            if len(self._twins) >= MOST_TWINS:
                for old in list(self._twins)[: MOST_TWINS // 2]:
                    del self._twins[old]
            self._twins[key] = record.source
            return False
        return owner != record.source


def _moment(record: Record) -> int:
    # What has no time belongs to what stands above it.
    return record.time_us if record.time_us is not None else 0
