"""What the log pane asks for: a search, a part of the filter, a file to save to.

Owns the meaning of what is typed. The input itself is ``log_input``'s, the work the source's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.ui.messages import CommandRequested
from schedtui.ui.widgets.log_bar import number
from schedtui.ui.widgets.log_input import LogInput
from schedtui.ui.widgets.log_moves import LogMoves

if TYPE_CHECKING:
    from textual.events import DescendantFocus


class LogQuestions(LogMoves):
    """A log that can be searched, filtered and saved."""

    # --- search

    def action_search(self) -> None:
        """Search as you type."""
        self._search_origin = (self._cursor(), self.view.following, self.view.left)
        self._ask("search", "/")

    def _search_for(self, text: str) -> None:
        row = self.view.selected
        self._searched, self._steps = text or None, []
        self.source.search(self._searched, row.address if row is not None else None)
        origin = self._search_origin or (self._cursor(), False, 0)
        self._jump = (origin[0] - 1, 1) if text else None

    def _try_jump(self) -> None:
        """Go where a search leads, as soon as it has found something."""
        if self._jump is None:
            return
        state = self.source.state()
        if state.search != self._searched:
            # What is there still belongs to what was typed before.
            return
        start, step = self._jump
        found = self.source.next_match(start, step)
        if found is None and state.searching is None and state.search:
            found = self.source.next_match(start + step, -step)
            if state.search_matches == 0 or found is None:
                self._jump, self._steps = None, []
                if not self.query_one(LogInput).asking:
                    self._notice(f"/{state.search}: no match among the shown records.", "warning")
                return
            if step > 0 and self._search_origin is None:
                self._notice("Search wrapped around the end.")
        if found is not None:
            self._jump = None
            self.view.go_to_match(found)
            steps, self._steps = self._steps, []
            for step in steps:
                self._match(step)

    def end_search(self) -> None:
        """Search for nothing any more."""
        self._searched, self._jump, self._steps = None, None, []
        self.source.search(None)

    def action_search_next(self) -> None:
        """To the next match."""
        self._match(1)

    def action_search_previous(self) -> None:
        """To the previous match."""
        self._match(-1)

    def _match(self, step: int) -> None:
        state = self.source.state()
        if self._searched and state.search != self._searched:
            # Typed ahead: the search has only been asked for.
            self._steps.append(step)
            return
        if not state.search:
            self._notice("Nothing is searched for; / begins.", "warning")
            return
        found = self.source.next_match(self._cursor(), step)
        if found is not None:
            self.view.go_to_match(found)
            self._moved()
        elif state.searching is not None:
            self._searched, self._jump = state.search, (self._cursor(), step)
        else:
            self._notice(f"/{state.search}: no match {'below' if step > 0 else 'above'}.", "warning")

    # --- inputs

    def action_filter(self) -> None:
        """Ask for a part of the filter."""
        self._ask("filter", "filter:")

    def action_filters(self) -> None:
        """Choose among the ready and the saved filters."""
        self.post_message(CommandRequested("filter"))

    def _ask(self, kind: str, question: str) -> None:
        line = self.query_one(LogInput)
        line.accepts = self._accepts
        line.ask(kind, question)

    def _accepts(self, kind: str, text: str) -> bool:
        return kind != "filter" or self.is_filter(text)

    def action_save(self) -> None:
        """Ask where to save the shown records."""
        state = self.source.state()
        self._ask(
            "save", f"Save {number(state.last - state.first)} records, secrets masked (not with ! in front), to:"
        )

    def on_log_input_edited(self, event: LogInput.Edited) -> None:
        """Search while it is typed."""
        event.stop()
        if event.kind == "search":
            self._search_for(event.text)

    def on_log_input_answered(self, event: LogInput.Answered) -> None:
        """Do what was asked for."""
        event.stop()
        self._close_input()
        if event.kind == "filter":
            self.apply_filter(event.text)
        elif event.kind == "search":
            if not event.text:
                self._match(1)
            elif event.text != self._searched:
                # Enter came in one burst with the text: nothing has been told of its last letters.
                self._search_for(event.text)
        elif event.kind == "save" and event.text.strip():
            path = event.text.strip()
            self.save_to(path.removeprefix("!").strip(), mask=not path.startswith("!"))
        self._search_origin = None
        self.show_bar()

    def on_log_input_given_up(self, event: LogInput.GivenUp) -> None:
        """Back to where it was before the question."""
        event.stop()
        self._close_input()
        if event.kind == "search" and self._search_origin is not None:
            origin, following, left = self._search_origin
            self.end_search()
            if following:
                self.view.follow()
            else:
                self.view.go_to(origin)
            self.view.set_left(left)
        self._search_origin = None
        self.show_bar()

    def _close_input(self) -> None:
        """Hide the input, unless something else is being asked by now (keys typed ahead)."""
        if self.query_one(LogInput).asking:
            return
        self.query_one(LogInput).close()
        self.screen.set_focus(self if self.can_focus else None, scroll_visible=False)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Only the inputs take the focus; nothing scrolls for it."""
        event.stop()

    def save_to(self, path: str, *, mask: bool = True) -> None:
        """Write the shown records to a new file, on a thread of its own."""

        def write() -> None:
            try:
                count = self.source.save(path, mask=mask)
            except SchedtuiError as error:
                self._notice(f"{error.title}: {error.where}. {error.hint}", "error")
            else:
                self._notice(f"{number(count)} records saved to {path}.")

        self.run_worker(write, thread=True, group="log-save", exit_on_error=False)
