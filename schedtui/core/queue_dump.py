"""The scheduler's own dump of its queues inside a log, read as a value.

Owns the format of ``Dump of scheduling queue`` (printed on SIGUSR2, V0, all releases): a summary with counts
and the pods' lines without a queue column. The list is positional: first activeQ, then backoffQ, then the
unschedulable pool (gated pods included); 1.37 with GenericWorkload appends incomplete before pending group
members although its summary names them the other way round. Comparing a dump with the model is
``core.queue_check``'s business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.record import Record

DumpQueue = Literal["active", "backoff", "unschedulable", "incomplete", "pending"]
"""Where a dump puts a pod."""

DUMP_MESSAGE = "Dump of scheduling queue"
"""The record's message."""

DUMP_ORDER: tuple[DumpQueue, ...] = ("active", "backoff", "unschedulable", "incomplete", "pending")
"""The order in which the pods' lines follow each other."""

_SUMMARY_NAMES: Mapping[str, DumpQueue] = MappingProxyType({
    "activeQ": "active",
    "backoffQ": "backoff",
    "unschedulablePods": "unschedulable",
    "unschedulableEntities": "unschedulable",
    "pendingPodGroupMemberPods": "pending",
    "incompletePodGroupPods": "incomplete",
})  # fmt: skip
"""Name in the summary → queue, 1.29 to 1.37."""

_COUNT = re.compile(r"(\w+):(\d{1,18})(?!\d)")
_POD_LINE = re.compile(r"name: ([^,]+), namespace: ([^,]+), uid: ([^,]*), phase: ([^,]*), nominated node: ?(.*)")


@dataclass(frozen=True, slots=True)
class DumpedPod:
    """One pod's line in a dump."""

    pod: str
    """``ns/name``."""
    queue: DumpQueue
    """The queue that its position means."""
    uid: str
    """Its UID."""
    nominated_node: str
    """The node it is nominated to; empty when none."""


@dataclass(frozen=True, slots=True)
class QueueDump:
    """What the scheduler said its queues held."""

    line: int
    """1-based line of the record."""
    time_us: int | None
    """When it was printed."""
    pid: int | None
    """The process that printed it; None in JSON logs."""
    counts: Mapping[DumpQueue, int]
    """Pods per queue as the summary counts them; queues that it does not name are left out."""
    pods: tuple[DumpedPod, ...]
    """The pods in the order of the dump."""
    incomplete: bool
    """Whether fewer or more lines than the summary counts were found (cut log, queues read while they moved)."""

    @property
    def places(self) -> dict[str, DumpQueue]:
        """Pod → queue."""
        return {pod.pod: pod.queue for pod in self.pods}


def read_dump(record: Record) -> QueueDump | None:
    """Read a record as a dump; None when it is none, or holds no summary."""
    if record.message != DUMP_MESSAGE:
        return None
    summary = record.text("summary")
    if summary is None:
        return None
    counts: dict[DumpQueue, int] = {}
    for name, number in _COUNT.findall(summary):
        queue = _SUMMARY_NAMES.get(name)
        if queue is not None:
            counts[queue] = int(number)
    lines = _POD_LINE.findall(record.text("pods") or "")
    pods: list[DumpedPod] = []
    start = 0
    for queue in DUMP_ORDER:
        end = start + counts.get(queue, 0)
        for name, namespace, uid, _, node in lines[start:end]:
            pods.append(DumpedPod(f"{namespace}/{name}", queue, uid, node.strip()))
        start = end
    return QueueDump(
        line=record.line,
        time_us=record.time_us,
        pid=record.pid,
        counts=counts,
        pods=tuple(pods),
        incomplete=len(lines) != sum(counts.values()) or record.incomplete,
    )
