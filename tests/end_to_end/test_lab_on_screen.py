"""From the start screen to a lab: the guided tour, the lab's state, and a scenario that is played in it."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.processes import none_left
from tests.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.lab.module import LabBinaries

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(600)]

STOP_SECONDS = 180.0
"""For a lab and a scheduler under dlv to come up on a busy machine."""


def on_screen(words: str) -> re.Pattern[str]:
    """Words, wherever lines were broken between them."""
    return re.compile(r"\s+".join(map(re.escape, words.split())))


@pytest.fixture
def environment(tmp_path: Path, lab_builds: LabBinaries, dlv_path: Path) -> dict[str, str]:
    """A state of its own, so that the lab is this test's."""
    assert lab_builds.scheduler.exists()
    assert dlv_path.exists()
    return {"SCHEDTUI_STATE": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_tour_state_and_scenario(tmp_path: Path, environment: dict[str, str]) -> None:
    state = tmp_path / "state"
    command = [sys.executable, "-m", "schedtui"]
    with Terminal(command, columns=80, lines=24, directory=tmp_path, environment=environment) as terminal:
        terminal.wait_for("guided tour")
        terminal.send("t")
        terminal.wait_for("at its entry", STOP_SECONDS)
        terminal.wait_for("breaks on ScheduleOne, the loop")
        terminal.send("bs")
        terminal.wait_for("lets it run: it fills its caches", STOP_SECONDS)
        terminal.send("c")
        terminal.wait_for("steps over a line", STOP_SECONDS)

        # The lab says how it is, this session's scheduler included.
        terminal.send(":lab\r")
        lines = terminal.wait_for(lambda lines: "▾ Lab v" in "".join(lines) and "kube-scheduler" in "".join(lines))
        text = "\n".join(lines)
        assert f"{state}/lab/" in "".join(text.split())
        assert re.search(r"etcd +pid \d+ +port \d+ +ok", text), text
        assert re.search(r"kube-scheduler +pid \d+ +port \d+ +stopped, this session's own", text), text
        terminal.send("\x1b")
        terminal.wait_for(lambda lines: not any("▾ Lab v" in line for line in lines))

        # A scenario is chosen from the list, plays while the scheduler stands, and says what it made.
        terminal.send(":load\r")
        terminal.wait_for("▾ Scenarios")
        terminal.send("\x1b")
        terminal.wait_for(lambda lines: not any("▾ Scenarios" in line for line in lines))
        # The pods are made at once; the rest of the time is for a busy machine.
        terminal.send(":load gates duration=12\r")
        terminal.wait_for(lambda lines: bool(on_screen("7 pods and 2 nodes made").search("\n".join(lines))), 60)
        terminal.send("q")
        terminal.wait_for("Still alive")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(state)


def test_a_scenario_from_the_start_screen(tmp_path: Path, environment: dict[str, str]) -> None:
    state = tmp_path / "state"
    command = [sys.executable, "-m", "schedtui"]
    with Terminal(command, columns=100, lines=30, directory=tmp_path, environment=environment) as terminal:
        terminal.wait_for("guided tour")
        terminal.send("p")
        terminal.wait_for("▾ Scenarios")
        # Behind big, churn and first-steps.
        terminal.send("jjj")
        terminal.wait_for("Pods that are gated")
        terminal.send("\r")
        terminal.wait_for("at its entry", STOP_SECONDS)
        terminal.wait_for("gates: ", 60)
        terminal.send("q")
        terminal.wait_for("Still alive")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(state)
