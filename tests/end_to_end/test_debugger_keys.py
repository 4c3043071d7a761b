"""Keys and commands of the debugger on a real scheduler under a real dlv, as a person presses them."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.debugger.on_lab import make_pod
from tests.end_to_end.processes import none_left
from tests.end_to_end.test_coming_back import any_line
from tests.end_to_end.test_main_job import stops_in
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schedtui.lab.running import RunningLab

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(600)]

STOP_SECONDS = 120.0
"""For a scheduler under a debugger on a busy machine."""


@contextmanager
def debugging(lab: RunningLab, dlv: Path, home: Path, *more: str) -> Iterator[Terminal]:
    """The lab's scheduler under dlv, in a wide terminal; nothing of it is left at the end."""
    command = [
        sys.executable, "-m", "schedtui", "--exec", str(lab.scheduler_binary), "--src", str(lab.source_directory),
        "--kubeconfig", str(lab.kubeconfig), "--dlv", str(dlv), *more, "--", "--leader-elect=false",
        f"--secure-port={free_port()}", f"--authentication-kubeconfig={lab.kubeconfig}",
        f"--authorization-kubeconfig={lab.kubeconfig}",
    ]  # fmt: skip
    # A state of its own: no breakpoint of another test is remembered for the tree.
    environment = {"SCHEDTUI_STATE": str(home / "state")}
    with Terminal(command, columns=160, lines=50, directory=home, environment=environment) as terminal:
        terminal.wait_for("▶ running" if "--run" in more else any_line(r"■ stopped.*at its entry"), STOP_SECONDS)
        yield terminal
        terminal.send("q")
        terminal.wait_for("Still alive")
        terminal.send("y")
        assert terminal.wait_for_end(90) == 0
    none_left(home / "state")


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_b_e_stops_where_one_call_logs_it_for_one_pod(lab: RunningLab, dlv_path: Path, tmp_path: Path) -> None:
    with debugging(lab, dlv_path, tmp_path, "--run") as terminal:
        pod = "default/pattern-exact"
        terminal.send(f"beAttempting to schedule pod pod:{pod}\r")
        terminal.wait_for("Exact: schedule_one.go:")
        terminal.wait_for(any_line(r"Breakpoint 1 set at"))
        make_pod(lab, "pattern-other")
        make_pod(lab, "pattern-exact")
        lines = stops_in(terminal, r"schedule\w*", STOP_SECONDS)
        assert any("▶" in line and '"Attempting to schedule pod"' in line for line in lines), "\n".join(lines)
        # It stops in front of the line, for that pod.
        terminal.send("p")
        terminal.wait_for(any_line(r"^print"))
        terminal.send("pod.Name\r")
        terminal.wait_for(any_line(r'"pattern-exact"'))


def test_b_e_stops_softly_where_no_single_call_is_meant(lab: RunningLab, dlv_path: Path, tmp_path: Path) -> None:
    with debugging(lab, dlv_path, tmp_path, "--run") as terminal:
        terminal.send('be"Successfully bound.*pattern-soft\r')
        terminal.wait_for("Soft: it is stopped once such a line has come")
        make_pod(lab, "pattern-soft")
        terminal.wait_for(any_line(r"Stopped softly: line \d+ matches"), STOP_SECONDS)
        terminal.wait_for(any_line(r"■ stopped.*interrupted in"), STOP_SECONDS)
        # The source shows the scheduler's own code, wherever the thread was caught.
        terminal.wait_for(any_line(r"debugger +stopped · \S*(scheduler|queue|runtime|framework)\S* "))


def test_a_tracepoint_writes_into_the_log_as_its_own_source_and_a_bundle_holds_all(
    lab: RunningLab, dlv_path: Path, tmp_path: Path
) -> None:
    bundle, transcript = tmp_path / "bundle", tmp_path / "transcript.txt"
    with debugging(lab, dlv_path, tmp_path, "--run") as terminal:
        terminal.send("btBind: pod.ObjectMeta.Name\r")
        # A pod that passes at once pushes dlv's answer out of the pane.
        terminal.wait_for(any_line(r'Tracepoint 1 set at|> goroutine\(\d+\): |"Tracepoint passed"'))
        make_pod(lab, "marked")
        terminal.send("zz,l")
        # It runs on; the line stands among the scheduler's, in klog's form, and can be filtered for.
        terminal.send("ffile:dlv.go marked\r")
        terminal.wait_for(any_line(r'dlv\.go:1\] "Tracepoint passed".*RunBindPlugins'), STOP_SECONDS)
        terminal.wait_for("▶ running")
        terminal.send("\x1b")
        terminal.send(f":transcript {transcript}\r")
        terminal.wait_for("Saved ")
        terminal.send(f":bundle {bundle}\r")
        terminal.wait_for("files written to", 120)
    assert "Tracepoint 1 set at" in transcript.read_text()
    assert transcript.stat().st_mode & 0o077 == 0
    names = {path.name for path in bundle.iterdir()}
    assert {"log.log", "log-1.log", "queue.txt", "breakpoints.json", "transcript.txt", "versions.txt"} <= names
    assert "Tracepoint passed" in (bundle / "log-1.log").read_text()
    assert "Tracepoint passed" not in (bundle / "log.log").read_text()
    (breakpoint_,) = json.loads((bundle / "breakpoints.json").read_text())
    assert breakpoint_["asked"] == "Bind"
    assert breakpoint_["tracepoint"]


POD_NAME = re.compile(r'podInfo\.Pod\.Name string = "([a-z0-9-]+)"')
"""How the watch of it is shown."""


def test_a_value_is_set_and_a_pods_goroutine_is_found(lab: RunningLab, dlv_path: Path, tmp_path: Path) -> None:
    with debugging(lab, dlv_path, tmp_path, "--run") as terminal:
        make_pod(lab, "settled")
        terminal.send("b:SchedulePod\r")
        # Setting it halts the target for a moment: that is not yet the stop.
        terminal.wait_for(any_line(r"■ stopped.*breakpoint 1 in"), STOP_SECONDS)
        terminal.send("wpodInfo.Attempts\r")
        terminal.send("tw")
        terminal.wait_for(any_line(r"podInfo\.Attempts int = 1\b"))
        # The lab's own visitors come along too: it may stand with one of those.
        terminal.send("wpodInfo.Pod.Name\r")
        lines = terminal.wait_for(any_line(POD_NAME.pattern))
        pod = "default/" + next(found[1] for line in lines if (found := POD_NAME.search(line)))
        terminal.send("=")
        terminal.wait_for(any_line(r"^podInfo\.Attempts ="))
        terminal.send("7\r")
        terminal.wait_for(any_line(r"podInfo\.Attempts int = 7\b"))
        # From another goroutine back to the one that has the pod in hand.
        before = next(line for line in terminal.text if "debugger" in line)
        terminal.send("`goroutine 1\r")
        terminal.wait_for(lambda lines: "debugger" in lines[0] and lines[0][:60] != before[:60])
        terminal.send("\x1bP")
        # It may offer the queue pane's row, which need not be this pod: that is wiped out first.
        terminal.wait_for("Goroutine of pod:")
        terminal.send(f"\x05\x15{pod}")
        terminal.wait_for(any_line(rf"^Goroutine of pod: *{re.escape(pod)} *(│|$)"))
        terminal.send("\r")
        terminal.wait_for(any_line(r"goroutine of default/"))
        terminal.wait_for(lambda lines: lines[0][:60] == before[:60])
