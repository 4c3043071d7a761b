"""How sessions end: persistent ones, and those whose owner is killed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.debugger import model, sessions
from schedtui.processes.identity import ProcessIdentity, identify, is_alive
from tests.debugger.conftest import Debuggee, own_environment, wait_gone, wait_running

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.dlv

OWNER = """
import json, sys
from schedtui.debugger import model
from schedtui.debugger.driver import DebuggerDriver

def post(event):
    if isinstance(event, model.StateChanged) and event.state in ("running", "stopped"):
        print(json.dumps([event.state, event.target_pid, event.dlv_pid]), flush=True)

launch = model.Launch(dlv=sys.argv[1], target=sys.argv[2], arguments=("loop",), run_directory=sys.argv[3],
                      persistent=sys.argv[4] == "persistent", continue_at_once=True)
driver = DebuggerDriver(launch, post)
driver.start()
sys.stdin.read()
"""


def start_owner(dlv: Path, program: Path, directory: Path, how: str) -> tuple[subprocess.Popen[str], int, int]:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(dlv), str(program), str(directory), how],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own_environment(), start_new_session=True,
    )  # fmt: skip
    assert owner.stdout is not None
    for line in owner.stdout:
        state, target, dlv_pid = json.loads(line)
        if state == "running":
            return owner, target, dlv_pid
    raise AssertionError("the owner ended")


def finish(owner: subprocess.Popen[str]) -> None:
    for stream in (owner.stdin, owner.stdout):
        if stream is not None:
            stream.close()
    owner.wait(timeout=20)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_a_killed_owner_leaves_no_process_and_no_file(
    dlv_path: Path, small_program: Path, tmp_path: Path, number: signal.Signals
) -> None:
    directory = tmp_path / "session"
    owner, target, dlv = start_owner(dlv_path, small_program, directory, "plain")
    os.kill(owner.pid, number)
    finish(owner)
    assert wait_gone(target, dlv)
    deadline = time.monotonic() + 40
    while {path.name for path in directory.iterdir()} - {"run-1.log", "run-1.stdout"}:
        assert time.monotonic() < deadline, list(directory.iterdir())
        time.sleep(0.02)


def named_in(command: Path) -> set[int]:
    """The processes that have a path as a word of their command line."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if str(command).encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    found.add(int(entry.name))
    return found


def started_by(command: Path) -> int:
    """The target, as soon as dlv has started it, which is before dlv can tell of it."""
    deadline = time.monotonic() + 60
    while True:
        for pid in named_in(command):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(str(command).encode()):
                    return pid
        assert time.monotonic() < deadline, "dlv has not started the target"


@pytest.fixture
def own_copy(small_program: Path, tmp_path: Path) -> Path:
    """The program under a name that no other process has."""
    copy = tmp_path / "small-program"
    shutil.copy(small_program, copy)
    return copy


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("persistent", [False, True])
def test_closing_while_dlv_starts_leaves_nothing(
    debug: Callable[..., Debuggee], own_copy: Path, short_directory: Path, persistent: bool
) -> None:
    one = debug("loop", target=str(own_copy), run_directory=str(short_directory / "s"), persistent=persistent)
    one.driver.start()
    target = started_by(own_copy)
    assert one.driver.close(timeout=20)
    assert wait_gone(target, *named_in(own_copy))
    assert not named_in(own_copy)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("how", ["plain", "persistent"])
def test_an_owner_killed_while_dlv_starts_leaves_nothing(
    dlv_path: Path, own_copy: Path, short_directory: Path, how: str
) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(dlv_path), str(own_copy), str(short_directory / "s"), how],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own_environment(), start_new_session=True,
    )  # fmt: skip
    target = started_by(own_copy)
    os.kill(owner.pid, signal.SIGKILL)
    finish(owner)
    assert wait_gone(target, *(named_in(own_copy) - {target}))


