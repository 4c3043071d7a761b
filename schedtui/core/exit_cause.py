"""Why a kube-scheduler ended at once, or runs and does nothing: cause in words and what to do.

Owns the table of symptoms and its one interpreter. It is pure: exit status, last log lines and facts that others
found out come in, a cause goes out. It never asks the cluster, never reads a file, and when nothing is recognised
it says so instead of guessing. The wordings were seen from real schedulers of 1.29 and 1.36.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from schedtui.core.exit_rules import DISK_RULES, EXIT_RULES, STALL_RULES
from schedtui.core.symptom import Symptom, find_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TAIL_BYTES = 256 * 1024
"""How much of a log's end a caller should hand over: klog's fatal exit dumps every goroutine after its reason."""

LINE_LIMIT = 4000
"""Characters of one line that are looked at, half from each end; longer lines hold objects, not reasons."""

EVIDENCE_LIMIT = 5
"""Log lines shown as evidence."""

LEASE_SECONDS = 10
"""``--leader-elect-renew-deadline``'s default: a leader that could not renew for so long gives up."""

_GOROUTINE_DUMP = re.compile(r"goroutine \d+ (?:gp=\S+ m=\S+ .*)?\[")
_KLOG_HEADER = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d")


@dataclass(frozen=True, slots=True)
class ExitFacts:
    """What is known of a scheduler that ended (or stalls)."""

    log_tail: Sequence[str] = ()
    """Its last log lines, oldest first, as they came; about ``TAIL_BYTES`` of them."""
    status: int | None = None
    """Exit status; None when it ended by a signal or still runs."""
    signal: int | None = None
    """The signal that ended it."""
    ran_seconds: float | None = None
    """How long it was there."""
    paused_seconds: float | None = None
    """The longest time it was held by the debugger without a break."""
    leader_elect: bool | None = None
    """Whether it takes part in leader election; None when unknown (the default of kube-scheduler is yes)."""
    release: str = ""
    """The scheduler's release, ``v1.36.3``; empty when unknown."""
    server_release: str = ""
    """The API server's, from its /version."""
    kubeconfig: str = ""
    """The file it was given."""
    config: str = ""
    """The scheduler configuration it was given."""
    port: int | None = None
    """Its secure port."""
    own_checks: tuple[tuple[str, str], ...] = ()
    """What doctor's checks found wrong just now: (check id, what was found)."""


@dataclass(frozen=True, slots=True)
class ExitCause:
    """The answer: fit for a message box and for the command line."""

    id: str
    """Stable name: ``lease-lost``, ``kubeconfig-missing`` …; ``unknown`` when nothing was recognised."""
    title: str
    """One line: what happened."""
    advice: str
    """What to do."""
    evidence: tuple[str, ...] = ()
    """The lines that show it, literal."""
    certain: bool = True
    """False when other causes fit the same lines."""
    also: tuple[str, ...] = field(default=())
    """Further findings of own checks that may matter."""

    def as_text(self) -> str:
        """Title, evidence, advice as plain lines."""
        title = self.title if self.certain else f"Probably: {self.title}"
        return "\n".join([title, *(f"  {line}" for line in self.evidence), self.advice, *self.also])


def explain_exit(facts: ExitFacts) -> ExitCause:
    """Name the cause of an exit; always answers."""
    lines = _readable(facts.log_tail)
    cause = _explain((*DISK_RULES, *EXIT_RULES), lines, facts)
    if cause is not None:
        return _with_checks(cause, facts)
    # A scheduler that was told to end while it still waited for something tells what it waited for.
    stalled = explain_stall(facts)
    return stalled if stalled is not None else _without_a_rule(lines, facts)


def explain_stall(facts: ExitFacts) -> ExitCause | None:
    """Why a scheduler that runs tries no pod; None when nothing in the facts speaks for it."""
    lines = _readable(facts.log_tail)
    cause = _explain((*DISK_RULES, *STALL_RULES), lines, facts)
    if cause is None:
        return None
    if cause.id == "informers-unsynced":
        cause = _name_unsynced(cause, lines, facts)
    return _with_checks(cause, facts)


def explain_disk(lines: Sequence[str]) -> ExitCause | None:
    """What a program could not write, from the end of its log; None when nothing in it speaks for that."""
    return _explain(DISK_RULES, _readable(lines), ExitFacts())


def with_own_checks(cause: ExitCause, checks: tuple[tuple[str, str], ...]) -> ExitCause:
    """``cause`` with what doctor's checks found after it was named: they decide where the log said nothing.

    For callers that must not wait for a network when the scheduler ends: name the cause at once, check, ask again.
    """
    if not checks:
        return cause
    if cause.id in ("unknown", "informers-silent"):
        return _from_checks(checks, cause.evidence)
    return replace(cause, also=_told(checks))


def newer_minor(scheduler: str, server: str) -> bool:
    """Whether the scheduler is of a later minor release than the API server."""
    ours, theirs = _minor(scheduler), _minor(server)
    return ours is not None and theirs is not None and ours > theirs


