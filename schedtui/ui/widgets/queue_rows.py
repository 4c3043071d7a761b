"""The queue as rows: counts with sparklines, the table of pods, bindings per node.

Owns wording, columns and sorting. It is pure: ``QueueSnapshot`` in, ``Row`` values out.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Literal

from schedtui.ui.themes import ROLES
from schedtui.ui.widgets.rows import Row, row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from schedtui.core.placements import NodePlacement
    from schedtui.core.queue_state import PodRow, PodState, QueueSnapshot
    from schedtui.core.story_text import StoryLine

STATE_WORDS: dict[PodState, str] = {
    "active": "activeQ",
    "backoff": "backoffQ",
    "unschedulable": "unschedulable",
    "gated": "gated",
    "in_flight": "in flight",
    "waiting": "waiting",
    "binding": "binding",
    "bound": "bound",
    "gone": "gone",
    "unknown": "unknown",
}
"""State → the word that the pane uses."""

NARROW_WORDS: dict[PodState, str] = {"unschedulable": "unsched."}
"""State → a shorter word where columns are few."""

STATE_LETTERS: dict[PodState, str] = {
    "active": "A", "backoff": "B", "unschedulable": "U", "gated": "G", "in_flight": "F", "waiting": "W",
    "binding": "P", "bound": "N", "gone": "x", "unknown": "?",
}  # fmt: skip
"""State → one letter, for narrow places and for eyes without colour."""

COUNT_ROWS: tuple[tuple[PodState, ...], ...] = (
    ("active", "backoff", "unschedulable"),
    ("bound", "in_flight", "gated", "waiting", "binding"),
)
"""Which counts stand in which row above the table."""

Order = Literal["queue", "wait", "attempts", "last event"]
"""How the table is sorted."""

ORDER_WORDS: dict[Order, str] = {"wait": "wait: the time since it came into the queue, in the column too"}
"""Orders that need a word more; in the others the column shows the time in the present state."""

ORDERS: tuple[Order, ...] = ("queue", "wait", "attempts", "last event")
"""All orders, in the order in which a key walks through them."""

WIDE_COLUMNS = 100
"""From this width on states stand in full."""

NAME_COLUMNS = (16, 44)
"""Least and most columns that pods' names take; between them as many as the longest one, in steps of four."""

