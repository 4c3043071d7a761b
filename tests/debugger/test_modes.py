"""The other ways of getting a debuggee: a package's tests, a server elsewhere, a stripped binary."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.debugger import model
from schedtui.toolchain.go import find_go
from tests.debugger.conftest import PROGRAM, Debuggee

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.dlv, pytest.mark.timeout(300)]


def test_a_packages_test_is_debugged(debug: Callable[..., Debuggee]) -> None:
    one = debug("-test.run", "TestTick", mode="test", target=".", working_directory=str(PROGRAM))
    one.driver.start()
    assert one.wait(model.StateChanged).state == "building"
    one.wait(model.StateChanged, lambda e: e.state == "stopped", seconds=200)
    one.wait(model.BreakpointsChanged)
    one.breakpoint("tick")
    stop = one.stop(model.Continue())
    assert [frame.function.rsplit("/", 1)[-1] for frame in stop.frames[:2]] == ["small.tick", "small.TestTick"]
    one.ask(model.AmendBreakpoint(stop.breakpoint_id, "clear"), model.BreakpointsChanged)
    exited = one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "exited")
    assert exited.exit_status == 0
    assert "PASS" in Path(exited.stdout_path or "").read_text()


@pytest.mark.parametrize("good", [True, False])
def test_a_build_by_dlv_says_how_far_it_is(debug: Callable[..., Debuggee], tmp_path: Path, good: bool) -> None:
    place = tmp_path / "program"
    # A package of its own that no cache has, and one that takes a moment, or fails.
    (place / "slow").mkdir(parents=True)
    (place / "go.mod").write_text(f"module example.org/p{time.time_ns()}\n\ngo 1.21\n")
    (place / "slow" / "slow.go").write_text("package slow\n\nfunc Work() int { return 7 }\n")
    module = (place / "go.mod").read_text().split()[1]
    call = "println(slow.Work())" if good else "nope()"
    (place / "main.go").write_text(
        f'package main\n\nimport "{module}/slow"\n\nfunc main() {{\n\t_ = slow.Work\n\t{call}\n}}\n'
    )
    one = debug(mode="debug", target="", arguments=(), working_directory=str(place))
    one.driver.start()
    if not good:
        lost = one.wait(model.StateChanged, lambda e: e.state == "lost", seconds=200)
        assert any("undefined: nope" in line for line in lost.last_output)
        assert f"{module}/slow" not in lost.last_output
        return
    one.wait(model.StateChanged, lambda e: e.state == "stopped", seconds=200)
    told = [e.detail for e in one.events if isinstance(e, model.StateChanged) and e.state == "building"]
    # Nothing is told of a build that is over before anybody can look.
    assert all(word.endswith("packages compiled") for word in told[1:])


def test_c33_a_server_elsewhere_stands_at_its_entry_and_is_left_alone(
    debug: Callable[..., Debuggee], dlv_path: Path, small_program: Path, short_directory: Path
) -> None:
    address = f"unix:{short_directory}/s"
    server = subprocess.Popen(
        [
            str(dlv_path), "exec", str(small_program), "--headless", "--accept-multiclient", "--api-version=2",
            f"--listen={address}", "--", "loop",
        ],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 30
        while not (short_directory / "s").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        one = debug(mode="connect", target=address, arguments=()).start()
        assert one.last_stop.reason == "entry"
        assert "c continues" in one.last_state.detail
        assert one.last_state.log_path is None
        one.breakpoint("main.tick", condition="n == 5")
        assert one.stop(model.Continue()).arguments[0].value == "5"
        pid = one.last_state.target_pid
        assert one.driver.close(timeout=20)
        assert server.poll() is None
        assert pid is None or Path(f"/proc/{pid}").exists()
    finally:
        server.terminate()
        server.wait(timeout=20)


def test_c24_a_stripped_binary_still_stops_and_says_what_is_missing(
    debug: Callable[..., Debuggee], tmp_path: Path
) -> None:
    binary = tmp_path / "stripped"
    go = find_go()
    command = [str(go.path), "build", "-ldflags=-s -w", "-o", str(binary), "."]
    subprocess.run(command, cwd=PROGRAM, check=True, env=go.environment())
    one = debug("pods", target=str(binary)).start()
    warned = [e.text for e in one.events if isinstance(e, model.ConsoleOutput)]
    assert any("no debug info" in text for text in warned)
    one.submit(model.SetBreakpoint("main.main"))
    stop = one.stop(model.Continue())
    assert stop.reason == "breakpoint"
    assert stop.arguments == ()
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state in ("exited", "stopped"))


def test_an_optimised_binary_says_so_once(debug: Callable[..., Debuggee], tmp_path: Path) -> None:
    binary = tmp_path / "optimised"
    go = find_go()
    subprocess.run([str(go.path), "build", "-o", str(binary), "."], cwd=PROGRAM, check=True, env=go.environment())
    one = debug("pods", target=str(binary)).start()
    one.breakpoint("main.main")
    stop = one.stop(model.Continue())
    assert stop.optimised
    assert "-N -l" in stop.note
    stop = one.stop(model.Step())
    assert stop.optimised
    assert stop.note == ""


def test_a_server_that_is_not_there(debug: Callable[..., Debuggee], tmp_path: Path) -> None:
    one = debug(mode="connect", target="127.0.0.1:1", arguments=())
    one.driver.start()
    failed = one.wait(model.Failed)
    assert failed.title == "No debugger answers at this address"
    assert one.wait(model.StateChanged).state == "lost"
