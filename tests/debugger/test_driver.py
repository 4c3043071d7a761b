from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.debugger import model
from schedtui.debugger.sessions import FILE_NAME
from tests.debugger.conftest import Debuggee, wait_gone, wait_running

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.dlv


def is_state(*states: str) -> Callable[[model.StateChanged], bool]:
    return lambda event: event.state in states


def pid_of(known: int | None) -> int:
    """The pid; a 0 would signal the tests' own group."""
    assert known
    return known


def wait_for_text(path: str | None, text: str) -> None:
    deadline = time.monotonic() + 20
    while text not in Path(path or "").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_starts_at_the_entry_and_says_so(debug: Callable[..., Debuggee]) -> None:
    one = debug("plain").start()
    assert one.last_state.state == "stopped"
    assert "c continues" in one.last_state.detail
    assert one.last_state.target_pid
    assert Path(one.last_state.log_path or "").exists()
    assert one.last_stop.reason == "entry"


def test_nothing_has_a_value_at_the_entry(debug: Callable[..., Debuggee]) -> None:
    one = debug("plain").start()
    assert "nothing of the scheduler has run yet" in one.console("print pod.Name")


def test_breakpoint_stack_arguments_and_steps(debug: Callable[..., Debuggee]) -> None:
    one = debug("plain").start()
    assert one.breakpoint("main.work").line > 0
    stop = one.stop(model.Continue())
    assert (stop.reason, stop.frames[0].function, stop.frames[1].function) == (
        "breakpoint",
        "main.work",
        "main.main",
    )
    assert {variable.name for variable in stop.arguments} == {"pod", "values", "text"}
    assert stop.locals == ()
    line = stop.frames[0].line
    stepped = one.stop(model.Step("next"))
    assert (stepped.reason, stepped.goroutine, stepped.frames[0].line) == ("step", stop.goroutine, line + 1)
    inside = one.stop(model.Step("next"))
    assert [variable.name for variable in inside.locals] == ["sum"]
    tick = one.stop(model.Step("step"))
    for _ in range(6):
        if tick.frames[0].function == "main.tick":
            break
        tick = one.stop(model.Step("step"))
    assert tick.frames[0].function == "main.tick"
    assert one.stop(model.Step("stepout")).frames[0].function == "main.work"


