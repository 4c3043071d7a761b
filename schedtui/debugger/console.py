"""Lines that are typed into the console: which command they are, and what the tutorial's spellings become.

Owns the reading of a typed line. What dlv makes of it is shown as dlv says it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger.model import Console, ConsoleOutput, Restart, SetBreakpoint

if TYPE_CHECKING:
    from schedtui.debugger.engine import Engine

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

BREAKPOINT_WORDS = (
    "break", "b", "trace", "t", "clear", "clearall", "condition", "cond", "on", "toggle", "watch", "breakpoints",
    "bp",
)  # fmt: skip
"""Commands for which a running target is interrupted and let go again."""


def _verb(line: str) -> str:
    return line.split(None, 1)[0] if line.split() else ""


def resuming(line: str) -> str:
    """The command that lets the target run; empty when ``line`` is none."""
    verb = _verb(line)
    return next((name for name, spellings in RESUMING.items() if verb in spellings), "")


def pauses(line: str) -> bool:
    """True when a running target is interrupted for this line."""
    return _verb(line) in BREAKPOINT_WORDS


def carry_out(engine: Engine, command: Console) -> None:
    """Do what was typed.

    Raises:
        DebuggerFailed: It cannot be done.
    """
    line = command.text.strip()
    if not line:
        return
    verb = _verb(line)
    rest = line[len(verb) :].strip()
    engine.post(ConsoleOutput(line, "echo"))
    if verb in ("restart", "r") and not rest:
        engine.restart(Restart())
    elif verb in ("break", "b") and rest:
        _break(engine, rest)
    elif name := resuming(line):
        if engine.state == "exited":
            raise DebuggerFailed("The target has ended", hint="r starts it again.")
        engine.resume(line, "step" if "step" in name or "next" in name else "unknown", typed=True)
    else:
        reply = engine.talk.ask(line, limit=None)
        engine.say(reply.text, "error" if reply.failure else "output")
        engine.after_typing()


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


def _break(engine: Engine, rest: str) -> None:
    """A typed ``break``: a documented spelling is understood, everything else is for dlv to judge."""
    engine.breakpoints.set(engine, read_break(rest), typed=True)
