"""The queue as rows: counts with sparklines, the table of pods, bindings per node.

Owns wording, columns and sorting. It is pure: ``QueueSnapshot`` in, ``Row`` values out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from schedtui.ui.widgets.rows import Row, row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from schedtui.core.queue_state import PodRow, PodState, QueueSnapshot

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

STATE_LETTERS: dict[PodState, str] = {
    "active": "A", "backoff": "B", "unschedulable": "U", "gated": "G", "in_flight": "F", "waiting": "W",
    "binding": "P", "bound": "N", "gone": "x", "unknown": "?",
}  # fmt: skip
"""State → one letter, for narrow places and for eyes without colour."""

COUNT_ROWS: tuple[tuple[PodState, ...], ...] = (
    ("active", "backoff", "unschedulable"),
    ("in_flight", "waiting", "binding", "gated", "bound"),
)
"""Which counts stand in which row above the table."""

Order = Literal["queue", "wait", "attempts", "last event"]
"""How the table is sorted."""

ORDERS: tuple[Order, ...] = ("queue", "wait", "attempts", "last event")
"""All orders, in the order in which a key walks through them."""

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
    for states in COUNT_ROWS:
        spans: list[tuple[str, str]] = []
        room = max(0, (width - sum(len(STATE_WORDS[state]) + 8 for state in states)) // len(states))
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


def summary(snapshot: QueueSnapshot) -> str:
    """All that counts in one line: ``A 3 B 2 U 4 G 0 F 1 · bound 32``."""
    counts = snapshot.counts
    states: tuple[PodState, ...] = (
        "active",
        "backoff",
        "unschedulable",
        "gated",
        "in_flight",
        "waiting",
        "binding",
    )
    shown = " ".join(f"{STATE_LETTERS[state]} {counts.get(state, 0)}" for state in states)
    unknown = f" ? {counts['unknown']}" if counts.get("unknown") else ""
    return f"{shown}{unknown} · bound {counts.get('bound', 0)}"


def duration(microseconds: int | None) -> str:
    """A time span for people: ``850ms``, ``12.3s``, ``4m05s``, ``2h10m``."""
    if microseconds is None:
        return ""
    seconds = max(0, microseconds) / 1_000_000
    if seconds < 1:
        return f"{int(seconds * 1000)}ms"
    if seconds < 60:
        return f"{seconds:.1f}s"
    if seconds < 3600:
        return f"{int(seconds // 60)}m{int(seconds % 60):02}s"
    return f"{int(seconds // 3600)}h{int(seconds % 3600 // 60):02}m"


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


def _sort_key(item: PodRow, order: Order) -> tuple[int, int]:
    if order == "wait":
        return (item.since_us is None, item.since_us or 0)
    if order == "attempts":
        return (-item.attempts, 0)
    if order == "last event":
        return (-item.last_line, 0)
    return (_STATE_ORDER.get(item.state, 99), item.since_us or 0)


def pod_rows(
    snapshot: QueueSnapshot, order: Order, *, show_all: bool, word: str = "", now_us: int | None = None
) -> list[Row]:
    """The table of pods; bound and gone ones only when asked for."""
    chosen: Iterable[PodRow] = (
        item
        for item in snapshot.pods
        if (show_all or item.state not in ("bound", "gone")) and (not word or _holds(item, word.lower()))
    )
    now = now_us if now_us is not None else snapshot.time_us
    ordered = sorted(chosen, key=lambda item: _sort_key(item, order))
    return [_pod_row(item, now) for item in ordered]


def _holds(item: PodRow, word: str) -> bool:
    return any(
        word in (text or "").lower() for text in (item.pod, item.node, item.reason, item.state, *item.plugins)
    )


def _pod_row(item: PodRow, now_us: int | None) -> Row:
    waited = now_us - item.since_us if now_us is not None and item.since_us is not None else None
    left = item.backoff_until_us - now_us if item.backoff_until_us is not None and now_us is not None else None
    name = item.pod if item.incarnation == 1 else f"{item.pod} #{item.incarnation}"
    if item.kind == "podgroup":
        name += " (group)"
    details = [f"try {item.attempts}"] if item.attempts else []
    if item.node:
        details.append(f"→ {item.node}")
    elif item.nominated_node:
        details.append(f"nominated {item.nominated_node}")
    if left is not None and item.state == "backoff":
        details.append(f"back in {duration(left)}" if left > 0 else "back now")
    if item.plugins:
        details.append(" ".join(item.plugins))
    if item.reason:
        details.append(f"by {item.reason}")
    return row(
        (f"{STATE_LETTERS[item.state]}", f"state-{item.state}"),
        (" " if item.certain else "~", "warning"),
        (f"{name:<28} ", ""),
        (f"{STATE_WORDS[item.state]:<13}", f"state-{item.state}"),
        (f"{duration(waited):>7}  ", "dim"),
        ("  ".join(details), ""),
        (f"  ! {item.mark}" if item.mark else "", "bad"),
        key=f"{item.pod}#{item.incarnation}",
        payload=item,
    )


def node_rows(snapshot: QueueSnapshot, width: int) -> list[Row]:
    """Bindings per node with a bar each; the sum stands first."""
    total = sum(snapshot.bound_per_node.values())
    rows = [row(("bound per node, counted from the binding lines", "tab"), key="heading"),
            row((f"{total:>6} in all", "key"), key="total")]  # fmt: skip
    top = max(snapshot.bound_per_node.values(), default=0)
    longest = max((len(name) for name in snapshot.bound_per_node), default=0)
    room = max(4, width - longest - 20)
    for name, count in sorted(snapshot.bound_per_node.items(), key=lambda item: (-item[1], item[0])):
        bar = "█" * max(1, count * room // top) if top else ""
        rows.append(
            row(
                (f"{count:>6}  ", "key"), (f"{name:<{longest}}", ""), (f"  {count * 100 / total:4.1f} % ", "dim"),
                (bar, "spark"), key=f"node {name}", payload=name,
            )
        )  # fmt: skip
    return rows
