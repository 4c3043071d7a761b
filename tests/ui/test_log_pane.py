from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from schedtui.core.call_sites import CallSite, SiteLevel
from schedtui.core.klog import read_records
from schedtui.core.log_search import compile_pattern
from schedtui.ui.widgets.literal import literal
from schedtui.ui.widgets.log_panels import record_rows
from schedtui.ui.widgets.log_text import crop, left_for_match
from schedtui.ui.widgets.rows import RowsView
from tests.sources.watched_store import DEADLINE_SECONDS
from tests.ui.log_app import LogApp, store_of, whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot


SIZE = (80, 24)


def line(number: int, rest: str = "", severity: str = "I") -> str:
    header = f"{severity}1130 08:{number // 60:02}:{number % 60:02}.000000   12567 a.go:{number % 7 + 1}]"
    return f'{header} "m{number}" pod="shop/web-{number % 4}"{rest}\n'


LINES = "".join(line(number, severity="E" if number % 25 == 0 else "I") for number in range(100))


async def settle(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Wait for something on the screen."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        await pilot.pause()
        await asyncio.sleep(0.01)


async def ready(app: LogApp, pilot: Pilot[None]) -> None:
    await settle(
        pilot, lambda: whole(app.store.state()) and app.pane.state is app.store.state() and app.shown_rows()
    )


async def test_a_row_is_the_line_from_column_nought(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        assert app.shown_rows()[-1] == line(99).rstrip("\n")[:80].rstrip()
        assert len(app.shown_rows()) == 23
        assert app.bar().startswith("FOLLOW")


async def test_moving_up_pauses_counts_what_is_new_and_the_end_resumes(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    app = LogApp(store_of(path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("right", "k")
        before = app.screen_rows()
        with path.open("a") as file:
            file.write(line(200) + line(201))
        await settle(pilot, lambda: "PAUSED +2" in app.bar())
        assert app.screen_rows() == before
        assert app.pane.summary.startswith("paused +2 · 102 records · ")
        await pilot.press("G")
        assert app.bar().startswith("FOLLOW")
        assert "m201" in app.shown_rows()[-1] or app.pane.view.left
        assert app.pane.view.left == 40
        with path.open("a") as file:
            file.write(line(202))
        await settle(pilot, lambda: app.pane.view.state.records == 103)
        assert app.pane.view.following


async def test_what_was_indexed_and_not_selected_yet_is_not_new(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        # So it is for a moment after a log is opened, and keys may have been typed ahead.
        state, view = app.store.state(), app.pane.view
        view.state = replace(state, last=state.first, at_end=False)
        view.pause()
        view.show_growth()
        assert view.new_rows == 0


async def test_nothing_is_painted_when_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        painted: list[int] = []
        monkeypatch.setattr(app.pane.view, "refresh", lambda *regions, **options: painted.append(1))
        for _ in range(5):
            app.pane.show_growth()
            await asyncio.sleep(0.1)
        assert not painted


async def test_control_characters_are_shown_and_markup_is_text(tmp_path: Path) -> None:
    # Case C40.
    text = (
        'E0301 10:00:00.000001       1 x.go:1] "index [/idx] and [bold] and [link=x]" err="index [0]"\n'
        "I0301 10:00:00.000002       1 x.go:2] \x1b[31mred \x1b]0;title\x07 done\rOVERWRITE\n"
    )
    app = LogApp(store_of(tmp_path / "k.log", text))
    async with app.run_test(size=(120, 24)) as pilot:
        await ready(app, pilot)
        rows = app.shown_rows()
        assert '"index [/idx] and [bold] and [link=x]"' in rows[0]
        assert "␛[31mred ␛]0;title␇ done␍OVERWRITE" in rows[1]


async def test_wide_characters_keep_columns_straight(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", line(1, ' n="调度器调度器调度器调度器调度器"') + line(2)))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        assert [cell_len(app.pane.view.render_line(y).text) for y in range(3)] == [80, 80, 80]
        await pilot.press("right", "right")
        assert [cell_len(app.pane.view.render_line(y).text) for y in range(3)] == [80, 80, 80]


async def test_search_goes_along_counts_marks_and_steps(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("g", "slash", *"web-3")
        await settle(pilot, lambda: app.store.state().search_matches == 25)
        await settle(pilot, lambda: "m3" in (app.pane.selected_record.message if app.pane.selected_record else ""))
        strip = app.pane.view.render_line(3)
        assert any(segment.text == "web-3" for segment in strip)
        await pilot.press("enter", "n", "n", "N")
        record = app.pane.selected_record
        assert record is not None
        assert record.message == "m7"
        assert "/web-3 25" in app.bar()
        await pilot.press("escape")
        await settle(pilot, lambda: app.store.state().search is None)


async def test_what_an_earlier_pattern_found_is_no_match_of_the_present_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("g", "slash", *"m5")
        await settle(pilot, lambda: app.store.state().search == "m5" and app.store.state().searching is None)
        await settle(pilot, lambda: app.pane.view.cursor == app.store.state().first + 5)
        wanted: list[str | None] = []
        monkeypatch.setattr(app.store, "search", lambda pattern, near=None: wanted.append(pattern))
        await pilot.press("7")
        app.pane.show_growth()
        await pilot.pause()
        assert wanted == ["m57"]
        assert app.pane._jump is not None


async def test_a_search_scrolls_sideways_to_a_match_beyond_the_edge(tmp_path: Path) -> None:
    far = {3: " far=" + "x" * 200 + "needle", 5: " needle=" + "y" * 200, 7: ' 表="' + "広" * 60 + 'needle"'}
    app = LogApp(store_of(tmp_path / "k.log", "".join(line(number, far.get(number, "")) for number in range(9))))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("g", "slash", *"needle")
        await settle(pilot, lambda: app.pane.view.cursor == 3 and "needle" in app.screen_rows()[3])
        assert app.pane.view.left > 100
        await pilot.press("enter", "n")
        # It would be seen from column 0.
        await settle(pilot, lambda: place(app) == (5, 0))
        await pilot.press("n")
        await settle(pilot, lambda: place(app)[0] == 7)
        assert "needle" in app.screen_rows()[7]
        await pilot.press("N", "N")
        await settle(pilot, lambda: app.pane.view.cursor == 3 and "needle" in app.screen_rows()[3])
        left = app.pane.view.left
        await pilot.press("slash", *"m4")
        await settle(pilot, lambda: place(app) == (4, 0))
        await pilot.press("escape")
        await settle(pilot, lambda: place(app) == (3, left))


def place(app: LogApp) -> tuple[int, int]:
    """The cursor's row, and the first column in view."""
    return app.pane.view.cursor, app.pane.view.left


@pytest.mark.parametrize(
    ("text", "pattern", "left", "room", "wanted"),
    [
        ("aaaa needle", "needle", 0, 11, 0),
        ("aaaa needle", "needle", 0, 10, 3),
        ("aaaa needle", "needle", 30, 20, 0),
        ("needle " + "a" * 50 + " needle", "needle", 55, 20, 55),
        ("aaaa", "needle", 7, 10, 7),
        ("a" * 50 + "n" * 30, "n+", 0, 20, 50),
        ("広" * 20 + "needle", "needle", 0, 40, 23),
        ("\x1b" * 20 + "needle", "needle", 0, 6, 20),
        ("needle", "needle", 3, 0, 3),
    ],
)
def test_the_first_column_for_a_match(text: str, pattern: str, left: int, room: int, wanted: int) -> None:
    assert left_for_match(text, compile_pattern(pattern), left, room) == wanted


async def test_escape_in_a_search_goes_back(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("slash", *"m4")
        await settle(pilot, lambda: app.store.state().search == "m4")
        await pilot.press("escape")
        assert app.pane.view.following


async def test_filter_parts_stack_are_switched_off_and_taken_away(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("f", *"web-1", "enter", "f", *"m9", "enter")
        await settle(pilot, lambda: len(app.shown_rows()) == 3)
        assert "⟨web-1⟩ ⟨m9⟩" in app.bar()
        await pilot.press("x", "enter")
        await settle(pilot, lambda: app.store.state().last - app.store.state().first == 11)
        assert "[web-1] ⟨m9⟩" in app.bar()
        await pilot.press("escape", "escape", "escape")
        await settle(pilot, lambda: app.store.state().last - app.store.state().first == 100)


async def test_the_last_seconds_are_those_of_the_moment_when_they_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    app = LogApp(store_of(path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("f", *"-10s", "enter")
        await settle(pilot, lambda: app.store.state().last - app.store.state().first == 11)
        assert "⟨-10s = 08:01:29⟩" in app.bar()
        with path.open("a") as file:
            file.write("".join(line(number) for number in range(100, 130)))
        await settle(pilot, lambda: app.store.state().last - app.store.state().first == 41)
        await settle(pilot, lambda: "m129" in app.shown_rows()[-1])
        assert "⟨-10s = 08:01:29⟩" in app.bar()


async def test_a_wrong_filter_says_where_and_stays_open(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("f", "(", "x", "enter")
        await settle(pilot, lambda: app.notices)
        assert "character" in app.notices[-1]
        await pilot.press("backspace", "backspace", "m", "5", "enter")
        await settle(pilot, lambda: len(app.shown_rows()) == 11)


async def test_context_lines(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("f", *"m50", "enter", "+")
        await settle(pilot, lambda: len(app.shown_rows()) == 3)
        await pilot.press("-")
        await settle(pilot, lambda: len(app.shown_rows()) == 1)


async def test_errors_marks_and_the_pods_next_record(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)

        def message() -> str:
            record = app.pane.selected_record
            return record.message if record else ""

        await pilot.press("E")
        assert message() == "m75"
        await pilot.press("m", "E", "m", "e")
        assert message() == "m75"
        await pilot.press("'")
        assert message() == "m50"
        assert "◆" in "".join(app.screen_rows())
        await pilot.press("p")
        assert message() == "m54"
        await pilot.press("P", "P")
        assert message() == "m46"


async def test_the_record_in_full_and_its_fields_as_filters(tmp_path: Path) -> None:
    text = LINES + (
        'E1130 09:00:00.000000   12567 b.go:9] "Observed a panic" pod="shop/web-9" stacktrace=<\n'
        + "".join(f"\tframe {number}\n" for number in range(30))
        + " >\n"
    )
    app = LogApp(store_of(tmp_path / "k.log", text))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        assert app.shown_rows()[-1].endswith("+31")
        await pilot.press("enter")
        panel = "\n".join(app.panel())
        assert "2026-11-30 09:00:00.000000" in panel
        assert "b.go:9" in panel
        assert "frame 0" in panel
        assert "frame 29" not in panel
        rows = app.panel()
        stack = next(place for place, row in enumerate(rows) if row.startswith("stacktrace"))
        await pilot.press(*["j"] * stack, "enter")
        assert any("frame 29" in row for row in app.panel())
        pod = next(place for place, row in enumerate(app.panel()) if row.startswith("pod "))
        await pilot.press("g", *["j"] * pod, "y", "=")
        assert app.copied == ["shop/web-9"]
        await settle(pilot, lambda: app.pane.filter_parts == ("pod:shop/web-9",))


async def test_the_source_tells_level_range_and_function_of_the_record(tmp_path: Path) -> None:
    site = CallSite("k8s.io/kubernetes/pkg/scheduler/a.go", 1, 1, "scheduler.(*Scheduler).Go", "I")
    app = LogApp(store_of(tmp_path / "k.log", LINES), lambda record: SiteLevel(None, (3, 5), site=site))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await settle(pilot, lambda: "V3…V5 line 100" in app.bar())
        await pilot.press("enter")
        panel = "\n".join(app.panel())
        assert "V3…V5 (from the source)" in panel
        assert "scheduler.(*Scheduler).Go (k8s.io/kubernetes/pkg/scheduler/a.go)" in panel


async def test_levels(tmp_path: Path) -> None:
    store = store_of(tmp_path / "k.log", LINES)
    store.set_level_lookup(lambda file, src_line, message: src_line)
    app = LogApp(store)
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        app.pane.set_level(3)
        await settle(pilot, lambda: app.store.state().selection.level == 3 and whole(app.store.state()))
        counts = app.store.state().counts
        assert counts.errors == 4
        assert app.store.state().last - app.store.state().first == counts.up_to(3) + 4
        assert "V≤3" in app.bar()
        assert "always shown: 4 E" in app.notices[-1]


async def test_counting_and_enter_filters(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        app.pane.count_by("by pod")
        await settle(pilot, lambda: any("shop/web-2" in row for row in app.panel()))
        await settle(pilot, lambda: app.panel()[0].startswith("100 by pod;"))
        await pilot.press("enter")
        await settle(pilot, lambda: app.store.state().last - app.store.state().first == 25)


async def test_going_to_a_time_a_line_and_back_by_a_span(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        for words, message in (("08:00:30", "m30"), ("12", "m11"), ("-9s", "m90")):
            app.pane.go_to(words)
            await pilot.pause()
            record = app.pane.selected_record
            assert record is not None
            assert record.message == message
        app.pane.go_to("nonsense")
        await settle(pilot, lambda: app.notices and "neither a time" in app.notices[-1])


async def test_wrap_time_column_histogram_copy_source_and_save(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES + line(300, ' err="' + "x" * 100 + '"')))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("L")
        assert app.shown_rows()[-1].endswith('x"')
        await pilot.press("L", "T", "T", "T")
        assert app.shown_rows()[-2].lstrip().startswith("+1.000000 I1130")
        await pilot.press("T", "H")
        await pilot.pause()
        assert app.pane.has_class("-histogram")
        await pilot.press("k", "y", ".")
        await settle(pilot, lambda: app.jumps)
        assert app.copied == [line(99).rstrip("\n")]
        assert (app.jumps[0].file, app.jumps[0].line) == ("a.go", 2)
        app.pane.save_to(str(tmp_path / "saved.log"))
        await settle(pilot, lambda: any("101 records saved" in text for text in app.notices))
        assert (tmp_path / "saved.log").read_text().startswith(line(0, severity="E"))


async def test_saving_masks_secrets_unless_asked_otherwise(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", line(0, ' header="Authorization: Bearer abcdef123456"')))
    async with app.run_test(size=(120, 24)) as pilot:
        await ready(app, pilot)
        for place, mark in enumerate(("", "!")):
            path = tmp_path / f"saved-{place}"
            await pilot.press("s", *mark, *str(path), "enter")
            await settle(pilot, path.exists)
            await settle(pilot, lambda path=path: path.read_text())  # type: ignore[misc]
            assert ("abcdef123456" in path.read_text()) == bool(mark)


async def test_a_line_of_300_000_characters(tmp_path: Path) -> None:
    # Case C39.
    app = LogApp(store_of(tmp_path / "k.log", LINES + line(300, ' err="' + "x" * 300_000 + '" end="here"')))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await settle(pilot, lambda: len(app.screen_rows()[-1]) == 80)
        await pilot.press("L")
        assert len(app.shown_rows()) == 23
        await pilot.press("L", "enter")
        assert any("300 000 characters" in row for row in app.panel())


async def test_wrapping_keeps_the_cursor_in_view(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", "".join(line(n, ' err="' + "x" * 200 + '"') for n in range(50))))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("k", "L")
        assert any('"m48"' in row for row in app.shown_rows())
        assert app.pane.view.cursor == app.store.state().last - 2


async def test_a_mark_covers_nothing_of_a_wrapped_record(tmp_path: Path) -> None:
    letters = "".join(chr(ord("a") + n % 26) for n in range(200))
    app = LogApp(store_of(tmp_path / "k.log", line(0, f' err="{letters}"') + line(1)))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("L", "g", "m")
        await pilot.pause()
        shown = "".join(row.replace("◆", "").rstrip() for row in app.shown_rows())
        assert letters in shown


async def test_a_log_without_records_has_no_record_to_open(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", ""))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("enter")
        assert app.pane.panel == ""
        await settle(pilot, lambda: "No record is selected." in app.notices)


async def test_c09_lines_that_a_collector_dropped_are_a_divider(tmp_path: Path) -> None:
    journal = "Feb 14 19:59:5{} buildbox {}: {}\n"
    text = (
        journal.format(4, "kube-scheduler[99]", line(1).rstrip("\n"))
        + journal.format(5, "systemd-journald[275]", "Suppressed 170 messages from kube-scheduler.service")
        + journal.format(6, "kube-scheduler[99]", line(2).rstrip("\n"))
    )
    app = LogApp(store_of(tmp_path / "k.log", text))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        rows = app.shown_rows()
        assert [row.endswith(" ── 170 lines lost here ──") for row in rows[:3]] == [False, True, False]
        assert rows[1].startswith("Feb 14 19:59:55 buildbox systemd-journald[275]: Suppr")
        await pilot.press("right", "right")
        await settle(pilot, lambda: app.shown_rows()[1].endswith(" ── 170 lines lost here ──"))


async def test_an_empty_log_and_an_empty_selection_say_why(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        app.pane.apply_filter("nowhere-to-be-found")
        await settle(pilot, lambda: "No record passes" in app.screen_rows()[0])
        assert app.pane.summary == "100 records · none passes the filter"


async def test_a_filter_that_nothing_passes_gives_the_place_back(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press(*"kkk")
        record = app.pane.selected_record
        assert record is not None
        place = app.pane.view.cursor - app.pane.view.top
        for _ in range(2):
            app.pane.apply_filter("nowhere-to-be-found")
            await settle(pilot, lambda: "No record passes" in app.screen_rows()[0])
            await pilot.press("escape")
            await ready(app, pilot)
            await settle(pilot, lambda: app.pane.view.visible_rows)
        again = app.pane.selected_record
        assert again is not None
        assert (again.line, app.pane.view.cursor - app.pane.view.top) == (record.line, place)


async def test_resizing_keeps_the_cursor_in_view(tmp_path: Path) -> None:
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        await pilot.press("g", *["j"] * 15)
        await pilot.resize_terminal(60, 8)
        await pilot.pause()
        assert any("m15" in text for text in app.screen_rows())


async def test_a_paused_place_is_kept_when_levels_become_known(tmp_path: Path) -> None:
    """The log is selected anew then, without anybody having asked: the cursor stays on its record."""
    store = store_of(tmp_path / "k.log", LINES)
    app = LogApp(store)
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        app.pane.set_level(4)
        await settle(pilot, lambda: app.pane.state.selection.level == 4)
        await ready(app, pilot)
        app.pane.go_to("60")
        before = app.pane.state.generation
        store.set_level_lookup(lambda file, src_line, message: src_line)
        await settle(pilot, lambda: app.pane.state.generation > before and whole(app.store.state()))
        await ready(app, pilot)
        record = app.pane.selected_record
        assert record is not None
        assert record.line == 60


async def test_a_file_in_the_home_is_saved_to_and_what_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    app = LogApp(store_of(tmp_path / "k.log", LINES))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        app.pane.save_to("~/saved.log")
        await settle(pilot, lambda: (tmp_path / "saved.log").exists() and app.notices)
        assert (tmp_path / "saved.log").read_text() == LINES
        for path, words in (
            ("~/saved.log", "does not exist yet"), ("~/nowhere/x.log", "no such directory"),
            ("/dev/full/x", "cannot be written"), ("a\0b", "cannot be written"),
            (str(tmp_path), "cannot be written"), ("~nobody-at-all/x", "cannot be written"),
        ):  # fmt: skip
            told = len(app.notices)
            app.pane.save_to(path)
            await settle(pilot, lambda told=told: len(app.notices) > told)  # type: ignore[misc]
            assert words in app.notices[-1]


async def test_the_most_frequent_value_is_selected_until_the_cursor_is_moved(tmp_path: Path) -> None:
    text = "".join(line(number, f' plugin="{"rare" if number < 3 else "often"}"') for number in range(60))
    app = LogApp(store_of(tmp_path / "k.log", text))
    async with app.run_test(size=SIZE) as pilot:
        await ready(app, pilot)
        app.pane.count_by("plugin")
        await settle(pilot, lambda: len(app.panel()) == 3)
        panel = app.pane.query_one("#log-panel", RowsView)
        rare, often = panel.rows[2], panel.rows[1]
        # What came first may be overtaken.
        panel.set_rows((panel.rows[0], rare, often))
        panel.move_to(1)
        app.pane._show_panel()
        assert panel.selected is not None
        assert panel.selected.key == "often"
        await pilot.press("down")
        app.pane._show_panel()
        assert panel.selected.key == "rare"


def panel_texts(text: str, width: int, unfolded: frozenset[str]) -> list[str]:
    """The panel's rows as they are painted: what reaches beyond the right edge is not there."""
    (record,) = read_records(text.encode())
    return [crop(literal(item.text), 0, width) for item in record_rows(record, unfolded, width)]


@pytest.mark.parametrize("width", [60, 80, 160])
def test_the_panel_shows_every_character_of_a_value(width: int) -> None:
    """Case C39, with wide characters, names of any length, and lines of a stack."""
    value = "".join(chr(0x4E00 + number % 5000) for number in range(3000)) + "end"
    long_key = "unschedulable plugins of it"
    text = line(1, f' err="{value}" {long_key}="{"x" * 200}y"') + f"a line of a stack {value}\n"
    keys = frozenset({"err", long_key, "lines", "raw"})
    whole = "".join(panel_texts(text, width, keys)).replace(" ", "")
    for wanted in (value, "x" * 200 + "y", "alineofastack" + value[:200]):
        assert wanted in whole
    folded = panel_texts(text, width, frozenset())
    assert sum(item.endswith("Enter") for item in folded) >= 3
    assert any("3 003 characters, Enter" in item for item in folded)
