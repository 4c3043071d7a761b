"""The log pane: lines, status row, inputs and panels of one log.

Owns what the keys do with the selected record, the panels beside the lines, and how lines look. Moves and
questions are ``log_moves``' and ``log_questions``', painting is ``log_frame``'s.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from schedtui.core.log_filter import exclude_value, include_value
from schedtui.core.log_rows import CountRow
from schedtui.ui.messages import CopyRequested, SourceJumpRequested
from schedtui.ui.widgets.log_panels import count_rows, filter_for, histogram_rows, part_rows, record_rows
from schedtui.ui.widgets.log_questions import LogQuestions
from schedtui.ui.widgets.log_view import TIME_MODES
from schedtui.ui.widgets.rows import RowsView

if TYPE_CHECKING:
    from schedtui.ui.widgets.log_frame import Panel

MOST_CONTEXT = 20
"""Records around a match at most."""

UNFILTERED = frozenset({"time", "line", "lines", "raw", "function", "wrapper time", "incomplete"})
"""Rows of the record's panel that are no values to include or exclude."""


class LogPane(LogQuestions):
    """One log on the screen."""

    # --- the look

    def action_wrap(self) -> None:
        """Wrap long lines, or cut them."""
        self.view.set_wrap(not self.view.wrap)

    def action_time(self) -> None:
        """The next mode of the time column."""
        modes = TIME_MODES
        mode = modes[(modes.index(self.view.time_mode) + 1) % len(modes)]
        self.view.set_time_mode(mode)
        words = {"none": "No time column.", "absolute": "Time column: the record's clock.",
                 "relative": "Time column: since the log's first record.",
                 "delta": "Time column: since the row above."}  # fmt: skip
        self._notice(words[mode])

    def action_histogram(self) -> None:
        """Show or hide the histogram of the visible range."""
        self.toggle_class("-histogram")
        self.show_bar()

    def _show_histogram(self) -> None:
        rows = self.view.visible_rows
        times = [row.time_us for row in rows if row.time_us is not None]
        buckets = self.source.severities(
            rows[0].number, rows[-1].number + 1, max(10, self.size.width - 10)
        ) if rows else ()  # fmt: skip
        shown = histogram_rows(buckets, min(times, default=None), max(times, default=None))
        self.query_one("#log-histogram", RowsView).set_rows(shown)
        self.query_one("#log-histogram").styles.height = max(1, len(shown))

    # --- the selected record

    def action_copy(self) -> None:
        """Copy the record, or the field that is selected in its panel."""
        record = self.selected_record
        selected = self.query_one("#log-panel", RowsView).selected if self.panel == "record" else None
        if selected is not None and isinstance(selected.payload, tuple):
            key, value = selected.payload
            self.post_message(CopyRequested(str(value), str(key)))
        elif record is not None:
            self.post_message(CopyRequested(record.raw, "record"))

    def action_source(self) -> None:
        """To the source line that logged the record."""
        record = self.selected_record
        if record is None or not record.file or record.src_line is None:
            self._notice("The selected record does not say where it was logged.", "warning")
            return
        file = (record.caller or record.file).rpartition(":")[0] if record.caller else record.file
        self.post_message(SourceJumpRequested(file, record.src_line, record.message))

    def action_include(self) -> None:
        """Only records with the selected field's value."""
        self._by_field(include=True)

    def action_exclude(self) -> None:
        """No records with the selected field's value."""
        self._by_field(include=False)

    def _by_field(self, *, include: bool) -> None:
        record = self.selected_record
        if record is None:
            return
        selected = self.query_one("#log-panel", RowsView).selected if self.panel == "record" else None
        if selected is None or not isinstance(selected.payload, tuple):
            self.open_record()
            self._notice("Choose a field, then = (only this value) or ! (not this value).")
            return
        key = str(selected.payload[0])
        if key in UNFILTERED and key not in record.fields:
            self._notice(f"{key} is nothing to filter by.", "warning")
            return
        if key == "pid" and key not in record.fields:
            self.apply_filter(f"{'' if include else '!'}pid={record.pid}")
            return
        make = include_value if include else exclude_value
        self.apply_filter(make(record, {"site": "src_line"}.get(key, key)))

    def action_context_more(self) -> None:
        """One record more around each match."""
        self._change_context(1)

    def action_context_less(self) -> None:
        """One record less around each match; removes the selected part in the list of parts."""
        if self.panel == "parts":
            self._remove_part()
        else:
            self._change_context(-1)

    def _change_context(self, by: int) -> None:
        context = max(0, min(MOST_CONTEXT, self._selection.context + by))
        self.select(replace(self._selection, context=context))

    # --- panels

    def action_detail(self) -> None:
        """Open the record; in a panel: do what its row is for."""
        selected = self.query_one("#log-panel", RowsView).selected
        if not self.panel:
            self.open_record()
        elif self.panel == "record" and selected is not None and isinstance(selected.payload, tuple):
            self._unfolded ^= {str(selected.payload[0])}
            self._show_panel()
        elif self.panel == "count" and selected is not None and isinstance(selected.payload, CountRow):
            table = self.source.count_table()
            self.action_close_panel()
            if table is not None:
                self.apply_filter(filter_for(table.field, selected.payload.value))
        elif self.panel == "parts" and selected is not None and isinstance(selected.payload, int):
            self.select(replace(self._selection, disabled=self._selection.disabled ^ {selected.payload}))
            self._show_panel()

    def open_record(self) -> None:
        """Show every field of the selected record."""
        if self.selected_record is None:
            self._notice("No record is selected.", "warning")
            return
        if self.view.following:
            self.view.pause()
            self.view.lay_out()
        self._unfolded = frozenset()
        self._open_panel("record")

    def count_by(self, words: str) -> None:
        """Count a field's values over the shown records: ``by plugin``, or ``plugin``."""
        field_name = words.strip().removeprefix("by ").strip()
        if not field_name:
            self._notice("Count by what? plugin, node, pod, message, severity, v, or any key.", "warning")
            return
        self.source.count_by(field_name)
        self._open_panel("count")

    def action_chips(self) -> None:
        """Switch parts of the filter on and off."""
        if not self._selection.parts:
            self._notice("There is no filter; f adds a part.", "warning")
            return
        self._open_panel("parts")

    def _remove_part(self) -> None:
        selected = self.query_one("#log-panel", RowsView).selected
        if selected is None or not isinstance(selected.payload, int):
            return
        gone = selected.payload
        parts = tuple(part for place, part in enumerate(self._selection.parts) if place != gone)
        off = frozenset(place - (place > gone) for place in self._selection.disabled if place != gone)
        self.select(replace(self._selection, parts=parts, disabled=off))
        if parts:
            self._show_panel()
        else:
            self.action_close_panel()

    def _open_panel(self, panel: Panel) -> None:
        self.panel, self.panel_is_read = panel, False
        self.add_class("-panel")
        view = self.query_one("#log-panel", RowsView)
        view.set_active(True)
        self.view.set_active(False)
        view.set_rows(())
        self._show_panel()
        self.call_after_refresh(self._keep_cursor_in_view)

    def _keep_cursor_in_view(self) -> None:
        self.view.on_resize()
        self._show_panel()
        self.show_bar()

    def _show_panel(self) -> None:
        view = self.query_one("#log-panel", RowsView)
        width = self.size.width
        if self.panel == "record":
            record = self.selected_record
            rows = record_rows(record, self._unfolded, width, self.explain(record)) if record is not None else ()
            view.set_rows(rows)
        elif self.panel == "parts":
            view.set_rows(part_rows(self._selection))
        elif self.panel == "count":
            table = self.source.count_table()
            view.set_rows(count_rows(table, width) if table is not None else ())
        if self.panel in ("count", "parts") and not self.panel_is_read and len(view.rows) > 1:
            # The first row is the title, the next one the most frequent value: others may overtake it.
            view.move_to(1)

    def action_close_panel(self) -> None:
        """Close what is open beside the lines."""
        if self.panel:
            if self.panel == "count":
                self.source.count_by("")
            self.panel = ""
            self.remove_class("-panel")
            self.view.set_active(True)
            self.call_after_refresh(self.view.on_resize)

    def action_filter_clear(self) -> None:
        """Close the panel; else end the search; else take the last part of the filter away."""
        state = self.source.state()
        if self.panel:
            self.action_close_panel()
        elif state.search or self._searched:
            self.end_search()
        elif self._selection.parts:
            place = len(self._selection.parts) - 1
            self.select(
                replace(
                    self._selection, parts=self._selection.parts[:-1], disabled=self._selection.disabled - {place}
                )
            )
        elif self._selection.context:
            self.select(replace(self._selection, context=0))
