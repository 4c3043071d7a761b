from __future__ import annotations

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from schedtui.ui.frame_writer import Grid, Pen, difference, find_scroll

WIDTH, HEIGHT = 24, 10
STYLES = (None, Style.parse("bold"), Style.parse("red"), Style.parse("on blue"), Style.parse("reverse green"))

lines = st.lists(
    st.tuples(st.text(alphabet="abc 漢é", max_size=12), st.sampled_from(STYLES)), max_size=3
)  # fmt: skip
frames = st.lists(st.lists(lines, min_size=HEIGHT, max_size=HEIGHT), min_size=1, max_size=4)


def grid_of(rows: list[list[tuple[str, Style | None]]]) -> Grid:
    grid = Grid(WIDTH, HEIGHT)
    for y, row in enumerate(rows):
        grid.paint(y, 0, [Segment(text, style) for text, style in row])
    return grid


def picture(grid: Grid) -> list[list[tuple[str, str, str, bool, bool]]]:
    """Characters with what pyte can tell of their looks."""
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    pen = Pen(ColorSystem.STANDARD)
    for y, row in enumerate(grid.rows):
        stream.feed(f"\x1b[{y + 1};1H" + "".join(pen.change_to(style) + text for text, style in row))
    return seen(screen)


def seen(screen: pyte.Screen) -> list[list[tuple[str, str, str, bool, bool]]]:
    return [
        [
            (cell.data or "", cell.fg if cell.data.strip() else "", cell.bg, cell.bold and bool(cell.data.strip()),
             cell.reverse)
            for cell in (screen.buffer[y][x] for x in range(WIDTH))
        ]
        for y in range(HEIGHT)
    ]  # fmt: skip


@given(frames)
@settings(max_examples=200, deadline=None)
def test_differences_lead_to_the_same_picture_as_whole_frames(
    rows: list[list[list[tuple[str, Style | None]]]],
) -> None:
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    pen = Pen(ColorSystem.STANDARD)
    shown = Grid(WIDTH, HEIGHT)
    for frame in rows:
        wanted = grid_of(frame)
        stream.feed(difference(shown, wanted, pen))
        assert seen(screen) == picture(wanted)
        assert shown.rows == wanted.rows


@given(frames, st.integers(-HEIGHT + 1, HEIGHT - 1))
@settings(max_examples=200, deadline=None)
def test_scrolled_frames_too(rows: list[list[list[tuple[str, Style | None]]]], by: int) -> None:
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    pen = Pen(ColorSystem.STANDARD)
    shown = Grid(WIDTH, HEIGHT)
    first = rows[0]
    moved = first[by:] + first[:by]
    for frame in (first, moved, first):
        wanted = grid_of(frame)
        stream.feed(difference(shown, wanted, pen))
        assert seen(screen) == picture(wanted)


def numbered(start: int) -> Grid:
    return grid_of([[(f"line number {start + y}", None)] for y in range(HEIGHT)])


def test_a_scroll_is_found_with_its_direction() -> None:
    assert find_scroll(numbered(0), numbered(1)) == (0, HEIGHT - 1, 1)
    assert find_scroll(numbered(5), numbered(2)) == (0, HEIGHT - 1, -3)
    assert find_scroll(numbered(0), numbered(0)) is None


def test_a_scrolled_line_costs_the_new_line_and_little_more() -> None:
    shown, pen = numbered(0), Pen(ColorSystem.STANDARD)
    assert len(difference(shown, numbered(1), pen)) < 60


def test_nothing_changed_nothing_written() -> None:
    shown = numbered(0)
    assert difference(shown, numbered(0), Pen(ColorSystem.STANDARD)) == ""
