"""What a pass of a conditional breakpoint costs the target: counted and measured where it happens.

Owns a silent breakpoint right behind the conditional one: it counts the passes (dlv itself counts only those whose
condition held) and never stops. dlv's processor time while the target runs, over the passes, is what one costs. It
is there for some passes only, and asks for nothing while the target runs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.debugger import locations
from schedtui.debugger.replies import read_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.workbench import Workbench

COUNTER = "schedtuitoll"
"""Name of the counting breakpoint in dlv; it is left out of every list."""

ENOUGH_PASSES = 8
"""After so many the counting ends."""

FIRST_LOOK_SECONDS = 3.0
"""When the count is read for the first time; after that at twice the distance each time."""

LONGEST_LOOK_SECONDS = 60.0
"""The longest distance of two looks: each stops the target for some milliseconds."""

NEVER = 1_000_000_000
"""The hit count at which the counter would stop."""

STOPS_A_PASS = 2
"""A pass that is counted stops twice: at the condition, and at the counter."""


@dataclass
class _Count:
    number: int
    """dlv's number of the conditional breakpoint."""
    tell: Callable[[str], None]
    hits: int = 0
    seconds: float = 0.0
    """dlv's processor time while the target ran, up to the last look."""
    began: float | None = None
    """The same clock when the target was let go; None while it stands."""
    wait: float = FIRST_LOOK_SECONDS
    due: float = 0.0


class Toll:
    """Measures one conditional breakpoint at a time; the others wait."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, str, int, Callable[[str], None]]] = []
        self._count: _Count | None = None

    def measure(self, bench: Workbench, number: int, file: str, line: int, tell: Callable[[str], None]) -> bool:
        """Begin to measure a breakpoint.

        Args:
            bench: The session.
            number: dlv's number.
            file: Where it stands, as the binary spells it.
            line: 1-based.
            tell: Gets the result, one clause.

        Returns:
            False when it cannot be measured here.
        """
        if bench.debugger_seconds() is None:
            return False
        self._waiting.append((number, file, line, tell))
        self._begin(bench)
        return True

    def _begin(self, bench: Workbench) -> None:
        while self._count is None and self._waiting:
            number, file, line, tell = self._waiting.pop(0)
            if self._set_counter(bench, file, line):
                self._count = _Count(number, tell)

    def _set_counter(self, bench: Workbench, file: str, line: int) -> bool:
        place = f"{file}:{line + 1}"
        reply = bench.talk.ask(f"break {COUNTER} {place}", answers={"suspend-breakpoint": "n"})
        if not read_set(reply.text):
            nearest = locations.nearest_line(bench, place)
            if not nearest:
                return False
            reply = bench.talk.ask(f"break {COUNTER} {nearest}", answers={"suspend-breakpoint": "n"})
        return (
            bool(read_set(reply.text)) and not bench.talk.ask(f"condition -hitcount {COUNTER} > {NEVER}").failure
        )

    # --- while it runs ----------------------------------------------------------------------------------------

    def resumed(self, bench: Workbench) -> None:
        """The target is about to run."""
        count = self._count
        if count is not None:
            count.began = bench.debugger_seconds()
            count.due = time.monotonic() + count.wait

    @property
    def patience(self) -> float | None:
        """Seconds until the running target is to be looked at; None when nothing is measured."""
        count = self._count
        return max(0.0, count.due - time.monotonic()) if count is not None and count.began is not None else None

    def halted(self, bench: Workbench) -> None:
        """The target stands, before anything else is asked of dlv: take the time, then the count."""
        count = self._count
        if count is None or count.began is None:
            return
        now = bench.debugger_seconds()
        if now is not None:
            count.seconds += now - count.began
        count.began = None
        count.wait = min(LONGEST_LOOK_SECONDS, count.wait * 2)
        documents = bench.talk.documents("schedtui_breakpoints").documents.get("breakpoints", ())
        counters = [one["hits"] for one in documents if one["name"] == COUNTER]
        wanted = any(one["id"] == count.number for one in documents)
        if counters and wanted:
            count.hits = counters[0]
            if count.hits < ENOUGH_PASSES:
                return
            milliseconds = count.seconds / count.hits / STOPS_A_PASS * 1000
            count.tell(f"a pass costs {milliseconds:.1f} ms here (measured over {count.hits})")
        self.forget(bench)
        self._begin(bench)

    def forget(self, bench: Workbench | None = None) -> None:
        """End the measuring; without a session the counter has gone with its dlv."""
        if bench is not None and self._count is not None:
            bench.talk.ask(f"clear {COUNTER}")
        self._count = None
