"""Writes to the terminal only what a frame changes: cells that differ, and scrolled regions as scrolling.

Owns a picture of what the terminal shows and the escape sequences that lead from it to the next frame. It leans
on private parts of Textual (how updates and strips are built); where one is missing, or a frame is of an unknown
kind, Textual paints by itself and the picture is made anew from its next whole frame.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.color import ColorSystem
    from rich.segment import Segment
    from textual.app import App
    from textual.timer import Timer

Cell = tuple[str, Style | None]
"""What stands in one cell; the second cell of a wide character holds an empty text."""

BLANK: Cell = (" ", None)
"""A cell after it was cleared."""

GAP_CELLS = 4
"""Unchanged cells between two changed ones that are cheaper to write again than to jump over."""

ASKED_SECONDS = 0.3
"""For how long after a key every frame is written at once: it is what the key brought about."""

CROWDED_SECONDS = 1 / 4
"""Distance of two frames while keys wait for their turn."""

LEAST_SCROLL = 3
"""Rows that must be saved before a region is scrolled rather than written."""


class Grid:
    """What a terminal shows, cell by cell."""

    def __init__(self, width: int, height: int) -> None:
        """An empty screen."""
        self.width, self.height = width, height
        self.rows: list[list[Cell]] = [[BLANK] * width for _ in range(height)]

    def copy(self) -> Grid:
        """The same, to be changed by itself."""
        other = Grid(0, 0)
        other.width, other.height = self.width, self.height
        other.rows = [list(row) for row in self.rows]
        return other

    def paint(self, y: int, x: int, segments: Iterable[Segment], first: int = 0, end: int | None = None) -> None:
        """Lay segments into a row from column ``x`` on; only columns ``first`` to ``end`` are touched."""
        if not 0 <= y < self.height:
            return
        row, limit = self.rows[y], self.width if end is None else min(end, self.width)
        for segment in segments:
            if segment.control:
                continue
            for character in segment.text:
                size = cell_len(character)
                if size == 0:
                    if first < x <= limit:
                        row[x - 1] = (row[x - 1][0] + character, row[x - 1][1])
                    continue
                if first <= x and x + size <= limit:
                    row[x] = (character, segment.style)
                    if size == 2:
                        row[x + 1] = ("", segment.style)
                x += size


class Pen:
    """Turns styles into the shortest codes that are needed after what was written last."""

    def __init__(self, color_system: ColorSystem | None) -> None:
        self._color_system = color_system
        self._codes: dict[Style | None, str] = {None: ""}
        self._now: str | None = None

    def codes(self, style: Style | None) -> str:
        """The SGR parameters of a style."""
        known = self._codes.get(style)
        if known is None:
            known = (
                "" if style is None else style._make_ansi_codes(self._color_system) if self._color_system else ""
            )
            self._codes[style] = known
        return known

    def change_to(self, style: Style | None) -> str:
        """What to write so that the next text has this style; empty when it has already."""
        wanted = self.codes(style)
        if wanted == self._now:
            return ""
        self._now = wanted
        return f"\x1b[0;{wanted}m" if wanted else "\x1b[0m"

    def forget(self) -> None:
        """The terminal's pen may be anything."""
        self._now = None


def find_scroll(old: Grid, new: Grid) -> tuple[int, int, int] | None:
    """The scroll that saves most: (first row, last row, by), content moving up for a positive ``by``."""
    keys_old = [tuple(row) for row in old.rows]
    keys_new = [tuple(row) for row in new.rows]
    changed = [y for y in range(new.height) if keys_old[y] != keys_new[y]]
    if len(changed) < LEAST_SCROLL + 1:
        return None
    best: tuple[int, int, int, int] | None = None
    for by in range(-new.height + 1, new.height):
        if by == 0:
            continue
        saved, start = 0, 0
        for y in range(new.height + 1):
            fits = y < new.height and 0 <= y + by < new.height and keys_new[y] == keys_old[y + by]
            if not fits:
                if saved > (best[0] if best else LEAST_SCROLL - 1):
                    best = (saved, start, y - 1, by)
                saved, start = 0, y + 1
            elif keys_new[y] != keys_old[y]:
                saved += 1
    if best is None:
        return None
    _, first, last, by = best
    return min(first, first + by), max(last, last + by), by


