"""The values by which records can be counted: what "count by plugin" finds in one record.

Owns the names that mean more than one key of a record. Counting is its caller's business.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from schedtui.core.record_facets import nodes_of, plugins_of, pods_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.core.record import FieldValue, Record


def values_of(record: Record, field_name: str) -> list[str]:
    """The values that a record has for a field; empty when it has none.

    Args:
        record: The record.
        field_name: A key of the record, or one of ``severity``, ``v``, ``file``, ``site``, ``message``, ``pid``,
            ``pod``, ``node``, ``plugin`` (all that it names), ``namespace``, ``line``.
    """
    if field_name == "severity":
        return [record.severity or "?"]
    if field_name in ("v", "level"):
        return [f"V{record.v}" if record.v is not None else "V?"] if record.severity == "I" else []
    if field_name == "file":
        return [record.file] if record.file else []
    if field_name in ("site", "line"):
        return [f"{record.file}:{record.src_line}"] if record.file else []
    if field_name in ("message", "msg"):
        return [record.message] if record.message else []
    if field_name == "pid":
        return [str(record.pid)] if record.pid is not None else []
    if field_name in _FACETS:
        return _FACETS[field_name](record)
    if field_name == "namespace":
        return sorted({pod.partition("/")[0] for pod in pods_of(record) if "/" in pod})
    value = record.fields.get(field_name)
    return [] if field_name not in record.fields else [shown_value(value)]


def shown_value(value: FieldValue) -> str:
    """A field's value as text: strings as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_FACETS: dict[str, Callable[[Record], list[str]]] = {"pod": pods_of, "node": nodes_of, "plugin": plugins_of}
"""What the filter language looks for under any key counts under any key."""
