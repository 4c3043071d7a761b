"""The queue pane by what it shows: countdowns, comparisons, waits, nodes; and its ways into the log."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from schedtui.core.placements import NodePlacement
from schedtui.core.queue_state import POD_STATES, PodRow, QueueSnapshot
from schedtui.core.story_text import StoryLine
from schedtui.ui import messages
from tests.ui.stage import WishingApp, screen_text

if TYPE_CHECKING:
    import pytest
    from textual.message import Message
    from textual.pilot import Pilot

SECOND = 1_000_000
WAITING = PodRow(
    "default/web-1", "backoff", 97 * SECOND, 2, True, "ScheduleAttemptFailure", hint="Queue",
    plugins=("NodeResourcesFit",), backoff_until_us=109 * SECOND,
)  # fmt: skip
GROUP = PodRow("default/gang", "unschedulable", 90 * SECOND, 1, False, kind="podgroup", mark="never tried")
MEMBER = PodRow("default/gang-0", "unschedulable", 90 * SECOND, 0, True, place="pending")
STORY = (
    StoryLine("default/web-1 waits in backoffQ until its backoff ends; then it is tried again by the scheduler."),
    StoryLine("attempts", "title"),
    StoryLine("  #1 unschedulable", "bad", 120, "1.1"),
    StoryLine("  #2 unschedulable", "bad", 240, "1.2"),
)


def snapshot(*pods: PodRow, notices: tuple[str, ...] = ()) -> QueueSnapshot:
    counts = dict.fromkeys(POD_STATES, 0)
    for item in pods:
        counts[item.state] += 1
    return QueueSnapshot("1.36", 10, 100 * SECOND, counts, pods, "exact", {}, notices)


async def show(pilot: Pilot[int], *facts: Message) -> str:
    app = pilot.app
    assert isinstance(app, WishingApp)
    for fact in facts:
        app.main.post_message(fact)
    await pilot.pause()
    return "\n".join(screen_text(pilot))


async def open_queue(pilot: Pilot[int]) -> None:
    await pilot.press("comma", "q")
    await pilot.pause()


async def test_a_backoff_is_counted_down_while_the_log_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    app = WishingApp(debugger=False)
    # The clock stands: the machine may take any time over a frame.
    monkeypatch.setattr("schedtui.ui.widgets.queue_pane.time", SimpleNamespace(time=lambda: 1_000_000.0))
    async with app.run_test(size=(100, 24)) as pilot:
        await open_queue(pilot)
        offset = 100 * SECOND - 1_000_000 * SECOND
        text = await show(pilot, messages.QueueFolded(snapshot(WAITING), clock_offset_us=offset))
        assert "back in 9s" in text
        pane = app.main.pane("queue")
        pane._clock_offset_us = offset + 4 * SECOND
        pane._count_down()
        await pilot.pause()
        assert "back in 5s" in "\n".join(screen_text(pilot))


async def test_time_stands_still_in_a_log_that_nobody_writes() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(140, 24)) as pilot:
        await open_queue(pilot)
        text = await show(pilot, messages.QueueFolded(snapshot(WAITING)))
        assert "back in 9.0s" in text and "hint Queue" in text


async def test_groups_members_marks_and_guesses_are_told_in_letters() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_queue(pilot)
        taken = snapshot(GROUP, MEMBER, notices=("a restart", "lines lost"))
        text = await show(pilot, messages.QueueFolded(taken))
        assert re.search(r"U~default/gang \(group\) .*! never tried", text)
        assert "pending group" in text
        assert "lines lost (and 1 more: t m)" in text


async def test_the_schedulers_end_is_told_beside_what_is_guessed() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_queue(pilot)
        end = "line 9: the scheduler ended (Leaderelection lost)"
        taken = replace(snapshot(GROUP, notices=("lines lost", end)), ended=end, needs="--v=5 would show more")
        text = await show(pilot, messages.QueueFolded(taken))
        assert end in text
        assert "guessed in part: --v=5" in text
        text = await show(pilot, messages.QueueFolded(replace(taken, needs="exact")))
        assert end in text and "lines lost" in text
        text = await show(pilot, messages.QueueFolded(snapshot(GROUP)))
        assert "ended" not in text


async def test_a_stop_in_the_debugger_is_told_once_and_not_for_every_pod() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_queue(pilot)
        waiting = snapshot(replace(WAITING, state="active", certain=True, backoff_until_us=None))
        text = await show(pilot, messages.QueueFolded(waiting))
        assert "stopped" not in text
        app.main.pane("queue").show_stopped(True)
        await pilot.pause()
        text = "\n".join(screen_text(pilot))
        assert text.count("stopped in the debugger, so a pod in activeQ waits: c continues") == 1
        app.main.pane("queue").show_stopped(False)
        await pilot.pause()
        assert "stopped" not in "\n".join(screen_text(pilot))


async def test_long_lines_of_a_story_are_wrapped() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(60, 24)) as pilot:
        await open_queue(pilot)
        text = await show(pilot, messages.PodStoryTold("default/web-1", STORY))
        assert "scheduler." in text


async def test_two_attempts_are_compared_and_enter_goes_to_the_log() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(120, 24)) as pilot:
        await open_queue(pilot)
        await show(pilot, messages.PodStoryTold("default/web-1", STORY))
        await pilot.press("j", "j", "m", "j", "m")
        await pilot.pause()
        wishes = [wish for wish in app.wishes if isinstance(wish, messages.AttemptsCompareRequested)]
        assert [(wish.left, wish.right) for wish in wishes] == [("1.1", "1.2")]
        await pilot.press("enter")
        await pilot.pause()
        assert app.main.active_pane == "log"


async def test_a_story_told_anew_leaves_another_one_alone() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(120, 24)) as pilot:
        await open_queue(pilot)
        other = messages.PodStoryTold("default/web-2", (StoryLine("another story"),), again=True)
        text = await show(pilot, messages.PodStoryTold("default/web-1", STORY), other)
        assert "another story" not in text


async def test_nodes_show_failures_and_preemptions_beside_the_bindings() -> None:
    app = WishingApp(debugger=False)
    placements = (
        NodePlacement("node-0", 3, 0.75, 2, 0, None),
        NodePlacement("node-1", 1, 0.25, 0, 1, None),
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await open_queue(pilot)
        await show(pilot, messages.QueueFolded(snapshot(), placements=placements))
        await pilot.press("t", "d")
        await pilot.pause()
        lines = screen_text(pilot)
        assert any(line.split()[:4] == ["bound", "failed", "preempted", "node"] for line in lines)
        assert any(line.split()[:3] == ["3", "2", "node-0"] for line in lines)
        assert any("4 in all" in line for line in lines)


async def test_waits_lead_to_the_pod_they_are_of() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_queue(pilot)
        slow = StoryLine("  default/slow-0   5.38 s", pod="default/slow-0", log_line=7)
        await show(pilot, messages.TimesCounted((StoryLine("slowest", "tab"), slow)))
        await pilot.press("t", "m", "j", "enter")
        await pilot.pause()
        told = [wish.pod for wish in app.wishes if isinstance(wish, messages.PodStoryRequested)]
        assert told == ["default/slow-0"]


async def test_a_filter_and_what_is_hidden_are_said() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_queue(pilot)
        await show(pilot, messages.QueueFolded(snapshot(WAITING)))
        await pilot.press("slash", *"cart", "enter")
        text = await show(pilot)
        assert "[queues /cart]" in text and "No pod here holds 'cart'" in text
        await pilot.press("escape", "a")
        text = await show(pilot)
        assert "[queues]" in text and "default/web-1" in text and "shown too: 0" in text
        await pilot.press("a")
        assert "hidden: 0" in await show(pilot)


async def test_beside_the_debugger_the_open_tab_and_whole_counts_are_seen() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await open_queue(pilot)
        many = replace(snapshot(WAITING), counts=dict.fromkeys(POD_STATES, 0) | {"bound": 12345, "binding": 7})
        await show(pilot, messages.QueueFolded(many), messages.PodStoryTold("default/a-rather-long-name-0", STORY))
        await pilot.press("t", "m")
        text = await show(pilot)
        assert "[times]" in text and "binding 7" in text and "bound 12345" in text
        assert "…" in text.splitlines()[0]
        await pilot.press("t", "s")
        text = await show(pilot)
        assert "[pod story default/a-rather-long-name-0] …" in text
        assert re.search(r"\bnod?e? ?$", text.splitlines()[1]) is None


async def test_rows_of_a_table_are_not_wrapped() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(60, 24)) as pilot:
        await open_queue(pilot)
        line = StoryLine("wait " + "9.05s " * 20 + "end", table=True)
        await show(pilot, messages.TimesCounted((line,)))
        await pilot.press("t", "m")
        text = await show(pilot)
        assert sum("9.05s" in row for row in text.splitlines()) == 1
