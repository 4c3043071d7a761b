"""What the keys that work everywhere do, and those of a pane that have to ask something first.

Owns one method per action id (``debug.continue`` → ``action_debug_continue``) and the typed commands. Each posts a
wish or moves something on the screen; none touches the debugger, a file or the network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual._callback import invoke

from schedtui.core.masking import mask
from schedtui.debugger import model
from schedtui.ui import messages
from schedtui.ui.commands import TypedCommand
from schedtui.ui.keys import Action
from schedtui.ui.screens.lists import command_named, help_rows, palette_rows, split_typed
from schedtui.ui.screens.overlays import ChooserScreen, ListScreen
from schedtui.ui.screens.panes import PanesScreen

if TYPE_CHECKING:
    from collections.abc import Callable


def _level_action(level: int) -> Callable[[Any], None]:
    def show_level(self: ActionsScreen) -> None:
        self.set_level(level)

    show_level.__doc__ = f"Show records up to V{level}."
    return show_level


class ActionsScreen(PanesScreen):
    """Panes that can be acted on."""

    def wish(self, message: messages.Wish) -> None:
        """Send a wish on its way to the services."""
        self.post_message(message)

    def command(self, command: model.Command) -> None:
        """Ask for a debugger command."""
        self.wish(messages.DebuggerCommandRequested(command))

    # --- the screen -------------------------------------------------------------------------------------------

    def action_app_help(self) -> None:
        """List the keys of the active pane."""
        rows = help_rows(self.key_table, self.active_pane, self.available)
        self.app.push_screen(ListScreen(f"Keys: {self.active_pane}", rows))

    def action_app_quit(self) -> None:
        """Leave, after a question when something of ours is alive."""
        self.wish(messages.QuitRequested())

    def action_app_palette(self) -> None:
        """Choose an action or type a command."""
        rows = palette_rows(self.key_table, self.available)
        screen = ChooserScreen("Palette", rows, placeholder="an action, or a command with its words", free=True)
        self.app.push_screen(screen, self._palette_chosen)

    async def _palette_chosen(self, chosen: tuple[Any, str] | None) -> None:
        if chosen is None:
            return
        payload, typed = chosen
        name, words = split_typed(typed)
        named = command_named(name)
        if named is not None and (words or payload is None or payload == named):
            self._run_command(named, words)
        elif isinstance(payload, Action):
            await self.run(payload)
        elif isinstance(payload, TypedCommand):
            self._run_command(payload, "")
        elif isinstance(payload, model.SetBreakpoint):
            self.command(payload)
        elif typed.strip():
            self.notify_row(f"No action or command: {typed.strip()}", "warning")

    def run_typed(self, line: str) -> None:
        """Carry out a line: a typed command, or the name of a station to stop at."""
        name, words = split_typed(line)
        command = command_named(name)
        if command is not None:
            self._run_command(command, words)
        elif name:
            self.command(model.SetBreakpoint(line.strip()))

    def _run_command(self, command: TypedCommand, words: str) -> None:
        optional = not command.arguments or command.arguments.startswith("[")
        if not words and not optional:
            self.ask(f"{command.name} {command.arguments}:", lambda text: self.run_command(command.name, text))
        else:
            self.run_command(command.name, words)

    def run_command(self, name: str, words: str) -> None:
        """Carry out a typed command."""
        method = getattr(self, f"command_{name.replace('-', '_')}", None)
        if method is not None:
            method(words)
        else:
            self.wish(messages.CommandRequested(name, words))

    def action_app_next_pane(self) -> None:
        """On to the next pane."""
        self.step_pane(1)

    def action_app_previous_pane(self) -> None:
        """Back to the pane before."""
        self.step_pane(-1)

    def action_app_zoom(self) -> None:
        """One pane alone, or all again."""
        self.zoomed = not self.zoomed
        self.lay_out()

    def action_app_redraw(self) -> None:
        """Paint everything anew."""
        self.app.refresh(layout=True, repaint=True)
        self.wish(messages.RedrawRequested())

    def action_app_go_debugger(self) -> None:
        """To the debugger."""
        self.go_to("debugger")

    def action_app_go_log(self) -> None:
        """To the log."""
        self.go_to("log")

    def action_app_go_queue(self) -> None:
        """To the queue."""
        self.go_to("queue")

    def action_app_workflow(self) -> None:
        """The way from Go set-up to log analysis."""
        self.wish(messages.CommandRequested("workflow"))

    def action_app_doctor(self) -> None:
        """All checks."""
        self.wish(messages.CommandRequested("doctor"))

    def action_app_legend(self) -> None:
        """What each V level means here."""
        self.wish(messages.CommandRequested("legend"))

    def action_app_theme(self) -> None:
        """The next theme."""
        self.wish(messages.CommandRequested("theme", "next"))

    def action_app_screenshot(self) -> None:
        """The screen as files."""
        self.wish(messages.CommandRequested("screenshot"))

    # --- levels -----------------------------------------------------------------------------------------------

    def set_level(self, level: int) -> None:
        """Show log records up to a V level (10: all)."""
        if self.has_pane("log"):
            self.pane("log").set_level(max(0, min(10, level)))

    def _level(self) -> int:
        return int(self.pane("log").level) if self.has_pane("log") else 10

    def action_app_level_up(self) -> None:
        """One level more."""
        self.set_level(self._level() + 1)

    def action_app_level_down(self) -> None:
        """One level less."""
        self.set_level(self._level() - 1)

    action_app_level_0 = _level_action(0)
    action_app_level_1 = _level_action(1)
    action_app_level_2 = _level_action(2)
    action_app_level_3 = _level_action(3)
    action_app_level_4 = _level_action(4)
    action_app_level_5 = _level_action(5)
    action_app_level_6 = _level_action(6)
    action_app_level_7 = _level_action(7)
    action_app_level_8 = _level_action(8)
    action_app_level_9 = _level_action(9)

    def action_app_verbosity(self) -> None:
        """Ask for the scheduler's new verbosity."""
        self.ask("Run the scheduler at -v (0 to 10):", self.command_verbosity)

    def command_verbosity(self, words: str) -> None:
        """Set the scheduler's verbosity."""
        if words.strip().isdigit() and int(words) <= 10:
            self.wish(messages.VerbosityRequested(int(words)))
        else:
            self.notify_row(f"Not a level from 0 to 10: {words}", "warning")

    def action_app_dump(self) -> None:
        """Compare with the scheduler's own dump."""
        self.wish(messages.QueueDumpRequested())

    # --- debugging ----------------------------------------------------------------------------------------------

    def action_app_interrupt(self) -> None:
        """Stop the target; never quits."""
        if "debugger" in self.available:
            self.command(model.Interrupt())
        else:
            self.notify_row("Nothing to interrupt; q quits.")

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
        pod = self._selected_pod()
        if pod:
            self.wish(messages.BreakOnPodRequested(pod))
        else:
            self.ask("Break on pod (namespace/name):", lambda text: self.wish(messages.BreakOnPodRequested(text)))

    def action_debug_break_station(self) -> None:
        """Choose a station for the selected pod."""
        pod = self._selected_pod()
        if pod:
            self.wish(messages.CommandRequested("catalogue", pod))
        else:
            self.ask("Stop for pod (namespace/name):",
                     lambda text: self.wish(messages.CommandRequested("catalogue", text)))  # fmt: skip

    def _selected_pod(self) -> str:
        if self.active_pane == "log":
            record = self.pane("log").selected_record
            return (record.pod if record else None) or ""
        if self.active_pane == "debugger" and self.pane("debugger").pod:
            return str(self.pane("debugger").pod)
        return str(self.pane("queue").selected_pod) if self.has_pane("queue") else ""

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

    def command_pod(self, words: str) -> None:
        """Tell a pod's story."""
        self.wish(messages.PodStoryRequested(words.strip()))

    def command_again(self, words: str) -> None:
        """Make a pod of the lab anew: the named one, or the selected one."""
        self.wish(messages.CommandRequested("again", words.strip() or self._selected_pod()))

    def command_advise(self, words: str) -> None:
        """Ask for the flags that show what is filtered, or what the selected record is."""
        text = words.strip() or self._filter_text()
        record = self.pane("log").selected_record if self.has_pane("log") and not text else None
        if record is not None and record.file:
            text = f"file:{record.file}:{record.src_line}"
        if text:
            self.wish(messages.CommandRequested("advise", text))
        else:
            self.notify_row("Filter the log to the wanted messages (f), or select one of them.", "warning")

    def _filter_text(self) -> str:
        parts = tuple(self.pane("log").filter_parts) if self.has_pane("log") else ()
        return "".join(parts) if len(parts) < 2 else " ".join(f"({part})" for part in parts)

    def command_save_filter(self, words: str) -> None:
        """Save the present filter under a name."""
        self.wish(messages.CommandRequested("save-filter", f"{words.strip()}\n{self._filter_text()}"))

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
                self._selected_pod(),
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
        self.ask(f"{name} =", lambda text: self.command(model.SetValue(name, text)), history="set value")

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

    # --- the queue at the log's cursor

    queue_follows_cursor = True
    """False while the queues stay live although the log's cursor stands elsewhere."""

    @property
    def queue_is_live(self) -> bool:
        """True when the queues are shown as they are now."""
        return not self.queue_follows_cursor or not self.has_pane("log") or bool(self.pane("log").view.following)

    def action_queue_live(self) -> None:
        """Show the queues as they are now, or at the log's cursor."""
        self.queue_follows_cursor = not self.queue_follows_cursor
        pane = self.pane("log")
        following = bool(pane.view.following) or not self.queue_follows_cursor
        self.wish(messages.QueueAtRequested(pane.selected_record, following))
        self.notify_row(
            "The queues follow the log's cursor." if self.queue_follows_cursor else "The queues stay live."
        )

    def command_goto(self, words: str) -> None:
        """Go to a place in the log."""
        self.pane("log").go_to(words)
        self.go_to("log")

    def command_count(self, words: str) -> None:
        """Count a field's values."""
        self.pane("log").count_by(words)
        self.go_to("log")

    # --- questions of the queue pane

    def action_queue_filter(self) -> None:
        """Ask for a word."""
        pane = self.pane("queue")
        self.ask("Show pods with:", pane.set_word, initial=pane.word, edit=pane.set_word)

    def action_queue_save(self) -> None:
        """Ask where to save what is shown."""
        pane = self.pane("queue")
        self.ask(
            "Save to:", lambda path: self.wish(messages.CommandRequested("save", f"{path}\n{pane.shown_text}\n"))
        )

    async def run_by_id(self, action_id: str) -> None:
        """Carry out an action by its id."""
        await invoke(self.run, self.key_table.action(action_id))
