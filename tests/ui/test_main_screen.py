from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from textual import events

from schedtui.core.errors import SchedtuiError
from schedtui.core.queue_state import POD_STATES, PodRow, QueueSnapshot
from schedtui.core.source_text import SourceText
from schedtui.core.story_text import StoryLine
from schedtui.debugger import model
from schedtui.ui import messages
from schedtui.ui.screens.overlays import ChooserScreen
from schedtui.ui.screens.progress import ProgressScreen
from schedtui.ui.themes import load_themes
from schedtui.ui.widgets.rows import row
from tests.ui.stage import BREAKPOINT, SCHEDULE_ONE, SOURCE, STOP, WishingApp, report, screen_text, stopped

if TYPE_CHECKING:
    from textual.pilot import Pilot


def queue_of(*pods: PodRow) -> QueueSnapshot:
    counts = dict.fromkeys(POD_STATES, 0)
    for item in pods:
        counts[item.state] += 1
    return QueueSnapshot("1.36", 1, 1_000_000, counts, pods, "exact")


POD = PodRow("default/web-3", "unschedulable", 0, 2, True, plugins=("NodeResourcesFit",))


async def test_c46_at_80x24_one_pane_is_large_and_the_others_are_one_line() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        lines = screen_text(pilot)
        assert len(lines) == 24
        assert lines[0].startswith("▾ debugger")
        assert lines[20].startswith("▸ queue  active 0 backoff 0 unsched. 0 · bound 0")
        assert lines[21].startswith("▸ log")
        assert lines[23].startswith("? help  q quit  c continue  b s ScheduleOne")


async def test_wide_terminals_show_all_panes() -> None:
    app = WishingApp()
    async with app.run_test(size=(160, 50)) as pilot:
        await stopped(pilot)
        text = "\n".join(screen_text(pilot))
        assert "▾ debugger" in text and "▾ queue" in text and "▾ log" in text


