"""V levels and call sites of the source, for the log pane, the gutter and jumps.

Owns the index of one checkout once it is loaded, and answers from any thread. Building the index is
``toolchain.level_index``'s; without a checkout nothing is known and nothing is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from textual.message import Message

    from schedtui.toolchain.checkout import Checkout


class Levels:
    """The level index of one checkout."""

    def __init__(self, checkout: Checkout | None, post: Callable[[Message], None]) -> None:
        self._checkout = checkout
        self._post = post

    def load(self) -> bool:
        """Build or read the index; False when there is none."""
        return False

    def lookup(self, file: str, line: int, message: str) -> int | None:
        """The V level of a text line; None when unknown."""
        return None

    def marks(self, path: Path) -> Mapping[int, str]:
        """Marks of a file's log calls by 1-based line."""
        return {}

    def call_site(self, file: str, line: int, message: str) -> Path | None:
        """The file on disk that logged a record."""
        return self._checkout.file_path(file) if self._checkout is not None else None
