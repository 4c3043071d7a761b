"""Where a breakpoint lies: documented names, file:line and bare names found in a source tree and in a binary.

Owns the resolution and its reasons in words. Pure but for reading source files that are named to it: it talks to
no debugger.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from schedtui.debugger.catalogue import Catalogue, Place, Station

MODULE = "k8s.io/kubernetes/"
"""What the functions of the catalogue lie below."""


class SourceFunction(Protocol):
    """A function as a source index tells it."""

    @property
    def name(self) -> str:
        """Without receiver and package."""
        ...

    @property
    def line(self) -> int:
        """1-based line of ``func``."""
        ...

    @property
    def end_line(self) -> int:
        """1-based line of its closing brace."""
        ...

    @property
    def spelling(self) -> str:
        """``scheduler.(*Scheduler).ScheduleOne``."""
        ...


class SourcePlace(Protocol):
    """A function with the file that declares it."""

    @property
    def path(self) -> Path:
        """The file on disk."""
        ...

    @property
    def location(self) -> str:
        """Full name with the import path."""
        ...

    @property
    def function(self) -> SourceFunction:
        """The function."""
        ...


class SourceTree(Protocol):
    """The part of a checkout that locations are resolved with."""

    @property
    def root(self) -> Path:
        """The directory of go.mod."""
        ...

    def functions_named(self, name: str) -> Sequence[SourcePlace]:
        """Functions and methods of that name in the scheduler's packages."""
        ...

    def file_path(self, name: str) -> Path | None:
        """The file on disk that a name means."""
        ...


