"""What may have happened without a line: the state that can be claimed for a pod at a moment, and how surely.

Owns the judgement over rows that ``core.queue_effects`` left as their own lines proved them. It changes nothing:
a row is judged when somebody asks. The rule of the house: never certain and wrong. Three things let a row keep its
certainty although time went by: the lines that would have told are visible; nothing came since that could have
moved it; or the scheduling loop had nothing to pop, which empties activeQ (and, since 1.33, backoffQ too).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.queue_pod import SECOND_US

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.queue_pod import PodEntry
    from schedtui.core.queue_process import SchedulerProcess
    from schedtui.core.queue_state import PodState

FRESH_US = 5_000
"""A line proves where its pod is for this long, whatever else is hidden: queues are read under different locks."""

MOVER_SLOP_US = 5_000
"""An event's line may stand this long before the moves that the event causes."""

SILENT_US = 20_000
"""Events of claims and volumes are rare: for this long none is reckoned with, even while the loop is busy."""

FLUSH_US = 300 * SECOND_US
"""After this long in the unschedulable pool a pod is flushed out of it (``podMaxInUnschedulablePodsDuration``)."""

FLUSH_TICK_US = 30 * SECOND_US
"""How often the scheduler looks for pods to flush."""

NEVER_TRIED_US = 10 * SECOND_US
"""A pod that has been in activeQ for this long without an attempt looks stuck."""

_NODE_EVENTS = frozenset({"node_add", "node_update"})
_FREED = frozenset({"scheduled_delete", "forget", "preempt"})
_ROOM_EVENTS = _NODE_EVENTS | _FREED | {"scheduled_update"}
_TOPOLOGY_EVENTS = _ROOM_EVENTS | {"scheduled_add", "node_delete"}

PLUGIN_INTERESTS: Mapping[str, frozenset[str]] = MappingProxyType({
    "NodeResourcesFit": _ROOM_EVENTS,
    "NodePorts": _NODE_EVENTS | _FREED,
    "NodeAffinity": _NODE_EVENTS,
    "NodeName": _NODE_EVENTS,
    "NodeUnschedulable": _NODE_EVENTS,
    "TaintToleration": _NODE_EVENTS,
    "InterPodAffinity": _TOPOLOGY_EVENTS,
    "PodTopologySpread": _TOPOLOGY_EVENTS,
    "SchedulingGates": frozenset(),
    "VolumeRestrictions": _NODE_EVENTS | _FREED,
    "VolumeBinding": _NODE_EVENTS,
    "VolumeZone": _NODE_EVENTS,
    "NodeVolumeLimits": _FREED,
})  # fmt: skip
"""In-tree plugin → the logged events that can make it let a pod go (EventsToRegister of 1.35 to 1.37).

A plugin that is missing here may listen to anything.
"""

_GATES_ONLY = ("SchedulingGates",)

SILENT_PLUGINS: frozenset[str] = frozenset(
    {"VolumeRestrictions", "VolumeBinding", "VolumeZone", "NodeVolumeLimits"}
)
"""Plugins of the table that also listen to objects without event lines: claims, volumes, storage classes."""


def judge(process: SchedulerProcess, entry: PodEntry) -> tuple[PodState, bool]:
    """Where a pod is at the process's latest line.

    Returns:
        The best guess, and whether the log proves it.
    """
    state = entry.state
    if state == "gone":
        return state, entry.proven
    if entry.proof_us < process.gap_us:
        return state, False
    if state == "bound":
        return state, entry.proven
    if state == "active" and _may_be_pulled(process, entry):
        return state, False
    now = process.now_us
    if entry.failed and now - entry.failed_us > FRESH_US and process.loop.pod != entry.pod:
        return ("backoff" if entry.errors else "unschedulable"), False
    if state in ("in_flight", "waiting", "binding"):
        return state, entry.proven
    if now - (entry.proof_us if entry.proven else entry.failed_us) <= FRESH_US:
        # Its own line has only just been written: an attempt's, a failure's, a move's.
        return state, entry.proven or entry.failed_us >= 0
    if state == "unknown" or not _sees_presence(process, entry):
        return state, False
    if process.sight.covers("moves", _known_since(entry)):
        return state, entry.proven
    if entry.group is not None and process.group_entities:
        # It goes where its group goes, for the sake of any member.
        return state, False
    if state == "backoff":
        return _judge_backoff(process, entry)
    if state == "active":
        return _judge_active(process, entry)
    return _judge_pool(process, entry)


