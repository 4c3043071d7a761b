"""Lines of ``--logging-format=json``, and of other programs that log one JSON object a line.

Owns the meaning of ``ts`` (milliseconds with a fraction; seconds in older releases and in the documentation; ISO
text in etcd), ``v``, ``caller``, ``msg`` and ``level``. Everything else becomes a field, object references as
``ns/name``. Refuses lines that are no whole object: they are text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from schedtui.core.klog.clock import parse_iso_time
from schedtui.core.klog.values import with_references

if TYPE_CHECKING:
    from schedtui.core.record import FieldValue

MILLISECONDS_FROM = 1e11
"""A ``ts`` above this counts milliseconds, one below seconds (1e11 s is the year 5138, 1e11 ms is 1973)."""

_LATEST_US = 253_402_300_800_000_000
_LEVELS = {
    "debug": "I", "info": "I", "warn": "W", "warning": "W", "error": "E",
    "dpanic": "F", "panic": "F", "fatal": "F",
}  # fmt: skip
"""zap's level words, printed by etcd and others (the scheduler's own logger prints none)."""
_CALLER = re.compile(r"(?:.*/)?([^/:]+):(\d{1,18})\Z")


class JsonLine(NamedTuple):
    """What one object says."""

    severity: str
    """``I`` when it has a ``v``, else ``E`` (the scheduler's logger), or what ``level`` says."""
    time_us: int | None
    """UTC; None without a usable ``ts``."""
    v: int | None
    """The level as logged."""
    file: str | None
    """Base name of ``caller``."""
    caller: str | None
    """``caller`` as it stands."""
    src_line: int | None
    """1-based line of ``caller``."""
    message: str
    """``msg`` without a final line break."""
    fields: dict[str, FieldValue]
    """All other keys."""


def parse_json_line(body: bytes) -> JsonLine | None:
    """The object on a line; None when the line is not one whole JSON object that looks like a log entry."""
    try:
        entry = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            entry = msgspec.json.decode(body.decode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError):
            return None
    except RecursionError:
        return None
    if not isinstance(entry, dict) or not ("msg" in entry or "ts" in entry or "message" in entry):
        return None
    return _read_entry(entry, b'"name"' in body)


def _read_entry(entry: dict[str, object], has_names: bool) -> JsonLine:
    time_us = _time(entry.pop("ts")) if _time(entry.get("ts")) is not None else None
    message = _take_text(entry, "msg") or ""
    level = entry.get("level")
    v = entry.get("v")
    if isinstance(v, int) and not isinstance(v, bool) and 0 <= v <= 1000:
        del entry["v"]
    else:
        v = None
    severity = _LEVELS.get(level.lower()) if isinstance(level, str) else None
    if severity is None:
        severity = "I" if v is not None else "E"
    caller = _take_text(entry, "caller")
    found = _CALLER.match(caller) if caller else None
    fields = cast("dict[str, FieldValue]", entry)
    if has_names:
        fields = {key: with_references(value) for key, value in entry.items()}
    return JsonLine(
        severity, time_us, v, found[1] if found else None, caller, int(found[2]) if found else None,
        message.rstrip("\n"), fields,
    )  # fmt: skip


def _take_text(entry: dict[str, object], key: str) -> str | None:
    value = entry.get(key)
    if not isinstance(value, str):
        return None
    del entry[key]
    return value


def _time(stamp: object) -> int | None:
    if isinstance(stamp, bool):
        return None
    if isinstance(stamp, (int, float)):
        factor = 1_000 if abs(stamp) > MILLISECONDS_FROM else 1_000_000
        if not 0 <= stamp * factor < _LATEST_US:
            return None
        return round(stamp * factor)
    return parse_iso_time(stamp) if isinstance(stamp, str) else None
