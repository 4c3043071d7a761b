"""Kubernetes and scheduler types as people read them: Pod, NodeInfo, QueuedPodInfo, Status, the scheduling queue.

Owns the table of views (which fields, under which names in which release) and the formatting of resources, times
and tolerations. It loads nothing itself: ``inspector`` hands in what reads an expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.debugger.documents import elements, entries, inner, member, plain, quantity, size, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedtui.debugger.model import Variable
    from schedtui.debugger.replies import Document

    Read = Callable[[str, str], Document | None]
    """Expression and load → document; None when it cannot be read."""

SHALLOW = "1, 256, 64"
"""Levels, bytes of a string, elements: enough for a plain field."""

DEEP = "7, 256, 64"
"""Enough for the containers of a pod."""

BAR_WIDTH = 20
"""Characters in a bar of used resources."""

STATUS_CODES = {
    0: "Success", 1: "Error", 2: "Unschedulable", 3: "UnschedulableAndUnresolvable", 4: "Wait", 5: "Skip",
    6: "Pending",
}  # fmt: skip
"""``framework.Code`` of 1.29 to 1.37."""


# --- formatting -------------------------------------------------------------------------------------------------


def _text(document: Document) -> str:
    return plain(document)


def _count(document: Document) -> str:
    return str(inner(document).get("len", 0))


def _names(document: Document) -> str:
    """A set of names, or a slice of strings."""
    if inner(document).get("kind") == "map":
        return ", ".join(plain(key) for key, _ in entries(document))
    return ", ".join(plain(element) for element in elements(document))


def _pairs(document: Document) -> str:
    return ", ".join(f"{plain(key)}={plain(value)}" for key, value in entries(document))


def _requests(document: Document) -> str:
    parts = []
    for container in elements(document):
        requests = entries(member(container, "Resources", "Requests"))
        text = " ".join(f"{plain(key)}={quantity(value)}" for key, value in requests)
        parts.append(f"{plain(member(container, 'Name'))}: {text or 'none'}")
    return "; ".join(parts)


def _tolerations(document: Document) -> str:
    parts = []
    for one in elements(document):
        key, value, effect = (plain(member(one, name)) for name in ("Key", "Value", "Effect"))
        parts.append((key or "(all)") + (f"={value}" if value else "") + (f":{effect}" if effect else ""))
    return ", ".join(parts)


def _affinity(document: Document) -> str:
    found = inner(document)
    kinds = (("NodeAffinity", "node"), ("PodAffinity", "pod"), ("PodAntiAffinity", "pod anti"))
    return ", ".join(words for name, words in kinds if _is_set(member(found, name)))


def _is_set(document: Document | None) -> bool:
    return document is not None and bool(document.get("children")) and document["children"][0].get("addr", 0) != 0


def _gates(document: Document) -> str:
    return ", ".join(plain(member(gate, "Name")) for gate in elements(document))


def _code(document: Document) -> str:
    number = whole(document)
    return STATUS_CODES.get(number, str(number))


def _resource(document: Document) -> str:
    found = [
        f"cpu {whole(member(document, 'MilliCPU'))}m",
        f"memory {size(whole(member(document, 'Memory')))}",
    ]
    found += [f"{plain(key)} {plain(value)}" for key, value in entries(member(document, "ScalarResources"))]
    return ", ".join(found)


# --- the table --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a view."""

    label: str
    paths: tuple[str, ...]
    """Behind the expression; the first that can be read counts (releases name things differently)."""
    show: Callable[[Document], str] = _text
    load: str = SHALLOW


@dataclass(frozen=True, slots=True)
class View:
    """How values of a type are shown."""

    type: re.Pattern[str]
    """Matches Go's type name without pointers."""
    rows: tuple[Row, ...]
    after: Callable[[str, Read], Iterable[str]] | None = None
    bars_first: bool = False
    """True when those lines come right behind the first row: a small pane shows them then."""
    """More lines that need several values at once."""


