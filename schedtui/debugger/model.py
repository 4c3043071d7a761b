"""The debugger's state and its wishes, as frozen values.

Owns the vocabulary between the owner thread of dlv and whoever shows it: commands go in, events come out. It
neither talks to dlv (``session``) nor parses its text (``replies``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from schedtui.config.state import KeptBreakpoint

TargetState = Literal["none", "building", "starting", "stopped", "running", "exited", "lost"]
"""``none``: no debuggee. ``exited``: the target ended, dlv is there. ``lost``: dlv itself is gone."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a goroutine's stack."""

    index: int
    """0 is the innermost."""
    function: str
    """Full Go name, ``k8s.io/kubernetes/pkg/scheduler.(*Scheduler).ScheduleOne``; empty when unknown."""
    file: str
    """Absolute path as dlv tells it (after path substitution); empty when unknown."""
    line: int
    """1-based."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A value in the target, loaded as far as was asked for."""

    name: str
    type: str
    value: str
    """One line that a person can read; long strings are cut and say so."""
    kind: str = ""
    """Go's reflect kind in lower case: ``struct``, ``ptr``, ``map``, ``slice``, ``string`` …"""
    expression: str = ""
    """What to evaluate to get this value again (for lazy loading); empty when there is none."""
    children: tuple[Variable, ...] = ()
    has_more: bool = False
    """True when there are children (or bytes of a string) that were not loaded."""
    length: int = 0
    """Elements of a slice or map, bytes of a string."""
    unreadable: str = ""
    """Why it cannot be read; empty when it can."""
    changed: bool = False
    """True when it differs from what the same expression held at the stop before."""
    text: str = ""
    """The loaded part of a string as it is, neither quoted nor made visible: to copy; empty for other kinds."""
    view: tuple[str, ...] = ()
    """A Kubernetes or scheduler type as people read it, one line each (answers to ``Evaluate`` only)."""


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A breakpoint as dlv has it."""

    id: int
    location: str
    """What was asked for, or the function it stands in."""
    file: str = ""
    line: int = 0
    function: str = ""
    name: str = ""
    enabled: bool = True
    condition: str = ""
    hit_count: int = 0
    tracepoint: bool = False
    watch: bool = False
    suspended: bool = False
    """True when it will be set only once the target is restarted."""
    hit_condition: str = ""
    """``> 5``, ``== 3``; with ``per goroutine`` behind it when hits are counted per goroutine."""
    asked: str = ""
    """What the user or the catalogue asked for; empty for a breakpoint that was typed into dlv."""
    pod: str = ""
    """``ns/name`` when it stops for one pod only."""
    note: str = ""
    """What it became, why it is not set, what it costs; empty when there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Goroutine:
    """One goroutine of the stopped target."""

    id: int
    function: str
    file: str
    line: int
    role: str = ""
    """What it does: ``scheduling loop``, ``binding of shop/web-1``, ``informer`` …; empty when unknown."""
    selected: bool = False
    status: str = ""
    start_function: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """Everything that is shown of a stopped target."""

    reason: Literal["entry", "breakpoint", "step", "interrupt", "watch", "panic", "unknown"]
    title: str
    """One line: which breakpoint, or why it stopped."""
    goroutine: int = 0
    breakpoint_id: int = 0
    frames: tuple[Frame, ...] = ()
    selected_frame: int = 0
    arguments: tuple[Variable, ...] = ()
    locals: tuple[Variable, ...] = ()
    watches: tuple[Variable, ...] = ()
    note: str = ""
    """What the user should know: optimised code, step changed goroutine, lease at risk."""
    at: float = 0.0
    """When it stopped, seconds since the epoch."""
    returned: tuple[Variable, ...] = ()
    """What the function that was stepped out of returned."""
    pod: str = ""
    """``ns/name`` of the pod that this goroutine is at work on, when a frame tells it."""
    optimised: bool = False
    """True when the selected frame is optimised code, in which lines jump and values are missing."""


# --- commands: what the UI asks of the owner thread -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Continue:
    """Let the target run."""


@dataclass(frozen=True, slots=True)
class Step:
    """Step the selected goroutine."""

    how: Literal["next", "step", "stepout", "step-instruction", "next-instruction"] = "next"


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Stop a running target; goes ahead of everything queued."""


@dataclass(frozen=True, slots=True)
class Restart:
    """Start the target anew, with the next run's log file; breakpoints are kept."""

    fresh: bool = False
    """End dlv too and start a new one: after a rebuild, or when dlv is lost (then always)."""


@dataclass(frozen=True, slots=True)
class SelectFrame:
    """Show another frame of the selected goroutine."""

    index: int


@dataclass(frozen=True, slots=True)
class SelectGoroutine:
    """Make another goroutine the selected one."""

    id: int


