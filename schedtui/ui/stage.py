"""The application as far as screens and commands need it: themes, palette, painting.

Owns what is painted with. What is shown, and what a wish does, is ``app``'s and ``director``'s.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App
from textual.filter import Monochrome
from textual.geometry import Size

from schedtui.ui.frame_writer import FrameWriter
from schedtui.ui.key_parser import keep_escapes
from schedtui.ui.key_turns import KeyTurns
from schedtui.ui.themes import Palette, ThemeSet, choose_theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType
    from textual.screen import Screen
    from textual.timer import Timer


FRAME_SECONDS = 1 / 15
"""Distance of two frames that no key asked for."""

RESIZED_SECONDS = 0.1
"""After this long without another change of the terminal's size all is painted anew."""

SLOW_LINE_FRAME_SECONDS = 1.0
"""The same with ``--low-bandwidth``: a log that goes on costs a screenful a second then, 1.5 kB at 80x24."""


class Stage(App[int]):
    """A Textual application with palettes."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(self, themes: ThemeSet, theme: str = "", *, low_bandwidth: bool = False) -> None:
        """Create it.

        Args:
            themes: All themes.
            theme: The name of the one to begin with; empty: what suits the terminal.
            low_bandwidth: Fewer frames.

        Raises:
            WrongUse: There is no theme of that name.
        """
        # Textual takes NO_COLOR out of the environment, so the choice comes first.
        chosen = choose_theme(theme, themes)
        keep_escapes()
        super().__init__()
        self.themes = themes
        for palette in themes.palettes.values():
            self.register_theme(palette.theme)
        self.palette: Palette = chosen
        # Textual would turn colours into greys. A theme without colours needs no filter, and one that the user
        # named counts more than NO_COLOR (no-color.org: flags and configuration override it).
        self._filters = [item for item in self._filters if not isinstance(item, Monochrome)]
        self.theme = self.palette.name
        self.animation_level = "none"
        self.frames = FrameWriter(self)
        self.frames.least_seconds = SLOW_LINE_FRAME_SECONDS if low_bandwidth else FRAME_SECONDS
        self.turns = KeyTurns(self, self._hand_out)
        self._sized = False
        self._resized: Timer | None = None

    async def on_event(self, event: events.Event) -> None:
        """Keep what is typed in its order."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self.turns.take(event)
        else:
            await super().on_event(event)

    async def _hand_out(self, event: events.Key | events.Paste) -> None:
        """Let the frames know whether it is the last: what that one brings about is painted at once."""
        if self.turns.waiting:
            self.frames.take_time()
        else:
            self.frames.hurry()
        await super().on_event(event)

    def wake(self, act: Callable[[], object]) -> None:
        """Do something soon; to be called by a signal's handler, while the loop sleeps or works."""
        loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self.call_later, act)

    def use_theme(self, name: str) -> None:
        """Paint in another theme."""
        self.palette = self.themes.palettes[name]
        self.theme = name
        for screen in self.screen_stack:
            for widget in screen.query("*"):
                widget.refresh()

    def on_resize(self) -> None:
        """The terminal's size changed, perhaps there and back: it lost text then, and Textual sees no change."""
        if not self._sized:
            # The first size is that of the beginning.
            self._sized = True
            return
        if self._resized is not None:
            self._resized.stop()
        self._resized = self.set_timer(RESIZED_SECONDS, self._settle_size)

    def _settle_size(self) -> None:
        """Paint all anew; in another size than was told, should the word of the last change have been lost."""
        if not self.is_headless:
            size = Size(*shutil.get_terminal_size())
            if size != self.size:
                self.post_message(events.Resize(size, size))
        self.redraw()

    def redraw(self) -> None:
        """Paint everything anew: the terminal may show something else than is thought."""
        self.frames.forget()
        # A timer may ask for it when the last screen has gone.
        if self.screen_stack:
            self.screen.refresh(layout=True)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Textual's hook for painting: only what changed is written, where that is possible."""
        if not self.frames.display(screen, renderable):
            super()._display(screen, renderable)
