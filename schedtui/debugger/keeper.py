"""The breakpoints of a session: asked for, set in dlv, kept for the next session, compared with dlv's own list.

Owns what is wanted and which of dlv's numbers it has. Where a location lies is found by ``locations``; nothing is
reported as set unless dlv said so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from schedtui.config.state import KeptBreakpoint
from schedtui.core.errors import DebuggerFailed
from schedtui.debugger import breakpoints as resolving
from schedtui.debugger import locations
from schedtui.debugger.catalogue import own_catalogue
from schedtui.debugger.model import Breakpoint, BreakpointsChanged, SetBreakpoint
from schedtui.debugger.replies import read_refusal, read_set
from schedtui.debugger.toll import COUNTER, Toll

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.debugger.catalogue import Catalogue
    from schedtui.debugger.locations import Located
    from schedtui.debugger.model import AmendBreakpoint, SetBreakpoints, SetWatchpoint
    from schedtui.debugger.replies import Document
    from schedtui.debugger.workbench import Workbench

PENDING_BASE = -1000
"""Numbers of breakpoints that are wanted and not in dlv: below dlv's own (-1, -2)."""

PER_GOROUTINE = "per goroutine"
"""Words behind a hit condition that is counted per goroutine."""


@dataclass
class Wanted:
    """A breakpoint that somebody asked for."""

    kept: KeptBreakpoint
    number: int | None = None
    """dlv's number; None while it is not set."""
    note: str = ""
    prints: tuple[str, ...] = field(default=())


