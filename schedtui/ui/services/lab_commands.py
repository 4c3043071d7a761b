"""Typed commands around the lab: its state, scenarios, its parts' logs.

Owns the table of their names and what each does, like ``commands``, which asks this table too.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from schedtui.core.errors import LabFailed, WrongUse
from schedtui.lab.instance import instance
from schedtui.lab.report import format_bytes, report_on
from schedtui.lab.scenario import load_scenario, scenario_titles
from schedtui.ui import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schedtui.lab.report import LabReport
    from schedtui.ui.services.command_context import Context
    from schedtui.ui.services.lab_link import LabLink

TWO_SCHEDULERS = (
    "Both see every pod, and neither waits for the other: there is no leader election in a lab.",
    "A pod goes to whichever binds it first; the other's binding is refused ('already assigned to node').",
    "While one stands at a breakpoint the other binds all pods, so that few are left to stop for.",
    "To go on alone, end one of them (q y there), or start this one in a lab of its own:",
    "    schedtui lab --name second",
    "To go on together, give one of them a profile of its own (--config) and pods that name it",
    "(spec.schedulerName).",
)
"""What two schedulers on one lab mean, and how to go on."""

STOP_WORDS = ("stop", "end")
"""``:load stop``: end the scenario that plays."""

NO_LAB_HINT = "'schedtui lab' starts one and debugs a scheduler in it."


def _lab_of(context: Context) -> LabLink:
    link = context.session.lab if context.session is not None else None
    if link is None:
        raise LabFailed("there is no lab here", hint=NO_LAB_HINT)
    return link


def _load(context: Context) -> None:
    """Play a scenario by name or file, list them, or end the one that plays."""
    link = _lab_of(context)
    name, *options = _words(context.words) or [""]
    if not name:
        _offer_scenarios(context, "load")
    elif name in STOP_WORDS:
        context.tell("The scenario is ended." if link.stop_scenario() else "No scenario plays.")
        context.post(messages.WorkFinished("scenario"))
    else:
        numbers = _numbers(options)
        label, scenario = load_scenario(name)
        link.play(
            label, scenario, seed=int(numbers.get("seed", 0)), rate=numbers.get("rate"),
            duration=numbers.get("duration"),
        )  # fmt: skip
        context.tell(f"{label}: {scenario.title} (':load stop' ends it).")


def _scenarios(context: Context) -> None:
    """The scenarios, before there is a lab: choosing one brings a lab up that plays it."""
    _offer_scenarios(context, "start-scenario")


def _offer_scenarios(context: Context, command: str) -> None:
    lines = tuple(
        (f"{known:<22} {title}", "", messages.CommandRequested(command, shlex.quote(known)))
        for known, title in scenario_titles().items()
    )
    context.offer("Scenarios", lines, choose=True)


def _words(text: str) -> list[str]:
    """The words of a command, quoted as a shell takes them: a scenario's path may hold blanks.

    Raises:
        WrongUse: A quote is not closed.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        raise WrongUse(
            "a quote is not closed", where=text,
            hint="Like: load 'my scenarios/first.yaml' rate=10; an apostrophe of the path's own goes into \"\".",
        ) from error  # fmt: skip


def _numbers(options: list[str]) -> dict[str, float]:
    """``seed=3 rate=10`` → numbers.

    Raises:
        WrongUse: It is something else.
    """
    numbers: dict[str, float] = {}
    for option in options:
        name, _, value = option.partition("=")
        if name not in ("seed", "rate", "duration") or not value.replace(".", "", 1).isdigit():
            raise WrongUse(
                "this is no option of a scenario", where=option,
                hint="Like: load churn seed=3 rate=10 duration=60 (changes a second, seconds; 0: no limit)."
                " A path with blanks is put in quotes: load 'my scenarios/first.yaml' rate=10.",
            )  # fmt: skip
        numbers[name] = float(value)
    return numbers


def _lab(context: Context) -> None:
    """What ``schedtui lab status`` says of this session's lab."""
    link = _lab_of(context)
    context.post(messages.WorkProgressed("asking the lab"))
    report = report_on(instance(link.lab.name))
    context.post(messages.WorkFinished("lab"))
    session = context.session
    own = ""
    if session is not None and session.target_pid is not None:
        port = f"port {session.plan.endpoint.port}" if session.plan.endpoint is not None else ""
        own = f"{'kube-scheduler':<16} pid {session.target_pid:<8} {port:<11} {session.state}, this session's own"
    others = link.lab.other_schedulers()
    lines = tuple((text, role, None) for text, role in (*_status_lines(report, own), *_other_lines(others)))
    context.offer(f"Lab {report.name}: {report.phase}", lines)


def _status_lines(report: LabReport, own: str) -> Iterator[tuple[str, str]]:
    """(text, role) of each line; ``own`` is about the scheduler of this session."""
    yield f"server       {report.server}", ""
    yield f"release      {report.release}, served by {report.control_plane_release}", ""
    yield f"kubeconfig   {report.kubeconfig}", ""
    yield f"files        {report.directory} ({format_bytes(report.data_bytes)})", ""
    for part in report.parts:
        memory = format_bytes(part.memory_bytes) if part.alive else "-"
        role = "" if part.health == "ok" else "bad"
        yield f"{part.name:<16} pid {part.pid:<8} port {part.port:<6} {part.health:<12} {memory:>8}", role
        yield f"    {part.log} ({format_bytes(part.log_bytes)})", "dim"
        yield from ((f"    {line}", "bad") for line in part.last_lines)
        if part.cause:
            yield from ((f"    {text}", "note") for text in (part.cause, part.advice))
    if own:
        yield own, ""
    if report.pods is not None:
        yield f"objects      {report.nodes} nodes, {report.pods} pods, {report.waiting_pods} without a node", ""
    if report.workload:
        yield f"workload     {report.workload}", ""
    yield from ((f"! {text}", "bad") for text in (report.failure, *report.trouble) if text)


def _other_lines(others: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Who else takes pods, and what that means."""
    if others:
        yield "", ""
        yield from ((f"! {text[:1].upper()}{text[1:]} takes pods here, too.", "bad") for text in others)
        yield from ((text, "") for text in TWO_SCHEDULERS)


def _logs(context: Context) -> None:
    """Show the logs of the lab's parts among the scheduler's records, or no longer."""
    link = _lab_of(context)
    session = context.session
    assert session is not None
    known = link.part_logs
    if not context.words:
        lines: list[tuple[str, str, messages.Wish | None]] = [
            (f"{'[x]' if name in link.merged else '[ ]'} {name:<16} {path}", "",
             messages.CommandRequested("logs", " ".join(_toggled(link.merged, name)) or "none"))
            for name, path in known.items()
        ]  # fmt: skip
        lines.append(
            ("Enter shows or hides a log; the queues are rebuilt from the scheduler's alone.", "note", None)
        )
        context.offer("Logs of the lab's parts", tuple(lines), choose=True)
        return
    words = context.words.split()
    names = list(known) if words == ["all"] else [] if words == ["none"] else words
    session.merge_part_logs(names)
    shown = ", ".join(link.merged)
    context.tell(
        f"The log holds {shown} too; ':logs none' hides it." if shown else "The log is the scheduler's alone."
    )


def _toggled(merged: tuple[str, ...], name: str) -> list[str]:
    """The names that are left or come when one is chosen."""
    return [other for other in merged if other != name] if name in merged else [*merged, name]


COMMANDS: dict[str, Callable[[Context], None]] = {
    "lab": _lab, "load": _load, "logs": _logs, "scenarios": _scenarios,
}  # fmt: skip
"""Name → what it does."""
