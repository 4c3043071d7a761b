"""Pod groups (1.36 with GenericWorkload, 1.37): entities that carry their members through the queues.

Owns the transitions of groups and of members outside the queues.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.cycle_effects import close_cycle
from schedtui.core.move_effects import move_members
from schedtui.core.queue_steps import QUEUED, touch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_process import SchedulerProcess

    Transition = Callable[[SchedulerProcess, QueueEvent], None]


NOBODY = ""
"""Stands for the pod of a cycle that works on a whole group."""


def _group_attempt(process: SchedulerProcess, event: QueueEvent) -> None:
    process.group_cycle = event.pod
    if not process.group_entities:
        _pull_members(process, event)
        return
    entry = touch(process, event)
    if entry is not None:
        close_cycle(process)
        entry.attempts += 1
        process.put(entry, "in_flight", proven=True)
        move_members(process, entry, "in_flight")
        process.loop.popped(entry.pod)


def _pull_members(process: SchedulerProcess, event: QueueEvent) -> None:
    """One member was popped, and with it all others that are in a queue: those in activeQ silently (1.36)."""
    close_cycle(process)
    for member in list(process.entries.values()):
        if member.group == event.pod and member.kind == "pod" and member.state in _PULLED:
            entry = process.own(member.pod)
            entry.counted = False
            entry.popped_us = process.now_us
            process.put(entry, "in_flight", proven=True)
    process.loop.popped(NOBODY)


def _group_delete(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["group"] = process.now_us
    entry = process.find(event.pod, "podgroup")
    if entry is not None:
        process.put(process.own(entry.pod, "podgroup"), "gone", proven=True)


def _group_event(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["group"] = process.now_us


def _group_done(process: SchedulerProcess, event: QueueEvent) -> None:
    process.group_cycle = None
    entry = process.find(event.pod, "podgroup")
    if entry is not None and event.message.startswith("Successfully"):
        process.put(process.own(entry.pod, "podgroup"), "bound", proven=False)


def _member(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
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
        entry.reason = group.reason if group is not None else entry.reason
        process.put(entry, state, proven=True)


def _group_decomposed(process: SchedulerProcess, event: QueueEvent) -> None:
    for member in list(process.entries.values()):
        if member.kind == "pod" and member.group == event.pod and member.state in QUEUED | {"in_flight"}:
            entry = process.own(member.pod)
            entry.place = "incomplete"
            process.put(entry, "gated", proven=True)


_PULLED = frozenset({"active", "backoff", "unschedulable"})
"""States from which members are pulled; a gated one stays where it is."""

GROUP_EFFECTS: Mapping[str, Transition] = MappingProxyType({
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
})  # fmt: skip
"""Effect → transition."""
