"""What a typed command may use: its words, the session, and the ways to say something.

Owns nothing of its own; the tables of commands are in ``commands`` and ``debug_commands``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.ui import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from schedtui.ui.services.prepare import Request
    from schedtui.ui.services.session import Session


@dataclass(frozen=True, slots=True)
class Context:
    """What a command may use."""

    words: str
    session: Session | None
    request: Request
    post: Callable[[Message], object]

    def tell(self, text: str) -> None:
        """Say something in the status line."""
        self.post(messages.NoticePosted(text))

    def offer(
        self, title: str, lines: tuple[tuple[str, str, messages.Wish | None], ...], *, choose: bool = False,
        search: bool = False,
    ) -> None:  # fmt: skip
        """Show a list."""
        self.post(messages.ListOffered(title, lines, choose, search))

    @property
    def logs(self) -> tuple[str, ...]:
        """The logs that are shown."""
        store = self.session.store if self.session is not None else None
        return tuple(store.inputs) if store is not None else ()
