"""Checks of the cluster side: ``kubeconfig``, ``config``, ``server``, ``port``, ``lease``, ``verbosity``."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

from schedtui.core.exit_cause import newer_minor
from schedtui.toolchain.doctor.model import Finding, Subject, fail, not_asked, ok, warn

SLOW_VERBOSITY = 6
"""From this ``-v`` on the log costs: at V6 every request to the API server is a line, at V10 every node's score of
every plugin."""

_LISTEN_STATE = "0A"
"""TCP_LISTEN in /proc/net/tcp."""


def check_kubeconfig(subject: Subject) -> Finding:
    """The kubeconfig is readable, whole, and its certificates are valid."""
    config = subject.kubeconfig
    if config is None:
        return not_asked("--kubeconfig FILE; none in $KUBECONFIG or ~/.kube/config")
    if config.problem:
        return fail(config.problem, config.advice)
    found = f"{config.path}: context {config.context}, {config.server}"
    return warn(f"{found}. {config.note}", "Renew it soon.") if config.note else ok(found)


def check_config(subject: Subject) -> Finding:
    """The scheduler's configuration is one, of a version and with fields that exist."""
    config = subject.scheduler_config
    if config is None:
        return not_asked("--config FILE")
    if config.problem:
        return fail(config.problem, config.advice)
    inner = config.kubeconfig
    if inner and not Path(inner).exists():
        return fail(f"clientConnection.kubeconfig names {inner}, which is not there", "Correct the path.")
    names = ", ".join(config.scheduler_names) or "default-scheduler"
    return ok(f"{subject.config_path}: scheduler {names}")


def check_server(subject: Subject) -> Finding:
    """The API server answers, takes the credentials, and is not older than the scheduler."""
    answer = subject.server
    if answer is None:
        return not_asked("no usable kubeconfig")
    if answer.problem:
        return fail(answer.problem, answer.advice)
    if newer_minor(subject.release, answer.release):
        return fail(
            f"the scheduler is {subject.release}, the API server only {answer.release}: its informers never sync",
            f"Use a server of {subject.release} or later ('schedtui lab --release {subject.release}'), or source"
            f" of {answer.release}.",
        )
    return ok(f"answers, {answer.release or 'its build names no release'}")


def check_port(subject: Subject) -> Finding:
    """The scheduler's secure port is free."""
    holder = port_holder(subject.proc, subject.port)
    if holder is not None and holder == subject.attach:
        return ok(f"{subject.port} is held by the process to attach to")
    if not _taken(subject.port):
        return ok(f"{subject.port} is free")
    who = f" by pid {holder} ({_program_name(subject.proc, holder)})" if holder else ""
    other = subject.port + 1
    return fail(
        f"port {subject.port} is taken{who}",
        f"End that process if it is a forgotten scheduler, or start yours with: -- --secure-port={other}",
    )


def _taken(port: int) -> bool:
    """Whether a scheduler could not listen there: tried on all addresses, as it does by default."""
    for family, address in ((socket.AF_INET, ""), (socket.AF_INET, "127.0.0.1")):
        with contextlib.closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
            # Go sets it as well: a port that merely waits after its last connection is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
                probe.listen(1)
            except PermissionError:
                continue
            except OSError:
                return True
    return False


def port_holder(proc: Path, port: int) -> int | None:
    """The process that listens on ``port``; None when nobody does or it is another user's."""
    inodes = set()
    for table in ("net/tcp", "net/tcp6"):
        with contextlib.suppress(OSError):
            for line in (proc / table).read_text(encoding="ascii", errors="replace").splitlines()[1:]:
                words = line.split()
                if len(words) > 9 and words[3] == _LISTEN_STATE and int(words[1].rpartition(":")[2], 16) == port:
                    inodes.add(f"socket:[{words[9]}]")
    return _owner_of(proc, inodes) if inodes else None


def _owner_of(proc: Path, sockets: set[str]) -> int | None:
    for directory in proc.iterdir():
        if directory.name.isdigit():
            # Other users' descriptors may not be read, and processes end while we look.
            with contextlib.suppress(OSError):
                for descriptor in (directory / "fd").iterdir():
                    with contextlib.suppress(OSError):
                        if str(descriptor.readlink()) in sockets:
                            return int(directory.name)
    return None


def _program_name(proc: Path, pid: int) -> str:
    try:
        return (proc / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "unknown"


def check_lease(subject: Subject) -> Finding:
    """Nobody else holds the leader lease that this scheduler would wait for."""
    config, answer = subject.scheduler_config, subject.server
    if subject.attach is not None:
        return ok("the process to attach to has its own; paused for more than 10 s it loses it")
    if config is not None and config.leader_elect is False:
        return ok("leader election is off in the configuration")
    if answer is None or answer.problem or answer.lease is None:
        return not_asked("no answer from a server")
    if not answer.lease.live:
        return ok("free; a leader that is paused for more than 10 s loses it (--leader-elect=false avoids that)")
    return warn(
        f"{answer.lease.holder} holds the lease: a second scheduler waits and no breakpoint in its loop is hit",
        "Start yours with -- --leader-elect=false on a private cluster, or with another"
        " --leader-elect-resource-name and a schedulerName of its own",
    )


def check_verbosity(subject: Subject) -> Finding:
    """The log will not slow the scheduler down."""
    level = subject.verbosity
    cost = subject.log_cost
    if cost is not None:
        if not cost.slows:
            return ok(cost.found())
        advice = cost.advice() or "-v 5 or less; which messages have which level: schedtui levels --src DIR LOG"
        return warn(cost.found(), advice)
    if level is None:
        return not_asked("-v N, or --log FILE to measure")
    if level < SLOW_VERBOSITY:
        advice = ": queue moves are complete from 5 on" if level < 5 else ""
        return ok(f"-v {level}{advice}")
    return warn(
        f"-v {level} logs every request (6 and up) and every score (10): the scheduler waits for its log",
        "-v 5, and more for single files only: --vmodule=schedule_one=10; -v 4 for performance runs, -v 2 in"
        " production",
    )
