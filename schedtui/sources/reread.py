"""Reads a log that is being followed once more, from its beginning: what a story or a count is told from.

Owns the way from the store's readable generations to records, several inputs merged by time. What it reads is what
the store reads: standard input from its spool, archives unpacked, rotated files by their open descriptors. It
follows nothing: the answer is of the moment of asking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.event_scan import teller_filter
from schedtui.core.events import QueueEvent, read_event
from schedtui.core.klog import RecordReader
from schedtui.sources.feed_history import Place, history_of
from schedtui.sources.inputs import merge_by_time
from schedtui.sources.record_feed import clock_of_generation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from schedtui.core.klog import Clock
    from schedtui.core.record import Record
    from schedtui.sources.record_feed import Readable

BLOCK_BYTES = 1 << 20
"""How much is read at a time."""


def reread(
    generations: Sequence[Readable], wanted: Callable[[bytes], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Record]:  # fmt: skip
    """All records of a log so far.

    Args:
        generations: What can be read, as the store tells it.
        wanted: A necessary condition on a record's bytes; used where there is one input, whose neighbours do not
            matter.
        progress: Called with (bytes read, bytes in all) now and then.
    """
    sources = sorted({one.source for one in generations})
    total = sum(one.upto for one in generations)
    done = [0]

    def told(size: int) -> None:
        done[0] += size
        if progress is not None:
            progress(done[0], total)

    alone = len(sources) <= 1
    runs = [
        _records(sorted((one for one in generations if one.source == source), key=lambda one: one.number),
                 wanted if alone else None, told)
        for source in sources
    ]  # fmt: skip
    return merge_by_time(runs) if not alone else (record for run in runs for record in run)


def reread_pods(
    generations: Sequence[Readable], pods: Sequence[str], progress: Callable[[int, int], None] | None = None
) -> Iterator[QueueEvent]:
    """All events of a log so far that move something, and all that is said of some pods.

    A large single file is read by worker processes.

    Args:
        generations: What can be read, as the store tells it.
        pods: ``ns/name`` each.
        progress: Called with (bytes read, bytes in all) now and then.
    """
    wanted = teller_filter(pods)
    if len(generations) != 1:
        for record in reread(generations, wanted, progress):
            event = read_event(record)
            if event is not None:
                yield event
        return
    (generation,) = generations
    clock, place = clock_of_generation(generation), Place(0, 1)
    for facts, place in history_of(generation.file, generation.upto, clock, tuple(pods)):
        yield from (fact for fact in facts if isinstance(fact, QueueEvent))
        if progress is not None:
            progress(place.offset, generation.upto)
    done = [place.offset]

    def told(size: int) -> None:
        done[0] += size
        if progress is not None:
            progress(done[0], generation.upto)

    reader = RecordReader(generation.source, clock, line=place.line, offset=place.offset, wanted=wanted)
    for record in _read_on(generation, reader, place.offset, told):
        event = read_event(record)
        if event is not None:
            yield event


def _records(
    generations: Sequence[Readable], wanted: Callable[[bytes], bool] | None, told: Callable[[int], None]
) -> Iterator[Record]:
    clock: Clock | None = None
    for generation in generations:
        if clock is None:
            clock = clock_of_generation(generation)
        yield from _read_on(generation, RecordReader(generation.source, clock, wanted=wanted), 0, told)


def _read_on(
    generation: Readable, reader: RecordReader, offset: int, told: Callable[[int], None]
) -> Iterator[Record]:
    """A generation's records from a byte offset on."""
    while offset < generation.upto:
        data = generation.file.read(offset, min(BLOCK_BYTES, generation.upto - offset))
        if not data:
            break
        offset += len(data)
        yield from reader.feed(data)
        told(len(data))
    yield from reader.finish()
