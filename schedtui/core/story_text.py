"""A pod's story in words: why it is pending, its life line by line, and two attempts or pods side by side.

Owns sentences and their layout in plain lines, each with a role that a screen may colour (``title``, ``good``,
``bad``, ``dim`` or none); colours are chosen by ``ui``. The facts come from ``core.pod_story``.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from schedtui.core.record import EPOCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from schedtui.core.fit_error import FitError
    from schedtui.core.pod_story import Attempt, Life, PodStory, StateSpan
    from schedtui.core.queue_state import PodRow

TextLine = tuple[str, str]
"""(text, role)."""


class StoryLine(NamedTuple):
    """One line of a story, with what it stands for."""

    text: str
    """The line."""
    role: str = ""
    """What a screen may colour it as."""
    log_line: int = 0
    """1-based line of the log that told it; 0 for none."""
    attempt: str = ""
    """``place.number`` of the attempt that it tells of, its life's place in the story first; empty for none."""
    pod: str = ""
    """``ns/name`` of the pod that it tells of; empty for none, or for the story's own."""
    table: bool = False
    """Whether it is a row of a table, which is cut at the edge and never wrapped."""


_HOUR_SECONDS = 3600
_DAY_SECONDS = 24 * _HOUR_SECONDS
_DAY_US = _DAY_SECONDS * 1_000_000

SHOWN_SCORES = 5
"""Nodes whose scores are spelled out for an attempt."""

_PLACES = {
    "active": "waits in activeQ for its turn",
    "backoff": "waits in backoffQ until its backoff ends",
    "unschedulable": "waits in the unschedulable pool for an event that helps",
    "gated": "is held back by a PreEnqueue plugin",
    "in_flight": "is being scheduled now",
    "waiting": "waits on a Permit plugin",
    "binding": "is being bound",
    "bound": "is bound",
    "gone": "is gone",
    "unknown": "was named by the log, but where it waits is not known",
}
"""State → what it means, as the end of a sentence that begins with the pod's name."""

_HELP_BY_PLUGIN = {
    "NodeResourcesFit": "a pod that leaves a node, a new node, or a node that grows",
    "NodeAffinity": "a node with the labels that it asks for",
    "TaintToleration": "a node without the taint, or a toleration on the pod",
    "NodeUnschedulable": "a node that is uncordoned",
    "NodePorts": "a pod that frees the port",
    "NodeName": "the node that it names",
    "InterPodAffinity": "pods that come or go on the nodes",
    "PodTopologySpread": "pods or nodes that come or go",
    "VolumeBinding": "its claim, a volume or a storage class",
    "VolumeRestrictions": "its claim, or a pod that frees the volume",
    "VolumeZone": "a volume or a node in the right zone",
    "NodeVolumeLimits": "a pod that frees an attachment",
    "SchedulingGates": "its gates to be removed",
    "DefaultPreemption": "the preemption for it to finish",
    "DynamicResources": "its resource claims to be allocated",
}
"""Plugin → what a pod that it rejects waits for."""


def clock_text(time_us: int | None) -> str:
    """A moment of the log's clock as ``HH:MM:SS.mmm``; empty when unknown."""
    if time_us is None:
        return ""
    return (EPOCH + timedelta(microseconds=time_us)).strftime("%H:%M:%S.%f")[:-3]


def _dated_text(time_us: int | None) -> str:
    """A moment with its day, for stories that go on past midnight."""
    if time_us is None:
        return ""
    return (EPOCH + timedelta(microseconds=time_us)).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def _clock_for(story: PodStory) -> Callable[[int | None], str]:
    """How the story's moments are written: with the day as soon as there are two of them."""
    times = [time for life in story.lives for time in _moments(life) if time is not None]
    if not times or min(times) // _DAY_US == max(times) // _DAY_US:
        return clock_text
    return _dated_text


