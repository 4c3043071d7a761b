"""The dlv console: a transcript and a line to type on.

Owns what was said and the history of what was typed. It sends nothing: a submitted line becomes a
``ConsoleLineTyped`` message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from schedtui.ui.widgets.rows import Row, RowsView, row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult

TRANSCRIPT_LIMIT = 5000
"""Lines kept on screen."""

KIND_ROLES = {"echo": "key", "output": "", "note": "note", "error": "bad", "trace": "log-call"}
"""Kind of console output → role; ``echo`` also starts with a prompt, ``note`` with a sign."""

KIND_SIGNS = {"echo": "(dlv) ", "note": "· ", "error": "! ", "trace": "> "}
"""What tells the kinds apart without colour."""


class ConsoleInput(Input):
    """One line with a history that the arrow keys walk through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "history(-1)", show=False),
        Binding("down", "history(1)", show=False),
        Binding("escape", "leave", show=False),
    ]

    @dataclass
    class Left(Message):
        """Escape was pressed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, compact=True, select_on_focus=False, placeholder="dlv command; Esc leaves")
        self.history: list[str] = []
        self._at = 0

    def remember(self, line: str) -> None:
        """Add a line, unless it repeats the last one."""
        if line and (not self.history or self.history[-1] != line):
            self.history.append(line)
        self._at = len(self.history)

    def action_leave(self) -> None:
        """Give the keys back to the pane; what was typed so far stays."""
        self.post_message(self.Left())

    def action_history(self, by: int) -> None:
        """Show an older or newer line."""
        self._at = max(0, min(len(self.history), self._at + by))
        self.value = self.history[self._at] if self._at < len(self.history) else ""
        self.cursor_position = len(self.value)


class Console(Vertical):
    """Transcript above, input below."""

    DEFAULT_CSS = """
    Console { height: 5; }
    Console ConsoleInput { height: 1; border: none; padding: 0; background: $surface; }
    Console ConsoleInput:focus { border: none; }
    """

    @dataclass
    class LineTyped(Message):
        """A line was entered."""

        text: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._rows: list[Row] = []

    def compose(self) -> ComposeResult:
        """The two parts."""
        yield RowsView(id="transcript", cursor=False, empty="` types to dlv; break, print, stack … go there")
        yield ConsoleInput(id="console-input")

    @property
    def input(self) -> ConsoleInput:
        """The line that is typed on."""
        return self.query_one(ConsoleInput)

    @property
    def transcript(self) -> str:
        """All that is kept, as text."""
        return "\n".join(item.text for item in self._rows)

    def remember(self, lines: Iterable[str]) -> None:
        """Fill the history with an earlier session's lines."""
        for line in lines:
            self.input.remember(line)

    def add(self, text: str, kind: str) -> None:
        """Append output; it is shown at once."""
        role, sign = KIND_ROLES.get(kind, ""), KIND_SIGNS.get(kind, "")
        lines = text.rstrip("\n").split("\n")
        self._rows.extend(row((sign, "dim"), (line, role)) for line in lines)
        del self._rows[:-TRANSCRIPT_LIMIT]
        view = self.query_one(RowsView)
        view.set_rows(self._rows)
        view.move_to(-1)

    def scroll_pages(self, by: float) -> None:
        """Look back in the transcript."""
        self.query_one(RowsView).move_pages(by)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Hand the line on; an empty one does nothing (dlv would repeat its last command)."""
        event.stop()
        text = event.value.strip()
        if not text:
            return
        self.input.remember(text)
        self.input.value = ""
        self.post_message(self.LineTyped(text))
