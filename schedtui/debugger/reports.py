"""What the owner thread of dlv tells, as frozen values.

Owns the events' names and fields; whoever shows them decides how.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from schedtui.config.state import KeptBreakpoint
    from schedtui.debugger.target_values import Breakpoint, Goroutine, Stop, Variable

TargetState = Literal["none", "building", "starting", "stopped", "running", "exited", "lost"]
"""``none``: no debuggee. ``exited``: the target ended, dlv is there. ``lost``: dlv itself is gone."""


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The target's state, and what is going on in words."""

    state: TargetState
    detail: str = ""
    target_pid: int | None = None
    dlv_pid: int | None = None
    log_path: str | None = None
    """The file that the target's stderr goes to in this run."""
    exit_status: int | None = None
    stdout_path: str | None = None
    """The file that the target's stdout goes to in this run."""
    run: int = 0
    """Which run of the target this is, 1-based; 0 without a target."""
    cause: str = ""
    """Why the target ended, in words, when its last log lines or the pause before tell."""
    cause_id: str = ""
    """Which of ``core.exit_cause``'s causes that is; empty while the target lives."""
    advice: str = ""
    """What to do about the cause."""
    evidence: tuple[str, ...] = ()
    """The log lines that show the cause, literal."""
    last_output: tuple[str, ...] = ()
    """The last lines of dlv (state ``lost``) or of the target (state ``exited``)."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The target stopped (or another frame or goroutine was selected)."""

    stop: Stop


@dataclass(frozen=True, slots=True)
class BreakpointsChanged:
    """dlv's own list, after any change."""

    breakpoints: tuple[Breakpoint, ...]
    kept: tuple[KeptBreakpoint, ...] = ()
    """What to write down for the next session."""
    differences: tuple[str, ...] = ()
    """Where dlv's list and ours part: moved, not set again, typed by hand; one line each."""


@dataclass(frozen=True, slots=True)
class ConsoleOutput:
    """Text for the console: literal, may hold several lines."""

    text: str
    kind: Literal["echo", "output", "note", "error", "trace"] = "output"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The answer to ``Evaluate``."""

    ticket: int
    variable: Variable


@dataclass(frozen=True, slots=True)
class GoroutinesListed:
    """The answer to ``ListGoroutines``."""

    goroutines: tuple[Goroutine, ...]
    total: int = 0


@dataclass(frozen=True, slots=True)
class FunctionsFound:
    """The answer to ``FindFunctions``."""

    ticket: int
    functions: tuple[str, ...]
    total: int = 0


@dataclass(frozen=True, slots=True)
class QueueRead:
    """The answer to ``ReadQueue``."""

    lines: tuple[str, ...]
    """One line for each queue: its name, its length, its pods."""
    where: str
    """The expression that was read, and in which frame."""


@dataclass(frozen=True, slots=True)
class Traced:
    """A tracepoint was passed: a record for the log pane's timeline."""

    at: float
    """When the line arrived, seconds since the epoch."""
    goroutine: int
    text: str
    """The tracepoint's line and the values printed under it, joined by line feeds."""


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """dlv asks something that policy leaves to the user; answer with ``Answer``."""

    question: str
    choices: tuple[str, ...]
    safe: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A command could not be carried out."""

    title: str
    hint: str = ""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerbositySet:
    """The target's verbosity as read back; None when no path resolved."""

    v: int | None
    detail: str = ""


Event = (
    StateChanged | Stopped | BreakpointsChanged | ConsoleOutput | Evaluated | GoroutinesListed | QuestionAsked
    | Failed | VerbositySet | FunctionsFound | Traced | QueueRead
)  # fmt: skip
"""What the driver posts."""
