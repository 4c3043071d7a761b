"""What the parts that carry out commands may ask of the engine.

Owns the two protocols and nothing else: the engine knows its parts, and they know only this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from schedtui.debugger.breakpoints import SourceTree
    from schedtui.debugger.conversation import Conversation
    from schedtui.debugger.inspector import Inspector, Reason
    from schedtui.debugger.model import (
        AmendBreakpoint,
        Event,
        Restart,
        SetBreakpoint,
        SetBreakpoints,
        SetWatchpoint,
        Stop,
        TargetState,
    )
    from schedtui.debugger.paths import PathMap


class Breakpoints(Protocol):
    """The keeper of breakpoints as commands use it."""

    def set(self, bench: Workbench, command: SetBreakpoint, *, typed: bool = False) -> None:
        """Set one."""

    def set_group(self, bench: Workbench, command: SetBreakpoints) -> None:
        """Turn a set of the catalogue on or off."""

    def amend(self, bench: Workbench, command: AmendBreakpoint) -> None:
        """Change or clear one."""

    def watch(self, bench: Workbench, command: SetWatchpoint) -> None:
        """Set a watchpoint."""

    def functions(self, bench: Workbench, pattern: str) -> tuple[str, ...]:
        """The target's functions that match."""
        ...


class Workbench(Protocol):
    """The engine as its parts see it."""

    state: TargetState
    source: SourceTree | None
    paths: PathMap
    function_lists: dict[str, tuple[str, ...]]
    """Lists of functions that were asked for already, by pattern; of this dlv."""

    @property
    def breakpoints(self) -> Breakpoints:
        """The breakpoints of the session."""
        ...

    @property
    def talk(self) -> Conversation:
        """The conversation with a living dlv."""
        ...

    @property
    def inspector(self) -> Inspector:
        """The reader of the stopped target."""
        ...

    def post(self, event: Event) -> None:
        """Tell something."""

    def say(self, text: str, kind: str = "note") -> None:
        """Put text into the console."""

    def show(self, stop: Stop | None) -> None:
        """Post what is to be shown of the stopped target."""

    def resume(self, line: str, reason: Reason, *, typed: bool = False) -> None:
        """Send a command that lets the target run."""

    def restart(self, command: Restart) -> None:
        """Start the target anew."""

    def debugger_seconds(self) -> float | None:
        """Processor time of the dlv that holds the target; None where it is not on this machine."""
        ...

    def keep_watches(self, watches: tuple[str, ...]) -> None:
        """Remember the watched expressions for the next dlv."""

    def after_typing(self, *, changes_values: bool) -> None:
        """Something was typed: show what it may have changed."""
