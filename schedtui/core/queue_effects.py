"""The transitions: what each kind of scheduler event does to the pods of one process.

Owns the table effect → transition and the transitions themselves, as far as a line's own words go. What happens
without a line is not decided here: rows are left as they were last proven and ``core.queue_inference`` judges them
when somebody asks.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.queue_inference import PLUGIN_INTERESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_pod import PodEntry
    from schedtui.core.queue_process import SchedulerProcess
    from schedtui.core.queue_state import PodState

OUT_OF_ORDER_US = 5_000
"""Lines of different threads may stand this far out of order: bound before added and popped is one pod, bound."""

RECENT_ADD_US = 1_000_000
"""1.29 has two informer listeners: the old pod's delete event may come this long after the new pod's add event."""

TIMESTAMP_SLOP_US = 50_000
"""A pod's backoff counts from a moment that lies at most this long before the line that tells of its failure."""

FAILURE_EVENT = "ScheduleAttemptFailure"
"""The event of the move that ends a failed attempt."""

_POOL: frozenset[PodState] = frozenset({"unschedulable", "gated"})
_QUEUED: frozenset[PodState] = frozenset({"active", "backoff", "unschedulable", "gated", "unknown"})
_CYCLE: frozenset[PodState] = frozenset({"in_flight", "waiting", "binding"})

_REFUSED = re.compile(r"Pod (\S+) is already present in (?:the )?(\w+) queue")
"""What AddUnschedulableIfNotPresent says when the pod is in a queue already."""

_BACKOFF_SECONDS = re.compile(r"pod(Initial|Max)BackoffSeconds:\s*(\d+)")
"""Backoff times in the configuration that the scheduler prints at V2."""


def apply_effect(process: SchedulerProcess, event: QueueEvent) -> None:
    """Apply one event to a process; effects that move nothing are ignored."""
    transition = TRANSITIONS.get(event.effect)
    if transition is not None:
        transition(process, event)


def _touch(process: SchedulerProcess, event: QueueEvent) -> PodEntry | None:
    """The row that the event is about, marked as heard of; None when the event names none."""
    if event.pod is None:
        return None
    entry = process.own(event.pod, event.kind)
    entry.last_us = process.now_us
    entry.last_line = event.line
    return entry


def _just_bound(process: SchedulerProcess, entry: PodEntry) -> bool:
    """Whether an earlier step of a pod that is bound already is only being told late."""
    return entry.state == "bound" and process.now_us - entry.proof_us <= OUT_OF_ORDER_US


# Informer events


