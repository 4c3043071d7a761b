"""Pod stories and queue events as JSON objects: what ``schedtui pod --json`` prints and exports hold.

Owns the names and the order of their keys (scripts read them; keys may be added, none renamed). Every key is
always there, null when unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.record import time_text
from schedtui.core.story_text import why_pending

if TYPE_CHECKING:
    from schedtui.core.events import QueueEvent
    from schedtui.core.pod_story import Attempt, Life, PodStory


def event_document(event: QueueEvent) -> dict[str, object]:
    """The JSON object of one queue event."""
    return {
        "line": event.line,
        "time": time_text(event.time_us),
        "pid": event.pid,
        "effect": event.effect,
        "pod": event.pod,
        "subject": event.kind,
        "event": event.event,
        "queue": event.queue,
        "hint": event.hint,
        "plugins": list(event.plugins),
        "node": event.node,
        "other": event.other,
        "number": event.number,
        "text": event.text,
        "source": event.source,
        "message": event.message,
    }


def story_document(story: PodStory) -> dict[str, object]:
    """The JSON object of one story."""
    row = story.row
    return {
        "pod": story.pod,
        "release": story.release,
        "time": time_text(story.time_us),
        "pid": story.pid,
        "present": story.present,
        "state": row.state if row is not None else None,
        "certain": row.certain if row is not None else None,
        "node": row.node if row is not None else None,
        "attempts": row.attempts if row is not None else 0,
        "plugins": list(row.plugins) if row is not None else [],
        "mark": row.mark if row is not None else None,
        "why": list(why_pending(story)),
        "lives": [_life_document(life) for life in story.lives],
    }


def _life_document(life: Life) -> dict[str, object]:
    return {
        "incarnation": life.incarnation,
        "process": life.process,
        "pid": life.pid,
        "added": time_text(life.added_us),
        "states": [
            {
                "state": span.state,
                "since": time_text(span.since_us),
                "until": time_text(span.until_us),
                "seconds": span.seconds,
                "reason": span.reason,
                "certain": span.certain,
                "line": span.line,
            }
            for span in life.spans
        ],
        "attempts": [_attempt_document(attempt) for attempt in life.attempts],
        "woken_by": [
            {
                "event": wake.event,
                "time": time_text(wake.time_us),
                "line": wake.line,
                "from": wake.before,
                "to": wake.after,
                "hint": wake.hint,
            }
            for wake in life.wakes
        ],
        "kept_by": dict(life.kept),
    }


def _attempt_document(attempt: Attempt) -> dict[str, object]:
    fit = attempt.fit
    return {
        "number": attempt.number,
        "started": time_text(attempt.started_us),
        "ended": time_text(attempt.ended_us),
        "line": attempt.line,
        "result": attempt.result,
        "error": attempt.text,
        "nodes": fit.total if fit is not None else None,
        "reasons": {reason: count for count, reason in fit.reasons} if fit is not None else {},
        "preemption": (
            {reason: count for count, reason in fit.preemption.reasons}
            if fit is not None and fit.preemption is not None
            else {}
        ),
        "plugins": list(attempt.plugins),
        "node": attempt.node,
        "nominated_node": attempt.nominated_node,
        "scores": [
            {"node": score.node, "total": score.total, "plugins": dict(score.by_plugin)}
            for score in attempt.scores
        ],
        "notes": list(attempt.notes),
        "binding_started": time_text(attempt.binding_us),
    }
