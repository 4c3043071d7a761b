"""The queue pane against the running scheduler, in a real terminal on the real lab, while pods churn.

Ten times the scheduler is asked for its queues by key: each time the model must be its equal, but for pods that
are in motion at that very moment. The tabs that count along are read as well.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.test_debugging_story import command_line
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from schedtui.lab.module import LabBinaries

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(600)]

DUMPS = 10

EQUAL = re.compile(r"model = scheduler(?: but for \d+ in motion, \d+ not certain)?: \d+ pods")


def seen(pattern: str) -> Callable[[list[str]], bool]:
    """Something to wait for: a line that matches."""
    compiled = re.compile(pattern)
    return lambda lines: any(compiled.search(line) for line in lines)


def ask_for_dump(terminal: Terminal) -> None:
    """One dump, compared."""
    # A key takes the notice of the dump before away.
    terminal.send("a")
    terminal.wait_for(lambda lines: not any("scheduler: " in line or "scheduler but" in line for line in lines))
    terminal.send("D")
    lines = terminal.wait_for(seen(r"model [=≠] scheduler|No dump came"), 60)
    assert any(EQUAL.search(line) for line in lines), "\n".join(lines)
    assert any("/metrics: active " in line for line in lines), "\n".join(lines)


def test_the_model_is_the_schedulers_equal(lab_builds: LabBinaries, dlv_path: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "schedtui", "lab"]
    environment = {"SCHEDTUI_STATE": str(tmp_path / "state")}
    with Terminal(command, columns=160, lines=50, environment=environment) as terminal:
        terminal.wait_for("at its entry", 240)
        terminal.send("c")
        terminal.wait_for("▶ running", 60)
        command_line(terminal, "load churn")
        terminal.send(",q")
        terminal.wait_for(seen(r"bound [1-9]\d"), 120)
        for _ in range(DUMPS):
            ask_for_dump(terminal)

        # What counts along.
        terminal.send("td")
        terminal.wait_for(seen(r"\d+ in all, by the binding lines"))
        terminal.wait_for(seen(r"node-\d+ +\d+\.\d % +█"))
        terminal.send("tw")
        terminal.wait_for(seen(r"bind +[1-9]\d* "))
        terminal.send("tm")
        terminal.wait_for(seen(r"wait +\d+ +[\d.]+(?:ms|s|min)"))
        terminal.send("tq")
        terminal.wait_for(seen(r"\[queues\]"))
        terminal.send("\r")
        terminal.wait_for(seen(r"\[pod story \S+/\S+\]"))
        terminal.wait_for(seen(r"life.*, added \d\d:\d\d"))
