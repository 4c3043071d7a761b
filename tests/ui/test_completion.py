"""Completion in the console: commands, places, values, and what is typed behind a colon."""

from __future__ import annotations

import pytest

from schedtui.debugger.model import Variable
from schedtui.ui.widgets.completion import Words, complete

META = Variable("ObjectMeta", "v1.ObjectMeta", "", "struct", children=(Variable("Name", "string", '"web"'),))
POD = Variable("pod", "*v1.Pod", "", "ptr", children=(Variable("", "v1.Pod", "", "struct", children=(META,)),))
WORDS = Words(
    stations=("ScheduleOne", "SchedulePod", "Score"),
    functions=("k8s.io/x/pkg/scheduler.(*Scheduler).Run",),
    variables=(POD, Variable("podInfo", "string", "")),
    commands=("bundle", "load"),
)


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("bre", ("break", "breakpoints")),
        ("break ScheduleO", ("ScheduleOne",)),
        ("b sched", ("ScheduleOne", "SchedulePod", "k8s.io/x/pkg/scheduler.(*Scheduler).Run")),
        ("trace Sco", ("Score",)),
        ("print po", ("pod", "podInfo")),
        ("p pod.Obj", ("pod.ObjectMeta",)),
        ("p pod.ObjectMeta.", ("pod.ObjectMeta.Name",)),
        ("p len(pod.ObjectMeta.N", ("pod.ObjectMeta.Name",)),
        ("p nothing.at.all", ()),
        ("help conf", ("config",)),
        (":lo", ("load",)),
        (":Sc", ("ScheduleOne", "SchedulePod", "Score")),
        ("nonsense wo", ()),
        ("clear 1", ()),
    ],
)
def test_candidates(line: str, candidates: tuple[str, ...]) -> None:
    assert complete(line, WORDS).candidates == candidates


def test_what_is_common_and_where_the_word_begins() -> None:
    found = complete("break Sched", WORDS)
    assert (found.start, found.common) == (6, "Schedule")
    assert complete("p len(pod.ObjectMeta.N", WORDS).start == len("p len(")


def test_dlv_is_asked_for_functions_only_where_a_place_is_wanted() -> None:
    assert complete("break Run", WORDS).wants_functions == "Run"
    assert complete("break Ru", WORDS).wants_functions == ""
    assert complete("print Run", WORDS).wants_functions == ""


def test_help_goes_along() -> None:
    assert complete("cond 1 x", Words()).help.startswith("condition NUMBER EXPRESSION")
    assert complete("so", Words()).help.startswith("stepout ")
