"""What is known of a target that ended: its last lines, and the facts that ``core.exit_cause`` needs.

Owns the reading of a log's end and of the target's flags.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from schedtui.core.exit_cause import TAIL_BYTES, ExitCause, ExitFacts, explain_exit
from schedtui.debugger.replies import read_banner

if TYPE_CHECKING:
    from schedtui.debugger.model import Launch

LAST_LINES = 12
"""How many of the target's lines are shown."""


def tail_lines(*paths: str) -> tuple[str, ...]:
    """The lines at the end of the first file that holds any."""
    for path in paths:
        lines = tuple(line for line in _tail_text(path).split("\n") if line.strip())
        if lines:
            return lines
    return ()


def _tail_text(path: str) -> str:
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - bytes from the end
            size = os.fstat(stream.fileno()).st_size
            stream.seek(max(0, size - TAIL_BYTES))
            return stream.read(TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def cause_of(
    launch: Launch, status: int, lines: tuple[str, ...], *, paused_seconds: float, ran_seconds: float
) -> ExitCause:
    """Why the target ended.

    Args:
        launch: What was started.
        status: dlv's exit status; minus the signal's number when a signal ended it.
        lines: The end of its log.
        paused_seconds: The longest time it was held without a break.
        ran_seconds: How long it was there.
    """
    flags = flags_of(launch.arguments)
    elect = flags.get("leader-elect")
    port = flags.get("secure-port", "")
    facts = ExitFacts(
        log_tail=lines,
        status=status if status >= 0 else None,
        signal=-status if status < 0 else None,
        ran_seconds=ran_seconds,
        paused_seconds=paused_seconds,
        leader_elect=None if elect is None else elect.lower() not in ("false", "0", "f"),
        release=launch.release or "",
        kubeconfig=flags.get("kubeconfig", ""),
        config=flags.get("config", ""),
        port=int(port) if port.isdigit() else None,
    )
    return explain_exit(facts)


def flags_of(arguments: tuple[str, ...]) -> dict[str, str]:
    """``--name=value`` and ``--name value`` as pairs; a flag without a value counts as true."""
    flags: dict[str, str] = {}
    waiting = ""
    for argument in arguments:
        if argument.startswith("-"):
            name, separator, value = argument.lstrip("-").partition("=")
            flags[name] = value if separator else "true"
            waiting = "" if separator else name
        elif waiting:
            flags[waiting], waiting = argument, ""
    return flags


def is_plain_interrupt(text: str) -> bool:
    """True when a target stopped only because it was asked to: no breakpoint was hit, it did not end."""
    banner = read_banner(text)
    return "has exited with status" not in text and (banner is None or not (banner.breakpoint or banner.watched))