def scroll(grid: Grid, first: int, last: int, by: int) -> None:
    """Move the rows of a region, as the terminal does."""
    rows = grid.rows[first : last + 1]
    empty = [[BLANK] * grid.width for _ in range(min(abs(by), len(rows)))]
    grid.rows[first : last + 1] = rows[by:] + empty if by > 0 else empty + rows[:by]


def changed_spans(old: Sequence[Cell], new: Sequence[Cell]) -> list[tuple[int, int]]:
    """(first, end) of the stretches to write; little gaps are closed, wide characters stay whole."""
    spans: list[tuple[int, int]] = []
    for x in range(len(new)):
        if old[x] == new[x]:
            continue
        start = x - 1 if new[x][0] == "" and x > 0 else x
        end = x + 2 if x + 1 < len(new) and new[x + 1][0] == "" else x + 1
        if spans and start - spans[-1][1] <= GAP_CELLS:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def difference(shown: Grid, wanted: Grid, pen: Pen) -> str:
    """The sequences that turn what is shown into what is wanted; ``shown`` becomes ``wanted``."""
    parts: list[str] = []
    region = find_scroll(shown, wanted)
    if region is not None:
        first, last, by = region
        parts.append(pen.change_to(None))
        parts.append(
            f"\x1b[{first + 1};{last + 1}r\x1b[{first + 1};1H\x1b[{abs(by)}{'M' if by > 0 else 'L'}\x1b[r"
        )
        scroll(shown, first, last, by)
    for y in range(wanted.height):
        old, new = shown.rows[y], wanted.rows[y]
        if old == new:
            continue
        for start, end in changed_spans(old, new):
            parts.append(f"\x1b[{y + 1};{start + 1}H")
            parts.append(_write(new, start, end, pen))
    shown.rows = [list(row) for row in wanted.rows]
    return "".join(parts)


def _write(row: Sequence[Cell], start: int, end: int, pen: Pen) -> str:
    """The cells of a stretch; a blank end of the row is cleared rather than written."""
    blank_from = end
    if end == len(row):
        while blank_from > start and row[blank_from - 1][0] == " " and _is_plain(row[blank_from - 1][1]):
            blank_from -= 1
        if end - blank_from < GAP_CELLS:
            blank_from = end
    parts: list[str] = []
    for text, style in row[start:blank_from]:
        parts.append(pen.change_to(style))
        parts.append(text)
    if blank_from < end:
        parts += [pen.change_to(None), "\x1b[K"]
    return "".join(parts)


def _is_plain(style: Style | None) -> bool:
    """True when a blank in this style looks like a cleared cell."""
    if style is None:
        return True
    ground = style.bgcolor
    return (ground is None or ground.is_default) and not (style.reverse or style.underline or style.strike)


