"""What the keys that work everywhere do, and those of a pane that have to ask something first.

Owns one method per action id (``debug.continue`` → ``action_debug_continue``) and the typed commands. Each posts a
wish or moves something on the screen; none touches the debugger, a file or the network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual._callback import invoke

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


SIGN_SECONDS = 0.2
"""What takes longer than this is said to be under way."""


class ActionsScreen(PanesScreen):
    """Panes that can be acted on."""

    _setting = ""
    """What is said while dlv has not answered a wish for a breakpoint; empty when nothing is awaited."""

    def wish(self, message: messages.Wish) -> None:
        """Send a wish on its way to the services."""
        self.post_message(message)

    def command(self, command: model.Command) -> None:
        """Ask for a debugger command."""
        self.wish(messages.DebuggerCommandRequested(command))
        if isinstance(command, model.SetBreakpoint) and self.is_mounted:
            self._setting = f"Setting a breakpoint: {command.location} …"
            self.set_timer(SIGN_SECONDS, self._show_setting)

    def _show_setting(self) -> None:
        if self._setting:
            self.notify_row(self._setting)

    def breakpoint_answered(self) -> None:
        """A breakpoint is set, or was refused: nothing says any more that it is being set."""
        text, self._setting = self._setting, ""
        if text and self.command_row.keys.notice == (text, "note"):
            self.show_keys()

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

    # --- pods, filters, saving -----------------------------------------------------------------------------------

    def action_app_interrupt(self) -> None:
        """Stop the target; never quits."""
        if "debugger" in self.available:
            self.command(model.Interrupt())
        else:
            self.notify_row("Nothing to interrupt; q quits.")

    def selected_pod(self) -> str:
        """``ns/name`` of the pod that the active pane is at; empty when it is at none."""
        if self.active_pane == "log":
            record = self.pane("log").selected_record
            return (record.pod if record else None) or ""
        if self.active_pane == "debugger" and self.pane("debugger").pod:
            return str(self.pane("debugger").pod)
        return str(self.pane("queue").selected_pod) if self.has_pane("queue") else ""

    def command_pod(self, words: str) -> None:
        """Tell a pod's story."""
        self.wish(messages.PodStoryRequested(words.strip()))

    def command_again(self, words: str) -> None:
        """Make a pod of the lab anew: the named one, or the selected one."""
        self.wish(messages.CommandRequested("again", words.strip() or self.selected_pod()))

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