@pytest.mark.parametrize("theme", sorted(load_themes().palettes))
async def test_c43_every_theme_paints_the_same_words(theme: str) -> None:
    app = WishingApp(theme=theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        assert screen_text(pilot)[0].startswith("▾ debugger  stopped")


async def test_a_stop_is_painted_at_once_however_slow_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        hurried: list[str] = []
        monkeypatch.setattr(app.frames, "hurry", lambda: hurried.append("asked"))
        await report(pilot, model.BreakpointsChanged((BREAKPOINT,)))
        assert not hurried
        await report(pilot, model.StateChanged("running"))
        await report(pilot, model.Stopped(STOP), source=SOURCE)
        assert len(hurried) == 2


async def test_the_next_theme_is_a_key_away() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("comma", "t")
        await pilot.pause()
        assert app.wishes == [messages.CommandRequested("theme", "next")]
        app.use_theme("light")
        await pilot.pause()
        assert app.palette.name == app.theme == "light"


async def test_tab_walks_and_z_zooms() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("tab")
        assert app.main.active_pane == "queue"
        await pilot.press("z")
        await pilot.pause()
        assert sum(line.startswith(("▸", "▾")) for line in screen_text(pilot)) == 1
        await pilot.press("z", "shift+tab")
        assert app.main.active_pane == "debugger"


@pytest.mark.parametrize(
    "odd", [{"pane": "x", "debugger": "x", "queue": "x", "level": "x", "line": "x"},
            {"level": "-1", "line": "²"}, {"level": "9" * 5000, "line": "9" * 5000}],
)  # fmt: skip
async def test_a_remembered_screen_that_does_not_fit_is_passed_over(odd: dict[str, str]) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        before = {**app.main.remembered_screen(), "line": ""}
        app.main.post_message(messages.ScreenRemembered(odd))
        await pilot.pause()
        assert {**app.main.remembered_screen(), "line": ""} == before
        app.main.post_message(messages.ScreenRemembered({"pane": "queue", "queue": "nodes", "level": "4"}))
        await pilot.pause()
        after = app.main.remembered_screen()
        assert (after["pane"], after["queue"], after["level"]) == ("queue", "nodes", "4")


@pytest.mark.parametrize("pane", ["debugger", "queue", "log"])
async def test_breakpoints_and_continue_work_in_every_pane(pane: str) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.main.go_to(pane)
        await pilot.press("b", "s", "b", "p", "c", "f5", "f10", "f11")
        await pilot.pause()
        assert app.commands() == [
            model.SetBreakpoint("ScheduleOne"), model.SetBreakpoint("Pop"), model.Continue(), model.Continue(),
            model.Step("next"), model.Step("step"),
        ]  # fmt: skip


async def test_letters_of_the_debugger_pane() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("n", "s", "o", "i", "r", "u", "d")
        await pilot.pause()
        assert app.commands() == [
            model.Step("next"), model.Step("step"), model.Step("stepout"), model.Interrupt(), model.Restart(),
            model.SelectFrame(1), model.SelectFrame(0),
        ]  # fmt: skip


async def test_frame_keys_typed_before_the_answer_go_on_from_what_was_asked() -> None:
    app = WishingApp()
    deep = replace(STOP, frames=(*STOP.frames, *(model.Frame(number, "wait.Until", "", 1) for number in (2, 3))))
    async with app.run_test(size=(80, 24)) as pilot:
        await report(pilot, model.Stopped(deep), source=SOURCE)
        await pilot.press("u", "u", "u")
        await report(pilot, model.Stopped(replace(deep, selected_frame=1)))
        await pilot.press("d")
        asked = [command.index for command in app.commands() if isinstance(command, model.SelectFrame)]
        assert asked == [1, 2, 3, 2]
        # Another stop begins at its own frame.
        await report(pilot, model.Stopped(replace(deep, at=200.0)))
        await pilot.press("u")
        assert app.commands()[-1] == model.SelectFrame(1)


async def test_a_pending_leader_shows_its_choices_and_escape_ends_it() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("b")
        await pilot.pause()
        row = screen_text(pilot)[-1]
        assert row.startswith("b breakpoint… s ScheduleOne")
        assert row.endswith("…") and len(row) <= 80, "there are more than fit"
        await pilot.press("escape", "s")
        await pilot.pause()
        assert app.commands() == [model.Step("step")]


async def test_c42_text_inputs_keep_their_letters_and_escape_leaves() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("`", *"bscq")
        await pilot.pause()
        assert app.main.pane("debugger").console.input.value == "bscq"
        assert app.wishes == []
        await pilot.press("escape", "c")
        await pilot.pause()
        assert app.commands() == [model.Continue()]


async def test_the_console_sends_lines_keeps_history_and_never_an_empty_one() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("`", *"stack", "enter", "enter", "up")
        await pilot.pause()
        assert app.commands() == [model.Console("stack")]
        assert app.main.pane("debugger").console.input.value == "stack"


async def test_the_console_cuts_nothing_that_is_said_to_the_user() -> None:
    app = WishingApp()
    moved = "ScheduleOne is scheduler.(*Scheduler).ScheduleOne here: it lives in pkg/scheduler/schedule_one.go"
    answer = "Breakpoint 1 set at 0x23f2036 for k8s.io/kubernetes/pkg/scheduler.(*Scheduler).ScheduleOne() here"
    async with app.run_test(size=(80, 24)) as pilot:
        app.main.post_message(messages.DebuggerReported(model.ConsoleOutput(moved, "note")))
        app.main.post_message(messages.DebuggerReported(model.ConsoleOutput(answer, "output")))
        await pilot.pause()
        text = "\n".join(screen_text(pilot))
        assert "schedule_one.go" in text and "ScheduleOne() here" not in text
        await pilot.press("`")
        await pilot.pause()
        text = "\n".join(screen_text(pilot))
        assert "ScheduleOne() here" in text and "Esc back to the pane" in text
        for number in range(40):
            app.main.post_message(messages.DebuggerReported(model.ConsoleOutput(f"line {number}", "output")))
        await pilot.pause()
        assert "Breakpoint 1 set" not in "\n".join(screen_text(pilot))
        await pilot.press(*["pageup"] * 5)
        await pilot.pause()
        assert "Breakpoint 1 set" in "\n".join(screen_text(pilot))
        await pilot.press("escape")
        await pilot.pause()
        assert "b s ScheduleOne" in "\n".join(screen_text(pilot))


@pytest.mark.parametrize(
    "answer",
    [
        model.BreakpointsChanged(()),
        model.ConsoleOutput("breakpoint 1 is there already", "note"),
        model.Failed("no such place", details=("scheduleTwo",)),
    ],
)
async def test_a_breakpoint_that_takes_its_time_is_said_to_be_under_way(answer: model.Event) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("b", "s")
        app.main._show_setting()
        await pilot.pause()
        assert screen_text(pilot)[-1].startswith("Setting a breakpoint: ScheduleOne …")
        await report(pilot, answer)
        assert not screen_text(pilot)[-1].startswith("Setting")
        app.main._show_setting()
        await pilot.pause()
        assert not screen_text(pilot)[-1].startswith("Setting")


@pytest.mark.parametrize("word", ["exit", "quit", "q"])
async def test_leaving_dlv_is_asked_about_like_the_key(word: str) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("`", *word, "enter")
        await pilot.pause()
        assert app.commands() == []
        assert app.wishes == [messages.QuitRequested()]


async def test_the_source_is_read_to_the_end_of_its_lines() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("G", ")", ")")
        await pilot.pause()
        assert "next pod" in "\n".join(screen_text(pilot))
        await pilot.press("(", "(")
        await pilot.pause()
        assert "HandleErrorWithLogger(logger" in "\n".join(screen_text(pilot))


async def test_what_was_said_at_the_entry_goes_when_it_runs() -> None:
    app = WishingApp()
    entry = SourceText("", reason="The scheduler stands at its entry.")
    stop = model.Stop("entry", "at the program's entry", frames=(model.Frame(0, "", "", 0),))
    async with app.run_test(size=(80, 24)) as pilot:
        await report(pilot, model.Stopped(stop), source=entry)
        assert "stands at its entry." in "\n".join(screen_text(pilot))
        await report(pilot, model.StateChanged("running"))
        text = "\n".join(screen_text(pilot))
        assert "stands at its entry." not in text and "it comes up where the scheduler stops" in text


async def test_the_selected_frame_is_in_sight() -> None:
    app = WishingApp()
    frames = tuple(model.Frame(number, SCHEDULE_ONE, SOURCE.path, 4) for number in range(30))
    arguments = tuple(model.Variable(f"a{number}", "int", "1", "int", f"a{number}") for number in range(20))
    async with app.run_test(size=(80, 24)) as pilot:
        await report(pilot, model.Stopped(replace(STOP, frames=frames, arguments=arguments)), source=SOURCE)
        await pilot.press("t", "s", "G")
        for frame in (12, 11, 0):
            stop = replace(STOP, frames=frames, arguments=arguments, selected_frame=frame)
            await report(pilot, model.Stopped(stop), source=SOURCE)
            assert f"▶{frame:>3} " in "\n".join(screen_text(pilot))


async def test_a_stop_shows_source_stack_and_arguments() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        text = "\n".join(screen_text(pilot))
        assert "●  4▶func (sched *Scheduler) ScheduleOne(ctx context.Context) {" in text
        assert "▶  0 scheduler.(*Scheduler).ScheduleOne" in text
        await pilot.press("G")
        await pilot.pause()
        assert "V3 x214" in "\n".join(screen_text(pilot))
        await pilot.press("t", "l")
        await pilot.pause()
        assert "▸ sched *scheduler.Scheduler" in "\n".join(screen_text(pilot))


async def test_opening_a_value_loads_it() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("t", "l", "j", "enter")
        await pilot.pause()
        assert app.commands() == [model.Evaluate("sched", 1, False)]
        loaded = model.Variable("sched", "*S", "{…}", "ptr", "sched", (model.Variable("Cache", "C", "{…}"),))
        await report(pilot, model.Evaluated(1, loaded))
        assert "Cache C = {…}" in "\n".join(screen_text(pilot))


async def test_a_breakpoint_is_toggled_at_the_cursor() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("f9", "j", "b", "l")
        await pilot.pause()
        assert app.commands() == [model.AmendBreakpoint(1, "clear"), model.SetBreakpoint(f"{SOURCE.path}:5")]


async def test_breakpoints_go_one_by_one_however_fast_the_key_is_pressed() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        three = tuple(replace(BREAKPOINT, id=number, line=number) for number in (1, 2, 3))
        await report(pilot, model.BreakpointsChanged(three))
        await pilot.press("t", "b", "g", "x", "x")
        await pilot.pause()
        assert app.commands() == [model.AmendBreakpoint(number, "clear") for number in (1, 2)]


async def test_enter_on_a_log_call_filters_the_log() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("G", "k", "enter")
        await pilot.pause()
        assert [wish.expression for wish in app.wishes if isinstance(wish, messages.LogFilterRequested)] == [
            "file:schedule_one.go:11"
        ]


async def test_ctrl_c_interrupts_and_never_quits() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.main.run_by_id("app.interrupt")
        await pilot.pause()
        assert app.commands() == [model.Interrupt()]


async def test_the_states_of_the_target_are_words() -> None:
    app = WishingApp()
    async with app.run_test(size=(100, 24)) as pilot:
        for state, word in (("building", "building"), ("starting", "starting"), ("running", "▶ running")):
            await report(pilot, model.StateChanged(state))  # type: ignore[arg-type]
            assert word in screen_text(pilot)[-2]


async def test_an_exit_names_its_cause_and_shows_the_last_lines() -> None:
    app = WishingApp()
    async with app.run_test(size=(100, 24)) as pilot:
        await report(pilot, model.StateChanged(
            "exited", exit_status=1, cause="lease lost while paused 31 s",
            last_output=('E0301 10:00:31.000200   41 server.go:242] "Leaderelection lost"',),
        ))  # fmt: skip
        text = "\n".join(screen_text(pilot))
        assert "The scheduler exited with status 1" in text
        assert "lease lost while paused 31 s" in text
        assert "Leaderelection lost" in text


async def test_failures_and_questions_are_shown() -> None:
    app = WishingApp()
    async with app.run_test(size=(100, 24)) as pilot:
        await report(pilot, model.Failed("no such location", "did you mean ScheduleOne?"))
        assert "no such location" in screen_text(pilot)[-1]
        await report(pilot, model.QuestionAsked("Set a suspended breakpoint [Y/n]?", ("y", "n"), "n"))
        await pilot.press("enter")
        await pilot.pause()
        assert app.commands() == [model.Answer("y")]


async def test_c40_text_of_dlv_is_literal() -> None:
    app = WishingApp()
    async with app.run_test(size=(100, 24)) as pilot:
        await report(pilot, model.ConsoleOutput("[/idx] [bold]\x1b[31mred"))
        assert "[/idx] [bold]␛[31mred" in "\n".join(screen_text(pilot))


async def test_the_queue_pane_shows_pods_and_wishes_for_their_story_log_and_breakpoint() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.main.post_message(messages.QueueFolded(queue_of(POD)))
        await pilot.press("comma", "q")
        await pilot.pause()
        assert "default/web-3" in "\n".join(screen_text(pilot))
        await pilot.press("enter", "l", "b", "P")
        await pilot.pause()
        assert [type(wish) for wish in app.wishes] == [
            messages.PodStoryRequested, messages.LogFilterRequested, messages.BreakOnPodRequested,
        ]  # fmt: skip


async def test_a_story_opens_its_tab() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        lines = (StoryLine("it waits"), StoryLine("life", "title"))
        app.main.post_message(messages.PodStoryTold("default/web-3", lines))
        await pilot.pause()
        text = "\n".join(screen_text(pilot))
        assert app.main.active_pane == "queue"
        assert "[pod story default/web-3]" in text and "it waits" in text


async def test_verbosity_is_asked_for_and_checked() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("V", "4", "enter", "V", *"77", "enter")
        await pilot.pause()
        assert [wish.v for wish in app.wishes if isinstance(wish, messages.VerbosityRequested)] == [4]
        assert "Not a level" in screen_text(pilot)[-1]


async def test_digits_filter_by_level_and_the_status_says_so() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await pilot.pause()
        assert app.main.pane("log").level == 4
        await pilot.press("]", "]", "]", "]", "]", "]", "]")
        assert app.main.pane("log").level == 10
        await pilot.press("[")
        assert app.main.pane("log").level == 9


async def test_help_lists_the_keys_of_the_focused_pane() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("?")
        await pilot.pause()
        text = "\n".join(screen_text(pilot))
        assert "Keys: debugger" in text and "Step over" in text
        await pilot.press("escape", "comma", "q", "?")
        await pilot.pause()
        assert "Keys: queue" in "\n".join(screen_text(pilot))


async def test_the_palette_runs_actions_and_typed_commands() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(":", *"print pod.Name", "enter")
        await pilot.pause()
        await pilot.press("ctrl+p", *"let the scheduler run", "enter")
        await pilot.pause()
        assert app.commands() == [model.Console("print pod.Name"), model.Continue()]


async def test_without_a_debugger_its_keys_say_so() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.main.active_pane == "log"
        await pilot.press("c")
        await pilot.pause()
        assert "there is no debugger here" in screen_text(pilot)[-1]
        assert app.wishes == []


@pytest.mark.parametrize("size", [(26, 8), (10, 3), (39, 24), (80, 9)])
async def test_c46_too_small_is_a_message(size: tuple[int, int]) -> None:
    app = WishingApp()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "too small" in " ".join("\n".join(screen_text(pilot)).split()) or size[1] < 4


async def test_c46_resizing_keeps_the_cursor() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("j", "j")
        for size in ((60, 15), (200, 50), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert app.main.pane("debugger").code.cursor == 5
        assert "podInfo, err" in "\n".join(screen_text(pilot))


async def burst(pilot: Pilot[int], keys: str) -> None:
    """Keys that arrive all at once, as from a slow line."""
    for character in keys:
        name = {"\r": "enter", "\x1b": "escape", "\b": "backspace"}.get(character)
        pilot.app.post_message(events.Key(name or character, None if name else character))
    for _ in range(20):
        await pilot.pause(0.02)


@pytest.mark.parametrize(
    ("keys", "command"),
    [
        (":print pod.Name\r", model.Console("print pod.Name")),
        ("pfoo.bar\r", model.Console("print foo.bar")),
        ("`stack\r", model.Console("stack")),
        ("`stask\b\bck\r", model.Console("stack")),
        (":prind\bt pod.Nane\b\bme\r", model.Console("print pod.Name")),
    ],
)
async def test_keys_typed_ahead_reach_the_input_they_are_meant_for(keys: str, command: model.Command) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, keys)
        assert app.commands() == [command]


async def test_lines_typed_to_dlv_in_one_burst_are_lines() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, "`locals\rargs\rstack")
        assert app.commands() == [model.Console("locals"), model.Console("args")]
        assert app.main.pane("debugger").console.input.value == "stack"


