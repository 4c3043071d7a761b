"""Log records as scheduler events: which message means what for the scheduling queue.

Owns the value that is read, and the one function that reads a record by the table of ``core.event_table``. Refuses
to know where a pod is or was: that is ``core.queue_model``; and which release wrote a line: ``core.release``.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from schedtui.core.event_table import MESSAGES, MOVE_PREFIXES, OLD_WORDING_HINTS, OLD_WORDINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.event_table import EntityKind
    from schedtui.core.queue_state import PodState
    from schedtui.core.record import FieldValue, Record


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


class Told(NamedTuple):
    """What a record's pairs say of the one pod that it names."""

    event: str | None
    """As in ``QueueEvent``."""
    queue: PodState | None
    """Likewise."""
    hint: int | str | None
    """Likewise."""
    plugins: tuple[str, ...]
    """Likewise."""
    node: str | None
    """Likewise."""
    text: str
    """Likewise."""


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
        effect, record.message, record.fields, record.line, record.time_us, record.pid, source
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
    parts = _parts(pairs)
    pod, kind = _subject(effect, message, parts)
    number = parts.get("number")
    if effect == "moved" and message.endswith("gated"):
        effect = "gated"
    event, queue, hint, plugins, node, text = _told(parts)
    return QueueEvent(
        line, time_us, pid, effect, pod, kind, event, queue, hint, plugins, node, text,
        _text(parts.get("other") or parts.get("group")),
        float(number) if isinstance(number, int | float) else None,
        source, message,
    )  # fmt: skip


def told_by(pairs: Mapping[str, FieldValue]) -> Told | None:
    """What some of a record's pairs say; None when they name a pod or a group, or hold a number that counts."""
    parts = _parts(pairs)
    return _told(parts) if parts.keys() <= _TOLD_PARTS else None


_TOLD_PARTS = frozenset(Told._fields)
"""The parts that say the same whatever the rest of the record says."""


def _parts(pairs: Mapping[str, FieldValue]) -> dict[str, FieldValue]:
    parts: dict[str, FieldValue] = {}
    for key, value in pairs.items():
        part = _SLOTS.get(key)
        if part is not None and part not in parts and value != "":
            parts[part] = value
    return parts


def _told(parts: Mapping[str, FieldValue]) -> Told:
    plugins, hint = parts.get("plugins"), parts.get("hint")
    return Told(
        _text(parts.get("event")),
        queue_state(parts["queue"]) if "queue" in parts else None,
        hint if isinstance(hint, int | str) else None,
        plugin_names(plugins) if plugins is not None else (),
        _text(parts.get("node")),
        _text(parts.get("text")) or "",
    )


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
