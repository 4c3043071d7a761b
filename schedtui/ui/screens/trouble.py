"""What the main screen says when something is wrong: an exit, a stall, an old program, a costly log, a build.

Owns the words around causes that others found, and the screens that show them. It looks for nothing itself.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from textual import on
from textual.widgets import Input

from schedtui.core.build_state import BuildState
from schedtui.core.exit_cause import ExitCause
from schedtui.debugger import model
from schedtui.ui import messages
from schedtui.ui.screens.build import BuildScreen
from schedtui.ui.screens.debug_actions import DebugActionsScreen
from schedtui.ui.screens.overlays import ListScreen, list_rows
from schedtui.ui.widgets.answer_line import AnswerLine
from schedtui.ui.widgets.console import ConsoleInput
from schedtui.ui.widgets.rows import row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.screen import Screen
    from textual.widget import Widget

    from schedtui.ui.key_table import KeyTable
    from schedtui.ui.keys import Need
    from schedtui.ui.widgets.rows import Row

LIVE_SECONDS = 2.0
"""Distance of two tellings of a list that is told anew."""

NOTICES_KEPT = 200
"""Notices that can be read again."""


NO_CAUSE = {
    False: "Its last lines name no cause that schedtui knows.",
    True: "Somebody, or the system for want of memory, ended dlv; a scheduler that dlv started ends with it.",
}
"""What is said of an end without a known cause; True for dlv's own."""

EXIT_ANSWERS: dict[str, messages.Wish] = {
    "r": messages.DebuggerCommandRequested(model.Restart()),
    "b": messages.RebuildRequested(),
    "o": messages.CommandRequested("doctor"),
    "q": messages.QuitRequested(),
}
"""Keys of the screen that tells of an exit."""


