"""``schedtui report`` and ``schedtui pod``: a whole log in numbers, and one pod's whole story.

Owns the two commands' options, their JSON (a contract) and their text. The folds are ``core.report`` and
``core.pod_story``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from schedtui.cli.output import json_option, print_json, print_table, print_text, printable
from schedtui.core.errors import WrongUse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.cli.reading import LogReading
    from schedtui.core.errors import UnreadableInput
    from schedtui.core.pod_story import PodStory
    from schedtui.core.report import Percentiles, Report

_BAR_CELLS = 20
"""Width of a share bar in the text report."""

_SHOWN_REASONS = 15
"""Reasons that the text report lists; JSON holds all."""

_AT_LEAST = "at least "
"""Stands before counts of a log that has lost lines."""

_NODES_HELP = (
    "bindings counted per node; 'grep | awk {print $NF}' on the same lines counts feasibleNodes=... instead,"
    " which is why the numbers differ"
)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--nodes", "only_nodes", is_flag=True, help="Only bindings per node; quick on logs of any size.")
@json_option
def report(files: tuple[str, ...], only_nodes: bool, as_json: bool) -> int:
    """Summarise a scheduler's log: bindings per node, attempts, waits, failure reasons, slowest and stuck pods.

    FILE is a log of any shape, gzipped or not, or '-' for standard input; several are merged by time. Bindings are
    counted by the node that each line names. (The tutorial's awk '{print $NF}' counts feasibleNodes=... instead:
    the last word of the line is not the node.)
    """
    if only_nodes:
        _report_nodes(files, as_json=as_json)
        return 0
    from schedtui.cli.reading import LogReading
    from schedtui.core.report import ReportFold

    reading = LogReading(files)
    fold = ReportFold()
    reading.report_into(fold)
    result = fold.report()
    if as_json:
        print_json(report_document(result))
    else:
        _print_report(result)
    if result.release is None:
        reading.tell_doubts()
    reading.raise_fault()
    return 0


def _report_nodes(files: tuple[str, ...], *, as_json: bool) -> None:
    """Print bindings per node, most first; nothing but the bindings' lines is parsed."""
    from schedtui.sources.inputs import resolve_inputs
    from schedtui.sources.node_counting import count_bindings

    faults: list[UnreadableInput] = []
    _print_nodes(count_bindings(resolve_inputs(files), faults), as_json=as_json)
    for fault in faults:
        raise fault


def _print_nodes(counts: Mapping[str, int], *, as_json: bool) -> None:
    total = sum(counts.values())
    if as_json:
        print_json({"nodes": {node: {"bound": count} for node, count in counts.items()}, "bound": total})
        return
    if not counts:
        click.echo("no binding in this log")
        return
    print_table(
        ("NODE", "BOUND", "SHARE", ""),
        [(node, count, f"{100 * count / total:.1f} %", _bar(count / total)) for node, count in counts.items()],
    )
    click.echo()
    print_text(f"{total} bindings on {len(counts)} nodes ({_NODES_HELP})")


def _bar(share: float) -> str:
    return "#" * max(round(share * _BAR_CELLS), 1 if share > 0 else 0)


def report_document(result: Report) -> dict[str, object]:
    """The JSON object of ``schedtui report``."""
    from schedtui.core.record import time_text

    return {
        "release": result.release,
        "first": time_text(result.first_us),
        "last": time_text(result.last_us),
        "nodes": {
            each.node: {
                "bound": each.bound,
                "share": round(each.share, 6),
                "preempted": each.preempted,
                "failed": each.failed,
                "last_bound": time_text(each.last_bound_us),
            }
            for each in result.nodes
        },
        "bound": result.bound,
        "failures": dict(result.failures),
        "failures_inferred": result.failures_inferred,
        "reasons": dict(result.reasons),
        "attempts": result.attempts,
        "failed_attempts": result.failed_attempts,
        "preemptions": result.preemptions,
        "wait_seconds": _percentile_document(result.wait),
        "scheduling_seconds": _percentile_document(result.scheduling),
        "binding_seconds": _percentile_document(result.binding),
        "slowest": [
            {
                "pod": slow.pod,
                "wait_seconds": slow.wait_seconds,
                "attempts": slow.attempts,
                "node": slow.node,
                "line": slow.line,
            }
            for slow in result.slowest
        ],
        "stuck": [{"pod": row.pod, "state": row.state, "mark": row.mark} for row in result.stuck],
        "pending": [
            {"pod": row.pod, "state": row.state, "certain": row.certain, "attempts": row.attempts}
            for row in result.pending
        ],
        "workflow": [
            {
                "station": station.name,
                "passed": station.passed,
                "failed": station.failed,
                "inside": station.inside,
                "rate": station.rate,
                "inferred": station.inferred,
            }
            for station in result.workflow.stations
        ],
        "needs": result.needs,
        "lines_lost": result.lines_lost,
        "notices": list(result.notices),
    }


def _percentile_document(each: Percentiles) -> dict[str, object]:
    return {"p50": each.p50, "p90": each.p90, "p99": each.p99, "max": each.max, "count": each.count}


