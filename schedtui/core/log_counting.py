"""The values by which records can be counted: what "count by plugin" finds in one record.

Owns the names that mean more than one key of a record. Counting is its caller's business.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedtui.core.record import FieldValue, Record

PLUGIN_KEYS = ("plugin", "unschedulable plugins", "unschedulablePlugins", "plugins", "pendingPlugins")
"""Keys under which releases 1.29 to 1.37 name plugins; the sets are objects whose keys are the names."""


def values_of(record: Record, field_name: str) -> list[str]:
    """The values that a record has for a field; empty when it has none.

    Args:
        record: The record.
        field_name: A key of the record, or one of ``severity``, ``v``, ``file``, ``site``, ``message``, ``pid``,
            ``plugin``, ``namespace``, ``line``.
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
    if field_name == "plugin":
        return sorted({name for key in PLUGIN_KEYS for name in _names(record.fields.get(key))})
    if field_name == "pod":
        return [record.pod] if record.pod else []
    if field_name == "namespace":
        return [record.pod.partition("/")[0]] if record.pod and "/" in record.pod else []
    value = record.fields.get(field_name)
    return [] if field_name not in record.fields else [shown_value(value)]


def shown_value(value: FieldValue) -> str:
    """A field's value as text: strings as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _names(value: FieldValue) -> Iterable[str]:
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, dict):
        return [name for name in value if name]
    if isinstance(value, list):
        return [name for name in value if isinstance(name, str) and name]
    return []
