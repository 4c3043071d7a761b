"""The catalogue hit by hit, for one pod each, on the real schedulers of three releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schedtui.debugger import breakpoints, model
from schedtui.debugger.catalogue import own_catalogue
from schedtui.lab.running import ensure_lab
from tests.debugger.on_lab import SECONDS, make_pod, new_name, scheduler_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schedtui.lab.running import RunningLab
    from tests.debugger.conftest import Debuggee

pytestmark = [pytest.mark.lab, pytest.mark.dlv, pytest.mark.timeout(1200)]

FITS = (
    "Add", "MoveToActive", "Popped", "ScheduleOne", "SchedulePod", "SchedulingCycle", "PreFilter", "Filter", "Fit",
    "PreScore", "Score", "Reserve", "Permit", "BindingCycle", "PreBind", "Bind", "PostBind",
)  # fmt: skip
"""Stations that a pod which fits passes; asked for one pod, ScheduleOne is SchedulePod."""

FAILS = ("FitRejects", "PostFilter", "Failure", "Requeue")
"""Stations that a pod which fits nowhere passes."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("v1.29.0", marks=pytest.mark.needs_release("v1.29.0")),
        "v1.36.3",
        pytest.param("v1.37.2", marks=pytest.mark.needs_release("v1.37.2")),
    ],
)
def own_lab(request: pytest.FixtureRequest) -> Iterator[RunningLab]:
    running = ensure_lab(request.param, name=f"hits-{request.param}", scenario="first-steps")
    yield running
    running.close()


@pytest.fixture
def scheduler(own_lab: RunningLab, dlv_path: Path, tmp_path: Path) -> Iterator[Debuggee]:
    with scheduler_of(own_lab, dlv_path, tmp_path / "session") as one:
        yield one


def hit(one: Debuggee, lab: RunningLab, station: str, cpu: str) -> model.Stop:
    """Break on a station for a pod that does not exist yet, make the pod, and wait for the stop."""
    name = new_name(station.lower())
    one.ask(
        model.SetBreakpoint(station, pod=f"default/{name}"),
        model.BreakpointsChanged,
        lambda e: any(item.asked == station for item in e.breakpoints),
        SECONDS,
    )
    one.wait(model.StateChanged, lambda e: e.state == "running", SECONDS)
    make_pod(lab, name, cpu)
    stop = one.wait(model.Stopped, seconds=SECONDS).stop
    assert stop.reason == "breakpoint", (station, stop)
    if stop.pod:
        assert stop.pod == f"default/{name}", station
    return stop


def go_on(one: Debuggee, stop: model.Stop) -> None:
    one.ask(model.AmendBreakpoint(stop.breakpoint_id, "clear"), model.BreakpointsChanged)
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running", SECONDS)


def test_stations_are_hit_for_their_pod(scheduler: Debuggee, own_lab: RunningLab) -> None:
    one, catalogue = scheduler, own_catalogue()
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    for name in (*FITS, *FAILS):
        stop = hit(one, own_lab, name, "1m" if name in FITS else "5000")
        function = stop.frames[0].function
        found = breakpoints.stations_at(catalogue, function)
        wanted = "SchedulePod" if name == "ScheduleOne" else name
        assert wanted in [station.name for station, _ in found], (name, function)
        look = next(place.look for station, place in found if station.name == wanted)
        values = [one.ask(model.Evaluate(text, quiet=True), model.Evaluated).variable for text in look]
        assert any(not value.unreadable for value in values), (name, values)
        if name == "FitRejects":
            assert values[0].view[0].startswith("cpu         Insufficient cpu: asks 5000000m")
            assert any(line.startswith("cpu         [") for line in values[1].view)
        go_on(one, stop)


def test_the_queue_is_read_from_memory_wherever_it_stands(scheduler: Debuggee, own_lab: RunningLab) -> None:
    one = scheduler
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    for station in ("SchedulePod", "Bind"):
        stop = hit(one, own_lab, station, "1m")
        read = one.ask(model.ReadQueue(), model.QueueRead, seconds=SECONDS)
        assert [line.split()[0] for line in read.lines][:2] == ["activeQ", "backoffQ"]
        again = one.ask(model.ListGoroutines(20_000), model.GoroutinesListed, seconds=SECONDS)
        assert [item.id for item in again.goroutines if item.selected] == [stop.goroutine]
        go_on(one, stop)


def test_the_goroutine_that_binds_a_pod_is_found(scheduler: Debuggee, own_lab: RunningLab) -> None:
    one = scheduler
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    stop = hit(one, own_lab, "PreBind", "1m")
    loop = next(
        item.id
        for item in one.ask(model.ListGoroutines(20_000), model.GoroutinesListed, seconds=SECONDS).goroutines
        if item.role == "scheduling loop"
    )
    one.stop(model.SelectGoroutine(loop), SECONDS)
    found = one.stop(model.SelectPodGoroutine(stop.pod), SECONDS)
    assert found.goroutine == stop.goroutine
    assert found.pod == stop.pod


def test_the_loop_is_found_for_a_pod_whose_node_a_worker_filters(scheduler: Debuggee, own_lab: RunningLab) -> None:
    one = scheduler
    one.ask(model.Continue(), model.StateChanged, lambda e: e.state == "running")
    stop = hit(one, own_lab, "Fit", "1m")
    found = one.stop(model.SelectPodGoroutine(stop.pod), SECONDS)
    assert found.pod == stop.pod
    assert any("schedulingCycle" in frame.function or "chedulePod" in frame.function for frame in found.frames)
