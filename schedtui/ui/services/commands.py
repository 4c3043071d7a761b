"""Typed commands of the palette that need more than the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from schedtui.ui.services.prepare import Request
    from schedtui.ui.services.session import Session


def run(
    name: str, words: str, session: Session | None, request: Request, post: Callable[[Message], object]
) -> bool:
    """Carry out a command; False when it is none of these."""
    return False