def _may_be_pulled(process: SchedulerProcess, entry: PodEntry) -> bool:
    """Whether it may belong to the group in the scheduling cycle: members in activeQ are pulled silently."""
    unknown = entry.group is None and not entry.attempts
    return unknown and process.group_cycle is not None and not process.group_entities


def _known_since(entry: PodEntry) -> int:
    """The moment from which hidden lines would matter."""
    if entry.proof_us >= 0:
        return entry.proof_us
    return entry.added_us if entry.added_us is not None else entry.last_us


def _sees_presence(process: SchedulerProcess, entry: PodEntry) -> bool:
    """Whether a deletion or a pop since the last proof would have been a line in the log."""
    since = max(_known_since(entry), entry.failed_us)
    return process.sight.covers("informer", since) and process.sight.covers("attempts", since)


def _idle_since(process: SchedulerProcess, entry: PodEntry) -> int:
    """The last moment at which the loop had nothing to pop, if the pod was in the queues then; else -1."""
    base = process.loop.idle_base_us
    return base if base > max(entry.popped_us, entry.failed_us, entry.added_us or -1) else -1


def _judge_backoff(process: SchedulerProcess, entry: PodEntry) -> tuple[PodState, bool]:
    ends = process.backoff.ends_us(entry)
    if ends is None:
        return "backoff", False
    if process.now_us < ends:
        activated = process.movers.get("preempt", -1) > entry.proof_us
        return "backoff", entry.proven and not activated
    idle = _idle_since(process, entry)
    if entry.proven and idle >= 0 and process.loop.is_free and not process.pops_from_backoff:
        # Nothing waits in activeQ, so the flush has not come to it yet.
        return "backoff", True
    over = process.backoff.over_us(entry)
    return ("backoff" if over is None or process.now_us < over else "active"), False


def _judge_active(process: SchedulerProcess, entry: PodEntry) -> tuple[PodState, bool]:
    """A pod that was added, or seen moving to activeQ by a line at a higher verbosity than now."""
    idle = _idle_since(process, entry)
    if idle >= 0 and not entry.attempts:
        # The loop ran dry and did not take it: a PreEnqueue plugin must have said no, at a level that is hidden.
        hidden = not _gates_visible(process, entry)
        return "gated", hidden and not process.may_hold_members
    if idle >= 0:
        return "unschedulable", False
    if entry.proven:
        return "active", True
    if process.may_hold_members:
        return "active", False
    gated_would_show = _gates_visible(process, entry) and process.now_us - entry.last_us > MOVER_SLOP_US
    return "active", gated_would_show


def _gates_visible(process: SchedulerProcess, entry: PodEntry) -> bool:
    if process.traits.gates_logged_always:
        return True
    return process.traits.source_read and process.sight.covers("gates", _known_since(entry))


def _judge_pool(process: SchedulerProcess, entry: PodEntry) -> tuple[PodState, bool]:
    """A pod that failed or was gated, with moves out of the pool hidden."""
    state = entry.state
    idle = _idle_since(process, entry)
    if idle >= 0 and not process.pops_from_backoff:
        over = process.backoff.over_us(entry)
        if over is not None and idle < over and state != "gated":
            idle = -1
    told = entry.proof_us if entry.proven and not entry.updated else -1
    base = max(idle, told, _passed_over(process, entry))
    if base < 0:
        return state, False
    if _moved_since(process, entry, base - MOVER_SLOP_US if base == told else base):
        return state, False
    if base == idle and process.loop.is_free:
        return state, True
    return state, not _may_move_silently(process, entry, base)


