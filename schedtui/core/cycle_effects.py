"""The scheduling cycle: attempts, failures, and what the loop's going on proves.

Owns the transitions from a pop to the end of the cycle. Binding is ``core.binding_effects``'.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.queue_inference import PLUGIN_INTERESTS
from schedtui.core.queue_steps import CYCLE, FAILURE_EVENT, POOL, QUEUED, count_attempt, just_bound, touch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_pod import PodEntry
    from schedtui.core.queue_process import SchedulerProcess
    from schedtui.core.queue_state import PodState

    Transition = Callable[[SchedulerProcess, QueueEvent], None]

TIMESTAMP_SLOP_US = 50_000
"""A pod's backoff counts from a moment that lies at most this long before the line that tells of its failure."""

_MEMBER_ATTEMPT = "Attempting to schedule a pod belonging to a pod group"
"""The attempt of one member within its group's cycle."""

_REFUSED = re.compile(r"Pod (\S+) is already present in (?:the )?(\w+) queue")
"""What AddUnschedulableIfNotPresent says when the pod is in a queue already."""


def _popped(process: SchedulerProcess, event: QueueEvent) -> None:
    if event.pod is None:
        return
    sight, now = process.sight, process.now_us
    before = process.find(event.pod)
    if before is not None and just_bound(process, before):
        touch(process, event)
        return
    same_cycle = (
        before is not None and before.state == "in_flight" and not before.failed and process.loop.pod == event.pod
    )
    if event.message.startswith(_MEMBER_ATTEMPT):
        # Popped with its group before; the members in front of it are still in flight.
        process.group_cycle = event.other or process.group_cycle
    elif not same_cycle:
        process.group_cycle = None
        _judge_sight_at_pop(process, before)
        close_cycle(process)
        _judge_order(process, before)
    sight.seen("attempts", now)
    if event.effect == "about":
        sight.seen_level(4, now)
    entry = touch(process, event)
    if entry is None or same_cycle:
        return
    if entry.state in ("gone", "bound"):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = now, event.line
    entry.counted = False
    count_attempt(entry)
    entry.popped_us = now
    entry.recreated = False
    process.put(entry, "in_flight", proven=True)
    process.loop.popped(event.pod)


def _judge_sight_at_pop(process: SchedulerProcess, entry: PodEntry | None) -> None:
    """A pop shows which lines should have come before it and did not."""
    sight = process.sight
    if entry is None or entry.state == "gone":
        if process.facts.started or entry is not None:
            process.miss_add()
        return
    if entry.failed:
        _miss_requeue(process)
    elif (entry.state in POOL and entry.proven) or entry.gate_open:
        sight.missed("moves", 3)


def _judge_order(process: SchedulerProcess, entry: PodEntry | None) -> None:
    """A pod that is taken before its backoff is over came straight from backoffQ (since 1.33)."""
    if entry is None or not process.pops_from_backoff or entry.errors or entry.state not in QUEUED:
        return
    if not entry.plugins or not all(plugin in PLUGIN_INTERESTS for plugin in entry.plugins):
        # Some plugin may ask for its pods to be put into activeQ at once.
        return
    if process.movers.get("preempt", -1) > entry.failed_us:
        return
    ends = process.backoff.ends_us(entry, early_us=TIMESTAMP_SLOP_US)
    if ends is not None and process.now_us < ends:
        process.pop_order.took(process.now_us, ends)


def _miss_requeue(process: SchedulerProcess) -> None:
    """A failed pod was not seen going anywhere: the line is hidden."""
    process.requeue_line_seen = False
    process.sight.missed("requeues" if process.traits.logs_requeue_at_3 else "moves", 2)


def close_cycle(process: SchedulerProcess) -> None:
    """The loop goes on: the cycle that it was in has ended, with or without a line."""
    before = process.find(process.loop.pod)
    if before is None or before.state != "in_flight":
        return
    entry = process.own(before.pod)
    if entry.failed:
        _miss_requeue(process)
        process.put(entry, _queue_after_failure(entry), proven=False)
    elif entry.deleted:
        process.put(entry, "gone", proven=False)
    else:
        process.put(entry, "binding", proven=False)