def test_a_step_from_a_callers_frame_is_one_of_the_goroutine(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    one.breakpoint("main.tick")
    stop = one.stop(model.Continue())
    assert one.stop(model.SelectFrame(1)).selected_frame == 1
    stepped = one.stop(model.Step("next"))
    assert (stepped.reason, stepped.goroutine) == ("step", stop.goroutine)
    assert (stepped.frames[0].function, stepped.frames[0].line > stop.frames[0].line) == ("main.tick", True)


def test_a_goroutine_that_waits_is_said_to_have_no_next_line(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    running = one.ask(model.Continue(), model.StateChanged, is_state("running"))
    # Before that it may wait in the beginning of Go itself, with no line of the program below it.
    wait_for_text(running.log_path, "Started")
    stop = one.stop(model.Interrupt())
    deadline = time.monotonic() + 60
    # It sleeps most of the time, but not always.
    while stop.frames[0].function != "runtime.gopark":
        assert time.monotonic() < deadline
        one.ask(model.Continue(), model.StateChanged, is_state("running"))
        stop = one.stop(model.Interrupt())
    assert stop.selected_frame
    refused = one.ask(model.Step("next"), model.Failed)
    assert "waits" in refused.title
    assert "c continues" in refused.hint


def test_a_frame_is_selected_and_the_console_follows(debug: Callable[..., Debuggee]) -> None:
    one = debug("plain").start()
    one.breakpoint("main.tick")
    one.stop(model.Continue())
    upper = one.stop(model.SelectFrame(1))
    assert upper.selected_frame == 1
    assert "pod" in {variable.name for variable in upper.arguments}
    assert "web-0" in one.console("print pod.Name")
    typed = one.ask(model.Console("frame 2"), model.Stopped).stop
    assert typed.selected_frame == 2
    assert one.ask(model.SelectFrame(99), model.Failed).title == "There is no such frame"


def test_interrupt_selects_the_goroutine_people_mean(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    running = one.ask(model.Continue(), model.StateChanged, is_state("running"))
    wait_for_text(running.log_path, "Started")
    stop = one.stop(model.Interrupt())
    assert (stop.reason, stop.goroutine) == ("interrupt", 1)
    assert stop.frames[stop.selected_frame].function.startswith("main.")
    assert "interrupted in main." in stop.title


def test_a_breakpoint_key_while_running_interrupts_sets_and_continues(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    one.ask(model.Continue(), model.StateChanged, is_state("running"))
    stop = one.stop(model.SetBreakpoint("main.tick", condition="n > 5"))
    assert stop.reason == "breakpoint"
    assert int(stop.arguments[0].value) > 5
    one.submit(model.AmendBreakpoint(stop.breakpoint_id, "clear"))
    one.ask(model.Continue(), model.StateChanged, is_state("running"))
    told = one.ask(model.Console("breakpoints -a"), model.ConsoleOutput, lambda e: e.kind == "output")
    assert "main.tick" not in told.text
    one.wait(model.StateChanged, is_state("running"))


def test_an_interrupt_right_after_letting_go_is_not_lost(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    for _ in range(10):
        one.submit(model.Continue())
        one.driver.submit(model.Interrupt())
        one.wait(model.StateChanged, is_state("running"))
        assert one.wait(model.Stopped).stop.reason in ("interrupt", "entry")


def test_what_needs_a_stopped_target_says_so_while_it_runs(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    one.ask(model.Continue(), model.StateChanged, is_state("running"))
    for command in (model.Evaluate("n"), model.Console("print n"), model.Step(), model.SelectFrame(1)):
        failed = one.ask(command, model.Failed)
        assert (failed.title, failed.hint) == ("The target is running", "Ctrl-C stops it first.")


def test_each_run_has_its_own_log_and_arguments_survive(debug: Callable[..., Debuggee]) -> None:
    one = debug("pods", "with blank", "it's", 'say "so"', "$HOME `id` | >x").start()
    first = one.last_state
    second = one.ask(model.Restart(), model.StateChanged, is_state("stopped"))
    assert (first.run, second.run) == (1, 2)
    assert first.log_path != second.log_path
    assert second.target_pid != first.target_pid
    command = Path(f"/proc/{second.target_pid}/cmdline").read_bytes().split(b"\0")[1:-1]
    assert [part.decode() for part in command] == ["pods", "with blank", "it's", 'say "so"', "$HOME `id` | >x"]
    one.submit(model.Continue())
    exited = one.wait(model.StateChanged, is_state("exited"))
    assert exited.exit_status == 0
    assert 'mode="pods"' in Path(second.log_path or "").read_text()
    assert Path(first.log_path or "").exists()


def test_breakpoints_are_told_in_the_order_of_their_numbers(debug: Callable[..., Debuggee]) -> None:
    """dlv's API lists them in another order from one time to the next: a row would move under the cursor."""
    one = debug("plain").start()
    for place in ("main.work", "main.tick", "main.main", "runtime.gopanic", "os.Exit"):
        one.breakpoint(place)
    for number in (1, 2, 3, 4, 5) * 2:
        told = one.ask(model.AmendBreakpoint(number, "hitcount", "> 0"), model.BreakpointsChanged)
        assert [found.id for found in told.breakpoints] == [1, 2, 3, 4, 5]


def test_restart_works_from_running_exited_and_lost(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    one.breakpoint("main.tick", condition="n == 3")
    one.ask(model.Continue(), model.Stopped)
    one.ask(model.Continue(), model.StateChanged, is_state("running"))
    one.ask(model.Restart(), model.StateChanged, is_state("stopped"))
    assert one.stop(model.Continue()).reason == "breakpoint"
    os.kill(pid_of(one.last_state.dlv_pid), signal.SIGKILL)
    lost = one.wait(model.StateChanged, is_state("lost"))
    assert "killed by SIGKILL" in lost.detail
    again = one.ask(model.Restart(), model.StateChanged, is_state("stopped"))
    assert again.run > lost.run
    kept = one.wait(model.BreakpointsChanged).breakpoints
    assert [(b.asked, b.condition) for b in kept] == [("main.tick", "n == 3")]
    stop = one.stop(model.Continue())
    assert stop.arguments[0].value == "3"


def test_exit_status_and_cause(debug: Callable[..., Debuggee]) -> None:
    one = debug("exit").start()
    one.submit(model.Continue())
    exited = one.wait(model.StateChanged, is_state("exited"))
    assert exited.exit_status == 3
    assert "--nonsense" in exited.cause
    assert any("unknown flag" in line for line in exited.last_output)
    failed = one.ask(model.Step(), model.Failed)
    assert (failed.title, failed.hint) == ("The target has ended", "r starts it again.")


def test_c28_a_breakpoint_after_the_end_is_kept_for_the_next_run(debug: Callable[..., Debuggee]) -> None:
    one = debug("pods").start()
    one.ask(model.Continue(), model.StateChanged, is_state("exited"))
    pending = one.breakpoint("main.pods")
    assert pending.suspended
    assert pending.id < 0
    one.ask(model.Restart(), model.StateChanged, is_state("stopped"))
    set_now = one.wait(model.BreakpointsChanged).breakpoints
    assert [(b.function, b.suspended) for b in set_now] == [("main.pods", False)]
    assert one.stop(model.Continue()).frames[0].function == "main.pods"


def test_c28_a_typed_break_after_the_end_asks_and_swallows_nothing(debug: Callable[..., Debuggee]) -> None:
    one = debug("pods").start()
    one.ask(model.Continue(), model.StateChanged, is_state("exited"))
    asked = one.ask(model.Console("break pods.go:99999"), model.QuestionAsked)
    assert asked.choices == ("y", "n")
    assert asked.safe == "n"
    one.submit(model.Console("breakpoints"))
    one.driver.submit(model.Answer("n"))
    one.wait(model.Failed)
    told = one.wait(model.ConsoleOutput, lambda e: e.kind == "echo")
    assert told.text == "breakpoints"


def test_panic_shows_the_users_frame_and_the_reason(debug: Callable[..., Debuggee]) -> None:
    one = debug("panic").start()
    stop = one.stop(model.Continue())
    assert stop.reason == "panic"
    assert "nil pointer" in stop.title
    assert stop.frames[stop.selected_frame].function == "main.main"


def test_deadlock_stops_as_a_fatal_error(debug: Callable[..., Debuggee]) -> None:
    one = debug("deadlock").start()
    stop = one.stop(model.Continue())
    assert stop.reason == "panic"
    assert "fatal error" in stop.title
    one.ask(model.Continue(), model.StateChanged, is_state("exited"))


def test_thousands_of_goroutines_are_listed_on_demand(debug: Callable[..., Debuggee]) -> None:
    one = debug("goroutines").start()
    one.breakpoint("main.tick")
    one.stop(model.Continue())
    listed = one.ask(model.ListGoroutines(50), model.GoroutinesListed)
    assert listed.total > 1000
    assert len(listed.goroutines) == 50
    assert listed.goroutines[0].role == "main"
    other = one.stop(model.SelectGoroutine(1))
    assert other.goroutine == 1
    assert other.frames[other.selected_frame].function.startswith("main.")
    assert one.ask(model.SelectGoroutine(987654), model.Failed)


def test_a_step_stays_with_its_goroutine_or_says_so(debug: Callable[..., Debuggee]) -> None:
    one = debug("race").start()
    one.breakpoint("main.tick")
    stop = one.stop(model.Continue())
    for _ in range(12):
        stepped = one.stop(model.Step("next"))
        assert stepped.goroutine == stop.goroutine or stepped.note
        stop = stepped


def test_tracepoints_are_told_while_the_target_runs(debug: Callable[..., Debuggee]) -> None:
    one = debug("race").start()
    one.breakpoint("main.tick", tracepoint=True, prints=("n",))
    one.submit(model.Continue())
    traced = one.wait(model.Traced)
    assert traced.goroutine > 0
    assert "main.tick(" in traced.text
    assert "n: " in traced.text
    one.wait(model.StateChanged, is_state("exited"))
    calls = [e for e in one.events if isinstance(e, model.Traced) and "\tn: " in e.text]
    assert len(calls) == 200


def test_hit_counts_and_disabling(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    number = one.breakpoint("main.tick", hit_condition="== 4").id
    assert one.stop(model.Continue()).arguments[0].value == "3"
    one.fence()
    disable, enable = model.AmendBreakpoint(number, "disable"), model.AmendBreakpoint(number, "enable")
    for command, enabled in ((disable, False), (disable, False), (enable, True), (enable, True)):
        changed = one.ask(command, model.BreakpointsChanged)
        assert changed.breakpoints[0].enabled is enabled


def test_a_watchpoint_stops_at_the_write(debug: Callable[..., Debuggee]) -> None:
    one = debug("plain").start()
    one.breakpoint("main.tick")
    one.stop(model.Continue())
    one.stop(model.Step())
    one.stop(model.Step())
    watched = one.ask(model.SetWatchpoint("total"), model.BreakpointsChanged)
    assert any(b.watch for b in watched.breakpoints)
    stop = one.stop(model.Continue())
    assert stop.reason == "watch"
    assert "total" in stop.title
    failed = one.ask(model.SetWatchpoint("nosuch"), model.Failed)
    assert "registers" in failed.hint


def test_conditions_are_checked_before_they_are_set(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    failed = one.ask(model.SetBreakpoint("main.tick", condition="n >"), model.Failed)
    assert "dlv does not take it" in failed.title
    assert one.ask(model.Console("breakpoints"), model.ConsoleOutput, lambda e: e.kind == "output")
    told = one.breakpoint("main.tick", condition="n == 2")
    assert told.condition == "n == 2"


def test_long_and_hostile_strings_are_cut_and_made_visible(debug: Callable[..., Debuggee]) -> None:
    one = debug("plain").start()
    one.breakpoint("main.work")
    stop = one.stop(model.Continue())
    text = next(variable for variable in stop.arguments if variable.name == "text")
    assert text.has_more
    assert "+" in text.value
    full = one.ask(model.Evaluate("text", ticket=7, full=True), model.Evaluated)
    assert full.ticket == 7
    assert not full.variable.has_more
    assert full.variable.text.endswith('\x1b[31m\x00\ufffd\u2026"\\')
    assert "\x1b" not in full.variable.value


def test_maps_and_slices_are_paged(debug: Callable[..., Debuggee]) -> None:
    one = debug("plain").start()
    one.breakpoint("main.work")
    one.stop(model.Continue())
    one.stop(model.SelectFrame(1))
    made = one.ask(model.Evaluate("made"), model.Evaluated).variable
    assert made.length == 200
    page = made.children[-1]
    assert (page.kind, page.has_more) == ("page", True)
    rest = one.ask(model.Evaluate(page.expression), model.Evaluated).variable
    assert [child.name for child in rest.children[:2]] == ["[64]", "[65]"]
    assert rest.children[-1].kind == "page"
    last = rest
    while last.children and last.children[-1].kind == "page":
        last = one.ask(model.Evaluate(last.children[-1].expression), model.Evaluated).variable
    assert last.children[-1].name == "[199]"
    numbers = one.ask(model.Evaluate("numbers"), model.Evaluated).variable
    assert numbers.length == 300
    seen = {child.name for child in numbers.children if child.kind != "page"}
    while numbers.children[-1].kind == "page":
        numbers = one.ask(model.Evaluate(numbers.children[-1].expression), model.Evaluated).variable
        seen |= {child.name for child in numbers.children if child.kind != "page"}
    assert len(seen) == 300


def test_watches_mark_what_changed_and_survive_a_restart(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop", watches=("n",)).start()
    one.breakpoint("main.tick")
    first = one.stop(model.Continue())
    assert [(w.name, w.value, w.changed) for w in first.watches] == [("n", "0", False)]
    second = one.stop(model.Continue())
    assert [(w.value, w.changed) for w in second.watches] == [("1", True)]
    added = one.stop(model.Watch("n * 2"))
    assert [w.value for w in added.watches] == ["1", "2"]
    one.ask(model.Restart(fresh=True), model.StateChanged, is_state("stopped"))
    assert [w.value for w in one.stop(model.Continue()).watches] == ["0", "0"]


def test_values_can_be_set(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    one.breakpoint("main.tick")
    one.stop(model.Continue())
    assert one.stop(model.SetValue("n", "41")).arguments[0].value == "41"
    assert one.ask(model.SetValue("n", '"text"'), model.Failed).title


def test_closing_leaves_nothing(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    directory = Path(one.launch.run_directory)
    assert (directory / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert directory.stat().st_mode & 0o777 == 0o700
    running = one.ask(model.Continue(), model.StateChanged, is_state("running"))
    assert one.driver.close(timeout=20)
    assert wait_gone(running.target_pid, running.dlv_pid)
    assert {path.name for path in directory.iterdir()} == {"run-1.log"}


def test_killing_dlv_takes_a_running_target_along(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    running = one.ask(model.Continue(), model.StateChanged, is_state("running"))
    os.kill(pid_of(running.dlv_pid), signal.SIGKILL)
    one.wait(model.StateChanged, is_state("lost"))
    assert wait_gone(running.target_pid)


def test_killing_the_target_is_an_exit_not_a_loss(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    running = one.ask(model.Continue(), model.StateChanged, is_state("running"))
    os.kill(pid_of(running.target_pid), signal.SIGKILL)
    exited = one.wait(model.StateChanged, is_state("exited"))
    assert exited.exit_status == -9
    assert "SIGKILL" in exited.detail
    assert one.ask(model.Restart(), model.StateChanged, is_state("stopped")).run == 2


def test_a_wedged_dlv_is_given_up(debug: Callable[..., Debuggee], monkeypatch: pytest.MonkeyPatch) -> None:
    from schedtui.debugger import running as running_module

    monkeypatch.setattr(running_module, "INTERRUPTED_SECONDS", 1.0)
    one = debug("loop").start()
    running = one.ask(model.Continue(), model.StateChanged, is_state("running"))
    os.kill(pid_of(running.dlv_pid), signal.SIGSTOP)
    one.submit(model.SetBreakpoint("main.tick"))
    lost = one.wait(model.StateChanged, is_state("lost"))
    assert "does not answer" in lost.detail
    assert wait_gone(running.dlv_pid, running.target_pid)
    assert one.ask(model.Restart(), model.StateChanged, is_state("stopped"))


@pytest.mark.parametrize("runs", [True, False])
def test_the_end_waits_for_no_dlv_that_somebody_stopped(debug: Callable[..., Debuggee], runs: bool) -> None:
    one = debug("loop").start()
    state = one.last_state
    if runs:
        state = one.ask(model.Continue(), model.StateChanged, is_state("running"))
    os.kill(pid_of(state.dlv_pid), signal.SIGSTOP)
    # A dlv that is left to its limits costs three of them: interrupt, farewell, end.
    assert one.driver.close(timeout=60.0)
    assert wait_gone(state.dlv_pid, state.target_pid)
    assert not any("did not end by itself" in e.text for e in one.events if isinstance(e, model.ConsoleOutput))


def test_attach_leaves_the_process_alive(
    debug: Callable[..., Debuggee], small_program: Path, tmp_path: Path
) -> None:
    import subprocess

    with (tmp_path / "out").open("w") as out:
        process = subprocess.Popen([str(small_program), "loop"], stdout=out, stderr=out)
    try:
        one = debug(mode="attach", target=str(process.pid), arguments=()).start()
        stop = one.last_stop
        assert stop.frames[stop.selected_frame].function.startswith("main.")
        one.ask(model.Continue(), model.StateChanged, is_state("running"))
        assert one.driver.close(timeout=20)
        assert process.poll() is None
        assert wait_running(process.pid)
    finally:
        process.kill()
        process.wait()


def test_debug_mode_builds_and_shows_the_compilers_lines(debug: Callable[..., Debuggee], tmp_path: Path) -> None:
    package = tmp_path / "broken"
    package.mkdir()
    (package / "go.mod").write_text("module example.org/broken\n\ngo 1.21\n")
    (package / "main.go").write_text("package main\n\nfunc main() { undefined() }\n")
    one = debug(mode="debug", target=".", working_directory=str(package), arguments=())
    one.driver.start()
    assert one.wait(model.StateChanged).state == "building"
    failed = one.wait(model.Failed, seconds=120)
    assert failed.title == "The build failed"
    assert any("undefined: undefined" in line for line in failed.details)
    assert one.wait(model.StateChanged).state == "lost"
    (package / "main.go").write_text("package main\n\nfunc main() { println(1) }\n")
    one.submit(model.Restart())
    one.wait(model.StateChanged, is_state("stopped"), seconds=120)
    built = list(Path(one.launch.run_directory).glob("debug-debug.bin*"))
    assert built
    assert one.driver.close(timeout=20)
    assert not list(Path(one.launch.run_directory).glob("debug-debug.bin*"))


def test_a_missing_binary_and_a_text_file_are_explained(debug: Callable[..., Debuggee], tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program\n")
    text.chmod(0o755)
    for target, words in ((str(tmp_path / "nothing"), "no such process or file"), (str(text), "not a program")):
        one = debug(target=target)
        one.driver.start()
        assert words in one.wait(model.Failed).title
        assert one.wait(model.StateChanged).state == "lost"
    one = debug(dlv=str(tmp_path / "no-dlv"))
    one.driver.start()
    assert one.wait(model.Failed).title == "dlv could not be started"


def test_the_prompt_inside_a_listing_is_no_prompt(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    text = one.console("config -list")
    assert "max-string-len" in text
    assert "show-raw-strings" in text or "trace-show-timestamp" in text
    assert one.ask(model.Console("config prompt x"), model.Failed).title == "The prompt belongs to schedtui"


def test_an_interrupt_breaks_off_a_long_command(debug: Callable[..., Debuggee], tmp_path: Path) -> None:
    endless = tmp_path / "endless.star"
    endless.write_text("def main():\n    for i in range(1000000000):\n        cur_scope()\n")
    one = debug("loop").start()
    one.submit(model.Console(f"source {endless}"))
    one.wait(model.ConsoleOutput, lambda e: e.kind == "echo")
    one.driver.submit(model.Interrupt())
    assert one.wait(model.ConsoleOutput, lambda e: e.kind in ("error", "output"))
    assert one.breakpoint("main.tick").id


def test_an_interrupt_before_the_long_command_has_begun_is_not_lost(
    debug: Callable[..., Debuggee], tmp_path: Path
) -> None:
    endless = tmp_path / "endless.star"
    endless.write_text("def main():\n    for i in range(1000000000):\n        cur_scope()\n")
    one = debug("loop").start()
    client = pid_of(one.last_state.dlv_pid)
    # A machine that has no time for dlv: it finds command and interrupt together.
    os.kill(client, signal.SIGSTOP)
    try:
        one.submit(model.Console(f"source {endless}"))
        one.wait(model.ConsoleOutput, lambda e: e.kind == "echo")
        one.driver.submit(model.Interrupt())
        deadline = time.monotonic() + 20
        while not interrupt_waits(client):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        os.kill(client, signal.SIGCONT)
    told = one.wait(
        object,
        lambda e: (
            (isinstance(e, model.ConsoleOutput) and e.kind in ("error", "output"))
            or isinstance(e, model.StateChanged)
        ),
    )
    assert isinstance(told, model.ConsoleOutput)
    assert one.breakpoint("main.tick").id


def interrupt_waits(pid: int) -> bool:
    """True when SIGINT was sent to a process and not taken yet."""
    status = Path(f"/proc/{pid}/status").read_text()
    pending = next(line.split()[1] for line in status.splitlines() if line.startswith("ShdPnd:"))
    return bool(int(pending, 16) >> (signal.SIGINT - 1) & 1)


def test_substituted_paths_are_shown(debug: Callable[..., Debuggee], tmp_path: Path) -> None:
    from tests.debugger.conftest import PROGRAM

    one = debug("plain", substitute_paths=((str(PROGRAM), str(tmp_path / "here")),)).start()
    one.breakpoint("main.work")
    stop = one.stop(model.Continue())
    assert stop.frames[0].file == str(tmp_path / "here" / "main.go")
