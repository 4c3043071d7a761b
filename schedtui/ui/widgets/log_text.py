"""One row of a log as cells: controls made visible, cut to the columns in view, matches marked.

Owns cropping by cells (wide characters take two) and the split into spans. It costs what is visible: whoever calls
hands in no more text than reaches the right edge. Colours are chosen by role names; painting is the view's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len, get_character_cell_size

from schedtui.ui.widgets.literal import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.log_rows import Row
    from schedtui.core.log_search import SearchPattern

Span = tuple[str, str]
"""(text, role)."""

HIGHLIGHT_MARGIN = 200
"""Characters beside the visible part in which a match may begin or end and still be marked."""

SEVERITY_ROLES = {"F": "severity-fatal", "E": "severity-error", "W": "severity-warning"}
"""Severity → role of the whole row; the letter itself stands in the header."""


def crop(text: str, left: int, width: int) -> str:
    """The cells ``left`` to ``left + width`` of a printable text; a wide character cut in half becomes a blank."""
    if text.isascii():
        return text[left : left + width]
    kept: list[str] = []
    column = 0
    right = left + width
    for character in text:
        size = get_character_cell_size(character)
        if column >= right:
            break
        if column >= left and column + size <= right:
            kept.append(character)
        elif column + size > left and size > 1:
            kept.append(" ")
        column += size
    return "".join(kept)


def role_of(row: Row) -> str:
    """The role of a whole row."""
    if row.notice or row.lost is not None:
        return "severity-notice"
    if row.severity in SEVERITY_ROLES:
        return SEVERITY_ROLES[row.severity]
    return "dim" if row.context else ""


def badge_of(row: Row, *, marked: bool) -> str:
    """What stands at the right edge: lost lines, hidden lines of the record, a missing end, a mark."""
    parts: list[str] = []
    if row.lost is not None:
        parts.append(f"── {row.lost} line{'s' * (row.lost != 1)} lost here ──")
    if row.line_count > 1:
        parts.append(f"+{row.line_count - 1}")
    if row.incomplete:
        parts.append("incomplete")
    if marked:
        parts.append("◆")
    return " " + " ".join(parts) if parts else ""


def row_spans(
    row: Row, left: int, width: int, pattern: SearchPattern | None, *, marked: bool = False, prefix: str = ""
) -> tuple[Span, ...]:
    """The visible part of a row, cut and marked.

    Args:
        row: The row; its text need not reach further than the right edge.
        left: First visible column.
        width: Visible columns, the prefix and the badge included.
        pattern: What is searched for; its matches are marked.
        marked: The user has marked the row.
        prefix: What stands in front of every row (a time column).
    """
    badge = badge_of(row, marked=marked)
    room = max(0, width - len(prefix) - len(badge))
    role = role_of(row)
    spans: list[Span] = [(prefix, "note")] if prefix else []
    if badge or pattern is not None:
        spans += _marked_spans(row.text, left, room, role, pattern)
    else:
        spans.append((crop(literal(row.text), left, room), role))
    if badge:
        used = sum(cell_len(text) for text, _ in spans)
        spans.append((" " * max(0, width - used - len(badge)) + badge, "note"))
    return tuple(spans)


def _marked_spans(text: str, left: int, width: int, role: str, pattern: SearchPattern | None) -> list[Span]:
    if pattern is None:
        return [(crop(literal(text), left, width), role)]
    # Characters never take less than no cell: what is visible lies within so many of them.
    start = max(0, left - HIGHLIGHT_MARGIN) if text.isascii() else 0
    window = text[start : left + width + HIGHLIGHT_MARGIN]
    spans: list[Span] = []
    position = 0
    column = start
    for begin, end in (*pattern.spans(window), (len(window), len(window))):
        for part, part_role in ((window[position:begin], role), (window[begin:end], "match")):
            shown = literal(part)
            size = cell_len(shown)
            visible = crop(shown, max(0, left - column), left + width - max(left, column))
            if visible and column < left + width and column + size > left:
                spans.append((visible, part_role))
            column += size
        position = end
    return spans


def left_for_match(text: str, pattern: SearchPattern, left: int, room: int) -> int:
    """The first visible column at which a match can be seen; ``left`` where one is in view, or there is none.

    Args:
        text: The whole of a row's text.
        pattern: What is searched for.
        left: The first visible column now.
        room: Visible columns.
    """
    first: tuple[int, int] | None = None
    position = column = 0
    for begin, end in pattern.spans(text):
        start = column + cell_len(literal(text[position:begin]))
        column = start + cell_len(literal(text[begin:end]))
        position = end
        if left <= start and min(column, start + room) <= left + room:
            return left
        first = first or (start, column)
    if first is None or room <= 0:
        return left
    start, stop = first
    return 0 if stop <= room else start - max(0, room - (stop - start)) // 2


def wrapped(text: str, width: int, most: int) -> list[str]:
    """A text as lines of at most ``width`` cells, ``most`` lines at most."""
    shown = literal(text)
    lines: list[str] = []
    if shown.isascii():
        lines = [shown[place : place + width] for place in range(0, min(len(shown), width * most), width)]
        return lines or [""]
    line: list[str] = []
    used = 0
    for character in shown:
        size = get_character_cell_size(character)
        if used + size > width:
            lines.append("".join(line))
            if len(lines) >= most:
                return lines
            line, used = [], 0
        line.append(character)
        used += size
    lines.append("".join(line))
    return lines


def plain(spans: Sequence[Span]) -> str:
    """Spans as text."""
    return "".join(text for text, _ in spans)