def _bars(expression: str, read: Read) -> Iterable[str]:
    used, room = read(f"{expression}.Requested", SHALLOW), read(f"{expression}.Allocatable", SHALLOW)
    if used is None or room is None:
        return
    for label, name, show in (("cpu", "MilliCPU", "{}m".format), ("memory", "Memory", size)):
        taken, most = whole(member(used, name)), whole(member(room, name))
        yield f"{label:<12}{bar(taken, most)} {show(taken)} of {show(most)}"
    pods = read(f"{expression}.Pods", "0, 0, 0")
    most = whole(member(room, "AllowedPodNumber"))
    if pods is not None:
        count = int(inner(pods).get("len", 0))
        yield f"{'pods':<12}{bar(count, most)} {count} of {most}"


def _short_resources(expression: str, read: Read) -> Iterable[str]:
    """What a node has too little of for a pod (``noderesources.InsufficientResource``)."""
    for one in elements(read(expression, "2, 256, 16")):
        name = plain(member(one, "ResourceName"))
        asked, used, most = (whole(member(one, part)) for part in ("Requested", "Used", "Capacity"))
        show = size if name in ("memory", "ephemeral-storage") else ("{}m".format if name == "cpu" else str)
        reason = plain(member(one, "Reason"))
        yield f"{name:<12}{reason}: asks {show(asked)}, {show(most - used)} of {show(most)} free"


def bar(taken: int, most: int) -> str:
    """``[######--------------]  30 %``."""
    share = taken / most if most > 0 else 0.0
    filled = min(BAR_WIDTH, round(share * BAR_WIDTH))
    return f"[{'#' * filled}{'-' * (BAR_WIDTH - filled)}] {share * 100:3.0f} %"


def _rejections(expression: str, read: Read) -> Iterable[str]:
    """Why each node was refused: from a map of statuses, or from what a ``FitError`` holds."""
    for path in REJECTION_PATHS:
        found = read(expression + path, "3, 256, 64")
        pairs = entries(found)
        for node, status in pairs[:REJECTION_LINES]:
            reasons = _names(member(status, "reasons") or {})
            plugin = plain(member(status, "plugin"))
            yield f"{plain(node):<16}{_code(member(status, 'code') or {})} {plugin}: {reasons}"
        if len(pairs) > REJECTION_LINES:
            yield f"… {int(inner(found).get('len', 0)) - REJECTION_LINES} more nodes" if found else ""
        if pairs:
            return


REJECTION_LINES = 20
"""How many nodes a view of refusals lists."""

REJECTION_PATHS = (
    "",
    ".nodeToStatus",
    ".Diagnosis.NodeToStatus.nodeToStatus",
    ".Diagnosis.NodeToStatusMap",
    ".err.(data).Diagnosis.NodeToStatus.nodeToStatus",
    ".err.(data).Diagnosis.NodeToStatusMap",
)
"""Where the statuses of nodes are kept (1.29: a map; 1.36 and 1.37: in a struct), from a status or an error."""


def _queue_lines(expression: str, read: Read) -> Iterable[str]:
    for label, paths in QUEUE_PARTS:
        for path in paths:
            document = read(expression + path, SHALLOW)
            if document is None:
                continue
            if inner(document).get("kind") == "map":
                names = [plain(key) for key, _ in entries(document)]
            else:
                names = [plain(one) for one in elements(document)]
            if label == IN_FLIGHT:
                names = [_in_flight_name(expression + path, name, read) for name in names[:12]]
            length = int(inner(document).get("len", 0))
            shown = ", ".join(_pod_key(name) for name in names[:12]) + (", …" if length > 12 else "")
            yield f"{label:<16}{length:>4}  {shown}"
            break


def _in_flight_name(expression: str, key: str, read: Read) -> str:
    """The pod behind an entry of the in-flight map, whose key is a UID."""
    meta = read(f'{expression}["{key}"].Value.(data).ObjectMeta', SHALLOW)
    if meta is None:
        return key
    return f"{plain(member(meta, 'Namespace'))}/{plain(member(meta, 'Name'))}"


