"""How the screen is, told for the next session on the same tree, and made so again.

Owns what of the screen counts (tabs, level, the log's place) and when it can be restored: a line of the log is
there only once it is read. Where it is kept is for ``services``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from schedtui.ui import messages
from schedtui.ui.screens.trouble import TroubleScreen

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
        values = message.values
        if self.has_pane("debugger") and values.get("debugger"):
            self.pane("debugger").select_part(values["debugger"])
        if self.has_pane("queue") and values.get("queue"):
            self.pane("queue").select_tab(values["queue"])
        if values.get("level", "").isdigit():
            self.set_level(int(values["level"]))
        self.zoomed = bool(values.get("zoomed"))
        self.go_to(values.get("pane") or self.active_pane)
        if values.get("line", "").isdigit() and self.has_pane("log"):
            self.log_line = int(values["line"])
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
