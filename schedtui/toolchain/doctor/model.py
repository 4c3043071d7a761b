"""What doctor looks at and what it says: values only.

Owns the subject (the set-up as named by the user), what several checks need of it (found once, kept), and the
shape of a finding.
"""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from schedtui.config.files import free_bytes
from schedtui.core.errors import SchedtuiError
from schedtui.toolchain.api_probe import ServerAnswer, probe_server
from schedtui.toolchain.binary import BinaryFacts, read_binary
from schedtui.toolchain.checkout import Checkout, open_checkout
from schedtui.toolchain.dlv import DlvTool, find_dlv
from schedtui.toolchain.go import GoTool, find_go, go_environment
from schedtui.toolchain.kubeconfig import Kubeconfig, read_kubeconfig
from schedtui.toolchain.scheduler_config import SchedulerConfig, read_scheduler_config

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.log_cost import LogCost

Status = Literal["ok", "warn", "fail"]
"""``fail``: it will not work. ``warn``: it works, with a catch."""

DEFAULT_PORT = 10259
"""kube-scheduler's ``--secure-port``."""


@dataclass(frozen=True, slots=True)
class Fix:
    """What mends a finding."""

    text: str = ""
    """A command, or advice where no single command does it."""
    argv: tuple[str, ...] = ()
    """The command as arguments, when ``--fix`` may run it; empty otherwise."""

    @classmethod
    def command(cls, *words: str) -> Fix:
        """A fix that is one command."""
        return cls(" ".join(_shown(word) for word in words), words)


def _shown(word: str) -> str:
    plain = word and all(letter.isalnum() or letter in "-_./:=@,+~%" for letter in word)
    return word if plain else "'" + word.replace("'", "'\\''") + "'"


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer of one check."""

    status: Status
    found: str
    """What was found, one line."""
    fix: Fix = field(default_factory=Fix)
    """Empty when there is nothing to mend."""
    id: str = ""
    """The check's id; filled in by ``run``."""
    why: str = ""
    """Why it matters; filled in by ``run``."""
    asked: bool = True
    """False when there was nothing to look at (no ``--src`` given, say): the status is ``ok`` then."""


def ok(found: str) -> Finding:
    """All is well."""
    return Finding("ok", found)


def not_asked(how: str) -> Finding:
    """Nothing to look at; ``how`` says how to ask."""
    return Finding("ok", f"not asked ({how})", asked=False)


def warn(found: str, fix: Fix | str) -> Finding:
    """It works, with a catch."""
    return Finding("warn", found, Fix(fix) if isinstance(fix, str) else fix)


def fail(found: str, fix: Fix | str) -> Finding:
    """It will not work."""
    return Finding("fail", found, Fix(fix) if isinstance(fix, str) else fix)


@dataclass(frozen=True, slots=True)
class TerminalFacts:
    """The terminal that the TUI would run on."""

    attached: bool
    """Whether standard input, output or error is one."""
    columns: int = 0
    lines: int = 0


def this_terminal() -> TerminalFacts:
    """The terminal of this process."""
    for stream in (sys.__stdout__, sys.__stdin__, sys.__stderr__):
        try:
            if stream is not None and stream.isatty():
                size = os.get_terminal_size(stream.fileno())
                return TerminalFacts(True, size.columns, size.lines)
        except (OSError, ValueError):
            continue
    return TerminalFacts(False)


