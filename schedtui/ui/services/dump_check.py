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
    from collections.abc import Mapping

    from schedtui.core.queue_check import DumpCheck, Misplaced
    from schedtui.toolchain.scheduler_endpoint import SchedulerEndpoint
    from schedtui.ui.services.queue_watch import QueueWatch

WAIT_SECONDS = 6.0
"""How long a dump is waited for."""

GATED_NOTE = "a dump has gated pods among the unschedulable, /metrics counts them apart"
"""Why the two numbers differ; said where there are gated pods."""

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


def describe(check: DumpCheck, metrics: Mapping[str, int]) -> QueueChecked:
    """A comparison in words, the queues one under the other."""
    lines = [
        f"{_difference(item)}{note}"
        for items, note in (
            (check.missing, ""),
            (check.extra, ""),
            (check.misplaced, ""),
            (check.race, "  (race: a line of its own within 5 ms of the dump)"),
            (check.uncertain, "  (the model was not certain)"),
        )
        for item in items
    ]
    table = _table(check, metrics)
    counted = " ".join(f"{name} {count}" for name, count in sorted(metrics.items()))
    # The dump's own number beside it is another one, and both are right.
    apart = f" ({GATED_NOTE})" if metrics.get("gated") else ""
    beside = f"; /metrics: {counted}{apart}" if counted else ""
    if check.equal and not lines:
        counts = " ".join(f"{name} {count}" for name, count in check.dump.items())
        return QueueChecked(True, f"model = scheduler: {check.rows} pods, {counts}{beside}")
    if check.equal:
        why = f"{len(check.race)} in motion, {len(check.uncertain)} not certain"
        summary = f"model = scheduler but for {why}: {check.rows} pods{beside}"
        return QueueChecked(True, summary, (*lines, "", *table))
    return QueueChecked(False, f"model \u2260 scheduler: {lines[0]}", (*lines, "", *table))


def _table(check: DumpCheck, metrics: Mapping[str, int]) -> list[str]:
    """Queue by queue: the dump's pods, the model's, and what the scheduler counts."""
    heading = f"{'':<14} {'dump':>6} {'model':>6}" + (f" {'/metrics':>9}" if metrics else "")
    rows = [heading]
    for name in dict.fromkeys((*check.dump, *check.model)):
        row = f"{name:<14} {check.dump.get(name, 0):>6} {check.model.get(name, 0):>6}"
        if metrics:
            counted = metrics.get(name)
            if name == "unschedulable" and counted is not None:
                # A dump has gated pods in the unschedulable pool; the metric counts them apart.
                counted += metrics.get("gated", 0)
            row += f" {'' if counted is None else counted:>9}"
        rows.append(row)
    if metrics.get("gated"):
        rows.append(f"unschedulable: {metrics['gated']} gated among them; {GATED_NOTE}")
    return rows


def _difference(item: Misplaced) -> str:
    return f"{item.pod}: scheduler {item.dump or 'has it not'}, model {item.model or 'has it not'}"


def _metrics(endpoint: SchedulerEndpoint | None) -> Mapping[str, int]:
    """The scheduler's own counters, when they can be had."""
    if endpoint is None:
        return {}
    try:
        return endpoint.pending_pods()
    except SchedtuiError:
        return {}
