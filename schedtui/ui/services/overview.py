"""The way from Go set-up to log analysis as steps with their live state (the tutorial's overview, 2.6).

Owns the steps as data and how the state of each is found. It mends nothing; each step names the key that goes on
from there, and choosing it does that.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from schedtui.debugger import model
from schedtui.toolchain.doctor.run import run_checks
from schedtui.ui.messages import CommandRequested, DebuggerCommandRequested, RebuildRequested, Wish

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.sources.log_store import LogStore
    from schedtui.toolchain.doctor.model import Finding, Subject
    from schedtui.ui.services.log_facts import Levels
    from schedtui.ui.services.plan import Plan
    from schedtui.ui.services.queue_watch import QueueWatch
    from schedtui.ui.services.rebuild import Rebuild

StepState = Literal["done", "failing", "working", "next", "later"]
"""Where a step is."""

SIGNS: dict[StepState, tuple[str, str]] = {
    "done": ("✓", "good"), "failing": ("x", "bad"), "working": ("…", "key"), "next": ("▶", "key"),
    "later": ("·", "dim"),
}  # fmt: skip
"""State → (sign, role)."""

KEPT_SECONDS = 60.0
"""Checks of the tools start programs: their answers are kept this long while the overview is looked at."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a step stands."""

    state: StepState
    detail: str = ""
    """What was found, or why it fails."""


LATER = Answer("later")
"""Not yet: the first of these is what comes next."""


class ToolChecks:
    """Findings of the doctor, kept for a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Create it.

        Args:
            clock: Seconds that go on evenly.
        """
        self._clock = clock
        self._kept: dict[str, tuple[float, Finding]] = {}

    def finding(self, subject: Subject, check: str) -> Finding:
        """What a check finds, now or a little while ago."""
        kept = self._kept.get(check)
        if kept is not None and self._clock() - kept[0] < KEPT_SECONDS:
            return kept[1]
        found = next(iter(run_checks(subject, (check,))))
        self._kept[check] = (self._clock(), found)
        return found


class Overseen(Protocol):
    """What the steps look at of a session."""

    plan: Plan
    rebuild: Rebuild
    queue: QueueWatch | None
    store: LogStore | None
    levels: Levels
    state: model.TargetState
    target_pid: int | None
    breakpoints: int
    last_stop: str
    ended_because: str


