"""Steps that the transitions share: whose row an event is about, and which states belong together.

Owns no transition. ``core.queue_effects`` names the modules that do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_pod import PodEntry
    from schedtui.core.queue_process import SchedulerProcess
    from schedtui.core.queue_state import PodState

OUT_OF_ORDER_US = 5_000
"""Lines of different threads may stand this far out of order: bound before added and popped is one pod, bound."""

FAILURE_EVENT = "ScheduleAttemptFailure"
"""The event of the move that ends a failed attempt."""

POOL: frozenset[PodState] = frozenset({"unschedulable", "gated"})
"""States inside the unschedulable pool."""

QUEUED: frozenset[PodState] = frozenset({"active", "backoff", "unschedulable", "gated", "unknown"})
"""States in which a pod waits for an attempt."""

CYCLE: frozenset[PodState] = frozenset({"in_flight", "waiting", "binding"})
"""States between the pop and the end of the binding."""


def touch(process: SchedulerProcess, event: QueueEvent) -> PodEntry | None:
    """The row that the event is about, marked as heard of; None when the event names none."""
    if event.pod is None:
        return None
    entry = process.own(event.pod, event.kind)
    entry.last_us = process.now_us
    entry.last_line = event.line
    if event.other is not None and not event.effect.startswith("preempt"):
        # Where groups are entities, a root's own lines name it, and others only one of its parts.
        entry.group = event.other if not process.group_entities else entry.group or event.other
    return entry


def just_bound(process: SchedulerProcess, entry: PodEntry) -> bool:
    """Whether an earlier step of a pod that is bound already is only being told late."""
    return entry.state == "bound" and process.now_us - entry.proof_us <= OUT_OF_ORDER_US


def count_attempt(entry: PodEntry) -> None:
    """Count the attempt under way, once."""
    if not entry.counted:
        entry.counted = True
        entry.attempts += 1
