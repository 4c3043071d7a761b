"""What is seen of a target: frames, variables, breakpoints, goroutines, a stop.

Owns these values alone; where they come from is ``inspector``'s and ``keeper``'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


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