def _pod_key(key: str) -> str:
    """Releases key pods by ``name_namespace`` or ``ns/name``, and 1.37 puts the kind in front."""
    if "/" not in key and key.count("_") == 1:
        name, _, namespace = key.partition("_")
        return f"{namespace}/{name}"
    return key


IN_FLIGHT = "in flight"
"""The part of the queue that is keyed by UID."""

QUEUE_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("activeQ", (".activeQ.(data).queue.data.queue", ".activeQ.data.queue")),
    (
        "backoffQ",
        (
            ".backoffQ.(data).podBackoffQ.data.queue",
            ".backoffQ.(data).entityBackoffQ.data.queue",
            ".podBackoffQ.data.queue",
        ),
    ),
    (
        "errorBackoffQ",
        (".backoffQ.(data).podErrorBackoffQ.data.queue", ".backoffQ.(data).entityErrorBackoffQ.data.queue"),
    ),
    (
        "unschedulable",
        (
            ".unschedulablePods.podInfoMap",
            ".unschedulableEntities.entityMap",
            ".unschedulableEntities.entityInfoMap",
        ),
    ),
    (IN_FLIGHT, (".activeQ.(data).inFlightPods", ".activeQ.(data).inFlightEntities", ".inFlightPods")),
)
"""The queues in memory of 1.29 and of 1.36 and 1.37."""

VIEWS: tuple[View, ...] = (
    View(
        re.compile(r"k8s\.io/api/core/v1\.Pod"),
        (
            Row("namespace", (".ObjectMeta.Namespace",)),
            Row("name", (".ObjectMeta.Name",)),
            Row("phase", (".Status.Phase",)),
            Row("node", (".Spec.NodeName",)),
            Row("nominated", (".Status.NominatedNodeName",)),
            Row("priority", (".Spec.Priority",)),
            Row("scheduler", (".Spec.SchedulerName",)),
            Row("requests", (".Spec.Containers",), _requests, DEEP),
            Row("node selector", (".Spec.NodeSelector",), _pairs),
            Row("tolerations", (".Spec.Tolerations",), _tolerations, "2, 256, 64"),
            Row("affinity", (".Spec.Affinity",), _affinity, "1, 64, 4"),
            Row("gates", (".Spec.SchedulingGates",), _gates, "2, 256, 64"),
            Row("labels", (".ObjectMeta.Labels",), _pairs),
            Row("uid", (".ObjectMeta.UID",)),
        ),
    ),
    View(
        re.compile(r"k8s\.io/kubernetes/pkg/scheduler/framework\.QueuedPodInfo"),
        (
            Row("namespace", (".PodInfo.Pod.ObjectMeta.Namespace",)),
            Row("name", (".PodInfo.Pod.ObjectMeta.Name",)),
            Row("attempts", (".Attempts", ".QueueingParams.Attempts")),
            Row("queued at", (".Timestamp", ".QueueingParams.Timestamp")),
            Row("first tried", (".InitialAttemptTimestamp", ".QueueingParams.InitialAttemptTimestamp")),
            Row("backoff until", (".BackoffExpiration", ".QueueingParams.BackoffExpiration")),
            Row("rejected by", (".UnschedulablePlugins", ".QueueingParams.UnschedulablePlugins"), _names),
            Row("pending for", (".PendingPlugins", ".QueueingParams.PendingPlugins"), _names),
            Row("gated by", (".GatingPlugin", ".QueueingParams.GatingPlugin", ".Gated")),
            Row("requests", (".PodInfo.Pod.Spec.Containers",), _requests, DEEP),
        ),
    ),
    View(
        re.compile(r"k8s\.io/kubernetes/pkg/scheduler/framework\.NodeInfo"),
        (
            Row("node", (".node.ObjectMeta.Name",)),
            Row("requested", (".Requested",), _resource),
            Row("allocatable", (".Allocatable",), _resource),
            Row("unschedulable", (".node.Spec.Unschedulable",)),
            Row("taints", (".node.Spec.Taints",), _tolerations, "2, 256, 64"),
            Row("labels", (".node.ObjectMeta.Labels",), _pairs),
            Row("generation", (".Generation",)),
        ),
        _bars,
        bars_first=True,
    ),
    View(
        re.compile(r"\[\]k8s\.io/kubernetes/pkg/scheduler/framework/plugins/noderesources\.InsufficientResource"),
        (),
        _short_resources,
    ),
    View(
        re.compile(r"k8s\.io/(?:kubernetes/pkg/scheduler/framework|kube-scheduler/framework)\.Status"),
        (
            Row("code", (".code",), _code),
            Row("plugin", (".plugin",)),
            Row("reasons", (".reasons",), _names),
            Row("error", (".err",)),
        ),
        _rejections,
    ),
    View(
        re.compile(r"k8s\.io/kubernetes/pkg/scheduler/framework\.FitError"),
        (
            Row("nodes", (".NumAllNodes",)),
            Row("rejected by", (".Diagnosis.UnschedulablePlugins",), _names),
            Row("PreFilter says", (".Diagnosis.PreFilterMsg",)),
            Row("PostFilter says", (".Diagnosis.PostFilterMsg",)),
        ),
        _rejections,
    ),
    View(re.compile(r"k8s\.io/kubernetes/pkg/scheduler/framework\.NodeToStatus(?:Map)?"), (), _rejections),
    View(
        re.compile(r"k8s\.io/kubernetes/pkg/scheduler/(?:backend|internal)/queue\.PriorityQueue"),
        (),
        _queue_lines,
    ),
)
"""The first whose type fits counts."""


