"""Processes and servers that somebody else started: debugged, let go, and never harmed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.debugger import bereaved, model
from schedtui.debugger.sessions import read_record
from schedtui.processes.identity import identify
from tests.debugger.conftest import Debuggee, is_gone, own_environment, wait_gone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [
    pytest.mark.dlv,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc"),
]

SECONDS = 20.0
"""For what is only a matter of the machine's speed."""


@pytest.fixture
def stranger(small_program: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs already."""
    process = subprocess.Popen([str(small_program), "loop"], stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert process.stderr.readline()
    yield process
    process.kill()
    process.wait()
    process.stderr.close()


def runs_free(pid: int) -> bool:
    """True once nobody traces a process and it neither stands still nor is gone."""
    deadline = time.monotonic() + SECONDS
    fields: dict[str, str] = {}
    while time.monotonic() < deadline:
        fields = dict(
            line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line
        )
        if fields["TracerPid"] == "0" and fields["State"][0] in "SR":
            return True
        time.sleep(0.02)
    raise AssertionError((fields["State"], fields["TracerPid"]))


def ticks_on(process: subprocess.Popen[bytes]) -> bool:
    """True when it still lives after it must have come past any place of its loop many times."""

    def switches() -> int:
        # Of every thread: Go moves the loop from one to another, and the first may sleep for good.
        counted = 0
        for status in Path(f"/proc/{process.pid}/task").glob("*/status"):
            with contextlib.suppress(OSError):  # a thread that has ended meanwhile
                lines = status.read_text().splitlines()
                counted += sum(int(line.split()[1]) for line in lines if line.startswith("voluntary"))
        return counted

    before, deadline = switches(), time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if switches() > before + 20:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("stopped", [True, False])
def test_leaving_lets_an_attached_process_run_on_without_breakpoints(
    debug: Callable[..., Debuggee], stranger: subprocess.Popen[bytes], short_directory: Path, stopped: bool
) -> None:
    one = debug(mode="attach", target=str(stranger.pid), run_directory=str(short_directory / "s")).start()
    assert one.last_state.target_pid == stranger.pid
    one.breakpoint("main.tick", condition="" if stopped else "n < 0")
    if stopped:
        assert one.stop(model.Continue()).reason == "breakpoint"
    else:
        one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    assert one.driver.close(timeout=SECONDS)
    assert runs_free(stranger.pid)
    assert ticks_on(stranger)
    assert not list((short_directory / "s").glob("*.sock"))
    assert not (short_directory / "s" / "session.json").exists()


def test_restarting_attaches_anew(
    debug: Callable[..., Debuggee], stranger: subprocess.Popen[bytes], short_directory: Path
) -> None:
    one = debug(mode="attach", target=str(stranger.pid), run_directory=str(short_directory / "s")).start()
    again = one.ask(model.Restart(), model.StateChanged, lambda e: e.state == "stopped")
    assert again.target_pid == stranger.pid
    one.wait(model.BreakpointsChanged)
    one.breakpoint("main.tick")
    assert one.stop(model.Continue(), SECONDS).reason == "breakpoint"


def test_an_attached_process_that_is_killed_while_it_stands_still_is_noticed(
    debug: Callable[..., Debuggee], stranger: subprocess.Popen[bytes], short_directory: Path
) -> None:
    one = debug(mode="attach", target=str(stranger.pid), run_directory=str(short_directory / "s")).start()
    stranger.kill()
    exited = one.wait(model.StateChanged)
    assert (exited.state, exited.exit_status) == ("exited", -signal.SIGKILL)


def kill_server(directory: Path) -> None:
    record = read_record(directory)
    assert record is not None and record.dlv is not None
    os.kill(record.dlv.pid, signal.SIGKILL)


def said(one: Debuggee, words: str) -> str:
    """What the console says with these words in it."""
    found = one.wait(model.ConsoleOutput, lambda event: words in event.text, seconds=SECONDS)
    return found.text


def test_what_a_killed_dlv_does_to_a_process_is_said_when_it_is_attached_to(
    debug: Callable[..., Debuggee], stranger: subprocess.Popen[bytes], short_directory: Path
) -> None:
    one = debug(mode="attach", target=str(stranger.pid), run_directory=str(short_directory / "s"))
    one.driver.start()
    text = said(one, f"attached to process {stranger.pid}")
    assert "the process ends with it" in text
    assert ":detach" in text


def test_a_process_without_breakpoints_lives_on_when_its_dlv_is_killed(
    debug: Callable[..., Debuggee], stranger: subprocess.Popen[bytes], short_directory: Path
) -> None:
    one = debug(mode="attach", target=str(stranger.pid), run_directory=str(short_directory / "s")).start()
    kill_server(short_directory / "s")
    assert one.wait(model.StateChanged, lambda event: event.state == "lost", seconds=SECONDS)
    # Whether it was left standing still is the system's choice.
    assert "runs on" in said(one, f"process {stranger.pid}")
    assert runs_free(stranger.pid)
    assert ticks_on(stranger)


def test_a_process_that_ends_of_a_killed_dlvs_breakpoint_is_said_to(
    debug: Callable[..., Debuggee], stranger: subprocess.Popen[bytes], short_directory: Path
) -> None:
    one = debug(mode="attach", target=str(stranger.pid), run_directory=str(short_directory / "s")).start()
    one.breakpoint("main.tick")
    assert one.stop(model.Continue(), SECONDS).reason == "breakpoint"
    kill_server(short_directory / "s")
    assert "breakpoints were still in its code" in said(one, f"process {stranger.pid} ended")
    assert stranger.wait(SECONDS) == -signal.SIGTRAP


def test_one_that_stands_still_is_let_run_on_without_breakpoints(stranger: subprocess.Popen[bytes]) -> None:
    process = identify(stranger.pid)
    assert process is not None
    assert "3 of dlv's breakpoints in its code" in bereaved.look_after(process, 3)
    stranger.send_signal(signal.SIGSTOP)
    deadline = time.monotonic() + SECONDS
    while "State:\tT" not in Path(f"/proc/{stranger.pid}/status").read_text():
        assert time.monotonic() < deadline
    assert f"kill -CONT {stranger.pid}" in bereaved.look_after(process, 1)
    assert "State:\tT" in Path(f"/proc/{stranger.pid}/status").read_text()
    assert "has been let go" in bereaved.look_after(process, 0)
    assert runs_free(stranger.pid)
    assert ticks_on(stranger)


OWNER = """
import json, sys
from schedtui.debugger import model
from schedtui.debugger.driver import DebuggerDriver

def post(event):
    if isinstance(event, model.Stopped):
        print(json.dumps(event.stop.reason), flush=True)

launch = model.Launch(dlv=sys.argv[1], mode="attach", target=sys.argv[2], run_directory=sys.argv[3])
driver = DebuggerDriver(launch, post)
driver.start()
driver.submit(model.SetBreakpoint("main.tick"))
driver.submit(model.Continue())
sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_a_killed_owner_leaves_an_attached_process_running_without_breakpoints(
    dlv_path: Path, stranger: subprocess.Popen[bytes], short_directory: Path, number: signal.Signals
) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(dlv_path), str(stranger.pid), str(short_directory / "s")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own_environment(), start_new_session=True,
    )  # fmt: skip
    assert owner.stdout is not None
    assert owner.stdin is not None
    for line in owner.stdout:
        if json.loads(line) == "breakpoint":
            break
    record = json.loads((short_directory / "s" / "session.json").read_text())
    os.kill(owner.pid, number)
    owner.stdin.close()
    owner.wait(timeout=SECONDS)
    owner.stdout.close()
    assert runs_free(stranger.pid)
    assert ticks_on(stranger)
    assert wait_gone(record["dlv"]["pid"])


