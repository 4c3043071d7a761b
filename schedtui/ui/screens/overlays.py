"""Screens that lie over the main one: lists to read, lists to choose from, the question before quitting.

Owns their keys and their frame. What is listed is made by the caller as rows; the choice is handed back.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from schedtui.ui.key_table import key_of_event
from schedtui.ui.screens.typed_ahead import hand_on
from schedtui.ui.widgets.answer_line import AnswerLine
from schedtui.ui.widgets.bars import KeyRow, PaneTitle
from schedtui.ui.widgets.rows import Row, RowsView, row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult

    from schedtui.ui.messages import ListOffered

_NUMBERED = re.compile(r"\W?\s{1,3}(\d{1,2}) ")
"""How a counted row begins: ``▶  3 source of one release``."""

_MOVES: dict[str, Callable[[RowsView], None]] = {
    "j": lambda view: view.move(1),
    "down": lambda view: view.move(1),
    "k": lambda view: view.move(-1),
    "up": lambda view: view.move(-1),
    "space": lambda view: view.move_pages(1),
    "pagedown": lambda view: view.move_pages(1),
    "B": lambda view: view.move_pages(-1),
    "pageup": lambda view: view.move_pages(-1),
    "g": lambda view: view.move_to(0),
    "home": lambda view: view.move_to(0),
    "G": lambda view: view.move_to(-1),
    "end": lambda view: view.move_to(-1),
}
"""The moves that every list knows, letters and named keys."""

LEAST_FOLDED = 20
"""Columns that the end of a row needs to be continued below itself."""


class SelectedText(Static):
    """The selected row in full, when it is longer than the screen is wide."""

    DEFAULT_CSS = """
    SelectedText { height: auto; max-height: 4; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, item: Row | None, width: int) -> None:
        """Show a row, or nothing when it fits."""
        text = item.text.strip() if item is not None else ""
        self.display = cell_len(text) > width
        self.update(text if self.display else "")


class Overlay(ModalScreen[Any]):
    """A screen over the main one that goes once, and takes no other with it."""

    def dismiss(self, result: Any = None) -> AwaitComplete:  # noqa: ANN401  # each overlay hands back its own
        """Go, if this is the screen on top: Textual would take away whichever is."""
        if self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)


class ListScreen(Overlay):
    """A titled list. Enter chooses (when there is something to choose), Escape or q goes back."""

    DEFAULT_CSS = """
    ListScreen { background: $background; }
    ListScreen Vertical { height: 1fr; background: $background; }
    """

    def __init__(
        self, title: str, rows: Sequence[Row], *, choose: bool = False, keys: Sequence[tuple[str, str]] = (),
        empty: str = "Nothing here.",
    ) -> None:  # fmt: skip
        """Create it.

        Args:
            title: What it lists.
            rows: The rows; with ``choose``, Enter hands back the payload of the selected one.
            choose: True when a row can be chosen.
            keys: Further (key, label) pairs; such a key hands back (key, payload).
            empty: What is said without rows.
        """
        super().__init__()
        self._title = title
        self._rows = tuple(rows)
        self._choose = choose
        self._keys = tuple(keys)
        self._empty = empty
        self._typed = ""
        """Digits that were typed one behind the other."""

    def compose(self) -> ComposeResult:
        """Title, rows, keys."""
        with Vertical():
            yield PaneTitle(self._title)
            yield RowsView(id="list", empty=self._empty, cursor=self._choose)
            yield SelectedText()
            yield KeyRow()

    def on_mount(self) -> None:
        """Fill it."""
        self.query_one(PaneTitle).show(focused=True)
        self.view.set_active(True)
        self.view.set_rows(self._rows)
        self._fold()
        enter = [("Enter", "choose")] if self._choose else []
        numbers = [("number", "go there")] if any(map(_number_of, self._rows)) and self._choose else []
        self.query_one(KeyRow).show_keys([*enter, *self._keys, ("j/k", "move"), *numbers, ("Esc", "back")])

    @property
    def view(self) -> RowsView:
        """The list."""
        return self.query_one("#list", RowsView)

    def on_resize(self) -> None:
        """Fold long lines of what is only read; show what is cut of the selected one."""
        self._fold()
        self._show_selected()

    def _show_selected(self) -> None:
        self.query_one(SelectedText).show(self.view.selected, self.size.width)

    def _fold(self) -> None:
        if not self._choose and self.size.width:
            self.view.set_rows(folded(self._rows, self.size.width))

    def update_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        self._rows = tuple(rows)
        if self.is_mounted:
            self.view.set_rows(self._rows)
            self._fold()

    def on_key(self, event: events.Key) -> None:
        """Move, choose or go back."""
        if hand_on(self, event):
            return
        event.stop()
        key = key_of_event(event.key, event.character)
        extra = {name for name, _ in self._keys}
        selected = self.view.selected
        payload = selected.payload if selected else None
        self._typed = self._typed + key if key.isdecimal() else ""
        if key in extra:
            self.dismiss((key, payload))
        elif self._typed and self._choose:
            self._go_to_number()
        elif key in _MOVES:
            _MOVES[key](self.view)
            self._show_selected()
        elif key == "enter" and self._choose:
            if payload is not None:
                self.dismiss(payload)
        elif key in ("escape", "q", "?", "enter"):
            self.dismiss(None)

    def _go_to_number(self) -> None:
        """To the row with the number typed, digit after digit; its last digit alone where there is none."""
        numbers = [_number_of(item) for item in self._rows]
        for typed in (self._typed, self._typed[-1]):
            if typed in numbers:
                self._typed = typed
                self.view.move_to(numbers.index(typed))
                self._show_selected()
                return
        self._typed = ""


