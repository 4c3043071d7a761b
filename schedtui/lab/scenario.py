"""A scenario: what happens in a lab, as data.

Owns the format of scenario files (YAML), its strict reading, and the list of scenarios: those that come with
schedtui and the user's own. It refuses to touch a cluster: ``player`` does.

A scenario file::

    title: One line that says what it shows
    about: What to look at in the panes while it runs.
    rate: 2            # changes a second; left out: as fast as the API server takes them
    duration: 60       # seconds after which it ends; left out: when its steps are done
    steps:
      - nodes: [{name: "node-{n}", count: 3, cpu: 4, memory: 16Gi}]
      - pods: {name: "web-{n}", count: 5, cpu: 250m, memory: 128Mi}
      - wait-bound: {pods: "web-*", seconds: 20}
      - repeat: {every: 4, times: 10, steps: [...]}

Each step has exactly one action. ``{n}`` in a name counts up, beyond what is there already.
"""

from __future__ import annotations

import re
from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec
import yaml

from schedtui.config.directories import directories, typed_path
from schedtui.config.yaml_files import PlainLoader, yaml_document
from schedtui.core.errors import SchedtuiError, UnreadableInput, WrongUse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.abc import Traversable

FIRST_SCENARIO = "first-steps"
"""What a new lab plays."""

LABEL_CHARACTERS = 63
"""How long a label's value may be."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Refuses keys that it does not know; keys are written with hyphens."""


class NodeTemplate(_Strict, frozen=True, kw_only=True):
    """Nodes to make. They have no kubelet: capacity and readiness are written into their status."""

    name: str
    count: int = 1
    cpu: str | int | float = "4"
    memory: str = "16Gi"
    pods: int = 110
    """How many pods each takes."""
    labels: dict[str, str] = {}
    taints: list[dict[str, str]] = []
    """As in a node's ``spec.taints``."""
    resources: dict[str, str | int] = {}
    """Further capacity (``example.com/gpu: 2``)."""


class PodTemplate(_Strict, frozen=True, kw_only=True):
    """Pods to make."""

    name: str
    count: int = 1
    namespace: str = "default"
    cpu: str | int | float = ""
    """Requested; empty: nothing."""
    memory: str = ""
    """Requested; empty: nothing."""
    labels: dict[str, str] = {}
    priority_class: str = ""
    gates: list[str] = []
    """Scheduling gates: the pod stays gated until ``ungate`` takes them."""
    node_selector: dict[str, str] = {}
    tolerations: list[dict[str, str]] = []
    volume_claim: str = ""
    """A claim that the pod mounts; it need not exist."""
    scheduler: str = ""
    """``schedulerName``; empty: the default."""
    spec: dict[str, Any] = {}
    """Anything else of a pod's spec, as Kubernetes writes it."""
    keep: int = 0
    """Delete the oldest of this name while more than so many are there; 0 keeps all."""
    most_waiting: int = 0
    """Make none while so many of this name wait for a node (a scheduler stopped in a debugger); 0: no limit."""


class PodChoice(_Strict, frozen=True, kw_only=True):
    """Some of the pods that this scenario made."""

    pods: str = "*"
    """A shell-like pattern of names."""
    count: int = 0
    """How many; 0 means all that match."""
    pick: str = "oldest"
    """``oldest``, ``newest`` or ``random``."""


class PodLabels(PodChoice, frozen=True, kw_only=True):
    """Labels to set on some pods."""

    labels: dict[str, str]


class WaitBound(_Strict, frozen=True, kw_only=True):
    """Wait until pods have a node."""

    pods: str = "*"
    seconds: float = 30.0
    """Go on after this time all the same."""


class NodeChoice(_Strict, frozen=True, kw_only=True):
    """Some nodes, all or those that the scenario made."""

    nodes: str
    """A shell-like pattern of names."""
    count: int = 0
    pick: str = "oldest"


class NodeLabels(NodeChoice, frozen=True, kw_only=True):
    """Labels to set on some nodes."""

    labels: dict[str, str]


class Repeat(_Strict, frozen=True, kw_only=True):
    """Steps that are done again and again."""

    steps: list[Step]
    every: float = 0.0
    """Seconds from one start to the next; 0: as the rate allows."""
    times: int = 0
    """0: until the scenario's duration is over or it is stopped."""


class Choice(_Strict, frozen=True, kw_only=True):
    """One way to go on, and how likely it is."""

    steps: list[Step]
    weight: float = 1.0


