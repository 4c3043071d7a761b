"""A large log's events, read by several processes and handed out in the order of the file.

Owns the cutting of a plain file into ranges at records' starts, the pool of reading processes, and the order of
what they bring back. Small files, archives and pipes are read in this process. Meaning and folding are ``core``'s.
"""

from __future__ import annotations

import gc
import marshal
import os
import pickle
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from schedtui.core.errors import UnreadableInput
from schedtui.core.event_reader import EventReader, told_events
from schedtui.core.events import QueueEvent
from schedtui.core.klog import FULL_HEADER
from schedtui.sources.inputs import (
    HEAD_BYTES,
    PARTLY_READ,
    STANDARD_INPUT,
    clock_of,
    explained,
    read_chunks,
    until_fault,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future
    from typing import BinaryIO

    from schedtui.core.klog import Clock
    from schedtui.core.queue_dump import QueueDump
    from schedtui.sources.inputs import LogInput

    Fact = QueueEvent | QueueDump

_Result = TypeVar("_Result")

WORTH_IT_BYTES = 24 << 20
"""Smaller files are read faster than processes start."""

RANGE_BYTES = 8 << 20
"""How much one process reads at a time."""

LONGEST_SEARCH = 4 << 20
"""How far behind a cut a record's start is looked for; a file without one is read by this process alone."""

PIECE_BYTES = 256 << 10
"""How much of a range is taken at a time."""

READ_BYTES = 1 << 20
"""The same where it is read for its events: what goes on behind a piece costs more than the rest."""

_JSON_START = b'{"ts":'


def read_facts(log: LogInput, chunks: Callable[[], Iterator[bytes]] | None = None) -> Iterator[Fact]:
    """All events and dumps of one input, in the order of the file.

    Args:
        log: The input.
        chunks: Where to read the bytes from, when not from the input itself.
    """
    if is_worth_it(log):
        yield from read_large(log)
        return
    faults: list[UnreadableInput] = []
    pieces = until_fault(chunks() if chunks is not None else read_chunks(log), faults)
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= HEAD_BYTES or log.name == STANDARD_INPUT:
            break
    reader = EventReader(clock_of(log, b"".join(waiting)[:HEAD_BYTES]))
    for piece in waiting:
        yield from reader.facts(piece)
    for piece in pieces:
        yield from reader.facts(piece)
    yield from reader.last_facts()
    for fault in faults:
        raise fault


def read_large(log: LogInput, pods: Sequence[str] = ()) -> Iterator[Fact]:
    """The same of a log that is worth several processes.

    Args:
        log: The input.
        pods: Pods of which everything is wanted, scores and what kept them included.
    """
    for packed in over_ranges(log, partial(read_range, pods=tuple(pods))):
        yield from unpacked(packed)


def read_range(
    path: str, start: int, end: int, line: int, clock: Clock, pods: tuple[str, ...] = ()
) -> bytes:  # fmt: skip
    """The events and dumps of a range of a file, packed; runs in a process of its own.

    Args:
        path: The file.
        start: Byte offset of the range's first record.
        end: Byte offset behind its last one.
        line: 1-based line of its first record.
        clock: Knows the year at the range's beginning.
        pods: Pods of which everything is wanted.
    """
    with Path(path).open("rb") as file:
        return read_open_range(file, start, end, line, clock, pods)


def read_open_range(
    file: BinaryIO, start: int, end: int, line: int, clock: Clock, pods: tuple[str, ...] = ()
) -> bytes:  # fmt: skip
    """The same of an open file."""
    story_clock = clock.copy()
    facts = [fact for some in facts_of_range(file, start, end, line, clock) for fact in some]
    if pods:
        told = told_events(b"".join(pieces_of(file, start, end)), pods, line, story_clock)
        facts = sorted((*facts, *told), key=lambda fact: fact.line)
    return marshal.dumps([tuple(fact) if isinstance(fact, QueueEvent) else pickle.dumps(fact) for fact in facts])


def facts_of_range(
    file: BinaryIO, start: int, end: int, line: int, clock: Clock, *, dumps: bool = True
) -> Iterator[list[Fact]]:  # fmt: skip
    """The events and dumps of a range of an open file, piece by piece; for a process that does nothing else.

    Args:
        file: The file.
        start: Byte offset of the range's first record.
        end: Byte offset behind its last one.
        line: 1-based line of its first record.
        clock: Knows the year at the range's beginning.
        dumps: Whether dumps are wanted; without them some may come all the same.
    """
    # Nothing that is made here refers to itself: looking for such things costs a fifth of the time.
    gc.disable()
    reader = EventReader(clock, line, dumps=dumps)
    for piece in pieces_of(file, start, end, READ_BYTES):
        yield reader.facts(piece)
    yield reader.last_facts()


def unpacked(packed: bytes) -> Iterator[Fact]:
    """What ``read_range`` packed: events as bare tuples, for they are many, and dumps, which are few."""
    for fact in marshal.loads(packed):
        yield pickle.loads(fact) if isinstance(fact, bytes) else QueueEvent._make(fact)


def pieces_of(file: BinaryIO, start: int, end: int, size: int | None = None) -> Iterator[bytes]:
    """A range's bytes, so many at a time (``PIECE_BYTES``).

    Raises:
        UnreadableInput: The file has become shorter.
    """
    while start < end and (piece := os.pread(file.fileno(), min(size or PIECE_BYTES, end - start), start)):
        yield piece
        start += len(piece)
    if start < end:
        raise UnreadableInput("became shorter while it was read", where=file.name, hint=PARTLY_READ)


def is_worth_it(log: LogInput) -> bool:
    """Whether several processes read an input sooner than this one alone."""
    if log.size is None or log.size < WORTH_IT_BYTES or (os.cpu_count() or 1) < 2:
        return False
    # Where the first cut would be a record must begin; in a log behind a collector's prefix none does.
    with explained(log.name), Path(log.name).open("rb") as file:
        return next_start(file, RANGE_BYTES, log.size) < log.size


def over_ranges(log: LogInput, work: Callable[[str, int, int, int, Clock], _Result]) -> Iterator[_Result]:
    """What some work on each range of an input gives, in the order of the file.

    Args:
        log: The input; ``is_worth_it``.
        work: Takes path, start, end, first line and clock, as ``read_range`` does; runs in other processes.
    """
    processes = os.cpu_count() or 1
    pipe = os.pipe()
    try:
        with (
            Path(log.name).open("rb") as file,
            ProcessPoolExecutor(processes, initializer=_live_with_parent, initargs=pipe) as pool,
        ):
            yield from _in_order(log, file, pool, processes + 1, work)
    except BrokenProcessPool:
        raise UnreadableInput(
            "a process that read a part of it was ended", where=log.name, hint="Is there memory enough?"
        ) from None
    finally:
        for end in pipe:
            os.close(end)


def _in_order(
    log: LogInput,
    file: BinaryIO,
    pool: ProcessPoolExecutor,
    most_ahead: int,
    work: Callable[[str, int, int, int, Clock], _Result],
) -> Iterator[_Result]:
    """What the ranges give, in the order of the file, while later ones are read already."""
    clock = clock_of(log, os.pread(file.fileno(), HEAD_BYTES, 0))
    ahead: deque[Future[_Result]] = deque()
    try:
        for each in ranges_of(file, log.size or 0, clock):
            ahead.append(pool.submit(work, log.name, *each))
            if len(ahead) > most_ahead:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        for future in ahead:
            future.cancel()


def _live_with_parent(reading: int, writing: int) -> None:
    """In a reading process: end as soon as the parent is gone, however it went.

    Args:
        reading: End of a pipe on which nothing is ever written; it closes with the last holder of ``writing``.
        writing: The other end, which only the parent may keep.
    """
    os.close(writing)

    def wait() -> None:
        os.read(reading, 1)
        os._exit(1)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def ranges_of(file: BinaryIO, size: int, clock: Clock) -> Iterator[tuple[int, int, int, Clock]]:
    """Start, end, first line and clock of each range; the given clock is moved on behind the last one."""
    start, line = 0, 1
    while start < size:
        end = next_start(file, start + RANGE_BYTES, size)
        yield start, end, line, clock.copy()
        for piece in pieces_of(file, start, end):
            line += piece.count(b"\n")
            # A New Year inside the range must be known to the next one.
            _move_clock(clock, piece)
        start = end


def next_start(file: BinaryIO, wanted: int, size: int) -> int:
    """The first byte at or behind ``wanted`` at which a line begins that surely starts a record."""
    if wanted >= size:
        return size
    window = os.pread(file.fileno(), min(LONGEST_SEARCH, size - wanted), wanted)
    at = window.find(b"\n") + 1
    while at > 0:
        if FULL_HEADER.match(window, at) or window.startswith(_JSON_START, at):
            return wanted + at
        at = window.find(b"\n", at) + 1
    return size


def _move_clock(clock: Clock, data: bytes) -> None:
    """Show the clock the first and the last header of some bytes."""
    for at in (0, data.rfind(b"\nI", 0, len(data)) + 1):
        header = FULL_HEADER.match(data, at)
        if header is not None and len(header[2]) == 4:
            clock.stamp(int(header[2]), 0)
