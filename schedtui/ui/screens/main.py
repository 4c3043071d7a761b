"""The main screen: facts go to the panes, actions become wishes.

Owns the routing and what the status line knows. Layout and keys are in ``panes``, the actions in ``actions``; the
work itself is done by ``services``, which this module does not know.
"""

from __future__ import annotations

import copy
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on

from schedtui.debugger import model
from schedtui.ui import messages
from schedtui.ui.screens.overlays import ListScreen, list_screen
from schedtui.ui.screens.remembering import RememberingScreen
from schedtui.ui.screens.status import STATE_WORDS, StatusFacts, status_parts
from schedtui.ui.stage import Stage
from schedtui.ui.themes import ROLES
from schedtui.ui.widgets.console import Console, ConsoleInput
from schedtui.ui.widgets.rows import row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.timer import Timer
    from textual.widget import Widget

    from schedtui.core.source_text import SourceText
    from schedtui.ui.key_table import KeyTable
    from schedtui.ui.keys import Need
    from schedtui.ui.widgets.rows import Row

SEVERITY_ROLES = {"information": "note", "warning": "warning", "error": "bad"}
"""Severity of a notice → role."""

GROWTH_SECONDS = 0.4
"""Counts that only grow are repainted at most this often."""


DLV_EXIT = ("exit", "quit", "q")
"""What ends dlv when it is typed to it: asked about like the key, for the session ends with it."""