@dataclass(frozen=True, slots=True)
class SetBreakpoint:
    """Set a breakpoint; a running target is interrupted for it and continued."""

    location: str
    """A catalogue name (``ScheduleOne``, ``Pop``), a documented spelling, ``file:line`` or any dlv location."""
    condition: str = ""
    name: str = ""
    tracepoint: bool = False
    pod: str = ""
    """``ns/name``: stop for this pod only; the condition is written from the catalogue."""
    hit_condition: str = ""
    """``> 5``, ``% 10``, ``== 3``; ``per goroutine`` behind it counts per goroutine."""
    message: str = ""
    """The log message at that line, when it comes from a record: finds the line again after a rebuild."""
    prints: tuple[str, ...] = ()
    """Expressions that a tracepoint prints at each hit."""


@dataclass(frozen=True, slots=True)
class SetBreakpoints:
    """Turn a set of the catalogue on or off as one: ``scheduling``, ``queue``, ``preemption``, ``binding``."""

    name: str
    on: bool = True
    pod: str = ""
    """``ns/name``: stop for this pod only, where the station can tell."""


@dataclass(frozen=True, slots=True)
class SetWatchpoint:
    """Stop when the memory of an expression is written (or read); the target must be stopped."""

    expression: str
    how: Literal["write", "read", "readwrite"] = "write"


@dataclass(frozen=True, slots=True)
class SetValue:
    """Change a value in the stopped target."""

    expression: str
    value: str


@dataclass(frozen=True, slots=True)
class FindFunctions:
    """Answer with ``FunctionsFound``: the target's functions that match a regular expression."""

    pattern: str
    ticket: int = 0
    limit: int = 500


@dataclass(frozen=True, slots=True)
class ReadQueue:
    """Answer with ``QueueRead``: the scheduling queue as it is in the stopped target's memory."""


@dataclass(frozen=True, slots=True)
class SelectPodGoroutine:
    """Make the goroutine that binds this pod, or has it in its frames, the selected one."""

    pod: str
    """``ns/name``."""


@dataclass(frozen=True, slots=True)
class AmendBreakpoint:
    """Change or clear a breakpoint."""

    id: int
    action: Literal["clear", "enable", "disable", "condition", "hitcount"]
    value: str = ""


@dataclass(frozen=True, slots=True)
class Console:
    """A line typed by the user, sent to dlv after the documented spellings were understood."""

    text: str


@dataclass(frozen=True, slots=True)
class Evaluate:
    """Evaluate an expression and answer with ``Evaluated``."""

    expression: str
    ticket: int = 0
    full: bool = False
    """Load strings, maps and slices much further than usual."""
    quiet: bool = False
    """Answer with an unreadable value where dlv cannot evaluate it, instead of ``Failed``."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Add or remove a watched expression."""

    expression: str
    remove: bool = False


@dataclass(frozen=True, slots=True)
class ListGoroutines:
    """Answer with ``GoroutinesListed``."""

    limit: int = 500


@dataclass(frozen=True, slots=True)
class SetVerbosity:
    """Set klog's verbosity in the stopped target's memory (design section 5)."""

    v: int


@dataclass(frozen=True, slots=True)
class CountPasses:
    """Look how often a measured breakpoint was passed: the owner thread's own wish, while the target runs."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The user's answer to a question that dlv asked."""

    text: str


Command = (
    Continue | Step | Interrupt | Restart | SelectFrame | SelectGoroutine | SetBreakpoint | AmendBreakpoint
    | Console | Evaluate | Watch | ListGoroutines | SetVerbosity | Answer | SetBreakpoints | SetWatchpoint
    | SetValue | FindFunctions | SelectPodGoroutine | ReadQueue
    | CountPasses
)  # fmt: skip
"""What can be submitted to the driver."""


# --- events: what the owner thread tells ----------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class Launch:
    """How to get a debuggee."""

    dlv: str
    """Path of the dlv binary."""
    mode: Literal["exec", "debug", "test", "attach", "connect"] = "exec"
    target: str = ""
    """Binary, package, pid or address, as the mode wants."""
    arguments: tuple[str, ...] = ()
    """The target's own arguments."""
    working_directory: str = ""
    run_directory: str = ""
    """0700 directory for this session: run logs, socket, dlv configuration."""
    source: str = ""
    """Root of the source tree; empty without one."""
    release: str | None = None
    """Release of the source, ``v1.36.3``."""
    persistent: bool = False
    """Run dlv headless on a unix socket so that it outlives a dropped line."""
    substitute_paths: tuple[tuple[str, str], ...] = field(default_factory=tuple)
    """(from, to) pairs for dlv's path substitution."""
    continue_at_once: bool = False
    build_flags: tuple[str, ...] = ()
    """For ``debug`` and ``test``."""
    environment: tuple[tuple[str, str], ...] = ()
    """Added to the target's environment."""
    log_directory: str = ""
    """Where each run's log is kept (``config.run_logs``); empty: in ``run_directory``."""
    log_label: str = ""
    """What is run, for the names of the logs: ``lab-v1.36.3``."""
    ignore_go_version: bool = False
    """Start dlv although it says that it does not fit the Go of the target."""