@dataclass(frozen=True, slots=True)
class Sight:
    """What the steps look at."""

    session: Overseen | None
    subject: Subject
    checks: ToolChecks


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the way."""

    name: str
    key: str
    """The key or command that does it."""
    look: Callable[[Sight], Answer]
    wish: Wish | None = None
    """What choosing it does."""


def _checked(*ids: str) -> Callable[[Sight], Answer]:
    def look(sight: Sight) -> Answer:
        findings = [sight.checks.finding(sight.subject, check) for check in ids]
        for finding in findings:
            if finding.status == "fail":
                return Answer("failing", f"{finding.found}. {finding.fix.text}")
        told = findings[-1]
        return Answer("done", told.found) if told.asked else LATER

    return look


def _source(sight: Sight) -> Answer:
    checkout = sight.session.plan.checkout if sight.session is not None else None
    if checkout is None:
        return LATER
    return Answer("done", f"{checkout.release.describe()}, {checkout.root}")


def _dlv(sight: Sight) -> Answer:
    if sight.session is not None and sight.session.plan.free is not None:
        return Answer("done", "not needed: the scheduler runs free")
    return _checked("dlv")(sight)


def _build(sight: Sight) -> Answer:
    session = sight.session
    if session is None or session.plan.start is None:
        return LATER
    build = session.rebuild.state
    if build.phase == "building":
        return Answer("working", f"{build.step} {build.done}/{build.total}" if build.total else build.step)
    if build.phase == "failed":
        return Answer("failing", build.title)
    if build.why_stale:
        return Answer("next", f"build anew: {build.why_stale}")
    return Answer("done", session.plan.start.target)


def _started(sight: Sight) -> Answer:
    session = sight.session
    if session is None or session.state == "none":
        return LATER
    if session.state in ("exited", "lost"):
        return Answer("failing", session.ended_because or "it has ended")
    pid = f", pid {session.target_pid}" if session.target_pid else ""
    return Answer("done" if session.state in ("stopped", "running") else "working", f"{session.state}{pid}")


def _breakpoint(sight: Sight) -> Answer:
    session = sight.session
    if session is not None and session.plan.free is not None:
        return Answer("done", "not needed: the scheduler runs free")
    if session is None or not session.breakpoints:
        return LATER
    return Answer("done", f"{session.breakpoints} set")


def _stopped_in_loop(sight: Sight) -> Answer:
    session = sight.session
    if session is not None and session.plan.free is not None:
        return Answer("done", "not needed: the scheduler runs free")
    return Answer("done", session.last_stop) if session is not None and session.last_stop else LATER


def _log(sight: Sight) -> Answer:
    store = sight.session.store if sight.session is not None else None
    records = store.state().records if store is not None else 0
    return Answer("done", f"{records} records") if records else LATER


def _bound(sight: Sight) -> Answer:
    queue = sight.session.queue if sight.session is not None else None
    per_node = queue.ask(lambda fold: fold.snapshot().bound_per_node) if queue is not None else {}
    if not per_node:
        return LATER
    return Answer("done", f"{sum(per_node.values())} bindings on {len(per_node)} nodes")


def _levels(sight: Sight) -> Answer:
    if sight.session is None or _log(sight).state != "done":
        return LATER
    if sight.session.levels.note:
        return Answer("failing", sight.session.levels.note)
    known = "from the source" if sight.session.levels.sites is not None else "of well-known messages"
    return Answer("done", f"levels {known}; digits filter, V changes what is logged")


STEPS: tuple[Step, ...] = (
    Step("Go is there and new enough", ", o", _checked("go"), CommandRequested("doctor")),
    Step("GOROOT, GOPATH, PATH, proxy", ", o", _checked("go-env", "goproxy"), CommandRequested("doctor")),
    Step("source of one release", "schedtui source get", _source),
    Step("Delve, fit for the Go that builds", ", o", _dlv, CommandRequested("doctor")),
    Step("debug build", ", r", _build, RebuildRequested()),
    Step("a cluster that answers", ", o", _checked("kubeconfig", "server"), CommandRequested("doctor")),
    Step("scheduler started", "r", _started, DebuggerCommandRequested(model.Restart())),
    Step("breakpoint in the scheduling loop", "b s", _breakpoint,
         DebuggerCommandRequested(model.SetBreakpoint("ScheduleOne"))),
    Step("continued, its log streams", "c", _log, DebuggerCommandRequested(model.Continue())),
    Step("stopped there: stack, arguments, locals", "t s  t l", _stopped_in_loop,
         CommandRequested("go", "debugger")),
    Step("pods bound: who went where", ", q  t d", _bound, CommandRequested("go", "queue")),
    Step("V levels: what is logged, what is shown", ", v", _levels, CommandRequested("legend")),
    Step("analysis: waits, reasons, slowest pods", ":report", _bound, CommandRequested("report")),
)  # fmt: skip
"""The steps in their order."""


def overview_lines(sight: Sight) -> tuple[tuple[str, str, Wish | None], ...]:
    """The steps with their state: what is done, what fails and why, what comes next."""
    lines: list[tuple[str, str, Wish | None]] = []
    seen_next = False
    for number, step in enumerate(STEPS, 1):
        answer = step.look(sight)
        state = answer.state
        if state == "later" and not seen_next:
            state = "next"
        seen_next = seen_next or state in ("next", "failing")
        sign, role = SIGNS[state]
        short = f"  {answer.detail}" if answer.detail and state != "failing" else ""
        lines.append((f"{sign} {number:>2} {step.name:<40} {step.key:<20}{short}", role, step.wish))
        if state == "failing":
            lines.append((f"       {answer.detail}", "note", None))
    return tuple(lines)
