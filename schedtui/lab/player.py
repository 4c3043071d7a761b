"""Plays a scenario on a lab.

Owns the interpreter of scenario steps, its pace, its chance (seeded) and its memory of what it made. It refuses
to keep anything alive: when it ends, its pods and nodes stay as they are.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from schedtui.lab.lab_objects import LabObjects
from schedtui.lab.objects import SCENARIO_LABEL, collection_path, node_document, pod_document
from schedtui.lab.pace import Pace, Stopped

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence

    from schedtui.core.errors import SchedtuiError
    from schedtui.lab.api_client import ApiClient
    from schedtui.lab.scenario import (
        Choice,
        NodeChoice,
        NodeLabels,
        NodeTemplate,
        PodChoice,
        PodLabels,
        PodTemplate,
        Repeat,
        Scenario,
        Step,
        WaitBound,
    )

LOOK_SECONDS = 0.25
"""How often a wait for bindings looks."""

COUNT_SECONDS = 1.0
"""How often it is told how many of a large number have been made."""

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """How far a scenario is."""

    scenario: str
    text: str
    """What happens now, one line."""
    pods_made: int
    pods_deleted: int
    nodes_made: int
    elapsed: float
    """Seconds since it began."""
    finished: bool = False
    error: SchedtuiError | None = None
    """Why it ended before its time."""


class Player:
    """Plays one scenario once. Runs on one thread and speaks through one client."""

    def __init__(
        self,
        client: ApiClient,
        name: str,
        scenario: Scenario,
        *,
        seed: int = 0,
        rate: float | None = None,
        duration: float | None = None,
        cancel: threading.Event | None = None,
        on_report: Callable[[PlayerReport], None] | None = None,
    ) -> None:
        """Prepare to play.

        Args:
            client: To the lab's API server; used by this player alone.
            name: What its objects are labelled with.
            scenario: What to do.
            seed: The same seed makes the same choices.
            rate: Changes a second instead of the scenario's own; 0: no limit.
            duration: Seconds instead of the scenario's own; 0: until the steps are done.
            cancel: Stops it.
            on_report: Told at each step, on the player's thread.
        """
        self._objects = LabObjects(client)
        self._name = name
        self._scenario = scenario
        self._chance = random.Random(seed)
        self._pace = Pace(
            rate=scenario.rate if rate is None else rate,
            duration=scenario.duration if duration is None else duration,
            cancel=cancel,
        )
        self._on_report = on_report
        self._pods: dict[tuple[str, str], PodTemplate] = {}
        self._deleted: dict[tuple[str, str], PodTemplate] = {}
        self._nodes: list[str] = []
        self._numbers: Counter[tuple[str, str]] = Counter()
        """Next number per collection and name pattern."""
        self._known_names: dict[str, set[str]] = {}
        self._pods_made = self._pods_deleted = self._nodes_made = 0

    def play(self) -> PlayerReport:
        """Do all steps; returns when they are done, the duration is over, or it was stopped.

        Raises:
            ClusterUnreachable: The API server refused a step or went away.
        """
        self._pace.start()
        try:
            self._do_all(self._scenario.steps)
            text = "done"
        except Stopped as stopped:
            text = str(stopped)
        return self._report(text, finished=True)

    def _report(self, text: str, *, finished: bool = False) -> PlayerReport:
        report = PlayerReport(
            scenario=self._name,
            text=text,
            pods_made=self._pods_made,
            pods_deleted=self._pods_deleted,
            nodes_made=self._nodes_made,
            elapsed=self._pace.elapsed(),
            finished=finished,
        )
        if self._on_report:
            self._on_report(report)
        return report

    def _do_all(self, steps: Sequence[Step]) -> None:
        for step in steps:
            action = step.action
            argument: Any = getattr(step, action.replace("-", "_"))
            ACTIONS[action](self, argument)

    # Names.

    def _new_name(self, pattern: str, collection: str) -> str:
        """``pattern`` with the next number that no object has."""
        if "{n}" not in pattern:
            return pattern
        if collection not in self._known_names:
            listed = self._objects.listed(collection)
            self._known_names[collection] = {item["metadata"]["name"] for item in listed}
        known = self._known_names[collection]
        while True:
            name = pattern.replace("{n}", str(self._numbers[collection, pattern]))
            self._numbers[collection, pattern] += 1
            if name not in known:
                known.add(name)
                return name

    # Actions.

    def _say(self, text: str) -> None:
        self._report(" ".join(text.split()))

    def _wait(self, seconds: float) -> None:
        self._pace.pause(seconds)

    def _make_nodes(self, templates: list[NodeTemplate]) -> None:
        for template in templates:
            if template.count > 1:
                self._report(f"{template.count} nodes {template.name}")
            for _ in range(template.count):
                self._pace.before_change()
                name = self._node_name(template.name)
                if template.count == 1:
                    self._report(f"node {name}")
                if self._objects.create("/api/v1/nodes", node_document(template, name, self._name)):
                    self._nodes_made += 1
                self._nodes.append(name)

    def _node_name(self, pattern: str) -> str:
        """Numbers of nodes start anew in each scenario run: nodes that are there already are used again."""
        name = pattern.replace("{n}", str(self._numbers["nodes", pattern]))
        self._numbers["nodes", pattern] += 1
        return name

    def _make_pods(self, template: PodTemplate) -> None:
        if template.most_waiting and self._waiting(template) >= template.most_waiting:
            self._report(f"{template.name}: {template.most_waiting} wait already, none made")
            return
        if template.count > 1:
            self._report(f"{template.count} pods {template.name}")
        collection = f"/api/v1/namespaces/{template.namespace}/pods"
        told = time.monotonic()
        for number in range(template.count):
            self._pace.before_change()
            if time.monotonic() - told >= COUNT_SECONDS:
                told = time.monotonic()
                self._report(f"{template.count} pods {template.name}: {number} made")
            name = self._new_name(template.name, collection)
            if template.count == 1:
                self._report(f"pod {template.namespace}/{name}")
            self._make_pod(template, name)
        if template.keep:
            mine = [key for key, made in self._pods.items() if made.name == template.name]
            for key in mine[: max(0, len(mine) - template.keep)]:
                self._delete_pod(key)

    def _make_pod(self, template: PodTemplate, name: str) -> None:
        collection = f"/api/v1/namespaces/{template.namespace}/pods"
        if self._objects.create(collection, pod_document(template, name, self._name)):
            self._pods_made += 1
        self._pods[template.namespace, name] = template
        self._deleted.pop((template.namespace, name), None)

    def _waiting(self, template: PodTemplate) -> int:
        mine = {key for key, made in self._pods.items() if made.name == template.name}
        return len(mine & self._objects.unbound_pods(self._name))

    def _make_objects(self, documents: list[dict[str, Any]]) -> None:
        for document in documents:
            metadata = {**document.get("metadata", {})}
            metadata["labels"] = {SCENARIO_LABEL: self._name, **metadata.get("labels", {})}
            self._report(f"{document.get('kind')} {metadata.get('name')}")
            self._pace.before_change()
            self._objects.create(collection_path(document), {**document, "metadata": metadata})

    def _wait_bound(self, wait: WaitBound) -> None:
        self._report(f"waiting until {wait.pods} are bound")
        deadline = time.monotonic() + wait.seconds
        while time.monotonic() < deadline:
            mine = {key for key in self._pods if fnmatchcase(key[1], wait.pods)}
            if not mine & self._objects.unbound_pods(self._name):
                return
            self._pace.pause(LOOK_SECONDS)
        self._report(f"{wait.pods}: not all bound after {wait.seconds:g} s, going on")

    def _pick(self, candidates: Sequence[_Item], count: int, how: str) -> list[_Item]:
        wanted = min(count or len(candidates), len(candidates))
        if how == "random":
            return self._chance.sample(list(candidates), wanted)
        return list(candidates[-wanted:] if how == "newest" and wanted else candidates[:wanted])

    def _pick_pods(self, choice: PodChoice, among: dict[tuple[str, str], PodTemplate]) -> list[tuple[str, str]]:
        matching = [key for key in among if fnmatchcase(key[1], choice.pods)]
        return self._pick(matching, choice.count, choice.pick)

    def _delete_pods(self, choice: PodChoice) -> None:
        for key in self._pick_pods(choice, self._pods):
            self._pace.before_change()
            self._report(f"delete {key[0]}/{key[1]}")
            self._delete_pod(key)

    def _delete_pod(self, key: tuple[str, str]) -> None:
        self._objects.delete(_pod_path(key))
        self._pods_deleted += 1
        self._deleted[key] = self._pods.pop(key)

    def _recreate_pods(self, choice: PodChoice) -> None:
        for key in self._pick_pods(choice, self._deleted):
            self._pace.before_change()
            self._report(f"again {key[0]}/{key[1]}")
            self._make_pod(self._deleted[key], key[1])

    def _ungate(self, choice: PodChoice) -> None:
        gated = {key: template for key, template in self._pods.items() if template.gates}
        for key in self._pick_pods(choice, gated):
            self._pace.before_change()
            self._report(f"ungate {key[0]}/{key[1]}")
            self._objects.patch(_pod_path(key), {"spec": {"schedulingGates": None}})
            self._pods[key] = msgspec.structs.replace(gated[key], gates=[])

    def _label_pods(self, labels: PodLabels) -> None:
        document = self._label_document(labels.labels)
        for key in self._pick_pods(labels, self._pods):
            self._pace.before_change()
            self._report(f"label {key[0]}/{key[1]}")
            self._objects.patch(_pod_path(key), document)

    def _label_document(self, labels: dict[str, str]) -> dict[str, Any]:
        self._numbers["labels", ""] += 1
        number = str(self._numbers["labels", ""])
        return {"metadata": {"labels": {name: value.replace("{n}", number) for name, value in labels.items()}}}

    def _pick_nodes(self, choice: NodeChoice) -> list[str]:
        """``*`` means every node of the lab, other patterns what this scenario has made or used."""
        if choice.nodes == "*":
            candidates = [item["metadata"]["name"] for item in self._objects.listed("/api/v1/nodes")]
        else:
            candidates = [name for name in self._nodes if fnmatchcase(name, choice.nodes)]
        return self._pick(candidates, choice.count, choice.pick)

    def _delete_nodes(self, choice: NodeChoice) -> None:
        for name in self._pick_nodes(choice):
            self._pace.before_change()
            self._report(f"delete node {name}")
            self._objects.delete(f"/api/v1/nodes/{name}")
            if name in self._nodes:
                self._nodes.remove(name)

    def _patch_nodes(self, choice: NodeChoice, what: str, document: dict[str, Any]) -> None:
        for name in self._pick_nodes(choice):
            self._pace.before_change()
            self._report(f"{what} {name}")
            self._objects.patch(f"/api/v1/nodes/{name}", document)

    def _label_nodes(self, labels: NodeLabels) -> None:
        self._patch_nodes(labels, "label node", self._label_document(labels.labels))

    def _cordon(self, choice: NodeChoice) -> None:
        self._patch_nodes(choice, "cordon", {"spec": {"unschedulable": True}})

    def _uncordon(self, choice: NodeChoice) -> None:
        self._patch_nodes(choice, "uncordon", {"spec": {"unschedulable": None}})

    def _not_ready(self, choice: NodeChoice) -> None:
        self._switch_readiness(choice, ready=False)

    def _ready(self, choice: NodeChoice) -> None:
        self._switch_readiness(choice, ready=True)

    def _switch_readiness(self, choice: NodeChoice, *, ready: bool) -> None:
        for name in self._pick_nodes(choice):
            self._pace.before_change()
            self._report(f"{name} is {'ready' if ready else 'not ready'}")
            self._objects.set_readiness(name, ready=ready)

    def _repeat(self, repeat: Repeat) -> None:
        done = 0
        while not repeat.times or done < repeat.times:
            began = time.monotonic()
            made_before = self._pace.changes
            self._do_all(repeat.steps)
            done += 1
            # A round that found nothing to do must not spin.
            least = LOOK_SECONDS if self._pace.changes == made_before else 0.0
            if not repeat.times or done < repeat.times:
                self._pace.pause(max(least, repeat.every - (time.monotonic() - began)))

    def _choose(self, choices: list[Choice]) -> None:
        chosen = self._chance.choices(choices, weights=[choice.weight for choice in choices])[0]
        self._do_all(chosen.steps)


ACTIONS: dict[str, Callable[[Player, Any], None]] = {
    "say": Player._say,
    "wait": Player._wait,
    "nodes": Player._make_nodes,
    "pods": Player._make_pods,
    "objects": Player._make_objects,
    "wait-bound": Player._wait_bound,
    "delete-pods": Player._delete_pods,
    "recreate-pods": Player._recreate_pods,
    "ungate": Player._ungate,
    "label-pods": Player._label_pods,
    "delete-nodes": Player._delete_nodes,
    "label-nodes": Player._label_nodes,
    "cordon": Player._cordon,
    "uncordon": Player._uncordon,
    "ready": Player._ready,
    "not-ready": Player._not_ready,
    "repeat": Player._repeat,
    "choose": Player._choose,
}
"""A step's action → what does it."""


def _pod_path(key: tuple[str, str]) -> str:
    return f"/api/v1/namespaces/{key[0]}/pods/{key[1]}"
