"""A report over a large log, folded by several processes at once.

Owns what each process does with its range. The processes and ranges are ``sources.parallel``'s, what is counted
and how parts are joined is ``core.report``'s.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.event_reader import EventReader
from schedtui.core.events import QueueEvent
from schedtui.core.report_parts import ReportPart
from schedtui.sources.parallel import over_ranges, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedtui.core.klog import Clock
    from schedtui.sources.inputs import LogInput


def report_parts(log: LogInput) -> Iterator[ReportPart]:
    """The parts of a report over an input that is worth several processes, in the order of the file."""
    return over_ranges(log, fold_range)


def fold_range(path: str, start: int, end: int, line: int, clock: Clock) -> ReportPart:
    """The part of a report that a range of a file amounts to; runs in a process of its own.

    Args:
        path: The file.
        start: Byte offset of the range's first record.
        end: Byte offset behind its last one.
        line: 1-based line of its first record.
        clock: Knows the year at the range's beginning.
    """
    # Nothing that is made here refers to itself: looking for such things costs a fifth of the time.
    gc.disable()
    with Path(path).open("rb") as file:
        return ReportPart(_events(EventReader(clock, line), pieces_of(file, start, end)))


def _events(reader: EventReader, pieces: Iterator[bytes]) -> Iterator[QueueEvent]:
    for piece in pieces:
        yield from (fact for fact in reader.facts(piece) if isinstance(fact, QueueEvent))
    yield from (fact for fact in reader.last_facts() if isinstance(fact, QueueEvent))
