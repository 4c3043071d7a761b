"""Doctor, fixes and failed preparations in the whole application, before there is a session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from schedtui.config.settings import Settings
from schedtui.toolchain.doctor.model import Finding, Fix
from schedtui.ui import messages
from schedtui.ui.app import SchedtuiApp
from schedtui.ui.director import Director
from schedtui.ui.key_table import KeyTable
from schedtui.ui.options import Options
from schedtui.ui.services.prepare import Request
from schedtui.ui.services.setup import finding_lines
from schedtui.ui.themes import load_themes
from schedtui.ui.widgets.rows import RowsView
from tests.ui.stage import screen_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from schedtui.ui.services.prepare import Kind

DEADLINE_SECONDS = 60.0


def application(kind: Kind, options: Options | None = None) -> SchedtuiApp:
    request = Request(kind, options or Options(), Settings())
    return SchedtuiApp(Director(request, KeyTable()), load_themes(), "mono")


async def shown(pilot: Pilot[int], true: Callable[[str], bool]) -> str:
    """The screen, once it is as it should be."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not true(text := "\n".join(screen_text(pilot))):
        assert time.monotonic() < deadline, text
        await pilot.pause(0.05)
    return text


async def test_the_doctor_is_a_key_away_on_the_start_screen() -> None:
    app = application("start")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("o")
        text = await shown(pilot, lambda text: "▾ Doctor" in text)
        assert "go " in text and "kubeconfig" in text and "terminal" in text
        await pilot.press("enter")
        text = await shown(pilot, lambda text: "Go builds the scheduler and installs dlv." in text)
        assert "back to all checks" in text


async def test_the_workflow_begins_with_what_is_next() -> None:
    app = application("start")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("w")
        text = await shown(pilot, lambda text: "From Go set-up to log analysis" in text)
        assert "▶  3 source of one release" in text
        assert "number go there" in text
        # Thirteen steps: digits are put together as long as there is a step of that number.
        for keys, number in (("7", " 7 "), ("1", " 1 "), ("2", "12 "), ("9", " 9 ")):
            await pilot.press(*keys)
            selected = app.screen.query_one("#list", RowsView).selected
            assert selected is not None and selected.text[1:5].strip() == number.strip()


@pytest.mark.parametrize("size", [(120, 30), (80, 24)])
async def test_no_such_tree_says_where_to_get_one_and_offers_the_doctor(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    # As long as the paths of people who sort their work into folders.
    wanted = tmp_path / "-".join(["a long name of a folder"] * 3) / ("x" * 90) / "nowhere"
    app = application("source", Options(source=str(wanted)))
    async with app.run_test(size=size) as pilot:
        text = await shown(pilot, lambda text: "it did not work" in text)
        assert "There is no such directory" in text and "schedtui source get" in text
        assert "r try again" in text
        # Nothing of the error is lost: the words are there, wherever lines were broken.
        error = app.director.failure
        assert error is not None
        assert unbroken(error.as_text()) in unbroken(text)
        await pilot.press("o")
        await shown(pilot, lambda text: "▾ Doctor" in text)
        await pilot.press("escape")
        await shown(pilot, lambda text: "it did not work" in text)


def unbroken(text: str) -> str:
    """A text without blanks and line ends."""
    return "".join(text.split())


async def test_an_unfit_dlv_is_named(tmp_path: Path) -> None:
    program = tmp_path / "dlv"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    app = application("source", Options(binary="/bin/true", dlv=str(program)))
    async with app.run_test(size=(120, 30)) as pilot:
        text = await shown(pilot, lambda text: "it did not work" in text)
        assert "this is no dlv" in text


async def test_a_broken_kubeconfig_is_told_before_anything_is_started(tmp_path: Path) -> None:
    broken = tmp_path / "kubeconfig"
    broken.write_text("a: [b")
    app = application("source", Options(binary="/bin/true", no_debugger=True, kubeconfig=str(broken)))
    async with app.run_test(size=(120, 30)) as pilot:
        text = await shown(pilot, lambda text: "it did not work" in text)
        assert unbroken("is not valid YAML") in unbroken(text)
        assert app.director.failure is not None


async def test_a_fix_is_run_only_after_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, ...]] = []
    app = application("start")
    finding = Finding("fail", "GOPROXY=off", Fix.command("true", "x"), "goproxy", "Modules come from here.")
    async with app.run_test(size=(120, 40)) as pilot:
        monkeypatch.setattr(app.director.views, "run_on_terminal", ran.append)
        for answer in ("escape", "y"):
            app.post_message(messages.ListOffered("goproxy", finding_lines(finding), choose=True))
            await shown(pilot, lambda text: "Run it: Enter asks first" in text)
            await pilot.press("j", "j", "j", "j", "j", "j", "j", "enter")
            await shown(pilot, lambda text: "Run the fix of goproxy?" in text)
            assert ran == []
            await pilot.press(answer)
            await shown(pilot, lambda text: "Run the fix of goproxy?" not in text)
        assert ran == [("true", "x")]
        # Then it is checked again.
        await shown(pilot, lambda text: "▾ Doctor" in text)
