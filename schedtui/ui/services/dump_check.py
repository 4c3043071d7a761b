"""Waits for a dump of the scheduler's queues in the log and tells how it compares with the model.

Owns the words of the result; the comparison is ``core.queue_check``'s. Dumps never feed the model.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.ui.messages import QueueChecked

if TYPE_CHECKING:
    import threading

    from schedtui.core.queue_check import DumpCheck, Misplaced
    from schedtui.toolchain.scheduler_endpoint import SchedulerEndpoint
    from schedtui.ui.services.queue_watch import QueueWatch

WAIT_SECONDS = 6.0
"""How long a dump is waited for."""

SETTLE_SECONDS = 0.5
"""How long the lines after a dump are waited for: those of pods in motion come within milliseconds."""


def await_dump(
    queue: QueueWatch, asked_at: float, endpoint: SchedulerEndpoint | None, stop: threading.Event
) -> QueueChecked:
    """The comparison with the first dump after ``asked_at`` (monotonic clock)."""
    deadline = asked_at + WAIT_SECONDS
    while not stop.wait(0.1) and time.monotonic() < deadline:
        seen = queue.dump_seen_at
        if seen is not None and seen >= asked_at and time.monotonic() - seen >= SETTLE_SECONDS:
            return describe(queue.check()[-1], _metrics(endpoint))
    return QueueChecked(False, f"No dump came within {WAIT_SECONDS:g} s: is the scheduler running?")


def describe(check: DumpCheck, metrics: str) -> QueueChecked:
    """A comparison in words."""
    lines = [
        f"{_difference(item)}{note}"
        for items, note in (
            (check.missing, ""),
            (check.extra, ""),
            (check.misplaced, ""),
            (check.race, "  (in motion within 5 ms of the dump)"),
            (check.uncertain, "  (the model was not certain)"),
        )
        for item in items
    ]
    counts = " ".join(f"{name} {count}" for name, count in check.dump.items())
    if check.equal:
        return QueueChecked(True, f"model = scheduler: {check.rows} pods, {counts}{metrics}")
    return QueueChecked(False, f"model \u2260 scheduler: {lines[0]}{metrics}", tuple(lines))


def _difference(item: Misplaced) -> str:
    return f"{item.pod}: scheduler {item.dump or 'has it not'}, model {item.model or 'has it not'}"


def _metrics(endpoint: SchedulerEndpoint | None) -> str:
    """The scheduler's own counters, when they can be had."""
    if endpoint is None:
        return ""
    try:
        counts = endpoint.pending_pods()
    except SchedtuiError:
        return ""
    return "; /metrics: " + " ".join(f"{name} {count}" for name, count in sorted(counts.items())) if counts else ""
