"""The log pane's own status row: following or paused, what is filtered and searched, how far the work is.

Owns the words. It is repainted only when they change.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from textual.widget import Widget

from schedtui.core.log_rows import ALL_LEVELS
from schedtui.core.record import EPOCH
from schedtui.ui.widgets.literal import literal
from schedtui.ui.widgets.rows import palette_of, strip_of

if TYPE_CHECKING:
    from textual.strip import Strip

    from schedtui.core.log_rows import LogState, Row
    from schedtui.ui.widgets.log_text import Span

LAG_SHOWN_SECONDS = 1.0
"""From this much on the lag behind the file's end is shown."""


def number(count: int) -> str:
    """A count for people: 12, 1 234, 5.3M."""
    return f"{count:,}".replace(",", " ") if count < 1_000_000 else f"{count / 1_000_000:.1f}M"


def level_words(state: LogState) -> str:
    """The level filter and how many records it shows and hides."""
    level, counts = state.selection.level, state.counts
    if level >= ALL_LEVELS:
        return ""
    shown = counts.up_to(level)
    hidden = counts.up_to(ALL_LEVELS) - shown
    unknown = f" +{number(counts.unknown)} V?" if counts.unknown else ""
    return f"V≤{level} {number(shown)}{unknown} hides {number(hidden)}"


def follow_words(state: LogState, *, following: bool, new_rows: int) -> tuple[str, str]:
    """(words, role) of the follow state."""
    if following:
        return ("END" if state.ended else "FOLLOW"), "good"
    return f"PAUSED +{number(new_rows)}" if new_rows else "PAUSED", "warning"


def filter_spans(state: LogState) -> list[Span]:
    """The filter's parts as chips; those switched off stand in brackets."""
    spans: list[Span] = []
    for position, part in enumerate(state.selection.parts):
        off = position in state.selection.disabled
        moment = state.moments.get(part)
        # The log's end moves on, the filter does not.
        since = "" if moment is None else f" = {EPOCH + timedelta(microseconds=moment):%H:%M:%S}"
        spans.append((f" [{part}]" if off else f" ⟨{part}{since}⟩", "dim" if off else "key"))
    if state.selection.context:
        spans.append((f" ±{state.selection.context}", "note"))
    return spans


def work_words(state: LogState) -> str:
    """What is still going on."""
    parts: list[str] = []
    if state.indexing is not None and state.size:
        parts.append(f"indexing {state.indexing:.0%}")
    if state.selecting is not None and state.selection.expressions:
        parts.append(f"filtering {state.selecting:.0%}")
    if state.searching is not None:
        parts.append(f"searching {state.searching:.0%}")
    if state.lag_seconds > LAG_SHOWN_SECONDS:
        parts.append(f"{state.lag_seconds:.0f} s behind")
    return " ".join(parts)


def bar_spans(
    state: LogState, row: Row | None, *, following: bool, new_rows: int, width: int, level: str = ""
) -> tuple[Span, ...]:
    """The whole row, the right part aligned to the right edge; ``level`` is the selected record's."""
    words, role = follow_words(state, following=following, new_rows=new_rows)
    left: list[Span] = [(words, role), *filter_spans(state)]
    filtered = level_words(state)
    if filtered:
        left.append((f" {filtered}", "note"))
    if state.search:
        left.append((f" /{state.search} {number(state.search_matches)}", "match"))
        if state.search_error:
            left.append((" (as plain text)", "dim"))
    if state.filter_error:
        left.append((" " + " ".join(state.filter_error.split("\n")[0:1]), "bad"))
    right = "  ".join(part for part in (work_words(state), _row_words(state, row, level)) if part)
    used = sum(len(literal(text)) for text, _ in left)
    room = width - len(right) - 1
    if used > room:
        left = _cut(left, max(0, room - 1))
        left.append(("…", "dim"))
        used = sum(len(literal(text)) for text, _ in left)
    return (*left, (" " * max(1, width - used - len(right)), ""), (right, "dim"))


def _cut(spans: list[Span], room: int) -> list[Span]:
    kept: list[Span] = []
    for text, role in spans:
        shown = literal(text)[:room]
        kept.append((shown, role))
        room -= len(shown)
        if room <= 0:
            break
    return kept


def _row_words(state: LogState, row: Row | None, level: str) -> str:
    parts: list[str] = []
    if row is not None and not row.notice:
        if level:
            parts.append(level)
        if row.line is not None:
            parts.append(f"line {number(row.line)}")
    parts.append(f"{number(state.last - state.first)} rows")
    return " ".join(parts)


class LogBar(Widget):
    """The row."""

    DEFAULT_CSS = """
    LogBar { height: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._spans: tuple[Span, ...] = ()

    def show(self, spans: tuple[Span, ...]) -> None:
        """Show other words."""
        if spans != self._spans:
            self._spans = spans
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint it."""
        return strip_of(self._spans, palette_of(self), self.size.width, self.rich_style)