def _moments(life: Life) -> Iterator[int | None]:
    yield life.added_us
    for span in life.spans:
        yield span.since_us
    for attempt in life.attempts:
        yield attempt.started_us
    for wake in life.wakes:
        yield wake.time_us


def duration_text(seconds: float | None) -> str:
    """A duration in the unit that fits; empty when unknown."""
    if seconds is None:
        return ""
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 120:
        return f"{seconds:.2f} s"
    if seconds < 2 * _HOUR_SECONDS:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    if seconds < 2 * _DAY_SECONDS:
        return f"{int(seconds // _HOUR_SECONDS)} h {int(seconds % _HOUR_SECONDS // 60)} min"
    return f"{int(seconds // _DAY_SECONDS)} d {int(seconds % _DAY_SECONDS // _HOUR_SECONDS)} h"


def fit_text(fit: FitError) -> str:
    """The reasons of a failed attempt in one line."""
    reasons = ", ".join(reason if count is None else f"{count}x {reason}" for count, reason in fit.reasons)
    text = f"0 of {fit.total} nodes fit" + (f": {reasons}" if reasons else "")
    if fit.preemption is not None and fit.preemption.reasons:
        tried = ", ".join(
            reason if count is None else f"{count}x {reason}" for count, reason in fit.preemption.reasons
        )
        text += f"; preemption: {tried}"
    return text


def why_pending(story: PodStory) -> tuple[str, ...]:
    """Why the pod is where it is, in sentences; what the log does not tell is said to be unknown."""
    if not story.lives:
        return (f"The log does not name {story.pod}.",)
    row, life = story.row, story.lives[-1]
    if row is None:
        # The model forgets pods that are gone for long.
        return (f"{story.pod} {_PLACES['gone']}.",)
    before = () if story.present else (_from_before(story),)
    if row.state == "bound":
        waited = _waited(life)
        after = f" after {duration_text(waited)}" if waited is not None else ""
        return (*before, f"{story.pod} was bound to {row.node or 'a node'}{after}, attempts: {row.attempts}.")
    sure = "" if row.certain else " (inferred: the log does not prove it)"
    place = f"{story.pod} {_PLACES[row.state]}{sure}."
    return (*before, place) if row.state == "gone" else (*before, place, *_causes(story, row, life))


def _from_before(story: PodStory) -> str:
    """Says that the story is not told by the scheduler that began last."""
    pid = f" with pid {story.pid}" if story.pid is not None else ""
    heard = f" (last heard at {clock_text(story.time_us)})" if story.time_us is not None else ""
    return f"The scheduler that began last has not named {story.pod}. As the one{pid}{heard} had it:"


def _causes(story: PodStory, row: PodRow, life: Life) -> list[str]:
    """Why a pod that is neither bound nor gone waits."""
    sentences: list[str] = []
    if row.mark:
        sentences.append(f"It looks stuck: {row.mark}.")
    failed = [attempt for attempt in life.attempts if attempt.result in ("unschedulable", "error")]
    if failed:
        sentences.append(_last_failure(failed[-1]))
    if row.backoff_until_us is not None and story.time_us is not None and row.state == "backoff":
        left = (row.backoff_until_us - story.time_us) / 1_000_000
        sentences.append(f"Its backoff ends in {duration_text(left)}." if left > 0 else "Its backoff is over.")
    waits_for = [_HELP_BY_PLUGIN[plugin] for plugin in row.plugins if plugin in _HELP_BY_PLUGIN]
    if row.state in ("unschedulable", "gated") and waits_for:
        sentences.append(f"What would help: {'; '.join(waits_for)}.")
    if row.nominated_node:
        sentences.append(f"Preemption made room for it on {row.nominated_node}.")
    if life.wakes:
        wake = life.wakes[-1]
        sentences.append(f"It was last moved by {wake.event} ({wake.before} to {wake.after}).")
    if life.kept:
        kept = sorted(life.kept.items(), key=lambda each: -each[1])[:3]
        sentences.append("Events that did not help: " + ", ".join(f"{name} x{n}" for name, n in kept) + ".")
    return sentences


