"""Sessions of earlier: those that were left running and can be come back to, and what a crash left behind.

Owns which of them a request means and what is said about them. The records are ``debugger.sessions``'; nothing is
ended or joined here before the user said so.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.directories import directories, typed_path
from schedtui.debugger import sessions
from schedtui.toolchain.source_root import find_root

if TYPE_CHECKING:
    from schedtui.debugger.sessions import SessionRecord
    from schedtui.ui.services.prepare import Request


@dataclass(frozen=True, slots=True)
class Earlier:
    """A session of earlier."""

    directory: Path
    record: SessionRecord
    alive: bool
    """True when its scheduler and dlv still run, so that one can come back to it."""

    def lines(self) -> tuple[str, ...]:
        """What is to be known of it."""
        record = self.record
        began = datetime.fromtimestamp(record.began, UTC)
        pids = [f"{what} {process.pid}" for what, process in (("dlv", record.dlv), ("scheduler", record.target))
                if sessions.lives(process) and process is not None]  # fmt: skip
        return (
            f"{record.checkout or record.binary}",
            f"begun {began:%Y-%m-%d %H:%M} UTC; " + (f"still alive: {', '.join(pids)}" if pids else "files only"),
        )

    def clean(self) -> tuple[str, ...]:
        """End what still runs of it and remove its files; one line for each thing done."""
        return sessions.clean(self.directory, self.record)


@dataclass(frozen=True, slots=True)
class Damaged:
    """A session of earlier whose record cannot be read."""

    directory: Path
    alive: bool = False

    def lines(self) -> tuple[str, ...]:
        """What is to be known of it."""
        return (
            f"{self.directory.name}: its record cannot be read, so what still runs of it cannot be told",
            "only its files are removed; 'ps -ef | grep dlv' shows a debugger that was left",
        )

    def clean(self) -> tuple[str, ...]:
        """Remove its files."""
        return (f"removed {self.directory}",) if sessions.remove(self.directory) else ()


def sessions_root() -> Path:
    """Where the records of all sessions are."""
    return directories().state / "sessions"


def sweep_own() -> None:
    """Remove what a start that came to nothing made for its session."""
    sessions.sweep(sessions_root(), own=os.getpid())


def earlier_sessions(request: Request) -> tuple[Earlier | Damaged, ...]:
    """The sessions that matter to a request: the newest that can be come back to, then all that crashed."""
    root = sessions_root()
    sessions.sweep(root)
    living = [pair for pair in sessions.detached(root) if _meant(request, pair[1])]
    found = [Earlier(*pair, alive=True) for pair in living[-1:]]
    crashed = (Earlier(*pair, alive=False) for pair in sessions.leftovers(root))
    return (*found, *crashed, *(Damaged(directory) for directory in sessions.damaged(root)))


def _meant(request: Request, record: SessionRecord) -> bool:
    options = request.options
    if request.kind == "start":
        return True
    if request.kind == "lab":
        return Path(record.log).name.find(f"lab-{request.release}") >= 0
    if options.attach_pid is not None or options.connect or options.test_package or options.no_debugger:
        return False
    if options.binary and record.binary != str(typed_path(options.binary).absolute()):
        return False
    if not options.source:
        return bool(options.binary)
    here = find_root(typed_path(options.source)) or typed_path(options.source)
    return bool(record.checkout) and Path(record.checkout).resolve() == here.resolve()