async def test_keys_typed_behind_an_answer_are_the_panes_again() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, "V4\rc")
        assert [type(wish) for wish in app.wishes] == [
            messages.VerbosityRequested,
            messages.DebuggerCommandRequested,
        ]
        assert app.commands() == [model.Continue()]


async def test_keys_typed_behind_help_reach_the_pane() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, "?\x1bc")
        assert app.commands() == [model.Continue()]


async def test_keys_typed_behind_a_palette_command_are_the_panes() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, ":print pod.Name\rc")
        assert app.commands() == [model.Console("print pod.Name"), model.Continue()]


async def test_keys_typed_behind_a_given_up_palette_are_the_panes() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, ":print pod.Name\x1bc")
        assert app.commands() == [model.Continue()]


async def test_the_words_a_palette_command_asks_for_may_be_typed_at_once() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, ":print\rpod.Name\rc")
        assert app.commands() == [model.Console("print pod.Name"), model.Continue()]


@pytest.mark.parametrize("keys", [":\r\r", ":print x\r\r\r", ":\x1b\x1b\x1b", ":help\r\x1b\x1b", "?\x1b\x1b\x1b"])
async def test_an_overlay_that_is_left_twice_takes_no_other_screen_with_it(keys: str) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, keys)
        assert app.main in app.screen_stack
        assert any(screen_text(pilot))


