"""The main job in a real terminal on the real lab, by keys alone.

From ``schedtui lab`` to a stop in ScheduleOne, past NextPod, the pod's name printed, the pod bound in log and
queue, and nothing left behind.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.processes import none_left, processes_below
from tests.terminal import Terminal

if TYPE_CHECKING:
    from schedtui.lab.module import LabBinaries

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(600)]

STOPPED = " ■ stopped"


def stops_in(terminal: Terminal, function: str, seconds: float = 90.0) -> list[str]:
    """Wait until the scheduler stands in a function, and all of that is on the screen.

    A frame comes in pieces: the title may be there before the source, which only an open pane shows.
    """

    def stands(lines: list[str]) -> bool:
        title = next((line for line in lines if re.search(rf"debugger +stopped · \S*{function} ", line)), "")
        painted = title.startswith("▸") or stands_at(lines) != ""
        return STOPPED in lines[-2] and title != "" and painted

    return terminal.wait_for(stands, seconds)


def stands_at(lines: list[str]) -> str:
    """The source line under the arrow."""
    return next((line for line in lines if "▶" in line and not line.startswith("▶")), "")


def stands_elsewhere(terminal: Terminal, line: str) -> None:
    """Wait until the step is done."""
    terminal.wait_for(lambda lines: STOPPED in lines[-2] and stands_at(lines) not in ("", line), 120)


def is_bound(terminal: Terminal, pod: str) -> None:
    """Wait until the queue pane shows the pod on its node."""
    terminal.wait_for(lambda lines: any(f"default/{pod} " in line and "→ node-" in line for line in lines))


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes in /proc")
def test_the_main_job(lab_builds: LabBinaries, dlv_path: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    environment = {"SCHEDTUI_STATE": str(state)}
    command = [sys.executable, "-m", "schedtui", "lab"]
    with Terminal(command, columns=80, lines=24, environment=environment) as terminal:
        terminal.wait_for("at its entry", 240)

        # Both documented breakpoints, by key; what they became is told.
        terminal.send("bs")
        terminal.wait_for("ScheduleOne is ")
        terminal.send("bp")
        terminal.wait_for("Pop is ")
        terminal.send("c")
        lines = stops_in(terminal, "ScheduleOne", 180)
        picture = "\n".join(lines)
        assert "func (sched *Scheduler) ScheduleOne" in stands_at(lines), picture
        assert any(line.startswith("▶  0 scheduler.(*Scheduler).ScheduleOne") for line in lines), picture
        assert any(re.match(r" +ctx context\.Context = ", line) for line in lines), picture

        # The other one is hit on the way to the first pod.
        terminal.send("c")
        stops_in(terminal, "Pop")
        terminal.send("tb")
        terminal.wait_for("[breakpoints]")
        terminal.send("Gx")
        terminal.wait_for(lambda lines: not any("(*PriorityQueue).Pop  queue" in line for line in lines))
        terminal.send("c")
        stops_in(terminal, "ScheduleOne")

        # Step past NextPod: only then there is a pod.
        terminal.send("tl")
        for _ in range(4):
            line = stands_at(terminal.text)
            if "if err != nil" in line or "podInfo == nil" in line:
                break
            terminal.send("n")
            stands_elsewhere(terminal, line)
        terminal.send("p")
        terminal.wait_for("print")
        terminal.send("podInfo.Pod.Name\r")
        shown = "\n".join(terminal.wait_for(lambda lines: any(re.match(r'"[\w-]+"', line) for line in lines)))
        pod = re.search(r'^"([\w-]+)"', shown, re.MULTILINE)
        assert pod is not None

        # Without breakpoints it runs; the pod is bound in log and queue.
        terminal.send("tbgx")
        terminal.wait_for("No breakpoints")
        terminal.send("c")
        terminal.wait_for("▶ running")
        terminal.send(",l")
        terminal.send(f"fbound pod:default/{pod[1]}\r")
        terminal.wait_for(f"bound pod:default/{pod[1]}⟩")
        terminal.send("l")
        terminal.wait_for(f'"Successfully bound pod to node" pod="default/{pod[1]}"')
        terminal.send(",qa/")
        terminal.send(f"{pod[1]}\r")
        is_bound(terminal, pod[1])

        # Quitting asks, ends the lab that this call started, and leaves nothing behind.
        assert processes_below(state)
        terminal.send("q")
        terminal.wait_for("Still alive")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(state)
    assert not list((state / "lab").glob("*")) if (state / "lab").exists() else True
    assert not list((state / "sessions").glob("*"))