def _queue_after_failure(entry: PodEntry) -> PodState:
    """Where a failed pod most likely went when no line tells: errors wait out a backoff, rejections an event."""
    return "backoff" if entry.errors else "unschedulable"


def _skip(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is not None:
        process.put(entry, "gone", proven=True)
        process.loop.ended(event.pod)


def _failed(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    if before is not None and before.recreated and before.state in QUEUED:
        # The earlier pod of this name, still in flight, failed.
        touch(process, event)
        return
    if before is None or before.state not in CYCLE:
        process.sight.missed("attempts", 2)
        if process.facts.started if before is None else before.state in ("gone", "bound"):
            process.miss_add()
    entry = touch(process, event)
    if entry is None:
        return
    if entry.state in ("gone", "bound"):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line
    if entry.state not in CYCLE:
        entry.counted = False
    if entry.state in ("waiting", "binding"):
        process.movers["forget"] = process.now_us
    count_attempt(entry)
    entry.failed_us = process.now_us
    entry.error_text = event.text
    if event.effect in ("no_fit", "group_no_fit"):
        entry.rejections += 1
        entry.errors = 0
    else:
        entry.errors += 1
        entry.plugins = ()
    if process.requeues_visible:
        process.put(entry, "in_flight", proven=True)
        entry.failed = True
    else:
        process.put(entry, _queue_after_failure(entry), proven=False)
        entry.reason = FAILURE_EVENT


def _vanished(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    entry = touch(process, event)
    if entry is None:
        return
    if before is not None and before.recreated:
        entry.recreated = False
        return
    if entry.added_us is None and not entry.deleted:
        process.put(entry, "unknown", proven=False)
        entry.since_us = process.now_us
    else:
        process.put(entry, "gone", proven=True)


def _assigned(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is not None:
        entry.node = event.node or entry.node
        process.put(entry, "bound", proven=True)


def _recreated(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is None:
        return
    if entry.recreated:
        entry.recreated = False
    elif entry.state in CYCLE:
        fresh = process.restart_entry(entry)
        fresh.last_us, fresh.last_line = process.now_us, event.line
        process.put(fresh, "unknown", proven=False)


def _refused(process: SchedulerProcess, event: QueueEvent) -> None:
    """Requeueing was refused: the pod is in a queue already."""
    found = _REFUSED.search(event.text)
    if found is None:
        return
    entry = process.own(found[1])
    entry.recreated = False
    entry.last_us, entry.last_line = process.now_us, event.line
    state: PodState = {"unschedulable": "unschedulable", "active": "active"}.get(found[2], "backoff")  # type: ignore[assignment]
    process.put(entry, state, proven=True)


def _condition(process: SchedulerProcess, event: QueueEvent) -> None:
    """The status patch after a failure: it keeps the cycle busy, and its echo is the pod's next update event."""
    process.sight.seen_level(3, process.now_us)
    entry = touch(process, event)
    if entry is None:
        return
    nominated_before = entry.nominated_node
    if "nominated" in event.message:
        entry.nominated_node = event.node
    if event.event is None:
        return
    unchanged = entry.patched_text is not None and entry.patched_text == entry.error_text
    if unchanged and entry.nominated_node == nominated_before:
        process.loop.ended(event.pod)
        return
    entry.patch_expected = True
    entry.pending_text = entry.error_text
    if not process.traits.logs_unscheduled_updates or not process.sight.covers("updates", process.now_us):
        entry.patched_text = entry.error_text
    process.loop.patch(event.pod, process.now_us)


def _patch_failed(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is not None:
        entry.patched_text = None
        entry.patch_expected = False
    process.loop.ended(event.pod)


CYCLE_EFFECTS: Mapping[str, Transition] = MappingProxyType({
    "about": _popped,
    "attempt": _popped,
    "skip": _skip,
    "no_fit": _failed,
    "group_no_fit": _failed,
    "no_nodes": _failed,
    "cycle_error": _failed,
    "vanished": _vanished,
    "assigned": _assigned,
    "recreated": _recreated,
    "refused": _refused,
    "condition": _condition,
    "patch_failed": _patch_failed,
})  # fmt: skip
"""Effect → transition."""
