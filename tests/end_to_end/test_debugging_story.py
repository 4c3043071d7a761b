"""A whole debugging story in a real terminal on the real lab, by keys alone.

A pending pod is picked in the queue pane and broken on; at the Filter station NodeInfo and the refusal of
NodeResourcesFit are read; it goes on; from its log line to the source line; a restart keeps breakpoints and
watches.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.processes import none_left
from tests.end_to_end.test_main_job import stands_at, stops_in
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from schedtui.lab.module import LabBinaries

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(900)]

POD = "default/giant-0"
"""It asks for more memory than any node has: pending for good."""


def any_line(pattern: str) -> Callable[[list[str]], bool]:
    """Something to wait for: a line that matches."""
    compiled = re.compile(pattern)
    return lambda lines: any(compiled.search(line) for line in lines)


def command_line(terminal: Terminal, words: str) -> None:
    """Type a command of the palette."""
    terminal.send(":")
    terminal.wait_for("Palette")
    terminal.send(words)
    terminal.wait_for(words)
    terminal.send("\r")
    terminal.wait_for(lambda lines: not any("Palette" in line for line in lines))


def select_pod(terminal: Terminal) -> None:
    """Put the queue pane's cursor on the pod, alone in the table."""
    terminal.send(",q/")
    terminal.wait_for("Show pods with:")
    terminal.send("giant\r")
    terminal.wait_for(any_line(rf"^[│ ]*U.{POD} +unschedulable"), 120)


def test_a_pending_pod_is_understood(lab_builds: LabBinaries, dlv_path: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    command = [sys.executable, "-m", "schedtui", "lab"]
    with Terminal(command, columns=100, lines=40, environment={"SCHEDTUI_STATE": str(state)}) as terminal:
        terminal.wait_for("at its entry", 240)
        terminal.send("c")
        terminal.wait_for("▶ running", 60)
        command_line(terminal, "load resources-short")
        select_pod(terminal)

        # Break on it, and see it at the first line that knows its pod.
        terminal.send("bP")
        terminal.wait_for(f"To break on {POD}", 60)
        command_line(terminal, "again")
        stops_in(terminal, r"scheduleOnePod", 120)

        # On to the station where NodeResourcesFit refuses it.
        terminal.send(",dbS")
        terminal.wait_for(f"Stations for {POD} alone", 60)
        terminal.send("FitRejects\r")
        terminal.wait_for(any_line(r"Breakpoint 2 set"), 60)
        terminal.send("wpod.ObjectMeta.Name\r")
        terminal.send("cth")
        stops_in(terminal, r"\(\*Fit\)\.Filter", 120)
        terminal.wait_for(lambda lines: "failureReasons := make" in stands_at(lines))
        terminal.wait_for(any_line(r"memory +Insufficient memory: asks 900Gi, \S+ of \S+ free"), 30)
        lines = terminal.wait_for(any_line(r"memory +\[[#-]+\] +\d+ %"), 30)
        assert any(re.search(r"node +(node|small)-\d", line) for line in lines)
        terminal.send("tw")
        terminal.wait_for(any_line(r'pod\.ObjectMeta\.Name.*"giant-0"'))

        # It goes on; from the line that it logged to the line of the source.
        terminal.send("tb")
        terminal.wait_for("[breakpoints]")
        terminal.send("G!")
        terminal.wait_for(any_line(r"○ +2 "))
        terminal.send("g!")
        terminal.wait_for(any_line(r"○ +1 "))
        terminal.send("c")
        terminal.wait_for("▶ running", 60)
        terminal.send(f",lfpod:{POD} unable\r")
        terminal.wait_for(any_line(r'"Unable to schedule pod; no fit; waiting"'), 60)
        terminal.send(".")
        terminal.wait_for(any_line(r"logger.*Unable to schedule pod; no fit.* V\d x\d+$"), 60)

        # A restart keeps everything.
        terminal.send("r")
        terminal.wait_for(any_line(r"■ stopped.*at its entry"), 120)
        terminal.send("tb")
        lines = terminal.wait_for(any_line(r"○ +\d+ .*Filter"), 60)
        assert any(re.search(r"○ +\d+ .*scheduleOnePod", line) for line in lines)
        terminal.send("g!")
        terminal.wait_for(any_line(r"◆ +\d+ .*scheduleOnePod"))
        terminal.send("c")
        stops_in(terminal, r"scheduleOnePod", 180)
        terminal.send("tw")
        terminal.wait_for("pod.ObjectMeta.Name")

        terminal.send("q")
        terminal.wait_for("Still alive")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(state)
