"""The log pane's moves: lines, pages, errors and warnings, a pod's lines, times, marks.

Owns where a key leads. What is shown there is ``log_frame``'s and ``log_view``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.log_filter import FilterError, parse_filter, read_time
from schedtui.ui.widgets.log_frame import LogFrame
from schedtui.ui.widgets.rows import RowsView

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.core.log_rows import Severity

POD_TRIES = 50
"""Records that name the pod in passing are skipped so many times."""


class LogMoves(LogFrame):
    """Moves in one log."""

    def _moved(self) -> None:
        self.show_bar()

    def _move_in_panel(self, move: Callable[[RowsView], None]) -> None:
        self.panel_is_read = True
        move(self.query_one("#log-panel", RowsView))

    def action_cursor_down(self) -> None:
        """One record down."""
        self._step(1)

    def action_cursor_up(self) -> None:
        """One record up."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self.panel:
            self._move_in_panel(lambda view: view.move(by))
        else:
            self.view.move(by)
        self._moved()

    def action_page_down(self) -> None:
        """A page down."""
        self._pages(1)

    def action_page_up(self) -> None:
        """A page up."""
        self._pages(-1)

    def action_half_down(self) -> None:
        """Half a page down."""
        self._pages(0.5)

    def action_half_up(self) -> None:
        """Half a page up."""
        self._pages(-0.5)

    def _pages(self, by: float) -> None:
        if self.panel:
            self._move_in_panel(lambda view: view.move_pages(by))
        else:
            self.view.move_pages(by)
        self._moved()

    def action_top(self) -> None:
        """To the first record."""
        if self.panel:
            self._move_in_panel(lambda view: view.move_to(0))
            return
        self.view.go_to(self.source.state().first)
        self._moved()

    def action_bottom(self) -> None:
        """To the last record, following."""
        if self.panel:
            self._move_in_panel(lambda view: view.move_to(-1))
            return
        self._jump = None
        self.view.follow()
        self._moved()

    def action_scroll_left(self) -> None:
        """Half a screen to the left."""
        self.view.scroll_columns(-max(1, self.view.size.width // 2))

    def action_scroll_right(self) -> None:
        """Half a screen to the right."""
        self.view.scroll_columns(max(1, self.view.size.width // 2))

    def _go(self, row: int | None, otherwise: str) -> None:
        if row is None:
            self._notice(otherwise, "warning")
            return
        self.view.go_to(row)
        self._moved()

    def _cursor(self) -> int:
        state = self.source.state()
        return state.last - 1 if self.view.following else self.view.cursor

    def action_next_error(self) -> None:
        """To the next error."""
        self._severity(1, "E")

    def action_previous_error(self) -> None:
        """To the previous error."""
        self._severity(-1, "E")

    def action_next_warning(self) -> None:
        """To the next warning or error."""
        self._severity(1, "W")

    def action_previous_warning(self) -> None:
        """To the previous warning or error."""
        self._severity(-1, "W")

    def _severity(self, step: int, severity: Severity) -> None:
        word = "error" if severity == "E" else "warning or error"
        direction = "below" if step > 0 else "above"
        self._go(self.source.next_severity(self._cursor(), step, severity), f"No {word} {direction}.")

    def action_pod_next(self) -> None:
        """To the next record of the same pod."""
        self._pod(1)

    def action_pod_previous(self) -> None:
        """To the previous record of the same pod."""
        self._pod(-1)

    def _pod(self, step: int) -> None:
        record = self.selected_record
        pod = record.pod if record is not None else None
        if record is None or pod is None:
            self._notice("The selected record names no pod.", "warning")
            return
        needle = f'"{pod}"' if record.kind != "json" else f'"{pod.rpartition("/")[2]}"'
        found: int | None = self._cursor()
        for _ in range(POD_TRIES):
            found = self.source.next_with_text(found, step, needle) if found is not None else None
            other = self.source.record(found) if found is not None else None
            if other is None or other.pod == pod:
                break
        self._go(found, f"No record of {pod} {'below' if step > 0 else 'above'}.")

    def go_to(self, words: str) -> None:
        """Go to a time (``10:32:05``, ``2026-11-30T10:32``), a line number, or back by a span (``-5m``)."""
        text = words.strip()
        state = self.source.state()
        if text.isdigit():
            address = self.source.address_of_line(int(text))
            row = self.source.row_of(address) if address is not None else None
            lines = "is not indexed yet" if state.indexing is not None else "is not in the log"
            self._go(row, f"Line {text} {lines}.")
            return
        try:
            if text.startswith("-"):
                moment = int(getattr(parse_filter(text, self._span()).node, "at_us", 0))
            else:
                moment, _ = read_time(text, self._span())
        except (FilterError, ValueError):
            self._notice(f"{text}: neither a time, nor a line number, nor a span such as -5m.", "warning")
            return
        self._go(self.source.row_at_time(moment), "No record has a time.")

    def go_to_address(self, address: int) -> None:
        """Go to a record by its address."""
        self._go(self.source.row_of(address), "That record is not in the log any more.")

    # --- marks

    def action_mark(self) -> None:
        """Mark the record, or take the mark off."""
        row = self.view.selected
        if row is not None:
            self.view.marks ^= {row.address}
            self.view.lay_out()

    def action_next_mark(self) -> None:
        """To the next marked record, from the end on to the first."""
        rows = sorted(row for address in self.view.marks if (row := self.source.row_of(address)) is not None)
        later = [row for row in rows if row > self._cursor()]
        self._go((later or rows or [None])[0], "Nothing is marked; m marks.")  # type: ignore[list-item]
