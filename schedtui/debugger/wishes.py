"""What is asked of the owner thread of dlv, as frozen values.

Owns the wishes' names and fields; which of them may be carried out when is ``commands``'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


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
