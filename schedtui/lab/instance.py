"""One lab's directory: what was asked for, what became of it, and where its files are.

Owns the names of the files and the two documents in it: ``request.json`` (written once by whoever starts the lab)
and ``state.json`` (written by its supervisor alone). Everybody else reads. It starts and ends nothing.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import msgspec

from schedtui.config.directories import directories
from schedtui.config.files import private_directory, write_private
from schedtui.config.json_files import json_value
from schedtui.core.errors import LabFailed
from schedtui.lab.api_client import Endpoint
from schedtui.processes import ProcessIdentity, is_alive

if TYPE_CHECKING:
    from pathlib import Path

_Document = TypeVar("_Document", bound=msgspec.Struct)

LAST_LINES = 20
"""How many lines of a dead part's log are told."""

LAST_BYTES = 16384
"""How far back they are looked for."""


class PartState(msgspec.Struct, frozen=True):
    """One process of the lab."""

    name: str
    """``etcd``, ``kube-apiserver`` or ``kube-scheduler``."""
    pid: int
    started: str
    """Its start time, in ``ProcessIdentity``'s words."""
    port: int
    log: str
    """Absolute path of its log."""
    exit_code: int | None = None
    """``None`` while it runs; a signal counts negative."""
    last_lines: tuple[str, ...] = ()
    """The end of its log, once it died by itself."""
    cause: str = ""
    """Why it died, one line, where that is known; empty otherwise."""
    advice: str = ""
    """What to do about the cause."""

    @property
    def identity(self) -> ProcessIdentity:
        """Who it is, and nobody else with that pid."""
        return ProcessIdentity(self.pid, self.started)


class LabRequest(msgspec.Struct, frozen=True):
    """What a supervisor is to run."""

    name: str
    release: str
    control_plane_release: str
    etcd: str
    apiserver: str
    scheduler: str
    """The scheduler's binary; for the TUI to start under dlv, or for the supervisor."""
    source_directory: str
    run_scheduler: bool = False
    scheduler_config: str = ""
    """A KubeSchedulerConfiguration of the user's; empty: none."""
    verbosity: int = 5
    owner_pid: int = 0
    """The schedtui that the lab ends with; 0: it stays up."""
    owner_started: str = ""
    scenario: str = "first-steps"
    """What it plays from the start; empty: nothing."""
    seed: int = 0

    @property
    def owner(self) -> ProcessIdentity | None:
        """The process that the lab ends with."""
        return ProcessIdentity(self.owner_pid, self.owner_started) if self.owner_pid else None


class LabState(msgspec.Struct, frozen=True):
    """How a lab is."""

    phase: str = "starting"
    """``starting``, ``up``, ``stopping`` or ``failed``."""
    doing: str = ""
    """While starting: what it is at."""
    supervisor_pid: int = 0
    supervisor_started: str = ""
    port: int = 0
    """The API server's."""
    parts: tuple[PartState, ...] = ()
    workload: str = ""
    """What the first workload said last."""
    trouble: tuple[str, ...] = ()
    """Lines about things that went wrong without ending the lab."""
    failure: str = ""
    """Why it failed, one line."""
    failed_part: str = ""
    started_at: float = 0.0
    """Seconds since the epoch."""

    @property
    def supervisor(self) -> ProcessIdentity:
        """The process that runs the lab."""
        return ProcessIdentity(self.supervisor_pid, self.supervisor_started)

    def part(self, name: str) -> PartState | None:
        """The part of that name."""
        return next((part for part in self.parts if part.name == name), None)


@dataclass(frozen=True, slots=True)
class Instance:
    """The directory of one lab."""

    directory: Path

    @property
    def name(self) -> str:
        """The lab's name: its release, or what ``--name`` said."""
        return self.directory.name

    @property
    def kubeconfig(self) -> Path:
        """Usable with kubectl; 0600."""
        return self.directory / "kubeconfig"

    @property
    def logs(self) -> Path:
        """One log file a part."""
        return self.directory / "logs"

    def log(self, part: str) -> Path:
        """The log of a part (``supervisor`` included)."""
        return self.logs / f"{part}.log"

    def write_request(self, request: LabRequest) -> None:
        """Write what is to be run."""
        write_private(self.directory / "request.json", msgspec.json.encode(request))

    def request(self) -> LabRequest:
        """What was asked for.

        Raises:
            LabFailed: The directory is no lab's, or from another schedtui.
        """
        return _read(self.directory / "request.json", LabRequest)

    def write_state(self, state: LabState) -> None:
        """Write how the lab is; for its supervisor (and its starter, before there is one)."""
        write_private(self.directory / "state.json", msgspec.json.encode(state))

    def state(self) -> LabState | None:
        """How the lab is; ``None`` when its directory is gone or was never finished."""
        try:
            return _read(self.directory / "state.json", LabState)
        except LabFailed:
            return None

    def is_running(self) -> bool:
        """Whether its supervisor lives."""
        state = self.state()
        return state is not None and state.supervisor_pid > 0 and is_alive(state.supervisor)

    def endpoint(self) -> Endpoint:
        """How to speak to its API server.

        Raises:
            LabFailed: The lab is not up.
        """
        state = self.state()
        try:
            token = (self.directory / "pki" / "tokens.csv").read_text().split(",", 1)[0]
            authority = (self.directory / "pki" / "authority.crt").read_text()
        except OSError as error:
            raise LabFailed("the lab is not up", where=self.name, hint="schedtui lab up") from error
        if state is None or not state.port:
            raise LabFailed("the lab is not up", where=self.name, hint="schedtui lab up")
        return Endpoint(state.port, token, authority)

    def last_lines(self, part: str) -> tuple[str, ...]:
        """The end of a part's log."""
        try:
            with self.log(part).open("rb") as stream:
                stream.seek(0, 2)
                stream.seek(max(0, stream.tell() - LAST_BYTES))
                text = stream.read().decode("utf-8", "replace")
        except OSError:
            return ()
        return tuple(line for line in text.splitlines() if line.strip())[-LAST_LINES:]

    def remove_data(self) -> None:
        """Remove what etcd holds: most of the room that a lab takes."""
        shutil.rmtree(self.directory / "etcd", ignore_errors=True)

    def remove(self) -> None:
        """Remove the directory and all in it, at once out of sight."""
        gone = self.directory.with_name(f".gone-{self.name}")
        shutil.rmtree(gone, ignore_errors=True)
        try:
            self.directory.rename(gone)
        except FileNotFoundError:
            return
        shutil.rmtree(gone, ignore_errors=True)
        try:
            self.directory.parent.rmdir()
        except OSError:
            # Other labs are there.
            return


def instances_directory() -> Path:
    """Where labs live while they are up."""
    return directories().state / "lab"


def instance(name: str) -> Instance:
    """The lab of that name, there or not."""
    return Instance(instances_directory() / name)


def new_instance(name: str) -> Instance:
    """Make the directory of a lab, 0700."""
    made = instance(name)
    private_directory(made.directory)
    private_directory(made.logs)
    return made


def all_instances() -> tuple[Instance, ...]:
    """Every lab that has a directory, running or not."""
    try:
        places = sorted(instances_directory().iterdir())
    except (FileNotFoundError, NotADirectoryError):
        # The last one takes it along.
        return ()
    return tuple(Instance(path) for path in places if path.is_dir() and not path.name.startswith("."))


def _read(path: Path, kind: type[_Document]) -> _Document:
    try:
        return json_value(path.read_bytes(), kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise LabFailed("the lab's directory cannot be read", where=str(path), details=(str(error),)) from error
