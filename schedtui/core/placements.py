"""Where pods went: bindings, victims and refused bindings per node, folded from events.

Owns the per-node counts that the report and the node panel show. ``bound`` counts bindings that happened, not pods
that are still there. The quick count over raw bytes (``report --nodes``) is ``core.node_counts``'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.pod_knowledge import continued

if TYPE_CHECKING:
    from collections.abc import Collection

    from schedtui.core.events import QueueEvent


CONCERNED = frozenset({"bound", "binding", "bind_failed", "delete", "vanished"})
"""Effects of which something is kept for each pod."""

APPLIED = CONCERNED | {"preempted"}
"""All effects that make a difference to this fold."""

_FORGETTING = frozenset({"delete", "vanished"})
"""Effects that count nothing, and behind which nothing is known of a pod."""

SETTLING = _FORGETTING | {"bound"}
"""Effects behind which nothing is known of a pod."""


_NAMING = frozenset({"bound", "binding"})
"""Effects of which a node that the line names is all that matters."""


def stands_alone(event: QueueEvent) -> bool:
    """Whether what was known of its pod before matters neither to an event of these effects nor after it."""
    return event.effect in _FORGETTING or (event.effect in _NAMING and bool(event.node))


@dataclass(frozen=True, slots=True)
class NodePlacement:
    """What happened on one node."""

    node: str
    """The node's name."""
    bound: int
    """Bindings."""
    share: float
    """Its part of all bindings, 0 to 1."""
    preempted: int
    """Pods that were preempted there."""
    failed: int
    """Bindings that were begun and failed."""
    last_bound_us: int | None
    """When a pod was bound there last."""


@dataclass(slots=True)
class _Counts:
    bound: int = 0
    preempted: int = 0
    failed: int = 0
    last_bound_us: int | None = None
    last_bound_line: int = 0


class Placements:
    """Folds events into counts per node."""

    def __init__(self) -> None:
        self._nodes: dict[str, _Counts] = {}
        self._target: dict[str, str] = {}

    def apply(self, event: QueueEvent) -> None:
        """Take one event."""
        effect = event.effect
        if effect == "bound":
            counts = self._counts(event.node or self._target.get(event.pod or "") or "")
            counts.bound += 1
            counts.last_bound_us, counts.last_bound_line = event.time_us, event.line
            self._target.pop(event.pod or "", None)
        elif effect == "binding" and event.pod and event.node:
            self._target[event.pod] = event.node
        elif effect == "bind_failed" and event.pod:
            node = event.node or self._target.pop(event.pod, None)
            if node:
                self._counts(node).failed += 1
        elif effect == "preempted" and event.node:
            self._counts(event.node).preempted += 1
        elif effect in ("delete", "vanished") and event.pod:
            self._target.pop(event.pod, None)

    def pass_by(self, event: QueueEvent, *, settling: bool) -> None:
        """An event waits to be counted; behind a settling one nothing is known of its pod."""

    def join(self, later: Placements, pods: Collection[str] | None) -> None:
        """Add what a fold over the stretch behind this one has counted, and go on from what it knows.

        Args:
            later: The other fold.
            pods: The pods of which it knows all that counts; None for every pod.
        """
        self._target = continued(self._target, later._target, pods)
        for node, more in later._nodes.items():
            counts = self._counts(node)
            counts.bound += more.bound
            counts.preempted += more.preempted
            counts.failed += more.failed
            if more.last_bound_line > counts.last_bound_line:
                counts.last_bound_us, counts.last_bound_line = more.last_bound_us, more.last_bound_line

    def _counts(self, node: str) -> _Counts:
        counts = self._nodes.get(node)
        if counts is None:
            counts = self._nodes[node] = _Counts()
        return counts

    @property
    def bound(self) -> int:
        """Bindings on all nodes."""
        return sum(counts.bound for counts in self._nodes.values())

    def nodes(self) -> tuple[NodePlacement, ...]:
        """All nodes that were named, those with most bindings first."""
        total = self.bound or 1
        placements = [
            NodePlacement(
                node, each.bound, each.bound / total, each.preempted, each.failed, each.last_bound_us
            )
            for node, each in self._nodes.items()
        ]  # fmt: skip
        return tuple(sorted(placements, key=lambda each: (-each.bound, each.node)))
