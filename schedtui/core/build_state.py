"""How far a build beside a running session is, as one value to paint.

Owns the value. Building is ``toolchain.build``'s, painting ``ui``'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BuildPhase = Literal["idle", "building", "done", "failed", "cancelled"]
"""Whether a build goes on, and how the last one ended."""


@dataclass(frozen=True, slots=True)
class BuildError:
    """One line of a failed build."""

    text: str
    """As it came."""
    file: str = ""
    """Absolute path of the place it names; empty when it names none."""
    line: int = 0
    """1-based; 0 when it names none."""


@dataclass(frozen=True, slots=True)
class BuildState:
    """A build, or that there is none."""

    number: int = 0
    """Which build of the session it is, 1-based; 0 before the first."""
    phase: BuildPhase = "idle"
    target: str = ""
    """What is built."""
    step: str = ""
    """What is being done, in words: ``compiling packages``."""
    done: int = 0
    """Packages compiled."""
    total: int = 0
    """Packages to compile; 0 while unknown."""
    elapsed: float = 0.0
    """Seconds since the start."""
    left: float | None = None
    """Seconds that are likely left; None when nothing tells."""
    current: str = ""
    """The package at hand."""
    title: str = ""
    """How it went, one line; empty while it goes."""
    errors: tuple[BuildError, ...] = ()
    """The lines of a failed build."""
    hint: str = ""
    """What to do about a failure."""
    notes: tuple[str, ...] = ()
    """What a user should know of the result."""
    binary: str = ""
    """The program."""
    why_stale: str = ""
    """Why it should be built anew; empty when it is what the tree gives."""

    @property
    def over(self) -> bool:
        """True when nothing goes on."""
        return self.phase != "building"
