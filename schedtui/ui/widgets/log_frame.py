"""The log pane's frame: what it is made of, what it shows of its source, what is selected.

Owns painting in time and the selection. It is self-contained: give it a ``RowSource``, call ``show_growth`` when
the source has a new state. Wishes and facts for other panes go out as messages; it knows no store, no debugger and
no file. Moves, questions and panels are ``log_moves``', ``log_questions``' and ``log_pane``'s.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from textual.containers import Vertical

from schedtui.core.log_filter import FilterError, LogSpan, parse_filter
from schedtui.core.log_rows import ALL_LEVELS, Selection
from schedtui.ui.messages import LogCursorMoved, NoticePosted
from schedtui.ui.widgets.log_bar import LogBar, bar_spans, number
from schedtui.ui.widgets.log_input import LogInput
from schedtui.ui.widgets.log_view import LogView
from schedtui.ui.widgets.rows import RowsView

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from schedtui.core.call_sites import SiteLevel
    from schedtui.core.log_rows import LogState, Row, RowSource
    from schedtui.core.record import Record

CALM_SECONDS = 0.08
"""Growth is painted at most this often."""

FLOOD_SECONDS = 0.25
"""Growth by more than a screenful at a time is painted at most this often: nobody reads faster, and lines cost."""

Panel = Literal["", "record", "count", "parts"]
"""What is open beside the lines."""


@dataclass(frozen=True, slots=True)
class LogLook:
    """How the pane looks before a key is pressed."""

    wrap: bool = False
    """Long lines are wrapped."""
    follow: bool = True
    """It stands at the end and follows."""
    level: int = ALL_LEVELS
    """V levels up to this are shown."""


PLAIN_LOOK = LogLook()
"""Lines cut, followed, all levels."""


class LogFrame(Vertical):
    """One log on the screen, without its keys."""

    DEFAULT_CSS = """
    LogFrame { height: 1fr; }
    LogFrame #log-panel { display: none; height: 50%; border-top: solid $primary; }
    LogFrame #log-histogram { display: none; height: auto; max-height: 5; }
    LogFrame.-panel #log-panel { display: block; }
    LogFrame.-histogram #log-histogram { display: block; }
    """

    def __init__(
        self, source: RowSource, *, explain: Callable[[Record], SiteLevel | None] | None = None,
        look: LogLook = PLAIN_LOOK,
        id: str | None = None,  # noqa: A002  # Textual's name
    ) -> None:  # fmt: skip
        """Create a pane on a log.

        Args:
            source: The log.
            explain: What the source tree says of a record; None where there is none.
            look: How it looks at first.
            id: The widget's name.
        """
        super().__init__(id=id)
        self.source = source
        self._explain = explain
        self.panel: Panel = ""
        self.panel_is_read = False
        """The cursor in the panel has been moved: it stays with its row."""
        self._unfolded: frozenset[str] = frozenset()
        self._look = look
        self._selection: Selection = source.state().selection
        self._painted_at = 0.0
        self._painted_rows = 0
        self._timer_set = False
        self._jump: tuple[int, int] | None = None
        self._searched: str | None = None
        self._steps: list[int] = []
        self._told: tuple[int | None, bool] = (None, True)
        self._search_origin: tuple[int, bool, int] | None = None
        self._reported_error: str | None = None

    def compose(self) -> ComposeResult:
        """Histogram, lines, panel, inputs, status row."""
        yield RowsView(id="log-histogram", cursor=False)
        yield LogView(self.source, id="log-lines")
        yield RowsView(id="log-panel")
        yield LogInput()
        yield LogBar()

    def on_mount(self) -> None:
        """Show what is there, as it is to look at first."""
        self.view.set_wrap(self._look.wrap)
        self.view.following = self._look.follow
        if self._look.level < ALL_LEVELS:
            self.select(replace(self._selection, level=self._look.level))
        self._paint()

    def on_log_view_resized(self) -> None:
        """The status row tells of the lines, which are laid out by now, and is cut to the width."""
        self.show_bar()

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
        none = "none passes the filter" if state.records and state.selecting is None else "no lines yet"
        text = rows[0].text if rows else none
        flag = "" if not self.is_mounted or self.view.following else "paused"
        new = self.view.new_rows if self.is_mounted else 0
        going = f"{flag} +{number(new)}".strip() if new else flag
        return " · ".join(part for part in (going, f"{number(state.records)} records", text) if part)

    def open(self, source: RowSource) -> None:
        """Show another log; the filter stays."""
        self.source = source
        self._searched, self._jump, self._steps = None, None, []
        self.action_close_panel()
        if self._selection != source.state().selection:
            source.select(self._selection)
        self.view.open(source, follow=self._look.follow)
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
                width=self.size.width, level=self._level_of(row),
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

    def explain(self, record: Record) -> SiteLevel | None:
        """What the source tree says of a record; None without one."""
        return self._explain(record) if self._explain is not None else None

    def _level_of(self, row: Row | None) -> str:
        """The level of a row: known, a range, or ``V?``; empty for what has none."""
        if row is None or row.notice or row.severity not in ("I", None):
            return ""
        if row.v is not None:
            return f"V{row.v}"
        record = self.source.record_at(row.address) if self._explain is not None else None
        found = self.explain(record) if record is not None else None
        levels = found.level_range if found is not None else None
        return f"V{levels[0]}…V{levels[1]}" if levels is not None else "V?"

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
                f"V≤{level}: {number(counts.up_to(level))} records, {number(hidden)} hidden; always shown:"
                f" {number(counts.errors)} E, {number(counts.warnings)} W, {number(counts.unknown)} V?"
            )

    def apply_filter(self, expression: str) -> bool:
        """Add a part to the filter; False when it is none."""
        text = expression.strip()
        if not text:
            return True
        if not self.is_filter(text):
            return False
        parts = self._selection.parts
        if text in parts:
            off = self._selection.disabled - {parts.index(text)}
            self.select(replace(self._selection, disabled=off))
        else:
            self.select(replace(self._selection, parts=(*parts, text)))
        return True

    def is_filter(self, text: str) -> bool:
        """Whether a text is one; what is wrong with it is told."""
        try:
            parse_filter(text, self._span())
        except FilterError as error:
            self._notice(f"{error.title}, {error.where}. {error.hint}", "warning")
            return False
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

    # --- what the pane adds

    @abstractmethod
    def action_close_panel(self) -> None:
        """Close what is open beside the lines."""

    @abstractmethod
    def _show_panel(self) -> None:
        """Repaint what is open beside the lines."""

    @abstractmethod
    def _show_histogram(self) -> None:
        """Repaint the histogram."""

    @abstractmethod
    def _try_jump(self) -> None:
        """Go where a search leads, as soon as it has found something."""
