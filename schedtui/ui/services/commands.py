"""Typed commands of the palette that need more than the screen: doctor, runs, catalogue.

Owns the table of their names and what each does; lists go out as ``ListOffered``. Everything that takes time runs
on a worker thread.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.directories import directories, typed_path
from schedtui.config.run_logs import list_run_logs, prune_run_logs
from schedtui.config.state import load_saved_filters, save_filter
from schedtui.core.errors import SchedtuiError, UnreadableInput, WrongUse
from schedtui.core.log_filter import READY_FILTERS
from schedtui.toolchain.doctor.run import CHECK_IDS, run_checks
from schedtui.ui import messages
from schedtui.ui.services import debug_commands, lab_commands, level_advice, overview, setup, stories
from schedtui.ui.services.command_context import Context
from schedtui.ui.services.report_lines import report_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from schedtui.ui.services.prepare import Request
    from schedtui.ui.services.session import Session


def run(
    name: str, words: str, session: Session | None, request: Request, post: Callable[[Message], object]
) -> bool:
    """Carry out a command on a worker thread; False when it is none of these."""
    command = COMMANDS.get(name) or debug_commands.COMMANDS.get(name) or lab_commands.COMMANDS.get(name)
    if command is None:
        return False
    context = Context(words.strip(), session, request, post)

    def work() -> None:
        try:
            command(context)
        except SchedtuiError as error:
            post(messages.WorkFailed(name, error))

    if session is not None:
        session.work(name, work)
    else:
        threading.Thread(target=work, name=f"command-{name}", daemon=True).start()
    return True


def _doctor(context: Context) -> None:
    context.post(messages.WorkProgressed("doctor"))
    session = context.session
    costs = session.log_costs if session is not None else None
    plan = session.plan if session is not None else None
    subject = setup.subject_of(context.request, plan, costs.measured if costs is not None else None)
    checks = setup.checks_for(alive=session is not None and session.target_pid is not None)
    findings = []
    for finding in run_checks(subject, checks):
        findings.append(finding)
        context.post(messages.WorkProgressed("doctor", len(findings), len(checks)))
    context.post(messages.WorkFinished("doctor"))
    skipped = tuple(check for check in CHECK_IDS if check not in checks)
    context.offer("Doctor", setup.doctor_lines(findings, skipped), choose=True)


def _report(context: Context) -> None:
    """What ``schedtui report`` prints, of the log that is shown, so far."""
    queue = context.session.queue if context.session is not None else None
    if queue is None:
        context.tell("There is no log yet.")
        return
    lines = report_lines(queue.report())
    context.offer(f"Report of {', '.join(context.logs)}", tuple((text, role, None) for text, role in lines))


def _build(context: Context) -> None:
    if context.session is not None:
        context.session.build_anew(restart=True)


def _workflow(context: Context) -> None:
    session = context.session
    subject = setup.subject_of(context.request, session.plan if session is not None else None)
    checks = session.tool_checks if session is not None else overview.ToolChecks()
    lines = overview.overview_lines(overview.Sight(session, subject, checks))
    again = messages.CommandRequested("workflow", "again") if session is not None else None
    context.post(
        messages.ListOffered(
            "From Go set-up to log analysis", lines, choose=True, live=again, again=context.words == "again"
        )
    )


def _legend(context: Context) -> None:
    levels = context.session.levels if context.session is not None else None
    store = context.session.store if context.session is not None else None
    if levels is None or store is None:
        context.tell("There is no log yet.")
        return
    lines = stories.legend_lines(levels.count_levels(), levels.sites, store.state().selection.level)
    context.offer("V levels", tuple((text, role, None) for text, role in lines))


def _catalogue(context: Context) -> None:
    session = context.session
    if session is None:
        return
    context.post(messages.WorkProgressed("looking up the stations"))
    lines = session.stations.lines(session.plan.checkout, context.words)
    context.post(messages.WorkFinished("catalogue"))
    title = f"Stations for {context.words} alone" if context.words else "Breakpoints"
    context.offer(title, lines, choose=True, search=True)


def _filters(context: Context) -> dict[str, tuple[str, str]]:
    """Name → (filter, what it shows): the ready ones, the configuration's, the saved ones."""
    found = {item.name: (item.text, item.label) for item in READY_FILTERS}
    found |= {name: (text, "from the configuration") for name, text in context.request.settings.filters.items()}
    return found | {name: (text, "saved") for name, text in load_saved_filters(directories()).items()}


