"""Writes frames as differences (to come); for now every frame is Textual's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App


class FrameWriter:
    """Paints what changed."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    def display(self, screen: object, renderable: object) -> bool:
        """Paint a frame; False when Textual has to do it."""
        return False

    def forget(self) -> None:
        """The terminal may show anything."""
