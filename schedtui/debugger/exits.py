"""Why the target ended, told from its last lines, its status and how long it had been paused.

Owns the table of causes (kube-scheduler 1.19 to 1.37) and the reading of a log's end.
"""

from __future__ import annotations

import os
import re

from schedtui.debugger.replies import read_banner

TAIL_BYTES = 65536
"""How much of a log's end is read."""

LAST_LINES = 12
"""How many lines are shown."""

LEASE_SECONDS = 10.0
"""client-go's default renew deadline: a pause longer than that loses the leader lease."""

_CAUSES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"[Ll]eaderelection lost|failed to renew lease|leader election lost"),
        "the leader lease was lost{paused}: start with --leader-elect=false on a cluster of your own",
    ),
    (
        re.compile(r"bind: address already in use|address already in use"),
        "its port is taken: another scheduler runs here (--secure-port N chooses another)",
    ),
    (
        re.compile(r"unknown (?:shorthand )?flag[^\n]*"),
        "a flag is unknown to this release: {match}",
    ),
    (
        re.compile(
            r"(?:stat|open) (\S+): no such file or directory|invalid configuration: no configuration has been"
        ),
        "a file that it was told to read is missing: {match}",
    ),
    (
        re.compile(
            r"no kind \S+ is registered[^\n]*|strict decoding error[^\n]*|couldn't (?:load|decode)[^\n]*", re.I
        ),
        "its configuration does not fit this release: {match}",
    ),
    (
        re.compile(
            r"connection refused|no such host|i/o timeout|certificate signed by unknown authority|x509: [^\n]*"
        ),
        "the API server does not answer as needed: {match}",
    ),
    (re.compile(r"\bUnauthorized\b|is forbidden:[^\n]*"), "the API server does not let it in: {match}"),
    (re.compile(r"^panic: [^\n]*|Observed a panic[^\n]*", re.M), "it panicked: {match}"),
    (re.compile(r"^fatal error: [^\n]*", re.M), "the Go runtime gave up: {match}"),
)


def last_lines(*paths: str, count: int = LAST_LINES) -> tuple[str, ...]:
    """The last lines of the first file that holds any."""
    for path in paths:
        text = tail_text(path)
        lines = [line for line in text.split("\n") if line.strip()]
        if lines:
            return tuple(lines[-count:])
    return ()


def tail_text(path: str) -> str:
    """The end of a file as text; empty when it cannot be read."""
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - bytes from the end
            size = os.fstat(stream.fileno()).st_size
            stream.seek(max(0, size - TAIL_BYTES))
            return stream.read(TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def cause_of(status: int, lines: tuple[str, ...], *, paused_seconds: float = 0.0) -> str:
    """The likely cause in words; empty when nothing tells it.

    Args:
        status: Exit status; minus the signal's number when a signal ended it.
        lines: The target's last lines.
        paused_seconds: How long it stood still before it ran on to its end.
    """
    text = "\n".join(lines)
    for pattern, words in _CAUSES:
        if match := pattern.search(text):
            paused = f" while paused for {paused_seconds:.0f} s" if paused_seconds >= LEASE_SECONDS else ""
            return words.format(match=match[0].strip()[:200], paused=paused)
    if status == -9:
        return "it was killed (SIGKILL), by somebody or for lack of memory"
    if status < 0:
        return f"it was ended by signal {-status}"
    return ""


def is_plain_interrupt(text: str) -> bool:
    """True when a target stopped only because it was asked to: no breakpoint was hit, it did not end."""
    banner = read_banner(text)
    return "has exited with status" not in text and (banner is None or not (banner.breakpoint or banner.watched))