@pytest.mark.parametrize("look_seconds", [0.0, 1.0], ids=["client-comes-first", "server-ends-first"])
def test_a_process_that_another_debugger_holds(
    debug: Callable[..., Debuggee],
    stranger: subprocess.Popen[bytes],
    short_directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    look_seconds: float,
) -> None:
    """dlv listens before it attaches: whether a client gets there in time or not, the reason is told."""
    debug(mode="attach", target=str(stranger.pid), run_directory=str(short_directory / "s")).start()
    monkeypatch.setattr("schedtui.debugger.server.LOOK_SECONDS", look_seconds)
    other = debug(mode="attach", target=str(stranger.pid), run_directory=str(short_directory / "o"))
    other.driver.start()
    failed = other.wait(model.Failed)
    assert failed.title == "Another debugger holds this process"
    assert any("already being debugged by pid" in line for line in failed.details)
    assert other.wait(model.StateChanged).state == "lost"


def test_a_process_that_is_not_there(debug: Callable[..., Debuggee], short_directory: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    one = debug(mode="attach", target=str(ended.pid), run_directory=str(short_directory / "s"))
    one.driver.start()
    assert one.wait(model.Failed).title == "There is no such process or file"
    assert one.wait(model.StateChanged).state == "lost"


@pytest.fixture
def server(dlv_path: Path, small_program: Path, short_directory: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A dlv server for many clients, its target at the entry; the address is ``unix:…/x``."""
    address = f"unix:{short_directory}/x"
    words = [str(dlv_path), "exec", str(small_program), "--headless", "--accept-multiclient", "--api-version=2"]
    process = subprocess.Popen(
        [*words, f"--listen={address}", "--", "loop"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not (short_directory / "x").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield process
    process.terminate()
    process.wait(timeout=SECONDS)


@pytest.mark.parametrize("stopped", [True, False])
def test_leaving_a_server_lets_its_target_run_on_without_our_breakpoints(
    debug: Callable[..., Debuggee], server: subprocess.Popen[bytes], short_directory: Path, stopped: bool
) -> None:
    one = debug(mode="connect", target=f"unix:{short_directory}/x", arguments=()).start()
    one.breakpoint("main.tick", condition="" if stopped else "n < 0")
    if stopped:
        one.stop(model.Continue())
    else:
        one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    assert one.driver.close(timeout=3 * SECONDS)
    assert server.poll() is None
    again = debug(mode="connect", target=f"unix:{short_directory}/x", arguments=()).start()
    listed = next(e for e in reversed(again.events) if isinstance(e, model.BreakpointsChanged))
    assert listed.breakpoints == ()
    assert again.last_stop.reason == "interrupt", (one.events, again.events)


def test_a_server_at_its_entry_is_left_there(
    debug: Callable[..., Debuggee], server: subprocess.Popen[bytes], short_directory: Path
) -> None:
    one = debug(mode="connect", target=f"unix:{short_directory}/x", arguments=()).start()
    one.breakpoint("main.tick")
    assert one.driver.close(timeout=SECONDS)
    again = debug(mode="connect", target=f"unix:{short_directory}/x", arguments=()).start()
    assert again.last_stop.reason == "entry"
    assert not is_gone(server.pid)
