"""``schedtui doctor``: every check of the set-up, and on request one fix, after asking.

Owns the options, the printing and the question. What is looked at and how is ``toolchain.doctor``'s; a fix runs as
an argument list, never through a shell.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from schedtui.cli.output import json_option, print_json, printable
from schedtui.core.errors import LabFailed, ToolMissing, WrongUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.log_cost import LogCost
    from schedtui.core.record import Record
    from schedtui.toolchain.doctor import Finding, Subject

_SIGNS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}
"""Status as a word, so that it is readable without colour."""

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


def _known_check(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A check's name, or click's own refusal; the checks are loaded when one is named, not for ``--help``."""
    if value is None:
        return None
    from schedtui.toolchain.doctor import CHECK_IDS

    return click.Choice(CHECK_IDS).convert(value, parameter, context)


@click.command()
@click.option("--src", "source", type=click.Path(path_type=Path), help="Source tree.")
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    help="Kubeconfig (default: a lab that is up, $KUBECONFIG, ~/.kube/config).",
)
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="KubeSchedulerConfiguration.")
@click.option("--exec", "binary", type=click.Path(path_type=Path), help="Built kube-scheduler.")
@click.option("--attach", metavar="PID", type=int, help="Running scheduler to attach to.")
@click.option("--port", metavar="N", type=click.IntRange(1, 65535), help="Secure port (default 10259).")
@click.option("-v", "verbosity", metavar="N", type=click.IntRange(0), help="Verbosity it would run with.")
@click.option("--log", "log_file", metavar="FILE", help="A log of it: what it costs is measured.")
@click.option("--online", is_flag=True, help="Try the module proxy, too.")
@click.option("--fix", "fix_id", metavar="ID", callback=_known_check, help="Run this check's fix after asking.")
@json_option
def doctor(
    source: Path | None,
    kubeconfig: Path | None,
    config_file: Path | None,
    binary: Path | None,
    attach: int | None,
    port: int | None,
    verbosity: int | None,
    log_file: str | None,
    online: bool,
    fix_id: str | None,
    as_json: bool,
) -> int:
    """Check the whole set-up; each finding with what mends it.

    Nothing is changed. A check with nothing to look at (no --src, say) is ok and says "not asked". Exit code 0
    when no check fails, 1 when one does; warnings alone do not change it.
    """
    from schedtui.config.directories import directories
    from schedtui.config.settings import load_settings
    from schedtui.toolchain.doctor import Subject, run_checks

    settings = load_settings(directories().config_file)
    subject = Subject(
        source=source,
        kubeconfig=kubeconfig or (Path(settings.kubeconfig) if settings.kubeconfig else usual_kubeconfig()),
        config=config_file or (Path(settings.scheduler_config) if settings.scheduler_config else None),
        binary=binary,
        attach=attach,
        port=port,
        verbosity=verbosity,
        log_cost=_measured(log_file, source) if log_file is not None else None,
        online=online,
    )
    if fix_id is not None:
        return _fix(subject, fix_id)
    findings = []
    for finding in run_checks(subject):
        findings.append(finding)
        if not as_json:
            _print_finding(finding)
    if as_json:
        print_json([_as_document(finding) for finding in findings])
    else:
        _print_sum(findings)
    return int(any(finding.status == "fail" for finding in findings))


def usual_kubeconfig() -> Path | None:
    """The cluster that the screen would take when none is named: a lab that is up, else the usual places."""
    from schedtui.lab.running import find_running_lab
    from schedtui.toolchain.kubeconfig import default_kubeconfig

    try:
        lab = find_running_lab()
    except LabFailed:
        # Several are up: which one is meant only --kubeconfig can say.
        return default_kubeconfig()
    return lab.kubeconfig if lab is not None else default_kubeconfig()