class BreakpointKeeper:
    """The breakpoints of one session.

    Args:
        kept: What an earlier session left.
        catalogue: The documented breakpoints; the package's own when left out.
    """

    def __init__(self, kept: Sequence[KeptBreakpoint] = (), catalogue: Catalogue | None = None) -> None:
        self.catalogue = catalogue or own_catalogue()
        self._wanted = [Wanted(one) for one in kept]
        self._differences: list[str] = []
        self._published: tuple[Breakpoint, ...] | None = None
        self.toll = Toll()

    # --- set --------------------------------------------------------------------------------------------------

    def set(self, bench: Workbench, command: SetBreakpoint, *, typed: bool = False) -> None:
        """Set one breakpoint.

        Args:
            bench: The session.
            command: What was asked for.
            typed: True when a person typed it: questions of dlv's go to that person.

        Raises:
            DebuggerFailed: It cannot be set; the hint says what works instead.
        """
        if command.pod and not resolving.is_pod_name(command.pod):
            raise DebuggerFailed("This is no pod's name", where=command.pod, hint="Write namespace/name.")
        wanted = Wanted(_kept_from(command), prints=command.prints)
        if bench.state == "exited" and not typed:
            wanted.note = "set when the target is started again"
            self._wanted.append(wanted)
            bench.say(f"{command.location}: the target has ended; {wanted.note}")
        else:
            self._place(bench, wanted, typed=typed)
            self._wanted.append(wanted)
        self.publish(bench)

    def _place(self, bench: Workbench, wanted: Wanted, *, typed: bool = False) -> None:
        located = locations.locate(bench, wanted.kept, self.catalogue)
        if located.note:
            bench.say(located.note)
        number = self._in_dlv(bench, wanted, located, typed=typed)
        wanted.number = number
        wanted.note = located.note
        condition = _both(located.condition, wanted.kept.condition)
        try:
            self._refine(bench, number, condition, wanted)
        except DebuggerFailed:
            bench.talk.ask(f"clear {number}")
            raise
        if condition and located.hot:
            self._warn_of_cost(bench, wanted)

    def _warn_of_cost(self, bench: Workbench, wanted: Wanted) -> None:
        """A condition where the scheduler passes once per node or plugin: what it costs, and soon how much."""
        number = wanted.number
        warning = "passed once per node or plugin: each pass stops the target to check the condition"
        place = next((one for one in self._documents(bench) if one["id"] == number), None)

        def tell(cost: str) -> None:
            wanted.note = f"{warning}; {cost}"
            bench.say(f"breakpoint {number}: {cost}")
            self.publish(bench)

        measured = place is not None and self.toll.measure(bench, place["id"], place["file"], place["line"], tell)
        coming = "what one costs is measured once it runs" if measured else _round_trip_text(bench)
        wanted.note = "; ".join(filter(None, (wanted.note, warning)))
        bench.say(f"breakpoint {number} is {warning} ({coming})")

    def _in_dlv(self, bench: Workbench, wanted: Wanted, located: Located, *, typed: bool) -> int:
        word = "trace" if wanted.kept.tracepoint else "break"
        name = f"{wanted.kept.name} " if wanted.kept.name.isalnum() and not wanted.kept.name.isdigit() else ""
        answers = {} if typed else {"suspend-breakpoint": "n"}
        reply = bench.talk.ask(f"{word} {name}{located.location}", answers=answers)
        placed = read_set(reply.text)
        if placed:
            bench.say(reply.text, "output")
            return self._newest(bench, placed[0].id, located)
        refusal = read_refusal(reply.failure or reply.text)
        if refusal.kind == "exists":
            return self._existing(bench, reply.failure, located)
        if refusal.kind == "no-statement" and (nearest := locations.nearest_line(bench, located.location)):
            bench.say(f"there is no code at {located.location}: {nearest} is the next line with some")
            return self._in_dlv(bench, wanted, replace(located, location=nearest), typed=typed)
        raise locations.explain(bench, located, refusal)

    def _newest(self, bench: Workbench, number: int, located: Located) -> int:
        if number:
            return number
        # A named breakpoint is confirmed by its name alone.
        return max((one.id for one in self.listed(bench)), default=0)

    def _existing(self, bench: Workbench, failure: str, located: Located) -> int:
        """Dlv has one there already: that is success."""
        place = failure.split(" exists at ", 1)[-1].split(" ")[0]
        for one in self.listed(bench):
            if one.file and place.endswith(f"{Path(one.file).name}:{one.line}"):
                self._wanted = [other for other in self._wanted if other.number != one.id]
                bench.say(f"{located.location}: breakpoint {one.id} is there already")
                return one.id
        raise DebuggerFailed(failure, where=located.location)

    def _refine(self, bench: Workbench, number: int, condition: str, wanted: Wanted) -> None:
        lines = []
        if condition:
            lines.append(f"condition {number} {condition}")
        if hits := wanted.kept.hit_condition:
            per = hits.endswith(PER_GOROUTINE)
            option = "-per-g-hitcount" if per else "-hitcount"
            lines.append(f"condition {option} {number} {hits.removesuffix(PER_GOROUTINE).strip()}")
        lines.extend(f"on {number} print {expression}" for expression in wanted.prints)
        if not wanted.kept.enabled:
            lines.append(f"toggle {number}")
        for line in lines:
            reply = bench.talk.ask(line)
            if reply.failure:
                raise DebuggerFailed(f"dlv does not take it: {reply.failure}", where=line)

    def set_group(self, bench: Workbench, command: SetBreakpoints) -> None:
        """Turn a set of the catalogue on or off; what cannot be set is told and does not stop the others.

        Raises:
            DebuggerFailed: There is no such set.
        """
        stations = self.catalogue.in_set(command.name)
        if not stations:
            raise DebuggerFailed(
                "There is no such set", where=command.name, hint="Sets: " + ", ".join(self.catalogue.sets)
            )
        names = {station.name for station in stations}
        present = {one.kept.location for one in self._wanted if one.number is not None}
        if not command.on:
            for one in [one for one in self._wanted if one.kept.location in names]:
                self._drop(bench, one)
            self.publish(bench)
            return
        for station in stations:
            if station.name in present:
                continue
            knows = any(place.pod for place in station.place)
            wanted = Wanted(KeptBreakpoint(location=station.name, pod=command.pod if knows else ""))
            try:
                self._place(bench, wanted)
            except DebuggerFailed as error:
                bench.say(f"{station.name}: {error.as_text()}")
                continue
            self._wanted.append(wanted)
        self.publish(bench)

    def watch(self, bench: Workbench, command: SetWatchpoint) -> None:
        """Set a watchpoint.

        Raises:
            DebuggerFailed: dlv cannot: out of hardware registers, or the expression has no address.
        """
        option = {"write": "-w", "read": "-r", "readwrite": "-rw"}[command.how]
        reply = bench.talk.ask(f"watch {option} {command.expression}")
        if not read_set(reply.text):
            raise DebuggerFailed(
                reply.failure or reply.text,
                where=command.expression,
                hint="A watchpoint needs an address and one of four hardware registers; it ends with its scope.",
            )
        bench.say(reply.text, "output")
        self.publish(bench)

    # --- change -----------------------------------------------------------------------------------------------

    def amend(self, bench: Workbench, command: AmendBreakpoint) -> None:
        """Change or clear one.

        Raises:
            DebuggerFailed: There is none of that number, or dlv does not take the change.
        """
        wanted = next((one for one in self._wanted if one.number == command.id), None)
        if command.id <= PENDING_BASE:
            wanted = self._pending(command.id)
            if command.action == "clear" and wanted:
                self._wanted.remove(wanted)
            self.publish(bench)
            return
        present = next((one for one in self.listed(bench) if one.id == command.id), None)
        if present is None:
            raise DebuggerFailed("There is no such breakpoint", where=str(command.id))
        line = self._amending_line(command, present)
        if command.action == "clear" and wanted:
            self._drop(bench, wanted)
        elif line:
            reply = bench.talk.ask(line)
            if reply.failure:
                raise DebuggerFailed(reply.failure, where=line)
        self.publish(bench)

    def _amending_line(self, command: AmendBreakpoint, present: Breakpoint) -> str:
        match command.action:
            case "clear":
                return f"clear {command.id}"
            case "enable" | "disable":
                # dlv only knows "the other way round".
                return "" if present.enabled == (command.action == "enable") else f"toggle {command.id}"
            case "condition":
                return (
                    f"condition {command.id} {command.value}"
                    if command.value
                    else f"condition -clear {command.id}"
                )
            case "hitcount":
                per = command.value.endswith(PER_GOROUTINE)
                option = "-per-g-hitcount" if per else "-hitcount"
                return f"condition {option} {command.id} {command.value.removesuffix(PER_GOROUTINE).strip()}"

    def _drop(self, bench: Workbench, wanted: Wanted) -> None:
        if wanted.number is not None:
            gone = next((one for one in self._documents(bench) if one["id"] == wanted.number), None)
            bench.talk.ask(f"clear {wanted.number}")
            if gone is not None and gone["tracepoint"]:
                # dlv sets one at each return of a traced function too.
                for one in self._documents(bench):
                    if one["trace_return"] and one["function"] == gone["function"]:
                        bench.talk.ask(f"clear {one['id']}")
        self._wanted.remove(wanted)

    def _pending(self, number: int) -> Wanted | None:
        index = PENDING_BASE - number
        return self._wanted[index] if 0 <= index < len(self._wanted) else None

    # --- keep -------------------------------------------------------------------------------------------------

    def new_session(self) -> None:
        """Dlv is another one: it knows none of our breakpoints."""
        self.toll.forget()
        for one in self._wanted:
            one.number = None

    def withdraw(self, bench: Workbench) -> None:
        """Take ours out of dlv; they stay wanted for the next session."""
        self.toll.forget(bench)
        numbers = {one.number for one in self._wanted if one.number is not None}
        for document in self._documents(bench):
            # With a tracepoint come those at its returns.
            if document["id"] in numbers or document["trace_return"]:
                bench.talk.ask(f"clear {document['id']}")
        self.new_session()

    def restore(self, bench: Workbench) -> tuple[str, ...]:
        """Set what is wanted and not in dlv; returns what the user should know."""
        present = {one.id for one in self.listed(bench)}
        self._differences = []
        for wanted in self._wanted:
            if wanted.number in present:
                continue
            wanted.number = None
            try:
                self._place(bench, wanted)
            except DebuggerFailed as error:
                wanted.note = error.title
                self._differences.append(f"not set again: {wanted.kept.location}: {error.title}")
                continue
            if locations.moved_since(wanted.kept, wanted.note):
                self._differences.append(wanted.note)
        return tuple(self._differences)

    def functions(self, bench: Workbench, pattern: str) -> tuple[str, ...]:
        """The target's functions that match Go's regular expression."""
        return locations.functions(bench, pattern)

    def _documents(self, bench: Workbench) -> tuple[Document, ...]:
        found = bench.talk.documents("schedtui_breakpoints").documents.get("breakpoints", ())
        # dlv's API gives them in no order that lasts: a row must not move under the cursor.
        ours = (one for one in found if one["id"] > 0 and one["name"] != COUNTER)
        return tuple(sorted(ours, key=lambda one: one["id"]))

    def listed(self, bench: Workbench) -> tuple[Breakpoint, ...]:
        """Dlv's own list, with what we know of each."""
        by_number = {one.number: one for one in self._wanted if one.number is not None}
        return tuple(
            _breakpoint(document, by_number.get(document["id"]), bench.paths.here(document["file"]))
            for document in self._documents(bench)
            if not document["trace_return"]
        )

    @property
    def planted(self) -> int:
        """How many stood in the target's code when the list was told last."""
        told = self._published or ()
        return sum(one.id > 0 and one.enabled and not (one.suspended or one.watch) for one in told)

    def publish(self, bench: Workbench, *, only_changes: bool = False) -> None:
        """Post the list; with ``only_changes`` only when it differs from the one before."""
        listed = self.listed(bench)
        self._reconcile(bench, listed)
        pending = tuple(
            Breakpoint(
                id=PENDING_BASE - index, location=one.kept.location, file=one.kept.file, line=one.kept.line,
                function=one.kept.function, enabled=one.kept.enabled, condition=one.kept.condition, suspended=True,
                tracepoint=one.kept.tracepoint, asked=one.kept.location, pod=one.kept.pod, note=one.note,
            )
            for index, one in enumerate(self._wanted)
            if one.number is None
        )  # fmt: skip
        whole = (*self.listed(bench), *pending)
        if only_changes and whole == self._published:
            return
        self._published = whole
        kept = tuple(one.kept for one in self._wanted)
        bench.post(BreakpointsChanged(whole, kept, tuple(self._differences)))

    def _reconcile(self, bench: Workbench, listed: tuple[Breakpoint, ...]) -> None:
        """Take over what was typed, forget what was cleared by hand, note what dlv knows better."""
        numbers = {one.id for one in listed}
        self._wanted = [one for one in self._wanted if one.number is None or one.number in numbers]
        by_number = {one.number: one for one in self._wanted}
        for one in listed:
            wanted = by_number.get(one.id)
            if one.watch:
                continue
            if wanted is None:
                wanted = Wanted(KeptBreakpoint(location=one.location, name=one.name), one.id)
                wanted.kept = msgspec.structs.replace(wanted.kept, condition=one.condition)
                self._wanted.append(wanted)
            wanted.kept = locations.described(bench, wanted.kept, one)


