"""The one-line inputs of the log pane: search, filter, file name.

Owns asking for a line inside the pane. What the line means is ``log_pane``'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from schedtui.ui.widgets.edit_line import EditLine
from schedtui.ui.widgets.literal import literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.events import Key


class _Field(EditLine):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "history(-1)", "older", show=False),
        Binding("down", "history(1)", "newer", show=False),
    ]

    def __init__(self, owner: LogInput) -> None:
        super().__init__(compact=True, select_on_focus=False)
        self._owner = owner
        self.history: list[str] = []
        self.answered = True
        """The question is answered: keys typed ahead are no part of it any more."""
        self.questions = 0
        """How many have been asked: keys typed ahead belong to one of them."""
        self._at = 0

    def use_history(self, lines: list[str]) -> None:
        """Walk through these earlier lines."""
        self.history, self._at = lines, len(lines)

    def action_history(self, by: int) -> None:
        """Show an older or newer line."""
        self._at = max(0, min(len(self.history), self._at + by))
        self.value = self.history[self._at] if self._at < len(self.history) else ""
        self.cursor_position = len(self.value)

    async def _on_key(self, event: Key) -> None:
        if self.answered:
            # Typed ahead behind Enter: it goes on to the pane's keys, and not to the class below this one.
            event.prevent_default()
            return
        event.seen_by_input = True  # type: ignore[attr-defined]
        if event.key in ("enter", "escape"):
            # Here and now, not by a binding on its way up: the next key may be waiting already.
            event.stop()
            event.prevent_default()
            await (self.action_submit() if event.key == "enter" else self.action_give_up())
            return
        await super()._on_key(event)

    async def action_submit(self) -> None:
        """Take the line as it is; one that is not understood goes on, also for what is typed behind Enter."""
        if not self._owner.accepts(self._owner.kind, self.value):
            return
        self.answered = True
        self._owner.submit(self.value)

    async def action_give_up(self) -> None:
        """Leave without an answer."""
        self.answered = True
        self._owner.give_up()


class LogInput(Horizontal):
    """A question and its input; hidden until something is asked."""

    DEFAULT_CSS = """
    LogInput { height: 1; display: none; }
    LogInput Static { width: auto; }
    LogInput Input { width: 1fr; height: 1; border: none; padding: 0; background: $background; }
    LogInput Input:focus { border: none; }
    """

    @dataclass
    class Answered(Message):
        """A line was entered."""

        kind: str
        text: str

    @dataclass
    class Edited(Message):
        """A line is being typed."""

        kind: str
        text: str

    @dataclass
    class GivenUp(Message):
        """Escape was pressed."""

        kind: str

    def __init__(self) -> None:
        super().__init__()
        self.kind = ""
        """What was asked for last: ``search``, ``filter``, ``save``."""
        self.accepts: Callable[[str, str], bool] = lambda kind, text: True
        """Whether a line is an answer to a kind of question; asked at Enter, before the next key."""
        self._histories: dict[str, list[str]] = {}

    def compose(self) -> ComposeResult:
        """Question and input."""
        yield Static("", markup=False)
        yield _Field(self)

    @property
    def field(self) -> Input:
        """The input."""
        return self.query_one(Input)

    @property
    def asking(self) -> bool:
        """A question is open."""
        return not self.query_one(_Field).answered

    def ask(self, kind: str, question: str, initial: str = "") -> None:
        """Show the question and take the keys."""
        self.kind = kind
        self.query_one(Static).update(literal(question) + " ")
        field = self.query_one(_Field)
        field.use_history(self._histories.setdefault(kind, []))
        field.answered = False
        field.questions += 1
        with field.prevent(Input.Changed):
            field.value = initial
        field.cursor_position = len(initial)
        # At once, by hand: what is typed right behind the key belongs into the input.
        self.display = True
        self.screen.set_focus(field, scroll_visible=False)

    def close(self) -> None:
        """Hide it."""
        self.display = False
        self.query_one(_Field).answered = True

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what is typed."""
        event.stop()
        if self.asking and event.value == self.field.value:
            self.post_message(self.Edited(self.kind, event.value))

    def submit(self, text: str) -> None:
        """A line was entered: tell it now, while it is known what it was for."""
        history = self._histories.setdefault(self.kind, [])
        if text and text not in history[-1:]:
            history.append(text)
        self.post_message(self.Answered(self.kind, text))

    def give_up(self) -> None:
        """Escape was pressed."""
        self.post_message(self.GivenUp(self.kind))
