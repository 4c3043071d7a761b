"""A fault in the screen's own code, at whatever moment, leaves no scheduler, dlv or lab behind."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.processes import none_left
from tests.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.lab.module import LabBinaries

pytestmark = [pytest.mark.dlv, pytest.mark.timeout(300)]

FAULTY = """
import sys
from schedtui.cli import run
from schedtui.ui.screens.actions import ActionsScreen
from schedtui.ui.screens.progress import ProgressScreen

def fault(self, *_):
    raise RuntimeError("a fault made for a test")

ActionsScreen.action_app_legend = fault
if sys.argv.pop(1) == "preparing":
    ProgressScreen.on_key = fault
sys.exit(run(sys.argv[1:]))
"""
"""The real program with one method that fails: ``, v`` on the panes, any key while it prepares."""


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Path:
    """A cluster that nobody answers for."""
    document = {
        "apiVersion": "v1", "kind": "Config", "current-context": "nowhere",
        "clusters": [{"name": "nowhere", "cluster": {"server": "http://127.0.0.1:1"}}],
        "contexts": [{"name": "nowhere", "context": {"cluster": "nowhere", "user": "nobody"}}],
        "users": [{"name": "nobody", "user": {"token": "none"}}],
    }  # fmt: skip
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps(document))
    return file


@pytest.mark.parametrize("moment", ["starting", "at its entry", "running"])
def test_a_fault_ends_scheduler_and_dlv(
    lab_builds: LabBinaries, dlv_path: Path, kubeconfig: Path, tmp_path: Path, moment: str
) -> None:
    command = [
        sys.executable, "-c", FAULTY, "panes", "--exec", str(lab_builds.scheduler), "--dlv", str(dlv_path),
        "--kubeconfig", str(kubeconfig), *(["--run"] if moment == "running" else []),
    ]  # fmt: skip
    environment = {"SCHEDTUI_STATE": str(tmp_path / "state")}
    with Terminal(command, environment=environment) as terminal:
        terminal.wait_for(f"{moment}", 120)
        terminal.send(",v")
        assert terminal.wait_for_end(60) != 0
        assert any("a fault made for a test" in line for line in terminal.text), "\n".join(terminal.text)
    none_left(kubeconfig)
    none_left(tmp_path / "state")


@pytest.mark.lab
def test_a_fault_while_the_lab_starts_ends_it(lab_builds: LabBinaries, dlv_path: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    command = [sys.executable, "-c", FAULTY, "preparing", "lab", "--dlv", str(dlv_path)]
    with Terminal(command, environment={"SCHEDTUI_STATE": str(state)}) as terminal:
        terminal.wait_for(f"lab {lab_builds.release}")
        terminal.send("x")
        assert terminal.wait_for_end(60) != 0
    none_left(state)
