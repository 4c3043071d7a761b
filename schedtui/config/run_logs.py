"""The kept logs of earlier runs: their names, their list, and which of them go.

Owns the directory of run logs. It neither reads nor writes what is in them: the scheduler's stderr goes there by
dlv's or the shell's redirection, ``sources.tail`` reads it.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from schedtui.config.files import private_directory
from schedtui.core.errors import UnreadableInput

if TYPE_CHECKING:
    from pathlib import Path

STAMP_FORMAT = "%Y%m%dT%H%M%SZ"
"""When a session began, UTC, in a form that sorts by name."""

RECENT_SECONDS = 3600
"""A log written to this recently is never pruned: a detached or persistent target may still write to it."""

_NAME = re.compile(r"(?P<stamp>\d{8}T\d{6}Z)_(?P<label>[A-Za-z0-9.+-]*)_(?P<pid>\d+)-(?P<run>\d+)\.log")


@dataclass(frozen=True, slots=True)
class RunLog:
    """One kept log."""

    path: Path
    started: datetime
    """When the session of this run began, UTC."""
    label: str
    """What was run: ``lab-v1.36.3``, the checkout's name."""
    pid: int
    """The schedtui process that made it."""
    run: int
    """1-based within the session: each restart has its own log."""
    size: int
    """Bytes."""
    changed: float
    """Time of the last write, seconds since the epoch."""


def new_run_log(directory: Path, label: str, *, run: int = 1, now: datetime | None = None) -> Path:
    """Make an empty private log file for a run and return its path.

    Args:
        directory: ``directories().run_logs``.
        label: What is run; letters that do not fit a file name become ``-``.
        run: 1 for the first start of a session, then one more for each restart (same ``now`` for the session).
        now: When the session began, UTC; the present moment when left out.

    Raises:
        UnreadableInput: The file cannot be made.
    """
    private_directory(directory)
    stamp = (now or datetime.now(UTC)).strftime(STAMP_FORMAT)
    clean = re.sub(r"[^A-Za-z0-9.+-]+", "-", label).strip("-")[:60]
    path = directory / f"{stamp}_{clean}_{os.getpid()}-{run}.log"
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except FileExistsError:
        # Two sessions of one process within one second: the later one counts on.
        return new_run_log(directory, label, run=run + 1, now=now)
    except OSError as error:
        raise UnreadableInput(
            f"Cannot make the log of this run ({error.strerror})", where=str(path), hint="Check free space."
        ) from error
    return path


def list_run_logs(directory: Path) -> tuple[RunLog, ...]:
    """The kept logs, newest first; files that were not made by ``new_run_log`` are left out."""
    found = []
    try:
        entries = list(os.scandir(directory))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UnreadableInput(f"Cannot list the kept logs ({error.strerror})", where=str(directory)) from error
    for entry in entries:
        parts = _NAME.fullmatch(entry.name)
        if parts is None or not entry.is_file(follow_symlinks=False):
            continue
        status = entry.stat(follow_symlinks=False)
        started = datetime.strptime(parts["stamp"], STAMP_FORMAT).replace(tzinfo=UTC)
        found.append(
            RunLog(
                path=directory / entry.name, started=started, label=parts["label"], pid=int(parts["pid"]),
                run=int(parts["run"]), size=status.st_size, changed=status.st_mtime,
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda log: (log.started, log.pid, log.run), reverse=True))


def logs_to_prune(
    logs: tuple[RunLog, ...], *, keep: int, max_bytes: int, now: float | None = None
) -> tuple[RunLog, ...]:
    """Which of ``logs`` (newest first) go, so that at most ``keep`` of them and ``max_bytes`` remain.

    The newest is always kept, and so is every log that was written to within ``RECENT_SECONDS``.
    """
    moment = time.time() if now is None else now
    room = max_bytes
    going = []
    for position, log in enumerate(logs):
        room -= log.size
        recent = moment - log.changed < RECENT_SECONDS
        if position and not recent and (position >= keep or room < 0):
            going.append(log)
            room += log.size
    return tuple(going)


def prune_run_logs(directory: Path, *, keep: int, max_bytes: int, now: float | None = None) -> tuple[RunLog, ...]:
    """Remove what ``logs_to_prune`` names; returns what was removed."""
    going = logs_to_prune(list_run_logs(directory), keep=keep, max_bytes=max_bytes, now=now)
    for log in going:
        log.path.unlink(missing_ok=True)
    return going
