"""How long a step takes through schedtui's driver, over dlv's own time for the same step.

Prints both medians and their ratio; nothing is asserted. Both are measured side by side in one run, on the small
program of the tests or on any debuggable binary:

    python -m tests.bench.step_time [BINARY [ARGUMENT…]]
"""

from __future__ import annotations

import queue
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from schedtui.debugger import model
from schedtui.debugger.driver import DebuggerDriver
from schedtui.debugger.launching import prepare
from schedtui.debugger.session import DlvSession, Prompted
from schedtui.toolchain.dlv import ensure_dlv
from schedtui.toolchain.go import find_go

PROGRAM = Path(__file__).parents[1] / "data" / "small_program"
"""What is debugged when nothing else is named."""

STEPS = 100
"""Steps of each kind."""

FUNCTION = "main.loop"
"""Where the small program is stopped first."""


def build(directory: Path) -> str:
    """The small program, built for debugging."""
    binary = directory / "small"
    go = find_go()
    command = [str(go.path), "build", "-gcflags=all=-N -l", "-o", str(binary), "."]
    subprocess.run(command, cwd=PROGRAM, check=True, env=go.environment())
    return str(binary)


def launch_in(directory: Path, dlv: str, binary: str, arguments: tuple[str, ...]) -> model.Launch:
    """A launch with its own directory."""
    return model.Launch(dlv=dlv, target=binary, arguments=arguments, run_directory=str(directory))


def raw_times(launch: model.Launch, function: str) -> list[float]:
    """Seconds from "next" to dlv's prompt."""
    call = prepare(launch)
    session = DlvSession(call.argv, call.environment, call.directory, call.prompt)
    assert isinstance(session.poll(60), Prompted)
    for line in (f"break {function}", "continue", "clearall"):
        session.send(line)
        assert isinstance(session.poll(60), Prompted)
    times = []
    for _ in range(STEPS):
        began = time.perf_counter()
        session.send("next")
        session.poll(60)
        times.append(time.perf_counter() - began)
    # dlv ends a target that it holds; one whose dlv is merely killed would run on.
    session.send("exit")
    session.poll(60)
    session.close()
    return times


def driver_times(launch: model.Launch, function: str) -> list[float]:
    """Seconds from the submitted step to the stop with stack, arguments and locals."""
    events: queue.Queue[model.Event] = queue.Queue()
    driver = DebuggerDriver(launch, events.put)
    driver.start()

    def wait(kind: type[model.Event]) -> None:
        while not isinstance(events.get(timeout=60), kind):
            pass

    wait(model.Stopped)
    wait(model.BreakpointsChanged)
    driver.submit(model.SetBreakpoint(function))
    wait(model.BreakpointsChanged)
    driver.submit(model.Continue())
    wait(model.Stopped)
    wait(model.BreakpointsChanged)
    driver.submit(model.AmendBreakpoint(1, "clear"))
    wait(model.BreakpointsChanged)
    times = []
    for _ in range(STEPS):
        began = time.perf_counter()
        driver.submit(model.Step("next"))
        wait(model.Stopped)
        times.append(time.perf_counter() - began)
    driver.close()
    return times


def main(words: list[str]) -> None:
    """Measure and print."""
    dlv = str(ensure_dlv())
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        function = FUNCTION
        if words:
            binary, arguments = words[0], tuple(words[1:])
            function = "main.main"
        else:
            binary, arguments = build(directory), ("loop",)
        raw = raw_times(launch_in(directory / "raw", dlv, binary, arguments), function)
        ours = driver_times(launch_in(directory / "driver", dlv, binary, arguments), function)
    own, through = statistics.median(raw), statistics.median(ours)
    worst = sorted(ours)[int(len(ours) * 0.95)] - own
    print(f"dlv's own step      {own * 1000:7.2f} ms")
    print(f"through the driver  {through * 1000:7.2f} ms")
    print(f"ratio               {through / own:7.2f}")
    print(f"added, 95th of 100  {worst * 1000:7.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