class Subject:
    """A set-up to look at. What several checks need is found on first use and kept."""

    def __init__(
        self,
        *,
        source: Path | None = None,
        kubeconfig: Path | None = None,
        config: Path | None = None,
        binary: Path | None = None,
        attach: int | None = None,
        port: int | None = None,
        verbosity: int | None = None,
        log_cost: LogCost | None = None,
        online: bool = False,
        proc: Path = Path("/proc"),
        environment: Mapping[str, str] | None = None,
        terminal: TerminalFacts | None = None,
        free_bytes: Callable[[Path], int] = free_bytes,
    ) -> None:
        """Keep what was named.

        Args:
            source: ``--src``.
            kubeconfig: ``--kubeconfig``, or the one used when none is named.
            config: ``--config``.
            binary: ``--exec``.
            attach: ``--attach``: a process id.
            port: ``--port``; None: the scheduler's default.
            verbosity: ``-v``; None: what schedtui starts schedulers with.
            log_cost: What a log of this scheduler was measured to cost.
            online: Whether hosts outside (module proxies) may be asked.
            proc: Where the kernel's files are.
            environment: Variables; None: the process's own.
            terminal: None: this process's.
            free_bytes: Room below a path.
        """
        self.source = source
        self.kubeconfig_path = kubeconfig
        self.config_path = config
        self.binary_path = binary
        self.attach = attach
        self.port = DEFAULT_PORT if port is None else port
        self.verbosity = verbosity
        self.log_cost = log_cost
        self.online = online
        self.proc = proc
        self.environment: Mapping[str, str] = os.environ if environment is None else environment
        self.terminal = terminal or this_terminal()
        self.free_bytes = free_bytes

    @functools.cached_property
    def go(self) -> GoTool | SchedtuiError:
        """The ``go`` that builds, whatever its version; or why there is none."""
        try:
            return find_go()
        except SchedtuiError as error:
            return error

    @functools.cached_property
    def go_settings(self) -> dict[str, str] | SchedtuiError:
        """``go env`` as asked in the source tree (or outside any module); or why it fails."""
        if isinstance(self.go, SchedtuiError):
            return self.go
        directory = self.source if self.source is not None and self.source.is_dir() else Path("/")
        names = (
            "GOROOT", "GOPATH", "GOPROXY", "GOFLAGS", "GOWORK", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN",
            "GO111MODULE",
        )  # fmt: skip
        try:
            return go_environment(self.go, *names, directory=directory)
        except SchedtuiError as error:
            return error

    @functools.cached_property
    def dlv(self) -> DlvTool | None:
        """The dlv that would be used as it is; None when none is there that is recent enough."""
        return find_dlv()

    @functools.cached_property
    def checkout(self) -> Checkout | SchedtuiError | None:
        """The source tree; why it is none; None when none was named."""
        if self.source is None:
            return None
        try:
            return open_checkout(self.source)
        except SchedtuiError as error:
            return error

    @functools.cached_property
    def program(self) -> BinaryFacts | SchedtuiError | None:
        """The program to debug, or that of the process to attach to; None when neither was named."""
        path = self.binary_path
        if path is None and self.attach is not None:
            path = self.proc / str(self.attach) / "exe"
        if path is None:
            return None
        try:
            return read_binary(path)
        except SchedtuiError as error:
            return error

    @functools.cached_property
    def kubeconfig(self) -> Kubeconfig | None:
        """The kubeconfig, checked; None when there is none."""
        return None if self.kubeconfig_path is None else read_kubeconfig(self.kubeconfig_path)

    @functools.cached_property
    def scheduler_config(self) -> SchedulerConfig | None:
        """The scheduler's configuration, checked; None when none was named."""
        if self.config_path is None:
            return None
        minor = self.checkout.release.minor_number if isinstance(self.checkout, Checkout) else None
        return read_scheduler_config(self.config_path, minor)

    @functools.cached_property
    def server(self) -> ServerAnswer | None:
        """The API server's answer; None when there is no usable kubeconfig."""
        if self.kubeconfig is None or self.kubeconfig.problem:
            return None
        lease = self.scheduler_config.lease if self.scheduler_config else ("kube-system", "kube-scheduler")
        return probe_server(self.kubeconfig, lease)

    @property
    def release(self) -> str:
        """The release of the scheduler that would run: the program's, else the tree's; empty when unknown."""
        if isinstance(self.program, BinaryFacts) and self.program.release:
            return self.program.release
        return (self.checkout.release.version or "") if isinstance(self.checkout, Checkout) else ""
