"""``schedtui --src DIR`` with a lab that is up: from a checkout to a stop in ScheduleOne, by keys alone."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from schedtui.toolchain.build import why_stale
from schedtui.toolchain.build_plan import BuildRequest
from schedtui.toolchain.checkout import open_checkout
from tests.end_to_end.processes import none_left, processes_below
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schedtui.lab.running import RunningLab

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(900)]

BUILD_SECONDS = 600.0
"""For the debug build of the tree, with Go's caches as the lab's builds have left them."""

STOP_SECONDS = 180.0
"""For dlv to start a scheduler and the scheduler to get to its first cycle, on a busy machine."""

LOG_LINE = re.compile(r"[IWE]\d{4} [\d:.]+ +\d+ \w+\.go:\d+\] ")
"""How a line of the log pane begins."""


def at_entry(lines: list[str]) -> bool:
    """True when the status line says that the scheduler has not begun."""
    return " ■ stopped" in lines[-2] and "at its entry" in lines[-2]


def in_schedule_one(lines: list[str]) -> bool:
    """True when status line and debugger pane say that it stands there, and the source has come as well."""
    said = " ■ stopped" in lines[-2] and "ScheduleOne" in lines[-2] and "ScheduleOne" in lines[0]
    return said and any(re.search(r"\d+▶func \(sched \*Scheduler\) ScheduleOne", line) for line in lines)


def built_programs(lab: RunningLab) -> list[str]:
    """The schedulers that dlv has built and started; dlv's own command line names the file too."""
    return [line for line in processes_below(lab.kubeconfig, "debug-debug.bin") if " debug ./cmd" not in line]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What is remembered of trees stays out of the other tests; the lab's state is the test process's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    before = set(_sessions())
    yield tmp_path
    assert set(_sessions()) <= before


def _sessions() -> list[Path]:
    from schedtui.config.directories import directories

    with contextlib.suppress(OSError):
        return list((directories().state / "sessions").iterdir())
    return []


def test_from_a_checkout_to_schedule_one(lab: RunningLab, source_tree: Path, dlv_path: Path, home: Path) -> None:
    """Inside the tree, without a word: the tree is the source, the lab that is up is the cluster."""
    command = [sys.executable, "-m", "schedtui", "--dlv", str(dlv_path), "--", "--kube-api-qps=77"]
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    with Terminal(command, columns=160, lines=50, directory=source_tree, environment=environment) as terminal:
        terminal.wait_for(at_entry, BUILD_SECONDS)
        terminal.wait_for("runs in the lab")
        (scheduler,) = [line for line in processes_below(lab.kubeconfig, "kube-scheduler") if " exec " not in line]
        assert "--leader-elect=false" in scheduler
        assert scheduler.rstrip().endswith("--kube-api-qps=77")

        terminal.send("bsc")
        terminal.wait_for(in_schedule_one, STOP_SECONDS)
        # Its log is read beside it: pods in the queue pane.
        terminal.wait_for(lambda lines: any("activeQ" in line and "default/" in line for line in lines))
        terminal.wait_for(lambda lines: any(LOG_LINE.search(line) for line in lines))

        # A restart has a log of its own, and the breakpoint is still there.
        terminal.send("r")
        terminal.wait_for(at_entry, STOP_SECONDS)
        terminal.send("c")
        terminal.wait_for(in_schedule_one, STOP_SECONDS)
        terminal.send(":runs\r")
        terminal.wait_for("Earlier runs")
        for number in (2, 1):
            listed = re.compile(rf"{re.escape(source_tree.name)} +run {number}\b")
            terminal.wait_for(lambda lines, listed=listed: any(map(listed.search, lines)))  # type: ignore[misc]
        terminal.send("\x1b")
        terminal.wait_for(lambda lines: not any("Earlier runs" in line for line in lines))

        # The lab was up before: quitting ends the scheduler alone.
        terminal.send("q")
        question = "\n".join(terminal.wait_for("Still alive"))
        assert "which this call started" not in question, question
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(lab.kubeconfig, "kube-scheduler")
    assert lab.is_running()


def test_dlv_debug_builds_the_tree_and_stops_in_schedule_one(
    lab: RunningLab, source_tree: Path, dlv_path: Path, home: Path
) -> None:
    """``--dlv-debug``: dlv builds by itself, from a tree whose go.mod is left as it was."""
    if why_stale(BuildRequest(open_checkout(source_tree), "all")):
        # Without Go's cache from that build, dlv would compile for many minutes.
        pytest.skip(f"not built here: schedtui build --all --src {source_tree}")
    go_mod = (source_tree / "go.mod").read_bytes()
    command = [sys.executable, "-m", "schedtui", "--src", str(source_tree), "--dlv", str(dlv_path), "--dlv-debug"]
    with Terminal(command, columns=160, lines=50, directory=home) as terminal:
        terminal.wait_for("building", STOP_SECONDS)
        terminal.wait_for(at_entry, BUILD_SECONDS)
        terminal.send("bsc")
        terminal.wait_for(in_schedule_one, STOP_SECONDS)
        (program,) = built_programs(lab)

        # Rebuilding is dlv's too: it is started anew, and the breakpoint is still there.
        terminal.send(",r")
        terminal.wait_for("building", STOP_SECONDS)
        terminal.wait_for(at_entry, BUILD_SECONDS)
        (again,) = built_programs(lab)
        assert again != program
        terminal.send("c")
        terminal.wait_for(in_schedule_one, STOP_SECONDS)
        terminal.send("q")
        terminal.wait_for("Still alive")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(lab.kubeconfig, "debug-debug.bin")
    assert (source_tree / "go.mod").read_bytes() == go_mod


def test_a_kubeconfig_and_a_configuration_of_ones_own(
    lab: RunningLab, source_tree: Path, dlv_path: Path, home: Path
) -> None:
    """``--kubeconfig`` and ``--config`` as they stand, ``--run``, and the flags behind ``--``."""
    config = home / "scheduler.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        f"clientConnection:\n  kubeconfig: {lab.kubeconfig}\nleaderElection:\n  leaderElect: false\n"
    )
    command = [
        sys.executable, "-m", "schedtui", "--src", str(source_tree), "--dlv", str(dlv_path),
        "--kubeconfig", str(lab.kubeconfig), "--config", str(config), "--run", "-v", "4",
    ]  # fmt: skip
    # A state of its own: no lab is found there, and no breakpoint is remembered for the tree.
    environment = {"SCHEDTUI_STATE": str(home / "state")}
    with Terminal(command, columns=120, lines=40, directory=home, environment=environment) as terminal:
        terminal.wait_for("▶ running", BUILD_SECONDS)
        terminal.wait_for("runs at -v 4")
        terminal.wait_for(lambda lines: any(re.search(r"bound [1-9]", line) for line in lines), STOP_SECONDS)
        terminal.send("q")
        terminal.wait_for("Still alive")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(config)
