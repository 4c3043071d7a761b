"""A scheduler that somebody else started: what its command line tells of it.

Owns reading the command line of the process that is attached to, and of the dlv server (on this machine) that is
connected to. It only reads: nothing is started, asked or ended.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.directories import directories
from schedtui.core.errors import SchedtuiError
from schedtui.debugger.exits import flags_of
from schedtui.processes import run_to_end
from schedtui.toolchain.kubeconfig import read_kubeconfig
from schedtui.toolchain.scheduler_config import read_scheduler_config
from schedtui.toolchain.scheduler_endpoint import SchedulerEndpoint, credentials_of
from schedtui.ui.services.scheduler_flags import port_of, verbosity_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.debugger.model import Launch

LOCAL_HOSTS = frozenset({"", "localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]"})
"""Hosts of a dlv server that are this machine."""


@dataclass(frozen=True, slots=True)
class RunningTarget:
    """What is known of it."""

    verbosity: int
    """Its ``-v``; 0 is klog's own default."""
    elects: bool
    """Whether it elects a leader."""
    endpoint: SchedulerEndpoint | None = None
    """Its port; None when nothing tells who may ask there."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    """What the user should know."""
    ends_with_us: bool = False
    """True when it ends with this session: its dlv serves one client only (no ``--accept-multiclient``)."""
    log: str = ""
    """The file that its standard error goes to; empty when it is none that can be read here."""


def read_target(launch: Launch) -> RunningTarget | None:
    """What the command line of the launch's target tells; None when it cannot be found."""
    if launch.mode == "attach":
        words = command_line(int(launch.target))
        return replace(target_of(words), log=log_of(int(launch.target))) if words else None
    server = _server(launch.target)
    words = _target_words(server)
    return replace(target_of(words), ends_with_us=_ends_with_its_client(server)) if words else None


def target_of(words: Sequence[str]) -> RunningTarget:
    """What a scheduler's command line tells."""
    arguments = list(words[1:])
    flags = flags_of(tuple(arguments))
    config = read_scheduler_config(Path(flags["config"])) if flags.get("config") else None
    elects = flags.get("leader-elect") != "false" and (config is None or config.leader_elect is not False)
    file = (
        flags.get("authentication-kubeconfig") or flags.get("kubeconfig") or (config.kubeconfig if config else "")
    )
    verbosity = verbosity_of([f"--{name}={value}" for name, value in flags.items()], 0)
    if not file:
        return RunningTarget(
            verbosity, elects, notes=("V changes its verbosity only while it stands: no kubeconfig is named.",)
        )
    try:
        private = directories().state / "sessions" / f"{os.getpid()}-credentials"
        endpoint = SchedulerEndpoint(
            port_of([f"--{name}={value}" for name, value in flags.items()]),
            credentials_of(read_kubeconfig(Path(file)), private),
        )
    except SchedtuiError as error:
        return RunningTarget(verbosity, elects, notes=(f"Its port cannot be asked: {error.title}.",))
    return RunningTarget(verbosity, elects, endpoint)


def command_line(pid: int) -> tuple[str, ...]:
    """The words that a process was started with; empty when there is none, or it is somebody else's secret."""
    place = Path(f"/proc/{pid}/cmdline")
    if Path("/proc/self/cmdline").exists():
        try:
            return tuple(place.read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1])
        except OSError:
            return ()
    return tuple(run_to_end(["ps", "-o", "args=", "-p", str(pid)]).output.split())


def log_of(pid: int) -> str:
    """The file that a process writes its log (standard error) to; else empty, as where /proc is not."""
    try:
        file = Path(f"/proc/{pid}/fd/2").readlink()
    except OSError:
        return ""
    return str(file) if file.is_file() and os.access(file, os.R_OK) else ""


def _server(address: str) -> tuple[str, ...]:
    """The words of the dlv that listens at an address on this machine."""
    host = address.removeprefix("unix:") if address.startswith("unix:") else address.rpartition(":")[0]
    if not address.startswith("unix:") and host not in LOCAL_HOSTS:
        return ()
    entries = Path("/proc").iterdir() if Path("/proc/self/cmdline").exists() else ()
    for entry in entries:
        words = command_line(int(entry.name)) if entry.name.isdigit() else ()
        if words and _listens(words, address):
            return words
    return ()


def _ends_with_its_client(server: Sequence[str]) -> bool:
    """A dlv (all releases) for one client ends with it, and with dlv what it started; not what it attached to."""
    own = server[: server.index("--")] if "--" in server else server
    return "attach" not in own and flags_of(tuple(own)).get("accept-multiclient", "false") == "false"


def _listens(words: Sequence[str], address: str) -> bool:
    flags = flags_of(tuple(words[: words.index("--")] if "--" in words else words))
    listen = flags.get("listen") or flags.get("l") or ""
    if listen.startswith("unix:") or address.startswith("unix:"):
        return listen == address
    same_port = listen.rpartition(":")[2] == address.rpartition(":")[2] != ""
    return same_port and listen.rpartition(":")[0] in LOCAL_HOSTS


def _target_words(server: Sequence[str]) -> tuple[str, ...]:
    if not server:
        return ()
    if "attach" in server:
        pid = server[server.index("attach") + 1 :][:1]
        return command_line(int(pid[0])) if pid and pid[0].isdigit() else ()
    return ("target", *server[server.index("--") + 1 :]) if "--" in server else ("target",)
