"""The application: themes, signals and one director; wiring only.

Screens show, ``services`` work, ``director`` decides what comes next, ``launch`` is the door.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType

from schedtui.ui import messages, terminal
from schedtui.ui.frame_writer import FrameWriter
from schedtui.ui.themes import Palette, ThemeSet, choose_theme

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.screen import Screen

    from schedtui.ui.director import Director


class SchedtuiApp(App[int]):
    """One terminal screen for a scheduler, its log and its queue."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        # Textual would quit, or copy, where ours interrupts the scheduler.
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+q", "nothing", show=False, priority=True),
    ]

    def __init__(self, director: Director, themes: ThemeSet, theme: str) -> None:
        """Create it.

        Args:
            director: Decides what is shown.
            themes: All themes.
            theme: The name of the one to begin with; empty: what suits the terminal.
        """
        super().__init__()
        self.director = director
        self.themes = themes
        for palette in themes.palettes.values():
            self.register_theme(palette.theme)
        self.palette: Palette = choose_theme(theme, themes)
        self.theme = self.palette.name
        self.animation_level = "none"
        self.frames = FrameWriter(self)

    def on_mount(self) -> None:
        """Catch signals and begin."""
        terminal.catch_signals(asyncio.get_running_loop(), self.director.leave)
        self.director.begin(self)

    def use_theme(self, name: str) -> None:
        """Paint in another theme."""
        self.palette = self.themes.palettes[name]
        self.theme = name
        for screen in self.screen_stack:
            for widget in screen.query("*"):
                widget.refresh()

    def action_interrupt(self) -> None:
        """Ctrl-C: interrupt the target, cancel the preparation; never quit a session."""
        self.director.interrupt()

    def action_nothing(self) -> None:
        """Ctrl-Q is flow control on some lines: it must do nothing."""

    @on(messages.Wish)
    async def _wished(self, wish: messages.Wish) -> None:
        await self.director.act(wish)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Textual's hook for painting: only what changed is written, where that is possible."""
        if not self.frames.display(screen, renderable):
            super()._display(screen, renderable)
