"""The log pane: lines, status row, inputs and panels of one log.

Owns what the log's keys do. It is self-contained: give it a ``RowSource``, call ``show_growth`` when the source
has a new state, let keys call its ``action_…`` methods. Wishes and facts for other panes go out as messages; it
knows no store, no debugger and no file.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from textual.containers import Vertical

from schedtui.core.errors import SchedtuiError
from schedtui.core.log_filter import FilterError, LogSpan, exclude_value, include_value, parse_filter, read_time
from schedtui.core.log_rows import ALL_LEVELS, CountRow, Selection
from schedtui.ui.messages import CopyRequested, LogCursorMoved, NoticePosted, SourceJumpRequested
from schedtui.ui.widgets.log_bar import LogBar, bar_spans, number
from schedtui.ui.widgets.log_input import LogInput
from schedtui.ui.widgets.log_panels import count_rows, filter_for, histogram_rows, part_rows, record_rows
from schedtui.ui.widgets.log_view import TIME_MODES, LogView
from schedtui.ui.widgets.rows import RowsView

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import DescendantFocus

    from schedtui.core.log_rows import LogState, RowSource, Severity
    from schedtui.core.record import Record

CALM_SECONDS = 0.08
"""Growth is painted at most this often."""

FLOOD_SECONDS = 0.25
"""Growth by more than a screenful at a time is painted at most this often: nobody reads faster, and lines cost."""

MOST_CONTEXT = 20
"""Records around a match at most."""

POD_TRIES = 50
"""Records that name the pod in passing are skipped so many times."""

UNFILTERED = frozenset({"time", "line", "lines", "raw", "wrapper time", "incomplete"})
"""Rows of the record's panel that are no values to include or exclude."""

Panel = Literal["", "record", "count", "parts"]
"""What is open beside the lines."""


