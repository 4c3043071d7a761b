"""Pod stories, comparisons and station counts as lines to read.

Owns which of ``core``'s words are asked for and how a log is read again for one pod. It keeps nothing: each story
is told from the log's bytes, so that it is complete whatever the panes have filtered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.errors import UnreadableInput
from schedtui.core.level_legend import LevelCounter, legend
from schedtui.core.pod_story import StoryTeller
from schedtui.core.story_text import compare_pods, story_lines, why_pending
from schedtui.sources.inputs import read_inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from schedtui.core.call_sites import CallSites
    from schedtui.core.level_legend import LevelSummary
    from schedtui.core.pod_story import PodStory
    from schedtui.core.record import Record
    from schedtui.core.workflow import WorkflowSnapshot

Lines = tuple[tuple[str, str], ...]
"""(text, role) of each line."""

COLUMN = 40
"""Columns of the left one of two stories side by side."""


def records_of(paths: Sequence[str]) -> Iterable[Record]:
    """All records of the logs, read anew.

    Raises:
        UnreadableInput: Standard input was read already, or a file cannot be read.
    """
    if "-" in paths:
        raise UnreadableInput(
            "standard input cannot be read twice", hint="Save it to a file and open that; the queues are complete."
        )
    return read_inputs(paths)


def tell(paths: Sequence[str], pod: str, release: str | None = None) -> PodStory:
    """One pod's story.

    Raises:
        UnreadableInput: A log cannot be read again.
    """
    teller = StoryTeller((pod,), release)
    for record in records_of(paths):
        teller.apply(record)
    return teller.story(pod)


def story_of(paths: Sequence[str], pod: str, against: str = "") -> Lines:
    """One pod's story, or two pods side by side."""
    story = tell(paths, pod)
    if not against:
        return story_lines(story)
    rows = compare_pods(story, tell(paths, against))
    lines = [(f"{'':<18} {pod:<{COLUMN}} {against}", "title")]
    lines += [
        (f"{what:<18} {left:<{COLUMN}} {right}", "changed" if left != right else "") for what, left, right in rows
    ]
    return tuple(lines)


def why(paths: Sequence[str], pod: str) -> Lines:
    """Why a pod is where it is."""
    return tuple((sentence, "") for sentence in why_pending(tell(paths, pod)))


def station_lines(snapshot: WorkflowSnapshot) -> Lines:
    """Pods per station, each with its failures and its rate."""
    top = max((station.passed for station in snapshot.stations), default=0)
    lines = [(f"{'station':<10} {'passed':>7} {'failed':>7} {'inside':>7} {'per s':>7}", "tab")]
    for station in snapshot.stations:
        bar = "█" * (station.passed * 12 // top) if top else ""
        sign = "~" if station.inferred else " "
        numbers = f"{station.passed:>7} {station.failed:>7} {station.inside:>7} {station.rate:>7.1f}"
        role = "bad" if station.failed and not station.passed else ""
        lines.append((f"{station.name:<10}{sign}{numbers}  {bar:<12} {station.meaning}", role))
    if any(station.inferred for station in snapshot.stations):
        lines.append(("~ told by a later station's lines, not by its own", "note"))
    return tuple(lines)


def legend_lines(
    paths: Sequence[str], enrich: Callable[[Record], Record], sites: CallSites | None, shown: int
) -> Lines:
    """What each V level means, with what this log and this source hold."""
    counter = LevelCounter()
    for record in records_of(paths):
        if record.severity == "I":
            counter.add(record, enrich(record).v)
    steps = legend(counter, sites)
    lines = [("A rule of thumb; the counts are this log's. Errors and warnings have no level.", "note")]
    for step in steps:
        lines += _legend_step(step, shown)
    return tuple(lines)


def _legend_step(step: LevelSummary, shown: int) -> Lines:
    name = "V?" if step.level < 0 else f"V{step.level}"
    mark = "▶" if step.level == shown else " "
    calls = f"  {step.calls} calls in the source" if step.calls else ""
    lines = [(f"{mark}{name:<4} {step.lines:>8} lines  {step.bytes // 1024:>6} KiB  {step.meaning}{calls}", "key")]
    lines += [(f"       {site.lines:>7}  {site.file}:{site.line} {site.message}", "dim") for site in step.top]
    return tuple(lines)


__all__ = ["legend_lines", "station_lines", "story_of", "tell", "why"]
