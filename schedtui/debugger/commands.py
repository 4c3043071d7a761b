"""What each command needs of the target, and what carries it out.

Owns the table; the engine asks it before it does anything.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger import console, model, verbosity
from schedtui.debugger.setting import explain_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.workbench import Workbench


class Needs(enum.Enum):
    """What the target must be for a command."""

    NOTHING = "any state"
    STOPPED = "a stopped target"
    PAUSE = "a stopped target; a running one is interrupted for it and let go again"
    EITHER = "it depends on the command's words"


@dataclass(frozen=True, slots=True)
class Rule:
    """How one kind of command is dealt with."""

    handle: Callable[[Workbench, Any], None]
    needs: Needs = Needs.STOPPED
    pauses: Callable[[Any], bool] = lambda _: False
    """For ``EITHER``: True when a running target is interrupted for it."""
    free: Callable[[Any], bool] = lambda _: False
    """True when it can be carried out while the target runs, without dlv."""


STEPS = {
    "next": "next",
    "step": "step",
    "stepout": "stepout",
    "step-instruction": "step-instruction",
    "next-instruction": "next-instruction",
}
"""dlv's words."""


def _continue(bench: Workbench, _: model.Continue) -> None:
    bench.resume("continue", "unknown")


PARKED = "runtime.gopark"
"""Where a goroutine stands that waits for a channel, a lock, a timer (Go, all releases)."""


def _step(bench: Workbench, command: model.Step) -> None:
    stop = bench.inspector.stop
    if stop is not None and stop.selected_frame:
        if stop.frames[0].function == PARKED:
            raise DebuggerFailed(
                "This goroutine waits: it has no next line before what it waits for has come",
                where=stop.frames[stop.selected_frame].function,
                hint="c continues; b l on the line where it is to go on stops it there.",
            )
        # dlv steps from the innermost frame only, whichever is looked at.
        bench.talk.ask("frame 0")
    bench.resume(STEPS[command.how], "step")


def _select_frame(bench: Workbench, command: model.SelectFrame) -> None:
    bench.show(bench.inspector.select_frame(command.index))


def _select_goroutine(bench: Workbench, command: model.SelectGoroutine) -> None:
    bench.show(bench.inspector.select_goroutine(command.id))


def _select_pod_goroutine(bench: Workbench, command: model.SelectPodGoroutine) -> None:
    inspector = bench.inspector
    here = inspector.stop.goroutine if inspector.stop else 0
    for number in dict.fromkeys((*inspector.pod_goroutines(), *((here,) if here else ()))):
        stop = inspector.select_goroutine(number, note=f"goroutine of {command.pod}")
        if stop is not None and inspector.frame_of_pod(command.pod):
            bench.show(inspector.stop)
            return
    if here:
        inspector.select_goroutine(here)
    raise DebuggerFailed(
        "No goroutine has this pod in hand", where=command.pod, hint="A pod in a queue has no goroutine."
    )


QUEUE_PATHS = ("sched.SchedulingQueue", "p", "f.handle.schedulingQueue")
"""What frames of the scheduler call the scheduling queue, or lead to it by."""


def _read_queue(bench: Workbench, _: model.ReadQueue) -> None:
    inspector = bench.inspector
    here = inspector.stop
    found = _queue_in_frames(bench)
    loop = inspector.scheduling_loop() if found is None and here is not None else 0
    if loop and here is not None and loop != here.goroutine:
        # This goroutine does not know the queue: the scheduling loop does. The user's place is kept.
        frame = here.selected_frame
        inspector.select_goroutine(loop)
        found = _queue_in_frames(bench)
        inspector.select_goroutine(here.goroutine)
        inspector.select_frame(frame)
        inspector.stop = here
    if found is None:
        raise DebuggerFailed(
            "No frame here knows the scheduling queue",
            hint="Stop at ScheduleOne (b s) or Pop (b p) and ask again.",
        )
    bench.post(model.QueueRead(*found))


def _queue_in_frames(bench: Workbench) -> tuple[tuple[str, ...], str] | None:
    """The queue's lines and where it was found, from the selected goroutine's frames."""
    inspector = bench.inspector
    for expression in QUEUE_PATHS:
        for number in (inspector.frame, *inspector.frames_that_know(expression)):
            lines = inspector.view(expression, number)
            if any(line.startswith("activeQ") for line in lines):
                return lines, f"{expression} in frame {number}"
    return None


