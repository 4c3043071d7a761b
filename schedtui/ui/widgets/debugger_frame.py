"""What the debugger pane shows: source, tabs of data, console.

Owns the facts, which come in through ``show_…`` methods, the part that the keys go to, and what is asked of dlv to
fill the open tab. What the keys do is ``debugger_pane``'s.
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
    DebuggerCommandRequested,
    NoticePosted,
    Sight,
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


class DebuggerFrame(Vertical):
    """What is shown of one debuggee, without its keys."""

    DEFAULT_CSS = """
    DebuggerFrame { height: 1fr; }
    DebuggerFrame SourceView { height: 1fr; }
    DebuggerFrame #data { height: 32%; min-height: 3; }
    DebuggerFrame Console { height: 22%; min-height: 3; }
    DebuggerFrame.-data #data { height: 45%; }
    DebuggerFrame.-console Console { height: 60%; }
    DebuggerFrame.-console #data, DebuggerFrame.-console TabBar { display: none; }
    DebuggerFrame.-plain SourceView { height: 1fr; }
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

    def _show_marks(self) -> None:
        path = self.code.source.path
        self.code.set_marks(
            {item.line: breakpoint_mark(item) for item in self.breakpoints if item.id > 0 and item.file == path}
        )

    # --- what is asked for ------------------------------------------------------------------------------------

    def _evaluate(self, expression: str, *, full: bool, quiet: bool = False) -> None:
        ticket, self._next_ticket = self._next_ticket, self._next_ticket + 1
        self._tickets[ticket] = expression
        self.request(model.Evaluate(expression, ticket, full, quiet))

    def breakpoint_at(self, path: str, line: int) -> model.Breakpoint | None:
        """The breakpoint that stands there."""
        for item in self.breakpoints:
            if item.id > 0 and item.file == path and item.line == line:
                return item
        return None

    def request(self, command: model.Command) -> None:
        """Ask for a debugger command."""
        self.post_message(DebuggerCommandRequested(command))

    def tell(self, text: str) -> None:
        """Say something in the status line."""
        self.post_message(NoticePosted(text))

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
