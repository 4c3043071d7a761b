"""The tutorial's performance run on real parts: no debugger, the log recorded, queue and report live."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.config.settings import Settings
from schedtui.ui.app import SchedtuiApp
from schedtui.ui.director import Director
from schedtui.ui.key_table import KeyTable
from schedtui.ui.options import Options
from schedtui.ui.services.prepare import Request
from schedtui.ui.themes import load_themes
from tests.ui.quiet import be_patient
from tests.ui.stage import screen_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from schedtui.lab.running import RunningLab

DEADLINE_SECONDS = 90.0


@pytest.fixture(autouse=True)
def patient_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at is what a key brought about, all of it."""
    be_patient(monkeypatch)


async def shown(pilot: Pilot[int], true: Callable[[str], bool]) -> str:
    """The screen, once it is as it should be."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not true(text := "\n".join(screen_text(pilot))):
        assert time.monotonic() < deadline, text
        await pilot.pause(0.05)
    return text


@pytest.mark.lab
@pytest.mark.timeout(300)
async def test_a_scheduler_runs_free_and_its_log_is_counted_while_it_runs(lab: RunningLab) -> None:
    options = Options(no_debugger=True, verbosity=4)
    request = Request("lab", options, Settings(), lab.release)
    app = SchedtuiApp(Director(request, KeyTable()), load_themes(), "mono")
    async with app.run_test(size=(160, 50)) as pilot:
        await shown(pilot, lambda text: "runs at -v 4" in text and "▶ running" in text)
        session = app.director.session
        assert session is not None and session.target_pid is not None
        pid, log = session.target_pid, Path(session.run_logs[-1])
        await shown(pilot, lambda text: "Successfully bound pod" in text)
        assert "kube-scheduler" in Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        app.director.main.run_command("report", "")  # type: ignore[union-attr]  # it is on the screen
        text = await shown(pilot, lambda text: "Report of" in text)
        assert "bindings" in text and "node-" in text
        await pilot.press("escape")
        app.director.main.run_command("notes", "")  # type: ignore[union-attr]  # as above
        text = await shown(pilot, lambda text: "Notices" in text)
        assert "runs free, without dlv" in text
        assert app.director.parting()[0].startswith(f"log: {log}")
    app.director.clean_up()
    assert not Path(f"/proc/{pid}").exists()
    assert b"Successfully bound pod" in log.read_bytes()


@pytest.mark.lab
@pytest.mark.timeout(300)
async def test_a_flag_that_the_release_does_not_know_is_named(lab: RunningLab) -> None:
    options = Options(no_debugger=True, scheduler_flags=("--no-such-flag",))
    request = Request("lab", options, Settings(), lab.release)
    app = SchedtuiApp(Director(request, KeyTable()), load_themes(), "mono")
    async with app.run_test(size=(160, 50)) as pilot:
        text = await shown(pilot, lambda text: "does not know the flag --no-such-flag" in text)
        assert "The scheduler exited with status 1" in text
    app.director.clean_up()