Status = Literal["ok", "moved", "missing"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a station or a spelling became."""

    status: Status
    location: str
    """What dlv accepts; empty when missing."""
    file: str = ""
    """Path below the tree's root; absolute when it lies elsewhere."""
    line: int = 0
    moved: str = ""
    """What is not as documented, or why it is missing, in words."""
    place: Place | None = None
    function: str = ""
    """Full Go name."""


# --- in a source tree ------------------------------------------------------------------------------------------


def full_name(place: Place) -> str:
    """The whole Go name of a place's function."""
    first = place.function.partition("/")[0]
    return place.function if "." in first else MODULE + place.function


def _bare_name(function: str) -> str:
    return function.rsplit(".", 1)[-1]


def resolve_in_source(station: Station, tree: SourceTree) -> Resolution:
    """Where ``station`` lies in a source tree."""
    for place in station.place:
        wanted = full_name(place)
        for found in tree.functions_named(_bare_name(wanted)):
            if found.location == wanted:
                resolved = _at_place(station, place, found, tree)
                if resolved is not None:
                    return resolved
    names = ", ".join(dict.fromkeys(_bare_name(place.function) for place in station.place))
    return Resolution("missing", "", moved=f"this release has no {names}: {nearest_advice(station)}")


def _at_place(station: Station, place: Place, found: SourcePlace, tree: SourceTree) -> Resolution | None:
    line = found.function.line
    if place.has and line_with(found.path, place.has, line, found.function.end_line) is None:
        return None
    location = found.function.spelling
    file = relative_to(found.path, tree.root)
    if place.at:
        inner = line_with(found.path, place.at, found.function.line, found.function.end_line)
        if inner is None:
            return None
        line, location = inner, f"{file}:{inner}"
    moved = moved_text(station.documented, file, found.function.name)
    return Resolution("moved" if moved else "ok", location, file, line, moved, place, found.location)


def relative_to(path: Path, root: Path) -> str:
    """The path below ``root``; as it is when it lies elsewhere."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return str(path)


def moved_text(documented: str, file: str, name: str) -> str:
    """What differs from the documented spelling; empty when nothing does."""
    if not documented:
        return ""
    path, _, function = documented.rpartition(":")
    parts = []
    if path != file:
        here, there = PurePosixPath(file), PurePosixPath(path)
        if here.name == there.name:
            here, there = here.parent, there.parent
        parts.append(f"it lives in {here}, not in {there}")
    if function != name:
        parts.append(f"it is called {name} in this release, not {function}")
    return "; ".join(parts)


def nearest_advice(station: Station) -> str:
    """What to use instead of a station that a release does not have."""
    if station.narrow:
        return f"try {station.narrow}"
    if station.sets:
        return f"see the other stations of '{station.sets[0]}'"
    return "search with b b"


def line_with(path: Path, text: str, first: int, last: int, *, near: int = 0) -> int | None:
    """The line between ``first`` and ``last`` that holds ``text``: the nearest to ``near``, else the first."""
    try:
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    except OSError:
        return None
    found = [number for number in range(first, min(last, len(lines)) + 1) if text in lines[number - 1]]
    if not found:
        return None
    return min(found, key=lambda number: abs(number - near)) if near else found[0]


# --- in a binary -----------------------------------------------------------------------------------------------


def function_pattern(names: Iterable[str]) -> str:
    """A regular expression (Go's) for the functions of these bare names, whichever case their first letter has."""
    spelled = []
    for name in dict.fromkeys(names):
        first = name[:1]
        spelled.append(
            f"[{first.lower()}{first.upper()}]{re.escape(name[1:])}" if first.isalpha() else re.escape(name)
        )
    return rf"(^|[./)])({'|'.join(spelled)})$"


def station_pattern(stations: Iterable[Station]) -> str:
    """A regular expression for every function that the stations name."""
    return function_pattern(_bare_name(place.function) for station in stations for place in station.place)


def places_in_binary(station: Station, functions: Iterable[str]) -> tuple[Place, ...]:
    """The places of ``station`` whose function is linked into the binary, in the catalogue's order."""
    present = set(functions)
    vendored = {name.split("/vendor/", 1)[-1] for name in present}
    return tuple(place for place in station.place if full_name(place) in present or full_name(place) in vendored)


@dataclass(frozen=True, slots=True)
class FileFunction:
    """``file.go:Func``, which dlv refuses."""

    path: str
    function: str


_FILE_FUNCTION = re.compile(r"^(?P<path>[^\s:]+\.go):(?P<function>[A-Za-z_]\w*(?:\.\w+)?)$")
_IDENTIFIER = re.compile(r"^[A-Za-z_]\w*$")


def read_file_function(text: str) -> FileFunction | None:
    """The file and the function of a tutorial's spelling; None for anything else."""
    match = _FILE_FUNCTION.match(text.strip())
    return FileFunction(match["path"], match["function"]) if match else None


def is_bare_name(text: str) -> bool:
    """True for one Go identifier: a name that several types may share."""
    return bool(_IDENTIFIER.match(text))


def choose_function(wanted: FileFunction | str, functions: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The one function that is meant, and those that it might be when that is not clear.

    Args:
        wanted: The tutorial's spelling, or a bare name.
        functions: Full names in the binary that ``function_pattern`` found.
    """
    name = wanted if isinstance(wanted, str) else wanted.function
    exact = [function for function in functions if _bare_name(function) == name.rsplit(".", 1)[-1]]
    candidates = exact or list(functions)
    if isinstance(wanted, FileFunction):
        directory = wanted.path.rpartition("/")[0]
        for part in (directory, directory.rpartition("/")[2]):
            inside = [function for function in candidates if part and _package(function).endswith("/" + part)]
            if inside:
                candidates = inside
                break
    kubernetes = [function for function in candidates if function.startswith((MODULE, "main."))]
    if len(candidates) > 1 and len(kubernetes) == 1:
        candidates = kubernetes
    return (candidates[0], ()) if len(candidates) == 1 else ("", tuple(sorted(candidates)))


def _package(function: str) -> str:
    """The import path in a full Go name."""
    head, slash, tail = function.rpartition("/")
    return head + slash + tail.partition(".")[0]


def stations_at(catalogue: Catalogue, function: str) -> tuple[tuple[Station, Place], ...]:
    """The stations that lie in a function, by its full name in the binary, each with its place there."""
    bare = function.split("/vendor/", 1)[-1]
    return tuple(
        (station, place) for station in catalogue.stations for place in station.place if full_name(place) == bare
    )


# --- for one pod -----------------------------------------------------------------------------------------------


def pod_condition(pod_expression: str, pod: str) -> str:
    """Dlv's condition for one pod.

    Args:
        pod_expression: The ``*v1.Pod`` in the frame.
        pod: ``ns/name``; without a namespace any namespace.
    """
    namespace, slash, name = pod.rpartition("/")
    condition = f'{pod_expression}.ObjectMeta.Name == "{name}"'
    return f'{condition} && {pod_expression}.ObjectMeta.Namespace == "{namespace}"' if slash else condition


_POD = re.compile(r"^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/)?[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$")


def is_pod_name(text: str) -> bool:
    """True for what Kubernetes allows as ``ns/name``: nothing else goes into a condition."""
    return bool(_POD.match(text))


POD_DECLARATIONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(\w+) \*(?:v1|corev1)\.Pod\b"), ""),
    (re.compile(r"\b(\w+) :?= \w+\.(?:GetPod\(\)|Pod)$", re.M), ""),
    (re.compile(r"\b(\w+) \*framework\.QueuedPodInfo\b"), ".PodInfo.Pod"),
    (re.compile(r"\b(\w+), err := \w+\.NextPod\("), ".PodInfo.Pod"),
    (re.compile(r"\b(\w+) framework\.QueuedEntityInfo\b"), ".(data).PodInfo.Pod"),
)
"""How the scheduler's source declares a pod (1.29 to 1.37), and the way from there to the ``*v1.Pod``."""


def pod_expression_in(source: str) -> str:
    """The expression of the pod in a piece of a function, from its first line to the one to stop at; or empty."""
    for pattern, way in POD_DECLARATIONS:
        if match := pattern.search(source):
            return match[1] + way
    return ""


def narrowed(station: Station, catalogue: Catalogue) -> Station:
    """The station to use for one pod: itself where it knows its pod, else the one that it points to."""
    if any(place.pod for place in station.place) or not station.narrow:
        return station
    return catalogue.find(station.narrow) or station


def condition_text(station: Station, resolution: Resolution, catalogue: Catalogue) -> str:
    """How to narrow a station to one pod, as a condition with a pattern in place of the pod."""
    place = resolution.place
    if place and place.pod:
        return pod_condition(place.pod, "NAMESPACE/NAME")
    other = narrowed(station, catalogue)
    if other is not station:
        return f"no pod is known here yet: use {other.name}"
    return "this station knows no single pod"
