"""Lines that are typed into the console: which command they are, and what the tutorial's spellings become.

Owns the reading of a typed line and the help for names that a frame does not know. What dlv makes of a line is
shown as dlv says it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger.model import Console, ConsoleOutput, Restart, SetBreakpoint

if TYPE_CHECKING:
    from schedtui.debugger.workbench import Workbench

RESUMING = {
    "continue": ("continue", "c"),
    "next": ("next", "n"),
    "step": ("step", "s"),
    "stepout": ("stepout", "so"),
    "step-instruction": ("step-instruction", "si", "stepi"),
    "next-instruction": ("next-instruction", "ni", "nexti"),
    "call": ("call",),
    "rebuild": ("rebuild",),
    "rev": ("rev",),
    "rewind": ("rewind", "rw"),
}
"""Commands after which the target runs, with dlv's own aliases."""

STEPPING = ("next", "step", "stepout", "step-instruction", "next-instruction")
"""Those that step the selected goroutine."""

BREAKPOINT_WORDS = (
    "break", "b", "trace", "t", "clear", "clearall", "condition", "cond", "on", "toggle", "watch", "breakpoints",
    "bp",
)  # fmt: skip
"""Commands for which a running target is interrupted and let go again."""

CHANGING_WORDS = ("set", "source", "config", "jump", "checkpoint", "clear-checkpoint")
"""Commands after which values may be others, or shown in another way."""

PRINT_WORDS = ("print", "p")
"""dlv's words for showing a value."""

POD_PATHS = (
    "podInfo.PodInfo.Pod",
    "pInfo.PodInfo.Pod",
    "assumedPodInfo.PodInfo.Pod",
    "assumedPod",
    "entity.(data).PodInfo.Pod",
)
"""Where the scheduler's frames keep the pod that people call ``pod``."""


def verb_of(line: str) -> str:
    """The first word."""
    return line.split(None, 1)[0] if line.split() else ""


def resuming(line: str) -> str:
    """The command that lets the target run; empty when ``line`` is none."""
    verb = verb_of(line)
    return next((name for name, spellings in RESUMING.items() if verb in spellings), "")


def pauses(line: str) -> bool:
    """True when a running target is interrupted for this line."""
    return verb_of(line) in BREAKPOINT_WORDS


def carry_out(bench: Workbench, command: Console) -> None:
    """Do what was typed.

    Raises:
        DebuggerFailed: It cannot be done.
    """
    line = command.text.strip()
    if not line:
        return
    verb = verb_of(line)
    rest = line[len(verb) :].strip()
    bench.post(ConsoleOutput(line, "echo"))
    if verb in ("restart", "r") and not rest:
        bench.restart(Restart())
    elif verb == "config" and rest.startswith("prompt"):
        raise DebuggerFailed(
            "The prompt belongs to schedtui", hint="It is never shown; all else can be configured."
        )
    elif verb in ("break", "b") and rest:
        bench.breakpoints.set(bench, read_break(rest), typed=True)
    elif verb in ("trace", "t") and rest and not rest.startswith("-"):
        bench.breakpoints.set(bench, replace(read_break(rest), tracepoint=True), typed=True)
    elif name := resuming(line):
        if bench.state == "exited":
            raise DebuggerFailed("The target has ended", hint="r starts it again.")
        bench.resume(line, "step" if name in STEPPING else "unknown", typed=True)
    else:
        reply = bench.talk.ask(line, limit=None)
        bench.say(reply.text, "error" if reply.failure else "output")
        if verb in PRINT_WORDS and rest:
            _after_print(bench, rest, reply.failure)
        bench.after_typing(changes_values=verb in CHANGING_WORDS)


_CONDITION = re.compile(r"^(?P<place>.+?)\s+if\s+(?P<condition>.+)$")
_NAMED = re.compile(r"^(?P<name>[A-Za-z][A-Za-z0-9]*)\s+(?P<place>\S+)$")


def read_break(rest: str) -> SetBreakpoint:
    """What a typed ``break`` asks for: an optional name, a location, an optional condition."""
    condition = ""
    if match := _CONDITION.match(rest):
        rest, condition = match["place"], match["condition"]
    name = ""
    if match := _NAMED.match(rest):
        name, rest = match["name"], match["place"]
    return SetBreakpoint(rest, condition=condition, name=name)


# --- print ------------------------------------------------------------------------------------------------------

_FORMAT = re.compile(r"^%\S+\s+")
_UNKNOWN = re.compile(r"could not find symbol (?:value for )?(?P<name>\w+)")


def _after_print(bench: Workbench, rest: str, failure: str) -> None:
    """A readable view under dlv's answer, or help when the frame does not know the name."""
    expression = _FORMAT.sub("", rest)
    if not failure:
        bench.say("\n".join(bench.inspector.view(expression)))
        return
    if bench.inspector.stop is not None and bench.inspector.stop.reason == "entry":
        bench.say("nothing of the scheduler has run yet, so there are no values: b s and c stop it in ScheduleOne")
        return
    match = _UNKNOWN.search(failure)
    if match is None or bench.state != "stopped":
        return
    name = match["name"]
    if name == "pod" and _pod_under_another_name(bench, expression):
        return
    frames = bench.inspector.frames_that_know(name)
    if frames:
        number = frames[0]
        stop = bench.inspector.stop
        where = stop.frames[number].function.rsplit("/", 1)[-1] if stop else ""
        bench.say(f"{name} is not known in this frame; it is in frame {number}, {where}:")
        shown = bench.talk.ask(f"frame {number} print {expression}")
        bench.say(shown.text, "error" if shown.failure else "output")
        bench.say("\n".join(bench.inspector.view(expression, number)))
        bench.say(f"u goes there, or type: frame {number} print {expression}")
        return
    bench.say(_why_unknown(bench, name))


def _pod_under_another_name(bench: Workbench, expression: str) -> bool:
    """``pod.Name`` where the frame calls its pod something else."""
    for path in POD_PATHS:
        other = re.sub(r"^\*?pod\b", path, expression)
        variable = bench.inspector.evaluate(other, quiet=True)
        if not variable.unreadable and variable.value != "nil":
            bench.say(f"the pod is {path} here: {other} = {variable.value}")
            bench.say("\n".join(bench.inspector.view(other)))
            return True
    return False


def _why_unknown(bench: Workbench, name: str) -> str:
    stop = bench.inspector.stop
    function = stop.frames[stop.selected_frame].function if stop and stop.frames else ""
    bare = function.rsplit(".", 1)[-1]
    if name in ("pod", "podInfo") and bare.lower() == "scheduleone":
        return (
            "no pod has been popped yet at this function's entry: step (n) past NextPod (1.37: NextEntity), or"
            " break at SchedulePod (b b), the first line that knows its pod; there podInfo.Pod.Name works"
        )
    if name == "pod" and bare in ("Pop", "pop", "unlockedPop"):
        return (
            "the queue is only being asked for a pod here: step out (o) and the caller has it, or break at Popped"
            " (b b), where pInfo.Pod.Name works"
        )
    if name in ("pod", "podInfo"):
        return (
            f"this frame has no {name}: locals and arguments show what it has; b b lists the stations with a pod"
        )
    if name == "sched":
        return "no frame of this goroutine has sched: the scheduling loop's has it, or break at ScheduleOne (b s)"
    return ""
