"""Moves between the queues: what a move line, a gate line or a refusal proves.

Owns the transitions that name a queue themselves, and what they show about the verbosity.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.informer_effects import add_pod
from schedtui.core.queue_steps import CYCLE, FAILURE_EVENT, OUT_OF_ORDER_US, count_attempt, just_bound, touch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_pod import PodEntry
    from schedtui.core.queue_process import SchedulerProcess
    from schedtui.core.queue_state import PodState

    Transition = Callable[[SchedulerProcess, QueueEvent], None]


def _moved(process: SchedulerProcess, event: QueueEvent) -> None:
    if event.pod is None:
        return
    failure = event.event == FAILURE_EVENT
    _see_move(process, event, failure=failure)
    before = process.find(event.pod, event.kind)
    if before is not None and (just_bound(process, before) or _told_late(process, before, event)):
        touch(process, event)
        return
    entry = touch(process, event)
    if entry is None:
        return
    if entry.state == "gone" or (entry.state == "bound" and event.queue == "active"):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line
    if entry.added_us is None and (event.event or "").endswith("PodAdd"):
        entry.added_us = process.now_us
        entry.attempts_known = True
    entry.reason = event.event
    entry.hint = event.hint
    entry.place = None
    if failure:
        if entry.state in CYCLE or entry.state == "unknown":
            count_attempt(entry)
        entry.failed_us = process.now_us
        entry.plugins = event.plugins or entry.plugins
    state: PodState = event.queue or "unknown"
    if event.effect == "gated" or (state == "unschedulable" and not failure):
        state = "gated"
    process.put(entry, state, proven=event.queue is not None)
    if event.kind == "podgroup":
        process.entities_seen = True
        move_members(process, entry, state)


def _see_move(process: SchedulerProcess, event: QueueEvent, *, failure: bool) -> None:
    """Note which class of move lines is being printed."""
    sight, now = process.sight, process.now_us
    if failure and (process.traits.logs_requeue_at_3 or not process.traits.source_read):
        if event.plugins or not process.traits.source_read:
            process.requeue_line_seen = True
            sight.seen("requeues", now)
    elif failure:
        sight.seen("moves", now)
    elif event.hint is not None:
        # Moves by events that print a hint are V4 lines; where they are V5 lines they print none.
        sight.seen("event_moves", now)
    elif not failure:
        sight.seen("moves", now)


def _told_late(process: SchedulerProcess, entry: PodEntry, event: QueueEvent) -> bool:
    """Whether the pod was popped between a move and this second line about the same move."""
    if entry.state != "in_flight" or entry.failed or process.now_us - entry.popped_us > OUT_OF_ORDER_US:
        return False
    if event.event == FAILURE_EVENT:
        return event.hint is not None and 0 <= entry.popped_us - entry.failed_us <= OUT_OF_ORDER_US
    return "is updated" in event.message


def move_members(process: SchedulerProcess, group: PodEntry, state: PodState) -> None:
    """Members go where their group's entity goes (1.37)."""
    for key, member in list(process.entries.items()):
        if member.group == group.pod and member.kind == "pod" and member.state not in ("bound", "gone", "binding"):
            own = process.own(member.pod) if key == member.pod else member
            own.place = None
            own.reason, own.hint = group.reason, group.hint
            process.put(own, state, proven=True)


def _gate(process: SchedulerProcess, event: QueueEvent) -> None:
    if process.traits.source_read and not process.traits.gates_logged_always:
        process.sight.seen("gates", process.now_us)
    entry = touch(process, event)
    if entry is None:
        return
    entry.plugins = event.plugins
    process.put(entry, "gated", proven=True)
    entry.reason = entry.reason or "PreEnqueue"


def _discard(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is not None:
        process.put(entry, "gone", proven=False)


def _still_backoff(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is not None:
        process.put(entry, "backoff", proven=True)


def _to_pool(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is not None:
        process.put(entry, "unschedulable", proven=True)


def _queued(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    if before is not None and (just_bound(process, before) or before.state in CYCLE):
        entry = touch(process, event)
        if entry is not None:
            entry.added_us = process.now_us
        return
    add_pod(process, event)
    entry = touch(process, event)
    if entry is not None and event.queue is not None:
        process.put(entry, event.queue, proven=True)


MOVE_EFFECTS: Mapping[str, Transition] = MappingProxyType({
    "moved": _moved,
    "gated": _moved,
    "gate": _gate,
    "discard": _discard,
    "still_backoff": _still_backoff,
    "to_pool": _to_pool,
    "queued": _queued,
})  # fmt: skip
"""Effect → transition."""