class TroubleScreen(DebugActionsScreen):
    """Panes that tell what is wrong."""

    def __init__(
        self, keys: KeyTable, panes: Mapping[str, Widget], first: str, available: frozenset[Need]
    ) -> None:
        """Create it; the arguments of ``PanesScreen``."""
        super().__init__(keys, panes, first, available)
        self.build_state = BuildState()
        self._notices: list[tuple[str, str]] = []
        self._exit: tuple[model.StateChanged, ExitCause] | None = None
        self._exit_screen: ListScreen | None = None
        self._exit_checked = False
        self._exit_untold = False
        """The target ended while somebody typed: its end is shown when the line is left."""
        self._stall = ""
        self._build_told = 0
        self._live_list: tuple[str, ListScreen] | None = None

    @abstractmethod
    def know(self, **changes: object) -> None:
        """Take in facts for the status line."""

    def note(self, text: str, kind: str = "note") -> None:
        """Say something in the console; without one it can be read again with ``:notes``."""
        if self.has_pane("debugger"):
            self.pane("debugger").console.add(text, kind)
        else:
            self._notices += [(line, "bad" if kind == "error" else "") for line in text.split("\n")]

    def notify_row(self, text: str, role: str = "note") -> None:
        """Show a notice; it can be read again."""
        if self._notices[-1:] != [(text, role)]:
            self._notices.append((text, role))
            del self._notices[:-NOTICES_KEPT]
        super().notify_row(text, role)

    def command_notes(self, _words: str) -> None:
        """Show what was told so far."""
        self.app.push_screen(ListScreen("Notices", [row(item) for item in self._notices], empty="None so far."))

    # --- the end of the target ----------------------------------------------------------------------------------

    def show_exit(self, event: model.StateChanged) -> None:
        """The target ended: say why, with its last lines as they came."""
        title = _exit_title(event)
        named = event.cause_id or ("told" if event.cause else "unknown")
        cause = ExitCause(named, event.cause or title, event.advice, event.evidence)
        self._exit = (event, cause)
        self._exit_checked = False
        self.note("\n".join((title, *event.last_output)), "error")
        if event.cause and not self.has_pane("debugger"):
            # With a debugger its owner has said the whole cause in the console.
            self.note("\n".join((event.cause, event.advice)).rstrip())
        self._stall = ""
        self.know(cause=event.cause)
        self._exit_untold = True
        line = self.app.screen.focused
        if self._typed_on():
            self.notify_row(f"{title}; Esc leaves this line, then r starts it anew.", "bad")
        elif isinstance(line, AnswerLine) and line.give_up():
            # A palette or a question with nothing in it: the next key is meant for what is told when it has gone.
            return
        elif isinstance(line, ConsoleInput):
            self.leave_console()
        else:
            self._tell_exit()

    def _typed_on(self) -> bool:
        """True while a line holds words: what is typed next belongs to them, and is no answer to anything else."""
        line = self.app.screen.focused
        return isinstance(line, Input) and bool(line.value) and not getattr(line, "answered", False)

    def _tell_exit(self) -> None:
        """Show the end and the keys that go on from there, once, and over nothing that is typed on."""
        if not self._exit_untold or self._exit is None or self._typed_on():
            return
        self._exit_untold = False
        event, cause = self._exit
        title = _exit_title(event)
        if event.exit_status == 0:
            self.notify_row(f"{title}; r starts it anew.", "warning")
            return
        keys = [("r", "start anew"), ("b", "build first"), ("o", "doctor"), ("q", "quit")]
        self._exit_screen = ListScreen(title, _exit_rows(event, cause, checked=self._exit_checked), keys=keys)
        self.app.push_screen(self._exit_screen, self._exit_answered)

    def on_screen_resume(self) -> None:
        """A palette or a list was left."""
        self._tell_exit()

    def line_left(self) -> None:
        """A question was answered: there is time for what happened meanwhile."""
        self._tell_exit()

    def leave_console(self) -> None:
        """Back from the console to the pane, or to what happened meanwhile."""
        super().leave_console()
        self._tell_exit()

    def command(self, command: model.Command) -> None:
        """Ask for a debugger command; one that starts the target anew needs no advice to do so."""
        if isinstance(command, model.Restart):
            self._exit_untold = False
        super().command(command)

    def _exit_answered(self, answer: tuple[str, object] | None) -> None:
        if answer is not None and answer[0] in EXIT_ANSWERS:
            self.wish(copy.copy(EXIT_ANSWERS[answer[0]]))

    def command_restart(self, _words: str) -> None:
        """Start the scheduler anew."""
        self.command(model.Restart())

    @on(messages.ExitExplained)
    def _exit_explained(self, message: messages.ExitExplained) -> None:
        if self._exit is None or self._exit[0].run != message.run:
            return
        event, before = self._exit
        cause = message.cause
        self._exit = (event, cause)
        self._exit_checked = True
        if cause.title != before.title:
            self.note("\n".join((cause.title, cause.advice)))
            self.know(cause=cause.title)
        for line in cause.also:
            self.note(line)
        if self._exit_screen is not None and self._exit_screen.is_attached:
            self._exit_screen.update_rows(_exit_rows(event, cause, checked=True))

    def target_lives(self) -> None:
        """It runs or stands: what was said of an earlier end does not hold any more."""
        if self._exit_screen is not None and self._exit_screen.is_current:
            self._exit_screen.dismiss(None)
        self._exit, self._exit_screen, self._exit_untold = None, None, False
        if not self._stall:
            self.know(cause="")

    # --- while it runs -----------------------------------------------------------------------------------------

    @on(messages.StallExplained)
    def _stall_explained(self, message: messages.StallExplained) -> None:
        cause = message.cause
        title = cause.title if cause is not None else ""
        if title == self._stall:
            return
        self._stall = title
        self.know(cause=title)
        if cause is None:
            self.note("The scheduler tries pods now.")
        else:
            self.note(cause.as_text())
            self.notify_row(f"{cause.title}. {cause.advice}", "warning")

    @on(messages.LogCostMeasured)
    def _log_cost_measured(self, message: messages.LogCostMeasured) -> None:
        self.note("\n".join((message.title, *message.lines)))
        self.notify_row(f"{message.title} :notes and , o tell more.", "warning")

    @on(messages.LabTold)
    def _lab_told(self, message: messages.LabTold) -> None:
        self.know(lab_note=message.text)

    @on(messages.BinaryAged)
    def _binary_aged(self, message: messages.BinaryAged) -> None:
        key = self.key_table.shown_key("app.rebuild")
        self.know(stale=f"old program ({key} rebuilds): {message.why}" if message.why else "")

    # --- lists that are told anew while they are looked at

    def keep_list(self, offer: messages.ListOffered, screen: Screen[Any]) -> None:
        """A list was put on the screen: ask for it anew as long as it is there."""
        if offer.live is None or not isinstance(screen, ListScreen):
            return
        self._live_list = (offer.title, screen)
        wish = offer.live

        def ask() -> None:
            if self._live_list is None or self._live_list[1] is not screen or not screen.is_attached:
                timer.stop()
            else:
                self.wish(copy.copy(wish))

        timer = self.set_interval(LIVE_SECONDS, ask)

    def renew_list(self, offer: messages.ListOffered) -> None:
        """Its rows, told anew."""
        if self._live_list is not None and self._live_list[0] == offer.title and self._live_list[1].is_attached:
            self._live_list[1].update_rows(list_rows(offer))

    def command_go(self, words: str) -> None:
        """Go to a pane by name."""
        self.go_to(words)

    # --- building ---------------------------------------------------------------------------------------------

    def action_app_build(self) -> None:
        """Show the build and the state of the program."""
        if not isinstance(self.app.screen, BuildScreen):
            self.app.push_screen(BuildScreen(self.build_state), self._build_chosen)

    def _build_chosen(self, wish: object) -> None:
        if isinstance(wish, messages.Wish):
            self.wish(wish)

    def action_app_rebuild(self) -> None:
        """Build anew and start again."""
        self.wish(messages.RebuildRequested())

    @on(messages.BuildProgressed)
    def _build_progressed(self, message: messages.BuildProgressed) -> None:
        state = self.build_state = message.state
        screen = self.app.screen
        if isinstance(screen, BuildScreen):
            screen.show_state(state)
        if not state.over:
            how_far = f" {state.done}/{state.total}" if state.total else ""
            self.know(progress=f"building{how_far}")
            return
        self.know(progress="")
        if state.title and state.number != self._build_told:
            self._build_told = state.number
            role = {"failed": "bad", "cancelled": "warning"}.get(state.phase, "good")
            self.note("\n".join((state.title, *(error.text for error in state.errors), state.hint)).rstrip(),
                      "error" if state.phase == "failed" else "note")  # fmt: skip
            self.notify_row(state.title, role)
            if state.phase == "failed" and not isinstance(screen, BuildScreen):
                self.app.push_screen(BuildScreen(state), self._build_chosen)


