"""Log records as scheduler events: which message means what for the scheduling queue.

Owns the table of message variants (every wording from before structured logging up to 1.37, text and JSON alike)
and the one function that reads a record by it. Refuses to know where a pod is or was: that is
``core.queue_model``; and which release wrote a line: that is ``core.release``.

Source of the messages: ``pkg/scheduler`` of v1.29.0, v1.36.3 and v1.37.2, older wordings from public logs of
1.7 to 1.28, and the sample lines of a source-reading tutorial.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.queue_state import PodState
    from schedtui.core.record import FieldValue, Record

EntityKind = Literal["pod", "podgroup"]
"""What a queue row stands for; 1.37 queues entities, of which pod groups (composite ones too) are one kind."""


class QueueEvent(NamedTuple):
    """One thing that a log line says about the scheduler's queues or its process."""

    line: int
    """1-based line of the record."""
    time_us: int | None
    """The record's time on the log's clock, in microseconds."""
    pid: int | None
    """The process, None in JSON logs."""
    effect: str
    """What the message means: a name out of the table."""
    pod: str | None
    """``ns/name`` of the pod, or of the group when ``kind`` is ``podgroup``."""
    kind: EntityKind = "pod"
    """What ``pod`` names."""
    event: str | None = None
    """The cluster event, as the log words it (``NodeAdd``, ``ScheduleAttemptFailure``)."""
    queue: PodState | None = None
    """The queue that the line names, as a state."""
    hint: int | str | None = None
    """The queueing hint, as printed."""
    plugins: tuple[str, ...] = ()
    """Plugins that the line names."""
    node: str | None = None
    """The node that the line names."""
    text: str = ""
    """The line's own explanation: a FitError, a status, a version."""
    other: str | None = None
    """A second pod or group: the victim of a preemption, the group of a member."""
    number: float | None = None
    """A number of the line: a score."""
    source: str = ""
    """``file.go:line`` that logged it; empty when unknown."""
    message: str = ""
    """The message as logged."""


