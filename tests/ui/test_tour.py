"""The guided tour: its steps as data, its fold, and its strip on the screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from schedtui.core.source_text import SourceText
from schedtui.core.story_text import StoryLine
from schedtui.debugger import model
from schedtui.ui import messages
from schedtui.ui.key_table import KeyTable, table_for
from schedtui.ui.keys import PRESETS
from schedtui.ui.screens.guided import GuidedScreen
from schedtui.ui.tour import STEPS, Tour, TourFacts
from schedtui.ui.widgets.tour_strip import TourStrip
from tests.ui.stage import BREAKPOINT, SOURCE, STOP, WishingApp, report, screen_text

if TYPE_CHECKING:
    from textual.pilot import Pilot

WITH_POD = replace(STOP, reason="step", pod="default/web-1")


class GuidedApp(WishingApp):
    """The same with a guided main screen."""

    screen_class = GuidedScreen

    @property
    def guided(self) -> GuidedScreen:
        assert isinstance(self.main, GuidedScreen)
        return self.main


def hint_rows(pilot: Pilot[int]) -> list[str]:
    """The two rows above status line and keys; empty when nobody is guided."""
    lines = screen_text(pilot)[-4:-2]
    return [line.strip() for line in lines] if lines[0].startswith(" tour ") else []


@pytest.mark.parametrize("preset", ["", *PRESETS])
def test_every_hint_fits_an_80_column_terminal(preset: str) -> None:
    strip = TourStrip(table_for(preset or None))
    tour = Tour()
    while (hint := tour.hint()) is not None:
        strip.hint = hint
        for spans in strip.rows():
            text = "".join(part for part, _ in spans)
            assert cell_len(text) <= 80, text
            assert "{" not in text
        tour.skip()


def test_every_step_has_a_key() -> None:
    keys = KeyTable()
    assert all(keys.shown_key(step.action) for step in STEPS)


def test_what_is_done_already_is_not_asked_for() -> None:
    tour = Tour()
    tour.know(TourFacts("stopped", "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).scheduleOne", "",
                        ("scheduler.(*Scheduler).scheduleOne",), "debugger"))  # fmt: skip
    hint = tour.hint()
    assert hint is not None
    assert hint.action == "debugger.next"


def test_what_was_done_for_one_step_does_not_count_for_the_next() -> None:
    tour = Tour()
    tour.happen("debug.continue")
    while (hint := tour.hint()) is not None and hint.count != "10/11":
        tour.skip()
    assert hint is not None
    tour.happen("debug.continue")
    hint = tour.hint()
    assert hint is not None
    assert hint.action == "app.quit"


def test_a_scheduler_that_ended_is_started_anew_first() -> None:
    tour = Tour()
    tour.skip()
    tour.know(TourFacts("exited"))
    hint = tour.hint()
    assert hint is not None
    assert (hint.count, hint.action) == ("2/11", "debugger.restart")
    tour.know(TourFacts("stopped"))
    hint = tour.hint()
    assert hint is not None
    assert hint.action == "debug.continue"


@pytest.mark.parametrize(
    "other",
    [
        replace(BREAKPOINT, condition='podInfo.PodInfo.Pod.ObjectMeta.Name == "web-1"'),
        replace(BREAKPOINT, enabled=False),
        replace(BREAKPOINT, location="x", function="k8s.io/kubernetes/pkg/scheduler.(*Scheduler).scheduleOnePod"),
    ],
)
async def test_a_kept_breakpoint_that_stops_elsewhere_is_not_the_first_step(other: model.Breakpoint) -> None:
    app = GuidedApp()
    app.guided.begin_tour()
    async with app.run_test(size=(80, 24)) as pilot:
        await report(pilot, model.BreakpointsChanged((other,)))
        assert hint_rows(pilot)[0].startswith("tour 1/11")


async def test_it_leads_from_the_entry_to_quitting() -> None:
    app = GuidedApp()
    app.guided.begin_tour()
    async with app.run_test(size=(80, 24)) as pilot:
        await report(
            pilot, model.Stopped(model.Stop("entry", "at its entry")), source=SourceText("", reason="entry")
        )
        assert hint_rows(pilot)[0].startswith("tour 1/11  b s breaks on ScheduleOne")
        await pilot.press("b", "s")
        await report(pilot, model.BreakpointsChanged((BREAKPOINT,)))
        assert hint_rows(pilot)[0].startswith("tour 2/11  c lets it run")
        await pilot.press("c")
        await report(pilot, model.StateChanged("running"))
        assert hint_rows(pilot)[0].startswith("tour 2/11")
        await report(pilot, model.Stopped(STOP), source=SOURCE)
        assert hint_rows(pilot)[0].startswith("tour 3/11  n steps over")
        await pilot.press("n")
        await report(pilot, model.Stopped(WITH_POD), source=SOURCE)
        assert hint_rows(pilot)[0].startswith("tour 4/11  p prints a value")
        await pilot.press("p", *"pod.Name", "enter")
        await pilot.pause()
        assert hint_rows(pilot)[0].startswith("tour 4/11"), "that expression does not exist there"
        await pilot.press("p", *"podInfo.Pod.Name", "enter")
        await pilot.pause()
        assert hint_rows(pilot)[0].startswith("tour 5/11  , q goes to the queues")
        await pilot.press("comma", "q")
        await pilot.pause()
        assert hint_rows(pilot) == [
            "tour 6/11  Enter tells the story of the pod under the cursor, line by line",
            "j and k move the cursor, Esc leads back to the queues",
        ]
        app.main.post_message(messages.PodStoryTold("default/web-1", (StoryLine("added"),)))
        await pilot.pause()
        assert hint_rows(pilot)[0].startswith("tour 7/11  , l goes to the log")
        await pilot.press("comma", "l", "2")
        await pilot.pause()
        assert hint_rows(pilot)[0].startswith("tour 9/11  . goes to the source line")
        app.main.post_message(messages.SourceOpened(SOURCE, 4))
        await pilot.pause()
        assert hint_rows(pilot)[0].startswith("tour 10/11  c lets it go on")
        await pilot.press("c")
        await pilot.pause()
        assert hint_rows(pilot)[0].startswith("tour 11/11  q ends the tour")
        await pilot.press("q")
        await pilot.pause()
        assert hint_rows(pilot) == []


async def test_it_is_begun_and_ended_by_name_and_key() -> None:
    app = GuidedApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await report(pilot, model.BreakpointsChanged((BREAKPOINT,)), model.StateChanged("running"))
        assert hint_rows(pilot) == []
        await pilot.press("comma", "g")
        await pilot.pause()
        assert hint_rows(pilot)[0].startswith("tour 2/11"), "the breakpoint is there already"
        await pilot.press("comma", "g")
        await pilot.pause()
        assert hint_rows(pilot)[0].startswith("tour 3/11")
        app.guided.run_command("tour", "end")
        await pilot.pause()
        assert hint_rows(pilot) == []
        assert screen_text(pilot)[-1].startswith("The tour is over")
        app.guided.run_command("tour", "backwards")
        await pilot.pause()
        assert screen_text(pilot)[-1].startswith("tour backwards: 'next' goes on")


async def test_a_log_alone_has_no_tour() -> None:
    app = GuidedApp(debugger=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.guided.run_command("tour", "")
        await pilot.pause()
        assert hint_rows(pilot) == []
        assert screen_text(pilot)[-1].startswith("The tour needs a scheduler under dlv")
