"""The application: the interrupt key and one director; wiring only.

Screens show, ``services`` work, ``director`` decides what comes next, ``launch`` is the door.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.actions import SkipAction
from textual.binding import Binding, BindingType

from schedtui.ui import messages
from schedtui.ui.screens.overlays import ConfirmScreen, ListScreen, list_screen
from schedtui.ui.stage import Stage
from schedtui.ui.widgets.answer_line import AnswerLine
from schedtui.ui.widgets.bars import KeyRow
from schedtui.ui.widgets.rows import row

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.ui.director import Director
    from schedtui.ui.themes import ThemeSet


class SchedtuiApp(Stage):
    """One terminal screen for a scheduler, its log and its queue."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Textual would quit, or copy, where ours interrupts the scheduler.
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+q", "nothing", show=False, priority=True),
        # For what lies over the panes; there the key table has it.
        Binding("ctrl+l", "redraw_over", show=False, priority=True),
    ]

    def __init__(
        self, director: Director, themes: ThemeSet, theme: str, begun: Callable[[], None] | None = None
    ) -> None:  # fmt: skip
        """Create it.

        Args:
            director: Decides what is shown.
            themes: All themes.
            theme: The name of the one to begin with; empty: what suits the terminal.
            begun: Called once there is something that can be asked to leave.
        """
        super().__init__(themes, theme, low_bandwidth=director.request.low_bandwidth)
        self.director = director
        self._begun = begun

    def on_mount(self) -> None:
        """Begin."""
        if self._begun is not None:
            self._begun()
        self.director.begin(self)

    def action_interrupt(self) -> None:
        """Ctrl-C: give up a question, else interrupt the target or cancel the preparation; never quit."""
        focused = self.screen.focused
        if isinstance(focused, AnswerLine) and focused.give_up():
            return
        if isinstance(self.screen, ConfirmScreen):
            self.screen.dismiss("")
            return
        self.director.interrupt()

    def action_nothing(self) -> None:
        """Ctrl-Q is flow control on some lines: it must do nothing."""

    def action_redraw_over(self) -> None:
        """Ctrl-L in lists, palette and start screen: paint the whole screen anew."""
        if self.director.main is self.screen:
            raise SkipAction
        self.redraw()

    @on(messages.Wish)
    async def _wished(self, wish: messages.Wish) -> None:
        await self.director.act(wish)

    @on(messages.ListOffered)
    def _list_offered(self, message: messages.ListOffered) -> None:
        """Before there is a main screen: the doctor on the start screen, or after a failed preparation."""
        self.push_screen(list_screen(message), self._chosen)

    def _chosen(self, wish: object) -> None:
        if isinstance(wish, messages.Wish):
            self.post_message(wish)

    @on(messages.NoticePosted)
    def _notice_posted(self, message: messages.NoticePosted) -> None:
        if self.director.main is None:
            for bottom in self.screen.query(KeyRow):
                bottom.show_notice(message.text, "note" if message.severity == "information" else "warning")

    @on(messages.WorkFailed)
    def _work_failed(self, message: messages.WorkFailed) -> None:
        if self.director.main is None:
            rows = [row(line) for line in message.error.as_text().split("\n")]
            self.push_screen(ListScreen(message.error.title, rows))
