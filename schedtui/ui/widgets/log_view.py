"""The lines of a log on the screen: which rows are visible, where the cursor is, whether it follows.

Owns position, following, wrapping, the time column, marks and painting. It asks a ``RowSource`` for the rows in
view and nothing else; keys, filters and panels are ``log_pane``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from schedtui.core.log_search import SearchPattern, compile_pattern
from schedtui.core.record import EPOCH
from schedtui.ui.widgets.log_text import Span, badge_of, left_for_match, role_of, row_spans, wrapped
from schedtui.ui.widgets.rows import palette_of, strip_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.log_rows import LogState, Row, RowSource

TimeMode = Literal["none", "absolute", "relative", "delta"]
"""What the time column shows."""

TIME_MODES: tuple[TimeMode, ...] = ("none", "absolute", "relative", "delta")
"""The time column's modes in the order in which ``T`` walks them."""

LONGEST_WRAP = 200
"""Screen lines that one record may take when long lines are wrapped."""

MATCH_COLUMNS = 1 << 20
"""How far to the right a match is looked for, to scroll to it."""


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """One line on the screen."""

    spans: tuple[Span, ...]
    number: int
    """The row it belongs to."""
    role: str = ""
    """The row's role: its ground reaches to the right edge."""


class LogView(Widget):
    """Shows rows of a log."""

    DEFAULT_CSS = """
    LogView { height: 1fr; overflow: hidden; }
    """

    class Resized(Message):
        """Its size is another: which row is the last of the screen, and the selected one, may be too."""

    def __init__(self, source: RowSource, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.source = source
        self.state: LogState = source.state()
        self.top = 0
        """The row at the top of the screen."""
        self.cursor = 0
        """The selected row."""
        self.left = 0
        """The first visible column."""
        self.following = True
        """The newest row is kept in view."""
        self.seen = 0
        """One past the last row that was there when following was paused."""
        self._seen_end: int | None = None
        self._seen_generation: int | None = None
        self.wrap = False
        self.time_mode: TimeMode = "none"
        self.marks: set[int] = set()
        """Addresses of marked records."""
        self.active = True
        """The keys go here: the cursor is shown boldly."""
        self.pattern: SearchPattern | None = None
        self._lines: tuple[ScreenLine, ...] = ()
        self._rows: Sequence[Row] = ()
        self._painted_cursor: int | None = None
        self._anchor: int | None = None
        self._anchor_offset = 0
        self._anchor_generation = 0

    # --- facts

    @property
    def selected(self) -> Row | None:
        """The row under the cursor."""
        for row in self._rows:
            if row.number == self.cursor:
                return row
        found = self.source.rows(self.cursor, 1, 1) if self.state.last > self.state.first else ()
        return found[0] if found else None

    @property
    def visible_rows(self) -> Sequence[Row]:
        """The rows on the screen."""
        return self._rows

    @property
    def new_rows(self) -> int:
        """Rows that have come since following was paused."""
        return 0 if self.following else max(0, self.state.last - self.seen)

    def open(self, source: RowSource, *, follow: bool = True) -> None:
        """Show another log, from its end, or from its beginning."""
        self.source = source
        self.state = source.state()
        self.following, self.left, self._anchor = follow, 0, None
        self.top = self.cursor = self.seen = 0
        self.marks = set()
        self._seen_end = self._seen_generation = None
        self.show_growth()

    def show_growth(self) -> None:
        """The source has a new state: repaint what it changes."""
        before, self.state = self.state, self.source.state()
        if self.state.generation != before.generation and self._anchor is None and not self.following:
            # Selected anew without our asking: levels became known, a verbosity changed.
            self._anchor = next((row.address for row in self._rows if row.number == self.cursor), None)
            self._anchor_offset, self._anchor_generation = self.cursor - self.top, before.generation
        if self.state.search != before.search:
            self.pattern = compile_pattern(self.state.search) if self.state.search else None
        if self.state.generation != self._anchor_generation:
            self._find_anchor()
        if not self.following and self.state.generation != self._seen_generation:
            self._find_seen()
        self.lay_out()

    def keep_place(self) -> int | None:
        """Remember the selected record over a new selection; its address, None when following.

        Where nothing is shown, the record that was selected before stays remembered.
        """
        row = self.selected
        if self.following:
            self._anchor = None
        elif row is not None:
            self._anchor, self._anchor_offset = row.address, self.cursor - self.top
        self._anchor_generation = self.state.generation
        return self._anchor

    def _find_anchor(self) -> None:
        """Put the cursor on the remembered record, as soon as the new selection has come to it."""
        if self._anchor is None:
            return
        number = self.source.row_of(self._anchor)
        if number is not None:
            self.cursor = number
            self.top = number - self._anchor_offset
        elif self.state.selecting is None:
            # Nothing passes: it is found again when something does.
            return
        if self.state.selecting is None or (self.state.last - self.state.first > 2 * self.size.height):
            self._anchor = None

    def _find_seen(self) -> None:
        """Find in a new selection how far the log went when following was paused: what lies behind it is new."""
        row = self.source.row_of(self._seen_end) if self._seen_end is not None else None
        self.seen = self.state.last if row is None else row + 1
        if self.state.at_end:
            self._seen_generation = self.state.generation

    # --- moves

    def pause(self) -> None:
        """Stop following; what is there counts as seen."""
        if self.following:
            self.following = False
            self.seen = self.state.last
            self._seen_end = self.state.end_address
            # What is not selected yet was there all the same, and so was what comes first: before the first record
            # nothing can be seen.
            known = self.state.records and self.state.at_end
            self._seen_generation = self.state.generation if known else None
            self.cursor = self.state.last - 1

    def follow(self) -> None:
        """Go to the last row and keep to it."""
        self.following = True
        self.lay_out()

    def move(self, by: int) -> None:
        """Move the cursor; upward pauses following."""
        if by < 0:
            self.pause()
        if not self.following:
            self.cursor += by
            self._keep_in_view()
        self.lay_out()

    def move_pages(self, by: float) -> None:
        """Move screen and cursor by pages, or parts of them."""
        if by < 0:
            self.pause()
        if self.following:
            return
        step = (
            round(by * max(1, self.size.height - 1)) if not self.wrap else round(by * max(1, len(self._rows) - 1))
        )
        self.top += step
        self.cursor += step
        self._keep_in_view()
        self.lay_out()

    def go_to(self, number: int) -> None:
        """Put the cursor on a row, in the middle of the screen when it was out of view."""
        self.pause()
        shown = {row.number for row in self._rows}
        self.cursor = number
        if number not in shown:
            self.top = number - max(1, self.size.height) // 2
        self._keep_in_view()
        self.lay_out()

    def go_to_match(self, number: int) -> None:
        """Put the cursor on a row that matches; where the match stands beyond the edge, scroll sideways to it."""
        self.go_to(number)
        row = next(iter(self.source.rows(number, 1, MATCH_COLUMNS)), None)
        if row is None or self.pattern is None or self.wrap:
            return
        around = len(self._prefixes([row])[0]) + len(badge_of(row, marked=row.address in self.marks))
        self.set_left(left_for_match(row.text, self.pattern, self.left, self.size.width - around))

    def set_left(self, column: int) -> None:
        """Show the columns from this one on."""
        if column != self.left:
            self.left = max(0, column)
            self.lay_out()

    def scroll_columns(self, by: int) -> None:
        """Scroll sideways; the column is kept whatever else happens."""
        self.set_left(max(0, self.left + by))

    def set_wrap(self, wrap: bool) -> None:
        """Wrap long lines, or cut them."""
        self.wrap = wrap
        self.left = 0
        self._keep_in_view()
        self.lay_out()

    def set_time_mode(self, mode: TimeMode) -> None:
        """Choose the time column."""
        self.time_mode = mode
        self.lay_out()

    def set_active(self, active: bool) -> None:
        """Show the cursor boldly, or faintly."""
        if active != self.active:
            self.active = active
            self.refresh()

    def on_resize(self) -> None:
        """Keep the cursor, or the end, in view."""
        self._keep_in_view()
        self.lay_out()
        self.post_message(self.Resized())

    def _keep_in_view(self) -> None:
        state = self.state
        self.cursor = max(state.first, min(self.cursor, state.last - 1))
        height = max(1, self.size.height)
        if self.wrap:
            self.top = min(self.top, self.cursor)
            while self.top < self.cursor and self._height_of(self.top, self.cursor + 1) > height:
                self.top += 1
        else:
            self.top = max(self.cursor - height + 1, min(self.top, self.cursor))

    def _height_of(self, first: int, stop: int) -> int:
        """Screen lines that rows take when wrapped; more than the screen holds counts as that."""
        height = max(1, self.size.height)
        if stop - first > height:
            return height + 1
        return sum(len(lines) for lines in self._wrapped_rows(self._fetch(first, stop - first)))

    # --- laying out

    def lay_out(self) -> None:
        """Make the lines that are to be seen; repaint only when they differ."""
        width, height = self.size
        if not width or not height:
            return
        state = self.state
        if self.following:
            self.cursor = state.last - 1
            self.top = max(state.first, state.last - height)
            if self.wrap:
                while self.top < self.cursor and self._height_of(self.top, state.last) > height:
                    self.top += 1
        elif not self.wrap:
            self.top = max(state.first, min(self.top, state.last - 1))
            if state.selecting is None:
                self.top = max(state.first, min(self.top, state.last - height))
        self._rows = self._fetch(self.top, height)
        lines = self._wrapped_lines(width, height) if self.wrap else self._cut_lines(width)
        cursor = None if self.following else self.cursor
        if not lines:
            self.refresh()
        if lines != self._lines or cursor != self._painted_cursor:
            self._lines, self._painted_cursor = lines, cursor
            self.refresh()

    def _fetch(self, first: int, count: int) -> Sequence[Row]:
        width, height = self.size
        columns = width * min(height, LONGEST_WRAP) if self.wrap else self.left + width + 1
        return self.source.rows(first, count, columns)

    def _cut_lines(self, width: int) -> tuple[ScreenLine, ...]:
        prefixes = self._prefixes(self._rows)
        return tuple(
            ScreenLine(
                row_spans(row, self.left, width, self.pattern, marked=row.address in self.marks, prefix=prefix),
                row.number, role_of(row),
            )
            for row, prefix in zip(self._rows, prefixes, strict=True)
        )  # fmt: skip

    def _wrapped_rows(self, rows: Sequence[Row]) -> list[list[str]]:
        width, height = self.size
        lines = []
        for row, prefix in zip(rows, self._prefixes(rows), strict=True):
            # The badge stands beside the text, never over it.
            room = width - len(prefix) - len(badge_of(row, marked=row.address in self.marks))
            lines.append(wrapped(row.text, max(1, room), min(height, LONGEST_WRAP)))
        return lines

    def _wrapped_lines(self, width: int, height: int) -> tuple[ScreenLine, ...]:
        lines: list[ScreenLine] = []
        prefixes = self._prefixes(self._rows)
        for row, prefix, texts in zip(self._rows, prefixes, self._wrapped_rows(self._rows), strict=True):
            for place, text in enumerate(texts):
                front = prefix if place == 0 else " " * len(prefix)
                shown = _with_text(row, text, last=place + 1 == len(texts))
                spans = row_spans(shown, 0, width, self.pattern, marked=row.address in self.marks, prefix=front)
                lines.append(ScreenLine(spans, row.number, role_of(row)))
                if len(lines) >= height:
                    return tuple(lines)
        return tuple(lines)

    def _prefixes(self, rows: Sequence[Row]) -> list[str]:
        if self.time_mode == "none":
            return [""] * len(rows)
        if self.time_mode == "absolute":
            return [f"{_clock(row.time_us):<16}" for row in rows]
        if self.time_mode == "relative":
            start = self.state.first_us
            return [_span_text(row.time_us, start) for row in rows]
        before = self.source.rows(rows[0].number - 1, 1, 1) if rows else ()
        previous = before[0].time_us if before and before[0].number == rows[0].number - 1 else None
        result: list[str] = []
        for row in rows:
            result.append(_span_text(row.time_us, previous))
            previous = row.time_us if row.time_us is not None else previous
        return result

    def _emptiness(self) -> str:
        """Why there are no lines."""
        state = self.state
        if state.notes:
            return state.notes[0]
        if not state.records:
            return "The log is empty so far." if state.indexing is None else "Reading …"
        if state.selecting is not None:
            return "Filtering …"
        return "No record passes the filter; Esc takes its last part away."

    # --- painting

    def render_line(self, y: int) -> Strip:
        """Paint one line."""
        width, ground = self.size.width, self.rich_style
        palette = palette_of(self)
        if y >= len(self._lines):
            if y == 0 and not self._lines:
                return strip_of(((self._emptiness(), "dim"),), palette, width, ground)
            return Strip.blank(width, ground)
        line = self._lines[y]
        over = None
        if line.number == self.cursor and not self.following:
            over = palette["cursor" if self.active else "cursor-blurred"]
        return strip_of(line.spans, palette, width, ground, over)


def _with_text(row: Row, text: str, *, last: bool) -> Row:
    """A part of a wrapped row; only its last part carries the badge."""
    return replace(row, text=text, line_count=row.line_count if last else 1, incomplete=row.incomplete and last)


def _clock(time_us: int | None) -> str:
    if time_us is None:
        return ""
    return f"{EPOCH + timedelta(microseconds=time_us):%H:%M:%S.%f}"


def _span_text(time_us: int | None, since_us: int | None) -> str:
    """A span in twelve columns: ``  +0.000123`` seconds, minutes from 1000 s on."""
    if time_us is None or since_us is None:
        return " " * 13
    seconds = (time_us - since_us) / 1_000_000
    text = f"{seconds:+.6f}" if abs(seconds) < 1000 else f"{seconds / 60:+.2f}m"
    return f"{text:>12} "