def view_for(document: Document) -> tuple[View, str] | None:
    """The view of a value and what to put behind its expression to get past interfaces; None without a view."""
    suffix = ""
    while document.get("kind") in ("ptr", "interface") and document.get("children"):
        if document["kind"] == "interface":
            suffix += ".(data)"
        document = document["children"][0]
    name = str(document.get("type", "")).lstrip("*")
    found = next((view for view in VIEWS if view.type.fullmatch(name)), None)
    return (found, suffix) if found and document.get("addr", 0) else None


def render(document: Document, expression: str, read: Read) -> tuple[str, ...]:
    """The lines of a value's view; empty when its type has none.

    Args:
        document: The value, loaded one level deep at least.
        expression: What evaluates to it.
        read: Reads an expression.
    """
    found = view_for(document)
    if found is None:
        return ()
    view, suffix = found
    lines = []
    for row in view.rows:
        value = next(
            (
                read_value
                for path in row.paths
                if (read_value := read(expression + suffix + path, row.load)) is not None
            ),
            None,
        )
        text = row.show(value) if value is not None else ""
        if text:
            lines.append(f"{row.label:<16}{text}")
    more = list(view.after(expression + suffix, read)) if view.after is not None else []
    place = 1 if view.bars_first else len(lines)
    return (*lines[:place], *more, *lines[place:])


# --- the pod of a frame -----------------------------------------------------------------------------------------

POD_TYPES: tuple[tuple[str, str], ...] = (
    ("*k8s.io/api/core/v1.Pod", ""),
    ("*k8s.io/kubernetes/pkg/scheduler/framework.QueuedPodInfo", ".PodInfo.Pod"),
    ("*k8s.io/kubernetes/pkg/scheduler/framework.PodInfo", ".Pod"),
    ("k8s.io/kubernetes/pkg/scheduler/framework.QueuedEntityInfo", ".(data).PodInfo.Pod"),
)
"""Types that lead to a pod, and how."""


def pod_expressions(variables: Iterable[Variable]) -> tuple[str, ...]:
    """Expressions of the pods among a frame's variables, the likeliest first."""
    found = []
    named = list(variables)
    for type_name, path in POD_TYPES:
        found += [
            variable.expression + path
            for variable in named
            if variable.type == type_name and variable.value != "nil" and not variable.unreadable
        ]
    return tuple(found)