def _exit_title(event: model.StateChanged) -> str:
    if event.state == "lost":
        return event.detail or "dlv is gone"
    status = event.exit_status
    if status is None:
        return "The scheduler exited"
    return f"The scheduler exited with status {status}" if status >= 0 else f"The scheduler: {event.detail}"


def _exit_rows(event: model.StateChanged, cause: ExitCause, *, checked: bool) -> list[Row]:
    """Cause, what to do, last lines, what was checked, the keys that go on from there."""
    title = cause.title if cause.certain else f"Probably: {cause.title}"
    known = cause.id != "unknown"
    rows = [row((title if known else NO_CAUSE[event.state == "lost"], "bad"))]
    if cause.advice:
        rows.append(row((cause.advice, "note")))
    if cause.evidence and cause.evidence != event.last_output:
        rows += [row(""), *(row((f"  {line}", "warning")) for line in cause.evidence)]
    if event.last_output or event.state != "lost":
        rows += [row(""), row(("Its last lines:", "tab-active"))]
        rows += [row(f"  {line}") for line in event.last_output] or [row("  none")]
    rows += [row("")]
    rows += [row((line, "warning")) for line in cause.also]
    if checked and not cause.also and known and not cause.id.startswith("check-"):
        rows.append(row(("Own checks of kubeconfig, configuration, server and port found nothing more.", "dim")))
    elif not checked:
        rows.append(row(("Kubeconfig, configuration, server and port are being checked …", "dim")))
    rows.append(row(("Started anew, it gets its breakpoints again, and a log of its own.", "note")))
    return rows
