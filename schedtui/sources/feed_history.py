"""What a large log held when it was opened, as events: read by worker processes, handed over in the file's order.

Owns the processes and how far they got. What comes behind is the record feed's, record by record. A log that no
range can be cut from (a collector's prefix before each line) is left to it altogether.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from schedtui.core.errors import UnreadableInput
from schedtui.core.klog import RecordReader
from schedtui.sources.fact_worker import LENGTH_BYTES
from schedtui.sources.parallel import RANGE_BYTES, WORTH_IT_BYTES, next_start, pieces_of, ranges_of, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import BinaryIO

    from schedtui.core.events import QueueEvent
    from schedtui.core.klog import Clock
    from schedtui.core.queue_dump import QueueDump
    from schedtui.core.record import Record
    from schedtui.sources.log_file import LogFile

    Fact = QueueEvent | QueueDump

HEAD_BYTES = 256 << 10
"""So much of the beginning comes as records too: flags and versions stand there."""

TAIL_BYTES = 1 << 20
"""About so much of the end is left to the record feed."""

MOST_WORKERS = 4
"""More processes bring events faster than they can be folded."""

REQUESTS_AHEAD = 2
"""Ranges that wait at each process."""

_PACKAGE_PLACE = str(Path(__file__).parents[2])
"""Where this package lies: workers find it there, and never in the directory that the user stands in."""


class HistoryTaker(Protocol):
    """Who is handed a log's history."""

    def begin(self, head: Sequence[Record]) -> None:
        """It begins; the records of the log's beginning, for what is no event (flags, versions)."""

    def take(self, facts: Sequence[Fact], done: int, total: int) -> None:
        """More events and dumps, with how many bytes of how many have been read."""

    def end(self, source: int, number: int, upto: int) -> None:
        """All in front of byte ``upto`` of an input's file generation ``number`` has been handed over."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the record feed goes on."""

    offset: int
    """Byte offset of a record's start."""
    line: int
    """Its 1-based line."""


def hand_over_history(
    file: LogFile, upto: int, clock: Clock, taker: HistoryTaker, stopped: Callable[[], bool]
) -> Place | None:
    """Hand over what a file holds; the clock is moved on with it.

    Args:
        file: The file.
        upto: Bytes of it that are there.
        clock: Knows the year of its first record.
        taker: Takes it; its ``end`` is left to the caller.
        stopped: Asked between ranges.

    Returns:
        Where that ended; None when the file is not large, or cannot be cut: nothing has been handed over then.
    """
    place: Place | None = None
    with closing(history_of(file, upto, clock)) as ranges:
        for facts, place in ranges:
            if not facts and not place.offset:
                taker.begin(RecordReader(clock=clock.copy()).feed(file.read(0, HEAD_BYTES)))
                continue
            taker.take(facts, place.offset, upto)
            if stopped():
                break
    return place


def history_of(
    file: LogFile, upto: int, clock: Clock, pods: tuple[str, ...] = ()
) -> Generator[tuple[list[Fact], Place], None, None]:
    """The events of a large file range by range, each with where it ends; nothing at all when it cannot be cut.

    The first pair has no events and stands for the file's beginning. It ends early when the file became shorter or
    a process was ended by somebody.

    Args:
        file: The file.
        upto: Bytes of it that are there.
        clock: Knows the year of its first record; moved on.
        pods: Pods of which everything is wanted, scores and what kept them included.
    """
    if upto < max(WORTH_IT_BYTES, TAIL_BYTES):
        return
    with file.duplicate() as log:
        if next_start(log, RANGE_BYTES, upto) >= upto:
            return
        place = Place(0, 1)
        yield [], place
        cut = next_start(log, upto - TAIL_BYTES, upto)
        workers = _Workers(log, pods)
        try:
            for packed, end, line in workers.read(ranges_of(log, cut, clock)):
                place = Place(end, line + _line_breaks(log, place.offset, end))
                yield list(unpacked(packed)), place
        except UnreadableInput:
            # It became shorter: the store notices and tells, and what is left comes record by record.
            return
        finally:
            workers.end()


def _line_breaks(log: BinaryIO, start: int, end: int) -> int:
    return sum(piece.count(b"\n") for piece in pieces_of(log, start, end))


class _Workers:
    """The processes."""

    def __init__(self, log: BinaryIO, pods: tuple[str, ...]) -> None:
        self._pods = pods
        count = max(1, min(MOST_WORKERS, (os.cpu_count() or 1) - 1))
        self._children = [_start(log.fileno()) for _ in range(count)]

    def read(self, ranges: Iterator[tuple[int, int, int, Clock]]) -> Iterator[tuple[bytes, int, int]]:
        """What the ranges hold, packed, in their order, with each one's end and first line.

        It ends early when a process was ended by somebody.
        """
        ahead: deque[tuple[subprocess.Popen[bytes], int, int]] = deque()
        free = deque(self._children * REQUESTS_AHEAD)
        following = next(ranges, None)
        while following is not None or ahead:
            while free and following is not None:
                child = free.popleft()
                if not _ask(child, (*following, self._pods)):
                    return
                ahead.append((child, following[1], following[2]))
                following = next(ranges, None)
            child, end, line = ahead.popleft()
            packed = _answer(child)
            if packed is None:
                return
            free.append(child)
            yield packed, end, line

    def end(self) -> None:
        """End them."""
        for child in self._children:
            child.kill()
            child.communicate()


def _start(descriptor: int) -> subprocess.Popen[bytes]:
    places = filter(None, (_PACKAGE_PLACE, os.environ.get("PYTHONPATH", "")))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "schedtui.sources.fact_worker", str(descriptor)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        # A key that interrupts the terminal's programs is for the screen to answer, not for its workers.
        start_new_session=True,
    )


def _ask(child: subprocess.Popen[bytes], request: tuple[int, int, int, Clock, tuple[str, ...]]) -> bool:
    """Send a range to a process; False when it is gone."""
    assert child.stdin is not None
    try:
        child.stdin.write(pickle.dumps(request))
        child.stdin.flush()
    except BrokenPipeError:
        return False
    return True


def _answer(child: subprocess.Popen[bytes]) -> bytes | None:
    """The next answer of a process; None when it is gone."""
    assert child.stdout is not None
    head = child.stdout.read(LENGTH_BYTES)
    length = int.from_bytes(head, "big")
    packed = child.stdout.read(length)
    return packed if len(head) == LENGTH_BYTES and len(packed) == length else None
