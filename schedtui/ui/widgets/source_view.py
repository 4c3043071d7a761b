"""Source text with a gutter: current line, breakpoints, log calls.

Owns what is shown of one file at a time, its cursor and its search. Reading files, resolving breakpoints and
knowing levels belong to ``services``; they arrive as ``core.source_text.SourceText`` and ``GutterMark`` values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from schedtui.core.source_text import NO_SOURCE
from schedtui.ui.widgets.go_highlight import GoHighlighter
from schedtui.ui.widgets.literal import literal
from schedtui.ui.widgets.rows import palette_of, strip_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.source_text import SourceText
    from schedtui.ui.themes import Palette

JUMP_LIMIT = 100
"""How many places the jump list remembers."""


@dataclass(frozen=True, slots=True)
class GutterMark:
    """A breakpoint's look in the gutter."""

    sign: str
    role: str


class SourceView(Widget):
    """Shows a ``SourceText`` around a cursor line."""

    DEFAULT_CSS = """
    SourceView { height: 1fr; overflow: hidden; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.source = NO_SOURCE
        self.cursor = 0
        """0-based line under the cursor."""
        self.first = 0
        self.left = 0
        """Columns scrolled sideways."""
        self.active = False
        self.execution: tuple[str, int] | None = None
        """(path, 1-based line) where the selected frame stands."""
        self.marks: Mapping[int, GutterMark] = {}
        """1-based line → breakpoint sign, of the file shown."""
        self.search = ""
        self._jumps: list[tuple[SourceText, int]] = []
        self._highlighter: GoHighlighter | None = None
        self._highlighted: dict[int, tuple[tuple[str, str], ...]] = {}

    def show(self, source: SourceText, line: int, *, remember: bool = False) -> None:
        """Show a file with the cursor on a 1-based line; ``remember`` keeps the old place for ``jump_back``."""
        if remember and self.source.path:
            self._jumps = [*self._jumps[-JUMP_LIMIT + 1 :], (self.source, self.cursor + 1)]
        changed = source.path != self.source.path or source.lines is not self.source.lines
        self.source = source
        if changed:
            self._highlighter = None
            self._highlighted.clear()
            self.left = 0
        self.cursor = line - 1
        self._into_view(changed)
        self.refresh()

    def jump_back(self) -> bool:
        """Show the place before the last jump; False when there is none."""
        if not self._jumps:
            return False
        source, line = self._jumps.pop()
        self.show(source, line)
        return True

    def set_active(self, active: bool) -> None:
        """Show the cursor boldly, or faintly."""
        if active != self.active:
            self.active = active
            self.refresh()

    def set_marks(self, marks: Mapping[int, GutterMark]) -> None:
        """Show other breakpoint signs."""
        if marks != self.marks:
            self.marks = marks
            self.refresh()

    def move(self, by: int) -> None:
        """Move the cursor by lines."""
        self.cursor = max(0, min(self.cursor + by, len(self.source.lines) - 1))
        height = max(1, self.size.height)
        self.first = max(self.cursor - height + 1, min(self.first, self.cursor))
        self.refresh()

    def move_pages(self, by: float) -> None:
        """Move by pages."""
        self.move(round(by * max(1, self.size.height - 1)))

    def move_to(self, index: int) -> None:
        """Move to a 0-based line; negative counts from the end."""
        self.move((index if index >= 0 else len(self.source.lines) + index) - self.cursor)

    def scroll_sideways(self, by: int) -> None:
        """Scroll by columns."""
        self.left = max(0, self.left + by)
        self.refresh()

    def find(self, text: str, direction: int) -> bool:
        """Move to the next line that holds ``text`` (smart case), round the end; False when there is none."""
        self.search = text
        lines = self.source.lines
        fold = text == text.lower()
        for step in range(1, len(lines) + 1):
            index = (self.cursor + direction * step) % len(lines)
            line = lines[index].lower() if fold else lines[index]
            if text in line:
                self.move_to(index)
                return True
        return False

    def on_resize(self) -> None:
        """Keep the cursor in view; a pane that was folded showed its line alone."""
        before = self.first
        self._into_view(False)
        if self.first != before:
            self.refresh()

    def _into_view(self, fresh: bool) -> None:
        """Scroll so that the cursor is seen with some lines around it; little moves scroll little."""
        height = max(1, self.size.height)
        count = len(self.source.lines)
        self.cursor = max(0, min(self.cursor, count - 1))
        margin = min(3, (height - 1) // 2)
        if fresh or not self.first <= self.cursor < self.first + height:
            self.first = self.cursor - height // 2
        elif self.cursor < self.first + margin:
            self.first = self.cursor - margin
        elif self.cursor > self.first + height - 1 - margin:
            self.first = self.cursor - height + 1 + margin
        self.first = max(0, min(self.first, max(0, count - height)))

    def _spans(self, index: int) -> tuple[tuple[str, str], ...]:
        spans = self._highlighted.get(index)
        if spans is None:
            if self.source.path.endswith(".go"):
                if self._highlighter is None:
                    self._highlighter = GoHighlighter("\n".join(self.source.lines))
                spans = self._highlighter.spans(index)
            else:
                spans = ((self.source.lines[index], ""),)
            if len(self._highlighted) > 2000:
                self._highlighted.clear()
            self._highlighted[index] = spans
        return spans

    def render_line(self, y: int) -> Strip:
        """Paint one line."""
        palette, width, ground = palette_of(self), self.size.width, self.rich_style
        lines = self.source.lines
        index = self.first + y
        if not lines:
            text = self.source.reason if y == 0 else ""
            return strip_of(((text, "dim"),), palette, width, ground)
        if index >= len(lines):
            return Strip.blank(width, ground)
        number = index + 1
        digits = max(3, len(str(len(lines))))
        here = self.execution == (self.source.path, number)
        mark = self.marks.get(number, GutterMark(" ", ""))
        gutter = [
            Segment(mark.sign, palette[mark.role] if mark.role else None),
            Segment(f"{number:>{digits}}", palette["line-current" if here else "line-number"]),
            Segment("▶" if here else " ", palette["line-current"] if here else None),
        ]
        note = self.source.log_calls.get(number, "")
        room = max(0, width - digits - 2 - (len(note) + 1 if note else 0))
        code = Strip(_code_segments(self._spans(index), palette)).crop(self.left, self.left + room)
        segments = [*gutter, *code.adjust_cell_length(room)]
        if note:
            segments.append(Segment(f" {note}", palette["log-call"]))
        strip = Strip(segments).adjust_cell_length(width)
        if index == self.cursor:
            return strip.apply_style(ground + palette["cursor" if self.active else "cursor-blurred"])
        return strip.apply_style(ground)


def _code_segments(spans: tuple[tuple[str, str], ...], palette: Palette) -> list[Segment]:
    """Segments with tabs spread over the whole line, so that columns stay straight."""
    column = 0
    segments: list[Segment] = []
    for text, role in spans:
        pieces: list[str] = []
        for part in text.split("\t"):
            if pieces:
                blanks = 4 - column % 4
                pieces.append(" " * blanks)
                column += blanks
            shown = literal(part)
            pieces.append(shown)
            column += len(shown)
        style = palette[role] if role else None
        segments.append(Segment("".join(pieces), style))
    return segments
