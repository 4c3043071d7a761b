"""The main screen without anything behind it: an application that collects the wishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from schedtui.core.source_text import SourceText
from schedtui.debugger import model
from schedtui.sources.log_store import LogStore
from schedtui.ui import messages
from schedtui.ui.key_table import KeyTable
from schedtui.ui.screens.main import MainScreen
from schedtui.ui.stage import Stage
from schedtui.ui.themes import load_themes
from schedtui.ui.widgets.debugger_pane import DebuggerPane
from schedtui.ui.widgets.log_pane import LogPane
from schedtui.ui.widgets.queue_pane import QueuePane

if TYPE_CHECKING:
    from textual.pilot import Pilot
    from textual.widget import Widget

SCHEDULE_ONE = "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).ScheduleOne"
SOURCE = SourceText(
    "/src/pkg/scheduler/schedule_one.go",
    (
        "package scheduler",
        "",
        "// ScheduleOne does the entire scheduling workflow for a single pod.",
        "func (sched *Scheduler) ScheduleOne(ctx context.Context) {",
        "\tlogger := klog.FromContext(ctx)",
        "\tpodInfo, err := sched.NextPod(logger)",
        "\tif err != nil {",
        '\t\tutilruntime.HandleErrorWithLogger(logger, err, "Error while retrieving next pod")',
        "\t\treturn",
        "\t}",
        '\tlogger.V(3).Info("Attempting to schedule pod", "pod", klog.KObj(podInfo.Pod))',
        "}",
    ),
    log_calls={8: "E", 11: "V3 x214"},
)
STOP = model.Stop(
    "breakpoint", "breakpoint 1 in ScheduleOne", goroutine=230, breakpoint_id=1,
    frames=(
        model.Frame(0, SCHEDULE_ONE, SOURCE.path, 4),
        model.Frame(1, "k8s.io/apimachinery/pkg/util/wait.UntilWithContext", "/src/wait/backoff.go", 172),
    ),
    arguments=(
        model.Variable("sched", "*pkg/scheduler.Scheduler", "{…}", "ptr", "sched", has_more=True),
        model.Variable("ctx", "context.Context", "{…}", "interface", "ctx", has_more=True),
    ),
    at=100.0,
)  # fmt: skip
BREAKPOINT = model.Breakpoint(1, SCHEDULE_ONE, SOURCE.path, 4, SCHEDULE_ONE, hit_count=1)


class WishingApp(Stage):
    """Shows a main screen and keeps what is wished."""

    screen_class = MainScreen

    def __init__(self, *, debugger: bool = True, theme: str = "mono") -> None:
        super().__init__(load_themes(), theme)
        self.wishes: list[messages.Wish] = []
        panes: dict[str, Widget] = {"debugger": DebuggerPane()} if debugger else {}
        panes |= {"queue": QueuePane(), "log": LogPane(LogStore((), lambda _: None))}
        self.main = self.screen_class(
            KeyTable(), panes, "debugger" if debugger else "log",
            frozenset({"debugger", "log"} if debugger else {"log"}), verbosity=5, release="v1.36.3",
        )  # fmt: skip

    def on_mount(self) -> None:
        self.push_screen(self.main)

    @on(messages.Wish)
    def _keep(self, wish: messages.Wish) -> None:
        # The screen tells by the clock how it looks: nobody wished for that.
        if not isinstance(wish, messages.ScreenChanged):
            self.wishes.append(wish)

    def commands(self) -> list[model.Command]:
        """The debugger commands that were wished."""
        return [wish.command for wish in self.wishes if isinstance(wish, messages.DebuggerCommandRequested)]


async def report(pilot: Pilot[int], *events: model.Event, source: SourceText | None = None) -> None:
    """Let the debugger tell something."""
    app = pilot.app
    assert isinstance(app, WishingApp)
    for event in events:
        app.main.post_message(messages.DebuggerReported(event, source))
    await pilot.pause()


async def stopped(pilot: Pilot[int]) -> None:
    """A scheduler that stands in ScheduleOne."""
    await report(pilot, model.BreakpointsChanged((BREAKPOINT,)))
    await report(pilot, model.Stopped(STOP), source=SOURCE)


def screen_text(pilot: Pilot[int]) -> list[str]:
    """What is on the screen, line by line."""
    strips = pilot.app.screen._compositor.render_strips()
    return [strip.text.rstrip() for strip in strips]
