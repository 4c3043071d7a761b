"""What the log of the running scheduler costs it, measured while it is written.

Owns the windows in which records are counted and when a warning is due. The arithmetic is ``core.log_cost``'s; it
warns about logs that grow now, not about those that are only read.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from schedtui.core.log_cost import BYTE_SECONDS, LINE_SECONDS, SLOWING_SHARE, LogCostCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedtui.core.log_cost import LogCost
    from schedtui.core.record import Record

WINDOW_SECONDS = 5.0
"""A window of records that are counted together."""

SUSPICIOUS_SHARE = SLOWING_SHARE / 3
"""A batch that costs less of a core than this is not counted in detail."""

QUIET_SECONDS = 120.0
"""After a warning the same is not said again for this long, unless it became much worse."""

WORSE = 2.0
"""Much worse: so many times the share that was warned about."""


class LogCostWatch:
    """Measures one log that grows."""

    def __init__(
        self, warn: Callable[[LogCost], None], level_of: Callable[[Record], int | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        """Create it.

        Args:
            warn: Called on the thread that hands over records.
            level_of: Tells the level of a text record.
            clock: Seconds that go on evenly.
        """
        self._warn = warn
        self._level_of = level_of
        self._clock = clock
        self._lock = threading.Lock()
        self._counter: LogCostCounter | None = None
        self._window_began = 0.0
        self._batch_at = clock()
        self._warned_at = float("-inf")
        self._warned_share = 0.0
        self.measured: LogCost | None = None
        """The last window that was measured in detail."""

    def observe(self, records: Sequence[Record]) -> None:
        """Take a batch."""
        now = self._clock()
        since, self._batch_at = max(now - self._batch_at, 0.05), now
        if self._counter is None:
            estimate = len(records) * LINE_SECONDS + sum(record.length for record in records) * BYTE_SECONDS
            if estimate / since < SUSPICIOUS_SHARE:
                return
            self._counter, self._window_began = LogCostCounter(self._level_of), now
        for record in records:
            self._counter.add(record)
        if now - self._window_began >= WINDOW_SECONDS:
            self._close_window(self._counter, now)

    def _close_window(self, counter: LogCostCounter, now: float) -> None:
        self._counter = None
        cost = counter.measure()
        with self._lock:
            self.measured = cost
        if not cost.slows:
            return
        worst = max(cost.share, cost.busiest_share)
        if now - self._warned_at >= QUIET_SECONDS or worst >= WORSE * self._warned_share:
            self._warned_at, self._warned_share = now, worst
            self._warn(cost)


def cost_lines(cost: LogCost) -> tuple[str, ...]:
    """Which messages cost most, and what to use instead."""
    lines = [cost.found()]
    for top in cost.top:
        level = f"V{top.level}" if top.level is not None else "no V"
        lines.append(
            f"  {top.share:>4.0%}  {top.site.lines:>8} lines  {level:<5} {top.site.file}:{top.site.line}"
            f" {top.site.message.strip()[:70]}"
        )
    advice = cost.advice()
    lines.append(f"Instead: {advice}. V changes it while the scheduler runs." if advice else "V lowers it.")
    return tuple(lines)