def _explain(table: Iterable[Symptom], lines: Sequence[str], facts: ExitFacts) -> ExitCause | None:
    problem = find_problem(table, lines, _words(facts))
    if problem is None:
        return None
    return ExitCause(
        problem.id, problem.title, problem.advice, _evidence(problem.evidence, lines), problem.certain
    )


def _words(facts: ExitFacts) -> dict[str, str]:
    """The facts as the tables' titles and advice name them."""
    return {
        "kubeconfig_file": facts.kubeconfig or "the kubeconfig",
        "kubeconfig_option": f" --kubeconfig {facts.kubeconfig}" if facts.kubeconfig else "",
        "config_file": facts.config or "the file given with --config",
        "port_number": str(facts.port or 10259),
        "release": facts.release or "this release",
        "paused": _paused(facts),
    }


def _paused(facts: ExitFacts) -> str:
    """The words that join a lost lease to the stop that cost it."""
    if facts.paused_seconds is not None and facts.paused_seconds >= LEASE_SECONDS * 0.8:
        return f" while paused {facts.paused_seconds:.0f} s in the debugger"
    return ""


def _evidence(line: str, lines: Sequence[str]) -> tuple[str, ...]:
    """The line that matched, with what follows it in the same record."""
    start = lines.index(line)
    picked = [line]
    for following in lines[start + 1 : start + EVIDENCE_LIMIT]:
        if _KLOG_HEADER.match(following) or following.startswith(("{", "goroutine ")):
            break
        picked.append(following)
    return tuple(picked)


def _with_checks(cause: ExitCause, facts: ExitFacts) -> ExitCause:
    return with_own_checks(cause, facts.own_checks)


def _told(checks: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"doctor ({name}): {found}" for name, found in checks)


def _from_checks(checks: tuple[tuple[str, str], ...], evidence: tuple[str, ...]) -> ExitCause:
    name, found = checks[0]
    title = f"The scheduler does not say why; the check {name!r} fails: {found}"
    advice = f"'schedtui doctor' shows the fix of {name}."
    return ExitCause(f"check-{name}", title, advice, evidence, certain=False, also=_told(checks[1:]))


def _without_a_rule(lines: Sequence[str], facts: ExitFacts) -> ExitCause:
    """Own checks may know what the log does not say; else the last lines must speak for themselves."""
    spoken = tuple(line for line in lines if line.strip())[-EVIDENCE_LIMIT:]
    if facts.own_checks:
        return _from_checks(facts.own_checks, spoken)
    if facts.signal is not None:
        killed = facts.signal == 9
        advice = (
            "Nothing inside the scheduler does that: look for an out-of-memory kill ('dmesg | tail')."
            if killed
            else "It was told to end from outside; start it again."
        )
        return ExitCause("signal", f"The scheduler was ended by signal {facts.signal}", advice, spoken)
    if facts.status == 0:
        advice = "It ended in good order (--version, --help or --write-config-to end at once, too)."
        return ExitCause("ended", "The scheduler ended without an error", advice, spoken)
    status = "" if facts.status is None else f" with status {facts.status}"
    return ExitCause(
        "unknown",
        f"The scheduler ended{status} and its last lines name no cause known to schedtui",
        "Read the last lines; 'schedtui doctor' checks kubeconfig, configuration, server and port.",
        spoken,
        certain=False,
    )


def _name_unsynced(cause: ExitCause, lines: Sequence[str], facts: ExitFacts) -> ExitCause:
    """Say which kinds never synced, and that the server is older when that is known or likely."""
    kinds = unsynced_kinds(lines)
    if not kinds:
        return cause
    names = ", ".join(kinds)
    title = f"The scheduler waits for its informers: the API server does not know {names}"
    if newer_minor(facts.release, facts.server_release):
        title += f" (scheduler {facts.release}, server {facts.server_release})"
    return ExitCause(cause.id, title, cause.advice, cause.evidence, cause.certain)


_MISSING_KIND = re.compile(r"failed to (?:list|watch) \*(?P<kind>[\w.]+): the server could not find the requested")


def unsynced_kinds(lines: Iterable[str]) -> tuple[str, ...]:
    """The Kubernetes kinds that the server does not serve, in the order of their first refusal."""
    kinds: Counter[str] = Counter()
    for line in lines:
        found = _MISSING_KIND.search(line)
        if found:
            kinds[found["kind"]] += 1
    return tuple(kinds)


def _minor(release: str) -> tuple[int, int] | None:
    found = re.match(r"v?(\d+)\.(\d+)", release)
    return (int(found[1]), int(found[2])) if found else None


def _readable(tail: Sequence[str]) -> list[str]:
    """The lines without goroutine dumps, each cut to what can hold a reason."""
    lines = []
    in_dump = False
    for line in tail:
        if _GOROUTINE_DUMP.match(line):
            in_dump = True
        elif in_dump and (_KLOG_HEADER.match(line) or line.startswith("{")):
            in_dump = False
        if not in_dump:
            lines.append(_cut(line.rstrip("\r\n")))
    return lines


def _cut(line: str) -> str:
    if len(line) <= LINE_LIMIT:
        return line
    return f"{line[: LINE_LIMIT // 2]} … {line[-LINE_LIMIT // 2 :]}"