def _set_breakpoint(bench: Workbench, command: model.SetBreakpoint) -> None:
    bench.breakpoints.set(bench, command)


def _set_breakpoints(bench: Workbench, command: model.SetBreakpoints) -> None:
    bench.breakpoints.set_group(bench, command)


def _amend_breakpoint(bench: Workbench, command: model.AmendBreakpoint) -> None:
    bench.breakpoints.amend(bench, command)


def _set_watchpoint(bench: Workbench, command: model.SetWatchpoint) -> None:
    bench.breakpoints.watch(bench, command)


def _set_value(bench: Workbench, command: model.SetValue) -> None:
    reply = bench.talk.ask(f"set {command.expression} = {command.value}")
    if reply.failure:
        raise explain_set(reply.failure, command.expression, command.value)
    bench.show(bench.inspector.look_again())


def _evaluate(bench: Workbench, command: model.Evaluate) -> None:
    try:
        variable = bench.inspector.open(command.expression, full=command.full)
    except DebuggerFailed as error:
        if not command.quiet:
            raise
        variable = model.Variable(
            command.expression, "", "", expression=command.expression, unreadable=error.title
        )
    bench.post(model.Evaluated(command.ticket, variable))


def _watch(bench: Workbench, command: model.Watch) -> None:
    watches = bench.inspector.watches
    if command.remove and command.expression in watches:
        watches.remove(command.expression)
    elif not command.remove and command.expression not in watches:
        watches.append(command.expression)
    bench.keep_watches(tuple(watches))
    if bench.state == "stopped":
        bench.show(bench.inspector.look_again())


def _list_goroutines(bench: Workbench, command: model.ListGoroutines) -> None:
    goroutines, total = bench.inspector.goroutines(command.limit)
    bench.post(model.GoroutinesListed(goroutines, total))


def _find_functions(bench: Workbench, command: model.FindFunctions) -> None:
    found = bench.breakpoints.functions(bench, command.pattern)
    bench.post(model.FunctionsFound(command.ticket, found[: command.limit], len(found)))


def _set_verbosity(bench: Workbench, command: model.SetVerbosity) -> None:
    bench.post(verbosity.set_verbosity(bench.inspector, bench.talk, command.v))


def _nothing(_: Workbench, __: object) -> None:
    """Restart is the engine's own; an answer without a question has nobody to go to; any halt counts passes."""


COMMANDS: dict[type, Rule] = {
    model.Continue: Rule(_continue),
    model.Step: Rule(_step),
    model.Restart: Rule(_nothing, Needs.NOTHING),
    model.Interrupt: Rule(_nothing, Needs.NOTHING),
    model.Answer: Rule(_nothing, Needs.NOTHING),
    model.SelectFrame: Rule(_select_frame),
    model.SelectGoroutine: Rule(_select_goroutine),
    model.SelectPodGoroutine: Rule(_select_pod_goroutine),
    model.SetBreakpoint: Rule(_set_breakpoint, Needs.PAUSE),
    model.SetBreakpoints: Rule(_set_breakpoints, Needs.PAUSE),
    model.AmendBreakpoint: Rule(_amend_breakpoint, Needs.PAUSE),
    model.SetWatchpoint: Rule(_set_watchpoint),
    model.SetValue: Rule(_set_value),
    model.Evaluate: Rule(_evaluate),
    model.Watch: Rule(_watch, free=lambda _: True),
    model.ListGoroutines: Rule(_list_goroutines),
    model.FindFunctions: Rule(_find_functions, Needs.PAUSE),
    model.ReadQueue: Rule(_read_queue),
    model.SetVerbosity: Rule(_set_verbosity, Needs.PAUSE),
    model.CountPasses: Rule(_nothing, Needs.PAUSE),
    model.Console: Rule(console.carry_out, Needs.EITHER, pauses=lambda c: console.pauses(c.text)),
}
"""Every command has a rule."""

__all__ = ["COMMANDS", "Needs", "Rule", "replace"]
