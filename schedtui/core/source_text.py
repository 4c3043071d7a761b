"""One source file as it is shown: its lines, or the reason why there are none.

Owns the value that crosses from whoever reads files to whoever shows them. It reads nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file as it is shown, or the reason why it is not."""

    path: str
    """As dlv or the user named it; empty for none."""
    lines: tuple[str, ...] = ()
    """Its lines without line ends."""
    reason: str = ""
    """Why there is nothing to show; empty when there is."""
    log_calls: Mapping[int, str] = field(default_factory=dict)
    """1-based line of a log call → its mark, ``V3 x214``."""


NO_SOURCE = SourceText("", reason="No source yet: it comes up where the scheduler stops.")
"""Before the first stop."""