def _filter(context: Context) -> None:
    found = _filters(context)
    if context.words in found:
        context.post(messages.SavedFilterChosen(found[context.words][0]))
        return
    if context.words:
        raise WrongUse("no such filter", where=context.words, hint=f"There are: {', '.join(found)}.")
    lines = tuple(
        (f"{name:<18} {about:<28} {text}", "", messages.CommandRequested("filter", name))
        for name, (text, about) in found.items()
    )
    context.offer("Filters", lines, choose=True, search=True)


def _save_filter(context: Context) -> None:
    name, _, text = context.words.partition("\n")
    if not text:
        context.tell("There is no filter to save; f makes one.")
        return
    save_filter(directories(), name.strip(), text)
    context.tell(f"Saved as {name.strip()}; ':filter {name.strip()}' applies it.")


def _runs(context: Context) -> None:
    logs = list_run_logs(directories().run_logs)
    lines: list[tuple[str, str, messages.Wish | None]] = [
        (f"{log.started:%Y-%m-%d %H:%M:%S}  {log.label:<24} run {log.run:<3} {log.size / 1e6:8.1f} MB",
         "", messages.CommandRequested("open-log", str(log.path)))
        for log in logs
    ]  # fmt: skip
    if logs:
        lines.append(("remove those beyond the configured number and size", "warning",
                      messages.CommandRequested("prune-runs")))  # fmt: skip
    context.offer("Earlier runs", tuple(lines), choose=True)


def _prune_runs(context: Context) -> None:
    limits = context.request.settings.runs
    gone = prune_run_logs(directories().run_logs, keep=limits.keep, max_bytes=limits.max_megabytes * 1_000_000)
    context.tell(f"{len(gone)} logs removed.")


def _open_log(context: Context) -> None:
    if context.session is None:
        context.post(messages.CommandRequested("start-logs", context.words))
        return
    context.session.open_logs((context.words,))
    context.tell(f"This is {Path(context.words).name}, an earlier run; ':runs' leads back to the present one.")


def _open(context: Context) -> None:
    session = context.session
    if session is None or not context.words:
        return
    name, _, number = context.words.rpartition(":")
    if name and number.isdigit():
        session.jump_to_source(messages.SourceJumpRequested(name, int(number)))
        return
    checkout = session.plan.checkout
    found = checkout.functions_named(context.words.rpartition(".")[2]) if checkout is not None else ()
    if not found:
        session.jump_to_source(messages.SourceJumpRequested(context.words, 1))
    elif len(found) == 1:
        session.jump_to_source(messages.SourceJumpRequested(str(found[0].path), found[0].function.line))
    else:
        lines = tuple(
            (f"{place.location}  {place.path.name}:{place.function.line}", "",
             messages.SourceJumpRequested(str(place.path), place.function.line))
            for place in found
        )  # fmt: skip
        context.offer(f"Functions named {context.words}", lines, choose=True)


def _why(context: Context) -> None:
    if context.session is None:
        return
    lines = stories.why(context.session.desk.readable(), context.words)
    context.offer(f"Why is {context.words} where it is?", tuple((text, role, None) for text, role in lines))


def _save(context: Context) -> None:
    """Write a text to a new file, private to the user."""
    path, _, text = context.words.partition("\n")
    target = typed_path(path)
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise UnreadableInput(
            f"cannot be written ({error.strerror})", where=str(target), hint="Name a file that does not exist yet."
        ) from error
    context.tell(f"Saved {target}")


COMMANDS: dict[str, Callable[[Context], None]] = {
    "doctor": _doctor,
    "report": _report,
    "build": _build,
    "workflow": _workflow,
    "legend": _legend,
    "catalogue": _catalogue,
    "filter": _filter,
    "save-filter": _save_filter,
    "runs": _runs,
    "prune-runs": _prune_runs,
    "open-log": _open_log,
    "open": _open,
    "why": _why,
    "advise": level_advice.advise_command,
    "save": _save,
}
"""Name → what it does."""
