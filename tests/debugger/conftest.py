"""A real dlv on a small Go program, and a helper that waits for what the driver tells."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from schedtui.debugger import model, sessions
from schedtui.debugger.driver import DebuggerDriver
from schedtui.processes.identity import identify
from schedtui.processes.locks import exclusive
from schedtui.toolchain.go import find_go

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROGRAM = Path(__file__).parents[1] / "data" / "small_program"
"""The source of the program that is debugged."""

SECONDS = 60.0
"""For what is only a matter of the machine's speed; a guard alone gives dlv 15 s to let a process go."""

EventType = TypeVar("EventType")


@pytest.fixture(scope="session")
def small_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small program, built for debugging, once for all test processes of a run."""
    base = tmp_path_factory.getbasetemp()
    # Processes of one parallel run share the folder above; without them it is shared with earlier runs.
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "small-program"
    root.mkdir(exist_ok=True)
    binary = root / "small"
    with exclusive(root / "lock"):
        if not binary.exists():
            go = find_go()
            command = [str(go.path), "build", "-gcflags=all=-N -l", "-o", str(binary), "."]
            subprocess.run(command, cwd=PROGRAM, check=True, env=go.environment())
    return binary


class Debuggee:
    """A driver under test and what it has told so far."""

    def __init__(self, launch: model.Launch, **more: object) -> None:
        self.launch = launch
        self.events: list[model.Event] = []
        self._queue: queue.Queue[model.Event] = queue.Queue()
        self.driver = DebuggerDriver(launch, self._queue.put, **more)  # type: ignore[arg-type]

    def start(self) -> Debuggee:
        """Start and wait until the target stands at its entry and all is told."""
        self.driver.start()
        if self.wait(model.StateChanged, lambda e: e.state in ("stopped", "lost")).state == "stopped":
            self.wait(model.BreakpointsChanged)
        return self

    def wait(
        self, kind: type[EventType], accept: Callable[[EventType], bool] = lambda _: True, seconds: float = SECONDS
    ) -> EventType:
        """The next event of a kind that is accepted; those before it are kept in ``events``."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                event = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {kind.__name__} came; before: {self.events[-12:]}") from None
            self.events.append(event)
            if isinstance(event, kind) and accept(event):
                return event

    def submit(self, command: model.Command) -> None:
        """Ask for something; what was told before is put aside."""
        while True:
            try:
                self.events.append(self._queue.get_nowait())
            except queue.Empty:
                break
        self.driver.submit(command)

    def ask(
        self,
        command: model.Command,
        kind: type[EventType],
        accept: Callable[[EventType], bool] = lambda _: True,
        seconds: float = SECONDS,
    ) -> EventType:
        """Submit and wait."""
        self.submit(command)
        return self.wait(kind, accept, seconds)

    def fence(self) -> list[model.Event]:
        """Wait until all that was submitted is done; returns what was told meanwhile."""
        start = len(self.events)
        self.driver.submit(model.Evaluate("1 + 1", ticket=424242))
        self.wait(object, lambda e: isinstance(e, model.Failed) or getattr(e, "ticket", 0) == 424242)
        return self.events[start:-1]

    def stop(self, command: model.Command, seconds: float = SECONDS) -> model.Stop:
        """Submit and wait for the stop."""
        return self.ask(command, model.Stopped, seconds=seconds).stop

    def breakpoint(self, location: str, **more: object) -> model.Breakpoint:
        """Set a breakpoint; the one that is new."""
        command = model.SetBreakpoint(location, **more)  # type: ignore[arg-type]
        told = self.ask(
            command,
            object,
            lambda e: (
                isinstance(e, model.Failed)
                or (
                    isinstance(e, model.BreakpointsChanged) and any(one.asked == location for one in e.breakpoints)
                )
            ),
        )
        assert isinstance(told, model.BreakpointsChanged), told
        return next(one for one in told.breakpoints if one.asked == location)

    def console(self, text: str) -> str:
        """Type a line; what the console shows for it."""
        self.submit(model.Console(text))
        told = self.fence()
        return "\n".join(e.text for e in told if isinstance(e, model.ConsoleOutput) and e.kind != "echo")

    @property
    def last_stop(self) -> model.Stop:
        """The newest stop that was told."""
        return next(e.stop for e in reversed(self.events) if isinstance(e, model.Stopped))

    @property
    def last_state(self) -> model.StateChanged:
        """The newest state that was told."""
        return next(e for e in reversed(self.events) if isinstance(e, model.StateChanged))


@pytest.fixture
def debug(small_program: Path, dlv_path: Path, tmp_path: Path) -> Iterator[Callable[..., Debuggee]]:
    """Makes debuggees of the small program; whatever a test leaves is ended and looked for."""
    made: list[Debuggee] = []
    run_directories = []

    def make(*arguments: str, **changes: object) -> Debuggee:
        directory = tmp_path / f"session-{len(made)}"
        run_directories.append(directory)
        driver_changes = {name: changes.pop(name) for name in ("source", "kept", "watches") if name in changes}
        values: dict[str, object] = {
            "dlv": str(dlv_path),
            "target": str(small_program),
            "arguments": arguments,
            "run_directory": str(directory),
            **changes,
        }
        debuggee = Debuggee(model.Launch(**values), **driver_changes)  # type: ignore[arg-type]
        made.append(debuggee)
        return debuggee

    yield make
    for one in made:
        assert one.driver.close(timeout=SECONDS)


def is_gone(pid: int | None) -> bool:
    """True when no process of that number runs."""
    return pid is None or identify(pid) is None


def wait_gone(*pids: int | None, seconds: float = SECONDS) -> bool:
    """True when the processes end within the time."""
    deadline = time.monotonic() + seconds
    while not all(is_gone(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def wait_running(pid: int | None, seconds: float = SECONDS) -> bool:
    """True once a process runs or sleeps; dlv and Go's own signals stop one for moments."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "SR":
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def short_directory() -> Iterator[Path]:
    """A directory with a short path: a unix socket's is limited."""
    import tempfile

    path = Path(tempfile.mkdtemp(prefix="st-"))
    yield path
    for directory, record in sessions.sessions_in(path):
        sessions.clean(directory, record)
    with contextlib.suppress(OSError):
        shutil.rmtree(path)


def own_environment() -> dict[str, str]:
    """The environment for a child that runs schedtui's own code."""
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": root}