def _both(first: str, second: str) -> str:
    return f"{first} && ({second})" if first and second else first or second


def _kept_from(command: SetBreakpoint) -> KeptBreakpoint:
    return KeptBreakpoint(
        location=command.location.strip(),
        message=command.message,
        condition=command.condition,
        hit_condition=command.hit_condition,
        pod=command.pod,
        name=command.name,
        tracepoint=command.tracepoint,
    )


def _breakpoint(document: Document, wanted: Wanted | None, file: str) -> Breakpoint:
    function = document["function"] if not document["function"].startswith("(") else ""
    place = function or document["asked"] or f"{file}:{document['line']}"
    hits = document["hit_condition"]
    return Breakpoint(
        id=document["id"],
        location=document["watch"] or place,
        file=file,
        line=document["line"],
        function=function,
        name=document["name"],
        enabled=not document["disabled"],
        condition=document["condition"],
        hit_count=document["hits"],
        tracepoint=document["tracepoint"],
        watch=bool(document["watch"]),
        suspended=document["addresses"] == 0 and not document["disabled"],
        hit_condition=f"{hits} {PER_GOROUTINE}" if hits and document["per_goroutine"] else hits,
        asked=wanted.kept.location if wanted else "",
        pod=wanted.kept.pod if wanted else "",
        note=wanted.note if wanted else "",
    )


def _round_trip_text(bench: Workbench) -> str:
    """The least that a pass costs where it cannot be measured: one question to dlv and its answer."""
    began = time.perf_counter()
    rounds = 5
    for _ in range(rounds):
        bench.talk.ask("schedtui_ready")
    milliseconds = (time.perf_counter() - began) / rounds * 1000
    return f"at least {milliseconds:.1f} ms here"