def _last_failure(attempt: Attempt) -> str:
    plugins = f" (rejected by {', '.join(attempt.plugins)})" if attempt.plugins else ""
    if attempt.fit is not None:
        return f"Attempt {attempt.number} failed: {fit_text(attempt.fit)}{plugins}."
    return f"Attempt {attempt.number} failed{': ' + attempt.text if attempt.text else ''}{plugins}."


def _waited(life: Life) -> float | None:
    bound = next((attempt.ended_us for attempt in life.attempts if attempt.result == "bound"), None)
    if bound is None or life.added_us is None:
        return None
    return max(bound - life.added_us, 0) / 1_000_000


def story_lines(story: PodStory) -> tuple[StoryLine, ...]:
    """The whole story, line by line."""
    lines: list[StoryLine] = [StoryLine(sentence) for sentence in why_pending(story)]
    clock = _clock_for(story)
    processes = {life.process for life in story.lives}
    for place, life in enumerate(story.lives, 1):
        lines.append(StoryLine(""))
        name = f"life {life.incarnation}" if len(story.lives) > 1 or life.incarnation > 1 else "life"
        if len(processes) > 1:
            pid = f" (pid {life.pid})" if life.pid is not None else ""
            name += f" in process {life.process}{pid}"
        added = f", added {clock(life.added_us)}" if life.added_us is not None else ""
        lines.append(StoryLine(f"{name}{added}", "title"))
        lines.extend(_span_line(span, story.time_us, clock) for span in life.spans)
        if life.attempts:
            lines += [StoryLine(""), StoryLine("attempts", "title")]
            for attempt in life.attempts:
                key = f"{place}.{attempt.number}"
                lines += [StoryLine(text, role, attempt.line, key) for text, role in attempt_lines(attempt, clock)]
        lines.extend(_event_lines(life, clock))
    return tuple(lines)


def _span_line(span: StateSpan, now_us: int | None, clock: Callable[[int | None], str]) -> StoryLine:
    seconds = span.seconds
    if seconds is None and span.since_us is not None and now_us is not None:
        seconds = max(now_us - span.since_us, 0) / 1_000_000
    state = span.state if span.certain else f"{span.state}?"
    reason = f"  {span.reason}" if span.reason else ""
    role = {"bound": "good", "gone": "dim"}.get(span.state, "")
    text = f"  {clock(span.since_us):12}  {state:15} {duration_text(seconds):>10}{reason}"
    return StoryLine(text, role, span.line)


def attempt_lines(attempt: Attempt, clock: Callable[[int | None], str] = clock_text) -> tuple[TextLine, ...]:
    """One attempt: its result, reasons, scores and notes."""
    took = None
    if attempt.started_us is not None and attempt.ended_us is not None:
        took = (attempt.ended_us - attempt.started_us) / 1_000_000
    where = f" on {attempt.node}" if attempt.node else ""
    role = {"bound": "good", "unschedulable": "bad", "error": "bad"}.get(attempt.result, "")
    begun = clock(attempt.started_us)
    lines: list[TextLine] = [
        (f"  {begun:12}  #{attempt.number} {attempt.result}{where}  {duration_text(took)}".rstrip(), role)
    ]
    if attempt.fit is not None:
        lines.append((f"      {fit_text(attempt.fit)}", ""))
    elif attempt.text:
        lines.append((f"      {attempt.text}", ""))
    if attempt.plugins:
        lines.append((f"      rejected by {', '.join(attempt.plugins)}", ""))
    for score in attempt.scores[:SHOWN_SCORES]:
        parts = ", ".join(f"{plugin} {value:g}" for plugin, value in sorted(score.by_plugin.items()))
        total = f"{score.total:g}" if score.total is not None else "?"
        lines.append((f"      score {score.node}: {total}" + (f" ({parts})" if parts else ""), "dim"))
    lines.extend((f"      {note}", "dim") for note in attempt.notes)
    return tuple(lines)


