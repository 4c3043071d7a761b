"""What printf-style lines say in fields: the wordings from before structured logging (releases 1.7 to 1.18).

Owns one table of patterns. Names in quotes and without, ``namespace name`` and ``namespace/name``, come out the
same; paths of three parts stay whole. The message itself is left as it stands. Also read here: the first line of
a trace block, which names the pod.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.core.klog.values import bare_value

if TYPE_CHECKING:
    from schedtui.core.record import FieldValue

_POD = r"(?P<pod>[^\s/:,\"]+(?:/[^\s/:,\"]+)+)"
_PAIR = r"(?:" + _POD + r"|(?P<namespace>[^\s/:,\"]+) (?P<name>[^\s/:,\"]+))"
_NODE = r"\"?(?P<node>[^\s\",]+?)\"?"

OLD_WORDINGS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        # scheduler.go: 1.7 to 1.18; the node is quoted and a full stop added from 1.16 on.
        rf"pod {_PAIR} is bound successfully on node {_NODE}"
        r"(?:, (?P<evaluatedNodes>\d{1,18}) nodes evaluated,"
        r" (?P<feasibleNodes>\d{1,18}) nodes were found feasible)?"
        r"\.?\s*\Z",
        rf"Attempting to schedule pod: {_PAIR}\s*\Z",
        rf"About to try and schedule pod {_PAIR}\s*\Z",
        rf"Skip schedule deleting pod: {_PAIR}\s*\Z",
        rf"Failed to bind pod: {_PAIR}\s*\Z",
        rf"(?:Attempting to bind|Binding) {_PAIR} to {_NODE}\s*\Z",
        # factory.go: the reason of a failed attempt.
        rf"Unable to schedule {_PAIR}: (?:no fit: )?(?P<err>.*?); waiting\s*\Z",
        rf"Error scheduling {_PAIR}: (?P<err>.*?)(?:; retrying)?\s*\Z",
        rf"Pod {_PAIR} doesn't exist in informer cache: (?P<err>.*)\Z",
        rf"Pod {_PAIR} has been assigned to (?:node )?{_NODE}\. Abort adding it back to queue\.\s*\Z",
        rf"Updating pod condition for {_PAIR} to \(.*\)\s*\Z",
        # eventhandlers.go: informer events.
        rf"(?i:(?:add|update|delete) event for (?:un)?scheduled pod) {_PAIR}\s*\Z",
        r"(?i:(?:add|update|delete) event for node) \"?(?P<node>[^\s\"]+)\"?\s*\Z",
        # preemption: generic_scheduler.go and scheduler.go.
        rf"Pod {_PAIR} is not eligible for more preemption\.?\s*\Z",
        rf"Setting nominated node name for {_PAIR} to {_NODE}\.?\s*\Z",
    )
)
"""One pattern each; a group's name is the field's, ``namespace`` and ``name`` together are the pod."""

_FIRST_WORDS = re.compile(
    r"(?:pod|Pod|Attempting|About|Skip|Failed|Binding|Unable|Error|Updating|Setting|Trace\[|"
    r"[Aa]dd event|[Uu]pdate event|[Dd]elete event)\b"
)
_TRACE = re.compile(
    r"Trace\[(?P<trace>\d{1,18})\]: \"(?P<operation>[^\"]*)\" (?P<pairs>\S.*?)?\s?\((?:started: )?[^()]*\)"
    r" \(total time: (?P<total>[\d.]+)(?P<unit>ms|s)\):"
)
_TRACE_PAIR = re.compile(r"([A-Za-z_][\w.-]*):([^,]*)")


def fields_of_wording(message: str) -> dict[str, FieldValue]:
    """The fields that a printf-style message tells; empty when its wording is not known."""
    if _FIRST_WORDS.match(message) is None and not message.startswith("Trace["):
        return {}
    if message.startswith("Trace["):
        return _trace_fields(message)
    for pattern in OLD_WORDINGS:
        found = pattern.match(message)
        if found is not None:
            return _named_fields(found)
    return {}


def _named_fields(found: re.Match[str]) -> dict[str, FieldValue]:
    groups = {key: value for key, value in found.groupdict().items() if value is not None}
    fields: dict[str, FieldValue] = {}
    namespace, name = groups.pop("namespace", None), groups.pop("name", None)
    if namespace is not None and name is not None:
        fields["pod"] = f"{namespace}/{name}"
    for key, value in groups.items():
        fields[key] = int(value) if key.endswith("Nodes") else value
    return fields


def _trace_fields(message: str) -> dict[str, FieldValue]:
    found = _TRACE.match(message)
    if found is None:
        return {}
    total = float(found["total"]) * (1000 if found["unit"] == "s" else 1)
    fields: dict[str, FieldValue] = {
        "trace": int(found["trace"]),
        "operation": found["operation"],
        "totalMilliseconds": int(total) if total.is_integer() else total,
    }
    for key, value in _TRACE_PAIR.findall(found["pairs"] or ""):
        fields[key] = bare_value(value.strip())
    namespace, name = fields.get("namespace"), fields.get("name")
    if isinstance(namespace, str) and isinstance(name, str) and found["operation"].startswith("Scheduling"):
        fields["pod"] = f"{namespace}/{name}"
    return fields
