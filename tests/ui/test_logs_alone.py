"""The whole application on real logs: no debugger, nothing faked."""

from __future__ import annotations

import gzip
import time
from typing import TYPE_CHECKING

import pytest
from textual import events

from schedtui.config.settings import Settings
from schedtui.ui.app import SchedtuiApp
from schedtui.ui.director import Director
from schedtui.ui.key_table import KeyTable
from schedtui.ui.options import Options
from schedtui.ui.services.prepare import Request
from schedtui.ui.themes import load_themes
from tests.ui.stage import screen_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from textual.pilot import Pilot

DATA = "tests/data"
DEADLINE_SECONDS = 60.0


def app_on(*logs: str) -> SchedtuiApp:
    """The application as ``schedtui LOG…`` starts it."""
    options = Options(logs=logs)
    request = Request("logs", options, Settings(), inputs=logs)
    return SchedtuiApp(Director(request, KeyTable()), load_themes(), "mono")


@pytest.fixture
def churn(tmp_path: Path) -> Iterator[Path]:
    """A real log of 1.36 at V5, unpacked."""
    path = tmp_path / "churn.log"
    with gzip.open(f"{DATA}/v1.36.3-v5-churn7.log.gz", "rb") as packed:
        path.write_bytes(packed.read())
    yield path