class Step(_Strict, frozen=True, kw_only=True):
    """One action; exactly one of these."""

    say: str | None = None
    """A sentence for whoever watches."""
    nodes: list[NodeTemplate] | None = None
    pods: PodTemplate | None = None
    objects: list[dict[str, Any]] | None = None
    """Other objects, as Kubernetes writes them; those already there are left alone."""
    wait: float | None = None
    """Seconds."""
    wait_bound: WaitBound | None = None
    delete_pods: PodChoice | None = None
    recreate_pods: PodChoice | None = None
    """Make deleted pods again, under the same names."""
    ungate: PodChoice | None = None
    label_pods: PodLabels | None = None
    delete_nodes: NodeChoice | None = None
    label_nodes: NodeLabels | None = None
    cordon: NodeChoice | None = None
    uncordon: NodeChoice | None = None
    not_ready: NodeChoice | None = None
    """Not ready, with the taint that a node controller would set."""
    ready: NodeChoice | None = None
    """Ready again, and the taint gone."""
    repeat: Repeat | None = None
    choose: list[Choice] | None = None
    """One of several ways, by chance."""

    @property
    def action(self) -> str:
        """The name of the one action that is set, as in the file."""
        return next(self._set_actions()).replace("_", "-")

    def _set_actions(self) -> Iterator[str]:
        return (name for name in self.__struct_fields__ if getattr(self, name) is not None)

    def __post_init__(self) -> None:
        count = len(list(self._set_actions()))
        if count != 1:
            raise ValueError(f"a step has exactly one action, this one has {count}")


class Scenario(_Strict, frozen=True, kw_only=True):
    """A whole scenario file."""

    title: str
    about: str = ""
    steps: list[Step]
    rate: float = 0.0
    """Changes a second; 0: as fast as they are taken."""
    duration: float = 0.0
    """Seconds; 0: until the steps are done."""


class _Loader(PlainLoader):
    """Reads only ``true`` and ``false`` as such: labels like ``zone: no`` or ``on: y`` are words here."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def parse_scenario(text: str, name: str) -> Scenario:
    """Read a scenario's YAML.

    Args:
        text: The file's text.
        name: What to call it in messages.

    Raises:
        WrongUse: It is no YAML or does not fit the format; says where.
    """
    try:
        document = yaml_document(text, _Loader)
    except yaml.YAMLError as error:
        raise WrongUse("the scenario is no YAML", where=name, details=tuple(str(error).splitlines())) from error
    try:
        # Numbers are fine where a text is wanted in YAML files (cpu: 4): hence not strict.
        return msgspec.convert(document, Scenario, strict=False)
    except msgspec.ValidationError as error:
        raise WrongUse(
            "the scenario does not fit the format",
            where=name,
            details=(str(error),),
            hint="The README's section on the lab has the format; 'schedtui lab load --list' names examples.",
        ) from error


def scenario_files() -> dict[str, Traversable]:
    """Name → file of every scenario: schedtui's own, then the user's, which win."""
    own = resources.files("schedtui.lab") / "scenarios"
    files = {entry.name.removesuffix(".yaml"): entry for entry in own.iterdir() if entry.name.endswith(".yaml")}
    folder = directories().config / "scenarios"
    if folder.is_dir():
        files |= {path.stem: path for path in folder.glob("*.yaml")}
    return dict(sorted(files.items()))


def scenario_titles() -> dict[str, str]:
    """Name → title of every scenario; of one that cannot be read, the reason in brackets."""
    titles = {}
    for name in scenario_files():
        try:
            titles[name] = load_scenario(name)[1].title
        except SchedtuiError as error:
            titles[name] = f"({error.title})"
    return titles


def load_scenario(name_or_file: str) -> tuple[str, Scenario]:
    """A scenario by name or file.

    Returns:
        The name that its objects are labelled with, and the scenario.

    Raises:
        UnreadableInput: There is no such file, or it cannot be read.
        WrongUse: There is no such scenario, or it does not fit the format.
    """
    if name_or_file.endswith((".yaml", ".yml")) or "/" in name_or_file:
        path = typed_path(name_or_file)
        return _label(path.stem), parse_scenario(_text(path, name_or_file), name_or_file)
    files = scenario_files()
    if name_or_file not in files:
        raise WrongUse("there is no such scenario", where=name_or_file, hint=f"There are: {', '.join(files)}.")
    return _label(name_or_file), parse_scenario(_text(files[name_or_file], name_or_file), name_or_file)


def _label(name: str) -> str:
    """A file's name as a label's value, which takes neither blanks nor letters beyond ASCII."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:LABEL_CHARACTERS].strip("-_.") or "scenario"


def _text(file: Traversable, name: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInput(f"cannot read the scenario ({error})", where=name) from error