MESSAGES: Mapping[str, str] = MappingProxyType({
    # Informer events (eventhandlers.go).
    "Add event for unscheduled pod": "add",
    "Update event for unscheduled pod": "update",
    "Delete event for unscheduled pod": "delete",
    "Add event for scheduled pod": "add_scheduled",
    "Update event for scheduled pod": "update_scheduled",
    "Delete event for scheduled pod": "delete_scheduled",
    "Assumed pod was already forgotten": "alive",
    "Add event for node": "node_add",
    "Update event for node": "node_update",
    "Delete event for node": "node_delete",
    "Add event for pod group": "group_add",
    "Update event for pod group": "group_update",
    "Delete event for pod group": "group_delete",
    "Add event for composite pod group": "group_add",
    "Update event for composite pod group": "group_update",
    "Delete event for composite pod group": "group_delete",
    # Moves between the queues; what follows ``Pod moved`` is matched by prefix, see MOVE_PREFIXES.
    "Status after running PreEnqueue plugin": "gate",
    "Unexpected error running PreEnqueue plugin": "gate",
    "Discarding the popped pod": "discard",
    "Discarding the popped entity": "discard",
    "Discarding the popped pod group member. It's tracked in multiple places in the scheduler": "discard",
    "Unable to pop pod from backoff queue despite backoff completion": "still_backoff",
    "Unable to pop entity from backoff queue despite backoff completion": "still_backoff",
    "Error adding pod to the backoff queue, queue this Pod to unschedulable pod pool": "to_pool",
    "Error adding pod to the active queue, queue this Pod to unschedulable pod pool": "to_pool",
    "Error adding pod to the active queue": "discard",
    "Pod added to scheduling queue": "queued",
    "Pod popped from queue": "about",
    "Pod requeue decision after scheduling attempt": "moved",
    # Why a pod did not move.
    "Event is not making pod schedulable": "kept",
    "Event is not making entity schedulable": "kept",
    "Checking events for in-flight pod": "checking",
    # The scheduling cycle (schedule_one.go).
    "About to try and schedule pod": "about",
    "Attempting to schedule pod": "attempt",
    "Attempting to schedule a pod belonging to a pod group": "attempt",
    "Skip schedule deleting pod": "skip",
    "Status after running PreFilter plugins for pod": "prefilter",
    "Status after running PostFilter plugins for pod": "postfilter",
    "Plugin scored node for pod": "score",
    "Extender scored node for pod": "score",
    "Calculated node's final score for pod": "final_score",
    "Unable to schedule pod; no fit; waiting": "no_fit",
    "Unable to schedule pod; no fit": "no_fit",
    "Unable to schedule pod belonging to a pod group; waiting": "group_no_fit",
    "Unable to schedule pod; no nodes are registered to the cluster; waiting": "no_nodes",
    "Unable to schedule pod; no nodes are registered to the cluster": "no_nodes",
    "Unable to schedule pod, possibly due to node not found; waiting": "cycle_error",
    "Error scheduling pod; retrying": "cycle_error",
    "Pod doesn't exist in informer cache": "vanished",
    "Pod has been assigned to node. Abort adding it back to queue.": "assigned",
    "Pod was recreated while handling scheduling failure. Skip requeueing and status updates.": "recreated",
    "Error occurred": "refused",
    "Error updating pod": "patch_failed",
    "Updating pod condition": "condition",
    "Updating pod condition and nominated node name": "condition",
    # Reserve, permit, binding.
    "Pod rejected by plugin": "plugin_rejected",
    "One or more plugins asked to wait and no plugin rejected pod": "permit",
    "Pod waiting on permit": "permit",
    "Pod rejected while waiting on permit": "permit_rejected",
    "Failed waiting on permit for pod": "permit_rejected",
    "Quorum is not met for a gang. Waiting for another pod to allow": "permit",
    "Quorum is not met for a CPG hierarchy. Waiting for another pod to allow": "permit",
    "Pod rejected by PreBind plugin": "plugin_rejected",
    "Pod rejected by Bind plugin": "plugin_rejected",
    "Attempting to bind pod to node": "binding",
    "Trying to bind volumes for pod": "prebind",
    "Failed to bind pod": "bind_failed",
    "Successfully bound pod to node": "bound",
    "Pod scheduled after flush from unschedulablePods": "flush_saved",
    "Pod scheduled after flush from unschedulableEntities": "flush_saved",
    # Preemption.
    "Pod is not eligible for preemption": "preemption_note",
    "Preemption will not help schedule pod on any node": "preemption_note",
    "No preemption candidate is found; preemption is not helpful for scheduling": "preemption_note",
    "the target node for the preemption is determined": "nominated",
    "Preemptor Pod preempted victim Pod": "preempted",
    "Preemptor pod rejected a waiting pod": "preempted",
    "Preemptor preempted a waiting pod": "preempted",
    "Preemptor rejected a pod in preBind": "preempted",
    "Start the preemption asynchronously": "preemption_started",
    "Async Preemption finished completely": "preemption_done",
    # Pod groups (1.36 with GenericWorkload, 1.37).
    "Attempting to schedule pod group": "group_attempt",
    "Successfully scheduled a pod group": "group_done",
    "Pod group is waiting for preemption": "group_done",
    "Unable to schedule a pod group": "group_done",
    "Error scheduling pod group": "group_done",
    "Pod with pod group added to incompletePodGroupPods, waiting for one or more parent pod group objects to be"
    " observed": "member_incomplete",
    "Pod added to pending pod group pods, waiting for its root group to be requeued": "member_pending",
    "Pod was added to root group as the first member pod": "member_joined",
    "Pod added to existing root group info": "member_joined",
    "Pod deleted from incompletePodGroupPods": "member_left",
    "Pod belonging to a root group got deleted from pending pod group info": "member_left",
    "Pod deleted from existing root group info": "member_left",
    "Pod group deleted, decomposed and enqueued pending pods for the pod group to incompletePodGroupPods":
        "group_decomposed",
    "Pod group deleted from root group, decomposed and enqueued pods to incompletePodGroupPods":
        "group_decomposed",
    "Composite pod group deleted from the root group, enqueued pending pods in the composite pod group subtree to"
    " incompletePodGroupPods": "group_decomposed",
    "Composite pod group deleted from the root group, decomposed and enqueued pods in the composite pod group"
    " subtree to incompletePodGroupPods": "group_decomposed",
    "Root group no longer exists on requeue attempt, decomposed and moved pods to incompletePodGroupPods":
        "group_decomposed",
    # The process.
    "Starting Kubernetes Scheduler": "start",
    "Handlers synced": "synced",
    "handlers are not fully synchronized": "not_synced",
    "Failed to watch": "watch_failed",
    "Attempting to acquire leader lease...": "lease_wanted",
    "attempting to acquire leader lease...": "lease_wanted",
    "Successfully acquired lease": "lease_held",
    "successfully acquired lease": "lease_held",
    "Leaderelection lost": "stopped",
    "Requested to terminate, exiting": "stopped",
    "Scheduling queue is closed": "closed",
    "Using component config": "config",
    "Cache comparer started": "alive",
    "Cache comparer finished": "alive",
    "HTTP": "http",
    "Dump of scheduling queue": "dump",
})  # fmt: skip
"""Message as logged → effect. One entry a wording; the releases that print it are in the specification."""

