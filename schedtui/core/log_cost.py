"""What a scheduler's log costs the scheduler, and which flags cost less (the FAQ's third problem).

Owns the arithmetic from records to a share of one processor core and to words. It reads nothing; levels come with
the records or from the caller. Choosing flags that keep wanted messages is ``verbosity_advice``'s.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.level_legend import UNKNOWN, LevelCounter, SiteCount

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.core.record import Record

LINE_SECONDS = 7e-6
"""What one structured line costs besides its bytes: formatting, the lock, the write to a file. Measured with klog
2.140 built by Go 1.26 on two shared cores (8 to 10 µs for a line of 110 bytes); a pipe to another process costs 3
µs more, a terminal far more."""

BYTE_SECONDS = 1.1e-8
"""What each byte adds: 52 µs for a line of 4 100 bytes, in the same measurement."""

CHEAP_SHARE = 0.02
"""Below this share of a core nobody will notice."""

SLOWING_SHARE = 0.15
"""From this share on throughput suffers: klog writes under one lock, so lines of all goroutines wait in line."""

PRODUCTION_VERBOSITY = 2
"""The least that a lower ``-v`` is advised to: decisions stay visible."""

KEPT_SHARE = 0.3
"""An advised ``-v`` must bring the cost down to this share."""

TOP_SITES = 5
"""Call sites that are named."""

_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class CostlySite:
    """A call site with its share of the whole cost."""

    site: SiteCount
    level: int | None
    """Its V level; None when not known (and for errors and warnings)."""
    share: float
    """Of the whole log's cost, 0 to 1."""


@dataclass(frozen=True, slots=True)
class LogCost:
    """The cost of one log (or of a piece of it)."""

    lines: int
    bytes: int
    seconds: float
    """Time that the log spans on its own clock, at least one second."""
    attempts: int
    """Scheduling attempts in it."""
    cost_seconds: float
    """Processor time that the lines took, by the measured figures."""
    busiest_lines: int
    """Lines of the busiest second."""
    busiest_share: float
    """Share of one core in that second."""
    top: tuple[CostlySite, ...]
    """The most expensive call sites."""
    by_level: dict[int, float]
    """V level → seconds; ``level_legend.UNKNOWN`` for what has no known level."""

    @property
    def lines_per_second(self) -> float:
        """On average."""
        return self.lines / self.seconds

    @property
    def bytes_per_second(self) -> float:
        """On average."""
        return self.bytes / self.seconds

    @property
    def share(self) -> float:
        """Share of one core on average."""
        return self.cost_seconds / self.seconds

    @property
    def attempt_seconds(self) -> float | None:
        """What the log adds to each scheduling attempt; None without attempts."""
        return self.cost_seconds / self.attempts if self.attempts else None

    @property
    def slows(self) -> bool:
        """Whether it costs throughput."""
        return self.busiest_share >= SLOWING_SHARE or self.share >= SLOWING_SHARE

    @property
    def cheaper_verbosity(self) -> int | None:
        """The highest ``-v`` that costs much less; None when none is known to."""
        known = {level: seconds for level, seconds in self.by_level.items() if level != UNKNOWN}
        if not known:
            return None
        unknown = self.by_level.get(UNKNOWN, 0.0)
        for verbosity in range(max(known) - 1, PRODUCTION_VERBOSITY - 1, -1):
            left = unknown + sum(seconds for level, seconds in known.items() if level <= verbosity)
            if left <= KEPT_SHARE * self.cost_seconds:
                return verbosity
        return PRODUCTION_VERBOSITY if max(known) > PRODUCTION_VERBOSITY else None

    def share_left(self, verbosity: int) -> float:
        """Share of the cost that would remain at ``-v`` ``verbosity``."""
        left = sum(seconds for level, seconds in self.by_level.items() if level <= verbosity)
        return left / self.cost_seconds if self.cost_seconds else 0.0

    def found(self) -> str:
        """The measurement in one line."""
        words = (
            f"{self.lines_per_second:,.0f} lines/s, {_bytes(self.bytes_per_second)}/s on average,"
            f" {self.busiest_lines:,}"
            f" lines in the busiest second: {self.share:.1%} of a core, {self.busiest_share:.0%} at worst"
        )
        if self.attempt_seconds is not None:
            words += f"; {self.attempt_seconds * 1e3:.2f} ms for each scheduling attempt"
        if self.top:
            top = self.top[0]
            words += (
                f"; {top.share:.0%} of it is {top.site.message.strip()[:60]!r} ({top.site.file}:{top.site.line}"
            )
            words += f", V{top.level})" if top.level is not None else ")"
        return words

    def advice(self) -> str:
        """Which flags cost less; empty when there is nothing to save."""
        verbosity = self.cheaper_verbosity
        if verbosity is None:
            return ""
        above = [top for top in self.top if top.level is not None and top.level > verbosity]
        text = f"-v {verbosity} would leave {self.share_left(verbosity):.0%} of the cost"
        if above and above[0].level is not None:
            name = above[0].site.file.removesuffix(".go")
            text += f"; to keep the lines of {name}.go alone (text logs): --vmodule={name}={above[0].level}"
        return text


