"""What each V level means and what of it one log really holds.

Owns counting records by level and call site, and the legend made of it. Colour and layout are the reader's;
finding a record's level is ``level_reading``'s.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.core.call_sites import CallSites
    from schedtui.core.record import Record

UNKNOWN = -1
"""The level of information records whose level cannot be told."""

MEANINGS: dict[int, str] = {
    UNKNOWN: "level not known; stays visible at every filter",
    0: "always printed: errors, warnings, starts and stops",
    1: "configuration: flags, plugins, one-time notices",
    2: "decisions: pod bound, pod does not fit, caches filled",
    3: "what happened to a pod: added, attempted, bound, requeued, deleted",
    4: "updates of pods and nodes, permit and preemption steps",
    5: "queue moves and plugin results, node by node",
    6: "hints, caches and internal structures; requests with their URL",
    7: "request headers",
    8: "request and response bodies, cut short",
    9: "request and response with timing, as a curl command",
    10: "scores of every plugin for every node; bodies in full",
}
"""The custom in kube-scheduler, a rule of thumb: what a level holds differs between releases (queue moves are V5
in 1.36, V4 or V5 in 1.29), so the counts of the log at hand stand beside it."""

TOP_MESSAGES = 3
"""So many of a level's most frequent messages are named."""


@dataclass(frozen=True, slots=True)
class SiteCount:
    """How often one call site logged."""

    file: str
    line: int
    message: str
    """The message of its first record."""
    lines: int
    bytes: int
    """Bytes of its records in the log."""


@dataclass(frozen=True, slots=True)
class LevelSummary:
    """One step of the legend."""

    level: int
    """The V level, or ``UNKNOWN``."""
    meaning: str
    calls: int
    """Log calls of the source at that level; 0 without a source."""
    lines: int
    """Records of the log at that level."""
    bytes: int
    """Bytes of these records."""
    top: tuple[SiteCount, ...]
    """The call sites that log most at that level."""


class LevelCounter:
    """Counts records by level and call site; memory grows with call sites, not with records."""

    def __init__(self) -> None:
        self._lines: Counter[tuple[int, str, int]] = Counter()
        self._bytes: Counter[tuple[int, str, int]] = Counter()
        self._messages: dict[tuple[str, int], str] = {}

    def add(self, record: Record, level: int | None) -> None:
        """Count one information record.

        Args:
            record: The record.
            level: Its level; None when it is not known or a range.
        """
        place = (record.file or "", record.src_line or 0)
        key = (UNKNOWN if level is None else level, *place)
        self._lines[key] += 1
        self._bytes[key] += record.length or len(record.raw) + 1
        self._messages.setdefault(place, record.message)

    def add_site(self, file: str, line: int, message: str, level: int | None, lines: int, size: int) -> None:
        """Count all records of one call site, counted elsewhere; ``size`` are their bytes."""
        key = (UNKNOWN if level is None else level, file, line)
        self._lines[key] += lines
        self._bytes[key] += size
        self._messages.setdefault((file, line), message)

    def sites(self) -> dict[int, list[SiteCount]]:
        """Level → its call sites, the busiest first."""
        found: dict[int, list[SiteCount]] = defaultdict(list)
        for (level, file, line), lines in self._lines.most_common():
            message = self._messages[file, line]
            found[level].append(SiteCount(file, line, message, lines, self._bytes[level, file, line]))
        return found


def legend(counter: LevelCounter, index: CallSites | None = None) -> list[LevelSummary]:
    """The levels that the log or the source holds, lowest first, unknown ones last."""
    calls: Counter[int] = Counter()
    for site in index.sites if index is not None else ():
        levels = site.levels(None)
        if site.severity == "I" and not site.why and len(levels) == 1:
            calls[min(levels)] += 1
    sites = counter.sites()
    order = sorted({*calls, *sites} - {UNKNOWN}) + ([UNKNOWN] if UNKNOWN in sites else [])
    return [
        LevelSummary(
            level=level,
            meaning=MEANINGS.get(level, "rare detail"),
            calls=calls[level],
            lines=sum(site.lines for site in sites.get(level, ())),
            bytes=sum(site.bytes for site in sites.get(level, ())),
            top=tuple(sites.get(level, ())[:TOP_MESSAGES]),
        )
        for level in order
    ]
