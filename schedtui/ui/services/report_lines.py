"""A whole log in numbers, as lines to read: what ``schedtui report`` prints, for the screen.

Owns the wording and the columns. The numbers are ``core.report``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.story_text import StoryLine, duration_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.report import Report

Lines = tuple[tuple[str, str], ...]
"""(text, role) of each line."""

SHOWN_ROWS = 20
"""Rows of one table; the command prints all."""

BAR_CELLS = 20
"""Width of a share bar."""


def report_lines(report: Report) -> Lines:
    """The report, table by table."""
    lines: list[tuple[str, str]] = [
        (f"{report.bound} bindings, {report.attempts} attempts ({report.failed_attempts} failed),"
         f" {report.preemptions} preemptions", "tab-active"),
        *((notice, "warning") for notice in report.notices),
        ("", ""),
        (f"{'node':<24} {'bound':>7} {'share':>7}", "tab"),
    ]  # fmt: skip
    lines += [
        (f"{node.node:<24} {node.bound:>7} {node.share:>7.1%}  {'█' * round(node.share * BAR_CELLS)}", "")
        for node in report.nodes[:SHOWN_ROWS]
    ]
    lines += _more(len(report.nodes))
    lines += [("", ""), (f"{'':<12} {'p50':>9} {'p90':>9} {'p99':>9} {'max':>9} {'count':>8}", "tab")]
    for name, each in (("wait", report.wait), ("scheduling", report.scheduling), ("binding", report.binding)):
        values = " ".join(f"{duration_text(value):>9}" for value in (each.p50, each.p90, each.p99, each.max))
        lines.append((f"{name:<12} {values} {each.count:>8}", ""))
    lines += _counts("plugin" + (" (told from the reasons)" if report.failures_inferred else ""), report.failures)
    lines += _counts("reason (nodes)", report.reasons)
    if report.slowest:
        lines += [("", ""), (f"{'slowest pod':<40} {'wait':>9} attempts  node", "tab")]
        lines += [
            (f"{slow.pod:<40} {duration_text(slow.wait_seconds):>9} {slow.attempts:>8}  {slow.node or ''}", "")
            for slow in report.slowest[:SHOWN_ROWS]
        ]
    return (*lines, ("", ""), (f"verbosity: {report.needs}", "note"))


def times_lines(report: Report) -> tuple[StoryLine, ...]:
    """Waits, slowest, stuck and waiting pods, reasons: each line of a pod leads to its story."""
    lines = [StoryLine(notice, "warning") for notice in report.notices]
    lines.append(
        StoryLine(f"{'':<10} {'count':>5} {'p50':>7} {'p90':>7} {'p99':>7} {'max':>7}", "tab", table=True)
    )
    for name, each in (("wait", report.wait), ("scheduling", report.scheduling), ("binding", report.binding)):
        values = " ".join(f"{_short(value):>7}" for value in (each.p50, each.p90, each.p99, each.max))
        lines.append(StoryLine(f"{name:<10} {each.count:>5} {values}", table=True))
    if report.stuck:
        lines += [StoryLine(""), StoryLine("stuck", "tab")]
        lines += [StoryLine(f"! {row.pod:<34} {row.mark}", "bad", pod=row.pod) for row in report.stuck]
    if report.slowest:
        columns = max(len(slow.pod) for slow in report.slowest) + 2
        lines += [StoryLine(""), StoryLine(f"{'slowest':<{columns}} {'wait':>7}  tries  node", "tab", table=True)]
        lines += [
            StoryLine(
                f"{f'  {slow.pod}':<{columns}} {_short(slow.wait_seconds):>7}"
                f"  {slow.attempts:>5}  {slow.node or ''}",
                log_line=slow.line, pod=slow.pod, table=True,
            )
            for slow in report.slowest
        ]  # fmt: skip
    told = " (told from the reasons)" if report.failures_inferred else ""
    refused = (f"attempts refused by plugin{told}", report.failures)
    for heading, counts in (refused, ("nodes refused, by reason", report.reasons)):
        if counts:
            most = max(counts.values())
            lines += [StoryLine(""), StoryLine(heading, "tab")]
            lines += [
                StoryLine(f"{number:>7} {'█' * max(1, number * BAR_CELLS // most):<{BAR_CELLS}} {name}")
                for name, number in list(counts.items())[:SHOWN_ROWS]
            ]
    return tuple(lines)


def _short(seconds: float | None) -> str:
    """A duration for narrow columns: ``4min43s``."""
    return duration_text(seconds).replace(" ", "")


def _counts(heading: str, counts: Mapping[str, int]) -> list[tuple[str, str]]:
    if not counts:
        return []
    rows = [(f"{number:>7}  {name}", "") for name, number in list(counts.items())[:SHOWN_ROWS]]
    return [("", ""), (f"  count  {heading}", "tab"), *rows, *_more(len(counts))]


def _more(count: int) -> list[tuple[str, str]]:
    return [(f"… and {count - SHOWN_ROWS} more", "dim")] if count > SHOWN_ROWS else []
