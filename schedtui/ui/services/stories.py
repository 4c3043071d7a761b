"""Pod stories, comparisons and station counts as lines to read.

Owns which of ``core``'s words are asked for. It keeps nothing: each story is told from the log's bytes, so that it
is complete whatever the panes have filtered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.level_legend import legend
from schedtui.core.story_teller import StoryTeller
from schedtui.core.story_text import (
    StoryLine,
    clock_text,
    compare_attempts,
    compare_pods,
    story_lines,
    why_pending,
)
from schedtui.sources.reread import reread_pods

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedtui.core.call_sites import CallSites
    from schedtui.core.level_legend import LevelCounter, LevelSummary
    from schedtui.core.pod_story import Attempt, PodStory
    from schedtui.core.workflow import WorkflowSnapshot
    from schedtui.sources.record_feed import Readable

Lines = tuple[tuple[str, str], ...]
"""(text, role) of each line."""

COLUMN = 30
"""Columns of the left one of two stories side by side: both fit into 80."""

WHAT = 18
"""Columns of what is compared."""


def tell(
    generations: Sequence[Readable], pods: Sequence[str], release: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, PodStory]:  # fmt: skip
    """Pods' stories, told from a log read anew.

    Args:
        generations: What the log store can read.
        pods: ``ns/name`` each.
        release: The release that the live model found.
        progress: Called with (bytes read, bytes in all).
    """
    teller = StoryTeller(pods, release)
    for event in reread_pods(generations, pods, progress):
        teller.apply_event(event)
    return {pod: teller.story(pod) for pod in pods}


def whole(story: PodStory) -> tuple[StoryLine, ...]:
    """One pod's story."""
    return story_lines(story)


def side_by_side(left: PodStory, right: PodStory) -> tuple[StoryLine, ...]:
    """Two pods' stories."""
    names = [_named(left), _named(right)]
    headings = [StoryLine(f"{'':<{WHAT}} {names[0]:<{COLUMN}} {names[1]}", "title")]
    if len(names[0]) > COLUMN:
        headings = [StoryLine(f"{'':<{WHAT}} {name}", "title") for name in names]
    as_of = (
        f"As it was at {clock_text(left.time_us)}; m on both compares anew." if left.time_us is not None else ""
    )
    return (*headings, *_compared(compare_pods(left, right)[1:]), StoryLine(as_of, "note"))


def _named(story: PodStory) -> str:
    """``ns/name``, and which pod of that name it is, as in the table of pods."""
    number = story.row.incarnation if story.row is not None else 1
    return story.pod if number == 1 else f"{story.pod} #{number}"


def attempts_side_by_side(story: PodStory, left: str, right: str) -> tuple[StoryLine, ...]:
    """Two attempts of one pod, each as in ``StoryLine.attempt``; empty when one of them is not there."""
    found = [_attempt(story, key) for key in (left, right)]
    if found[0] is None or found[1] is None:
        return ()
    heading = f"{story.pod}: two attempts (Esc goes back)"
    return (StoryLine(heading, "title"), *_compared(compare_attempts(found[0], found[1])))


def _attempt(story: PodStory, key: str) -> Attempt | None:
    place, _, number = key.partition(".")
    for index, life in enumerate(story.lives, 1):
        for attempt in life.attempts:
            if (str(index), str(attempt.number)) == (place, number):
                return attempt
    return None


def _compared(rows: Sequence[tuple[str, str, str]]) -> list[StoryLine]:
    """What, left, right: those that differ are marked, with a sign as well."""
    lines: list[StoryLine] = []
    for what, left, right in rows:
        differs = left != right
        if max(len(what) - WHAT, len(left) - COLUMN) <= 0:
            lines.append(StoryLine(f"{what:<{WHAT}}{'≠' if differs else ' '}{left:<{COLUMN}} {right}",
                                   "changed" if differs else ""))  # fmt: skip
            continue
        lines.append(StoryLine(f"{what}{' ≠' if differs else ''}", "changed" if differs else ""))
        lines += [StoryLine(f"{'':<{WHAT}} {text}") for text in (left or "-", right or "-")]
    return lines


def why(generations: Sequence[Readable], pod: str) -> Lines:
    """Why a pod is where it is."""
    return tuple((sentence, "") for sentence in why_pending(tell(generations, (pod,))[pod]))


def station_lines(snapshot: WorkflowSnapshot) -> Lines:
    """Pods per station, each with its failures and its rate."""
    top = max((station.passed for station in snapshot.stations), default=0)
    lines = [(f"{'station':<10} {'passed':>7} {'failed':>7} {'inside':>7} {'per s':>7}", "tab")]
    for station in snapshot.stations:
        bar = "█" * (station.passed * 6 // top) if top else ""
        sign = "~" if station.inferred else " "
        passed = "-" if station.inferred and not station.passed else str(station.passed)
        numbers = f"{passed:>7} {station.failed:>7} {station.inside:>7} {station.rate:>7.1f}"
        role = "bad" if station.failed and not station.passed else ""
        lines.append((f"{station.name:<10}{sign}{numbers}  {bar:<6} {station.meaning}", role))
    if any(station.inferred for station in snapshot.stations):
        lines.append(("~ told by a later station's lines, not by its own", "note"))
    return tuple(lines)


def legend_lines(counter: LevelCounter, sites: CallSites | None, shown: int) -> Lines:
    """What each V level means, with what this log and this source hold."""
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
