"""How the screen is, told for the next session on the same tree, and made so again.

Owns what of the screen counts (tabs, level, the log's place) and when it can be restored: a line of the log is
there only once it is read. Where it is kept is for ``services``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual import on

from schedtui.core.log_rows import ALL_LEVELS
from schedtui.ui import messages
from schedtui.ui.screens.trouble import TroubleScreen
from schedtui.ui.widgets.debugger_frame import PARTS
from schedtui.ui.widgets.queue_pane import TABS

if TYPE_CHECKING:
    from textual.timer import Timer

REMEMBER_SECONDS = 5.0
"""Distance of two looks at the screen, for a session that is come back to after a dropped line."""

SEEK_SECONDS = 0.2
"""Distance of two looks whether a log that was just opened has come to the line that it was left at."""


class RememberingScreen(TroubleScreen):
    """Panes that are found again as they were left."""

    _seeking: Timer | None = None

    log_line = 0
    """The line of the log that is to be gone to as soon as it is there; 0 for none."""
    log_place_is_kept = False
    """True until the first stop after a line was gone to: that stop does not lead away from it."""

    def on_mount(self) -> None:
        """Look at the screen now and then: a line may drop at any time."""
        self.set_interval(REMEMBER_SECONDS, self._remember_screen)

    def remembered_screen(self) -> dict[str, str]:
        """Pane, zoom, tabs, level and the log's place."""
        values = {"pane": self.active_pane, "zoomed": "yes" if self.zoomed else ""}
        if self.has_pane("debugger"):
            values["debugger"] = self.pane("debugger").part
        if self.has_pane("queue"):
            values["queue"] = self.pane("queue").tab
        if self.has_pane("log"):
            pane = self.pane("log")
            record = None if pane.view.following else pane.selected_record
            line = record.line if record is not None else self.log_line
            values["level"], values["line"] = str(pane.level), str(line) if line else ""
        return values

    def _remember_screen(self) -> None:
        self.wish(messages.ScreenChanged(self.remembered_screen()))

    @on(messages.ScreenRemembered)
    def _screen_remembered(self, message: messages.ScreenRemembered) -> None:
        # What another release called otherwise, or a hand changed, is passed over.
        values = message.values
        if self.has_pane("debugger") and (part := values.get("debugger")) in dict(PARTS):
            self.pane("debugger").select_part(part)
        if self.has_pane("queue") and (tab := values.get("queue")) in dict(TABS):
            self.pane("queue").select_tab(tab)
        if (level := _number(values.get("level"))) is not None and level <= ALL_LEVELS:
            self.set_level(level)
        self.zoomed = bool(values.get("zoomed"))
        pane = values.get("pane", "")
        self.go_to(pane if self.has_pane(pane) else self.active_pane)
        if (line := _number(values.get("line"))) is not None and self.has_pane("log"):
            self.log_line = line
            self._seeking = self.set_interval(SEEK_SECONDS, self._seek_log_line)

    def _seek_log_line(self) -> None:
        """Go to the line that the log was left at, once it is read and painted."""
        source, painted = self.pane("log").source, self.pane("log").view.state
        state = source.state()
        if painted.generation != state.generation or painted.selecting is not None or not painted.last:
            return
        address = source.address_of_line(self.log_line)
        row = source.row_of(address) if address is not None else None
        if row is not None and row >= painted.last:
            return
        if row is not None:
            self.log_place_is_kept = True
            self.pane("log").go_to(str(self.log_line))
        # Else all is read and it is not among it: the log was cut meanwhile, or the level hides it.
        self.log_line = 0
        if self._seeking is not None:
            self._seeking.stop()


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,15}", text) else None
