"""Permit, binding and preemption: from the end of the scheduling cycle to the node.

Owns the transitions of the binding cycle and of nominations.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.queue_steps import CYCLE, POOL, QUEUED, count_attempt, just_bound, touch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_process import SchedulerProcess

    Transition = Callable[[SchedulerProcess, QueueEvent], None]


def _permit(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is not None:
        process.put(entry, "waiting", proven=True)
        process.loop.ended(event.pod)


def _permit_rejected(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["forget"] = process.now_us
    entry = touch(process, event)
    if entry is not None:
        process.put(entry, "in_flight", proven=True)


def _binding(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    if before is not None and just_bound(process, before):
        touch(process, event)
        return
    if event.effect == "binding":
        process.sight.seen_level(3, process.now_us)
    if before is None or before.state in ("gone", "bound"):
        process.sight.missed("attempts", 2)
    entry = touch(process, event)
    if entry is None:
        return
    if entry.state in ("gone", "bound"):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line
    if entry.state in QUEUED:
        entry.counted = False
    count_attempt(entry)
    entry.node = event.node or entry.node
    process.put(entry, "binding", proven=True)
    process.loop.ended(event.pod)


def _bound(process: SchedulerProcess, event: QueueEvent) -> None:
    before = process.find(event.pod)
    if before is not None and before.state in QUEUED:
        process.sight.missed("attempts", 2)
    entry = touch(process, event)
    if entry is None:
        return
    if entry.counted_node is not None and entry.state in ("bound", "gone"):
        process.sight.missed("attempts", 2)
        process.miss_add()
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line
    if entry.state in QUEUED:
        entry.counted = False
    if entry.state != "bound":
        count_attempt(entry)
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
    entry = touch(process, event)
    if entry is not None and entry.state in CYCLE:
        process.put(entry, "in_flight", proven=True)


def _nominated(process: SchedulerProcess, event: QueueEvent) -> None:
    entry = touch(process, event)
    if entry is not None:
        entry.nominated_node = event.node or entry.nominated_node


def _preempted(process: SchedulerProcess, event: QueueEvent) -> None:
    process.movers["preempt"] = process.now_us
    entry = process.find(event.pod)
    if entry is not None and entry.state in POOL:
        process.own(entry.pod).updated = True


BINDING_EFFECTS: Mapping[str, Transition] = MappingProxyType({
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
})  # fmt: skip
"""Effect → transition."""
