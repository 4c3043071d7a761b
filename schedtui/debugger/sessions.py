"""The record of our own debugging sessions: which processes and files are ours, and what an earlier crash left.

Owns the session file (0600, in the session's directory) and the proof that a process id still means the process
that was recorded. It ends only what it can prove to be ours.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import msgspec

from schedtui.config.files import write_private

FILE_NAME = "session.json"
"""The record's name in the session's directory."""

TERM_SECONDS = 2.0
"""How long a process may take to end after SIGTERM before SIGKILL."""


class RecordedProcess(msgspec.Struct, frozen=True):
    """A process and the proof that it is the one."""

    pid: int
    started: str
    """What the system says of its start; a later process of the same id has another."""


class SessionRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One debugging session."""

    owner: RecordedProcess
    """The schedtui that it belongs to."""
    checkout: str = ""
    """Source tree, or the binary where there is none."""
    binary: str = ""
    mode: str = "exec"
    persistent: bool = False
    dlv: RecordedProcess | None = None
    """The dlv that holds the target: the server in persistent mode."""
    target: RecordedProcess | None = None
    """None when the target is not ours to end (attach, connect)."""
    socket: str = ""
    """Persistent mode: where to come back to."""
    log: str = ""
    """The log of the present run."""
    stdout: str = ""
    run: int = 1
    """Which run of the target it is."""
    began: float = 0.0
    """Seconds since the epoch."""
    running: bool = False
    """Whether the target was running when somebody left it."""
    made: tuple[str, ...] = ()
    """Files and directories of ours to remove at the end."""


def identify(pid: int) -> RecordedProcess:
    """The process ``pid`` as it is now."""
    return RecordedProcess(pid, start_of(pid))


def start_of(pid: int) -> str:
    """What the system says of the start of ``pid``; empty when there is no such process, or only its remains."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except FileNotFoundError:
        return "" if Path("/proc/self/stat").exists() else _start_by_ps(pid)
    except OSError:
        return ""
    # The name in parentheses may hold blanks; state is field 3, the start in clock ticks field 22.
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in ("Z", "X") else fields[19]


def _start_by_ps(pid: int) -> str:
    # macOS has no /proc.
    done = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def is_alive(process: RecordedProcess | None) -> bool:
    """True when that very process still runs."""
    return process is not None and process.started != "" and start_of(process.pid) == process.started


def end_process(process: RecordedProcess | None, *, seconds: float = TERM_SECONDS) -> bool:
    """End a recorded process: SIGTERM, then SIGKILL; True when it was there."""
    if process is None or not is_alive(process):
        return False
    for number, patience in ((signal.SIGTERM, seconds), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, number)
            # A stopped process (its tracer is gone) takes no SIGTERM before it goes on.
            os.kill(process.pid, signal.SIGCONT)
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if not is_alive(process):
                return True
            time.sleep(0.02)
    return True


def write_record(directory: Path, record: SessionRecord) -> None:
    """Write the session's record.

    Raises:
        UnreadableInput: It cannot be written.
    """
    write_private(directory / FILE_NAME, msgspec.json.format(msgspec.json.encode(record)) + b"\n")


def read_record(directory: Path) -> SessionRecord | None:
    """The record in ``directory``; None when there is none that can be read."""
    try:
        return msgspec.json.decode((directory / FILE_NAME).read_bytes(), type=SessionRecord)
    except (OSError, msgspec.DecodeError):
        return None


def sessions_in(root: Path) -> tuple[tuple[Path, SessionRecord], ...]:
    """Every recorded session below ``root``, the newest last."""
    found = []
    with contextlib.suppress(OSError):
        for entry in root.iterdir():
            record = read_record(entry)
            if record is not None:
                found.append((entry, record))
    return tuple(sorted(found, key=lambda pair: pair[1].began))


def detached(root: Path, checkout: str = "") -> tuple[tuple[Path, SessionRecord], ...]:
    """Persistent sessions (of ``checkout``, when given) whose server still runs and whose owner is gone."""
    return tuple(
        (directory, record)
        for directory, record in sessions_in(root)
        if record.persistent
        and is_alive(record.dlv)
        and not is_alive(record.owner)
        and (not checkout or record.checkout == checkout)
    )


def leftovers(root: Path) -> tuple[tuple[Path, SessionRecord], ...]:
    """Sessions whose owner is gone without having cleaned up, persistent ones that still live left out."""
    living = {directory for directory, _ in detached(root)}
    return tuple(
        (directory, record)
        for directory, record in sessions_in(root)
        if directory not in living and not is_alive(record.owner)
    )


def clean(directory: Path, record: SessionRecord) -> tuple[str, ...]:
    """End what still runs of a session and remove its files; returns what was done, one line each.

    Only recorded processes that can be proved to be the same, and only files that were recorded as made by us.
    """
    done = []
    for what, process in (("dlv", record.dlv), ("the target", record.target)):
        if end_process(process) and process is not None:
            done.append(f"ended {what} (process {process.pid})")
    paths = (*record.made, str(directory / FILE_NAME))
    done.extend(f"removed {path}" for path in paths if remove(Path(path)))
    with contextlib.suppress(OSError):
        directory.rmdir()
    return tuple(done)


def remove(path: Path) -> bool:
    """Remove a file or directory that we made; True when it was there."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    except OSError:
        return False
    return True
