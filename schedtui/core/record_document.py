"""A record as the JSON object that ``schedtui logs --json`` prints and exports hold.

Owns the names and the order of its keys (a contract: scripts read them; keys may be added, none renamed). Every
key is always there, null when unknown.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from schedtui.core.masking import mask, mask_value

if TYPE_CHECKING:
    from schedtui.core.record import FieldValue, Record


def record_document(record: Record, *, masked: bool = True, name: str | None = None) -> dict[str, object]:
    """The object.

    Args:
        record: The record.
        masked: Whether passwords, tokens and headers are made unreadable.
        name: The input's name, for several inputs.
    """
    time = record.time
    fields: dict[str, FieldValue] = dict(record.fields)
    raw, message = record.raw, record.message
    if masked:
        cleaned = mask(raw)
        if cleaned != raw:
            fields = {key: mask_value(key, value) for key, value in fields.items()}
            raw, message = cleaned, mask(message)
    return {
        "line": record.line,
        "time": None if time is None else time.isoformat(timespec="microseconds"),
        "time_guessed": list(record.time_guessed),
        "severity": record.severity,
        "v": record.v,
        "v_from": record.v_from,
        "pid": record.pid,
        "file": record.file,
        "src_line": record.src_line,
        "message": message,
        "fields": fields,
        "raw": raw,
        "v_range": None if record.v_range is None else list(record.v_range),
        "kind": record.kind,
        "caller": record.caller,
        "structured": record.structured,
        "wrapper_time": record.wrapper_time,
        "unit": record.unit,
        "input": name,
        "line_count": record.line_count,
        "incomplete": record.incomplete,
    }


def as_json_line(document: dict[str, object]) -> bytes:
    """One object on one line, non-ASCII text as it is, without the line feed."""
    try:
        return msgspec.json.encode(document)
    except (OverflowError, UnicodeEncodeError, RecursionError, msgspec.MsgspecError):
        # Numbers beyond 64 bits and the like: rare, and Python's own writer takes them.
        return json.dumps(document, separators=(",", ":"), ensure_ascii=True, default=str).encode()
