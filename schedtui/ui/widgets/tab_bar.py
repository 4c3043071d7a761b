"""A row of tab names; the active one is underlined and bracketed, so that it is seen without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.widget import Widget

from schedtui.ui.widgets.rows import palette_of, strip_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.strip import Strip


_MORE = ("", "…")
"""Stands for the tabs that there is no room for."""


class TabBar(Widget):
    """Shows which tabs there are."""

    DEFAULT_CSS = """
    TabBar { height: 1; }
    """

    def __init__(self, tabs: Sequence[tuple[str, str]], *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        """Create it from (name, word) pairs."""
        super().__init__(id=id)
        self.tabs = tuple(tabs)
        self.active = self.tabs[0][0]
        self.open = self.active
        self.badges: dict[str, str] = {}
        """Tab → a word behind its name, a count mostly."""

    def show(self, active: str, opened: str = "") -> None:
        """Mark the tab that has the keys, and the one whose content is shown."""
        if (active, opened or active) != (self.active, self.open):
            self.active, self.open = active, opened or active
            self.refresh()

    def _fitting(self) -> list[tuple[str, str]]:
        """Tabs with their texts; where room is short, badges of others go first, then the first and the last tabs.

        What has the keys, or is shown, is always seen.
        """
        seen = (self.active, self.open)
        badges = {name: f" {badge}" for name, badge in self.badges.items() if badge}
        shown = [(name, word + badges.get(name, "")) for name, word in self.tabs]
        if self._cells(shown) > self.size.width:
            shown = [(name, word + (badges.get(name, "") if name in seen else "")) for name, word in self.tabs]
        last = max(place for place, (name, _) in enumerate(shown) if name in seen)
        while self._cells(shown[: last + 1]) > self.size.width and shown[0][0] not in seen:
            shown, last = shown[1:], last - 1
        if self._cells(shown) <= self.size.width:
            return shown
        while len(shown) > last + 1 and self._cells([*shown, _MORE]) > self.size.width:
            shown.pop()
        return [*shown, _MORE]

    @staticmethod
    def _cells(tabs: Sequence[tuple[str, str]]) -> int:
        return sum(cell_len(text) + 2 for _, text in tabs)

    def render_line(self, y: int) -> Strip:
        """Paint the row."""
        spans: list[tuple[str, str]] = []
        for name, text in self._fitting():
            if name == self.active:
                spans += [("[", "key"), (text, "tab-active"), ("]", "key")]
            elif name == self.open:
                spans += [(" ", ""), (text, "tab-active"), (" ", "")]
            else:
                spans.append((f" {text} ", "tab"))
        return strip_of(spans, palette_of(self), self.size.width, self.rich_style)
