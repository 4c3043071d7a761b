"""The way from Go set-up to log analysis as steps with their live state.

Owns the steps of the tutorial's overview as data and how the state of each is found. It mends nothing; each step
names the key or command that goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from schedtui.debugger import model
from schedtui.toolchain.doctor.model import Subject
from schedtui.toolchain.doctor.run import run_checks
from schedtui.ui.messages import CommandRequested, DebuggerCommandRequested, Wish

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.ui.services.session import Session

StepState = Literal["done", "failing", "next", "later"]
"""Where a step is."""

SIGNS: dict[StepState, tuple[str, str]] = {
    "done": ("✓", "good"), "failing": ("x", "bad"), "next": ("▶", "key"), "later": ("·", "dim"),
}  # fmt: skip
"""State → (sign, role)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the way."""

    name: str
    key: str
    """The key or command that does it."""
    done: Callable[[Session | None], bool | str]
    """True when done, False when not yet, a text when it fails and why."""
    wish: Wish | None = None
    """What choosing it does."""


def _checked(check_id: str) -> Callable[[Session | None], bool | str]:
    def look(session: Session | None) -> bool | str:
        source = session.plan.checkout.root if session is not None and session.plan.checkout is not None else None
        finding = next(iter(run_checks(Subject(source=source), (check_id,))))
        return True if finding.status != "fail" else f"{finding.found}. {finding.fix.text}"

    return look


def _has_source(session: Session | None) -> bool:
    return session is not None and session.plan.checkout is not None


def _has_target(session: Session | None) -> bool:
    return session is not None and session.state in ("stopped", "running")


def _has_breakpoint(session: Session | None) -> bool:
    return session is not None and session.breakpoints > 0


def _has_log(session: Session | None) -> bool:
    return session is not None and session.store is not None and session.store.state().records > 0


def _has_bound(session: Session | None) -> bool:
    return session is not None and session.queue is not None and bool(
        session.queue.ask(lambda fold: fold.snapshot().bound_per_node)
    )  # fmt: skip


STEPS: tuple[Step, ...] = (
    Step("Go set up: version, GOROOT, GOPATH, PATH", ", o doctor", _checked("go"), CommandRequested("doctor")),
    Step("Go proxy answers, environment is sane", ", o doctor", _checked("go-env"), CommandRequested("doctor")),
    Step("source of one release", "schedtui source get v1.36.3 DIR, or the lab", _has_source),
    Step("Delve installed, fit for this Go", ", o doctor", _checked("dlv"), CommandRequested("doctor")),
    Step("debug build, started under dlv", "schedtui --src DIR, or schedtui lab", _has_target),
    Step(
        "breakpoint in the scheduling loop", "b s", _has_breakpoint,
        DebuggerCommandRequested(model.SetBreakpoint("ScheduleOne")),
    ),
    Step("scheduler continued, its log streams", "c", _has_log, DebuggerCommandRequested(model.Continue())),
    Step("pods bound; who went where, and why not", ", q then right", _has_bound),
    Step("V levels understood", ", v", _has_log, CommandRequested("legend")),
)  # fmt: skip
"""The steps in their order (tutorial, part 2.6)."""


def overview_lines(session: Session | None) -> tuple[tuple[str, str, Wish | None], ...]:
    """The steps with their state: what is done, what fails and why, what comes next."""
    lines: list[tuple[str, str, Wish | None]] = []
    seen_next = False
    for number, step in enumerate(STEPS, 1):
        answer = step.done(session)
        state: StepState = "done" if answer is True else "failing" if isinstance(answer, str) else "later"
        if state == "later" and not seen_next:
            state, seen_next = "next", True
        sign, role = SIGNS[state]
        lines.append((f"{sign} {number}. {step.name:<44} {step.key}", role, step.wish))
        if isinstance(answer, str):
            lines.append((f"     {answer}", "note", None))
    return tuple(lines)
