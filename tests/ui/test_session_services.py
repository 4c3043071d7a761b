"""What a session looks at while a scheduler runs: free runs, stalls, costs of the log, refusals, the set-up."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.config.directories import directories
from schedtui.config.settings import Settings
from schedtui.core.errors import SchedtuiError
from schedtui.core.record import EPOCH, Record
from schedtui.debugger import model
from schedtui.debugger.exits import flags_of
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.doctor.model import Finding, Fix
from schedtui.ui import messages
from schedtui.ui.options import Options
from schedtui.ui.services import setup
from schedtui.ui.services.free_run import FreeScheduler
from schedtui.ui.services.log_costs import LogCostWatch, cost_lines
from schedtui.ui.services.overview import Sight, ToolChecks, overview_lines
from schedtui.ui.services.plan import Plan
from schedtui.ui.services.prepare import Request
from schedtui.ui.services.queue_watch import QueueWatch
from schedtui.ui.services.rebuild import Rebuild
from schedtui.ui.services.refusals import explained
from schedtui.ui.services.source_shelf import SourceShelf
from schedtui.ui.services.watch import SessionWatch
from tests.small_disk import fill, small_disk
from tests.toolchain.go_trees import make_kubernetes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.message import Message

    from schedtui.core.build_state import BuildState
    from schedtui.core.exit_cause import ExitCause
    from schedtui.core.log_cost import LogCost

DEADLINE_SECONDS = 30.0

PROGRAM = """
import sys, time
print(sys.argv[1], file=sys.stderr, flush=True)
if sys.argv[2] != "stay":
    sys.exit(int(sys.argv[2]))