class LogCostCounter:
    """Adds records up; memory grows with call sites and seconds, not with records."""

    def __init__(self, level_of: Callable[[Record], int | None] | None = None) -> None:
        """Start at nothing.

        Args:
            level_of: Tells the level of a record that does not carry one (``LevelReading``).
        """
        self._level_of = level_of
        self._counter = LevelCounter()
        self._cost_by_level: Counter[int] = Counter()
        self._seconds: Counter[int] = Counter()
        self._second_cost: Counter[int] = Counter()
        self._lines = self._bytes = self._attempts = 0
        self._first: int | None = None
        self._last: int | None = None

    def add(self, record: Record) -> None:
        """Count one record."""
        size = record.length or len(record.raw) + 1
        cost = round((LINE_SECONDS + size * BYTE_SECONDS) * 1e9)
        level = record.v
        if level is None and record.severity == "I" and self._level_of is not None:
            level = self._level_of(record)
        self._lines += 1
        self._bytes += size
        self._attempts += record.message == "Attempting to schedule pod"
        self._counter.add(record, level)
        self._cost_by_level[UNKNOWN if level is None else level] += cost
        if record.time_us is not None:
            second = record.time_us // _SECOND_US
            self._seconds[second] += 1
            self._second_cost[second] += cost
            self._first = record.time_us if self._first is None else min(self._first, record.time_us)
            self._last = record.time_us if self._last is None else max(self._last, record.time_us)

    def measure(self) -> LogCost:
        """The cost so far."""
        total = sum(self._cost_by_level.values()) / 1e9
        span = (self._last - self._first) / _SECOND_US if self._first is not None and self._last is not None else 0
        busiest = max(self._second_cost.values(), default=0) / 1e9
        return LogCost(
            lines=self._lines,
            bytes=self._bytes,
            seconds=max(span, 1.0),
            attempts=self._attempts,
            cost_seconds=total,
            busiest_lines=max(self._seconds.values(), default=0),
            busiest_share=busiest,
            top=self._top(total),
            by_level={level: cost / 1e9 for level, cost in sorted(self._cost_by_level.items())},
        )

    def _top(self, total: float) -> tuple[CostlySite, ...]:
        found = [
            CostlySite(
                site,
                None if level == UNKNOWN else level,
                (site.lines * LINE_SECONDS + site.bytes * BYTE_SECONDS) / total if total else 0.0,
            )
            for level, sites in self._counter.sites().items()
            for site in sites
        ]
        return tuple(sorted(found, key=lambda costly: costly.share, reverse=True)[:TOP_SITES])


def _bytes(number: float) -> str:
    for unit, size in (("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f} B"