class FrameWriter:
    """Paints an application's frames as differences."""

    def __init__(self, app: App[Any]) -> None:
        """Look whether the private parts of Textual are there; without them every frame is Textual's own."""
        self._app = app
        self.least_seconds = 0.0
        """Distance of two frames that no key asked for; what is painted in between is shown with the second."""
        self._shown: Grid | None = None
        self._wanted = Grid(0, 0)
        """What was painted last; it differs from what is shown while a frame is held back."""
        self._written_at = 0.0
        self._asked_at = -ASKED_SECONDS
        self._crowded = False
        self._held: Timer | None = None
        self._pen: Pen | None = None
        self._cursor: tuple[int, int] | None = None
        self.why_not = ""
        """Why Textual paints by itself; empty when frames are written here."""
        try:
            from textual._compositor import ChopsUpdate, LayoutUpdate
        except ImportError as error:
            self.why_not = str(error)
            return
        self._layout_update, self._chops_update = LayoutUpdate, ChopsUpdate
        needed = ("_begin_update", "_end_update", "_batch_count", "_driver", "post_display_hook")
        missing = [name for name in needed if not hasattr(app, name)]
        if missing or not hasattr(Style, "_make_ansi_codes"):
            self.why_not = f"this Textual has no {', '.join(missing) or 'style codes'}"

    def forget(self) -> None:
        """The terminal may show anything: the next whole frame is written in full."""
        self._shown = None
        if self._held is not None:
            self._held.stop()
            self._held = None
        if self._pen is not None:
            self._pen.forget()

    def hurry(self) -> None:
        """A key was pressed: what it brings about is not held back."""
        self._asked_at = time.monotonic()
        self._crowded = False

    def take_time(self) -> None:
        """More keys wait already: what the last of them brings about is wanted."""
        self._asked_at = -ASKED_SECONDS
        self._crowded = True

    def display(self, screen: object, renderable: object) -> bool:
        """Paint a frame; False when Textual has to do it."""
        app = self._app
        if self.why_not or renderable is None or app._batch_count:
            return False
        driver = app._driver
        if driver is None or driver.is_inline or app.is_headless or not app._running or app._closed:
            return False
        if not isinstance(renderable, (self._layout_update, self._chops_update)):
            self.forget()
            return False
        width, height = app.size
        if self._shown is None or (self._shown.width, self._shown.height) != (width, height):
            self._start_over(renderable, width, height)
            return False
        self._paint(self._wanted, renderable)
        self._write_when_due()
        app.post_display_hook()
        return True

    def _write_when_due(self) -> None:
        now = time.monotonic()
        least = max(self.least_seconds, CROWDED_SECONDS) if self._crowded else self.least_seconds
        left = self._written_at + least - now
        if left <= 0 or now - self._asked_at < ASKED_SECONDS:
            self._write()
        elif self._held is None:
            self._held = self._app.set_timer(left, self._write)

    def _write(self) -> None:
        """Write what was painted since the last time."""
        if self._held is not None:
            self._held.stop()
            self._held = None
        app, shown = self._app, self._shown
        driver = app._driver
        if shown is None or driver is None or not app._running or app._closed:
            return
        self._written_at = time.monotonic()
        if self._pen is None:
            self._pen = Pen(app.console._color_system)
        # Textual's own frames leave the pen in an unknown state.
        text = difference(shown, self._wanted, self._pen)
        cursor = app.screen.outer_size.clamp_offset(app.cursor_position)
        app._previous_cursor_position = cursor
        if text or cursor != self._cursor:
            self._cursor = (cursor.x, cursor.y)
            app._begin_update()
            driver.write(f"{text}\x1b[{cursor.y + 1};{cursor.x + 1}H")
            app._end_update()
            driver.flush()

    def _start_over(self, renderable: object, width: int, height: int) -> None:
        """Make the picture from a frame that covers the whole screen, which Textual then paints itself."""
        self.forget()
        if isinstance(renderable, self._layout_update):
            region = renderable.region
            if (region.x, region.y, region.width, region.height) == (0, 0, width, height):
                self._wanted = Grid(width, height)
                self._paint(self._wanted, renderable)
                self._shown = self._wanted.copy()

    def _paint(self, grid: Grid, renderable: Any) -> None:  # noqa: ANN401  # one of Textual's private updates
        if isinstance(renderable, self._layout_update):
            region = renderable.region
            renderable.strips = [list(line) for line in renderable.strips]
            for y, line in enumerate(renderable.strips, region.y):
                x = region.x
                for strip in line:
                    grid.paint(y, x, strip)
                    x += strip.cell_length
            return
        for y, first, end in renderable.spans:
            for stop, (x, strip) in zip(renderable.chop_ends[y], renderable.chops[y].items(), strict=False):
                if strip is not None and x <= end and stop > first:
                    grid.paint(y, x, strip, first, end)
