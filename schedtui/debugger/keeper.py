"""Breakpoints: asked for, set in dlv, kept for the next session, and compared with dlv's own list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from schedtui.config.state import KeptBreakpoint
from schedtui.core.errors import DebuggerFailed
from schedtui.debugger.conversation import starlark_text
from schedtui.debugger.model import Breakpoint, BreakpointsChanged
from schedtui.debugger.replies import read_refusal, read_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.debugger.catalogue import Catalogue
    from schedtui.debugger.engine import Engine
    from schedtui.debugger.model import AmendBreakpoint, Launch, SetBreakpoint, SetBreakpoints, SetWatchpoint


class SourceTree(Protocol):
    """The part of a checkout that locations are resolved with."""


DOCUMENTED = {
    "ScheduleOne": r"pkg/scheduler\.\(\*Scheduler\)\.[sS]cheduleOne$",
    "Pop": r"queue\.\(\*PriorityQueue\)\.Pop$",
}


class BreakpointKeeper:
    """The breakpoints of one session."""

    def __init__(self, launch: Launch, kept: Sequence[KeptBreakpoint], catalogue: Catalogue | None) -> None:
        self._launch = launch
        self._kept = list(kept)

    def restore(self, engine: Engine) -> tuple[str, ...]:
        """Set the kept breakpoints in a new target."""
        lines = []
        present = {b.asked or b.function for b in self.listed(engine)}
        for kept in self._kept:
            if kept.location in present:
                continue
            reply = engine.talk.ask(f"break {kept.location}", answers={"suspend-breakpoint": "n"})
            if not read_set(reply.text):
                lines.append(f"not set again: {kept.location}: {reply.failure}")
        return tuple(lines)

    def functions(self, engine: Engine, pattern: str) -> tuple[str, ...]:
        """The target's functions that match."""
        return tuple(
            engine.talk.documents(f"schedtui_functions {starlark_text(pattern)}").documents.get("functions", ())
        )

    def set(self, engine: Engine, command: SetBreakpoint) -> None:
        """Set one."""
        name = command.location.rsplit(":", 1)[-1]
        location = command.location
        if name in DOCUMENTED:
            found = self.functions(engine, DOCUMENTED[name])
            if found:
                location = found[0]
                engine.say(f"{command.location} is {location} in this binary")
        line = f"break {location}" + (f" if {command.condition}" if command.condition else "")
        reply = engine.talk.ask(line, answers={"suspend-breakpoint": "n"})
        placed = read_set(reply.text)
        if not placed and read_refusal(reply.failure).kind != "exists":
            raise DebuggerFailed(reply.failure or reply.text, where=location)
        engine.say(reply.text, "output")
        self._kept.append(KeptBreakpoint(location=location, condition=command.condition))
        self.publish(engine)

    def set_typed(self, engine: Engine, command: SetBreakpoint) -> None:
        """Set one that was typed."""
        self.set(engine, command)

    def set_group(self, engine: Engine, command: SetBreakpoints) -> None:
        """Turn a set on or off."""

    def amend(self, engine: Engine, command: AmendBreakpoint) -> None:
        """Change one."""
        lines = {
            "clear": f"clear {command.id}",
            "enable": f"toggle {command.id}",
            "disable": f"toggle {command.id}",
            "condition": f"condition {command.id} {command.value}",
            "hitcount": f"condition -hitcount {command.id} {command.value}",
        }
        reply = engine.talk.ask(lines[command.action])
        if reply.failure:
            raise DebuggerFailed(reply.failure)
        self.publish(engine)

    def watch(self, engine: Engine, command: SetWatchpoint) -> None:
        """Set a watchpoint."""

    def listed(self, engine: Engine) -> tuple[Breakpoint, ...]:
        """Dlv's own list."""
        documents = engine.talk.documents("schedtui_breakpoints").documents.get("breakpoints", ())
        return tuple(
            Breakpoint(
                id=d["id"],
                location=d["function"] or d["asked"],
                file=d["file"],
                line=d["line"],
                function=d["function"],
                name=d["name"],
                enabled=not d["disabled"],
                condition=d["condition"],
                hit_count=d["hits"],
                tracepoint=d["tracepoint"],
                watch=bool(d["watch"]),
                suspended=d["addresses"] == 0,
                hit_condition=d["hit_condition"],
            )
            for d in documents
            if d["id"] > 0
        )

    def publish(self, engine: Engine, *, only_hits: bool = False) -> None:
        """Post the list."""
        engine.post(BreakpointsChanged(self.listed(engine), tuple(self._kept)))
