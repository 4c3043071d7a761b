"""Where breakpoints lie: pure resolution, the catalogue, and keeping them over rebuilds."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.config.state import KeptBreakpoint
from schedtui.core.errors import WrongUse
from schedtui.core.go_source.functions import GoFunction, functions_in
from schedtui.debugger import breakpoints as resolving
from schedtui.debugger import console, model
from schedtui.debugger.catalogue import Place, Station, load_catalogue, own_catalogue
from schedtui.toolchain.go import find_go
from tests.debugger.conftest import PROGRAM, Debuggee

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEDULER = "k8s.io/kubernetes/pkg/scheduler"


@dataclass(frozen=True)
class TreePlace:
    path: Path
    location: str
    function: GoFunction


class Tree:
    """A source tree of a few files."""

    def __init__(self, root: Path, files: dict[str, str]) -> None:
        self.root = root
        self.files = files
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def functions_named(self, name: str) -> tuple[TreePlace, ...]:
        found = []
        for file in self.files:
            path = self.root / file
            package = f"k8s.io/kubernetes/{Path(file).parent.as_posix()}"
            for function in functions_in(path.read_bytes()):
                if function.name == name:
                    spelling = function.spelling[len(function.package) :]
                    found.append(TreePlace(path, package + spelling, function))
        return tuple(found)

    def file_path(self, name: str) -> Path | None:
        path = self.root / name
        return path if path.is_file() else None


OLD = {
    "pkg/scheduler/schedule_one.go": """package scheduler

func (sched *Scheduler) scheduleOne(ctx context.Context) {
	podInfo, err := sched.NextPod(logger)
	logger.V(4).Info("About to try and schedule pod", "pod", klog.KObj(pod))
}
""",
    "pkg/scheduler/internal/queue/scheduling_queue.go": """package queue

func (p *PriorityQueue) Pop(logger klog.Logger) (*framework.QueuedPodInfo, error) {
	pInfo.Attempts++
	return pInfo, nil
}
""",
}

NEW = {
    "pkg/scheduler/schedule_one.go": """package scheduler

func (sched *Scheduler) ScheduleOne(ctx context.Context) {
}

func (sched *Scheduler) scheduleOnePod(ctx context.Context, podInfo *framework.QueuedPodInfo) {
	logger.V(4).Info("About to try and schedule pod", "pod", klog.KObj(pod))
}
""",
    "pkg/scheduler/backend/queue/scheduling_queue.go": """package queue

func (p *PriorityQueue) Pop(logger klog.Logger) (framework.QueuedEntityInfo, error) {
	return p.activeQ.pop(logger)
}

