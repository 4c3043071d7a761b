"""Which schedulers serve a lab: their directories, and who started them.

Owns ``scheduler-PORT`` in a lab's directory: the certificate that a scheduler makes for itself, the configuration
that it was given, and the note of who holds it. A directory goes when its scheduler has ended. It asks the system,
never the scheduler: each question there would stand in its log.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from schedtui.config.files import private_directory, write_private
from schedtui.config.json_files import json_value
from schedtui.processes import ProcessIdentity, identify, is_alive, run_to_end

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "scheduler-"
"""What the directories' names begin with; the port follows."""

NOTE = "holder.json"
"""The note inside."""


class _Note(msgspec.Struct, frozen=True):
    """The process that started the scheduler."""

    pid: int
    started: str


@dataclass(frozen=True, slots=True)
class Holder:
    """A scheduler of a lab."""

    port: int
    """Its secure port."""
    pid: int
    """The schedtui that started it; 0: that one is gone, its scheduler is not."""

    def describe(self) -> str:
        """For whoever meets it."""
        if self.pid:
            return f"the scheduler on port {self.port} of the schedtui with pid {self.pid}"
        return f"a scheduler that was left running on port {self.port}"


def scheduler_directory(lab: Path, port: int) -> Path:
    """The directory of the scheduler on ``port``, made and held by this process."""
    sweep(lab)
    directory = private_directory(lab / f"{PREFIX}{port}")
    _hold(directory)
    return directory


def take_over(lab: Path, port: int) -> None:
    """Hold the scheduler on ``port`` from now on, which was left running; nothing is held when it is gone."""
    directory = lab / f"{PREFIX}{port}"
    if directory.is_dir():
        _hold(directory)


def _hold(directory: Path) -> None:
    me = identify(os.getpid())
    assert me is not None
    write_private(directory / NOTE, msgspec.json.encode(_Note(me.pid, me.started)))


def other_holders(lab: Path) -> tuple[Holder, ...]:
    """The schedulers of a lab that this process did not start."""
    found = []
    for directory, port in _directories(lab):
        process = _holder(directory)
        if process is not None and is_alive(process):
            if process.pid != os.getpid():
                found.append(Holder(port, process.pid))
        elif _is_named(directory):
            found.append(Holder(port, 0))
    return tuple(found)


def sweep(lab: Path, *, own: bool = False) -> None:
    """Remove the directories of schedulers that have ended.

    Args:
        lab: The lab's directory.
        own: Those that this process holds as well: it needs them no more.
    """
    for directory, _ in _directories(lab):
        process = _holder(directory)
        held = process is not None and is_alive(process) and not (own and process.pid == os.getpid())
        if not held and not _is_named(directory):
            shutil.rmtree(directory, ignore_errors=True)


def _directories(lab: Path) -> Iterator[tuple[Path, int]]:
    for directory in sorted(lab.glob(f"{PREFIX}*")):
        port = directory.name.removeprefix(PREFIX)
        if port.isdigit() and directory.is_dir():
            yield directory, int(port)


def _holder(directory: Path) -> ProcessIdentity | None:
    try:
        note = json_value((directory / NOTE).read_bytes(), _Note)
    except (OSError, msgspec.MsgspecError):
        return None
    return ProcessIdentity(note.pid, note.started)


def _is_named(directory: Path) -> bool:
    """Whether a process has the directory in its command line: a scheduler, or the dlv that is to start one."""
    pattern = re.compile(re.escape(os.fsencode(directory)) + rb"(?![0-9])")
    return any(pattern.search(line) for line in _command_lines())


def _command_lines() -> Iterator[bytes]:
    if not Path("/proc/self/cmdline").exists():
        yield run_to_end(["ps", "-axww", "-o", "args="]).output.encode("utf-8", "surrogateescape")
        return
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                yield (process / "cmdline").read_bytes()