MOVE_PREFIXES: tuple[tuple[str, EntityKind], ...] = (
    ("Pod moved to an internal scheduling queue", "pod"),
    ("Entity moved to an internal scheduling queue", "pod"),
    ("Pod group moved to an internal scheduling queue", "podgroup"),
)
"""Beginnings of the move messages; what follows (``, because the pod is gated``) differs between releases."""

_POD = r"(?P<pod>[\w.-]+(?:/[\w.-]+)+)"
"""``ns/name``, or three parts in forks with tenants: kept whole."""

_OLD_POD = r"(?P<pod>[\w.-]+(?:/[\w.-]+)+|[\w.-]+ [\w.-]+)"
"""The same, or ``ns name`` with a blank, as 1.7 wrote it."""

OLD_WORDINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), effect)
    for pattern, effect in (
        (rf"pod {_POD} is bound successfully on node \"?(?P<node>[\w.-]+?)\"?(?:,|\.?$)", "bound"),
        (rf"(?P<verb>add|update|delete) event for unscheduled pod:? {_POD}", "informer"),
        (rf"(?P<verb>add|update|delete) event for scheduled pod:? {_POD}", "informer_scheduled"),
        (rf"about to try and schedule pod:? {_POD}", "about"),
        (rf"attempting to schedule pod:? {_POD}", "attempt"),
        (rf"skip schedule deleting pod:? {_POD}", "skip"),
        (rf"unable to schedule {_OLD_POD}: (?P<text>no nodes are registered.*)", "no_nodes"),
        (rf"unable to schedule {_OLD_POD}: (?:no fit: )?(?P<text>.*?)\s*;? waiting", "no_fit"),
        (rf"error scheduling {_OLD_POD}: (?P<text>.*?)(?:; retrying)?$", "cycle_error"),
        (rf"attempting to bind {_POD} to (?P<node>[\w.-]+)", "binding"),
        (rf"failed to bind pod: {_POD}", "bind_failed"),
        (rf"pod {_POD} doesn't exist in informer cache(?P<text>.*)", "vanished"),
        (r"starting kubernetes scheduler version (?P<text>\S+)", "start"),
        (r"attempting to acquire leader lease", "lease_wanted"),
        (r"successfully acquired lease", "lease_held"),
        (r"lost master|leaderelection lost|leader election lost", "stopped"),
        (r"FLAG: (?P<text>--(?:v|vmodule|feature-gates)=.*)", "flag"),
    )
)
"""printf-style wordings (up to 1.18, and lines that stay so), tried in order."""

OLD_WORDING_HINTS = re.compile(
    r"pod|schedul|FLAG: --(?:v|vmodule|feature-gates)=|lease|lost master|leader ?election",
    re.IGNORECASE,
)
"""A quick look before the patterns are tried one by one."""