def _print_report(result: Report) -> None:
    _print_head(result)
    _print_share_of_nodes(result)
    _print_times(result)
    _print_counts("PLUGIN" + (" (from the reasons)" if result.failures_inferred else ""), result.failures)
    _print_counts("REASON (nodes)", result.reasons)
    _print_stations(result)
    _print_slowest(result)
    _print_pending(result)
    click.echo()
    print_text(f"verbosity: {result.needs}")


def _print_head(result: Report) -> None:
    from schedtui.core.record import time_text

    span = f"{time_text(result.first_us) or '?'} to {time_text(result.last_us) or '?'}"
    click.echo(f"release {result.release or 'unknown'}, {span}")
    least = _AT_LEAST if result.lines_lost else ""
    click.echo(
        f"{least}{result.bound} bindings, {least}{result.attempts} attempts ({result.failed_attempts} failed),"
        f" {result.preemptions} preemptions"
    )
    for notice in result.notices:
        print_text(printable(notice))


def _print_share_of_nodes(result: Report) -> None:
    if result.nodes:
        click.echo()
        print_table(
            ("NODE", "BOUND AT LEAST" if result.lines_lost else "BOUND", "SHARE", "", "PREEMPTED", "FAILED"),
            [
                (each.node, each.bound, f"{100 * each.share:.1f} %", _bar(each.share), each.preempted, each.failed)
                for each in result.nodes
            ],
        )


def _print_times(result: Report) -> None:
    from schedtui.core.story_text import duration_text

    click.echo()
    print_table(
        ("DURATION", "P50", "P90", "P99", "MAX", "COUNT"),
        [
            (name, *(duration_text(value) for value in (each.p50, each.p90, each.p99, each.max)), each.count)
            for name, each in (
                ("wait", result.wait), ("scheduling", result.scheduling), ("binding", result.binding)
            )
        ],
    )  # fmt: skip


def _print_stations(result: Report) -> None:
    click.echo()
    print_table(
        ("STATION", "PASSED", "FAILED", "INSIDE", "PER SECOND"),
        [
            (
                f"{each.name}{'?' if each.inferred else ''}",
                "-" if each.inferred and not each.passed else each.passed,
                each.failed,
                each.inside,
                f"{each.rate:.1f}",
            )
            for each in result.workflow.stations
        ],
    )


def _print_slowest(result: Report) -> None:
    from schedtui.core.story_text import duration_text

    if result.slowest:
        click.echo()
        print_table(
            ("SLOWEST POD", "WAIT", "ATTEMPTS", "NODE"),
            [
                (slow.pod, duration_text(slow.wait_seconds), slow.attempts, slow.node or "")
                for slow in result.slowest[:10]
            ],
        )


def _print_pending(result: Report) -> None:
    if result.pending:
        click.echo()
        print_table(
            ("PENDING POD", "STATE", "ATTEMPTS", "PLUGINS", "STUCK"),
            [
                (
                    row.pod,
                    row.state if row.certain else f"{row.state}?",
                    row.attempts,
                    ",".join(row.shown_plugins),
                    (row.mark or "").partition(":")[0],
                )
                for row in result.pending[:_SHOWN_REASONS]
            ],
        )
        for mark in dict.fromkeys(row.mark for row in result.pending if row.mark and ":" in row.mark):
            print_text(mark)


def _print_counts(heading: str, counts: Mapping[str, int]) -> None:
    if not counts:
        return
    click.echo()
    rows = list(counts.items())
    print_table((heading, "COUNT"), rows[:_SHOWN_REASONS])
    if len(rows) > _SHOWN_REASONS:
        click.echo(f"... and {len(rows) - _SHOWN_REASONS} more")


@click.command()
@click.argument("pod", metavar="NS/NAME")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--against", metavar="NS/NAME", help="Another pod, told side by side.")
@json_option
def pod(pod: str, files: tuple[str, ...], against: str | None, as_json: bool) -> int:
    """Tell one pod's whole story: states, attempts, reasons, scores, the events that woke it or did not.

    A name without a namespace means 'default'. Exit code 1 when the log does not name the pod.
    """
    names = [_full_name(name) for name in ((pod, against) if against else (pod,))]
    from schedtui.cli.reading import LogReading

    reading = LogReading(files)
    stories = _tell(names, reading)
    if as_json:
        from schedtui.core.story_document import story_document

        documents = [story_document(story) for story in stories]
        print_json(documents[0] if against is None else {"pods": documents})
    else:
        _print_stories(stories)
    reading.raise_fault()
    return 0 if all(story.lives for story in stories) else 1


def _full_name(name: str) -> str:
    if not name.strip("/") or name != name.strip():
        raise WrongUse(f"{name!r} is no pod", where="pod", hint="Write NS/NAME, for example default/web-0.")
    return name if "/" in name else f"default/{name}"


def _tell(names: list[str], reading: LogReading) -> list[PodStory]:
    from schedtui.core.story_teller import StoryTeller

    teller = StoryTeller(names)
    for event in reading.told(names):
        teller.apply_event(event)
    return [teller.story(name) for name in names]


def _print_stories(stories: list[PodStory]) -> None:
    from schedtui.core.story_text import compare_pods, story_lines

    if len(stories) == 2:
        print_table(("", "LEFT", "RIGHT"), compare_pods(stories[0], stories[1]))
        click.echo()
    for number, story in enumerate(stories):
        if number:
            click.echo()
        for text, *_ in story_lines(story):
            click.echo(printable(text))
