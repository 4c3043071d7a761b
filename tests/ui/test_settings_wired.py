"""What the configuration file says is what the screen does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from schedtui.config.settings import DebuggerSettings, Settings, parse_settings
from schedtui.ui.app import SchedtuiApp
from schedtui.ui.director import Director
from schedtui.ui.key_table import KeyTable
from schedtui.ui.launch import key_table
from schedtui.ui.options import Options
from schedtui.ui.services.prepare import Request
from schedtui.ui.themes import load_themes
from tests.ui.stage import screen_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

DEADLINE_SECONDS = 60.0

LINES = "".join(
    f'I1130 10:00:{second:02}.000000       7 schedule_one.go:99] "Attempting to schedule pod" pod="default/p"'
    f" {'wide ' * 40}\n"
    for second in range(60)
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "scheduler.log"
    path.write_text(LINES)
    return path


def app_on(log: Path, configuration: str) -> SchedtuiApp:
    settings = parse_settings(configuration.encode(), "config.toml")
    request = Request("logs", Options(logs=(str(log),)), settings, inputs=(str(log),))
    return SchedtuiApp(Director(request, KeyTable()), load_themes(), "mono")


async def until(pilot: Pilot[int], true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not true():
        assert time.monotonic() < deadline
        await pilot.pause(0.05)


async def test_the_log_pane_begins_as_configured(log: Path) -> None:
    app = app_on(log, "[log]\nwrap = true\nfollow = false\nshow_level = 4\n")
    async with app.run_test(size=(80, 24)) as pilot:
        main = app.director.main
        assert main is not None
        pane = main.pane("log")
        await until(pilot, lambda: pane.state.last > 0)
        assert pane.view.wrap
        assert not pane.view.following
        assert pane.view.cursor == 0
        assert pane.level == 4
        assert app.frames.least_seconds < 0.1


async def test_copying_can_be_switched_off_and_slow_lines_get_few_frames(log: Path) -> None:
    app = app_on(log, 'clipboard = "off"\nlow_bandwidth = true\n')
    async with app.run_test(size=(120, 24)) as pilot:
        main = app.director.main
        assert main is not None
        await until(pilot, lambda: main.pane("log").state.last > 0)
        await pilot.press("y")
        await until(pilot, lambda: any("switched off" in line for line in screen_text(pilot)))
        assert app.frames.least_seconds == 1.0


def test_dlv_of_the_configuration_counts_unless_one_is_named() -> None:
    settings = Settings(debugger=DebuggerSettings(dlv="/opt/dlv", dlv_debug=True))
    plain = Request("source", Options(source="."), settings)
    assert str(plain.dlv) == "/opt/dlv"
    assert plain.dlv_debug
    named = Request("source", Options(source=".", dlv="/usr/bin/dlv", binary="./kube-scheduler"), settings)
    assert str(named.dlv) == "/usr/bin/dlv"
    assert not named.dlv_debug
    assert Request("source", Options(source="."), Settings()).dlv is None


def test_remaps_of_the_configuration_go_over_a_preset() -> None:
    own = {"debug.continue": "f7, f5"}
    table = key_table("gdb", own)
    assert table.action("debugger.step_out").keys[0] == "f"
    assert table.action("debug.continue").keys == ("f7", "f5")
    assert key_table("", own).action("debugger.step_out").keys[0] == "o"
