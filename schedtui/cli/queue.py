"""``schedtui queue`` and ``schedtui check``: the rebuilt queues, and the rebuilt queues against the dumps.

Owns the two commands' options, their JSON (a contract) and their text. The fold is ``core.queue_model``, the
comparison ``core.queue_check``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from schedtui.cli.output import json_option, print_json, print_table, print_text, printable
from schedtui.core.record import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.queue_check import DumpCheck, Misplaced
    from schedtui.core.queue_model import QueueModel
    from schedtui.core.queue_state import PodRow, QueueSnapshot

_HIDDEN_STATES = ("bound", "gone")
"""States that are left out without ``--all``: the pod is in no queue any more."""

_SHOWN_DIFFERENCES = 10
"""Differences of one kind that the text output spells out for each dump."""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--at", metavar="LINE|TIME", help="The queues after this line, or at this time; else at the end.")
@click.option("--all", "show_all", is_flag=True, help="Pods that are bound or gone as well.")
@json_option
def queue(files: tuple[str, ...], at: str | None, show_all: bool, as_json: bool) -> int:
    """Rebuild the scheduling queues from a scheduler's log.

    FILE is a log of any shape, gzipped or not, or '-' for standard input. A file with several runs answers for its
    last process. A state that the log does not prove is marked with '?'.
    """
    from schedtui.cli.reading import LogReading, Moment
    from schedtui.core.queue_dump import QueueDump
    from schedtui.core.queue_model import QueueModel

    reading = LogReading(files)
    moment = Moment(at, reading)
    model = QueueModel(keep_gone=None if show_all else 0)
    reached_end = True
    for fact in reading.facts():
        if moment.is_past(fact):
            reached_end = False
            break
        if isinstance(fact, QueueDump):
            model.reach(fact.line, fact.time_us)
        else:
            model.apply_event(fact)
    if not reached_end and moment.line is not None:
        model.reach(moment.line)
    elif reached_end:
        last = reading.last_line()
        model.reach(last if moment.line is None else min(moment.line, max(last, model.line)))
    snapshot = model.snapshot()
    if as_json:
        print_json(queue_document(snapshot, show_all=show_all))
    else:
        _print_queue(snapshot, show_all=show_all)
    if snapshot.release is None:
        reading.tell_doubts()
    reading.raise_fault()
    return 0


def queue_document(snapshot: QueueSnapshot, *, show_all: bool) -> dict[str, object]:
    """The JSON object of ``schedtui queue``."""
    return {
        "release": snapshot.release,
        "line": snapshot.line,
        "time": time_text(snapshot.time_us),
        "counts": dict(snapshot.counts),
        "pods": [_row_document(row) for row in _shown(snapshot, show_all=show_all)],
        "needs": snapshot.needs,
        "lines_lost": snapshot.lines_lost,
        "notices": list(snapshot.notices),
    }


def _shown(snapshot: QueueSnapshot, *, show_all: bool) -> Sequence[PodRow]:
    if show_all:
        return snapshot.pods
    return [row for row in snapshot.pods if row.state not in _HIDDEN_STATES]


def _row_document(row: PodRow) -> dict[str, object]:
    return {
        "pod": row.pod,
        "state": row.state,
        "since": time_text(row.since_us),
        "attempts": row.attempts,
        "certain": row.certain,
        "reason": row.reason,
        "plugins": list(row.plugins),
        "plugins_inferred": row.plugins_inferred,
        "kind": row.kind,
        "hint": row.hint,
        "node": row.node,
        "nominated_node": row.nominated_node,
        "incarnation": row.incarnation,
        "added": time_text(row.added_us),
        "backoff_until": time_text(row.backoff_until_us),
        "last_line": row.last_line,
        "place": row.place,
        "mark": row.mark,
    }


def _print_queue(snapshot: QueueSnapshot, *, show_all: bool) -> None:
    time = time_text(snapshot.time_us) or "no time"
    click.echo(f"release {snapshot.release or 'unknown'}, line {snapshot.line}, {time}")
    print_text(", ".join(f"{state} {count}" for state, count in snapshot.counts.items()))
    for notice in snapshot.notices:
        print_text(printable(notice))
    rows = _shown(snapshot, show_all=show_all)
    if rows:
        click.echo()
        print_table(
            ("POD", "STATE", "FOR", "ATTEMPTS", "LAST EVENT", "PLUGINS", "NODE"),
            [_row_cells(row, snapshot.time_us) for row in rows],
        )
        click.echo()
    for mark in dict.fromkeys(row.mark for row in rows if row.mark and ":" in row.mark):
        print_text(mark)
    print_text(f"verbosity: {snapshot.needs}")


def _row_cells(row: PodRow, now_us: int | None) -> Sequence[object]:
    state = row.state if row.certain else f"{row.state}?"
    if row.place:
        state = f"{state} ({row.place} group)"
    if row.mark:
        # The cause, the same for many rows, is told once below them.
        state = f"{state} ({row.mark.partition(':')[0]})"
    return (
        row.pod if row.kind == "pod" else f"{row.pod} (group)",
        state,
        _duration(row.since_us, now_us),
        row.attempts,
        row.reason or "",
        ",".join(row.shown_plugins),
        row.node or (f"({row.nominated_node})" if row.nominated_node else ""),
    )


def _duration(since_us: int | None, now_us: int | None) -> str:
    if since_us is None or now_us is None:
        return ""
    seconds = max(now_us - since_us, 0) / 1_000_000
    if seconds < 60:
        return f"{seconds:.3f}s"
    if seconds < 3600:
        return f"{int(seconds // 60)}m{int(seconds % 60):02d}s"
    if seconds < 86_400:
        return f"{int(seconds // 3600)}h{int(seconds % 3600 // 60):02d}m"
    return f"{int(seconds // 86_400)}d{int(seconds % 86_400 // 3600):02d}h"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@json_option
def check(files: tuple[str, ...], as_json: bool) -> int:
    """Compare the rebuilt queues with every dump of the scheduling queue inside a log.

    The scheduler prints one for each SIGUSR2. Exit code 1 when a row that the model claimed for certain is wrong.
    """
    from schedtui.cli.reading import LogReading
    from schedtui.core.queue_check import QueueChecker
    from schedtui.core.queue_dump import QueueDump

    reading = LogReading(files)
    checker = QueueChecker()
    for fact in reading.facts():
        if isinstance(fact, QueueDump):
            checker.compare(fact)
        else:
            checker.apply_event(fact)
    results = checker.results()
    if as_json:
        print_json(check_document(results))
    else:
        _print_check(results, checker.model)
    if not results:
        reading.tell_doubts()
    reading.raise_fault()
    return 0 if all(result.equal for result in results) else 1


def check_document(results: Sequence[DumpCheck]) -> dict[str, object]:
    """The JSON object of ``schedtui check``."""
    return {
        "dumps": [
            {
                "line": result.line,
                "time": time_text(result.time_us),
                "dump": result.dump,
                "model": result.model,
                "rows": result.rows,
                "certain": result.certain,
                "missing": [_difference(each) for each in result.missing],
                "extra": [_difference(each) for each in result.extra],
                "misplaced": [_difference(each) for each in result.misplaced],
                "race": [_difference(each) for each in result.race],
                "uncertain": [_difference(each) for each in result.uncertain],
            }
            for result in results
        ],
        "equal": sum(result.equal for result in results),
        "total": len(results),
        "rows": sum(result.rows for result in results),
        "certain": sum(result.certain for result in results),
    }


def _difference(each: Misplaced) -> dict[str, object]:
    return {"pod": each.pod, "dump": each.dump, "model": each.model}


def _print_check(results: Sequence[DumpCheck], model: QueueModel) -> None:
    if not results:
        click.echo("no dump of the scheduling queue in this log; send the scheduler SIGUSR2 to get one")
        return
    print_table(
        ("LINE", "TIME", "DUMP", "MODEL", "ROWS", "CERTAIN", "RACE", "UNCERTAIN", "RESULT"),
        [
            (
                result.line,
                (time_text(result.time_us) or "")[11:],
                _counts(result.dump),
                _counts(result.model),
                result.rows,
                result.certain,
                len(result.race),
                len(result.uncertain),
                "equal" if result.equal else "DIFFERENT",
            )
            for result in results
        ],
    )
    for result in results:
        for word in ("missing", "extra", "misplaced"):
            differences: tuple[Misplaced, ...] = getattr(result, word)
            for each in differences[:_SHOWN_DIFFERENCES]:
                click.echo(
                    f"line {result.line}: {word}: {printable(each.pod)}:"
                    f" dump {each.dump or 'nowhere'}, model {each.model or 'unknown'}"
                )
    rows = sum(result.rows for result in results)
    certain = sum(result.certain for result in results)
    share = f" ({100 * certain / rows:.1f} %)" if rows else ""
    equal = sum(result.equal for result in results)
    click.echo(f"\n{equal} of {len(results)} dumps equal; {certain} of {rows} rows certain{share}")
    print_text(f"verbosity: {model.snapshot().needs}")


def _counts(counts: dict[str, int]) -> str:
    return "/".join(str(count) for count in counts.values())