async def until(pilot: Pilot[int], true: Callable[[], bool]) -> None:
    """Wait for something with a deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not true():
        assert time.monotonic() < deadline, "\n".join(screen_text(pilot))
        await pilot.pause(0.05)


async def test_the_log_streams_and_the_queue_is_rebuilt(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("bound 80" in line for line in screen_text(pilot)))
        main = app.director.main
        assert main is not None
        assert main.active_pane == "log"
        assert main.facts.release == "1.36"
        await pilot.press("comma", "q", "t", "d")
        await until(pilot, lambda: any("126 in all" in line for line in screen_text(pilot)))


async def test_a_story_is_told_and_its_lines_are_filtered(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("bound 80" in line for line in screen_text(pilot)))
        await pilot.press("comma", "q", "enter")
        await until(pilot, lambda: any("[pod story default/" in line for line in screen_text(pilot)))
        await pilot.press("l")
        main = app.director.main
        assert main is not None
        await until(pilot, lambda: main.active_pane == "log" and bool(main.pane("log").filter_parts))


async def test_the_queue_follows_the_log_cursor_back_in_time(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(160, 50)) as pilot:
        await until(pilot, lambda: any("bound 80" in line for line in screen_text(pilot)))
        await pilot.press("g")
        await until(pilot, lambda: any("at the log's cursor" in line for line in screen_text(pilot)))
        assert not any("bound 80" in line for line in screen_text(pilot))
        await pilot.press("G")
        await until(pilot, lambda: any("bound 80" in line for line in screen_text(pilot)))


async def test_new_lines_reach_log_and_queue(tmp_path: Path) -> None:
    path = tmp_path / "growing.log"
    app = app_on(str(path))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert not path.exists()
        path.write_text(
            'I0115 10:23:45.123456   12345 scheduler.go:456] "Successfully bound pod to node"'
            ' pod="default/my-pod" node="worker-node-1" evaluatedNodes=3 feasibleNodes=2\n'
        )
        await until(pilot, lambda: any("bound 1" in line for line in screen_text(pilot)))
        with path.open("a") as stream:
            stream.write(
                'I0115 10:23:46.123789   12345 scheduling_queue.go:234] "Pod added to scheduling queue"'
                ' pod="default/other" queue="activeQ" timestamp="2025-01-15T10:23:45Z"\n'
            )
        await until(pilot, lambda: any("active 1" in line for line in screen_text(pilot)))


async def test_q_leaves_at_once_when_nothing_of_ours_is_alive(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.director.session is not None and app.director.session.store is not None)
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running or app.return_code is not None)
    assert app.return_code == 0


async def test_ctrl_c_does_not_quit(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("bound 80" in line for line in screen_text(pilot)))
        await pilot.press("ctrl+c", "ctrl+q")
        await pilot.pause()
        assert app.is_running
        assert "Nothing to interrupt" in screen_text(pilot)[-1]


@pytest.mark.parametrize("name", ["legend", "workflow", "filter", "runs"])
async def test_lists_of_the_palette_open(churn: Path, name: str) -> None:
    titles = {
        "legend": "V levels", "workflow": "From Go set-up", "filter": "Filters", "runs": "Earlier runs",
    }  # fmt: skip
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.director.main is not None and app.director.main.is_mounted)
        main = app.director.main
        assert main is not None
        main.run_command(name, "")
        await until(pilot, lambda: any(titles[name] in line for line in screen_text(pilot)[:1]))


async def test_a_search_that_is_typed_in_one_burst_is_searched_whole(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("8 133 rows" in line for line in screen_text(pilot)))
        for key in ("slash", *"gated", "minus", *"17", "enter", "N"):
            app.post_message(events.Key(key, {"slash": "/", "minus": "-", "enter": "\r"}.get(key, key)))
        await until(pilot, lambda: any("/gated-17 21" in line for line in screen_text(pilot)))


async def test_two_questions_answered_in_one_burst(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("8 133 rows" in line for line in screen_text(pilot)))
        for key in "/gated-17\rNNfseverity>=W\rk":
            name = {"/": "slash", "-": "minus", "\r": "enter", ">": "greater_than_sign", "=": "equals_sign"}
            app.post_message(events.Key(name.get(key, key), key))
        await until(pilot, lambda: any("⟨severity>=W⟩ /gated-17 0" in line for line in screen_text(pilot)))


def burst(pilot: Pilot[int], keys: str) -> None:
    """Keys that arrive all at once."""
    names = {
        "\r": "enter", "\x1b": "escape", "\b": "backspace", "\f": "ctrl+l", "/": "slash", "-": "minus",
        ">": "greater_than_sign", "=": "equals_sign", " ": "space", ":": "colon",
    }  # fmt: skip
    for key in keys:
        pilot.app.post_message(events.Key(names.get(key, key), None if key in "\x1b\b\f" else key))


async def test_keys_behind_a_filter_that_is_none_go_on_in_its_line(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("8 133 rows" in line for line in screen_text(pilot)))
        burst(pilot, "fsev>=X\r\bE\rk")
        await until(pilot, lambda: any("PAUSED ⟨sev>=E⟩" in line for line in screen_text(pilot)))
        await until(pilot, lambda: any(" 202 rows" in line for line in screen_text(pilot)))


async def test_what_was_there_when_following_was_paused_never_counts_as_new(churn: Path) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("8 133 rows" in line for line in screen_text(pilot)))
        burst(pilot, "g")
        main = app.director.main
        assert main is not None
        for keys, rows in (("fbound\r", " 133 rows"), ("\x1b", "8 133 rows"), ("3", "5 ")):
            burst(pilot, keys)
            await until(pilot, lambda rows=rows: any(rows in line for line in screen_text(pilot)))  # type: ignore[misc]
            await until(pilot, lambda: main.pane("log").state.selecting is None)
            assert not any("PAUSED +" in line for line in screen_text(pilot))
        with churn.open("a") as file:
            file.write('E1130 08:17:00.000000   12567 x.go:1] "one more"\n')
        await until(pilot, lambda: any("PAUSED +1 " in line for line in screen_text(pilot)))


async def test_keys_typed_before_the_log_is_open_are_not_lost(churn: Path) -> None:
    request = Request("start", Options(), Settings())
    app = SchedtuiApp(Director(request, KeyTable()), load_themes(), "mono")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("log file" in line for line in screen_text(pilot)))
        burst(pilot, f"f{churn}\rkk/gated-17\rN")
        await until(pilot, lambda: any("8 133 rows" in line for line in screen_text(pilot)))
        # The last key goes where the search leads, which pauses.
        await until(pilot, lambda: any(line.startswith("PAUSED /gated-17") for line in screen_text(pilot)))
        assert not any("Nothing is searched for" in line for line in screen_text(pilot))


async def test_ctrl_l_paints_anew_whatever_lies_over_the_panes(
    churn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(str(churn))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("8 133 rows" in line for line in screen_text(pilot)))
        painted: list[str] = []
        monkeypatch.setattr(app.frames, "forget", lambda: painted.append(type(app.screen).__name__))
        for opening in ("", "?", ":", "f"):
            burst(pilot, opening)
            await pilot.pause(0.2)
            count = len(painted)
            burst(pilot, "\f")
            await until(pilot, lambda count=count: len(painted) > count)  # type: ignore[misc]
            burst(pilot, "\x1b")
            await pilot.pause(0.2)
        assert {"ListScreen", "ChooserScreen"} <= set(painted)
