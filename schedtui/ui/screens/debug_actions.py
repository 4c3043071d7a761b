"""What the debugger's keys and commands do: breakpoints, values, the console, what is saved of a session.

Owns one method per action id of the debugger, like ``actions`` for the rest. Each posts a wish or asks for what is
missing; none touches dlv.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedtui.core.masking import mask
from schedtui.debugger import model
from schedtui.ui import messages
from schedtui.ui.screens.actions import ActionsScreen
from schedtui.ui.screens.overlays import ConfirmScreen
from schedtui.ui.widgets.rows import row

if TYPE_CHECKING:
    from collections.abc import Callable


class DebugActionsScreen(ActionsScreen):
    """Panes that a debuggee can be handled from."""

    def action_debug_continue(self) -> None:
        """Let it run."""
        self.command(model.Continue())

    def action_debug_next(self) -> None:
        """Step over."""
        self.command(model.Step("next"))

    def action_debug_step(self) -> None:
        """Step into."""
        self.command(model.Step("step"))

    def action_debug_break_schedule_one(self) -> None:
        """Stop at each scheduling cycle."""
        self.command(model.SetBreakpoint("ScheduleOne"))

    def action_debug_break_pop(self) -> None:
        """Stop at each pop."""
        self.command(model.SetBreakpoint("Pop"))

    def action_debug_break_catalogue(self) -> None:
        """Choose from the catalogue."""
        self.wish(messages.CommandRequested("catalogue"))

    def action_debug_break_line(self) -> None:
        """Stop where the cursor is, or no longer."""
        if self.active_pane == "log":
            record = self.pane("log").selected_record
            if record is None:
                self.notify_row("Select a record first.", "warning")
            else:
                self.wish(messages.BreakAtRecordRequested(record))
            return
        pane = self.pane("debugger")
        path, line = pane.code.source.path, pane.code.cursor + 1
        existing = pane.breakpoint_at(path, line)
        if existing is not None:
            self.command(model.AmendBreakpoint(existing.id, "clear"))
        elif path:
            self.command(model.SetBreakpoint(f"{path}:{line}"))
        else:
            self.notify_row("No source line here.", "warning")

    def action_debug_break_pod(self) -> None:
        """Stop for the selected pod only."""
        pod = self.selected_pod()
        if pod:
            self.wish(messages.BreakOnPodRequested(pod))
        else:
            self.ask("Break on pod (namespace/name):", lambda text: self.wish(messages.BreakOnPodRequested(text)))

    def action_debug_break_station(self) -> None:
        """Choose a station for the selected pod."""
        pod = self.selected_pod()
        if pod:
            self.wish(messages.CommandRequested("catalogue", pod))
        else:
            self.ask("Stop for pod (namespace/name):",
                     lambda text: self.wish(messages.CommandRequested("catalogue", text)))  # fmt: skip

    def action_debug_break_pattern(self) -> None:
        """Stop when a line is logged."""
        self.ask("Stop when a log line matches:", lambda text: self.wish(messages.BreakOnPatternRequested(text)))

    def action_debug_break_location(self) -> None:
        """Stop at a typed place."""
        self.ask("Break at:", self.command_break)

    def command_break(self, words: str) -> None:
        """Set a breakpoint; ``if`` begins a condition."""
        location, _, condition = words.partition(" if ")
        if location.strip():
            self.command(model.SetBreakpoint(location.strip(), condition.strip()))

    def action_debug_trace(self) -> None:
        """Ask where to trace."""
        self.ask("Trace at [: what to print, …]:", self.command_trace)

    def command_trace(self, words: str) -> None:
        """Set a tracepoint; behind a colon and a blank stands what it prints."""
        location, _, prints = words.partition(": ")
        if location.strip():
            shown = tuple(part.strip() for part in prints.split(",") if part.strip())
            self.command(model.SetBreakpoint(location.strip(), tracepoint=True, prints=shown))

    def command_print(self, words: str) -> None:
        """Evaluate an expression in the console."""
        if words.strip():
            self.command(model.Console(f"print {words.strip()}"))

    def command_watch(self, words: str) -> None:
        """Watch an expression."""
        if words.strip():
            self.command(model.Watch(words.strip()))

    def command_bundle(self, words: str) -> None:
        """Save what a bug report needs."""
        pane = self.pane("debugger") if self.has_pane("debugger") else None
        queue = self.pane("queue") if self.has_pane("queue") else None
        record = self.pane("log").selected_record if self.has_pane("log") else None
        self.wish(
            messages.BundleRequested(
                words.strip(),
                pane.console.transcript if pane is not None else "",
                queue.snapshot_text if queue is not None else "",
                pane.breakpoints if pane is not None else (),
                self.selected_pod(),
                f"at log line {record.line}" if record is not None else "",
            )
        )

    def command_transcript(self, words: str) -> None:
        """Save the console's transcript."""
        if self.has_pane("debugger"):
            text = mask(self.pane("debugger").console.transcript)
            self.wish(messages.CommandRequested("save", f"{words.strip()}\n{text}\n"))

    def command_detach(self, words: str) -> None:
        """Leave the target running."""
        self.wish(messages.QuitRequested("detach"))

    def action_debug_console(self) -> None:
        """Type to dlv."""
        self.go_to("debugger")
        pane = self.pane("debugger")
        pane.add_class("-console")
        self.set_focus(pane.console.input, scroll_visible=False)
        self.show_keys()

    def leave_console(self) -> None:
        """Back from the console to the pane."""
        self.pane("debugger").remove_class("-console")
        self.go_to("debugger")
        self.show_keys()

    def action_debugger_evaluate(self) -> None:
        """Ask what to print."""
        self.ask("print", self.command_print)

    def action_debugger_watch_add(self) -> None:
        """Ask what to watch."""
        self.ask("watch", self.command_watch)

    def action_debugger_filter(self) -> None:
        """Ask for the word that rows must hold."""
        pane = self.pane("debugger")
        self.ask("Show rows with:", pane.set_word, initial=pane.word, edit=pane.set_word)

    def action_debugger_pod_goroutine(self) -> None:
        """Ask for the pod whose goroutine is wanted."""
        pod = self.pane("debugger").pod or (self.pane("queue").selected_pod if self.has_pane("queue") else "")
        self.ask(
            "Goroutine of pod:", lambda text: self.command(model.SelectPodGoroutine(text.strip())), initial=pod
        )

    def action_debugger_set_value(self) -> None:
        """Ask for the selected value's new one."""
        variable = self.pane("debugger").selected_variable
        if variable is None:
            self.notify_row("Select a value in the locals or watches first (t l).", "warning")
            return
        name = variable.expression or variable.name
        self.ask(f"{name} =", lambda text: self._set_value(name, text.strip()), history="set value")

    def _set_value(self, name: str, text: str) -> None:
        """Set it; what is taken away from the scheduler only after a question."""
        wish = model.SetValue(name, text)
        if text != "nil":
            if text:
                self.command(wish)
            return
        lines = (
            (f"Set {name} to nil?", "tab-active"),
            ("What uses it next may panic, and the scheduler ends with it.", "warning"),
            ("r starts it anew, with its breakpoints.", "note"),
        )

        def answered(answer: str | None) -> None:
            if answer:
                self.command(wish)

        self.app.push_screen(ConfirmScreen([row(line) for line in lines], [("y", "set it", "set")]), answered)

    def action_debugger_watchpoint(self) -> None:
        """Stop when the selected value, or a typed one, is written."""
        variable = self.pane("debugger").selected_variable
        name = (variable.expression or variable.name) if variable is not None else ""
        self.ask("Stop when written:", lambda text: self.command(model.SetWatchpoint(text.strip())), initial=name)

    def action_debugger_search(self) -> None:
        """Search in the source."""
        pane = self.pane("debugger")
        self.ask("/", lambda text: pane.search(text or pane.code.search, 1), history="source search")

    def action_debugger_open_source(self) -> None:
        """Ask which place to show."""
        self.ask("Open (function or file:line):", lambda text: self.run_command("open", text))

    def action_debugger_edit(self) -> None:
        """Open the editor at the line."""
        code = self.pane("debugger").code
        if code.source.path:
            self.wish(messages.EditorRequested(code.source.path, code.cursor + 1))

    def action_debugger_condition(self) -> None:
        """Ask for the breakpoint's condition."""
        self._amend("condition", "Stop only if:", lambda item: item.condition)

    def action_debugger_hit_count(self) -> None:
        """Ask for the breakpoint's hit count."""
        self._amend("hitcount", "Stop at hit count (> 3, == 5, % 10):", lambda item: "")

    def _amend(self, what: Any, question: str, initial: Callable[[model.Breakpoint], str]) -> None:  # noqa: ANN401
        found = self.pane("debugger").selected_breakpoint()
        if found is None:
            self.notify_row("Select a breakpoint (t b), or the source line of one.", "warning")
            return
        self.ask(
            question,
            lambda text: self.command(model.AmendBreakpoint(found.id, what, text)),
            initial=initial(found),
        )
