from __future__ import annotations

from schedtui.debugger.model import Breakpoint, Frame, Goroutine, Stop, Variable
from schedtui.ui.widgets.debugger_rows import (
    breakpoint_mark,
    breakpoint_rows,
    goroutine_rows,
    stack_rows,
    variable_rows,
)

SCHEDULE_ONE = "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).ScheduleOne"


def test_the_stack_marks_the_selected_frame() -> None:
    frames = (
        Frame(0, SCHEDULE_ONE, "/src/pkg/scheduler/schedule_one.go", 67),
        Frame(1, "main.main", "/src/main.go", 9),
    )
    rows = stack_rows(Stop("breakpoint", "", frames=frames, selected_frame=1))
    assert rows[0].text == "   0 scheduler.(*Scheduler).ScheduleOne  scheduler/schedule_one.go:67"
    assert rows[1].text.startswith("▶  1 main.main")


def test_the_selected_frame_shows_its_arguments() -> None:
    frames = (Frame(0, SCHEDULE_ONE, "/src/pkg/scheduler/schedule_one.go", 67), Frame(1, "main.main", "", 0))
    argument = Variable("ctx", "context.Context", "context.Background")
    rows = stack_rows(Stop("breakpoint", "", frames=frames, selected_frame=0, arguments=(argument,)))
    assert rows[1].text == "       ctx context.Context = context.Background"
    assert rows[2].text.strip() == "1 main.main"


def test_a_frame_without_a_place_says_only_its_name() -> None:
    assert stack_rows(Stop("entry", "", frames=(Frame(0, "?", "?", -1),)))[0].text == "▶  0 ?"


def test_no_stop_no_stack() -> None:
    assert stack_rows(None) == []


def test_variables_open_and_long_ones_say_so() -> None:
    name = Variable("Name", "string", '"web-0"', kind="string")
    pod = Variable(
        "pod", "*k8s.io/api/core/v1.Pod", "{…}", kind="ptr", expression="pod", children=(name,), has_more=True
    )
    closed = variable_rows((pod,), frozenset(), {})
    assert [item.text for item in closed] == ["▸ pod *v1.Pod = {…}"]
    opened = variable_rows((pod,), frozenset({"/pod"}), {})
    assert [item.text.rstrip() for item in opened] == [
        "▾ pod *v1.Pod = {…}", '    Name string = "web-0"', "    … 1 shown; v loads more",
    ]  # fmt: skip


def test_changed_and_unreadable_values_are_seen_without_colour() -> None:
    rows = variable_rows(
        (Variable("err", "error", "nil", changed=True), Variable("x", "int", "", unreadable="optimised away")),
        frozenset(), {},
    )  # fmt: skip
    assert rows[0].text == "  *err error = nil"
    assert rows[1].text == "  x int = unreadable: optimised away"


def test_a_value_that_was_loaded_later_is_shown() -> None:
    closed = Variable("m", "map[string]int", "", kind="map", expression="m", has_more=True)
    full = Variable("m", "map[string]int", "", kind="map", expression="m", children=(Variable("a", "int", "1"),))
    rows = variable_rows((closed,), frozenset({"/m"}), {"m": full})
    assert [item.text.strip() for item in rows] == ["▾ m map[string]int", "a int = 1"]


def test_breakpoint_signs_differ_without_colour() -> None:
    signs = {
        breakpoint_mark(item).sign
        for item in (
            Breakpoint(1, "x"), Breakpoint(1, "x", enabled=False), Breakpoint(1, "x", condition="a == 1"),
            Breakpoint(1, "x", suspended=True), Breakpoint(1, "x", tracepoint=True),
        )
    }  # fmt: skip
    assert len(signs) == 5


def test_breakpoints_of_dlv_itself_are_left_out() -> None:
    rows = breakpoint_rows((
        Breakpoint(-1, "unrecovered-panic"),
        Breakpoint(1, SCHEDULE_ONE, "/src/pkg/scheduler/schedule_one.go", 67, SCHEDULE_ONE, hit_count=3),
    ))  # fmt: skip
    assert len(rows) == 1
    assert rows[0].text == "●  1 scheduler.(*Scheduler).ScheduleOne  scheduler/schedule_one.go:67  3 hits"


def test_goroutines_are_grouped_by_role_with_the_unknown_last() -> None:
    rows = goroutine_rows(
        (
            Goroutine(1, "main.main", "/m.go", 1),
            Goroutine(230, SCHEDULE_ONE, "/s.go", 67, role="scheduling loop", selected=True),
        ),
        900,
    )
    texts = [item.text for item in rows]
    assert texts[0] == "scheduling loop (1)"
    assert texts[1].startswith("▶   230 scheduler.(*Scheduler).ScheduleOne")
    assert texts[2] == "other (1)"
    assert texts[-1] == "… 898 more"