async def test_a_chooser_where_nothing_matches_goes_on_with_its_line() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        chosen: list[object] = []
        rows = [row("alpha", payload="alpha"), row("beta", payload="beta")]
        await app.push_screen(ChooserScreen("Choose", rows), chosen.append)
        await burst(pilot, "zz\r")
        assert chosen == [] and isinstance(app.screen, ChooserScreen)
        await pilot.press("backspace", "backspace")
        await burst(pilot, "be\r")
        assert chosen == ["beta"]
        assert app.screen_stack[-1] == app.main


class PreparingApp(WishingApp):
    """Shows how the preparation goes before the panes come."""

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        # The panes come later.
        event.prevent_default()
        self.progress = ProgressScreen("Building")
        self.push_screen(self.progress)

    def open_panes(self) -> None:
        self.main.begin_with(lambda: None, self.progress.kept)
        self.switch_screen(self.main)


async def test_keys_typed_while_it_builds_are_shown_and_are_the_panes() -> None:
    app = PreparingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, ":print pod.Name\rbsc")
        assert any("typed ahead" in line and "Enter b s c" in line for line in screen_text(pilot))
        assert not app.wishes
        app.open_panes()
        await burst(pilot, "n")
        assert app.commands() == [
            model.Console("print pod.Name"), model.SetBreakpoint("ScheduleOne"), model.Continue(),
            model.Step("next"),
        ]  # fmt: skip


async def test_keys_typed_ahead_are_forgotten_by_a_key_and_by_a_failure() -> None:
    app = PreparingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await burst(pilot, "bs\bc")
        assert app.progress.kept.names == ("c",)
        app.progress.post_message(messages.WorkFailed("prepare", SchedtuiError("it does not build")))
        await burst(pilot, "j")
        assert not app.progress.kept.take()
        await burst(pilot, "r")
        assert [type(wish) for wish in app.wishes] == [messages.CommandRequested]
