"""The table of checks and its interpreter.

Owns the ids (a contract: scripts depend on them), why each matters, and the order. Every id is always answered
once: a check with nothing to look at says ``ok`` and "not asked".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.toolchain.doctor.cluster_checks import (
    check_config,
    check_kubeconfig,
    check_lease,
    check_port,
    check_server,
    check_verbosity,
)
from schedtui.toolchain.doctor.go_checks import (
    check_dlv,
    check_dlv_go,
    check_go,
    check_go_env,
    check_goproxy,
)
from schedtui.toolchain.doctor.machine_checks import check_disk, check_ptrace, check_terminal, full_disk
from schedtui.toolchain.doctor.model import Finding, Subject, fail
from schedtui.toolchain.doctor.source_checks import check_binary, check_module, check_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table."""

    id: str
    why: str
    """Why it matters, one sentence."""
    look: Callable[[Subject], Finding]


CHECKS: tuple[Check, ...] = (
    Check("go", "Go builds the scheduler and installs dlv.", check_go),
    Check("go-env", "A wrong GOROOT, GOPATH or PATH breaks builds in ways that name other causes.", check_go_env),
    Check("goproxy", "Modules come from here; the default does not answer everywhere.", check_goproxy),
    Check("dlv", "The debugger pane drives it.", check_dlv),
    Check("dlv-go", "dlv refuses programs built by a Go that it does not know.", check_dlv_go),
    Check("source", "Source pane, breakpoints and V levels come from this tree.", check_source),
    Check("module", "'go: module … not found' and its kin come from here.", check_module),
    Check("binary", "Breakpoints need debug information, no optimisation, and the same source.", check_binary),
    Check("ptrace", "Without it no debugger can start or attach.", check_ptrace),
    Check("kubeconfig", "With a bad one the scheduler exits at once.", check_kubeconfig),
    Check("config", "With a bad one the scheduler exits at once.", check_config),
    Check("server", "A scheduler that reaches no server, or an older one, binds nothing.", check_server),
    Check("port", "The scheduler exits at once when its port is taken.", check_port),
    Check("lease", "A scheduler without the lease waits, and no breakpoint in its loop is hit.", check_lease),
    Check("verbosity", "Much log slows the scheduler and hides what matters.", check_verbosity),
    Check("disk", "Builds fill gigabytes; on a full disk logs end early and a lab dies.", check_disk),
    Check(
        "terminal", "The screen needs UTF-8, a terminal that can move its cursor, and some room.", check_terminal
    ),
)
"""Every check, in the order of a day's work."""

CHECK_IDS: tuple[str, ...] = tuple(check.id for check in CHECKS)
"""The ids, in order."""


EXIT_CHECKS: tuple[str, ...] = ("kubeconfig", "config", "server", "port")
"""What can make a scheduler exit at once without its log saying so."""


def failures(subject: Subject, ids: Sequence[str] = EXIT_CHECKS) -> tuple[tuple[str, str], ...]:
    """(id, what was found) of each check that fails: ``core.exit_cause`` takes them as ``own_checks``."""
    failed = tuple((found.id, found.found) for found in run_checks(subject, ids) if found.status == "fail")
    # Little room is no reason to end; none is, and comes before what else is wrong.
    full = full_disk(subject)
    return ((("disk", full),) if full else ()) + failed


def run_checks(subject: Subject, ids: Sequence[str] = CHECK_IDS) -> Iterator[Finding]:
    """Run the checks of ``ids`` one after another; each answer comes as soon as it is known."""
    for check in CHECKS:
        if check.id in ids:
            try:
                finding = check.look(subject)
            except SchedtuiError as error:
                finding = fail(f"{error.title}: {error.where}" if error.where else error.title, error.hint)
            yield replace(finding, id=check.id, why=check.why)