class MainScreen(RememberingScreen):
    """The three panes at work."""

    def __init__(
        self, keys: KeyTable, panes: Mapping[str, Widget], first: str, available: frozenset[Need], *,
        verbosity: int | None = None, leader_election: bool = False, release: str = "",
    ) -> None:  # fmt: skip
        """Create it; the arguments of ``PanesScreen`` and what the status line knows from the start."""
        super().__init__(keys, panes, first, available)
        self.facts = StatusFacts(verbosity=verbosity, leader_election=leader_election, release=release)
        self._status_timer: Timer | None = None

    def on_mount(self) -> None:
        """Start the clock of the status line: it repaints only what changed."""
        self.go_to(self.active_pane)
        self.set_interval(1.0, self.show_status)
        self.show_status()

    def lay_out(self) -> None:
        """Lay out; the log's own status row depends on the width that its pane has then."""
        super().lay_out()
        if self.is_mounted and self.has_pane("log") and self.pane("log").display:
            self.call_after_refresh(self.pane("log").show_bar)

    @staticmethod
    def now() -> float:
        """Seconds since the epoch."""
        return time.time()

    # --- status -----------------------------------------------------------------------------------------------

    def know(self, **changes: object) -> None:
        """Take in facts for the status line."""
        self.facts = replace(self.facts, **changes)  # type: ignore[arg-type]  # names and types are StatusFacts' own
        self.show_status()

    def show_status(self) -> None:
        """Repaint status line and title rows where they changed."""
        if not self.is_mounted:
            return
        self._know_log()
        has_target = "debugger" in self.available or self.facts.state != "none"
        self.status.show(status_parts(self.facts, self.now(), has_debugger=has_target))
        summaries = {}
        if self.has_pane("debugger"):
            summaries["debugger"] = f"{STATE_WORDS[self.facts.state]} · {self.pane('debugger').summary}"
        if self.has_pane("queue"):
            summaries["queue"] = self.pane("queue").summary
        if self.has_pane("log"):
            summaries["log"] = self.pane("log").summary
        self.show_summaries(summaries)

    def _know_log(self) -> None:
        if not self.has_pane("log"):
            return
        state = self.pane("log").state
        counts = state.counts
        level = state.selection.level
        shown = counts.up_to(level)
        self.facts = replace(
            self.facts,
            level=level,
            level_lines=shown + counts.unknown + counts.warnings + counts.errors,
            hidden_lines=counts.up_to(10) - shown,
            unknown_levels=counts.unknown,
            log_note=state.notes[0] if state.notes else "",
        )

    @on(messages.Wish)
    def _wished(self, wish: messages.Wish) -> None:
        """Hand a wish on to the application.

        Textual ends the bubbling at the sender, and that is this screen when a key made the pane wish.
        """
        wish.stop()
        self.app.post_message(wish)

    # --- facts ------------------------------------------------------------------------------------------------

    @on(messages.DebuggerReported)
    def _debugger_reported(self, message: messages.DebuggerReported) -> None:
        event = message.event
        if isinstance(event, model.StateChanged | model.Stopped) and isinstance(self.app, Stage):
            # As a key's: even a slow line shows at once where it stands.
            self.app.frames.hurry()
        if isinstance(event, model.StateChanged):
            self._state_changed(event)
        elif not self.has_pane("debugger"):
            if isinstance(event, model.Failed):
                self._failed(event)
        else:
            self._dlv_told(event, message.source, message.sight)
        self.show_status()

    def _state_changed(self, event: model.StateChanged) -> None:
        stopped = event.state == "stopped"
        if event.state != self.facts.state:
            self.know(since=self.now())
        self.know(
            state=event.state, detail="" if stopped else event.detail,
            stopped_at=(self.facts.stopped_at or self.now()) if stopped else None,
        )  # fmt: skip
        if self.has_pane("debugger"):
            self.pane("debugger").show_state(event.state)
        if self.has_pane("queue"):
            self.pane("queue").show_stopped(stopped)
        if event.state in ("exited", "lost"):
            self.show_exit(event)
        else:
            self.target_lives()

    def _dlv_told(self, event: model.Event, source: SourceText | None, sight: messages.Sight) -> None:
        """What only a debugger tells."""
        pane = self.pane("debugger")
        if isinstance(event, model.Stopped):
            entry = "at its entry; c continues" if _at_entry(event.stop) else ""
            self.know(
                state="stopped",
                detail=entry or short_names(event.stop.title),
                at_entry=bool(entry),
                stopped_at=event.stop.at or self.facts.stopped_at or self.now(),
            )
            pane.show_state("stopped")
            if self.has_pane("queue"):
                self.pane("queue").show_stopped(True)
            pane.show_stop(event.stop, source, sight)
            self._log_to_the_stop(event.stop)
            if event.stop.note:
                self.notify_row(event.stop.note, "warning")
        elif isinstance(event, model.BreakpointsChanged):
            self.breakpoint_answered()
            pane.show_breakpoints(event.breakpoints)
        elif isinstance(event, model.ConsoleOutput):
            self.breakpoint_answered()
            pane.console.add(event.text, event.kind)
        elif isinstance(event, model.Evaluated):
            pane.show_evaluated(event)
        elif isinstance(event, model.GoroutinesListed):
            pane.show_goroutines(event)
        elif isinstance(event, model.QueueRead):
            self._queue_read(event)
        elif isinstance(event, model.FunctionsFound):
            pane.console.show_functions(event.functions)
        else:
            self._debugger_answered(event)

    def _queue_read(self, event: model.QueueRead) -> None:
        """The queue in memory, with the rebuilt one under it."""
        rows = [row((f"In memory ({event.where})", "tab-active")), *(row(f"  {line}") for line in event.lines)]
        if self.has_pane("queue"):
            lines = self.pane("queue").queue_lines
            rows += [row(""), row(("Rebuilt from the log", "tab-active")), *(row(f"  {line}") for line in lines)]
            rows += [row(""), row(("A pod that moved just before the stop may not be in the log yet.", "note"))]
        self.app.push_screen(ListScreen("The scheduling queue", rows))

    def _log_to_the_stop(self, stop: model.Stop) -> None:
        """Nothing is written while it stands: the end of the log is the moment of the stop.

        A step leaves the log where it is, and so does the user's own reading in it.
        """
        if stop.reason in ("step", "unknown") or not self.has_pane("log") or self.active_pane == "log":
            return
        pane = self.pane("log")
        kept, self.log_place_is_kept = self.log_place_is_kept or bool(self.log_line), False
        if not pane.view.following and not kept:
            pane.action_bottom()

    def _failed(self, event: model.Failed) -> None:
        self.breakpoint_answered()
        lines = [event.title, *event.details, *([event.hint] if event.hint else [])]
        self.note("\n".join(lines), "error")
        self.notify_row(f"{event.title}. {event.hint}", "bad")

    def _debugger_answered(self, event: model.Event) -> None:
        """The rarer events: failures, questions, verbosity."""
        if isinstance(event, model.Failed):
            self._failed(event)
        elif isinstance(event, model.VerbositySet):
            if event.v is not None:
                self.know(verbosity=event.v)
            self.notify_row(event.detail or f"The scheduler runs at -v {event.v}.")
        elif isinstance(event, model.QuestionAsked):
            rows = [
                row(
                    (choice, "key"),
                    ("  (safe)" if choice == event.safe else "", "note"),
                    key=choice,
                    payload=choice,
                )
                for choice in event.choices
            ]

            def answer(choice: str | None) -> None:
                self.post_message(messages.DebuggerCommandRequested(model.Answer(choice or event.safe)))

            self.app.push_screen(ListScreen(event.question, rows, choose=True), answer)

    @on(messages.SourceOpened)
    def _source_opened(self, message: messages.SourceOpened) -> None:
        if not self.has_pane("debugger"):
            rows = [
                row((f"{number:>6} ", "line-number"), line) for number, line in enumerate(message.source.lines, 1)
            ]
            screen = ListScreen(message.source.path or message.source.reason, rows)
            self.app.push_screen(screen)
            self.call_after_refresh(lambda: screen.view.move_to(max(0, message.line - 4)))
            return
        self.pane("debugger").show_source(message.source, message.line)
        self.go_to("debugger")

    @on(messages.LogOpened)
    def _log_opened(self, message: messages.LogOpened) -> None:
        if self.has_pane("log"):
            self.pane("log").open(message.source)
            self.wish(messages.LogShown(message.source))
        self.show_status()

    @on(messages.LogGrew)
    def _log_grew(self) -> None:
        if self.has_pane("log"):
            self.pane("log").show_growth()
        if self._status_timer is None:
            self._status_timer = self.set_timer(GROWTH_SECONDS, self._show_growth)

    def _show_growth(self) -> None:
        self._status_timer = None
        self.show_status()

    @on(messages.LogCursorMoved)
    def _log_cursor_moved(self, message: messages.LogCursorMoved) -> None:
        if self.queue_follows_cursor:
            self.wish(messages.QueueAtRequested(message.record, message.following))

    @on(messages.SourceMarked)
    def _source_marked(self, message: messages.SourceMarked) -> None:
        if self.has_pane("debugger"):
            self.pane("debugger").show_marked(message.source)

    @on(messages.QueueFolded)
    def _queue_folded(self, message: messages.QueueFolded) -> None:
        if self.has_pane("queue") and (not message.live or self.queue_is_live):
            self.pane("queue").show_snapshot(
                message.snapshot, live=message.live, course=message.course,
                clock_offset_us=message.clock_offset_us, placements=message.placements,
            )  # fmt: skip
        if message.snapshot.release and not self.facts.release:
            self.know(release=message.snapshot.release)
        self.show_status()

    @on(messages.PodStoryTold)
    def _story_told(self, message: messages.PodStoryTold) -> None:
        self.pane("queue").show_story(message.pod, message.lines, again=message.again)
        if not message.again:
            self.go_to("queue")

    @on(messages.LogLinePicked)
    def _log_line_picked(self, message: messages.LogLinePicked) -> None:
        if self.has_pane("log"):
            self.pane("log").go_to(str(message.line))
            self.go_to("log")

    @on(messages.TimesCounted)
    def _times_counted(self, message: messages.TimesCounted) -> None:
        self.pane("queue").show_times(message.lines)

    @on(messages.StationsCounted)
    def _stations_counted(self, message: messages.StationsCounted) -> None:
        self.pane("queue").show_stations(_read_rows(message.lines))

    @on(messages.VerbosityChanged)
    def _verbosity_changed(self, message: messages.VerbosityChanged) -> None:
        self.know(verbosity=message.v)
        if message.detail:
            self.notify_row(message.detail)

    @on(messages.QueueChecked)
    def _queue_checked(self, message: messages.QueueChecked) -> None:
        self.notify_row(message.summary, "good" if message.equal else "warning")
        if message.lines and not message.equal:
            self.app.push_screen(ListScreen(message.summary, [row(line) for line in message.lines]))

    @on(messages.NoticePosted)
    def _notice_posted(self, message: messages.NoticePosted) -> None:
        self.notify_row(message.text, SEVERITY_ROLES[message.severity])

    @on(messages.WorkProgressed)
    def _work_progressed(self, message: messages.WorkProgressed) -> None:
        share = f" {message.done * 100 // message.total} %" if message.total else ""
        self.know(progress=f"{message.step}{share}")

    @on(messages.WorkFinished)
    def _work_finished(self, message: messages.WorkFinished) -> None:
        self.know(progress="")

    @on(messages.WorkFailed)
    def _work_failed(self, message: messages.WorkFailed) -> None:
        self.know(progress="")
        error = message.error
        self.notify_row(error.title + (f": {error.where}" if error.where else ""), "bad")
        if error.details or error.hint:
            lines = error.as_text().split("\n")
            self.app.push_screen(ListScreen(error.title, [row(line) for line in lines]))

    @on(messages.ListOffered)
    def _list_offered(self, message: messages.ListOffered) -> None:
        """Something to read or to choose from; the choice goes back as a wish."""
        message.stop()
        if message.again:
            self.renew_list(message)
            return

        def choose(wish: object) -> None:
            if isinstance(wish, messages.CommandRequested):
                self.run_command(wish.name, wish.arguments)
            elif isinstance(wish, messages.Wish):
                # Lists are tables: what is wished there is wished again.
                self.post_message(copy.copy(wish))

        screen = list_screen(message)
        self.app.push_screen(screen, choose)
        self.keep_list(message, screen)

    @on(messages.SavedFilterChosen)
    def _filter_chosen(self, message: messages.SavedFilterChosen) -> None:
        self.pane("log").replace_filter((message.expression,))
        self.go_to("log")

    # --- the console --------------------------------------------------------------------------------------------

    @on(Console.LineTyped)
    def _line_typed(self, event: Console.LineTyped) -> None:
        event.stop()
        if event.text.startswith(":"):
            self.run_typed(event.text[1:])
        elif event.text in DLV_EXIT:
            self.leave_console()
            self.action_app_quit()
        else:
            self.post_message(messages.DebuggerCommandRequested(model.Console(event.text)))

    @on(messages.HistoryRemembered)
    def _history_remembered(self, message: messages.HistoryRemembered) -> None:
        if self.has_pane("debugger"):
            self.pane("debugger").remember(message.lines, message.stations)

    @on(ConsoleInput.Left)
    def _console_left(self, event: ConsoleInput.Left) -> None:
        event.stop()
        self.leave_console()


def short_names(text: str) -> str:
    """Go names without package and receiver: the pane's title has them in full, the status line few columns."""
    return re.sub(r"\b[A-Za-z_][\w/.()*-]*\.(?!go\b|func\d)([A-Za-z_]\w*(?:\.func\d+)*)", r"\1", text)


def _at_entry(stop: model.Stop) -> bool:
    """True before the target's first own instruction; of a dlv that somebody else started only the frame tells."""
    return stop.reason == "entry" or (bool(stop.frames) and stop.frames[0].function.startswith("_rt0_"))


def _read_rows(lines: tuple[tuple[str, str], ...]) -> list[Row]:
    """Lines made below as rows; a role that no theme knows is painted plainly."""
    return [row((text, role if role in ROLES else "")) for text, role in lines]