_QUEUES: tuple[tuple[str, PodState], ...] = (
    ("act", "active"),
    ("back", "backoff"),
    ("unsched", "unschedulable"),
)
"""Beginning of a ``queue=`` value → state: ``Active``, ``activeQ``, ``ActiveQueue`` have all been printed."""

_NAMES_IN_MAP = re.compile(r"(?:^map\[|[{,\s])\"?([A-Za-z][\w./-]*)\"?\s*:")
"""Names of a set that klog printed as Go text: ``map[NodeResourcesFit:{} TaintToleration:{}]``."""

_ENTITY_NAME = re.compile(r'"metadata":\{"name":"([^"]+)","namespace":"([^"]+)"')
"""Name and namespace inside the raw pod object that 1.37 prints for ``entity=``."""


def queue_state(text: FieldValue) -> PodState | None:
    """The state that a ``queue=`` value stands for; None when it names no queue that is known."""
    if not isinstance(text, str):
        return None
    lowered = text.lower()
    return next((state for start, state in _QUEUES if lowered.startswith(start)), None)


def plugin_names(value: FieldValue) -> tuple[str, ...]:
    """Plugin names out of a set in any spelling: JSON object, list, Go map text, or one bare name."""
    if isinstance(value, dict):
        return tuple(sorted(name for name in value if name))
    if isinstance(value, list):
        return tuple(sorted(str(name) for name in value if name))
    if not isinstance(value, str) or not value:
        return ()
    if value[0] in "{[" or value.startswith("map["):
        return tuple(sorted(set(_NAMES_IN_MAP.findall(value))))
    return (value,)


def effect_of(message: str) -> str | None:
    """The effect of a structured message, None when it means nothing to the queue."""
    effect = MESSAGES.get(message)
    if effect is None and " moved to an internal " in message:
        return next(("moved" for start, _ in MOVE_PREFIXES if message.startswith(start)), None)
    return effect


def read_event(record: Record) -> QueueEvent | None:
    """Read a record by the table.

    Args:
        record: Any record; nothing about it is trusted.

    Returns:
        What it says about the queues, or None when it says nothing.
    """
    if record.kind in ("plain", "debugger"):
        # Without a header a line may be a part of any other: nothing is counted from it.
        return None
    if record.kind == "notice":
        return _lost_lines(record)
    effect = effect_of(record.message) if record.structured else None
    if effect is None:
        return _old_event(record)
    return _structured_event(record, effect)


def _lost_lines(record: Record) -> QueueEvent | None:
    """A collector that says how many of the scheduler's lines it dropped; None when it says something else."""
    lost, unit = record.fields.get("lost"), record.text("unit")
    if not isinstance(lost, int) or "kernel" in record.message or (unit is not None and "sched" not in unit):
        return None
    return _event(record, "lost", None, text=str(lost))


def _structured_event(record: Record, effect: str) -> QueueEvent:
    source = f"{record.file}:{record.src_line}" if record.file else ""
    return event_of_pairs(
        effect, record.message, dict(record.fields), record.line, record.time_us, record.pid, source
    )  # fmt: skip


_SLOTS: Mapping[str, str] = MappingProxyType({
    "pod": "pod",
    "entity": "entity",
    "type": "type",
    "event": "event",
    "conditionReason": "event",
    "verb": "event",
    "queue": "queue",
    "hint": "hint",
    "unschedulable plugins": "plugins",
    "unschedulablePlugins": "plugins",
    "plugin": "plugins",
    "node": "node",
    "nominatedNodeName": "node",
    "err": "text",
    "status": "text",
    "reason": "text",
    "version": "text",
    "config": "text",
    "URI": "text",
    "preemptor": "preemptor",
    "victim": "other",
    "waitingPod": "other",
    "podInPreBind": "other",
    "podGroup": "group",
    "root": "group",
    "rootCPG": "group",
    "compositePodGroup": "group",
    "score": "number",
})  # fmt: skip
"""Key of a pair → the part of an event that it fills; the first pair for a part counts."""


