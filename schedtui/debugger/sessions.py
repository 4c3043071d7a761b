"""The record of our own debugging sessions: which processes and files are ours, and what an earlier crash left.

Owns the session file (0600, in the session's directory) and the proof that a process id still means the process
that was recorded. It ends only what it can prove to be ours.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
from pathlib import Path

import msgspec

from schedtui.config.files import write_private
from schedtui.config.json_files import json_value
from schedtui.processes.identity import ProcessIdentity, end_processes, identify, is_alive

FILE_NAME = "session.json"
"""The record's name in the session's directory."""

DIRECTORY_NAME = re.compile(r"(\d+)-(?:\d{9,}|credentials)", re.ASCII)
"""How a session's directory is called: the owner's process id, and the second it began or what it holds."""

TERM_SECONDS = 2.0
"""How long a process may take to end after SIGTERM before SIGKILL."""

LET_GO_SECONDS = 15.0
"""How long a server may take to let go of the process that it is attached to."""


class SessionRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One debugging session."""

    owner: ProcessIdentity
    """The schedtui that it belongs to."""
    checkout: str = ""
    """Source tree, or the binary where there is none."""
    binary: str = ""
    arguments: tuple[str, ...] = ()
    """The target's own arguments."""
    release: str = ""
    mode: str = "exec"
    persistent: bool = False
    dlv: ProcessIdentity | None = None
    """The dlv that holds the target: the server in persistent mode."""
    target: ProcessIdentity | None = None
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


def lives(process: ProcessIdentity | None) -> bool:
    """True when that very process still runs."""
    return process is not None and is_alive(process)


def write_record(directory: Path, record: SessionRecord) -> None:
    """Write the session's record.

    Raises:
        UnreadableInput: It cannot be written.
    """
    write_private(directory / FILE_NAME, msgspec.json.format(msgspec.json.encode(record)) + b"\n")


def read_record(directory: Path) -> SessionRecord | None:
    """The record in ``directory``; None when there is none that can be read."""
    try:
        return json_value((directory / FILE_NAME).read_bytes(), SessionRecord)
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
        and lives(record.dlv)
        and not lives(record.owner)
        and (not checkout or record.checkout == checkout)
    )


def leftovers(root: Path) -> tuple[tuple[Path, SessionRecord], ...]:
    """Sessions whose owner is gone without having cleaned up, persistent ones that still live left out."""
    living = {directory for directory, _ in detached(root)}
    return tuple(
        (directory, record)
        for directory, record in sessions_in(root)
        if directory not in living and not lives(record.owner)
    )


def damaged(root: Path) -> tuple[Path, ...]:
    """Directories whose record cannot be read (a full disk, a foreign hand) and whose owner is gone.

    What ran there is not known any more: nothing can be proved to be ours but the files.
    """
    found = []
    with contextlib.suppress(OSError):
        for entry in root.iterdir():
            named = DIRECTORY_NAME.fullmatch(entry.name)
            recorded = named is not None and (entry / FILE_NAME).exists()
            if named and recorded and read_record(entry) is None and identify(int(named[1])) is None:
                found.append(entry)
    return tuple(sorted(found))


def clean(directory: Path, record: SessionRecord) -> tuple[str, ...]:
    """End what still runs of a session and remove its files; returns what was done, one line each.

    Only recorded processes that can be proved to be the same, and only files that were recorded as made by us.
    """
    done = []
    for what, process in (("dlv", record.dlv), ("the target", record.target)):
        if process is not None and is_alive(process):
            # At SIGINT a dlv server lets go of a process that it is attached to.
            attached = record.mode == "attach"
            end_processes(
                [process],
                grace_seconds=LET_GO_SECONDS if attached else TERM_SECONDS,
                first_signal=signal.SIGINT if attached else signal.SIGTERM,
            )
            done.append(f"ended {what} (process {process.pid})")
    paths = (*record.made, str(directory / FILE_NAME))
    done.extend(f"removed {path}" for path in paths if remove(Path(path)))
    with contextlib.suppress(OSError):
        directory.rmdir()
    return tuple(done)


def sweep(root: Path, *, own: int = 0) -> int:
    """Remove directories of sessions that came to nothing or were killed; returns how many.

    A start that is cancelled while it builds leaves such a one, and so does a schedtui that was killed: the
    watchman ends its processes and takes its record, not what dlv wrote. Only names that schedtui gives are taken,
    only where the process in the name is gone (or is ``own``, which gives the start up), and none that has a
    record: what such a one holds, the user is asked about.
    """
    gone = 0
    with contextlib.suppress(OSError):
        for entry in root.iterdir():
            named = DIRECTORY_NAME.fullmatch(entry.name)
            if named is None or (entry / FILE_NAME).exists():
                continue
            if int(named[1]) == own or identify(int(named[1])) is None:
                gone += remove(entry)
    return gone


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