func (p *PriorityQueue) moveToActiveQ(logger klog.Logger, entity framework.QueuedEntityInfo) bool {
	return true
}
""",
}


def station(name: str) -> Station:
    found = own_catalogue().find(name)
    assert found is not None
    return found


def test_the_documented_names_in_an_old_tree(tmp_path: Path) -> None:
    tree = Tree(tmp_path, OLD)
    one = resolving.resolve_in_source(station("ScheduleOne"), tree)
    assert (one.status, one.location, one.file, one.line) == (
        "moved",
        "scheduler.(*Scheduler).scheduleOne",
        "pkg/scheduler/schedule_one.go",
        3,
    )
    assert "not in pkg/scheduler/scheduler.go" in one.moved
    assert "called scheduleOne in this release" in one.moved
    pop = resolving.resolve_in_source(station("Pop"), tree)
    assert (pop.status, pop.moved) == ("ok", "")
    popped = resolving.resolve_in_source(station("Popped"), tree)
    assert popped.location == "pkg/scheduler/internal/queue/scheduling_queue.go:4"
    first = resolving.resolve_in_source(station("SchedulePod"), tree)
    assert first.location == "pkg/scheduler/schedule_one.go:5"


def test_the_documented_names_in_a_new_tree(tmp_path: Path) -> None:
    tree = Tree(tmp_path, NEW)
    one = resolving.resolve_in_source(station("ScheduleOne"), tree)
    assert one.moved == "it lives in pkg/scheduler/schedule_one.go, not in pkg/scheduler/scheduler.go"
    pop = resolving.resolve_in_source(station("Pop"), tree)
    assert (pop.status, pop.file) == ("moved", "pkg/scheduler/backend/queue/scheduling_queue.go")
    assert pop.moved == "it lives in pkg/scheduler/backend/queue, not in pkg/scheduler/internal/queue"
    first = resolving.resolve_in_source(station("SchedulePod"), tree)
    assert first.location == "scheduler.(*Scheduler).scheduleOnePod"
    moved = resolving.resolve_in_source(station("MoveToActive"), tree)
    assert moved.place is not None
    assert moved.place.pod == "entity.(data).PodInfo.Pod"
    gone = resolving.resolve_in_source(station("Bind"), tree)
    assert (gone.status, gone.location) == ("missing", "")
    assert "RunBindPlugins" in gone.moved


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("pkg/scheduler/scheduler.go:ScheduleOne", "ScheduleOne"),
        ("pkg/scheduler/scheduler.go:scheduleOne", "ScheduleOne"),
        ("scheduler.go:ScheduleOne", "ScheduleOne"),
        ("/home/me/kubernetes/pkg/scheduler/scheduler.go:ScheduleOne", "ScheduleOne"),
        ("pkg/scheduler/internal/queue/scheduling_queue.go:Pop", "Pop"),
        ("scheduling_queue.go:Pop", "Pop"),
        ("scheduleOne", "ScheduleOne"),
        ("Pop", "Pop"),
        ("RunFilterPlugins", "Filter"),
        ("other.go:Pop", None),
        ("main.go:12", None),
    ],
)
def test_documented_spellings_are_known(typed: str, name: str | None) -> None:
    found = own_catalogue().find(typed)
    assert (found.name if found else None) == name


def test_every_station_says_what_it_is_and_belongs_somewhere() -> None:
    catalogue = own_catalogue()
    assert set(catalogue.sets) == {"scheduling", "queue", "preemption", "binding"}
    for one in catalogue.stations:
        assert one.title
        assert one.place
        assert one.sets or one.hot
        if one.narrow:
            assert resolving.narrowed(one, catalogue).name == one.narrow
    assert {"PreFilter", "Filter", "Score", "Reserve", "Permit", "PreBind", "Bind"} <= {
        one.name for one in catalogue.stations
    }


def test_users_add_and_replace_stations(tmp_path: Path) -> None:
    file = tmp_path / "breakpoints.toml"
    file.write_text(
        '[[station]]\nname = "Mine"\ntitle = "mine"\n[[station.place]]\nfunction = "example.org/p.(*P).Score"\n'
    )
    catalogue = load_catalogue(file)
    mine = catalogue.find("Mine")
    assert mine is not None
    assert resolving.full_name(mine.place[0]) == "example.org/p.(*P).Score"
    assert catalogue.find("Pop")
    file.write_text('[[station]]\nnam = "Mine"\n')
    with pytest.raises(WrongUse, match="do not fit"):
        load_catalogue(file)
    assert load_catalogue(tmp_path / "none.toml") is own_catalogue()


def test_c22_a_name_of_several_types_is_a_choice() -> None:
    functions = ("main.(*Queue).Pop", "main.(*Stack).Pop")
    assert resolving.choose_function("Pop", functions) == ("", functions)
    queue = f"{SCHEDULER}/backend/queue.(*PriorityQueue).Pop"
    found = resolving.read_file_function("pkg/scheduler/backend/queue/x.go:Pop")
    assert found is not None
    assert resolving.choose_function(found, (queue, f"{SCHEDULER}/backend/heap.(*Heap).Pop")) == (queue, ())
    assert resolving.choose_function("scheduleOne", (f"{SCHEDULER}.(*Scheduler).ScheduleOne",))[0]


def test_conditions_name_the_pod_and_nothing_else() -> None:
    assert (
        resolving.pod_condition("pod", "shop/web-1")
        == 'pod.ObjectMeta.Name == "web-1" && pod.ObjectMeta.Namespace == "shop"'
    )
    assert resolving.pod_condition("pod", "web-1") == 'pod.ObjectMeta.Name == "web-1"'
    assert resolving.is_pod_name("shop/web-1.a")
    for bad in ('a" || true || "', "shop/", "/a", "a/b/c", "", "A/b", "a b"):
        assert not resolving.is_pod_name(bad)


@pytest.mark.parametrize(
    ("source", "expression"),
    [
        ("func (f *x) Filter(ctx context.Context, pod *v1.Pod, nodeInfo fwk.NodeInfo) {", "pod"),
        ("func (s *S) bind(podInfo *framework.QueuedPodInfo) {", "podInfo.PodInfo.Pod"),
        ("func (s *S) ScheduleOne(ctx) {\n\tpodInfo, err := sched.NextPod(logger)\n", "podInfo.PodInfo.Pod"),
        ("func (s *S) f(podInfo *framework.QueuedPodInfo) {\n\tpod := podInfo.Pod\n", "pod"),
        ("func (aq *q) move(entity framework.QueuedEntityInfo) {", "entity.(data).PodInfo.Pod"),
        ("func f() {", ""),
    ],
)
def test_how_a_function_names_its_pod(source: str, expression: str) -> None:
    assert resolving.pod_expression_in(source) == expression


@pytest.mark.parametrize(
    ("typed", "location", "condition", "name"),
    [
        ("main.tick", "main.tick", "", ""),
        ("main.go:12 if x > 3", "main.go:12", "x > 3", ""),
        ("mine main.tick if a == 1 && b", "main.tick", "a == 1 && b", "mine"),
        ("pkg/scheduler/scheduler.go:ScheduleOne", "pkg/scheduler/scheduler.go:ScheduleOne", "", ""),
    ],
)
def test_typed_breakpoints(typed: str, location: str, condition: str, name: str) -> None:
    asked = console.read_break(typed)
    assert (asked.location, asked.condition, asked.name) == (location, condition, name)


# --- in a real target -------------------------------------------------------------------------------------------


@pytest.mark.dlv
def test_an_ambiguous_name_offers_all_its_functions(debug: Callable[..., Debuggee]) -> None:
    one = debug("pods").start()
    # "Pop" alone is the catalogue's; this program has no scheduler in it.
    failed = one.ask(model.SetBreakpoint("Pop"), model.Failed)
    assert failed.title == "This program has no kube-scheduler in it"
    failed = one.ask(model.SetBreakpoint("main.go:Pop"), model.Failed)
    assert failed.details[1:] == ("main.(*Queue).Pop", "main.(*Stack).Pop")
    assert one.breakpoint("main.(*Queue).Pop").function == "main.(*Queue).Pop"


@pytest.mark.dlv
def test_c23_each_refusal_leads_to_a_next_step(debug: Callable[..., Debuggee]) -> None:
    one = debug("pods").start()
    told = one.ask(model.SetBreakpoint("main.go:13"), model.BreakpointsChanged, lambda e: bool(e.breakpoints))
    assert told.breakpoints[0].line > 13
    assert told.breakpoints[0].function
    assert told.kept[0].location == f"main.go:{told.breakpoints[0].line}"
    failed = one.ask(model.SetBreakpoint("main.tock"), model.Failed)
    assert failed.title == "There is no such function in this binary"
    failed = one.ask(model.SetBreakpoint("tic"), model.Failed)
    assert "main.tick" in failed.details
    one.breakpoint("main.pods")
    again = one.console("break main.pods")
    assert "is there already" in again
    one.fence()
    listed = [e for e in one.events if isinstance(e, model.BreakpointsChanged)][-1].breakpoints
    assert [b.function for b in listed].count("main.pods") == 1


@pytest.mark.dlv
def test_a_pod_breakpoint_at_any_function_with_a_pod(debug: Callable[..., Debuggee]) -> None:
    one = debug("pods").start()
    failed = one.ask(model.SetBreakpoint("main.tick", pod="shop/web-3"), model.Failed)
    assert failed.title == "It is not known how this place names its pod"
    failed = one.ask(model.SetBreakpoint("main.tick", pod='x" || true'), model.Failed)
    assert failed.title == "This is no pod's name"


@pytest.mark.dlv
def test_lines_that_moved_are_found_again_and_told(
    debug: Callable[..., Debuggee], dlv_path: Path, tmp_path: Path
) -> None:
    source = tmp_path / "program"
    source.mkdir()
    for name in ("go.mod", "main.go"):
        (source / name).write_bytes((PROGRAM / name).read_bytes())
    binary = tmp_path / "binary"

    def build() -> None:
        go = find_go()
        command = [str(go.path), "build", "-gcflags=all=-N -l", "-o", str(binary), "."]
        subprocess.run(command, cwd=source, check=True, env=go.environment())

    def line_of(text: str) -> int:
        lines = (source / "main.go").read_text().split("\n")
        return next(number for number, line in enumerate(lines, 1) if text in line)

    build()
    old = line_of("total += 1")
    one = debug("loop", target=str(binary)).start()
    place = f"{source}/main.go:{old}"
    one.breakpoint(place, condition="n == 2")
    kept = [e for e in one.events if isinstance(e, model.BreakpointsChanged)][-1].kept
    assert [(k.text, k.function, k.line) for k in kept] == [("total += 1", "main.tick", old)]
    text = (source / "main.go").read_text().replace("func tick(", "// One\n// more\n// comment\nfunc tick(")
    (source / "main.go").write_text(text)
    build()
    one.ask(model.Restart(), model.StateChanged, lambda e: e.state == "stopped")
    told = one.wait(model.BreakpointsChanged)
    assert [b.line for b in told.breakpoints] == [old + 3]
    assert any(f"has moved to line {old + 3}" in line for line in told.differences)
    stop = one.stop(model.Continue())
    assert (stop.frames[0].line, stop.frames[1].function) == (old + 3, "main.loop")
    (source / "main.go").write_text(text.replace("total += 1", "total++"))
    build()
    one.ask(model.Restart(), model.StateChanged, lambda e: e.state == "stopped")
    told = one.wait(model.BreakpointsChanged)
    assert [b.suspended for b in told.breakpoints] == [True]
    assert any("not set again" in line for line in told.differences)


@pytest.mark.dlv
def test_kept_breakpoints_come_back_in_a_new_session(debug: Callable[..., Debuggee]) -> None:
    kept = (
        KeptBreakpoint(location="main.tick", condition="n == 3"),
        KeptBreakpoint(location="main.pods", enabled=False),
        KeptBreakpoint(location="main.gone"),
    )
    one = debug("loop", kept=kept).start()
    told = [e for e in one.events if isinstance(e, model.BreakpointsChanged)][-1]
    assert [(b.asked, b.enabled, b.suspended) for b in told.breakpoints] == [
        ("main.tick", True, False),
        ("main.pods", False, False),
        ("main.gone", True, True),
    ]
    assert any("main.gone" in line for line in told.differences)
    assert one.stop(model.Continue()).arguments[0].value == "3"
    one.fence()
    pending = told.breakpoints[2].id
    left = one.ask(model.AmendBreakpoint(pending, "clear"), model.BreakpointsChanged)
    assert [k.location for k in left.kept] == ["main.tick", "main.pods"]


@pytest.mark.dlv
def test_what_is_typed_into_dlv_is_kept_too(debug: Callable[..., Debuggee]) -> None:
    one = debug("loop").start()
    one.console("trace main.tick")
    one.fence()
    told = [e for e in one.events if isinstance(e, model.BreakpointsChanged)][-1]
    assert [(b.function, b.tracepoint) for b in told.breakpoints] == [("main.tick", True)]
    assert [k.location for k in told.kept] == ["main.tick"]
    one.console("clearall")
    one.fence()
    told = [e for e in one.events if isinstance(e, model.BreakpointsChanged)][-1]
    assert told.kept == ()


def test_a_place_outside_kubernetes_keeps_its_own_path() -> None:
    assert resolving.full_name(Place("pkg/scheduler.(*S).F")) == f"{SCHEDULER}.(*S).F"
    assert resolving.full_name(Place("example.org/x.F")) == "example.org/x.F"