def _add(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("informer", process.now_us)
    if process.added:
        # One goroutine adds pods: it has done with the one before.
        process.judge_add()
    before = process.find(event.pod)
    known = before is not None
    late = before is not None and _just_bound(process, before)
    entry = _touch(process, event)
    if entry is None:
        return
    if late:
        entry.added_us = process.now_us
        return
    if known and entry.state == "unknown" and entry.attempts:
        # It failed before its creation was seen, and the scheduler could not find it: its queue stays unknown.
        entry.added_us = process.now_us
        return
    if (known and entry.state in ("bound", "gone")) or entry.deleted:
        in_flight = entry.state in _CYCLE
        entry = process.restart_entry(entry)
        entry.recreated = in_flight
        entry.last_us, entry.last_line = process.now_us, event.line
    elif known and entry.added_us is None and entry.state in _CYCLE:
        entry.added_us = process.now_us
        return
    entry.added_us = process.now_us
    entry.attempts_known = not entry.attempts
    entry.reason = None
    process.put(entry, "active", proven=False)
    entry.gate_open = True
    if event.kind == "pod":
        process.added, process.added_at_us = entry.pod, process.now_us


def _update(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("updates", process.now_us)
    entry = _touch(process, event)
    if entry is None:
        return
    process.loop.echoed(event.pod)
    if entry.nominated_node:
        process.movers["forget"] = process.now_us
    if entry.patch_expected:
        entry.patch_expected = False
        entry.patched_text = entry.pending_text
    elif entry.state in _POOL:
        entry.updated = True
    if entry.state in ("gone", "bound") and not _just_bound(process, entry):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line


def _delete(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("informer", process.now_us)
    entry = _touch(process, event)
    process.loop.not_echoed(event.pod)
    if entry is None or entry.state == "bound":
        return
    if entry.nominated_node or entry.state in _CYCLE:
        # The room that it was promised or held is free again: others may move.
        process.movers["forget"] = process.now_us
    if entry.state in _CYCLE:
        entry.deleted = True
    else:
        process.put(entry, "gone", proven=True)


def _add_scheduled(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("informer", process.now_us)
    process.movers["scheduled_add"] = process.now_us
    entry = _touch(process, event)
    if entry is not None:
        if entry.state in ("gone",) and entry.counted_node and not entry.deleted:
            entry = process.restart_entry(entry)
            entry.last_us, entry.last_line = process.now_us, event.line
        process.loop.ended(event.pod)
        process.put(entry, "bound", proven=True)


def _update_scheduled(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("updates", process.now_us)
    process.movers["scheduled_update"] = process.now_us
    entry = _touch(process, event)
    if entry is not None and entry.state == "unknown":
        process.put(entry, "bound", proven=True)


def _delete_scheduled(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("informer", process.now_us)
    process.movers["scheduled_delete"] = process.now_us
    entry = _touch(process, event)
    if entry is None:
        return
    newer = entry.added_us is not None and process.now_us - entry.added_us <= RECENT_ADD_US
    if entry.state in _QUEUED and entry.state != "unknown" and newer:
        return
    process.put(entry, "gone", proven=True)


def _node(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("updates" if event.effect == "node_update" else "informer", process.now_us)
    process.movers[event.effect] = process.now_us


# Moves between the queues


def _moved(process: SchedulerProcess, event: QueueEvent) -> None:
    if event.pod is None:
        return
    failure = event.event == FAILURE_EVENT
    _see_move(process, event, failure=failure)
    before = process.find(event.pod, event.kind)
    if before is not None and (_just_bound(process, before) or _told_late(process, before, event)):
        _touch(process, event)
        return
    entry = _touch(process, event)
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
        if entry.state in _CYCLE or entry.state == "unknown":
            _count_attempt(entry)
        entry.failed_us = process.now_us
        entry.plugins = event.plugins or entry.plugins
    state: PodState = event.queue or "unknown"
    if event.effect == "gated" or (state == "unschedulable" and not failure):
        state = "gated"
    process.put(entry, state, proven=event.queue is not None)
    if event.kind == "podgroup":
        _move_members(process, entry, state)


def _see_move(process: SchedulerProcess, event: QueueEvent, *, failure: bool) -> None:
    """Note which class of move lines is being printed."""
    sight, now = process.sight, process.now_us
    if failure and (process.traits.logs_requeue_at_3 or not process.traits.source_read):
        if event.plugins or not process.traits.source_read:
            process.requeue_line_seen = True
            sight.seen("requeues", now)
    elif failure:
        sight.seen("moves", now)
    elif event.hint is not None and process.traits.logs_event_moves_at_4:
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


def _move_members(process: SchedulerProcess, group: PodEntry, state: PodState) -> None:
    """Members go where their group's entity goes (1.37)."""
    for key, member in list(process.entries.items()):
        if member.group == group.pod and member.kind == "pod" and member.state not in ("bound", "gone", "binding"):
            own = process.own(member.pod) if key == member.pod else member
            own.place = None
            process.put(own, state, proven=True)


def _gate(process: SchedulerProcess, event: QueueEvent) -> None:
    if process.traits.source_read and not process.traits.gates_logged_always:
        process.sight.seen("gates", process.now_us)
    entry = _touch(process, event)
    if entry is None:
        return
    entry.plugins = event.plugins
    process.put(entry, "gated", proven=True)
    entry.reason = entry.reason or "PreEnqueue"


def _discard(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = _touch(process, event)
    if entry is not None:
        process.put(entry, "gone", proven=False)


def _still_backoff(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = _touch(process, event)
    if entry is not None:
        process.put(entry, "backoff", proven=True)


def _to_pool(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = _touch(process, event)
    if entry is not None:
        process.put(entry, "unschedulable", proven=True)


def _queued(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    if before is not None and (_just_bound(process, before) or before.state in _CYCLE):
        entry = _touch(process, event)
        if entry is not None:
            entry.added_us = process.now_us
        return
    _add(process, event)
    entry = _touch(process, event)
    if entry is not None and event.queue is not None:
        process.put(entry, event.queue, proven=True)


# The scheduling cycle


def _popped(process: SchedulerProcess, event: QueueEvent) -> None:
    if event.pod is None:
        return
    sight, now = process.sight, process.now_us
    before = process.find(event.pod)
    if before is not None and _just_bound(process, before):
        _touch(process, event)
        return
    same_cycle = (
        before is not None and before.state == "in_flight" and not before.failed and process.loop.pod == event.pod
    )
    if not same_cycle:
        _judge_sight_at_pop(process, before)
        _close_cycle(process)
        _judge_order(process, before)
    sight.seen("attempts", now)
    if event.effect == "about":
        sight.seen_level(4, now)
    entry = _touch(process, event)
    if entry is None or same_cycle:
        return
    if entry.state in ("gone", "bound"):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = now, event.line
    entry.counted = False
    _count_attempt(entry)
    entry.popped_us = now
    entry.recreated = False
    process.put(entry, "in_flight", proven=True)
    process.loop.popped(event.pod)


def _count_attempt(entry: PodEntry) -> None:
    if not entry.counted:
        entry.counted = True
        entry.attempts += 1


def _judge_sight_at_pop(process: SchedulerProcess, entry: PodEntry | None) -> None:
    """A pop shows which lines should have come before it and did not."""
    sight = process.sight
    if entry is None or entry.state == "gone":
        if process.facts.started or entry is not None:
            process.miss_add()
        return
    if entry.failed:
        _miss_requeue(process)
    elif (entry.state in _POOL and entry.proven) or entry.gate_open:
        sight.missed("moves", 3)


def _judge_order(process: SchedulerProcess, entry: PodEntry | None) -> None:
    """A pod that is taken before its backoff is over came straight from backoffQ (since 1.33)."""
    if entry is None or not process.pops_from_backoff or entry.errors or entry.state not in _QUEUED:
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


def _close_cycle(process: SchedulerProcess) -> None:
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
    entry = _touch(process, event)
    if entry is not None:
        process.put(entry, "gone", proven=True)
        process.loop.ended(event.pod)


def _failed(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    if before is not None and before.recreated and before.state in _QUEUED:
        # The earlier pod of this name, still in flight, failed.
        _touch(process, event)
        return
    if before is None or before.state not in _CYCLE:
        process.sight.missed("attempts", 2)
        if process.facts.started if before is None else before.state in ("gone", "bound"):
            process.miss_add()
    entry = _touch(process, event)
    if entry is None:
        return
    if entry.state in ("gone", "bound"):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line
    if entry.state not in _CYCLE:
        entry.counted = False
    if entry.state in ("waiting", "binding"):
        process.movers["forget"] = process.now_us
    _count_attempt(entry)
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
    entry = _touch(process, event)
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
    entry = _touch(process, event)
    if entry is not None:
        entry.node = event.node or entry.node
        process.put(entry, "bound", proven=True)


def _recreated(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = _touch(process, event)
    if entry is None:
        return
    if entry.recreated:
        entry.recreated = False
    elif entry.state in _CYCLE:
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
    entry = _touch(process, event)
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
    entry = _touch(process, event)
    if entry is not None:
        entry.patched_text = None
        entry.patch_expected = False
    process.loop.ended(event.pod)


# Permit and binding


def _permit(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = _touch(process, event)
    if entry is not None:
        process.put(entry, "waiting", proven=True)
        process.loop.ended(event.pod)


def _permit_rejected(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["forget"] = process.now_us
    entry = _touch(process, event)
    if entry is not None:
        process.put(entry, "in_flight", proven=True)


def _binding(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    if before is not None and _just_bound(process, before):
        _touch(process, event)
        return
    if event.effect == "binding":
        process.sight.seen_level(3, process.now_us)
    if before is None or before.state in ("gone", "bound"):
        process.sight.missed("attempts", 2)
    entry = _touch(process, event)
    if entry is None:
        return
    if entry.state in ("gone", "bound"):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line
    if entry.state in _QUEUED:
        entry.counted = False
    _count_attempt(entry)
    entry.node = event.node or entry.node
    process.put(entry, "binding", proven=True)
    process.loop.ended(event.pod)


def _bound(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    if before is not None and before.state in _QUEUED:
        process.sight.missed("attempts", 2)
    entry = _touch(process, event)
    if entry is None:
        return
    if entry.counted_node is not None and entry.state in ("bound", "gone"):
        process.sight.missed("attempts", 2)
        process.miss_add()
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line
    if entry.state in _QUEUED:
        entry.counted = False
    if entry.state != "bound":
        _count_attempt(entry)
    node = event.node or entry.node or ""
    entry.node = node or None
    if entry.counted_node is None:
        entry.counted_node = node
        process.bound_per_node[node] = process.bound_per_node.get(node, 0) + 1
    process.loop.ended(event.pod)
    if entry.state != "gone":
        process.put(entry, "bound", proven=True)


def _bind_failed(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["forget"] = process.now_us
    entry = _touch(process, event)
    if entry is not None and entry.state in _CYCLE:
        process.put(entry, "in_flight", proven=True)


# Preemption


def _nominated(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = _touch(process, event)
    if entry is not None:
        entry.nominated_node = event.node or entry.nominated_node


def _preempted(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["preempt"] = process.now_us
    entry = process.find(event.pod)
    if entry is not None and entry.state in _POOL:
        process.own(entry.pod).updated = True


# Pod groups (1.36 with GenericWorkload, 1.37)


def _group_attempt(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = _touch(process, event)
    if entry is not None:
        _close_cycle(process)
        entry.attempts += 1
        process.put(entry, "in_flight", proven=True)
        _move_members(process, entry, "in_flight")
        process.loop.popped(entry.pod)


def _group_delete(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["group"] = process.now_us
    entry = process.find(event.pod, "podgroup")
    if entry is not None:
        process.put(process.own(entry.pod, "podgroup"), "gone", proven=True)


def _group_event(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["group"] = process.now_us


def _group_done(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = process.find(event.pod, "podgroup")
    if entry is not None and event.message.startswith("Successfully"):
        process.put(process.own(entry.pod, "podgroup"), "bound", proven=False)


def _member(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = _touch(process, event)
    if entry is None:
        return
    entry.group = event.other or entry.group
    if event.effect == "member_incomplete":
        entry.place = "incomplete"
        process.put(entry, "gated", proven=True)
        entry.reason = "waiting for its pod group"
    elif event.effect == "member_pending":
        entry.place = "pending"
        process.put(entry, "in_flight", proven=True)
        entry.reason = "waiting for its pod group's cycle to end"
    elif event.effect == "member_left":
        process.put(entry, "gone", proven=True)
    else:
        group = process.find(entry.group, "podgroup")
        state = event.queue or (group.state if group is not None else "active")
        entry.place = None
        process.put(entry, state, proven=True)


def _group_decomposed(process: SchedulerProcess, event: QueueEvent) -> None:
    for member in list(process.entries.values()):
        if member.kind == "pod" and member.group == event.pod and member.state in _QUEUED | {"in_flight"}:
            entry = process.own(member.pod)
            entry.place = "incomplete"
            process.put(entry, "gated", proven=True)


# The process itself


def _flag(process: SchedulerProcess, event: QueueEvent) -> None:
    name, _, value = event.text.partition("=")
    value = value.strip().strip('"')
    if name == "--vmodule":
        process.sight.levels_hold = not value
    elif name == "--feature-gates":
        process.pop_from_backoff_off = "SchedulerPopFromBackoffQ=false" in value


def _config(process: SchedulerProcess, event: QueueEvent) -> None:
    seconds = {name: int(value) for name, value in _BACKOFF_SECONDS.findall(event.text)}
    if seconds:
        process.configure_backoff(seconds.get("Initial"), seconds.get("Max"))


def _http(process: SchedulerProcess, event: QueueEvent) -> None:
    if "/debug/flags/v" in event.text:
        process.sight.lost()


def _fact(process: SchedulerProcess, event: QueueEvent) -> None:
    facts = process.facts
    if event.effect == "synced":
        facts.handlers_synced = True
        process.sight.seen_level(3, process.now_us)
    elif event.effect == "not_synced":
        facts.handlers_failed = True
    elif event.effect == "watch_failed":
        facts.watch_failure = event.text
    elif event.effect in ("lease_wanted", "lease_held"):
        facts.lease_wanted = event.effect == "lease_wanted"
    else:
        facts.stopped = event.message


TRANSITIONS: Mapping[str, Callable[[SchedulerProcess, QueueEvent], None]] = MappingProxyType({
    "add": _add,
    "update": _update,
    "delete": _delete,
    "add_scheduled": _add_scheduled,
    "update_scheduled": _update_scheduled,
    "delete_scheduled": _delete_scheduled,
    "node_add": _node,
    "node_update": _node,
    "node_delete": _node,
    "moved": _moved,
    "gated": _moved,
    "gate": _gate,
    "discard": _discard,
    "still_backoff": _still_backoff,
    "to_pool": _to_pool,
    "queued": _queued,
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
    "permit": _permit,
    "permit_rejected": _permit_rejected,
    "prebind": _binding,
    "binding": _binding,
    "bind_failed": _bind_failed,
    "bound": _bound,
    "nominated": _nominated,
    "preempted": _preempted,
    "preemption_started": _nominated,
    "preemption_done": _preempted,
    "group_add": _group_event,
    "group_update": _group_event,
    "group_delete": _group_delete,
    "group_attempt": _group_attempt,
    "group_done": _group_done,
    "member_incomplete": _member,
    "member_pending": _member,
    "member_joined": _member,
    "member_left": _member,
    "group_decomposed": _group_decomposed,
    "flag": _flag,
    "config": _config,
    "http": _http,
    "synced": _fact,
    "not_synced": _fact,
    "watch_failed": _fact,
    "lease_wanted": _fact,
    "lease_held": _fact,
    "stopped": _fact,
    "closed": _fact,
})  # fmt: skip
"""Effect → transition. Effects that are missing here tell a pod's story but move nothing."""
