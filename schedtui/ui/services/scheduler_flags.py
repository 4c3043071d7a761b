"""The flags of a scheduler: those it is started with, and what flags say of one that runs.

Owns kubeconfig, configuration file, port and verbosity, and where they come from when they are not named. It
starts nothing and builds nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from schedtui.config.directories import directories, typed_path
from schedtui.core.errors import UnreadableInput, WrongUse
from schedtui.debugger.exits import flags_of
from schedtui.lab.running import RunningLab, find_running_lab
from schedtui.toolchain.kubeconfig import default_kubeconfig, read_kubeconfig
from schedtui.toolchain.scheduler_config import read_scheduler_config
from schedtui.toolchain.scheduler_endpoint import (
    DEFAULT_PORT,
    EndpointCredentials,
    SchedulerEndpoint,
    credentials_of,
)

if TYPE_CHECKING:
    from schedtui.config.settings import Settings
    from schedtui.toolchain.checkout import Checkout
    from schedtui.ui.options import Options


class Wanted(Protocol):
    """What of a request the flags depend on."""

    @property
    def options(self) -> Options:
        """The command line's options."""

    @property
    def settings(self) -> Settings:
        """The configuration."""

    @property
    def verbosity(self) -> int:
        """The ``-v`` to start with."""


def scheduler_flags(
    request: Wanted, checkout: Checkout | None
) -> tuple[list[str], RunningLab | None, SchedulerEndpoint | None, bool, tuple[str, ...]]:
    """Flags of a scheduler that is not the lab's own: kubeconfig, configuration, port, verbosity."""
    options, settings = request.options, request.settings
    extra = [*settings.scheduler_flags, *options.scheduler_flags]
    named = path_of(options.kubeconfig or settings.kubeconfig)
    config = path_of(options.scheduler_config or settings.scheduler_config)
    lab = find_running_lab() if named is None else None
    if lab is not None:
        arguments = [*lab.scheduler_arguments(request.verbosity, config=config), *extra]
        endpoint = SchedulerEndpoint(port_of(arguments), EndpointCredentials(token=lab.endpoint.token))
        return arguments, lab, endpoint, False, (f"The scheduler runs in the lab {lab.name}.",)
    minor = checkout.release.minor_number if checkout is not None else None
    read_config = read_scheduler_config(config, minor) if config is not None else None
    if read_config is not None and read_config.problem:
        raise WrongUse(read_config.problem, where=_where(read_config.problem, config), hint=read_config.advice)
    path = named or (path_of(read_config.kubeconfig) if read_config is not None else None) or default_kubeconfig()
    if path is None:
        raise WrongUse(
            "no cluster to schedule for", where="no lab is up, $KUBECONFIG and ~/.kube/config are not there",
            hint="Start one with 'schedtui lab up', or name a kubeconfig with --kubeconfig.",
        )  # fmt: skip
    kubeconfig = read_kubeconfig(path)
    if kubeconfig.problem:
        raise UnreadableInput(kubeconfig.problem, where=_where(kubeconfig.problem, path), hint=kubeconfig.advice)
    arguments = [f"--config={config}"] if config is not None else [f"--kubeconfig={path}"]
    arguments += [
        f"--authentication-kubeconfig={path}",
        f"--authorization-kubeconfig={path}",
        f"-v={request.verbosity}",
    ]
    notes = [kubeconfig.note] if kubeconfig.note else []
    if not any(flag.startswith("--secure-port") for flag in extra):
        port = _free_port(notes)
        arguments += ["--bind-address=127.0.0.1", f"--secure-port={port}"]
    arguments += extra
    elects = "--leader-elect=false" not in arguments and (
        read_config is None or read_config.leader_elect is not False
    )
    if elects:
        notes.append(
            "Leader election is on: a stop of 10 s costs the lease. For a private cluster: -- --leader-elect=false"
        )
    private = directories().state / "sessions" / f"{os.getpid()}-credentials"
    endpoint = SchedulerEndpoint(port_of(arguments), credentials_of(kubeconfig, private))
    return arguments, None, endpoint, elects, tuple(notes)


def _where(problem: str, path: Path | None) -> str:
    """The file, unless the words name it already."""
    return "" if str(path) in problem else str(path)


def is_private(arguments: list[str], lab: RunningLab | None) -> bool:
    """Whether the cluster is one of the user's own, as far as its address tells."""
    if lab is not None:
        return True
    path = flags_of(tuple(arguments)).get("authentication-kubeconfig", "")
    server = read_kubeconfig(Path(path)).server if path else ""
    return urlsplit(server).hostname in ("localhost", "127.0.0.1", "::1")


def _free_port(notes: list[str]) -> int:
    """The scheduler's usual port, or another when somebody has it."""
    import socket

    from schedtui.lab.control_plane import free_port

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            port = free_port()
            notes.append(f"Port {DEFAULT_PORT} is taken (another scheduler?): this one listens on {port}.")
            return port
    return DEFAULT_PORT


def port_of(arguments: list[str]) -> int:
    """The last ``--secure-port`` wins, as for the scheduler."""
    ports = [flag.partition("=")[2] for flag in arguments if flag.startswith("--secure-port=")]
    return int(ports[-1]) if ports and ports[-1].isdigit() else DEFAULT_PORT


def verbosity_of(arguments: list[str], otherwise: int) -> int:
    """The last ``-v`` wins; ``otherwise`` without one."""
    for flag in reversed(arguments):
        name, _, value = flag.partition("=")
        if name in ("-v", "--v") and value.isdigit():
            return int(value)
    return otherwise


def path_of(text: str) -> Path | None:
    """A path as the user typed it, absolute; None for no path."""
    return typed_path(text).absolute() if text else None
