"""Children are ended by identity, with all that they started, whatever happens to schedtui."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import ToolMissing, UnreadableInput
from schedtui.processes import Child, ProcessIdentity, end_processes, identify, is_alive, run_to_end
from schedtui.processes.identity import session_members
from schedtui.processes.locks import exclusive
from schedtui.processes.scratch import room_for, scratch_directory
from tests.listing import below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEADLINE_SECONDS = 20.0

STUBBORN = (
    "import signal, time\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "print('ready', flush=True)\n"
    "time.sleep(600)\n"
)
"""A program that does not end when asked."""

PARENT = (
    "import subprocess, sys, time\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    "print(child.pid, flush=True)\n"
    "time.sleep(600)\n"
)
"""A program with a child of its own, whose pid it prints."""


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that will be; fail when it is not within the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.01)


class Output:
    """What a child has written, and a way to wait for more."""

    def __init__(self) -> None:
        self.data = b""
        self._grown = threading.Condition()

    def feed(self, chunk: bytes) -> None:
        with self._grown:
            self.data += chunk
            self._grown.notify_all()

    def line(self) -> str:
        """The first line, once it is whole."""
        with self._grown:
            assert self._grown.wait_for(lambda: b"\n" in self.data, DEADLINE_SECONDS)
            return self.data.split(b"\n", 1)[0].decode()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is not schedtui's business."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()


def identity_of(pid: int) -> ProcessIdentity:
    identity = identify(pid)
    assert identity is not None
    return identity


class TestIdentity:
    def test_knows_itself(self) -> None:
        assert is_alive(identity_of(os.getpid()))

    def test_same_pid_with_another_start_time_is_somebody_else(self, sleeper: subprocess.Popen[bytes]) -> None:
        earlier = ProcessIdentity(sleeper.pid, "1")
        assert not is_alive(earlier)
        assert end_processes([earlier], grace_seconds=0.1) == ()
        assert sleeper.poll() is None

    def test_zombie_is_dead(self) -> None:
        process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        identity = identity_of(process.pid)
        process.kill()
        until(lambda: not is_alive(identity))
        assert identify(process.pid) is None
        process.communicate()

    def test_command_name_with_parentheses_and_blanks(self, tmp_path: Path) -> None:
        odd = tmp_path / "a) R 1 (b"
        odd.symlink_to("/bin/sleep")
        process = subprocess.Popen([odd, "600"])
        try:
            identity = identity_of(process.pid)
            assert is_alive(identity)
            assert not is_alive(ProcessIdentity(process.pid, identity.started + "0"))
        finally:
            process.kill()
            process.wait()

    def test_no_such_process(self) -> None:
        assert identify(2**22 + 1) is None

    def test_stubborn_process_is_killed_after_the_grace(self) -> None:
        output = Output()
        child = Child([sys.executable, "-c", STUBBORN], on_output=output.feed)
        assert output.line() == "ready"
        assert child.identity is not None
        assert end_processes([child.identity], grace_seconds=0.2) == (child.identity,)
        assert child.wait(DEADLINE_SECONDS) == -signal.SIGKILL


class TestChild:
    def test_output_comes_whole_and_before_the_exit(self) -> None:
        order: list[str] = []
        output = Output()
        code = (
            "import sys; sys.stdout.write('x' * 200000); sys.stdout.flush(); sys.stderr.write('end'); sys.exit(3)"
        )

        def feed(chunk: bytes) -> None:
            order.append("output")
            output.feed(chunk)

        child = Child(
            [sys.executable, "-c", code], on_output=feed, on_exit=lambda code: order.append(f"exit {code}")
        )
        assert child.wait(DEADLINE_SECONDS) == 3
        until(lambda: order[-1] == "exit 3")
        assert output.data == b"x" * 200000 + b"end"
        assert "output" not in order[order.index("exit 3") :]

    def test_signal_counts_negative(self) -> None:
        child = Child(["sleep", "600"])
        os.kill(child.pid, signal.SIGKILL)
        assert child.wait(DEADLINE_SECONDS) == -signal.SIGKILL
        assert child.end() == -signal.SIGKILL

    def test_end_takes_grandchildren_along(self) -> None:
        output = Output()
        child = Child([sys.executable, "-c", PARENT], on_output=output.feed)
        grandchild = identity_of(int(output.line()))
        assert is_alive(grandchild)
        child.end(grace_seconds=2.0)
        until(lambda: not is_alive(grandchild))

    def test_end_takes_what_a_leader_left_behind(self) -> None:
        output = Output()
        code = (
            "import os, signal, time\n"
            "pid = os.fork()\n"
            "if pid == 0:\n"
            "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "    time.sleep(600)\n"
            "print(pid, flush=True)\n"
            "time.sleep(600)\n"
        )
        child = Child([sys.executable, "-c", code], on_output=output.feed)
        stubborn = identity_of(int(output.line()))
        child.end(grace_seconds=2.0)
        until(lambda: not is_alive(stubborn))

    def test_output_file_is_private_and_appended_to(self, tmp_path: Path) -> None:
        log = tmp_path / "child.log"
        for word in ("one", "two"):
            assert Child(["echo", word], output_file=log).wait(DEADLINE_SECONDS) == 0
        assert log.read_text() == "one\ntwo\n"
        assert stat.S_IMODE(log.stat().st_mode) == 0o600

    @pytest.mark.parametrize(("private", "mode"), [(True, 0o600), (False, 0o644)])
    def test_what_a_private_child_makes_is_the_users_alone(self, tmp_path: Path, private: bool, mode: int) -> None:
        code = "open('made', 'w')"
        earlier = os.umask(0o022)
        try:
            child = Child([sys.executable, "-c", code], directory=tmp_path, private=private)
        finally:
            os.umask(earlier)
        assert child.wait(DEADLINE_SECONDS) == 0
        assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == mode

    def test_directory_and_environment(self, tmp_path: Path) -> None:
        output = Output()
        code = "import os; print(os.getcwd(), os.environ['WORD'], 'HOME' in os.environ)"
        child = Child(
            [sys.executable, "-I", "-c", code],
            directory=tmp_path,
            environment={"WORD": "here"},
            on_output=output.feed,
        )
        assert child.wait(DEADLINE_SECONDS) == 0
        assert output.data.decode().split() == [str(tmp_path.resolve()), "here", "False"]

    def test_nothing_passes_through_a_shell(self) -> None:
        output = Output()
        assert Child(["echo", "$HOME; id"], on_output=output.feed).wait(DEADLINE_SECONDS) == 0
        assert output.data == b"$HOME; id\n"

    def test_missing_program_is_told(self) -> None:
        with pytest.raises(ToolMissing, match="cannot start /no/such/program"):
            Child(["/no/such/program"])

    @pytest.mark.parametrize("kind", ["no program", "not to be run", "directory", "place"])
    def test_what_the_system_would_refuse_is_told(self, tmp_path: Path, kind: str) -> None:
        program = tmp_path / "program"
        if kind == "directory":
            program.mkdir()
        else:
            program.write_text("touch begun" if kind == "no program" else "#!/bin/sh\ntouch begun")
            program.chmod(0o600 if kind == "not to be run" else 0o700)
        place = tmp_path / "nowhere" if kind == "place" else tmp_path
        with pytest.raises(ToolMissing, match="cannot start"):
            Child([program], directory=place)
        assert not (tmp_path / "begun").exists()

    def test_a_relative_name_is_one_in_its_directory(self, tmp_path: Path) -> None:
        program = tmp_path / "program"
        program.write_text("#!/bin/sh\ntouch begun")
        program.chmod(0o700)
        assert Child(["./program"], directory=tmp_path).wait(DEADLINE_SECONDS) == 0
        assert (tmp_path / "begun").exists()

    def test_failing_callback_does_not_leave_the_child_waiting(self, monkeypatch: pytest.MonkeyPatch) -> None:
        told = threading.Event()
        monkeypatch.setattr(threading, "excepthook", lambda _: told.set())

        def fail(_: bytes) -> None:
            raise RuntimeError("a callback's bug")

        child = Child([sys.executable, "-c", "while True: print('x' * 10000)"], on_output=fail)
        # The pipe closes, so the child cannot write on.
        assert child.wait(DEADLINE_SECONDS) is not None
        assert told.wait(DEADLINE_SECONDS)


class TestKilledSchedtui:
    """``kill -9`` of the process that started children leaves none of them."""

    OWNER = (
        "import sys, threading\n"
        "from schedtui.processes import Child\n"
        "lines = []\n"
        "got = threading.Event()\n"
        "def feed(chunk):\n"
        "    lines.append(chunk)\n"
        "    if chunk.endswith(b'\\n'):\n"
        "        got.set()\n"
        "def start():\n"
        "    global child\n"
        "    command = [sys.executable, '-c', sys.argv[1]]\n"
        "    child = Child(command, on_output=feed, outlive=sys.argv[2] == 'outlive')\n"
        "thread = threading.Thread(target=start)\n"
        "thread.start()\n"
        "thread.join()\n"
        "got.wait()\n"
        "print(child.pid, b''.join(lines).decode().strip(), flush=True)\n"
        "threading.Event().wait()\n"
    )
    """Starts the child on a thread that ends: a parent-death signal would fire at once."""

    def start_owner(self, program: str, mode: str) -> tuple[subprocess.Popen[str], list[int]]:
        owner = subprocess.Popen(
            [sys.executable, "-c", self.OWNER, program, mode], stdout=subprocess.PIPE, text=True
        )
        assert owner.stdout is not None
        return owner, [int(word) for word in owner.stdout.readline().split() if word.isdigit()]

    def kill(self, owner: subprocess.Popen[str]) -> None:
        owner.kill()
        owner.communicate()

    def test_children_and_grandchildren_end(self) -> None:
        owner, pids = self.start_owner(PARENT, "end")
        identities = [identity_of(pid) for pid in pids]
        assert len(identities) == 2
        self.kill(owner)
        until(lambda: not any(is_alive(identity) for identity in identities))

    def test_grandchildren_end_whose_parent_ended_by_itself(self) -> None:
        leader_goes = PARENT.removesuffix("time.sleep(600)\n") + "sys.exit()\n"
        owner, pids = self.start_owner(leader_goes, "end")
        identity = identity_of(pids[1])
        self.kill(owner)
        until(lambda: not is_alive(identity))

    def test_stubborn_children_end(self) -> None:
        owner, pids = self.start_owner(STUBBORN, "end")
        identity = identity_of(pids[0])
        self.kill(owner)
        until(lambda: not is_alive(identity))

    def test_those_that_are_to_outlive_it_do(self) -> None:
        owner, pids = self.start_owner(PARENT, "outlive")
        identities = [identity_of(pid) for pid in pids]
        self.kill(owner)
        # A guard would have acted by the time that another owner's is through with its own.
        other, others = self.start_owner(PARENT, "end")
        theirs = [identity_of(pid) for pid in others]
        self.kill(other)
        until(lambda: not any(is_alive(identity) for identity in theirs))
        assert all(is_alive(identity) for identity in identities)
        end_processes(identities, grace_seconds=1.0)

    KILLED_BETWEEN = (
        "import os, signal, sys\n"
        "from schedtui.processes import child, guard\n"
        "def die(identity, **reach):\n"
        "    if sys.argv[3] == 'told':\n"
        "        guard.watch_over(identity, **reach)\n"
        "    print(identity.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "child.watch_over = die\n"
        "child.Child(['touch', sys.argv[1]], outlive=sys.argv[2] == 'outlive')\n"
    )
    """Is killed when its child is there, before or after its guard knows of it."""

    @pytest.mark.parametrize("told", ["told", "untold"])
    def test_a_child_that_nobody_watches_over_yet_does_not_begin(self, tmp_path: Path, told: str) -> None:
        made = tmp_path / "made"
        owner = subprocess.run(
            [sys.executable, "-c", self.KILLED_BETWEEN, str(made), "end", told],
            stdout=subprocess.PIPE,
            check=False,
        )
        assert owner.returncode == -signal.SIGKILL
        waiting = identify(int(owner.stdout))
        until(lambda: waiting is None or not is_alive(waiting))
        assert not made.exists()

    def test_one_that_somebody_stopped_hears_that_it_is_to_end(self, tmp_path: Path) -> None:
        heard = tmp_path / "heard"
        code = (
            "import pathlib, signal, sys, time\n"
            "def end(*_):\n"
            "    pathlib.Path(sys.argv[1]).touch()\n"
            "    sys.exit()\n"
            "signal.signal(signal.SIGTERM, end)\n"
            "print('ready', flush=True)\n"
            "time.sleep(600)\n"
        )
        ready = threading.Event()
        child = Child([sys.executable, "-c", code, str(heard)], on_output=lambda _: ready.set())
        assert ready.wait(DEADLINE_SECONDS)
        os.kill(child.pid, signal.SIGSTOP)
        assert child.end(grace_seconds=DEADLINE_SECONDS) == 0
        assert heard.exists()


class TestScratch:
    """Directories of ours, in a life that ends well and in one that is cut off."""

    OWNER = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from schedtui.processes.scratch import room_for, scratch_directory\n"
        "result = Path(sys.argv[1])\n"
        "with room_for(result), scratch_directory(result.parent, '.work-') as scratch:\n"
        "    (scratch / 'deep').mkdir()\n"
        "    (scratch / 'deep' / 'half').write_text('half')\n"
        "    print('ready', flush=True)\n"
        "    threading.Event().wait()\n"
    )

    def test_what_is_done_stays_and_the_scratch_goes(self, tmp_path: Path) -> None:
        result = tmp_path / "new" / "deep" / "result"
        with room_for(result), scratch_directory(result.parent, ".work-") as scratch:
            assert stat.S_IMODE(scratch.stat().st_mode) == 0o700
            (scratch / "result").write_text("whole")
            (scratch / "result").replace(result)
        assert [path.name for path in result.parent.iterdir()] == ["result"]

    def test_a_failure_leaves_none_of_the_directories(self, tmp_path: Path) -> None:
        result = tmp_path / "new" / "deep" / "result"
        with pytest.raises(ValueError, match="no"), room_for(result):
            raise ValueError("no")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("others", [False, True])
    def test_kill_leaves_only_what_others_put_there(self, tmp_path: Path, others: bool) -> None:
        result = tmp_path / "new" / "deep" / "result"
        owner = subprocess.Popen([sys.executable, "-c", self.OWNER, str(result)], stdout=subprocess.PIPE)
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        if others:
            (tmp_path / "new" / "theirs").write_text("kept")
        owner.kill()
        owner.communicate()
        left = [Path("new"), Path("new/theirs")] if others else []
        until(lambda: below(tmp_path) == left)


class TestSession:
    """As dlv does it: what is started stands in a group of its own, so only the session tells whose it is."""

    LEADER = (
        "import os, subprocess, sys, time\n"
        "command = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "child = subprocess.Popen(command, preexec_fn=lambda: os.setpgid(0, 0))\n"
        "print(child.pid, flush=True)\n"
        "if sys.argv[1] == 'stays':\n"
        "    time.sleep(600)\n"
    )

    OWNER = (
        "import subprocess, sys, threading\n"
        "from schedtui.processes import identify, watch_over\n"
        "leader = subprocess.Popen([sys.executable, '-c', sys.argv[1], sys.argv[2]], stdout=subprocess.PIPE,\n"
        "                          stdin=subprocess.PIPE, start_new_session=True)\n"
        "watch_over(identify(leader.pid), session=True)\n"
        "print(leader.stdout.readline().decode().strip(), leader.pid, flush=True)\n"
        "threading.Event().wait()\n"
    )

    @pytest.mark.parametrize("leader", ["stays", "goes"])
    def test_what_a_leader_started_ends_with_a_killed_owner(self, leader: str) -> None:
        owner = subprocess.Popen(
            [sys.executable, "-c", self.OWNER, self.LEADER, leader], stdout=subprocess.PIPE, text=True
        )
        assert owner.stdout is not None
        member, _ = (int(word) for word in owner.stdout.readline().split())
        identity = identity_of(member)
        owner.kill()
        owner.communicate()
        until(lambda: not is_alive(identity))

    @pytest.mark.parametrize("leader", ["stays", "goes"])
    def test_a_session_is_ended_whole(self, leader: str) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", self.LEADER, leader], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        begun = identity_of(process.pid)
        assert process.stdout is not None
        member = identity_of(int(process.stdout.readline()))
        if leader == "goes":
            process.wait(DEADLINE_SECONDS)
        end_processes([begun], grace_seconds=2.0, session=True)
        until(lambda: not is_alive(member))
        process.communicate()

    def test_another_with_the_same_number_loses_nothing(self) -> None:
        """A recorded leader is gone, and its number is a session of somebody else, led by nobody."""
        process = subprocess.Popen(
            [sys.executable, "-c", self.LEADER, "goes"], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert process.stdout is not None
        member = identity_of(int(process.stdout.readline()))
        process.wait(DEADLINE_SECONDS)
        tick = int(member.started.partition("@")[0])
        earlier = ProcessIdentity(process.pid, member.started.replace(str(tick), str(tick - 1)) + "x")
        later = ProcessIdentity(process.pid, member.started.replace(str(tick), str(tick + 1)))
        try:
            for stranger in (earlier, later):
                assert session_members(stranger) == ()
                end_processes([stranger], grace_seconds=0.1, session=True)
            assert is_alive(member)
            own = ProcessIdentity(process.pid, member.started.replace(str(tick), str(tick - 1)))
            assert session_members(own) == (member,)
        finally:
            end_processes([member], grace_seconds=0.1)
            process.communicate()

    @pytest.mark.parametrize("number", [0, 1])
    def test_the_kernels_sessions_are_nobodys(self, number: int) -> None:
        """In a container even the tests may stand in session 0: its leader is outside."""
        assert session_members(ProcessIdentity(number, "1")) == ()

    def test_nobody_ends_the_session_that_it_is_in(self) -> None:
        member = (
            "import os\n"
            "from schedtui.processes import ProcessIdentity, identify\n"
            "from schedtui.processes.identity import session_members\n"
            "own = identify(os.getsid(0))\n"
            "print(own is not None, session_members(own), session_members(ProcessIdentity(own.pid, '1')))\n"
        )
        leader = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]]); print('end')"
        done = run_to_end([sys.executable, "-c", leader, member])
        assert done.output.splitlines() == ["True () ()", "end"], done.errors


class TestRunToEnd:
    def test_output_and_errors_apart(self) -> None:
        done = run_to_end(
            [sys.executable, "-c", "import sys; print('a'); print('b', file=sys.stderr); sys.exit(4)"]
        )
        assert (done.exit_code, done.output, done.errors) == (4, "a\n", "b\n")

    def test_one_that_hangs_is_ended(self) -> None:
        before = time.monotonic()
        with pytest.raises(ToolMissing, match="did not answer within"):
            run_to_end(["sleep", "600"], seconds=0.2)
        assert time.monotonic() - before < DEADLINE_SECONDS

    def test_undecodable_output(self) -> None:
        done = run_to_end([sys.executable, "-c", r"import sys; sys.stdout.buffer.write(b'\xff\x00ok')"])
        assert done.output == "\ufffd\x00ok"


class TestExclusive:
    def test_second_waits_for_the_first(self, tmp_path: Path) -> None:
        lock = tmp_path / "lock"
        waited = threading.Event()
        got: list[bool] = []

        def second() -> None:
            with exclusive(lock, waiting=waited.set) as held:
                got.append(held)

        with exclusive(lock) as held:
            assert held
            thread = threading.Thread(target=second)
            thread.start()
            assert waited.wait(DEADLINE_SECONDS)
            assert got == []
        thread.join(DEADLINE_SECONDS)
        assert got == [True]

    def test_cancelled_wait_holds_nothing(self, tmp_path: Path) -> None:
        cancel = threading.Event()
        with exclusive(tmp_path / "lock"), exclusive(tmp_path / "lock", waiting=cancel.set, cancel=cancel) as held:
            assert not held

    def test_a_place_that_cannot_be_written_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableInput, match="lock file"), exclusive(tmp_path / "missing" / "lock"):
            pass

    def test_lock_ends_with_its_process(self, tmp_path: Path) -> None:
        code = (
            "import pathlib, sys\n"
            "from schedtui.processes.locks import exclusive\n"
            "with exclusive(pathlib.Path(sys.argv[1])):\n"
            "    print('held', flush=True)\n"
            "    sys.stdin.read()\n"
        )
        owner = subprocess.Popen(
            [sys.executable, "-c", code, tmp_path / "lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert owner.stdout is not None
        owner.stdout.readline()
        owner.kill()
        owner.communicate()
        with exclusive(tmp_path / "lock") as held:
            assert held
