"""The set-up of a session as the doctor looks at it, and how its findings are told.

Owns which kubeconfig, configuration, program, port and verbosity a session or a request means, and the rows of
the doctor's screen. The checks are ``toolchain.doctor``'s; nothing is mended here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.directories import typed_path
from schedtui.debugger.exits import flags_of
from schedtui.toolchain.doctor.model import Subject
from schedtui.toolchain.doctor.run import CHECK_IDS, EXIT_CHECKS
from schedtui.toolchain.kubeconfig import default_kubeconfig
from schedtui.ui import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.log_cost import LogCost
    from schedtui.toolchain.doctor.model import Finding
    from schedtui.ui.services.plan import Plan
    from schedtui.ui.services.prepare import Request

STATUS_SIGNS = {"ok": ("✓", "good"), "warn": ("!", "warning"), "fail": ("x", "bad")}
"""Status of a finding → (sign, role)."""

OWN_TARGET_CHECKS = ("port", "lease")
"""What a scheduler of ours that runs takes itself: looked at only while none does."""

Line = tuple[str, str, "messages.Wish | None"]
"""(text, role, what is wished when it is chosen)."""


def subject_of(request: Request, plan: Plan | None, log_cost: LogCost | None = None) -> Subject:
    """What the doctor looks at: the session's own set-up, else what was asked for."""
    if plan is not None:
        return _subject_of_plan(plan, request.verbosity, log_cost)
    options, settings = request.options, request.settings
    return Subject(
        source=_path(options.source),
        kubeconfig=_path(options.kubeconfig or settings.kubeconfig) or default_kubeconfig(),
        config=_path(options.scheduler_config or settings.scheduler_config),
        binary=_path(options.binary),
        attach=options.attach_pid,
        port=_port(flags_of(tuple(options.scheduler_flags))),
        verbosity=request.verbosity,
    )


def _subject_of_plan(plan: Plan, verbosity: int, log_cost: LogCost | None) -> Subject:
    start = plan.start
    flags = flags_of(start.arguments) if start is not None else {}
    kubeconfig = flags.get("kubeconfig") or flags.get("authentication-kubeconfig")
    attached = start is not None and start.mode == "attach" and start.target.isdigit()
    program = start is not None and start.mode == "exec" and plan.launch is not None
    return Subject(
        source=plan.checkout.root if plan.checkout is not None else None,
        kubeconfig=_path(kubeconfig or "") or (plan.lab.kubeconfig if plan.lab is not None else None)
        or default_kubeconfig(),
        config=_path(flags.get("config", "")),
        # An optimised program is meant to run free: whether breakpoints work in it is not asked.
        binary=Path(start.target) if start is not None and program else None,
        attach=int(start.target) if start is not None and attached else None,
        port=_port(flags),
        verbosity=plan.verbosity if plan.verbosity is not None else verbosity,
        log_cost=log_cost,
    )  # fmt: skip


def exit_subject(plan: Plan) -> Subject:
    """What is looked at when the scheduler of ``plan`` ended."""
    return _subject_of_plan(plan, 0, None)


def exit_checks(plan: Plan) -> tuple[str, ...]:
    """The checks that can tell why a scheduler of ``plan`` ended."""
    start = plan.start
    return EXIT_CHECKS if start is not None and start.mode in ("exec", "debug") else ()


def checks_for(*, alive: bool) -> tuple[str, ...]:
    """The checks that make sense now, in order; ``alive``: a scheduler of ours runs or stands."""
    return tuple(check for check in CHECK_IDS if not (alive and check in OWN_TARGET_CHECKS))


def doctor_lines(findings: Sequence[Finding], skipped: Sequence[str] = ()) -> tuple[Line, ...]:
    """One line for each finding, those that need something first in sight; Enter opens it."""
    lines: list[Line] = []
    for finding in findings:
        sign, role = STATUS_SIGNS[finding.status]
        wish = messages.ListRequested(messages.ListOffered(finding.id, finding_lines(finding), choose=True))
        lines.append((f"{sign} {finding.id:<11} {finding.found}", role if finding.asked else "dim", wish))
    if skipped:
        names = ", ".join(skipped)
        lines.append((f"· {names}: taken by the scheduler that runs here; asked once it has ended", "dim", None))
    bad = [finding for finding in findings if finding.status != "ok"]
    told = f"{len(bad)} to look at: Enter shows why it matters and what mends it" if bad else "All is well."
    return (*lines, ("", "", None), (told, "note", None))


def finding_lines(finding: Finding) -> tuple[Line, ...]:
    """One finding in full, with its fix as a line to choose when one command does it."""
    sign, role = STATUS_SIGNS[finding.status]
    lines: list[Line] = [
        (f"{sign} {finding.id}: {finding.found}", role, None), ("", "", None), (finding.why, "", None)
    ]  # fmt: skip
    if finding.fix.text:
        lines += [("", "", None), ("What mends it:", "tab-active", None)]
        lines += [(f"  {line}", "key", None) for line in finding.fix.text.split("\n")]
    if finding.fix.argv:
        wish = messages.FixRequested(finding.id, finding.fix.argv, finding.fix.text)
        lines += [("", "", None), ("▶ Run it: Enter asks first", "note", wish)]
    back = messages.CommandRequested("doctor")
    return (*lines, ("", "", None), ("◀ back to all checks", "note", back))


def _port(flags: dict[str, str]) -> int | None:
    port = flags.get("secure-port", "")
    return int(port) if port.isdigit() and int(port) else None


def _path(text: str) -> Path | None:
    return typed_path(text) if text else None
