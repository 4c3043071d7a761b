"""``--src DIR --exec BIN``: schedulers built in other ways than schedtui does it, to a stop in ScheduleOne."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from schedtui.toolchain.build_plan import default_output
from tests.end_to_end.processes import none_left
from tests.terminal import Terminal
from tests.toolchain.built_before import built_trimmed, built_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from schedtui.lab.running import RunningLab
    from schedtui.toolchain.build_plan import BuildRequest

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(600)]

STOP_SECONDS = 180.0
"""For dlv to start a scheduler and the scheduler to get to its first cycle, on a busy machine."""


@pytest.mark.parametrize("built", [built_whole, built_trimmed])
def test_its_files_are_found_in_the_tree(
    lab: RunningLab, source_tree: Path, dlv_path: Path, tmp_path: Path, built: Callable[[Path], BuildRequest]
) -> None:
    request = built(source_tree)
    binary = request.output or default_output(request)
    command = [
        sys.executable, "-m", "schedtui", "--src", str(source_tree), "--exec", str(binary), "--dlv", str(dlv_path),
        "--kubeconfig", str(lab.kubeconfig), "--", "--leader-elect=false", "--secure-port=0",
    ]  # fmt: skip
    # A state of its own: no breakpoint is remembered for the tree.
    environment = {"SCHEDTUI_STATE": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    with Terminal(command, columns=120, lines=40, directory=tmp_path, environment=environment) as terminal:
        terminal.wait_for("at its entry", STOP_SECONDS)
        terminal.send("bsc")
        shown = re.compile(r"\d+▶func \(sched \*Scheduler\) ScheduleOne")
        terminal.wait_for(lambda lines: any(shown.search(line) for line in lines), STOP_SECONDS)
        # The second caller: a library whose files lie in staging.
        terminal.send("uu")
        terminal.wait_for(lambda lines: "backoff.go" in lines[0], STOP_SECONDS)
        terminal.wait_for(lambda lines: any(re.search(r"\d+▶.*\bf\(ctx\)", line) for line in lines), STOP_SECONDS)
        terminal.send("q")
        terminal.wait_for("Still alive")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(lab.kubeconfig, "kube-scheduler")
