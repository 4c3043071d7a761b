"""What opens beside the log's lines: one record in full, a count-by table, the filter's parts, a histogram.

Owns the rows of each. They are made from values; painting is ``RowsView``'s, and what Enter does on a row is
``log_pane``'s.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.cells import cell_len

from schedtui.core.filter_text import written_key, written_value
from schedtui.core.record import EPOCH
from schedtui.ui.widgets.literal import literal
from schedtui.ui.widgets.log_bar import number
from schedtui.ui.widgets.log_text import crop, wrapped
from schedtui.ui.widgets.rows import Row, row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schedtui.core.call_sites import SiteLevel
    from schedtui.core.log_rows import CountTable, Selection
    from schedtui.core.record import FieldValue, Record

FOLDED_LINES = 3
"""How many lines of a stack or block are shown while it is folded."""

BARS = " ▁▂▃▄▅▆▇█"
"""Eighths of a bar."""

NAME_WIDTH = 14
"""Columns that field names get; longer ones push their value to the right."""


# --- one record


def record_rows(record: Record, unfolded: frozenset[str], width: int, found: SiteLevel | None = None) -> list[Row]:
    """Every field of a record, one under the other.

    Args:
        record: The record.
        unfolded: Names of the rows shown in full.
        width: Columns.
        found: What the source tree says of it; None without one.
    """
    rows: list[Row] = []
    for key, value in _own_values(record, found):
        rows += _value_rows(key, value, key in unfolded, width, role="note")
    for key, field in record.fields.items():
        rows += _value_rows(key, _as_text(field, pretty=key in unfolded), key in unfolded, width, role="key")
    lines = record.raw.split("\n")
    if len(lines) > 1:
        rows += _lines_rows("lines", lines[1:], "lines" in unfolded, _room(width, "lines"))
    rows += _value_rows("raw", lines[0], "raw" in unfolded, width, role="dim")
    return rows


def _own_values(record: Record, found: SiteLevel | None) -> list[tuple[str, str]]:
    values: list[tuple[str, str]] = []
    if record.time is not None:
        guessed = " (year guessed)" if record.time_guessed else ""
        values.append(("time", f"{record.time:%Y-%m-%d %H:%M:%S.%f}{guessed}"))
    if record.severity is not None:
        values.append(("severity", record.severity))
    level = _level_words(record, found)
    if level:
        values.append(("v", level))
    if record.file:
        values.append(("site", f"{record.file}:{record.src_line}"))
    if found is not None and found.function:
        values.append(("function", f"{found.function} ({found.path})"))
    if record.pid is not None:
        values.append(("pid", str(record.pid)))
    values.append(("message", record.message or record.raw.split("\n")[0]))
    if record.wrapper_time:
        values.append(("wrapper time", record.wrapper_time))
    values.append(
        ("line", f"{record.line} ({record.line_count} lines)" if record.line_count > 1 else str(record.line))
    )
    if record.incomplete:
        values.append(("incomplete", "its end has not been written yet"))
    return values


def _level_words(record: Record, found: SiteLevel | None) -> str:
    """The level and where it is known from; empty for what has none."""
    if record.severity not in ("I", None):
        return ""
    guard = f"; a check around it asks for V{found.needs}" if found is not None and found.needs is not None else ""
    if record.v is not None:
        known_from = "message" if record.v_from == "source" and found is None else record.v_from or "log"
        return f"V{record.v} (from the {known_from}){guard}"
    levels = record.v_range or (found.level_range if found is not None else None)
    if levels is not None:
        return f"V{levels[0]}…V{levels[1]} (from the source)"
    if record.severity is None:
        return ""
    why = found.why if found is not None and found.why else "give --src of the release that wrote this log"
    return f"V? ({why})"


def _as_text(value: FieldValue, *, pretty: bool) -> str:
    if isinstance(value, str):
        return _pretty_json(value) if pretty else value
    return json.dumps(value, ensure_ascii=False, indent=2 if pretty else None)


def _pretty_json(text: str) -> str:
    if not text.startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text


def _value_rows(key: str, value: str, unfolded: bool, width: int, *, role: str) -> list[Row]:
    name = (f"{key:<{NAME_WIDTH}} ", role)
    lines = value.split("\n")
    room = _room(width, key)
    fits = len(value) <= room and cell_len(literal(value)) <= room
    if len(lines) == 1 and (fits or not unfolded):
        more = "" if fits else f" … {number(len(value))} characters, Enter"
        shown = value if fits else crop(literal(value[:room]), 0, max(1, room - len(more)))
        return [row(name, (shown, ""), (more, "dim"), key=key, payload=(key, value))]
    if not unfolded:
        return _lines_rows(key, lines, False, room)
    pieces = [piece for line in lines for piece in wrapped(line, room, len(line) + 1)]
    blank = (" " * (NAME_WIDTH + 1), "")
    return [
        row(name if place == 0 else blank, (piece, ""), key=key if place == 0 else "", payload=(key, value))
        for place, piece in enumerate(pieces)
    ]


def _room(width: int, key: str) -> int:
    """Columns for a value; a long name takes some of them."""
    return max(20, width - max(NAME_WIDTH, cell_len(literal(key))) - 1)


def _lines_rows(key: str, lines: Sequence[str], unfolded: bool, room: int) -> list[Row]:
    """A block of lines, folded to its first ones; unfolded, long ones go on below."""
    name = (f"{key:<{NAME_WIDTH}} ", "note")
    shown = [crop(literal(line[:room]), 0, room) for line in lines[:FOLDED_LINES]]
    if unfolded:
        shown = [piece for line in lines for piece in wrapped(line, room, len(line) + 1)]
    blank = (" " * (NAME_WIDTH + 1), "")
    whole = "\n".join(lines)
    rows = [
        row(name if place == 0 else blank, (line, ""), key=key if place == 0 else "", payload=(key, whole))
        for place, line in enumerate(shown)
    ]
    more = len(lines) - FOLDED_LINES
    cut = any(len(line) > room for line in lines[:FOLDED_LINES])
    if not unfolded and (more > 0 or cut):
        words = f"{more} lines more" if more > 0 else "the lines in full"
        rows.append(row(blank, (f"… {words}, Enter unfolds", "dim"), payload=(key, whole)))
    return rows


# --- counts


def count_rows(table: CountTable, width: int) -> list[Row]:
    """A count-by table, the most frequent value first, with a bar each."""
    most = max((item.count for item in table.rows), default=1)
    total = sum(item.count for item in table.rows)
    done = "" if table.done is None else f", {table.done:.0%} counted"
    rows = [row((f"{number(total)} by {table.field}{done}; Enter filters, Esc closes", "title"), key="\0title")]
    room = max(10, min(24, width // 4))
    for item in table.rows:
        bar = "█" * (item.count * room // most) or "▏"
        rows.append(
            row(
                f"{number(item.count):>9} ", (f"{bar:<{room}} ", "spark"), item.value, key=item.value, payload=item
            )
        )
    return rows


FIELD_FILTERS = {"severity": "severity:{}", "file": "file:{}", "site": "file:{}", "line": "file:{}"}
"""Fields whose filter is not ``key=value``."""


def filter_for(field_name: str, value: str) -> str:
    """The filter for one value of a count-by table."""
    if field_name in ("v", "level"):
        return f"v:{value[1:]}" if value != "V?" else "v:? severity:I"
    if field_name in FIELD_FILTERS:
        return FIELD_FILTERS[field_name].format(value)
    if field_name in ("pod", "node", "plugin"):
        return f"{field_name}:{written_value(value)}"
    if field_name == "namespace":
        return f"pod:{value}/*"
    return f"{written_key(field_name)}={written_value(value)}"


# --- the filter's parts


def part_rows(selection: Selection) -> list[Row]:
    """The filter's parts, each on or off."""
    rows = [row(("filter parts: Enter switches, - removes, Esc closes", "title"), key="\0title")]
    for position, part in enumerate(selection.parts):
        off = position in selection.disabled
        rows.append(
            row(("off " if off else "on  ", "dim" if off else "good"), part, key=str(position), payload=position)
        )
    return rows