def _number_of(item: Row) -> str:
    """The number that a row begins with, behind a sign; empty for rows that are not counted."""
    found = _NUMBERED.match(item.text)
    return found[1] if found else ""


class ChooserScreen(Overlay):
    """A line to type on and the rows that match it; the palette and the catalogue."""

    DEFAULT_CSS = """
    ChooserScreen { background: $background; }
    ChooserScreen Vertical { height: 1fr; background: $background; }
    ChooserScreen Input { height: 1; border: none; padding: 0; background: $surface; }
    ChooserScreen Input:focus { border: none; }
    """

    def __init__(self, title: str, rows: Sequence[Row], *, placeholder: str = "", free: bool = False) -> None:
        """Create it.

        Args:
            title: What is chosen.
            rows: All rows; their text is matched, their payload handed back.
            placeholder: What the empty line says.
            free: What was typed is handed back with the payload, as (payload, text); the payload is None when no
                row matches.
        """
        super().__init__()
        self._title = title
        self._rows = tuple(rows)
        self._placeholder = placeholder
        self._free = free
        self._matched = ""
        """What the rows that are shown match."""

    def compose(self) -> ComposeResult:
        """Title, line, rows, keys."""
        with Vertical():
            yield PaneTitle(self._title)
            yield AnswerLine(self._placeholder)
            yield RowsView(id="list", empty="Nothing matches.")
            yield SelectedText()
            yield KeyRow()

    def on_mount(self) -> None:
        """Fill it and let the keys go to the line."""
        self.query_one(PaneTitle).show(focused=True)
        self.query_one(KeyRow).show_keys(
            [("type", "to search"), ("↑↓", "move"), ("Enter", "choose"), ("Esc", "back")]
        )
        self._view.set_active(True)
        self._view.set_rows(self._rows)
        self.set_focus(self.query_one(Input), scroll_visible=False)

    @property
    def _view(self) -> RowsView:
        return self.query_one("#list", RowsView)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the rows that match, the best first."""
        event.stop()
        self._match(event.value)

    def _match(self, typed: str) -> None:
        if typed == self._matched:
            return
        self._matched = typed
        self._view.set_rows(matching(self._rows, typed))
        self._view.move_to(0)
        self._show_selected()

    def on_answer_line_answered(self, event: AnswerLine.Answered) -> None:
        """Choose the row under the cursor, or go back."""
        event.stop()
        if event.text is None:
            self.dismiss(None)
            return
        # In a burst Enter comes before it is told what was typed.
        self._match(event.text)
        selected = self._view.selected
        payload = selected.payload if selected else None
        if self._free:
            self.dismiss((payload, event.text))
        elif payload is not None:
            self.dismiss(payload)
        # Where nothing was chosen, the line goes on.
        self.query_one(AnswerLine).answered = self.app.screen is not self

    def on_key(self, event: events.Key) -> None:
        """Move or go back; letters belong to the line."""
        if not self.is_current and hand_on(self, event):
            return
        if event.key == "escape":
            event.stop()
            self.dismiss(None)
        elif event.key in ("up", "down", "pageup", "pagedown"):
            event.stop()
            self._match(self.query_one(AnswerLine).value)
            _MOVES[event.key](self._view)
            self._show_selected()
        else:
            hand_on(self, event)

    def on_resize(self) -> None:
        """Show what is cut of the selected row."""
        self._show_selected()

    def _show_selected(self) -> None:
        self.query_one(SelectedText).show(self._view.selected, self.size.width)


def list_rows(offer: ListOffered) -> list[Row]:
    """The rows of a list that was offered."""
    return [
        row((text, role), key=str(index), payload=wish) for index, (text, role, wish) in enumerate(offer.lines)
    ]


def list_screen(offer: ListOffered) -> ListScreen | ChooserScreen:
    """The screen for a list that was offered; it hands back the wish of the row that was chosen."""
    rows = list_rows(offer)
    if offer.search:
        return ChooserScreen(offer.title, rows)
    return ListScreen(offer.title, rows, choose=offer.choose)


def folded(rows: Sequence[Row], width: int) -> list[Row]:
    """Rows with lines that are too long continued on the next ones, indented as they began."""
    result: list[Row] = []
    for item in rows:
        text = item.text
        if cell_len(text) <= width:
            result.append(item)
            continue
        if len(item.spans) > 1:
            result += _folded_end(item, width)
            continue
        role = item.spans[0][1]
        indent = " " * (len(text) - len(text.lstrip()) + 2)
        lines = textwrap.wrap(text, width, subsequent_indent=indent, drop_whitespace=False, tabsize=4) or [text]
        result += [replace(item, spans=((line, role),)) for line in lines]
    return result


def _folded_end(item: Row, width: int) -> list[Row]:
    """A row of several parts, its last one continued below itself."""
    head, (text, role) = item.spans[:-1], item.spans[-1]
    indent = cell_len("".join(part for part, _ in head))
    if width - indent < LEAST_FOLDED:
        return [item]
    first, *more = textwrap.wrap(text, width - indent, drop_whitespace=False, tabsize=4) or [text]
    below = [replace(item, spans=((" " * indent + line.lstrip(), role),)) for line in more]
    return [replace(item, spans=(*head, (first, role))), *below]


def matching(rows: Sequence[Row], typed: str) -> list[Row]:
    """Rows that hold every typed word, or (for a command with arguments) begin with its first word.

    A row that is named so, or has that key, comes first, then rows whose text begins with what was typed, then
    those with the words in order of appearance.
    """
    words = typed.lower().split()
    if not words:
        return list(rows)
    scored: list[tuple[int, int, Row]] = []
    for index, item in enumerate(rows):
        text = item.text.lower().strip()
        if typed.strip() in [part.strip() for part, _ in item.spans[:2]]:
            scored.append((0, index, item))
        elif item.key.lower() == words[0] or text.startswith(typed.lower()):
            scored.append((1, index, item))
        elif all(word in text for word in words):
            scored.append((2, index, item))
    return [item for _, _, item in sorted(scored, key=lambda entry: entry[:2])]


class ConfirmScreen(Overlay):
    """A question with one key per answer; Escape is always no."""

    DEFAULT_CSS = """
    ConfirmScreen { align: center middle; background: $background 40%; }
    ConfirmScreen Vertical { width: 76; max-width: 100%; height: auto; max-height: 100%; background: $surface;
        padding: 1 2; }
    ConfirmScreen RowsView { height: auto; background: $surface; }
    ConfirmScreen KeyRow { background: $surface; margin-top: 1; }
    """

    def __init__(self, rows: Sequence[Row], answers: Sequence[tuple[str, str, str]]) -> None:
        """Create it.

        Args:
            rows: The question.
            answers: (key, label, what is handed back); Escape hands back the empty string.
        """
        super().__init__()
        self._rows = tuple(rows)
        self._answers = tuple(answers)

    def compose(self) -> ComposeResult:
        """Question and answers."""
        with Vertical():
            yield RowsView(id="question", cursor=False)
            yield KeyRow()

    def on_mount(self) -> None:
        """Fill it."""
        view = self.query_one(RowsView)
        view.styles.height = len(self._rows)
        view.set_rows(self._rows)
        groups = [(key, label) for key, label, _ in self._answers if label]
        self.query_one(KeyRow).show_keys([*groups, ("Esc", "stay")])

    def on_key(self, event: events.Key) -> None:
        """Answer."""
        if hand_on(self, event):
            return
        event.stop()
        pressed = key_of_event(event.key, event.character)
        for key, _, result in self._answers:
            if pressed == key:
                self.dismiss(result)
                return
        if pressed in ("escape", "n"):
            self.dismiss("")
