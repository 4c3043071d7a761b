"""What the main screen says when something is wrong, told by facts as the services post them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from schedtui.core.build_state import BuildError, BuildState
from schedtui.core.exit_cause import ExitCause, with_own_checks
from schedtui.debugger import model
from schedtui.ui import messages
from schedtui.ui.screens.build import BuildScreen
from tests.ui.stage import SOURCE, STOP, WishingApp, report, screen_text, stopped

if TYPE_CHECKING:
    from textual.message import Message
    from textual.pilot import Pilot

LEASE_LINE = 'E0301 10:00:31.000200   41 server.go:242] "Leaderelection lost"'
LEASE_LOST = model.StateChanged(
    "exited", "the target ended with status 1", exit_status=1, run=1,
    cause="It lost its leader lease while paused 31 s in the debugger", cause_id="lease-lost",
    advice="Give it --leader-elect=false on a private cluster.", evidence=(LEASE_LINE,),
    last_output=("I0301 10:00:31.0 41 x.go:1] before", LEASE_LINE, "after"),
)  # fmt: skip
SILENT = model.StateChanged(
    "exited", "the target ended with status 1", exit_status=1, run=1, cause_id="unknown", last_output=("bye",)
)


async def tell(pilot: Pilot[int], *facts: Message) -> None:
    app = pilot.app
    assert isinstance(app, WishingApp)
    for fact in facts:
        app.main.post_message(fact)
    await pilot.pause()


def text_of(pilot: Pilot[int]) -> str:
    return "\n".join(screen_text(pilot))


async def test_c32_a_lost_lease_is_named_with_the_line_that_shows_it() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 30)) as pilot:
        await report(pilot, LEASE_LOST)
        lines = screen_text(pilot)
        assert lines[0].startswith("▾ The scheduler exited with status 1")
        assert lines[1] == LEASE_LOST.cause
        assert lines[2] == LEASE_LOST.advice
        assert f"  {LEASE_LINE}" in lines[3:6]
        await pilot.press("escape")
        await pilot.pause()
        assert "It lost its leader lease" in screen_text(pilot)[-2]


async def test_own_checks_decide_where_the_log_said_nothing() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 30)) as pilot:
        await report(pilot, SILENT)
        assert "names no cause" in text_of(pilot) or "name no cause" in text_of(pilot)
        assert "are being checked" in text_of(pilot)
        cause = with_own_checks(ExitCause("unknown", "", ""), (("config", "it is a Deployment"),))
        await tell(pilot, messages.ExitExplained(cause, 1))
        assert "the check 'config' fails: it is a Deployment" in text_of(pilot)
        assert "are being checked" not in text_of(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert "the check 'config' fails" in app.main.pane("debugger").console.transcript


async def test_checks_of_an_earlier_run_say_nothing_about_this_one() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 30)) as pilot:
        await report(pilot, SILENT)
        await tell(pilot, messages.ExitExplained(ExitCause("x", "another run's cause", ""), 7))
        assert "another run's cause" not in text_of(pilot)


async def test_an_exit_is_answered_by_a_key() -> None:
    for key, wish in (
        ("r", messages.DebuggerCommandRequested(model.Restart())),
        ("b", messages.RebuildRequested()),
        ("o", messages.CommandRequested("doctor")),
    ):
        app = WishingApp()
        async with app.run_test(size=(120, 30)) as pilot:
            await report(pilot, LEASE_LOST)
            await pilot.press(key)
            await pilot.pause()
            assert app.wishes[-1] == wish


async def test_a_new_run_takes_the_cause_away() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 30)) as pilot:
        await report(pilot, LEASE_LOST)
        await pilot.press("escape")
        await report(pilot, model.StateChanged("starting"))
        assert "lost its leader lease" not in screen_text(pilot)[-2]


async def test_an_end_in_good_order_opens_nothing() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 30)) as pilot:
        await report(
            pilot, model.StateChanged("exited", exit_status=0, cause_id="ended", last_output=("v1.36.3",))
        )
        assert app.screen is app.main


async def test_a_stall_stays_in_the_status_line_until_pods_are_tried() -> None:
    app = WishingApp()
    cause = ExitCause("waiting-for-lease", "It waits for the leader lease", "Start it with --leader-elect=false.")
    async with app.run_test(size=(120, 30)) as pilot:
        await report(pilot, model.StateChanged("running"))
        await tell(pilot, messages.StallExplained(cause))
        assert "It waits for the leader lease" in screen_text(pilot)[-2]
        assert "--leader-elect=false" in app.main.pane("debugger").console.transcript
        await report(pilot, model.StateChanged("running"))
        assert "It waits for the leader lease" in screen_text(pilot)[-2]
        await tell(pilot, messages.StallExplained(None))
        assert "It waits" not in screen_text(pilot)[-2]


async def test_c33_a_target_of_another_dlv_that_stands_at_its_entry_is_said_to() -> None:
    app = WishingApp()
    entry = model.Stop(
        "interrupt", "stopped in _rt0_amd64_linux", frames=(model.Frame(0, "_rt0_amd64_linux", "", 8),)
    )
    async with app.run_test(size=(100, 24)) as pilot:
        await report(pilot, model.Stopped(entry))
        assert "at its entry; c continues" in screen_text(pilot)[-2]


async def test_a_costly_log_is_said_at_once_and_can_be_read_again() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 30)) as pilot:
        title = "The log costs the scheduler 31% of a core (22,000 lines/s)."
        await tell(pilot, messages.LogCostMeasured(title, ("Instead: -v 5 would leave 9% of the cost.",)))
        assert screen_text(pilot)[-1].startswith(title)
        app.main.run_command("notes", "")
        await pilot.pause()
        assert title in text_of(pilot)


async def test_an_old_program_is_a_badge_that_names_the_key() -> None:
    app = WishingApp()
    async with app.run_test(size=(160, 50)) as pilot:
        await stopped(pilot)
        await tell(pilot, messages.BinaryAged("it is older than pkg/scheduler/schedule_one.go"))
        assert "old program (, r rebuilds): it is older than pkg/scheduler" in screen_text(pilot)[-2]
        await tell(pilot, messages.BinaryAged(""))
        assert "old program" not in screen_text(pilot)[-2]


async def test_a_build_goes_on_in_the_status_line_and_on_its_screen() -> None:
    app = WishingApp()
    going = BuildState(1, "building", "kube-scheduler", "compiling packages", 12, 48, 30.0, 90.0, "k8s.io/x")
    async with app.run_test(size=(120, 30)) as pilot:
        await tell(pilot, messages.BuildProgressed(going))
        assert "building 12/48" in screen_text(pilot)[-2]
        await pilot.press("comma", "b")
        await pilot.pause()
        assert "12/48 packages, about 1:30 left" in text_of(pilot)
        await pilot.press("x")
        await pilot.pause()
        assert app.wishes[-1] == messages.RebuildRequested(cancel=True)


async def test_compiler_errors_are_listed_and_enter_goes_to_the_line() -> None:
    app = WishingApp()
    errors = (
        BuildError("# k8s.io/kubernetes/pkg/scheduler"),
        BuildError(
            "pkg/scheduler/schedule_one.go:70:2: undefined: nonsense", "/k/pkg/scheduler/schedule_one.go", 70
        ),
    )
    failed = BuildState(1, "failed", "kube-scheduler", title="The build of kube-scheduler failed", errors=errors)
    async with app.run_test(size=(120, 30)) as pilot:
        await tell(pilot, messages.BuildProgressed(failed))
        assert [type(screen) for screen in app.screen_stack[-1:]] == [BuildScreen]
        assert screen_text(pilot)[1].startswith("program")
        assert "undefined: nonsense" in text_of(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert app.wishes[-1] == messages.SourceJumpRequested("/k/pkg/scheduler/schedule_one.go", 70)
        # The same state again, with the program's age: nothing opens anew.
        await tell(pilot, messages.BuildProgressed(failed))
        assert app.screen is app.main


async def test_the_editor_opens_at_an_error_too() -> None:
    app = WishingApp()
    failed = BuildState(1, "failed", title="It failed", errors=(BuildError("x.go:3: no", "/k/x.go", 3),))
    async with app.run_test(size=(120, 30)) as pilot:
        await tell(pilot, messages.BuildProgressed(failed))
        await pilot.press("E")
        await pilot.pause()
        assert app.wishes[-1] == messages.EditorRequested("/k/x.go", 3)


async def test_rebuild_is_a_key_away_in_every_pane() -> None:
    for pane in ("debugger", "queue", "log"):
        app = WishingApp()
        async with app.run_test(size=(80, 24)) as pilot:
            app.main.go_to(pane)
            await pilot.press("comma", "r")
            await pilot.pause()
            assert app.wishes[-1] == messages.RebuildRequested()


async def test_a_scheduler_without_a_debugger_has_a_state_and_a_cause_as_well() -> None:
    app = WishingApp(debugger=False)
    async with app.run_test(size=(120, 30)) as pilot:
        await report(pilot, model.StateChanged("running", target_pid=7, run=1))
        assert "running" in screen_text(pilot)[-2]
        await report(pilot, LEASE_LOST)
        assert LEASE_LOST.cause in text_of(pilot)
        await pilot.press("escape")
        await report(pilot, model.Failed("There is no debugger: the scheduler runs free", "Start it with one."))
        assert "There is no debugger" in screen_text(pilot)[-1]
        app.main.run_command("notes", "")
        await pilot.pause()
        assert LEASE_LINE in text_of(pilot)


async def test_a_live_list_is_told_anew_while_it_is_looked_at() -> None:
    app = WishingApp()
    again = messages.CommandRequested("workflow", "again")

    def offer(state: str, *, told_anew: bool) -> messages.ListOffered:
        return messages.ListOffered("Way", ((state, "", None),), choose=True, live=again, again=told_anew)

    async with app.run_test(size=(80, 24)) as pilot:
        await tell(pilot, offer("building", told_anew=False))
        assert "building" in text_of(pilot)
        await tell(pilot, offer("started", told_anew=True))
        assert "started" in text_of(pilot) and "building" not in text_of(pilot)
        await pilot.press("escape")
        await tell(pilot, offer("late", told_anew=True))
        assert app.screen is app.main


LOST = model.StateChanged("lost", "dlv was killed by SIGKILL", last_output=("bye",))
ENDED = model.StateChanged("exited", exit_status=0, cause_id="ended", last_output=("v1.36.3",))
RESTART = messages.DebuggerCommandRequested(model.Restart())


@pytest.mark.parametrize("end", [LEASE_LOST, LOST, ENDED], ids=["exited", "dlv lost", "in good order"])
@pytest.mark.parametrize("line", ["grave_accent", "colon", "p", ""])
async def test_one_key_starts_anew_over_a_line_on_which_nothing_is_typed(line: str, end: model.Event) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        if line:
            await pilot.press(line)
            await pilot.pause()
        await report(pilot, end)
        await pilot.press("r")
        await pilot.pause()
        assert app.wishes[-1] == RESTART
        assert (app.screen, app.main.focused, app.main.command_row.asking) == (app.main, None, False)


@pytest.mark.parametrize("line", ["grave_accent", "colon", "p"])
async def test_words_that_are_typed_are_kept_and_start_nothing(line: str) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press(line, "b", "a")
        await pilot.pause()
        typed_on = app.screen
        await report(pilot, LOST)
        await pilot.press("r")
        await pilot.pause()
        assert app.screen is typed_on
        assert typed_on.focused is not None
        assert typed_on.focused.value == "bar"  # type: ignore[attr-defined]
        assert RESTART not in app.wishes
        if line == "grave_accent":
            assert "Esc leaves this line" in screen_text(pilot)[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert "dlv was killed by SIGKILL" in screen_text(pilot)[0]
        await pilot.press("r")
        await pilot.pause()
        assert app.wishes[-1] == RESTART
        assert app.screen is app.main


async def test_q_quits_where_the_session_is_over_and_escape_goes_back() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await report(pilot, LOST)
        assert "q quit" in screen_text(pilot)[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert (app.screen, app.wishes) == (app.main, [])
        await report(pilot, model.StateChanged("starting"), LOST)
        await pilot.press("q")
        await pilot.pause()
        assert app.wishes[-1] == messages.QuitRequested()


async def test_what_is_said_of_an_end_goes_when_the_scheduler_lives_again() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await report(pilot, LOST)
        assert app.screen is not app.main
        await report(pilot, model.StateChanged("starting"))
        assert app.screen is app.main


POINTER = model.Variable("next", "*sched.QueuedPodInfo", "{…}", "ptr", "podInfo")


@pytest.mark.parametrize(("answer", "set_to"), [("y", [model.SetValue("podInfo", "nil")]), ("escape", [])])
async def test_nil_is_set_only_after_a_question(answer: str, set_to: list[model.Command]) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await report(pilot, model.Stopped(replace(STOP, arguments=(POINTER,))))
        await pilot.press("t", "l", "j", "equals_sign", *"nil", "enter")
        await pilot.pause()
        assert "Set podInfo to nil?" in text_of(pilot)
        assert "may panic" in text_of(pilot)
        assert app.commands() == []
        await pilot.press(answer)
        await pilot.pause()
        assert app.commands() == set_to
        await pilot.press("equals_sign", "7", "enter")
        await pilot.pause()
        assert app.commands() == [*set_to, model.SetValue("podInfo", "7")]


async def test_a_killed_dlv_is_not_said_to_have_last_lines() -> None:
    app = WishingApp()
    async with app.run_test(size=(100, 24)) as pilot:
        await report(pilot, model.StateChanged("lost", "dlv was killed by SIGKILL", cause_id="unknown"))
        assert "ended dlv; a scheduler that dlv started ends with it" in text_of(pilot)
        assert "last lines" not in text_of(pilot)


async def test_the_place_of_a_stop_has_lines_above_it_when_its_pane_is_opened() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("comma", "q")
        await pilot.pause()
        long = replace(SOURCE, lines=("package scheduler", *(f"// {number}" for number in range(2, 300))))
        deep = replace(STOP, frames=(replace(STOP.frames[0], line=150),))
        await report(pilot, model.Stopped(deep), source=long)
        await pilot.press("comma", "d")
        await pilot.pause()
        shown = [line.split("//")[-1].strip() for line in screen_text(pilot) if "// 1" in line]
        assert "150" in shown
        assert shown.index("150") >= 2
