"""A dropped line in persistent mode, by keys alone: the scheduler runs on, and everything is there again."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.processes import none_left, processes_below
from tests.end_to_end.test_main_job import stops_in
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schedtui.lab.module import LabBinaries

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(900)]

COMMAND = [sys.executable, "-m", "schedtui", "lab"]


def any_line(pattern: str) -> Callable[[list[str]], bool]:
    """Something to wait for: a line that matches."""
    compiled = re.compile(pattern)
    return lambda lines: any(compiled.search(line) for line in lines)


@pytest.fixture
def state() -> Iterator[Path]:
    """A state directory with a short path (a unix socket lies in it), its lab ended at last."""
    path = Path(tempfile.mkdtemp(prefix="st-"))
    yield path
    variables = {**os.environ, "SCHEDTUI_STATE": str(path)}
    subprocess.run([*COMMAND, "down"], env=variables, check=False, timeout=60)
    none_left(path)
    shutil.rmtree(path)


def test_a_dropped_line(lab_builds: LabBinaries, dlv_path: Path, state: Path) -> None:
    variables = {"SCHEDTUI_STATE": str(state)}
    with Terminal([*COMMAND, "--persistent"], columns=100, lines=40, environment=variables) as terminal:
        terminal.wait_for(any_line(r"■ stopped.*at its entry"), 240)
        terminal.send("bs")
        terminal.wait_for("Breakpoint 1 set", 60)
        terminal.send("wsched.Profiles\r")
        terminal.send("c")
        stops_in(terminal, "ScheduleOne", 120)
        terminal.send("tw")
        terminal.wait_for("sched.Profiles")
        terminal.send(",lgjjjjj")
        terminal.wait_for(any_line(r"\bline 6\b"))
        before = processes_below(state, "kube-scheduler")
        assert len(before) > 1
        terminal.hang_up()
        terminal.wait_for_end(60)
    assert [line for line in processes_below(state, "/kube-scheduler") if "connect" not in line]

    with Terminal(COMMAND, columns=100, lines=40, environment=variables) as terminal:
        terminal.wait_for("was left running here", 60)
        terminal.send("y")
        stops_in(terminal, "ScheduleOne", 120)
        # The log is where it was read, although the scheduler has logged more meanwhile.
        terminal.wait_for(any_line(r"PAUSED.*\bline 6\b"), 30)
        terminal.send(",d")
        terminal.wait_for(any_line(r"\[watches\]"), 30)
        terminal.wait_for("sched.Profiles", 30)
        terminal.send("tb")
        terminal.wait_for(any_line(r"● +1 scheduler\.\(\*Scheduler\)\.ScheduleOne"), 30)
        terminal.send("q")
        terminal.wait_for("detach and quit")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    assert not list((state / "sessions").glob("*"))
