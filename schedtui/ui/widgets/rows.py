"""A list of ready rows with a cursor: what tabs, tables and lists are painted with.

Owns scrolling, the cursor and the painting of spans. Rows are values made elsewhere (``debugger_rows``,
``queue_rows`` …); nothing is computed here but what is visible. Mouse and keys are not its business: the pane it
sits in calls ``move``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from schedtui.ui.themes import Palette, plain_palette
from schedtui.ui.widgets.literal import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

_FALLBACK = plain_palette()


@dataclass(frozen=True, slots=True)
class Row:
    """One line on the screen."""

    spans: tuple[tuple[str, str], ...]
    """(text, role) from left to right; the text may be anything, an empty role is the ground style."""
    key: str = ""
    """What it stands for: the cursor stays on the same key when the rows change."""
    payload: Any = None
    """The value behind it, for whoever acts on the row."""

    @property
    def text(self) -> str:
        """The row as plain text, controls made visible."""
        return "".join(literal(text) for text, _ in self.spans)


def row(*spans: tuple[str, str] | str, key: str = "", payload: object = None) -> Row:
    """A row from spans; a bare string is a span without a role."""
    return Row(tuple(span if isinstance(span, tuple) else (span, "") for span in spans), key, payload)


def palette_of(widget: Widget) -> Palette:
    """The palette of the running app, or one without colours when the app has none."""
    palette = getattr(widget.app, "palette", None)
    return palette if isinstance(palette, Palette) else _FALLBACK


def strip_of(
    spans: Sequence[tuple[str, str]], palette: Palette, width: int, ground: Style, over: Style | None = None
) -> Strip:
    """Paint spans as one line of exactly ``width`` cells; ``over`` is laid under all of them (a cursor)."""
    segments = [Segment(literal(text), palette[role] if role else None) for text, role in spans if text]
    strip = Strip(segments).adjust_cell_length(width)
    return strip.apply_style(ground + over if over is not None else ground)


class RowsView(Widget):
    """Shows rows, with a cursor when it is active."""

    DEFAULT_CSS = """
    RowsView { height: 1fr; overflow: hidden; }
    """

    def __init__(self, *, id: str | None = None, empty: str = "", cursor: bool = True) -> None:  # noqa: A002  # Textual's name
        """Create it.

        Args:
            id: Textual's id.
            empty: What is said when there are no rows.
            cursor: False for lists that are only read.
        """
        super().__init__(id=id)
        self.rows: tuple[Row, ...] = ()
        self.cursor = 0
        self.first = 0
        """Index of the row at the top."""
        self.active = False
        """True when the keys go here: the cursor is shown boldly."""
        self._empty = empty
        self._has_cursor = cursor

    @property
    def empty(self) -> str:
        """What is said when there are no rows."""
        return self._empty

    @empty.setter
    def empty(self, text: str) -> None:
        if text != self._empty:
            self._empty = text
            if not self.rows:
                self.refresh()

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows; the cursor stays on its row's key when that is still there."""
        fresh = tuple(rows)
        if fresh == self.rows:
            return
        before, place = self.rows, (self.first, self.cursor)
        selected = self.selected
        top_key = self.rows[self.first].key if self.first < len(self.rows) else ""
        self.rows = fresh
        keys = {item.key: index for index, item in enumerate(fresh) if item.key}
        offset = self.cursor - self.first
        if selected is not None and selected.key in keys:
            self.cursor = keys[selected.key]
            self.first = max(0, self.cursor - offset)
        elif top_key in keys:
            self.first = keys[top_key]
        self._clamp()
        if (self.first, self.cursor) != place or not before or not fresh:
            self.refresh()
            return
        # Counts that go on by the second repaint their own lines.
        for y in range(self.size.height):
            index = self.first + y
            if before[index : index + 1] != fresh[index : index + 1]:
                self.refresh(Region(0, y, self.size.width, 1))

    def set_active(self, active: bool) -> None:
        """Show the cursor boldly, or faintly."""
        if active != self.active:
            self.active = active
            self.refresh()

    @property
    def selected(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self._has_cursor and 0 <= self.cursor < len(self.rows) else None

    def move(self, by: int) -> None:
        """Move the cursor (or, without one, the view) by so many rows."""
        if self._has_cursor:
            self.cursor += by
        else:
            self.first += by
        self._clamp()
        self.refresh()

    def move_pages(self, by: float) -> None:
        """Move by pages, or parts of them."""
        self.move(round(by * max(1, self.size.height - 1)))

    def move_to(self, index: int) -> None:
        """Move to a row; a negative index counts from the end."""
        target = index if index >= 0 else len(self.rows) + index
        if self._has_cursor:
            self.cursor = target
        else:
            self.first = target
        self._clamp()
        self.refresh()

    def select_key(self, key: str) -> bool:
        """Put the cursor on the row of that key; False when there is none."""
        for index, item in enumerate(self.rows):
            if item.key == key:
                self.move_to(index)
                return True
        return False

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        self._clamp()

    def _clamp(self) -> None:
        height = max(1, self.size.height)
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1))
        if self._has_cursor:
            self.first = max(self.cursor - height + 1, min(self.first, self.cursor))
        self.first = max(0, min(self.first, max(0, len(self.rows) - height)))

    def render_line(self, y: int) -> Strip:
        """Paint one line."""
        palette, width, ground = palette_of(self), self.size.width, self.rich_style
        index = self.first + y
        if index >= len(self.rows):
            if y == 0 and self.empty:
                return strip_of(((self.empty, "dim"),), palette, width, ground)
            return Strip.blank(width, ground)
        over = None
        if self._has_cursor and index == self.cursor:
            over = palette["cursor" if self.active else "cursor-blurred"]
        return strip_of(self.rows[index].spans, palette, width, ground, over)