time.sleep(600)
"""
"""A stand-in for a scheduler: it logs its first argument, then stays or ends."""


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def launch_of(*arguments: str, tmp_path: Path) -> model.Launch:
    program = tmp_path / "scheduler.py"
    program.write_text(PROGRAM)
    return model.Launch(
        "", target=sys.executable, arguments=(str(program), *arguments), log_directory=str(tmp_path / "runs"),
        log_label="test", run_directory=str(tmp_path / "run"),
    )  # fmt: skip


class Free:
    """A free scheduler and what it told."""

    def __init__(self, launch: model.Launch) -> None:
        self.events: list[model.Event] = []
        self.scheduler = FreeScheduler(launch, self.events.append)

    def states(self) -> list[model.StateChanged]:
        return [event for event in self.events if isinstance(event, model.StateChanged)]

    def wait_for(self, state: str, count: int = 1) -> model.StateChanged:
        until(lambda: sum(event.state == state for event in self.states()) >= count)
        return [event for event in self.states() if event.state == state][count - 1]


@pytest.fixture
def free(tmp_path: Path) -> Iterator[Callable[..., Free]]:
    made: list[Free] = []

    def make(*arguments: str) -> Free:
        made.append(Free(launch_of(*arguments, tmp_path=tmp_path)))
        made[-1].scheduler.start()
        return made[-1]

    yield make
    for one in made:
        assert one.scheduler.close()


def test_a_free_scheduler_has_its_log_and_ends_with_the_session(free: Callable[..., Free]) -> None:
    one = free("hello", "stay")
    running = one.wait_for("running")
    assert running.log_path is not None and running.target_pid is not None
    until(lambda: Path(running.log_path or "").read_text() == "hello\n")
    assert one.scheduler.close()
    assert not Path(f"/proc/{running.target_pid}").exists()
    assert [event.state for event in one.states()] == ["starting", "running"]


def test_the_cause_of_its_exit_is_named_from_its_last_lines(free: Callable[..., Free]) -> None:
    one = free("Error: unknown flag: --no-such-flag", "1")
    ended = one.wait_for("exited")
    assert (ended.exit_status, ended.cause_id) == (1, "unknown-flag")
    assert "--no-such-flag" in ended.cause
    assert ended.last_output == ("Error: unknown flag: --no-such-flag",)


def test_each_start_has_a_log_of_its_own(free: Callable[..., Free]) -> None:
    one = free("again", "stay")
    first = one.wait_for("running")
    one.scheduler.submit(model.Restart())
    second = one.wait_for("running", 2)
    assert first.log_path != second.log_path
    assert (first.run, second.run) == (1, 2)
    assert not any(event.state == "exited" for event in one.states())


def test_what_needs_a_debugger_is_refused_in_words(free: Callable[..., Free]) -> None:
    one = free("x", "stay")
    one.scheduler.submit(model.Continue())
    until(lambda: any(isinstance(event, model.Failed) for event in one.events))
    failed = next(event for event in one.events if isinstance(event, model.Failed))
    assert "no debugger" in failed.title and "--no-debugger" in failed.hint


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    one = Free(replace(launch_of("x", "stay", tmp_path=tmp_path), target=str(tmp_path / "nothing")))
    one.scheduler.start()
    assert one.wait_for("exited").cause.startswith("cannot start")
    assert one.scheduler.close()


# --- stalls and age ---------------------------------------------------------------------------------------------

WAITING = (
    "I0301 10:00:00.000000 1 leaderelection.go:257] attempting to acquire leader lease"
    " kube-system/kube-scheduler...\n"
)
ATTEMPT = 'I0301 10:00:09.000000 1 schedule_one.go:85] "Attempting to schedule pod" pod="default/a"\n'


class Looked:
    """A session as the watch sees it."""

    def __init__(self, log: Path, plan: Plan) -> None:
        self.plan = plan
        self.told: list[Message] = []
        self.rebuild = Rebuild(plan, lambda _: None)
        self.queue: QueueWatch | None = QueueWatch(lambda _: None)
        self.state: model.TargetState = "running"
        self.run_logs: tuple[str, ...] = (str(log),)


@pytest.fixture
def quick_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schedtui.ui.services.watch.LOOK_SECONDS", 0.05)
    monkeypatch.setattr("schedtui.ui.services.watch.STALL_SECONDS", 0.2)
    monkeypatch.setattr("schedtui.ui.services.watch.STALE_SECONDS", 0.1)


def plan_of(*arguments: str, source: Path | None = None, target: str = "/nowhere/kube-scheduler") -> Plan:
    launch = model.Launch("dlv", target=target, arguments=arguments)
    checkout = open_checkout(str(source)) if source is not None else None
    return Plan(Settings(), directories(), launch, checkout=checkout, verbosity=5, release="v1.36.3")


@pytest.mark.usefixtures("quick_watch")
def test_c32_a_scheduler_that_waits_for_the_lease_is_told_until_it_has_it(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(WAITING)
    looked = Looked(log, plan_of())
    watch = SessionWatch(looked, looked.told.append)
    watch.start()

    def stalls() -> list[ExitCause | None]:
        return [fact.cause for fact in looked.told if isinstance(fact, messages.StallExplained)]

    try:
        until(lambda: bool(stalls()))
        cause = stalls()[0]
        assert cause is not None and cause.id == "waiting-for-lease"
        assert looked.queue is not None
        looked.queue.take(list(records_of(ATTEMPT)))
        until(lambda: stalls()[-1] is None)
        assert len(stalls()) == 2
    finally:
        watch.stop()


@pytest.mark.usefixtures("quick_watch")
def test_nothing_is_asked_of_a_scheduler_that_stands(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(WAITING)
    looked = Looked(log, plan_of())
    looked.state = "stopped"
    seen = threading.Event()

    def stale() -> str:
        seen.set()
        return "it is older than x.go"

    looked.rebuild.stale = stale  # type: ignore[method-assign]  # the tree is another test's
    watch = SessionWatch(looked, looked.told.append)
    watch.start()
    try:
        assert seen.wait(DEADLINE_SECONDS)
        until(lambda: bool(looked.told))
        assert looked.told == [messages.BinaryAged("it is older than x.go")]
        assert looked.rebuild.state.why_stale == "it is older than x.go"
    finally:
        watch.stop()


@pytest.mark.usefixtures("quick_watch")
def test_a_disk_that_fills_is_told_once_and_again_when_it_fills_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [10**11]
    monkeypatch.setattr("schedtui.ui.services.watch.free_bytes", lambda _: free[0])
    monkeypatch.setattr("schedtui.ui.services.watch.DISK_SECONDS", 0.0)
    log = tmp_path / "run.log"
    log.write_text(ATTEMPT)
    looked = Looked(log, plan_of())
    looked.state = "stopped"
    watch = SessionWatch(looked, looked.told.append)
    watch.start()

    def told() -> list[str]:
        facts = [fact for fact in looked.told if isinstance(fact, messages.NoticePosted | messages.WorkFailed)]
        return [fact.text if isinstance(fact, messages.NoticePosted) else fact.error.as_text() for fact in facts]

    try:
        rooms = [(10**8, "Only 100 MB"), (0, "disk is full"), (10**8, "Only"), (0, "full")]
        for number, (left, words) in enumerate(rooms, start=1):
            free[0] = left
            until(partial(lambda count: len(told()) == count, number))
            assert words in told()[-1] and str(tmp_path) in told()[-1]
    finally:
        watch.stop()


def test_a_full_disk_is_found_on_a_real_one(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 8) as disk:
        log = disk / "run.log"
        log.write_text(ATTEMPT)
        fill(disk)
        looked = Looked(log, plan_of())
        watch = SessionWatch(looked, looked.told.append)
        watch.start()
        try:
            until(lambda: any(isinstance(fact, messages.WorkFailed) for fact in looked.told))
        finally:
            watch.stop()
        (failed,) = [fact for fact in looked.told if isinstance(fact, messages.WorkFailed)]
        assert failed.error.title.startswith("The disk is full") and failed.error.where == str(disk)


def records_of(text: str) -> Iterator[Record]:
    from schedtui.core.klog import RecordReader

    reader = RecordReader()
    yield from reader.feed(text.encode())
    yield from reader.finish()


# --- the cost of a log ------------------------------------------------------------------------------------------


def burst(count: int, second: int) -> list[Record]:
    at = int((datetime(2026, 3, 1, 10, tzinfo=UTC).replace(tzinfo=None) - EPOCH).total_seconds()) * 1_000_000
    line = (
        f'I0301 10:00:{second:02d}.000000 1 schedule_one.go:900] "Plugin scored node for pod" pod="a/b" score=1\n'
    )
    one = next(records_of(line))
    return [replace(one, v=10, time_us=at + second * 1_000_000)] * count


def test_a_flood_is_measured_and_warned_about_once() -> None:
    warned: list[LogCost] = []
    now = [0.0]
    watch = LogCostWatch(warned.append, clock=lambda: now[0])
    for second in range(12):
        now[0] = float(second + 1)
        watch.observe(burst(40_000, second))
    assert len(warned) == 1
    cost = warned[0]
    assert cost.slows and watch.measured is not None
    lines = cost_lines(cost)
    assert "lines/s" in lines[0]
    assert any("V10" in line and "Plugin scored node" in line for line in lines)
    assert lines[-1].startswith("Instead: -v ")


def test_a_quiet_log_is_not_even_counted() -> None:
    warned: list[LogCost] = []
    now = [0.0]
    watch = LogCostWatch(warned.append, clock=lambda: now[0])
    for second in range(20):
        now[0] = float(second + 1)
        watch.observe(burst(200, second))
    assert warned == [] and watch.measured is None


# --- refusals ---------------------------------------------------------------------------------------------------


def test_c23_words_stand_next_to_dlvs_own() -> None:
    said = (
        'Command failed: Malformed breakpoint location "schedule_one.go:scheduleOne" at 16: line offset negative'
    )
    told = explained(model.ConsoleOutput(said, "error"), lambda: "")
    assert isinstance(told, model.ConsoleOutput)
    assert told.text.startswith(said + "\n")
    assert "no location of the form file:function" in told.text


@pytest.mark.parametrize(
    "title", ["ScheduleOne is in the source and not in the binary", "This program has no kube-scheduler in it"]
)
def test_a_station_that_dlv_does_not_see_is_laid_to_the_stripped_program(title: str) -> None:
    failed = model.Failed(title, "Inlined, or the binary is of another release.")
    told = explained(failed, lambda: "it is stripped: no debug information")
    assert isinstance(told, model.Failed)
    assert "it is stripped: no debug information" in told.hint and "schedtui build" in told.hint
    assert "another release" not in told.hint
    # Where the program is sound, the guess is all there is.
    assert explained(failed, lambda: "") == failed


def test_c24_a_vague_refusal_is_laid_to_the_program_when_it_is_stripped() -> None:
    said = 'location "main.nosuch" not found'
    told = explained(model.Failed("There is no such function", "b b lists.", (said,)), lambda: "it is stripped")
    assert isinstance(told, model.Failed)
    assert told.details == (said,)
    assert told.hint.startswith("b b lists.") and "it is stripped" in told.hint


def test_own_words_are_not_said_twice() -> None:
    event = model.Failed(
        "There is no such function", "Near it:", ('location "main.nosuch" not found', "main.such")
    )
    assert explained(event, lambda: "") is event
    bare = model.Failed("could not find file x.go", "", ())
    told = explained(bare, lambda: "")
    assert isinstance(told, model.Failed) and "substitute-path" in told.hint


def test_what_is_not_known_stays_as_it_is() -> None:
    for event in (
        model.ConsoleOutput("just values", "output"),
        model.ConsoleOutput("Warning: debugging optimized function", "output"),
        model.Failed("Something else", "", ("never seen",)),
    ):
        assert explained(event, lambda: "never asked") is event


# --- building ---------------------------------------------------------------------------------------------------


def test_a_program_of_the_module_cache_is_not_built_and_says_what_to_do(tmp_path: Path) -> None:
    from tests.toolchain.go_trees import make_module_cache

    rebuild = Rebuild(plan_of(source=make_module_cache(tmp_path)), lambda _: None)
    assert "schedtui source get" in rebuild.refusal()
    with pytest.raises(SchedtuiError):
        rebuild.build()


def test_without_a_source_there_is_nothing_to_build() -> None:
    assert "--src DIR" in Rebuild(plan_of(), lambda _: None).refusal()


def test_a_failed_build_names_places_and_a_cancel_keeps_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from schedtui.core.errors import BuildFailed, Cancelled

    tree = make_kubernetes(tmp_path / "kubernetes")
    states: list[BuildState] = []
    rebuild = Rebuild(replace(plan_of(source=tree), flavour="debug"), states.append)
    lines = ("# k8s.io/kubernetes/pkg/scheduler", "pkg/scheduler/scheduler.go:13:2: undefined: nonsense")

    def fail(*_: object) -> None:
        raise BuildFailed("the build of kube-scheduler failed", details=lines)

    monkeypatch.setattr("schedtui.ui.services.rebuild.ensure_scheduler", fail)
    assert not rebuild.build()
    assert [state.phase for state in states] == ["building", "failed"]
    assert (states[-1].errors[1].file, states[-1].errors[1].line) == (str(tree / "pkg/scheduler/scheduler.go"), 13)
    assert states[-1].errors[0].file == ""

    def cancelled(*_: object) -> None:
        raise Cancelled("stopped")

    monkeypatch.setattr("schedtui.ui.services.rebuild.ensure_scheduler", cancelled)
    assert not rebuild.build()
    assert (rebuild.state.phase, rebuild.state.number) == ("cancelled", 2)


def test_an_edited_source_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.go"
    path.write_text("package a\n")
    shelf = SourceShelf(None)
    assert shelf.text(str(path)).lines[0] == "package a"
    path.write_text("package changed\n")
    assert shelf.text(str(path)).lines[0] == "package changed"


# --- the set-up -------------------------------------------------------------------------------------------------


def test_flags_of_a_command_line() -> None:
    assert flags_of(("--secure-port=1", "-v=4", "--config", "f", "--x")) == {
        "secure-port": "1", "v": "4", "config": "f", "x": "true",
    }  # fmt: skip


def test_the_doctor_looks_at_the_sessions_own_set_up(tmp_path: Path) -> None:
    plan = plan_of("--kubeconfig=/k", "--config=/c", "--secure-port=10300", target="/b/kube-scheduler")
    request = Request("source", Options(), Settings())
    subject = setup.subject_of(request, plan)
    assert (str(subject.kubeconfig_path), str(subject.config_path)) == ("/k", "/c")
    assert (str(subject.binary_path), subject.port, subject.verbosity) == ("/b/kube-scheduler", 10300, 5)


def test_before_a_session_it_looks_at_what_was_asked_for() -> None:
    options = Options(kubeconfig="/k", binary="/b", attach_pid=3, scheduler_flags=("--secure-port=10300",))
    subject = setup.subject_of(Request("source", options, Settings()), None)
    assert (str(subject.kubeconfig_path), str(subject.binary_path)) == ("/k", "/b")
    assert (subject.attach, subject.port) == (3, 10300)


def test_what_our_own_scheduler_holds_is_not_held_against_it() -> None:
    assert {"port", "lease"} <= set(setup.checks_for(alive=False)) - set(setup.checks_for(alive=True))


def test_a_finding_shows_why_and_offers_its_fix_but_never_runs_it() -> None:
    fix = Fix.command("go", "env", "-u", "GOPROXY")
    bad = Finding("fail", "GOPROXY=off", fix, "goproxy", "Modules come from here.")
    (text, role, wish), *_ = setup.doctor_lines([bad])
    assert (text, role) == ("x goproxy     GOPROXY=off", "bad")
    assert isinstance(wish, messages.ListRequested)
    lines = wish.offer.lines
    assert ("Modules come from here.", "", None) in lines
    assert [item for _, _, item in lines if isinstance(item, messages.FixRequested)] == [
        messages.FixRequested("goproxy", ("go", "env", "-u", "GOPROXY"), fix.text)
    ]


def test_the_way_without_a_session_begins_at_the_source() -> None:
    request = Request("start", Options(), Settings())

    class Fine(ToolChecks):
        def finding(self, subject: object, check: str) -> Finding:
            return Finding("ok", f"{check} is fine")

    lines = overview_lines(Sight(None, setup.subject_of(request, None), Fine()))
    assert [line[0] for line, _, _ in lines][:5] == ["✓", "✓", "▶", "✓", "·"]
    assert "source of one release" in lines[2][0]
