"""The two rows in which the guided tour says what to do next.

Owns how a hint is painted. Which hint it is and when it is done is ``ui.tour``'s.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.widget import Widget

from schedtui.ui.widgets.rows import palette_of, strip_of

if TYPE_CHECKING:
    from textual.strip import Strip

    from schedtui.ui.key_table import KeyTable
    from schedtui.ui.tour import TourHint

_KEY = re.compile(r"\{([\w.]+)\}")

Spans = list[tuple[str, str]]
"""(text, role) pairs."""


class TourStrip(Widget):
    """A hint: which key does what, and what is seen then."""

    DEFAULT_CSS = """
    TourStrip { height: 2; background: $surface; }
    """

    def __init__(self, keys: KeyTable) -> None:
        super().__init__()
        self._keys = keys
        self.hint: TourHint | None = None

    def show(self, hint: TourHint | None) -> None:
        """Show another hint; repaint only when it differs."""
        if hint != self.hint:
            self.hint = hint
            self.refresh()

    def rows(self) -> tuple[Spans, Spans]:
        """Both rows."""
        if self.hint is None:
            return [], []
        lead = f" tour {self.hint.count} "
        first = [(lead, "tab-active"), (" ", ""), (self._keys.shown_key(self.hint.action), "key")]
        first.append((f" {self.hint.text}", ""))
        return first, [(" " * (cell_len(lead) + 1), ""), *self._with_keys(self.hint.why)]

    def _with_keys(self, text: str) -> Spans:
        """The text with each ``{id}`` as the key of that action."""
        spans: Spans = []
        for number, part in enumerate(_KEY.split(text)):
            spans.append((self._keys.shown_key(part), "key") if number % 2 else (part, "note"))
        return spans

    def render_line(self, y: int) -> Strip:
        """Paint a row."""
        spans = self.rows()[y] if y < 2 else []
        return strip_of(spans, palette_of(self), self.size.width, self.rich_style)