WAIT_STEP_US = 10_000_000
"""Waits of rows that nothing happened to go on in such steps, microseconds."""

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[int], width: int) -> str:
    """The last ``width`` values as bars; the highest is a full block, zero is the lowest bar."""
    shown = list(values)[-width:]
    top = max(shown, default=0)
    if top == 0:
        return _BARS[0] * len(shown)
    return "".join(_BARS[min(7, value * 7 // top)] if value else _BARS[0] for value in shown)


def count_rows(
    snapshot: QueueSnapshot, history: Mapping[PodState, Sequence[int]], width: int, *, sparklines: bool = True
) -> list[Row]:
    """The counts above the table, each queue with its course over time."""
    rows: list[Row] = []
    for group in COUNT_ROWS:
        states = _fitting(group, snapshot, width)
        spans: list[tuple[str, str]] = []
        room = max(0, (width - sum(len(STATE_WORDS[state]) + 8 for state in states)) // max(1, len(states)))
        for state in states:
            spans += [
                (f"{STATE_WORDS[state]} ", "dim"),
                (f"{snapshot.counts.get(state, 0)}", f"state-{state}"),
            ]
            course = history.get(state, ())
            if sparklines and room >= 4 and len(course) > 1:
                spans.append((" " + sparkline(course, min(room, 16)), "spark"))
            spans.append(("  ", ""))
        rows.append(Row(tuple(spans)))
    return rows


def _fitting(states: tuple[PodState, ...], snapshot: QueueSnapshot, width: int) -> tuple[PodState, ...]:
    """The states whose counts fit into a row; those without pods are left out, the last ones first."""
    shown = list(states)

    def cells(state: PodState) -> int:
        return len(STATE_WORDS[state]) + len(str(snapshot.counts.get(state, 0))) + 3

    for state in reversed(states):
        if sum(map(cells, shown)) - 2 > width and not snapshot.counts.get(state, 0):
            shown.remove(state)
    return tuple(shown)


def summary(snapshot: QueueSnapshot) -> str:
    """All that counts in one line: ``active 3 backoff 2 unsched. 4 · bound 32 · in flight 1``."""
    counts = snapshot.counts
    queues = f"active {counts.get('active', 0)} backoff {counts.get('backoff', 0)}"
    text = f"{queues} unsched. {counts.get('unschedulable', 0)} · bound {counts.get('bound', 0)}"
    rarer: tuple[PodState, ...] = ("in_flight", "waiting", "binding", "gated", "unknown")
    rest = " ".join(f"{STATE_WORDS[state]} {counts[state]}" for state in rarer if counts.get(state))
    return f"{text} · {rest}" if rest else text


def duration(microseconds: int | None) -> str:
    """A time span for people: ``850ms``, ``12.3s``, ``4m05s``, ``2h10m``, ``3d04h``."""
    if microseconds is None:
        return ""
    seconds = max(0, microseconds) / 1_000_000
    if seconds < 1:
        return f"{int(seconds * 1000)}ms"
    if seconds < 60:
        return f"{seconds:.1f}s"
    if seconds < 3600:
        return f"{int(seconds // 60)}m{int(seconds % 60):02}s"
    if seconds < 86_400:
        return f"{int(seconds // 3600)}h{int(seconds % 3600 // 60):02}m"
    return f"{int(seconds // 86_400)}d{int(seconds % 86_400 // 3600):02}h"


_STATE_ORDER = {
    state: index
    for index, state in enumerate(
        (
            "in_flight",
            "waiting",
            "binding",
            "active",
            "backoff",
            "unschedulable",
            "gated",
            "unknown",
            "bound",
            "gone",
        )
    )
}


def _sort_key(item: PodRow, order: Order, now_us: int | None) -> tuple[int, int]:
    if order == "wait":
        waited = _waited(item, now_us)
        return (waited is None, -(waited or 0))
    if order == "attempts":
        return (-item.attempts, 0)
    if order == "last event":
        return (-item.last_line, 0)
    return (_STATE_ORDER.get(item.state, 99), item.since_us or 0)


def pod_rows(
    snapshot: QueueSnapshot, order: Order, *, show_all: bool, word: str = "", now_us: int | None = None,
    width: int = WIDE_COLUMNS,
) -> list[Row]:  # fmt: skip
    """The table of pods; bound and gone ones only when asked for.

    Args:
        snapshot: The queues.
        order: How they are sorted.
        show_all: Bound and gone pods, too.
        word: Only pods that hold it in name, node, reason, state or plugins.
        now_us: The log's clock at this moment, while it goes on; else that of the snapshot.
        width: Columns there are.
    """
    chosen: Iterable[PodRow] = (
        item
        for item in snapshot.pods
        if (show_all or item.state not in ("bound", "gone")) and (not word or _holds(item, word.lower()))
    )
    now = snapshot.time_us if now_us is None else now_us
    ordered = sorted(chosen, key=lambda item: _sort_key(item, order, now))
    # A wait is repainted with its row, and at least every ten seconds: a countdown is what goes by the second.
    waits = now if now_us is None else max(snapshot.time_us or 0, now_us - now_us % WAIT_STEP_US)
    names = [_name(item) for item in ordered]
    least, most = NAME_COLUMNS
    columns = max(least, min(most, -(-max(map(len, names), default=0) // 4) * 4))
    return [
        _pod_row(
            item,
            f"{name:<{columns}}",
            now,
            _waited(item, waits) if order == "wait" else _in_state(item, waits),
            ticking=now_us is not None,
            narrow=width < WIDE_COLUMNS,
        )
        for item, name in zip(ordered, names, strict=True)
    ]


def _name(item: PodRow) -> str:
    name = item.pod if item.incarnation == 1 else f"{item.pod} #{item.incarnation}"
    return f"{name} (group)" if item.kind == "podgroup" else name


def _holds(item: PodRow, word: str) -> bool:
    return any(
        word in (text or "").lower() for text in (item.pod, item.node, item.reason, item.state, *item.plugins)
    )


def _in_state(item: PodRow, now_us: int | None) -> int | None:
    """Microseconds in its present state."""
    return now_us - item.since_us if now_us is not None and item.since_us is not None else None


def _waited(item: PodRow, now_us: int | None) -> int | None:
    """Microseconds from its first entry into the queue to its binding, or until now."""
    end = item.since_us if item.state in ("bound", "gone") else now_us
    begun = item.since_us if item.added_us is None else item.added_us
    return end - begun if end is not None and begun is not None else None


def _pod_row(
    item: PodRow, name: str, now_us: int | None, waited: int | None, *, ticking: bool, narrow: bool
) -> Row:
    left = item.backoff_until_us - now_us if item.backoff_until_us is not None and now_us is not None else None
    details = [f"try {item.attempts}"] if item.attempts else []
    if item.node:
        details.append(f"→ {item.node}")
    elif item.nominated_node:
        details.append(f"nominated {item.nominated_node}")
    if left is not None and item.state == "backoff":
        details.append(f"back in {_countdown(left, ticking=ticking)}" if left > 0 else "back now")
    if item.place:
        details.append(f"{item.place} group")
    if item.plugins:
        details.append(" ".join(item.shown_plugins))
    if item.reason:
        details.append(f"by {item.reason}")
    if item.hint is not None:
        details.append(f"hint {item.hint}")
    word = STATE_WORDS[item.state]
    return row(
        (f"{STATE_LETTERS[item.state]}", f"state-{item.state}"),
        (" " if item.certain else "~", "warning"),
        (f"{name} ", ""),
        (f"{NARROW_WORDS.get(item.state, word):<9}" if narrow else f"{word:<13}", f"state-{item.state}"),
        (f"{duration(waited):>7}  ", "dim"),
        # Where room is short the details are cut, never the pod's name nor that it looks stuck.
        (f"! {item.mark}  " if item.mark and narrow else "", "bad"),
        ("  ".join(details), ""),
        (f"  ! {item.mark}" if item.mark and not narrow else "", "bad"),
        key=f"{item.pod}#{item.incarnation}",
        payload=item,
    )


def _countdown(left_us: int, *, ticking: bool) -> str:
    """Time left; whole seconds while it is counted down."""
    return f"{-(-left_us // 1_000_000)}s" if ticking else duration(left_us)


def node_rows(snapshot: QueueSnapshot, placements: Sequence[NodePlacement], width: int) -> list[Row]:
    """Bindings per node with a bar each; failed bindings and preempted pods beside them; the sum stands first."""
    bound = {name: (count, 0, 0) for name, count in snapshot.bound_per_node.items()}
    bound |= {each.node: (each.bound, each.failed, each.preempted) for each in placements}
    if not bound:
        return []
    total = sum(count for count, _, _ in bound.values())
    top = max(count for count, _, _ in bound.values())
    troubled = any(failed or preempted for _, failed, preempted in bound.values())
    heading = f"{'bound':>6}  " + (f"{'failed':>6} {'preempted':>9}  " if troubled else "") + "node"
    rows = [
        row((heading, "tab"), key="heading"),
        row((f"{total:>6} in all, by the binding lines", "key"), key="total"),
    ]
    longest = max(4, *(len(name) for name in bound))
    room = max(4, width - longest - (38 if troubled else 20))
    for name, (count, failed, preempted) in sorted(bound.items(), key=lambda item: (-item[1][0], item[0])):
        bar = "█" * max(1, count * room // top) if count else ""
        share = f"  {count * 100 / total:4.1f} % " if total else ""
        trouble = (f"{failed or '':>6} {preempted or '':>9}  ", "bad") if troubled else ("", "")
        rows.append(
            row(
                (f"{count:>6}  ", "key"), trouble, (f"{name:<{longest}}", ""), (share, "dim"), (bar, "spark"),
                key=f"node {name}", payload=name,
            )
        )  # fmt: skip
    return rows


def told_rows(lines: Sequence[StoryLine], width: int) -> list[Row]:
    """Lines of a story as rows, wrapped to the width; each leads to its attempt, pod or line of the log."""
    rows: list[Row] = []
    for number, line in enumerate(lines):
        role = line.role if line.role in ROLES else ""
        pieces = [line.text] if line.table else _wrapped(line.text, width)
        for place, text in enumerate(pieces):
            rows.append(row((text, role), key=f"{number}.{place} {line.text}", payload=line))
    return rows


def _wrapped(text: str, width: int) -> list[str]:
    """A line in pieces that fit; those after the first are indented like it, and a bit more."""
    if len(text) <= width or width < 20:
        return [text]
    indent = " " * min(len(text) - len(text.lstrip()) + 2, width // 3)
    return textwrap.wrap(text, width, subsequent_indent=indent, drop_whitespace=True) or [text]