STOPPED_SHORT = (
    """
import os, signal, sys
from schedtui.debugger.ownership import Ownership

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(Ownership, "_watch_server" if sys.argv[4] == "persistent" else "dlv", killed)
"""
    + OWNER
)
"""An owner that is killed when the process of its server, or of the dlv on its terminal, is there and nobody has
been told of it."""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes in /proc")
def test_a_server_that_nobody_watches_does_not_begin(
    dlv_path: Path, own_copy: Path, short_directory: Path
) -> None:
    session = short_directory / "s"
    owner = subprocess.Popen(
        [sys.executable, "-c", STOPPED_SHORT, str(dlv_path), str(own_copy), str(session), "persistent"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own_environment(), start_new_session=True,
    )  # fmt: skip
    assert owner.wait(timeout=60) == -signal.SIGKILL
    finish(owner)
    assert wait_gone(*named_in(own_copy))
    assert (session / "dlv-server.log").read_text() == ""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes in /proc")
def test_a_dlv_that_nobody_watches_does_not_begin(dlv_path: Path, own_copy: Path, short_directory: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", STOPPED_SHORT, str(dlv_path), str(own_copy), str(short_directory / "s"), "plain"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own_environment(), start_new_session=True,
    )  # fmt: skip
    assert owner.wait(timeout=60) == -signal.SIGKILL
    finish(owner)
    # Neither dlv, which has the program's name among its arguments, nor what waits for its turn, nor the target.
    deadline = time.monotonic() + 40
    while left := named_in(own_copy):
        assert time.monotonic() < deadline, left
        time.sleep(0.02)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_target_killed_while_it_stands_still_is_noticed_at_once(
    debug: Callable[..., Debuggee], short_directory: Path, persistent: bool
) -> None:
    one = debug("loop", run_directory=str(short_directory / "s"), persistent=persistent).start()
    one.breakpoint("main.tick")
    one.stop(model.Continue())
    one.fence()
    first = one.last_state
    os.kill(first.target_pid or 0, signal.SIGKILL)
    # Nobody asks for anything.
    exited = one.wait(model.StateChanged)
    assert (exited.state, exited.exit_status) == ("exited", -signal.SIGKILL)
    assert "while it stood still" in exited.detail
    assert one.ask(model.Evaluate("n"), model.Failed).title == "The target has ended"
    again = one.ask(model.Restart(), model.StateChanged, lambda e: e.state == "stopped")
    assert again.run == 2
    assert again.target_pid != first.target_pid
    one.wait(model.BreakpointsChanged)
    assert one.stop(model.Continue()).reason == "breakpoint"
    assert wait_gone(first.target_pid, first.dlv_pid)


def persistent_launch(debug: Callable[..., Debuggee], directory: Path) -> Debuggee:
    return debug("loop", run_directory=str(directory / "s"), persistent=True)


def test_a_persistent_session_outlives_a_killed_owner_and_is_found_again(
    debug: Callable[..., Debuggee], dlv_path: Path, small_program: Path, short_directory: Path
) -> None:
    owner, target, _ = start_owner(dlv_path, small_program, short_directory / "s", "persistent")
    os.kill(owner.pid, signal.SIGKILL)
    finish(owner)
    ((directory, record),) = sessions.detached(short_directory)
    assert record.target is not None
    assert record.target.pid == target
    assert is_alive(record.target)
    assert sessions.leftovers(short_directory) == ()
    one = debug("loop", run_directory=str(directory), persistent=True)
    one.driver.start()
    running = one.wait(model.StateChanged, lambda e: e.state == "running")
    assert running.target_pid == target
    stop = one.stop(model.SetBreakpoint("main.tick"))
    assert stop.reason == "breakpoint"
    assert one.driver.close(timeout=20)
    assert wait_gone(target, record.dlv.pid if record.dlv else None)
    assert not (directory / "session.json").exists()


def test_detaching_leaves_the_target_running_and_breakpoints_in_place(
    debug: Callable[..., Debuggee], short_directory: Path
) -> None:
    one = persistent_launch(debug, short_directory).start()
    one.breakpoint("main.tick", condition="n < 0")
    running = one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    assert one.driver.close(detach=True, timeout=20)
    identity = identify(running.target_pid or 0)
    assert identity is not None
    ((directory, record),) = sessions.detached(short_directory)
    assert record.running
    assert directory.stat().st_mode & 0o777 == 0o700
    again = persistent_launch(debug, short_directory)
    again.driver.start()
    back = again.wait(model.StateChanged, lambda e: e.state == "running")
    assert back.target_pid == running.target_pid
    assert back.log_path == running.log_path
    stop = again.stop(model.Interrupt())
    assert stop.frames
    listed = next(e for e in reversed(again.events) if isinstance(e, model.BreakpointsChanged))
    assert [b.condition for b in listed.breakpoints] == ["n < 0"]
    assert again.driver.close(timeout=20)
    assert wait_gone(running.target_pid)


def test_a_persistent_session_stopped_at_detach_comes_back_running(
    debug: Callable[..., Debuggee], short_directory: Path
) -> None:
    one = persistent_launch(debug, short_directory).start()
    one.breakpoint("main.tick")
    one.stop(model.Continue())
    one.fence()
    one.ask(model.AmendBreakpoint(one.last_stop.breakpoint_id, "clear"), model.BreakpointsChanged)
    pid = one.last_state.target_pid
    assert one.driver.close(detach=True, timeout=20)
    assert wait_running(pid)
    again = persistent_launch(debug, short_directory)
    again.driver.start()
    again.wait(model.StateChanged, lambda e: e.state == "running")
    assert again.driver.close(timeout=20)
    assert wait_gone(pid)


def test_restart_in_a_persistent_session(debug: Callable[..., Debuggee], short_directory: Path) -> None:
    one = persistent_launch(debug, short_directory).start()
    first = one.last_state
    second = one.ask(model.Restart(), model.StateChanged, lambda e: e.state == "stopped")
    assert second.target_pid != first.target_pid
    assert second.log_path != first.log_path
    assert wait_gone(first.target_pid)


def test_the_server_killed_under_a_persistent_session(
    debug: Callable[..., Debuggee], short_directory: Path
) -> None:
    one = persistent_launch(debug, short_directory).start()
    running = one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    record = sessions.read_record(short_directory / "s")
    assert record is not None
    assert record.dlv is not None
    os.kill(record.dlv.pid, signal.SIGKILL)
    one.wait(model.StateChanged, lambda e: e.state == "lost")
    assert wait_gone(running.target_pid)
    assert one.ask(model.Restart(), model.StateChanged, lambda e: e.state == "stopped")


def test_leftovers_of_a_crash_are_found_and_cleaned(tmp_path: Path) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        directory = tmp_path / "12-3"
        made = directory / "dlv-config"
        made.mkdir(parents=True)
        target = identify(sleeper.pid)
        record = sessions.SessionRecord(
            owner=ProcessIdentity(2**22 + 1, "1"),
            # The same number, another start: somebody else's process by now.
            dlv=ProcessIdentity(stranger.pid, "1"),
            target=target,
            made=(str(made),),
        )
        sessions.write_record(directory, record)
        ((found, left),) = sessions.leftovers(tmp_path)
        assert (found, left) == (directory, record)
        done = sessions.clean(found, left)
        assert any(f"process {sleeper.pid}" in line for line in done)
        assert sleeper.wait(timeout=20) != 0
        assert stranger.poll() is None
        assert not directory.exists()
    finally:
        for process in (sleeper, stranger):
            process.kill()
            process.wait()


def test_a_broken_record_is_nobodys_session(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / sessions.FILE_NAME).write_text("{")
    assert sessions.sessions_in(tmp_path) == ()


def test_a_session_whose_record_is_damaged_is_found(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    mine = os.getpid()
    for name, text in ((f"{ended.pid}-1700000001", "{"), (f"{mine}-1700000002", "{"), ("notes", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / sessions.FILE_NAME).write_text(text)
    whole = tmp_path / f"{ended.pid}-1700000003"
    whole.mkdir()
    sessions.write_record(whole, sessions.SessionRecord(owner=ProcessIdentity(ended.pid, "1")))
    assert sessions.damaged(tmp_path) == (tmp_path / f"{ended.pid}-1700000001",)
    assert sessions.damaged(tmp_path / "missing") == ()
    assert sessions.leftovers(tmp_path / "missing") == ()


def test_directories_of_sessions_that_are_gone_are_swept(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone, mine = ended.pid, os.getpid()
    recorded, kept = f"{gone}-1700000003", {"notes", "2024-notes", f"{mine}-credentials"}
    for name in (f"{gone}-1700000001", f"{gone}-1700000002", f"{gone}-credentials", recorded, *kept):
        (tmp_path / name).mkdir()
    (tmp_path / f"{gone}-1700000002" / "run-1.stdout").write_text("")
    (tmp_path / recorded / sessions.FILE_NAME).write_text("{}")
    assert sessions.sweep(tmp_path) == 3
    assert {entry.name for entry in tmp_path.iterdir()} == {recorded, *kept}
    assert sessions.sweep(tmp_path, own=mine) == 1
    assert sessions.sweep(tmp_path / "missing") == 0