def _passed_over(process: SchedulerProcess, entry: PodEntry) -> int:
    """The last moment at which the loop took a pod from backoffQ that would have come after this one; else -1."""
    if entry.errors or not process.pop_order.pops:
        return -1
    ends = process.backoff.ends_us(entry)
    return -1 if ends is None else process.pop_order.passed_over(ends)


def _moved_since(process: SchedulerProcess, entry: PodEntry, moment_us: int) -> bool:
    """Whether an event came since that could have let the pod go."""
    interests = _interests(process, entry)
    for mover, last_us in process.movers.items():
        if last_us >= moment_us and (interests is None or mover in interests):
            return True
    return False


def _interests(process: SchedulerProcess, entry: PodEntry) -> frozenset[str] | None:
    """The logged events that any plugin keeping the pod listens to; None when it may be all."""
    if entry.plugins == _GATES_ONLY:
        return frozenset()
    if not entry.plugins or not process.traits.logs_requeue_at_3:
        return None
    found: frozenset[str] = frozenset()
    for plugin in entry.plugins:
        interests = PLUGIN_INTERESTS.get(plugin)
        if interests is None:
            return None
        found |= interests
    return found


def _may_move_silently(process: SchedulerProcess, entry: PodEntry, base_us: int) -> bool:
    """Whether something that no line of this log tells may have moved the pod since."""
    quiet_us = process.now_us - base_us
    if quiet_us <= FRESH_US:
        return False
    if _interests(process, entry) is None:
        return True
    if quiet_us > SILENT_US and not SILENT_PLUGINS.isdisjoint(entry.plugins):
        return True
    since = entry.proof_us if entry.proof_us >= 0 else base_us
    if process.now_us - since > FLUSH_US:
        return True
    # Older releases do not log updates of nodes and of unscheduled pods at any level.
    return not (process.traits.logs_unscheduled_updates and process.sight.covers("updates", base_us))


def stuck_mark(process: SchedulerProcess, entry: PodEntry, state: PodState) -> str | None:
    """Why a pod looks stuck, in words; None when it does not."""
    if process.now_us < 0 or entry.last_us < 0:
        return None
    if state == "active" and not entry.attempts and entry.since_us is not None:
        if process.now_us - entry.since_us >= NEVER_TRIED_US:
            why = why_never(process)
            return f"never tried: {why}" if why else None
        return None
    if (
        state in ("unschedulable", "backoff", "unknown")
        and process.now_us - entry.last_us > FLUSH_US + FLUSH_TICK_US
    ):
        return "no news past the flush period"
    return None


def never_tried(process: SchedulerProcess) -> int:
    """Pods that have been in activeQ for long without an attempt."""
    return sum(
        entry.kind == "pod"
        and entry.state == "active"
        and not entry.attempts
        and entry.since_us is not None
        and process.now_us - entry.since_us >= NEVER_TRIED_US
        for entry in process.entries.values()
    )


def why_never(process: SchedulerProcess) -> str:
    """The cause, in words; empty when waiting is no wonder, since a debugger stops the loop."""
    facts = process.facts
    if facts.watch_failure and not process.loop.pops and not facts.lease_wanted:
        # Why nothing was tried while it ran; that it has ended since is said apart.
        failing = "an informer keeps failing" if facts.handlers_synced else "informers not synced"
        return f"{failing}: {facts.watch_failure}"
    if facts.stopped:
        return f"the scheduler stopped ({facts.stopped})"
    if facts.lease_wanted:
        return "not the leader, it waits for the lease"
    if process.loop.pops:
        return "" if process.loop.debugged else "the scheduling loop has not come to it"
    if facts.handlers_failed or not facts.handlers_synced:
        return "informers not synced, so the scheduling loop has not started"
    return "" if process.loop.debugged else "no attempt at all in this log; is the process stopped?"