# --- histogram


def histogram_rows(buckets: Sequence[Mapping[str, int]], first_us: int | None, last_us: int | None) -> list[Row]:
    """One line of bars for each severity that occurs, and the times at both ends."""
    rows: list[Row] = []
    names = {"E": "severity-error", "W": "severity-warning", "I": "spark", "": "dim"}
    merged = [_merged(bucket) for bucket in buckets]
    most = max((count for bucket in merged for count in bucket.values()), default=0)
    for severity, role in names.items():
        counts = [bucket.get(severity, 0) for bucket in merged]
        if any(counts):
            bars = "".join(BARS[-(-count * 8 // most)] for count in counts)
            rows.append(row((f"{severity or '·'} {number(sum(counts)):>6} ", "note"), (bars, role)))
    if first_us is not None and last_us is not None:
        ends = [f"{EPOCH + timedelta(microseconds=moment):%H:%M:%S}" for moment in (first_us, last_us)]
        rows.append(row((f"         {ends[0]} … {ends[1]} ({(last_us - first_us) / 1e6:.3f} s)", "dim")))
    return rows


def _merged(bucket: Mapping[str, int]) -> dict[str, int]:
    merged = dict(bucket)
    fatal = merged.pop("F", 0)
    if fatal:
        merged["E"] = merged.get("E", 0) + fatal
    return merged
