"""What the scheduler's informers say: pods and nodes that appear, change and go.

Owns the transitions of informer events. Which of several pods of one name is meant is decided here.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.queue_steps import CYCLE, POOL, QUEUED, just_bound, touch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_process import SchedulerProcess

    Transition = Callable[[SchedulerProcess, QueueEvent], None]

RECENT_ADD_US = 1_000_000
"""1.29 has two informer listeners: the old pod's delete event may come this long after the new pod's add event."""


def add_pod(process: SchedulerProcess, event: QueueEvent) -> None:
    """A pod appears: a new one, or the same name again."""
    process.sight.seen("informer", process.now_us)
    if process.added:
        # One goroutine adds pods: it has done with the one before.
        process.judge_add()
    before = process.find(event.pod)
    known = before is not None
    late = before is not None and just_bound(process, before)
    entry = touch(process, event)
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
        in_flight = entry.state in CYCLE
        entry = process.restart_entry(entry)
        entry.recreated = in_flight
        entry.last_us, entry.last_line = process.now_us, event.line
    elif known and entry.added_us is None and entry.state in CYCLE:
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
    entry = touch(process, event)
    if entry is None:
        return
    process.loop.echoed(event.pod)
    if entry.nominated_node:
        process.movers["forget"] = process.now_us
    if entry.patch_expected:
        entry.patch_expected = False
        entry.patched_text = entry.pending_text
    elif entry.state in POOL:
        entry.updated = True
    if entry.state in ("gone", "bound") and not just_bound(process, entry):
        entry = process.restart_entry(entry)
        entry.last_us, entry.last_line = process.now_us, event.line


def _delete(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("informer", process.now_us)
    entry = touch(process, event)
    process.loop.not_echoed(event.pod)
    if entry is None or entry.state == "bound":
        return
    if entry.nominated_node or entry.state in CYCLE:
        # The room that it was promised or held is free again: others may move.
        process.movers["forget"] = process.now_us
    if entry.state in CYCLE:
        entry.deleted = True
    else:
        process.put(entry, "gone", proven=True)


def _add_scheduled(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("informer", process.now_us)
    process.movers["scheduled_add"] = process.now_us
    entry = touch(process, event)
    if entry is not None:
        if entry.state in ("gone",) and entry.counted_node and not entry.deleted:
            entry = process.restart_entry(entry)
            entry.last_us, entry.last_line = process.now_us, event.line
        process.loop.ended(event.pod)
        process.put(entry, "bound", proven=True)


def _update_scheduled(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("updates", process.now_us)
    process.movers["scheduled_update"] = process.now_us
    entry = touch(process, event)
    if entry is not None and entry.state == "unknown":
        process.put(entry, "bound", proven=True)


def _delete_scheduled(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("informer", process.now_us)
    process.movers["scheduled_delete"] = process.now_us
    entry = touch(process, event)
    if entry is None:
        return
    newer = entry.added_us is not None and process.now_us - entry.added_us <= RECENT_ADD_US
    if entry.state in QUEUED and entry.state != "unknown" and newer:
        return
    process.put(entry, "gone", proven=True)


def _node(process: SchedulerProcess, event: QueueEvent) -> None:
    process.sight.seen("updates" if event.effect == "node_update" else "informer", process.now_us)
    process.movers[event.effect] = process.now_us


INFORMER_EFFECTS: Mapping[str, Transition] = MappingProxyType({
    "add": add_pod,
    "update": _update,
    "delete": _delete,
    "add_scheduled": _add_scheduled,
    "update_scheduled": _update_scheduled,
    "delete_scheduled": _delete_scheduled,
    "node_add": _node,
    "node_update": _node,
    "node_delete": _node,
})  # fmt: skip
"""Effect → transition."""