def _event_lines(life: Life, clock: Callable[[int | None], str]) -> list[StoryLine]:
    lines: list[StoryLine] = []
    if life.wakes:
        lines += [StoryLine(""), StoryLine("events that moved it", "title")]
        for wake in life.wakes:
            hint = f"  hint {wake.hint}" if wake.hint is not None else ""
            text = f"  {clock(wake.time_us):12}  {wake.event}: {wake.before} to {wake.after}{hint}"
            lines.append(StoryLine(text, "", wake.line))
    if life.kept:
        lines += [StoryLine(""), StoryLine("events that did not help", "title")]
        for name, number in sorted(life.kept.items(), key=lambda each: (-each[1], each[0])):
            lines.append(StoryLine(f"  {number:5} x {name}"))
    return lines


def compare_attempts(left: Attempt, right: Attempt) -> tuple[tuple[str, str, str], ...]:
    """Two attempts side by side: (what, left, right), differences and likenesses alike."""
    rows = [
        ("attempt", f"#{left.number}", f"#{right.number}"),
        ("began", clock_text(left.started_us), clock_text(right.started_us)),
        ("result", left.result, right.result),
        ("node", left.node or "", right.node or ""),
        ("rejected by", ", ".join(left.plugins), ", ".join(right.plugins)),
    ]
    rows += _compare_reasons(left.fit, right.fit)
    rows += _compare_scores(left, right)
    return tuple(rows)


def _compare_reasons(left: FitError | None, right: FitError | None) -> list[tuple[str, str, str]]:
    ours = {reason: count for count, reason in left.reasons} if left is not None else {}
    theirs = {reason: count for count, reason in right.reasons} if right is not None else {}
    return [
        (reason, _count_text(ours, reason), _count_text(theirs, reason)) for reason in _in_order(ours, theirs)
    ]  # fmt: skip


def _count_text(counts: dict[str, int | None], reason: str) -> str:
    if reason not in counts:
        return ""
    count = counts[reason]
    return "all nodes" if count is None else f"{count} nodes"


def _compare_scores(left: Attempt, right: Attempt) -> list[tuple[str, str, str]]:
    ours = {score.node: score.total for score in left.scores}
    theirs = {score.node: score.total for score in right.scores}
    return [
        (f"score {node}", _score_text(ours.get(node)), _score_text(theirs.get(node)))
        for node in _in_order(ours, theirs)
    ]


def _score_text(total: float | None) -> str:
    return "" if total is None else f"{total:g}"


def _in_order(left: Iterable[str], right: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*left, *right]))


def compare_pods(left: PodStory, right: PodStory) -> tuple[tuple[str, str, str], ...]:
    """Two pods side by side: (what, left, right)."""
    rows: list[tuple[str, str, str]] = [("pod", left.pod, right.pod)]
    for what, ours, theirs in zip(_FACTS, _facts(left), _facts(right), strict=True):
        rows.append((what, ours, theirs))
    last = _last_attempts((left, right))
    if last is not None:
        rows += list(compare_attempts(*last))[2:]
    return tuple(rows)


_FACTS = ("state", "attempts", "waited", "node", "last event")


def _facts(story: PodStory) -> tuple[str, ...]:
    row = story.row
    if row is None or not story.lives:
        return ("not in this log", "", "", "", "")
    waited = _waited(story.lives[-1])
    return (
        row.state if row.certain else f"{row.state}?",
        str(row.attempts),
        duration_text(waited),
        row.node or "",
        row.reason or "",
    )


def _last_attempts(stories: Sequence[PodStory]) -> tuple[Attempt, Attempt] | None:
    attempts = [story.lives[-1].attempts[-1] for story in stories if story.lives and story.lives[-1].attempts]
    return (attempts[0], attempts[1]) if len(attempts) == 2 else None
