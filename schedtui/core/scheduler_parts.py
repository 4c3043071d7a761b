"""What each part of ``pkg/scheduler`` does, and where it used to be.

Owns the words and the moves as a table, and how they are laid over a real tree. It reads no disk: names come in,
lines go out. Checked against the trees of 1.29, 1.35, 1.36 and 1.37.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

ROOT = "pkg/scheduler"
"""Everything below is told relative to this."""

PARTS: dict[str, str] = {
    "scheduler.go": "the Scheduler: made from options and profiles, started by Run",
    "schedule_one.go": "ScheduleOne: one pod through scheduling cycle and binding cycle",
    "schedule_one_podgroup.go": "the same for a group of pods at once",
    "eventhandlers.go": "what watches tell (pods, nodes, volumes …) on its way to cache and queue",
    "extender.go": "webhooks that filter, score, preempt or bind outside the process",
    "apis/config": "the KubeSchedulerConfiguration: types, defaults, versions, validation",
    "backend": "what the scheduling cycle stands on: queue, cache, API calls",
    "backend/queue": "activeQ, backoffQ, unschedulable pods; Pop, Add, moves by event",
    "backend/cache": "nodes and assumed pods; the snapshot that each cycle works on",
    "backend/cache/debugger": "SIGUSR2: compares the cache, dumps cache and queue into the log",
    "backend/heap": "the ordered container of the queues",
    "backend/api_cache": "pending API calls as the queue and cache see them",
    "backend/api_dispatcher": "API calls made outside the scheduling cycle",
    "backend/workloadmanager": "which pods belong to a workload that is scheduled as one",
    "internal": "what the scheduling cycle stands on: queue and cache",
    "internal/queue": "activeQ, backoffQ, unschedulable pods; Pop, Add, moves by event",
    "internal/cache": "nodes and assumed pods; the snapshot that each cycle works on",
    "internal/cache/debugger": "SIGUSR2: compares the cache, dumps cache and queue into the log",
    "internal/heap": "the ordered container of the queues",
    "framework": "the plugin interfaces, status, NodeInfo, events",
    "framework/runtime": "runs the plugins: every extension point is a Run…Plugins function here",
    "framework/preemption": "finds nodes and victims for a pod that fits nowhere",
    "framework/parallelize": "how many nodes are looked at at once",
    "framework/api_calls": "the API calls that the dispatcher knows: binding, status patch",
    "framework/plugins": "the plugins in the tree, one directory each",
    "framework/plugins/noderesources": "NodeResourcesFit, BalancedAllocation: requests against allocatable",
    "framework/plugins/defaultpreemption": "DefaultPreemption, the PostFilter plugin",
    "framework/plugins/defaultbinder": "DefaultBinder: creates the Binding",
    "framework/plugins/nodeaffinity": "NodeAffinity and nodeSelector",
    "framework/plugins/interpodaffinity": "InterPodAffinity: near and far from other pods",
    "framework/plugins/podtopologyspread": "PodTopologySpread: even over zones and hosts",
    "framework/plugins/tainttoleration": "TaintToleration",
    "framework/plugins/schedulinggates": "SchedulingGates: PreEnqueue holds gated pods back",
    "framework/plugins/gangscheduling": "GangScheduling: all of a group or none",
    "framework/plugins/queuesort": "PrioritySort: the order of activeQ",
    "framework/plugins/volumebinding": "VolumeBinding: claims to volumes, waits for provisioning",
    "framework/plugins/dynamicresources": "DynamicResources: claims for devices (DRA)",
    "framework/autoscaler_contract": "what the cluster autoscaler relies on",
    "framework/plugins/imagelocality": "ImageLocality: nodes that hold the images already",
    "framework/plugins/nodename": "NodeName: spec.nodeName as a filter",
    "framework/plugins/nodeports": "NodePorts: host ports that are free",
    "framework/plugins/nodeunschedulable": "NodeUnschedulable: cordoned nodes",
    "framework/plugins/nodevolumelimits": "NodeVolumeLimits: volumes that a node can still attach",
    "framework/plugins/nodedeclaredfeatures": "NodeDeclaredFeatures: features that nodes say they have",
    "framework/plugins/volumerestrictions": "VolumeRestrictions: volumes that allow one reader only",
    "framework/plugins/volumezone": "VolumeZone: volumes that are bound to a zone",
    "framework/plugins/names": "the names of the plugins in the tree",
    "framework/plugins/feature": "which feature gates the plugins look at",
    "framework/plugins/helper": "what several plugins share",
    "metrics": "the scheduler's metrics, pending pods among them",
    "profile": "one framework per schedulerName",
    "profiling": "one framework per schedulerName",
    "util": "small things shared by the packages above",
    "util/assumecache": "objects assumed to be as we wrote them, until the watch tells",
    "testing": "wrappers and fakes for tests",
}
"""Path below ``pkg/scheduler`` → what it does."""


@dataclass(frozen=True, slots=True)
class Move:
    """A place that documents name and that the tree may not have."""

    documented: str
    """As books and tutorials write it, below ``pkg/scheduler``."""
    now: tuple[str, ...]
    """Where it is, newest first; empty when it is gone."""
    words: str


MOVES: tuple[Move, ...] = (
    Move("scheduler.go:ScheduleOne", ("schedule_one.go",), "ScheduleOne has a file of its own"),
    Move("internal/queue", ("backend/queue",), "the queue moved from internal to backend"),
    Move("internal/cache", ("backend/cache",), "the cache moved from internal to backend"),
    Move(
        "core",
        ("schedule_one.go",),
        "core/generic_scheduler.go is gone, its work is done there",
    ),
    Move("profiling", ("profile",), "the directory has always been called profile"),
    Move("algorithmprovider", ("apis/config/v1",), "default plugins are part of the configuration's defaults"),
    Move("factory.go", ("scheduler.go",), "making a Scheduler is done there"),
)
"""Documented places that moved."""


@dataclass(frozen=True, slots=True)
class PartLine:
    """One line of the annotated tree."""

    path: str
    """Below ``pkg/scheduler``."""
    depth: int
    words: str
    """What it does; empty when the table does not know it."""
    directory: bool


def annotated_tree(directories: Collection[str], files: Collection[str]) -> tuple[PartLine, ...]:
    """The tree of ``pkg/scheduler`` as far as it is worth reading, with words.

    Args:
        directories: Directories below it, relative, POSIX separators.
        files: Go files right in it, tests left out.
    """
    lines = [PartLine(name, 0, PARTS.get(name, ""), False) for name in sorted(files)]
    shown = {path for path in directories if _worth_showing(path)}
    lines += [PartLine(path, path.count("/"), PARTS.get(path, ""), True) for path in sorted(shown)]
    return tuple(lines)


def _worth_showing(path: str) -> bool:
    """Top directories always; below, what the table explains, and every plugin."""
    if path.split("/")[-1] in ("testdata", "testing") and "/" in path:
        return False
    return "/" not in path or path in PARTS or (path.startswith("framework/plugins/") and path.count("/") == 2)


def moved_places(directories: Collection[str], files: Collection[str]) -> tuple[str, ...]:
    """For each documented place that this tree does not have: where it is, one line each."""
    told = []
    for move in MOVES:
        documented = move.documented.partition(":")[0]
        there = documented in directories or (documented in files and ":" not in move.documented)
        now = next((place for place in move.now if place in directories or place in files), None)
        if not there and now is not None:
            told.append(f"{move.documented}: {now} here ({move.words})")
    return tuple(told)
