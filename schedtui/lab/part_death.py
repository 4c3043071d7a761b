"""Why a part of the lab died.

Owns the words for an exit code and the search for a cause: in the part's last lines, then on the disk. What lines
mean is ``core.exit_cause``'s. It changes nothing.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from schedtui.config.files import FULL_BYTES, free_bytes
from schedtui.core.exit_cause import ExitCause, ExitFacts, explain_disk, explain_exit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TELLING_NOTHING = ("unknown", "signal", "ended")
"""Causes that say no more than the exit code does."""


def describe_exit(exit_code: int) -> str:
    """``ended with exit code 1``, ``was killed by SIGKILL``."""
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    try:
        return f"was killed by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"was killed by signal {-exit_code}"


def death_text(name: str, exit_code: int, cause: str) -> str:
    """One line: the part, how it ended, and why."""
    return f"{name} {describe_exit(exit_code)}{f': {cause[:1].lower()}{cause[1:]}' if cause else ''}"


def cause_of_death(name: str, exit_code: int, lines: Sequence[str], directory: Path) -> ExitCause | None:
    """Why a part died; ``None`` when nothing tells.

    Args:
        name: The part.
        exit_code: Its exit code; a signal counts negative.
        lines: The end of its log. On a full disk it holds nothing of the end.
        directory: The lab's, where all parts write.
    """
    if free_bytes(directory) < FULL_BYTES:
        lines = (*lines, f"write {directory}: no space left on device")
    if name != "kube-scheduler":
        return explain_disk(lines)
    facts = ExitFacts(
        log_tail=lines,
        status=exit_code if exit_code >= 0 else None,
        signal=-exit_code if exit_code < 0 else None,
        leader_elect=False,
    )
    cause = explain_exit(facts)
    return None if cause.id in TELLING_NOTHING else cause