def event_of_pairs(
    effect: str,
    message: str,
    pairs: Mapping[str, FieldValue],
    line: int,
    time_us: int | None,
    pid: int | None,
    source: str,
) -> QueueEvent:
    """The event that a structured record's pairs amount to.

    Args:
        effect: What the message means.
        message: The message.
        pairs: Its keys and values.
        line: 1-based line of the record.
        time_us: Its time.
        pid: Its process.
        source: ``file.go:line`` that logged it.
    """
    parts: dict[str, FieldValue] = {}
    for key, value in pairs.items():
        part = _SLOTS.get(key)
        if part is not None and part not in parts and value != "":
            parts[part] = value
    pod, kind = _subject(effect, message, parts)
    plugins, hint, number = parts.get("plugins"), parts.get("hint"), parts.get("number")
    if effect == "moved" and message.endswith("gated"):
        effect = "gated"
    return QueueEvent(
        line, time_us, pid, effect, pod, kind,
        _text(parts.get("event")),
        queue_state(parts["queue"]) if "queue" in parts else None,
        hint if isinstance(hint, int | str) else None,
        plugin_names(plugins) if plugins is not None else (),
        _text(parts.get("node")),
        _text(parts.get("text")) or "",
        _text(parts.get("other") or parts.get("group")),
        float(number) if isinstance(number, int | float) else None,
        source, message,
    )  # fmt: skip


def _text(value: FieldValue) -> str | None:
    return value if isinstance(value, str) else None


def _subject(effect: str, message: str, parts: Mapping[str, FieldValue]) -> tuple[str | None, EntityKind]:
    """The pod or group that a structured record is about."""
    pod = _text(parts.get("pod"))
    if pod is not None and "entity" not in parts and not effect.startswith(("group_", "preempt")):
        return pod, "pod"
    if effect.startswith("group_") and effect != "group_no_fit":
        return _text(parts.get("group")), "podgroup"
    if effect.startswith("preempt") and effect != "preemption_note":
        return _text(parts.get("preemptor")) or pod, "pod"
    if effect == "moved" and message.startswith("Pod group"):
        return _text(parts.get("group")) or _entity_name(parts.get("entity")), "podgroup"
    if "entity" not in parts:
        return pod, "pod"
    kind: EntityKind = "podgroup" if "group" in (_text(parts.get("type")) or "pod").lower() else "pod"
    return _entity_name(parts["entity"]), kind


def _entity_name(entity: FieldValue) -> str | None:
    if isinstance(entity, dict):
        if isinstance(entity.get("name"), str):
            namespace = entity.get("namespace")
            return f"{namespace}/{entity['name']}" if namespace else str(entity["name"])
        pod = entity.get("Pod")
        metadata = pod.get("metadata") if isinstance(pod, dict) else None
        return _entity_name(metadata) if isinstance(metadata, dict) else None
    if not isinstance(entity, str):
        return None
    if entity.startswith("{"):
        found = _ENTITY_NAME.search(entity)
        return f"{found[2]}/{found[1]}" if found else None
    return entity or None


def _old_event(record: Record) -> QueueEvent | None:
    text = record.message
    if record.structured or not OLD_WORDING_HINTS.search(text[:400]):
        return None
    for pattern, effect in OLD_WORDINGS:
        found = pattern.match(text)
        if found is None:
            continue
        groups = found.groupdict()
        if effect.startswith("informer"):
            effect = groups["verb"].lower() + ("_scheduled" if effect == "informer_scheduled" else "")
        pod = groups.get("pod")
        return _event(
            record,
            effect,
            pod.replace(" ", "/") if pod else None,
            node=groups.get("node"),
            text=(groups.get("text") or "").strip(),
        )
    return None


def _event(
    record: Record, effect: str, pod: str | None, *, node: str | None = None, text: str = ""
) -> QueueEvent:  # fmt: skip
    source = f"{record.file}:{record.src_line}" if record.file else ""
    return QueueEvent(
        record.line, record.time_us, record.pid, effect, pod, node=node, text=text, source=source,
        message=record.message,
    )  # fmt: skip
