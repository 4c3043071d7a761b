"""The debugger on a real kube-scheduler in the lab."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.debugger import model
from schedtui.debugger.catalogue import own_catalogue
from schedtui.debugger.toll import COUNTER, ENOUGH_PASSES
from tests.debugger.on_lab import SECONDS, make_pod, new_name, scheduler_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedtui.lab.running import RunningLab
    from tests.debugger.conftest import Debuggee

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(2700)]


@pytest.fixture
def scheduler(lab: RunningLab, dlv_path: Path, tmp_path: Path) -> Iterator[Debuggee]:
    with scheduler_of(lab, dlv_path, tmp_path / "session") as one:
        yield one


def test_the_tutorials_own_words(scheduler: Debuggee) -> None:
    one = scheduler
    text = one.console("break pkg/scheduler/scheduler.go:ScheduleOne")
    assert "is scheduler.(*Scheduler).ScheduleOne here" in text
    assert "it lives in pkg/scheduler/schedule_one.go" in text
    assert "Breakpoint 1 set at" in text
    text = one.console("break pkg/scheduler/internal/queue/scheduling_queue.go:Pop")
    assert "is queue.(*PriorityQueue).Pop here" in text
    stop = one.stop(model.Continue(), SECONDS)
    assert stop.frames[0].function.endswith("(*Scheduler).ScheduleOne")
    assert [variable.name for variable in stop.arguments] == ["sched", "ctx"]
    assert stop.locals == ()
    assert "no pod has been popped yet" in one.console("print pod.Name")
    queue = one.console("print sched.SchedulingQueue")
    assert "activeQ " in queue
    assert "unschedulable " in queue
    stop = one.stop(model.Continue(), SECONDS)
    assert stop.frames[0].function.endswith("(*PriorityQueue).Pop")
    assert "step out (o)" in one.console("print pod.Name")
    text = one.console("print sched.SchedulingQueue")
    assert "sched is not known in this frame" in text
    assert "activeQ " in text


def test_a_pod_scoped_breakpoint_stops_for_that_pod_only(scheduler: Debuggee, lab: RunningLab) -> None:
    one = scheduler
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    wanted = new_name()
    told = one.ask(
        model.SetBreakpoint("ScheduleOne", pod=f"default/{wanted}"),
        model.BreakpointsChanged,
        lambda e: bool(e.breakpoints),
        SECONDS,
    )
    assert wanted in told.breakpoints[0].condition
    one.wait(model.StateChanged, lambda e: e.state == "running")
    for _ in range(2):
        make_pod(lab)
    make_pod(lab, wanted)
    stop = one.wait(model.Stopped, lambda e: True, SECONDS).stop
    assert stop.pod == f"default/{wanted}"
    assert "no pod yet" not in stop.note


def test_a_pending_pod_is_explained_at_the_fit_station(scheduler: Debuggee, lab: RunningLab) -> None:
    one = scheduler
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    wanted = new_name()
    name = f"default/{wanted}"
    # Before the pod is there: tried once, it waits for something to change, which may take minutes.
    one.ask(model.SetBreakpoint("Fit", pod=name), model.BreakpointsChanged, lambda e: bool(e.breakpoints), SECONDS)
    one.wait(model.StateChanged, lambda e: e.state == "running", SECONDS)
    make_pod(lab, wanted, cpu="5000")
    stop = one.wait(model.Stopped, seconds=SECONDS).stop
    assert stop.pod == name
    node = one.ask(model.Evaluate("nodeInfo"), model.Evaluated).variable
    view = "\n".join(node.view)
    assert "cpu         [" in view
    assert "allocatable" in view
    pod = one.ask(model.Evaluate("pod"), model.Evaluated).variable
    assert any("cpu=5000" in line or "cpu=5k" in line for line in pod.view)
    one.ask(model.AmendBreakpoint(stop.breakpoint_id, "clear"), model.BreakpointsChanged)
    one.submit(model.SetBreakpoint("Failure", pod=name))
    failed = one.stop(model.Continue(), SECONDS)
    assert failed.frames[0].function.endswith("handleSchedulingFailure")
    status = "\n".join(one.ask(model.Evaluate("status"), model.Evaluated).variable.view)
    assert "Unschedulable" in status
    assert "NodeResourcesFit: Insufficient cpu" in status


def test_an_interrupt_finds_the_scheduling_loop(scheduler: Debuggee) -> None:
    one = scheduler
    one.breakpoint("ScheduleOne")
    first = one.stop(model.Continue(), SECONDS)
    one.ask(model.AmendBreakpoint(first.breakpoint_id, "clear"), model.BreakpointsChanged)
    for _ in range(5):
        one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
        stop = one.stop(model.Interrupt(), SECONDS)
        assert stop.goroutine == first.goroutine
        if stop.frames[stop.selected_frame].function:
            # Caught inside the kernel's clock page, a stack cannot be unwound; the next time it can.
            break
    # It may be caught deep inside a request to the API server: what is shown is the scheduler's own code.
    shown = stop.frames[stop.selected_frame]
    assert shown.function.startswith("k8s.io/kubernetes/pkg/scheduler"), stop.frames
    assert "/pkg/scheduler/" in shown.file
    assert shown.function.rsplit("/", 1)[-1] in stop.title
    assert not any("pkg/scheduler" in frame.function for frame in stop.frames[: stop.selected_frame])
    listed = one.ask(model.ListGoroutines(5000), model.GoroutinesListed)
    roles = {goroutine.role for goroutine in listed.goroutines}
    assert {"scheduling loop", "informer", "queue flush", "HTTP"} <= roles
    assert [g.id for g in listed.goroutines if g.role == "scheduling loop"] == [stop.goroutine]


def test_the_verbosity_is_set_and_read_back(scheduler: Debuggee) -> None:
    one = scheduler
    one.breakpoint("ScheduleOne")
    one.stop(model.Continue(), SECONDS)
    for level in (2, 7):
        told = one.ask(model.SetVerbosity(level), model.VerbositySet)
        assert told.v == level
        assert "contextual text logging" in told.detail
    assert one.ask(model.SetVerbosity(-1), model.Failed)


def test_every_station_of_the_catalogue_can_be_set(scheduler: Debuggee) -> None:
    one = scheduler
    for name in own_catalogue().sets:
        one.submit(model.SetBreakpoints(name))
    told = one.fence()
    for station in own_catalogue().stations:
        if station.hot:
            assert one.breakpoint(station.name).function
    assert not [e for e in told if isinstance(e, model.Failed)]
    listed = [e for e in one.events if isinstance(e, model.BreakpointsChanged)][-1].breakpoints
    assert {b.asked for b in listed} == {station.name for station in own_catalogue().stations}
    assert not any(b.suspended for b in listed)
    for name in own_catalogue().sets:
        one.submit(model.SetBreakpoints(name, on=False))
    one.fence()
    listed = [e for e in one.events if isinstance(e, model.BreakpointsChanged)][-1].breakpoints
    assert {b.asked for b in listed} == {station.name for station in own_catalogue().stations if station.hot}
    assert one.ask(model.SetBreakpoints("nonsense"), model.Failed).title == "There is no such set"


def test_restart_keeps_breakpoints_and_starts_a_new_log(scheduler: Debuggee) -> None:
    one = scheduler
    one.breakpoint("ScheduleOne")
    first = one.last_state
    one.stop(model.Continue(), SECONDS)
    again = one.ask(model.Restart(), model.StateChanged, lambda e: e.state == "stopped", SECONDS)
    assert again.log_path != first.log_path
    stop = one.stop(model.Continue(), SECONDS)
    assert stop.frames[0].function.endswith("(*Scheduler).ScheduleOne")
    assert Path(again.log_path or "").stat().st_size > 0
    assert Path(first.log_path or "").stat().st_size > 0


def test_a_condition_where_the_scheduler_passes_often_tells_what_a_pass_costs(
    scheduler: Debuggee, lab: RunningLab
) -> None:
    one = scheduler
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    one.submit(model.SetBreakpoint("Filter", pod="default/nobody"))
    warned = one.wait(model.ConsoleOutput, lambda e: "passed once per node or plugin" in e.text, SECONDS)
    assert "is measured once it runs" in warned.text
    one.wait(model.StateChanged, lambda e: e.state == "running", SECONDS)
    for _ in range(4):
        make_pod(lab)
    # Nobody stops it: the passes are counted and the count is read by itself.
    told = one.wait(model.ConsoleOutput, lambda e: "a pass costs" in e.text, SECONDS)
    match = re.search(r"a pass costs (\d+\.\d) ms here \(measured over (\d+)\)", told.text)
    assert match is not None, told.text
    assert float(match[1]) > 0.0
    assert int(match[2]) >= ENOUGH_PASSES
    listed = one.wait(model.BreakpointsChanged).breakpoints
    assert [b.asked for b in listed] == ["Filter"], "what counted is neither listed nor left"
    assert "a pass costs" in listed[0].note
    assert one.wait(model.StateChanged, lambda e: e.state == "running", SECONDS)
    assert COUNTER not in one.console("breakpoints")
