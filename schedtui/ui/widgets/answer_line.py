"""A line to answer on: what Enter or Escape ends.

Owns the moment of the answer: it is told at once, and what was typed behind it is no part of it any more. What
the question is, and what becomes of the answer, is its owner's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from schedtui.ui.widgets.edit_line import EditLine

if TYPE_CHECKING:
    from textual.events import Key


class AnswerLine(EditLine):
    """One line of text, entered or given up."""

    @dataclass
    class Answered(Message):
        """Enter or Escape was pressed."""

        text: str | None
        """What was typed; None when it was given up."""

    def __init__(self, placeholder: str = "", *, answered: bool = False) -> None:
        """Create it.

        Args:
            placeholder: Shown while nothing is typed.
            answered: True when no question is open yet.
        """
        super().__init__(placeholder=placeholder, compact=True, select_on_focus=False)
        self.answered = answered
        """True while no question is open."""

    async def _on_key(self, event: Key) -> None:
        if self.answered:
            # Typed behind the answer: it belongs to the owner again, so the line must not take it.
            event.prevent_default()
            return
        if event.key in ("enter", "escape"):
            # At once, not by way of the bindings: what was typed behind it must not get into the line.
            event.stop()
            event.prevent_default()
            self._answer(self.value if event.key == "enter" else None)
            return
        await super()._on_key(event)

    def _answer(self, text: str | None) -> None:
        self.answered = True
        if self.parent is not None:
            # To the parent, where the keys that come behind go too: it must be there before them.
            self.parent.post_message(self.Answered(text))

    def give_up(self) -> bool:
        """Give the open question up; False when none is open."""
        if self.answered:
            return False
        self._answer(None)
        return True
