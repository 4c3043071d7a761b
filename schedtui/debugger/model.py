"""The debugger's state and its wishes, as frozen values: the one door to them for whoever shows the debugger.

Owns the vocabulary between the owner thread of dlv and the screen: commands (``wishes``) go in, events
(``reports``) come out, both speak of the target in ``target_values``. It neither talks to dlv (``session``) nor
parses its text (``replies``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from schedtui.debugger.reports import (
    BreakpointsChanged,
    ConsoleOutput,
    Evaluated,
    Event,
    Failed,
    FunctionsFound,
    GoroutinesListed,
    QuestionAsked,
    QueueRead,
    StateChanged,
    Stopped,
    TargetState,
    Traced,
    VerbositySet,
)
from schedtui.debugger.target_values import (
    Breakpoint,
    Frame,
    Goroutine,
    Stop,
    Variable,
)
from schedtui.debugger.wishes import (
    AmendBreakpoint,
    Answer,
    Command,
    Console,
    Continue,
    CountPasses,
    Evaluate,
    FindFunctions,
    Interrupt,
    ListGoroutines,
    ReadQueue,
    Restart,
    SelectFrame,
    SelectGoroutine,
    SelectPodGoroutine,
    SetBreakpoint,
    SetBreakpoints,
    SetValue,
    SetVerbosity,
    SetWatchpoint,
    Step,
    Watch,
)


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


__all__ = [
    "AmendBreakpoint",
    "Answer",
    "Breakpoint",
    "BreakpointsChanged",
    "Command",
    "Console",
    "ConsoleOutput",
    "Continue",
    "CountPasses",
    "Evaluate",
    "Evaluated",
    "Event",
    "Failed",
    "FindFunctions",
    "Frame",
    "FunctionsFound",
    "Goroutine",
    "GoroutinesListed",
    "Interrupt",
    "Launch",
    "ListGoroutines",
    "QuestionAsked",
    "QueueRead",
    "ReadQueue",
    "Restart",
    "SelectFrame",
    "SelectGoroutine",
    "SelectPodGoroutine",
    "SetBreakpoint",
    "SetBreakpoints",
    "SetValue",
    "SetVerbosity",
    "SetWatchpoint",
    "StateChanged",
    "Step",
    "Stop",
    "Stopped",
    "TargetState",
    "Traced",
    "Variable",
    "VerbositySet",
    "Watch",
]
