"""The debugger pane: source, tabs of data, console.

Owns what it shows of the debugger's events and which part the keys go to. It holds no driver: every wish is a
``DebuggerCommandRequested`` or another message, every fact comes in through a ``show_…`` method.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from textual.containers import Vertical

from schedtui.core.source_text import NO_SOURCE
from schedtui.debugger import model
from schedtui.ui.commands import COMMANDS
from schedtui.ui.messages import (
    NO_SIGHT,
    CopyRequested,
    DebuggerCommandRequested,
    LogFilterRequested,
    NoticePosted,
    Sight,
    SourceJumpRequested,
)
from schedtui.ui.widgets.console import Console
from schedtui.ui.widgets.debugger_rows import (
    breakpoint_mark,
    breakpoint_rows,
    goroutine_rows,
    look_rows,
    short_function,
    stack_rows,
    variable_rows,
    without_empty_groups,
)
from schedtui.ui.widgets.rows import RowsView
from schedtui.ui.widgets.source_view import SourceView
from schedtui.ui.widgets.tab_bar import TabBar

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from schedtui.core.source_text import SourceText
    from schedtui.ui.widgets.rows import Row

Part = Literal["code", "stack", "look", "locals", "watches", "breakpoints", "goroutines"]
"""A part that the cursor keys can go to."""

PARTS: tuple[tuple[Part, str], ...] = (
    ("code", "source"), ("stack", "stack"), ("look", "here"), ("locals", "locals"), ("watches", "watches"),
    ("breakpoints", "breakpoints"), ("goroutines", "goroutines"),
)  # fmt: skip
"""The parts in the order of the tab bar, and their words."""

EMPTY: dict[Part, str] = {
    "stack": "The stack comes up where the scheduler stops.",
    "look": "What to look at comes up where the scheduler stops at a station of the catalogue (b b).",
    "locals": "Arguments and locals come up where the scheduler stops.",
    "watches": "No watched expressions; w adds one.",
    "breakpoints": "No breakpoints; b s ScheduleOne, b p Pop, b b the catalogue.",
    "goroutines": "Goroutines are listed when the scheduler is stopped.",
}
"""What an empty tab says."""


class DebuggerPane(Vertical):
    """One debuggee on the screen."""

    DEFAULT_CSS = """
    DebuggerPane { height: 1fr; }
    DebuggerPane SourceView { height: 1fr; }
    DebuggerPane #data { height: 32%; min-height: 3; }
    DebuggerPane Console { height: 22%; min-height: 3; }
    DebuggerPane.-data #data { height: 45%; }
    DebuggerPane.-console Console { height: 60%; }
    DebuggerPane.-console #data, DebuggerPane.-console TabBar { display: none; }
    DebuggerPane.-plain SourceView { height: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.part: Part = "code"
        self.tab: Part = "stack"
        self.state: model.TargetState = "none"
        self.stop: model.Stop | None = None
        self._wanted_frame: int | None = None
        """The frame that was asked for and is not shown yet: a second key typed meanwhile goes on from there."""
        self.breakpoints: tuple[model.Breakpoint, ...] = ()
        self.goroutines: model.GoroutinesListed | None = None
        self._expanded: frozenset[str] = frozenset()
        self._loaded: dict[str, model.Variable] = {}
        self._sight = NO_SIGHT
        self.word = ""
        """Only rows of the tab that hold this word are shown."""
        self._tickets: dict[int, str] = {}
        self._next_ticket = 1

    def compose(self) -> ComposeResult:
        """Source, tab bar, data, console."""
        yield SourceView(id="code")
        yield TabBar(PARTS, id="parts")
        yield RowsView(id="data")
        yield Console(id="console")

    def on_mount(self) -> None:
        """Start with the source."""
        self._show_part()

    @property
    def code(self) -> SourceView:
        """The source view."""
        return self.query_one(SourceView)

    @property
    def data(self) -> RowsView:
        """The rows of the tab."""
        return self.query_one("#data", RowsView)

    @property
    def console(self) -> Console:
        """The console."""
        return self.query_one(Console)

    # --- facts ------------------------------------------------------------------------------------------------

    def show_state(self, state: model.TargetState) -> None:
        """The target's state changed; what was shown of the last stop is no longer true while it runs."""
        self.state = state
        if state in ("running", "exited", "lost", "starting"):
            self.code.execution = None
            self.goroutines = None
            self._loaded.clear()
            if state != "running":
                self.stop = None
            if state == "running" and not self.code.source.path:
                self.code.show(NO_SOURCE, 1)
            self.code.refresh()
        self._show_rows()

    def show_stop(self, stop: model.Stop, source: SourceText | None, sight: Sight = NO_SIGHT) -> None:
        """The target stopped, or another frame was selected; ``source`` is the frame's file."""
        if self.stop is None or stop.at != self.stop.at or stop.selected_frame == self._wanted_frame:
            self._wanted_frame = None
        moved = self.stop is None or (self.stop.at, self.stop.selected_frame) != (stop.at, stop.selected_frame)
        self.stop = stop
        self._sight = sight
        variables = (*stop.arguments, *stop.locals, *stop.watches)
        self.console.words = replace(self.console.words, variables=variables, functions=())
        self._loaded.clear()
        self.goroutines = None
        frame = stop.frames[stop.selected_frame] if stop.selected_frame < len(stop.frames) else None
        if frame is not None and source is not None:
            self.code.execution = (source.path, frame.line)
            self.code.show(source, frame.line)
            self._show_marks()
        self._show_rows()
        if moved and self.tab == "stack":
            self.data.select_key(f"frame {stop.selected_frame}")
        self._ask_for_tab()

    def show_source(self, source: SourceText, line: int) -> None:
        """Show another file or line; the old place is kept for jumping back."""
        self.code.show(source, line, remember=True)
        self._show_marks()

    def show_marked(self, source: SourceText) -> None:
        """The file that is shown, its log calls marked anew."""
        if source.path == self.code.source.path:
            self.code.show(source, self.code.cursor + 1)

    def remember(self, lines: tuple[str, ...], stations: tuple[str, ...]) -> None:
        """Lines of earlier sessions for the console, and the catalogue's names to complete with."""
        self.console.remember(lines)
        commands = tuple(command.name for command in COMMANDS)
        self.console.words = replace(self.console.words, stations=stations, commands=commands)

    def on_console_functions_wanted(self, event: Console.FunctionsWanted) -> None:
        """Ask dlv for functions; a running target is not stopped for it."""
        event.stop()
        if self.state == "stopped":
            self.request(model.FindFunctions("(?i)" + re.escape(event.word), limit=200))
        else:
            self.tell("Functions are completed while the scheduler is stopped.")

    def show_breakpoints(self, breakpoints: tuple[model.Breakpoint, ...]) -> None:
        """The list of breakpoints changed."""
        self.breakpoints = breakpoints
        self._show_marks()
        self._show_rows()

    def show_goroutines(self, listed: model.GoroutinesListed) -> None:
        """The goroutines that were asked for."""
        self.goroutines = listed
        self._show_rows()

    def show_evaluated(self, answer: model.Evaluated) -> None:
        """A value that was asked for: opened in the tree, or printed in the console."""
        expression = self._tickets.pop(answer.ticket, None)
        if expression is None:
            return
        self._loaded[expression] = answer.variable
        self._show_rows()

    # --- parts ------------------------------------------------------------------------------------------------

    def select_part(self, part: Part) -> None:
        """Let the cursor keys go to a part, and show it."""
        self.part = part
        if part != "code":
            self.tab = part
        self._ask_for_tab()
        self._show_part()

    def _ask_for_tab(self) -> None:
        """Ask for what the open tab shows and nobody has told yet."""
        if self.state != "stopped":
            return
        if self.tab == "goroutines" and self.goroutines is None:
            self.request(model.ListGoroutines())
        elif self.tab == "look":
            for expression in self._sight.look:
                if expression not in self._loaded and expression not in self._tickets.values():
                    self._evaluate(expression, full=False, quiet=True)

    @property
    def pod(self) -> str:
        """``ns/name`` of the pod that the goroutine has in hand where it stands; empty when there is none."""
        return self.stop.pod if self.state == "stopped" and self.stop is not None else ""

    def _show_part(self) -> None:
        self.query_one(TabBar).show(self.part, self.tab)
        self.set_class(self.part != "code", "-data")
        self.code.set_active(self.part == "code")
        self.data.set_active(self.part != "code")
        self._show_rows()

    def _rows(self) -> list[Row]:
        stop = self.stop
        if self.tab == "stack":
            return stack_rows(stop)
        if self.tab == "breakpoints":
            return breakpoint_rows(self.breakpoints)
        if self.tab == "goroutines":
            listed = self.goroutines
            return goroutine_rows(listed.goroutines, listed.total) if listed else []
        if stop is None:
            return []
        if self.tab == "look":
            returned = variable_rows(stop.returned, self._expanded, self._loaded, heading="returned")
            return [*(returned if stop.returned else []), *look_rows(self._sight, self._loaded, self._expanded)]
        if self.tab == "watches":
            return variable_rows(stop.watches, self._expanded, self._loaded)
        arguments = variable_rows(stop.arguments, self._expanded, self._loaded, heading="arguments")
        local_variables = variable_rows(stop.locals, self._expanded, self._loaded, heading="locals")
        if not stop.locals:
            local_variables = local_variables[:0]
        returned = variable_rows(stop.returned, self._expanded, self._loaded, heading="returned")
        return [*(returned if stop.returned else []), *(arguments if stop.arguments else []), *local_variables]

    def _show_rows(self) -> None:
        if not self.is_mounted:
            return
        self.data.empty = EMPTY.get(self.tab, "")
        if self.tab == "locals" and self.stop is not None and not self.stop.arguments:
            self.data.empty = "This frame has no arguments or locals here; step once, or u goes to the caller."
        if self.state == "running" and self.tab != "breakpoints":
            self.data.empty = "The scheduler is running; i stops it."
            self.data.set_rows([])
            return
        rows = self._rows()
        if self.word:
            low = self.word.lower()
            rows = [
                item for item in rows if low in item.text.lower() or item.key.startswith(("role ", "heading "))
            ]
            rows = without_empty_groups(rows)
            self.data.empty = f"Nothing here holds {self.word}; f changes the filter."
        self.data.set_rows(rows)

    def set_word(self, word: str) -> None:
        """Show only rows that hold this word; an empty one shows all."""
        self.word = word.strip()
        self._show_rows()

    def action_pod_lines(self) -> None:
        """The log's lines of the pod in hand."""
        if self.pod:
            self.post_message(LogFilterRequested(f"pod:{self.pod}"))
        else:
            self.tell("No frame of this goroutine has a pod in hand.")

    def action_queue_in_memory(self) -> None:
        """The queues as they are in memory."""
        self.request(model.ReadQueue())

    def _show_marks(self) -> None:
        path = self.code.source.path
        self.code.set_marks(
            {item.line: breakpoint_mark(item) for item in self.breakpoints if item.id > 0 and item.file == path}
        )

    # --- cursor -----------------------------------------------------------------------------------------------

    def _target(self) -> SourceView | RowsView:
        return self.code if self.part == "code" else self.data

    def action_cursor_down(self) -> None:
        """One line down."""
        self._target().move(1)

    def action_cursor_up(self) -> None:
        """One line up."""
        self._target().move(-1)

    def action_page_down(self) -> None:
        """A page down."""
        self._target().move_pages(1)

    def action_page_up(self) -> None:
        """A page up."""
        self._target().move_pages(-1)

    def action_top(self) -> None:
        """To the first line."""
        self._target().move_to(0)

    def action_bottom(self) -> None:
        """To the last line."""
        self._target().move_to(-1)

    def action_scroll_left(self) -> None:
        """The source to the left."""
        self.code.scroll_sideways(-8)

    def action_scroll_right(self) -> None:
        """The source to the right."""
        self.code.scroll_sideways(8)

    def action_part_next(self) -> None:
        """On to the next part."""
        self._step_part(1)

    def action_part_previous(self) -> None:
        """Back to the part before."""
        self._step_part(-1)

    def _step_part(self, by: int) -> None:
        names = [name for name, _ in PARTS]
        self.select_part(names[(names.index(self.part) + by) % len(names)])

    def action_tab_code(self) -> None:
        """Into the source."""
        self.select_part("code")

    def action_tab_stack(self) -> None:
        """The stack."""
        self.select_part("stack")

    def action_tab_look(self) -> None:
        """What to look at where it stands."""
        self.select_part("look")

    def action_tab_locals(self) -> None:
        """Arguments and locals."""
        self.select_part("locals")

    def action_tab_watches(self) -> None:
        """Watched expressions."""
        self.select_part("watches")

    def action_tab_breakpoints(self) -> None:
        """Breakpoints."""
        self.select_part("breakpoints")

    def action_tab_goroutines(self) -> None:
        """Goroutines."""
        self.select_part("goroutines")

    # --- what the selected row offers ---------------------------------------------------------------------------

    def action_activate(self) -> None:
        """Select the frame or goroutine, open the value, go to the breakpoint, or filter by the log call."""
        if self.part == "code":
            self.action_source_lines()
            return
        selected = self.data.selected
        payload = selected.payload if selected else None
        if isinstance(payload, model.Frame):
            self.request(model.SelectFrame(payload.index))
        elif isinstance(payload, model.Goroutine):
            self.request(model.SelectGoroutine(payload.id))
        elif isinstance(payload, model.Breakpoint) and payload.file:
            self.post_message(SourceJumpRequested(payload.file, payload.line))
        elif isinstance(payload, model.Variable) and selected is not None:
            self._toggle_variable(selected.key, payload)

    def _toggle_variable(self, path: str, variable: model.Variable) -> None:
        if path in self._expanded:
            self._expanded = self._expanded - {path}
        else:
            self._expanded = self._expanded | {path}
            known = self._loaded.get(variable.expression, variable)
            if not known.children and variable.expression:
                self._evaluate(variable.expression, full=False)
        self._show_rows()

    def _evaluate(self, expression: str, *, full: bool, quiet: bool = False) -> None:
        ticket, self._next_ticket = self._next_ticket, self._next_ticket + 1
        self._tickets[ticket] = expression
        self.request(model.Evaluate(expression, ticket, full, quiet))

    def action_full_value(self) -> None:
        """Load the selected value in full."""
        variable = self.selected_variable
        if variable is None:
            self.tell("Select a value in the locals or watches first (t l).")
        else:
            self.request(model.Console(f"print {variable.expression or variable.name}"))
            self._evaluate(variable.expression or variable.name, full=True)

    @property
    def selected_variable(self) -> model.Variable | None:
        """The value under the cursor in a tab of values; None elsewhere."""
        selected = self.data.selected if self.tab in ("locals", "watches", "look") else None
        return selected.payload if selected and isinstance(selected.payload, model.Variable) else None

    def selected_breakpoint(self) -> model.Breakpoint | None:
        """The breakpoint of the selected row, or at the source line under the cursor."""
        selected = self.data.selected if self.part == "breakpoints" else None
        if selected is not None and isinstance(selected.payload, model.Breakpoint):
            return selected.payload
        return self.breakpoint_at(self.code.source.path, self.code.cursor + 1) if self.part == "code" else None

    def breakpoint_at(self, path: str, line: int) -> model.Breakpoint | None:
        """The breakpoint that stands there."""
        for item in self.breakpoints:
            if item.id > 0 and item.file == path and item.line == line:
                return item
        return None

    def action_remove(self) -> None:
        """Remove the watch or the breakpoint."""
        variable = self.selected_variable if self.part == "watches" else None
        found = self.selected_breakpoint()
        if variable is not None:
            self.request(model.Watch(variable.expression or variable.name, remove=True))
        elif found is not None:
            self.request(model.AmendBreakpoint(found.id, "clear"))
        else:
            self.tell("Select a breakpoint (t b) or a watch (t w) first.")

    def action_on_off(self) -> None:
        """Switch the breakpoint on or off."""
        found = self.selected_breakpoint()
        if found is None:
            self.tell("Select a breakpoint (t b) first.")
        else:
            self.request(model.AmendBreakpoint(found.id, "disable" if found.enabled else "enable"))

    def action_source_lines(self) -> None:
        """Filter the log to the log call under the cursor."""
        line = self.code.cursor + 1
        if line in self.code.source.log_calls:
            name = self.code.source.path.rsplit("/", 1)[-1]
            self.post_message(LogFilterRequested(f"file:{name}:{line}"))
        else:
            self.tell("No log call on this line; the marks V… at the right show where they are.")

    def action_execution_point(self) -> None:
        """Back to where the target stands."""
        stop = self.stop
        if stop is None or not stop.frames:
            self.tell("The scheduler is not stopped.")
            return
        frame = stop.frames[min(stop.selected_frame, len(stop.frames) - 1)]
        self.post_message(SourceJumpRequested(frame.file, frame.line))

    def action_search_next(self) -> None:
        """The next match."""
        self.search(self.code.search, 1)

    def action_search_previous(self) -> None:
        """The match before."""
        self.search(self.code.search, -1)

    def search(self, text: str, direction: int) -> None:
        """Find text in the source shown."""
        if text and not self.code.find(text, direction):
            self.tell(f"Not in this file: {text}")

    def action_jump_back(self) -> None:
        """The place before the last jump."""
        if self.code.jump_back():
            self._show_marks()
        else:
            self.tell("No earlier place.")

    def action_copy(self) -> None:
        """Copy the row or the source line."""
        if self.part == "code":
            lines = self.code.source.lines
            text = lines[self.code.cursor] if lines else ""
        else:
            text = self.data.selected.text.strip() if self.data.selected else ""
        if text:
            self.post_message(CopyRequested(text, "line"))

    # --- commands -----------------------------------------------------------------------------------------------

    def request(self, command: model.Command) -> None:
        """Ask for a debugger command."""
        self.post_message(DebuggerCommandRequested(command))

    def tell(self, text: str) -> None:
        """Say something in the status line."""
        self.post_message(NoticePosted(text))

    def action_next(self) -> None:
        """Step over."""
        self.request(model.Step("next"))

    def action_step(self) -> None:
        """Step into."""
        self.request(model.Step("step"))

    def action_step_out(self) -> None:
        """Run until the function returns."""
        self.request(model.Step("stepout"))

    def action_interrupt(self) -> None:
        """Stop the running target."""
        self.request(model.Interrupt())

    def action_restart(self) -> None:
        """Start anew."""
        self.request(model.Restart())

    def action_frame_up(self) -> None:
        """The caller's frame."""
        self._select_frame(1)

    def action_frame_down(self) -> None:
        """The called frame."""
        self._select_frame(-1)

    def _select_frame(self, by: int) -> None:
        if self.stop is not None:
            start = self.stop.selected_frame if self._wanted_frame is None else self._wanted_frame
            self._wanted_frame = max(0, min(start + by, len(self.stop.frames) - 1))
            self.request(model.SelectFrame(self._wanted_frame))

    @property
    def summary(self) -> str:
        """Where it stands, for one line."""
        stop = self.stop
        if self.state == "stopped" and stop is not None and stop.frames:
            frame = stop.frames[min(stop.selected_frame, len(stop.frames) - 1)]
            if not frame.file or frame.line < 1:
                return stop.title
            return f"{short_function(frame.function)} {frame.file.rsplit('/', 1)[-1]}:{frame.line}"
        count = sum(1 for item in self.breakpoints if item.id > 0)
        return f"{count or 'no'} breakpoint{'' if count == 1 else 's'}"
