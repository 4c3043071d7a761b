"""A report over a large log, folded by several processes at once.

Owns what each process does with its range. The processes and ranges are ``sources.parallel``'s, what is counted
and how parts are joined is ``core.report``'s.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.events import QueueEvent
from schedtui.core.report_parts import ReportPart
from schedtui.sources.parallel import facts_of_range, over_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedtui.core.klog import Clock
    from schedtui.sources.inputs import LogInput


def report_parts(log: LogInput) -> Iterator[ReportPart]:
    """The parts of a report over an input that is worth several processes, in the order of the file."""
    return over_ranges(log, fold_range)


def fold_range(path: str, start: int, end: int, line: int, clock: Clock) -> ReportPart:
    """The part of a report that a range of a file amounts to; runs in a process of its own, as ``read_range``."""
    with Path(path).open("rb") as file:
        facts = facts_of_range(file, start, end, line, clock, dumps=False)
        return ReportPart(fact for some in facts for fact in some if isinstance(fact, QueueEvent))