class LogPane(Vertical):
    """One log on the screen."""

    DEFAULT_CSS = """
    LogPane { height: 1fr; }
    LogPane #log-panel { display: none; height: 50%; border-top: solid $primary; }
    LogPane #log-histogram { display: none; height: auto; max-height: 5; }
    LogPane.-panel #log-panel { display: block; }
    LogPane.-histogram #log-histogram { display: block; }
    """

    def __init__(self, source: RowSource, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.source = source
        self.panel: Panel = ""
        self._unfolded: frozenset[str] = frozenset()
        self._selection: Selection = source.state().selection
        self._painted_at = 0.0
        self._painted_rows = 0
        self._timer_set = False
        self._jump: tuple[int, int] | None = None
        self._told: tuple[int | None, bool] = (None, True)
        self._search_origin: tuple[int, bool] | None = None
        self._reported_error: str | None = None

    def compose(self) -> ComposeResult:
        """Histogram, lines, panel, inputs, status row."""
        yield RowsView(id="log-histogram", cursor=False)
        yield LogView(self.source, id="log-lines")
        yield RowsView(id="log-panel")
        yield LogInput()
        yield LogBar()

    def on_mount(self) -> None:
        """Show what is there."""
        self._paint()

    # --- what others ask

    @property
    def view(self) -> LogView:
        """The lines."""
        return self.query_one(LogView)

    @property
    def state(self) -> LogState:
        """The state that is painted: other panes count along with it, and repaint no oftener."""
        return self.view.state if self.is_mounted else self.source.state()

    @property
    def level(self) -> int:
        """The level filter as it was asked for last."""
        return self._selection.level

    @property
    def selected_record(self) -> Record | None:
        """The record under the cursor, parsed; the last one while following."""
        state = self.source.state()
        if state.last <= state.first:
            return None
        return self.source.record(state.last - 1 if self.view.following else self.view.cursor)

    @property
    def summary(self) -> str:
        """The pane in one line, for when it is folded."""
        state = self.state
        rows = self.source.rows(state.last - 1, 1, 160) if state.last > state.first else ()
        text = rows[0].text if rows else "no lines yet"
        flag = "" if not self.is_mounted or self.view.following else "paused "
        new = self.view.new_rows if self.is_mounted else 0
        return f"{flag}{f'+{number(new)} ' if new else ''}{number(state.records)} records · {text}"

    def open(self, source: RowSource) -> None:
        """Show another log; the filter stays."""
        self.source = source
        self.action_close_panel()
        if self._selection != source.state().selection:
            source.select(self._selection)
        self.view.open(source)
        self._paint()

    def show_growth(self) -> None:
        """The source has a new state: paint it, now or when it is time."""
        wait = self._painted_at + self._pace() - time.monotonic()
        if wait <= 0 or self.source.state().generation != self.view.state.generation:
            self._paint()
        elif not self._timer_set:
            self._timer_set = True
            self.set_timer(wait, self._paint)

    def _pace(self) -> float:
        flood = self.view.following and self._painted_rows > max(1, self.view.size.height)
        return FLOOD_SECONDS if flood else CALM_SECONDS

    def _paint(self) -> None:
        self._timer_set = False
        if not self.is_mounted:
            return
        self._painted_at = time.monotonic()
        view = self.view
        before = view.state
        view.show_growth()
        same = before.generation == view.state.generation
        self._painted_rows = view.state.last - before.last if same else 0
        self._try_jump()
        self._report_filter_error()
        if self.panel == "count":
            self._show_panel()
        self.show_bar()

    def show_bar(self) -> None:
        """Say where things stand, and tell other panes where the cursor is."""
        view = self.view
        row = view.selected
        self.query_one(LogBar).show(
            bar_spans(
                self.source.state(), row, following=view.following, new_rows=view.new_rows,
                width=self.size.width,
            )
        )  # fmt: skip
        if self.has_class("-histogram"):
            self._show_histogram()
        told = (None if view.following or row is None else row.address, view.following)
        if told != self._told:
            self._told = told
            self.post_message(LogCursorMoved(self.selected_record, view.following))
            if self.panel == "record":
                self._show_panel()

    def _notice(self, text: str, severity: Literal["information", "warning", "error"] = "information") -> None:
        self.post_message(NoticePosted(text, severity))

    def _report_filter_error(self) -> None:
        error = self.source.state().filter_error
        if error is not None and error != self._reported_error:
            self._notice(error.split("\n")[0], "warning")
            # The refused part goes again, so that the next one is not refused for it.
            self._selection = self.source.state().selection
        self._reported_error = error

    # --- selecting

    def select(self, selection: Selection) -> None:
        """Filter anew; the selected record stays where it is on the screen."""
        if selection != self._selection:
            self._selection = selection
            self.source.select(selection, self.view.keep_place())

    def set_level(self, level: int) -> None:
        """Show V levels up to ``level``; ``ALL_LEVELS`` shows everything."""
        level = max(0, min(ALL_LEVELS, level))
        self.select(replace(self._selection, level=level))
        counts = self.source.state().counts
        if level >= ALL_LEVELS:
            self._notice("All V levels are shown.")
        else:
            hidden = counts.up_to(ALL_LEVELS) - counts.up_to(level)
            self._notice(
                f"V≤{level}: {number(counts.up_to(level))} records, {number(hidden)} hidden;"
                f" {number(counts.unknown)} of unknown level, {number(counts.warnings)} warnings and"
                f" {number(counts.errors)} errors stay."
            )

    def apply_filter(self, expression: str) -> bool:
        """Add a part to the filter; False when it is none."""
        text = expression.strip()
        if not text:
            return True
        try:
            parse_filter(text, self._span())
        except FilterError as error:
            self._notice(f"{error.title}, {error.where}. {error.hint}", "warning")
            return False
        parts = self._selection.parts
        if text in parts:
            off = self._selection.disabled - {parts.index(text)}
            self.select(replace(self._selection, disabled=off))
        else:
            self.select(replace(self._selection, parts=(*parts, text)))
        return True

    def replace_filter(self, expressions: tuple[str, ...]) -> None:
        """Filter by these parts alone (a saved filter)."""
        self.select(replace(self._selection, parts=expressions, disabled=frozenset()))

    @property
    def filter_parts(self) -> tuple[str, ...]:
        """The parts that are switched on."""
        return self._selection.expressions

    def _span(self) -> LogSpan:
        state = self.source.state()
        return LogSpan(state.first_us, state.last_us)

    # --- moves

    def _moved(self) -> None:
        self.show_bar()

    def action_cursor_down(self) -> None:
        """One record down."""
        self._step(1)

    def action_cursor_up(self) -> None:
        """One record up."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self.panel:
            self.query_one("#log-panel", RowsView).move(by)
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
            self.query_one("#log-panel", RowsView).move_pages(by)
        else:
            self.view.move_pages(by)
        self._moved()

    def action_top(self) -> None:
        """To the first record."""
        if self.panel:
            self.query_one("#log-panel", RowsView).move_to(0)
            return
        self.view.go_to(self.source.state().first)
        self._moved()

    def action_bottom(self) -> None:
        """To the last record, following."""
        if self.panel:
            self.query_one("#log-panel", RowsView).move_to(-1)
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

    # --- search

    def action_search(self) -> None:
        """Search as you type."""
        self._search_origin = (self._cursor(), self.view.following)
        self.query_one(LogInput).ask("search", "/")

    def _search_for(self, text: str) -> None:
        row = self.view.selected
        self.source.search(text or None, row.address if row is not None else None)
        origin = self._search_origin or (self._cursor(), False)
        self._jump = (origin[0] - 1, 1) if text else None

    def _try_jump(self) -> None:
        """Go where a search leads, as soon as it has found something."""
        if self._jump is None:
            return
        state = self.source.state()
        start, step = self._jump
        found = self.source.next_match(start, step)
        if found is None and state.searching is None and state.search:
            found = self.source.next_match(start + step, -step)
            if state.search_matches == 0 or found is None:
                self._jump = None
                if not self.query_one(LogInput).asking:
                    self._notice(f"/{state.search}: no match among the shown records.", "warning")
                return
            if step > 0 and self._search_origin is None:
                self._notice("Search wrapped around the end.")
        if found is not None:
            self._jump = None
            self.view.go_to(found)

    def action_search_next(self) -> None:
        """To the next match."""
        self._match(1)

    def action_search_previous(self) -> None:
        """To the previous match."""
        self._match(-1)

    def _match(self, step: int) -> None:
        state = self.source.state()
        if not state.search:
            self._notice("Nothing is searched for; / begins.", "warning")
            return
        found = self.source.next_match(self._cursor(), step)
        if found is not None:
            self._go(found, "")
        elif state.searching is not None:
            self._jump = (self._cursor(), step)
        else:
            self._notice(f"/{state.search}: no match {'below' if step > 0 else 'above'}.", "warning")

    # --- inputs

    def action_filter(self) -> None:
        """Ask for a part of the filter."""
        self.query_one(LogInput).ask("filter", "filter:")

    def action_save(self) -> None:
        """Ask where to save the shown records."""
        state = self.source.state()
        self.query_one(LogInput).ask(
            "save", f"Save {number(state.last - state.first)} records to (secrets masked):"
        )

    def on_log_input_edited(self, event: LogInput.Edited) -> None:
        """Search while it is typed."""
        event.stop()
        if event.kind == "search":
            self._search_for(event.text)

    def on_log_input_answered(self, event: LogInput.Answered) -> None:
        """Do what was asked for."""
        event.stop()
        if event.kind == "filter" and not self.apply_filter(event.text):
            self.query_one(LogInput).reopen()
            return
        self._close_input()
        if event.kind == "search":
            if not event.text:
                self._match(1)
        elif event.kind == "save" and event.text.strip():
            self.save_to(event.text.strip())
        self._search_origin = None
        self.show_bar()

    def on_log_input_given_up(self, event: LogInput.GivenUp) -> None:
        """Back to where it was before the question."""
        event.stop()
        kind = self.query_one(LogInput).kind
        self._close_input()
        if kind == "search" and self._search_origin is not None:
            origin, following = self._search_origin
            self.source.search(None)
            self._jump = None
            if following:
                self.view.follow()
            else:
                self.view.go_to(origin)
        self._search_origin = None
        self.show_bar()

    def _close_input(self) -> None:
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
        self.panel = panel
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
            view.set_rows(record_rows(record, self._unfolded, width) if record is not None else ())
        elif self.panel == "parts":
            view.set_rows(part_rows(self._selection))
        elif self.panel == "count":
            table = self.source.count_table()
            view.set_rows(count_rows(table, width) if table is not None else ())
        if self.panel in ("count", "parts") and view.cursor == 0 and len(view.rows) > 1:
            # The first row is the title.
            view.move_to(1)

    def action_close_panel(self) -> None:
        """Close what is open beside the lines."""
        if self.panel:
            self.panel = ""
            self.remove_class("-panel")
            self.view.set_active(True)
            self.call_after_refresh(self.view.on_resize)

    def action_filter_clear(self) -> None:
        """Close the panel; else end the search; else take the last part of the filter away."""
        state = self.source.state()
        if self.panel:
            self.action_close_panel()
        elif state.search:
            self.source.search(None)
        elif self._selection.parts:
            place = len(self._selection.parts) - 1
            self.select(
                replace(
                    self._selection, parts=self._selection.parts[:-1], disabled=self._selection.disabled - {place}
                )
            )
        elif self._selection.context:
            self.select(replace(self._selection, context=0))
