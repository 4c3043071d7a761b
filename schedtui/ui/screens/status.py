"""What the status line says, made from plain facts.

Owns the words for the target's state and the rule that the filter's level and the running verbosity are never
mixed up: ``show V≤4`` is what is shown, ``runs at -v 5`` what the scheduler writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.ui.widgets.bars import StatusPart

if TYPE_CHECKING:
    from schedtui.debugger.model import TargetState

STATE_WORDS: dict[TargetState, str] = {
    "none": "no debugger",
    "building": "building",
    "starting": "starting",
    "stopped": "stopped",
    "running": "running",
    "exited": "exited",
    "lost": "dlv is gone",
}
"""State → the word that is shown."""

STATE_SIGNS: dict[TargetState, str] = {
    "none": "-", "building": "…", "starting": "…", "stopped": "■", "running": "▶", "exited": "x", "lost": "!",
}  # fmt: skip
"""State → a sign that tells it without colour."""

STATE_ROLES: dict[TargetState, str] = {
    "stopped": "target-stopped", "running": "target-running", "exited": "target-exited", "lost": "target-exited",
}  # fmt: skip
"""State → role; the others are plain."""

LEASE_SECONDS = 10.0
"""A leader gives up when it could not renew its lease for this long: the renew deadline, client-go's default."""


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """What is known at one moment."""

    state: TargetState = "none"
    detail: str = ""
    cause: str = ""
    """Why the target ended, in words; empty while it lives."""
    stopped_at: float | None = None
    """Seconds since the epoch; None while it is not stopped."""
    since: float | None = None
    """When the present state began, seconds since the epoch: told while it is built or started."""
    leader_election: bool = False
    """True when the target elects a leader: then a long stop costs it the lease."""
    at_entry: bool = False
    """True where nothing of it has run yet: it holds no lease that it could lose."""
    level: int | None = None
    """The log's level filter; None without a log."""
    level_lines: int = 0
    """Records that the filter shows."""
    hidden_lines: int = 0
    """Records that the filter hides."""
    unknown_levels: int = 0
    """Info records without a known level; they stay visible."""
    verbosity: int | None = None
    """The running scheduler's ``-v``; None when unknown."""
    release: str = ""
    progress: str = ""
    """What is going on in the background; empty for nothing."""
    log_note: str = ""
    """Waiting for the file, lag, no events; empty when all is well."""
    lab_note: str = ""
    """Which part of the lab died; empty when all is well."""
    stale: str = ""
    """Why the program is not what the source would give now; empty when it is."""


def status_parts(facts: StatusFacts, now: float, *, has_debugger: bool) -> tuple[StatusPart, ...]:
    """The groups of the status line, the most important with the highest priority."""
    parts: list[StatusPart] = []
    if has_debugger:
        parts.append(StatusPart(_state_text(facts, now), STATE_ROLES.get(facts.state, ""), 100))
        if facts.detail:
            parts.append(StatusPart(facts.detail, "", 50, flexible=True))
        if facts.cause:
            parts.append(StatusPart(facts.cause, "bad", 75, flexible=True))
        leads = facts.leader_election and not facts.at_entry
        if facts.state == "stopped" and leads and facts.stopped_at is not None:
            parts.append(_lease_part(now - facts.stopped_at))
    if facts.level is not None:
        parts.append(StatusPart(_level_text(facts), "", 80))
    if has_debugger or facts.verbosity is not None:
        running = "?" if facts.verbosity is None else str(facts.verbosity)
        parts.append(StatusPart(f"runs at -v {running}", "", 70))
    parts.append(StatusPart(facts.lab_note, "bad", 78, flexible=True))
    parts.append(StatusPart(facts.progress, "note", 60))
    parts.append(StatusPart(facts.log_note, "warning", 55, flexible=True))
    parts.append(StatusPart(facts.stale, "warning", 40, flexible=True))
    parts.append(StatusPart(facts.release, "dim", 20))
    return tuple(part for part in parts if part.text)


def _state_text(facts: StatusFacts, now: float) -> str:
    text = f" {STATE_SIGNS[facts.state]} {STATE_WORDS[facts.state]}"
    if facts.state == "stopped" and facts.stopped_at is not None:
        text += f" {clock(now - facts.stopped_at)}"
    elif facts.state in ("building", "starting") and facts.since is not None and now - facts.since >= 1:
        text += f" {clock(now - facts.since)}"
    return text + " "


def _lease_part(paused: float) -> StatusPart:
    left = LEASE_SECONDS - paused
    if left > 0:
        return StatusPart(f"lease lost in {left:.0f}s", "warning", 90)
    return StatusPart("lease lost: it will exit on continue", "bad", 90)


def _level_text(facts: StatusFacts) -> str:
    level = "all" if facts.level is None or facts.level >= 10 else f"V≤{facts.level}"
    text = f"show {level}: {facts.level_lines}"
    if facts.hidden_lines:
        text += f" ({facts.hidden_lines} hidden)"
    if facts.unknown_levels:
        text += f" V? {facts.unknown_levels}"
    return text


def clock(seconds: float) -> str:
    """A span as a clock: ``0:07``, ``12:30``, ``1:05:00``."""
    whole = int(max(0.0, seconds))
    if whole >= 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02}:{whole % 60:02}"
    return f"{whole // 60}:{whole % 60:02}"