def _measured(log_file: str, source: Path | None) -> LogCost:
    """What a log costs; with a source tree the levels of its text lines are told from there."""
    from schedtui.core.log_cost import LogCostCounter
    from schedtui.sources.inputs import read_input, resolve_inputs

    (log,) = resolve_inputs((log_file,))
    level_of = None
    if source is not None and log_file != "-":
        # Standard input can be read once only, and whether a source fits a log is known after a first reading.
        from schedtui.config.directories import directories
        from schedtui.toolchain.checkout import open_checkout
        from schedtui.toolchain.level_index import load_level_index

        reading = load_level_index(open_checkout(source), directories().cache).reading()
        for record in read_input(log):
            reading.observe(record)

        def level_of(record: Record) -> int | None:
            return reading.level_of(record).level

    counter = LogCostCounter(level_of)
    for record in read_input(log):
        counter.add(record)
    return counter.measure()


def _as_document(finding: Finding) -> dict[str, object]:
    return {
        "id": finding.id, "status": finding.status, "found": finding.found, "fix": finding.fix.text or None,
        "why": finding.why, "command": list(finding.fix.argv) or None, "asked": finding.asked,
    }  # fmt: skip


def _print_finding(finding: Finding) -> None:
    colour = None if os.environ.get("NO_COLOR") else _COLOURS[finding.status]
    sign = click.style(_SIGNS[finding.status], fg=colour)
    first = f"{finding.id:<10}  "
    click.echo(f"{sign}  {_wrapped(first + printable(finding.found))}")
    if finding.status != "ok":
        click.echo(f"{'':18}{_wrapped(finding.why)}")
        # The fix is not wrapped: it is there to be copied.
        click.echo(f"{'':18}fix: {printable(finding.fix.text)}")


def _wrapped(text: str) -> str:
    """``text`` in lines that fit a terminal; whole when the output goes elsewhere, where tools read lines."""
    if not sys.stdout.isatty():
        return text
    width = max(40, shutil.get_terminal_size().columns - 1)
    lines = textwrap.wrap(text, width - 18, break_long_words=False, break_on_hyphens=False)
    return f"\n{'':18}".join(lines)


def _print_sum(findings: Sequence[Finding]) -> None:
    failed = [finding.id for finding in findings if finding.status == "fail"]
    warned = [finding.id for finding in findings if finding.status == "warn"]
    unasked = sum(not finding.asked for finding in findings)
    parts = [f"{len(findings) - len(failed) - len(warned) - unasked} fine"]
    parts += [f"{unasked} not asked"] if unasked else []
    parts += [f"{len(warned)} with a catch ({', '.join(warned)})"] if warned else []
    parts += [f"{len(failed)} failed ({', '.join(failed)})"] if failed else []
    click.echo(", ".join(parts))
    runnable = [finding.id for finding in findings if finding.status != "ok" and finding.fix.argv]
    if runnable:
        click.echo(f"'schedtui doctor --fix {runnable[0]}' runs that fix after asking.")


def _fix(subject: Subject, check: str) -> int:
    """Show the fix of one check, ask, run it, and check again."""
    from schedtui.toolchain.doctor import run_checks

    finding = next(iter(run_checks(subject, (check,))))
    _print_finding(finding)
    if finding.status == "ok":
        return 0
    if not finding.fix.argv:
        raise WrongUse(
            f"The fix of {check} is not one command that can be run for you", hint=f"By hand: {finding.fix.text}"
        )
    if not click.confirm(f"Run: {finding.fix.text}", default=False):
        return 1
    try:
        status = subprocess.run(finding.fix.argv, check=False, stdin=sys.stdin).returncode
    except OSError as error:
        raise ToolMissing(f"cannot run {finding.fix.argv[0]}", where=str(error.strerror)) from error
    if status != 0:
        click.echo(f"It ended with status {status}.", err=True)
        return 1
    again = next(iter(run_checks(_fresh(subject), (check,))))
    _print_finding(again)
    return int(again.status == "fail")


def _fresh(subject: Subject) -> Subject:
    """The same set-up with nothing remembered."""
    from schedtui.toolchain.doctor import Subject

    return Subject(
        source=subject.source, kubeconfig=subject.kubeconfig_path, config=subject.config_path,
        binary=subject.binary_path, attach=subject.attach, port=subject.port, verbosity=subject.verbosity,
        log_cost=subject.log_cost, online=subject.online,
    )  # fmt: skip
