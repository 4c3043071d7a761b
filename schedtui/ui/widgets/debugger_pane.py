"""The debugger pane: what its keys do to what is shown.

Owns one method per action id of the pane. It holds no driver: every wish is a ``DebuggerCommandRequested`` or
another message. What is shown, and the facts behind it, are ``debugger_frame``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.debugger import model
from schedtui.ui.messages import CopyRequested, LogFilterRequested, SourceJumpRequested
from schedtui.ui.widgets.debugger_frame import PARTS, DebuggerFrame

if TYPE_CHECKING:
    from schedtui.ui.widgets.rows import RowsView
    from schedtui.ui.widgets.source_view import SourceView


class DebuggerPane(DebuggerFrame):
    """One debuggee on the screen."""

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

    def action_remove(self) -> None:
        """Remove the watch or the breakpoint."""
        variable = self.selected_variable if self.part == "watches" else None
        found = self.selected_breakpoint()
        if variable is not None:
            self.request(model.Watch(variable.expression or variable.name, remove=True))
        elif found is not None:
            self.request(model.AmendBreakpoint(found.id, "clear"))
            # At once: a second press before dlv has answered is for the next row.
            self.show_breakpoints(tuple(one for one in self.breakpoints if one.id != found.id))
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

    def action_pod_lines(self) -> None:
        """The log's lines of the pod in hand."""
        if self.pod:
            self.post_message(LogFilterRequested(f"pod:{self.pod}"))
        elif self.state == "running":
            self.tell("The scheduler is running; i stops it, then a frame may have a pod in hand.")
        else:
            self.tell("No frame of this goroutine has a pod in hand.")

    def action_queue_in_memory(self) -> None:
        """The queues as they are in memory."""
        self.request(model.ReadQueue())

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
