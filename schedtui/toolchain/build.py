"""A scheduler built from a source tree, when it has to be, and what came out.

Owns staleness, the build's folder in the cache, the record of the last build, whole-or-nothing output, and the
check of the result. How it is built is ``build_plan``'s, the running ``go_build``'s.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedtui.config.files import private_directory, write_private
from schedtui.core.errors import BuildFailed, Cancelled
from schedtui.processes.locks import exclusive
from schedtui.processes.scratch import room_for, scratch_directory
from schedtui.toolchain.binary import BinaryFacts, breakpoint_obstacle, read_binary
from schedtui.toolchain.build_plan import (
    COMMAND_DIRECTORY,
    MAKE_OUTPUT,
    BuildPlan,
    BuildRequest,
    cache_folder,
    check_buildable,
    default_output,
    plan_go_build,
    plan_make,
    stamped_version,
)
from schedtui.toolchain.go import GoTool, GoVersion, find_go, work_variables
from schedtui.toolchain.go_build import BuildProgress, GoRun, ask_go, count_command, run_go_build

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SCHEDULER_APP = "k8s.io/kubernetes/cmd/kube-scheduler/app"
"""What a main of an out-of-tree scheduler imports."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A binary, built now or before."""

    binary: Path
    seconds: float
    """0 when it was up to date."""
    built_now: bool
    flavour: str
    version: str
    """What is stamped into it."""
    go: str
    """The Go that built it."""
    arguments: tuple[str, ...]
    """The command that built it."""
    optimised: str
    """Which packages are optimised, in words."""
    settings: Mapping[str, str]
    """What Go recorded in the binary: ``-gcflags``, ``vcs.revision``, ``vcs.modified`` …"""
    notes: tuple[str, ...] = ()
    """What a user should know, one sentence each."""


OPTIMISED_WORDS: dict[str, str] = {
    "debug": "Kubernetes's own packages are not optimised; libraries are (stepping into them jumps about)",
    "all": "nothing is optimised",
    "optimised": "everything is optimised: made to run, not to step through",
}
"""Flavour → what it means for stepping."""

OWN_DEBUG_WORDS = (
    "your packages and Kubernetes's own are not optimised; libraries are (stepping into them jumps about)"
)
"""The same for ``debug`` in a module of the user's own."""


def why_stale(request: BuildRequest) -> str:
    """Why a build is needed, one clause; empty when the binary there is up to date.

    Looks at the files of every package that the last build took from the tree (not at modules in Go's cache,
    which never change), at go.mod and its like, and at the flags.
    """
    output = request.output or default_output(request)
    record = _read_record(request).get(_record_key(request))
    if not output.exists():
        return "there is no binary yet"
    if not isinstance(record, dict) or record.get("output") != str(output):
        return "the binary was not built by schedtui"
    built = float(record.get("started", 0.0))
    if record.get("stamp") != stamped_version(request):
        return f"the tree is another release now ({request.checkout.release.describe()})"
    changed = _newest_change(request, record.get("directories", []))
    if changed is not None and changed[1] > built:
        return f"it is older than {changed[0]}"
    return ""


def ensure_scheduler(
    request: BuildRequest,
    progress: Callable[[BuildProgress], None],
    cancel: threading.Event | None = None,
    *,
    anyway: bool = False,
) -> BuildResult:
    """The scheduler's binary, built when there is none or it is stale.

    Args:
        request: What is wanted.
        progress: Told how far the build is.
        cancel: Stops it; the binary that was there stays.
        anyway: Build even when nothing changed (go itself then finds nothing to compile).

    Raises:
        NotASourceTree: The tree cannot be built in place.
        BuildFailed: go or make refused; the details hold the compiler's lines.
        ToolMissing: There is no Go that the tree's go.mod accepts.
        Cancelled: ``cancel`` was set.
    """
    check_buildable(request.checkout)
    if not anyway and not request.use_make and not why_stale(request):
        # Without the lock: another flavour of the tree may be at its many minutes just now.
        return _result(request, seconds=0.0, built_now=False, notes=())
    folder = private_directory(cache_folder(request.checkout))
    stop = cancel or threading.Event()

    def waiting() -> None:
        progress(BuildProgress("kube-scheduler", "wait"))

    with exclusive(folder / "lock", waiting=waiting, cancel=stop) as held:
        if not held:
            raise Cancelled("the build was cancelled")
        go = find_go(GoVersion.parse(request.checkout.go_version or ""))
        if not anyway and not request.use_make and not why_stale(request):
            return _result(request, seconds=0.0, built_now=False, notes=())
        if request.use_make:
            return _make(request, go, progress, stop)
        return _go_build(request, go, progress, stop)


def _go_build(
    request: BuildRequest, go: GoTool, progress: Callable[[BuildProgress], None], cancel: threading.Event
) -> BuildResult:
    output = request.output or default_output(request)
    record = _read_record(request)
    earlier = record.get(_record_key(request)) or {}
    folder = cache_folder(request.checkout)
    module_copies = private_directory(folder / "module")
    _forget_old_copies(request, module_copies)
    # Left where the machine itself went down; nobody else is here, the lock is ours.
    for left in (*folder.glob(".build-*"), *folder.glob(".kube-scheduler*-*")):
        shutil.rmtree(left, ignore_errors=True)
    began = time.time()
    with (
        scratch_directory(folder, ".build-") as scratch,
        room_for(output),
        # Beside the output, because only there it can be put in place in one step.
        scratch_directory(output.parent, f".{output.name}-") as beside,
    ):
        plan = plan_go_build(request, go, beside / output.name, module_copies, main_package(request, go))
        environment = {**plan.environment, **work_variables(scratch)}
        run = GoRun(
            target=f"kube-scheduler {plan.version}".rstrip(),
            arguments=plan.arguments,
            directory=plan.directory,
            environment=environment,
            count_arguments=count_command(go.path, plan.flags, plan.package),
            expected_seconds=earlier.get("seconds"),
        )
        seconds = run_go_build(run, progress, cancel)
        began = max(began, _completed_by_go(request))
        places = _own_directories(request, go, plan, environment)
        (beside / output.name).replace(output)
    record[_record_key(request)] = {
        "output": str(output),
        "stamp": plan.version,
        "started": began,
        # What an incremental build took says little about a whole one.
        "seconds": max(seconds, float(earlier.get("seconds", 0.0))) if earlier else seconds,
        "arguments": [str(output) if word.startswith(str(beside)) else word for word in plan.arguments],
        "directories": places,
        "go": str(go.version),
    }
    write_private(folder / "build.json", json.dumps(record, indent=1).encode())
    return _result(request, seconds=seconds, built_now=True, notes=plan.notes)


def _make(
    request: BuildRequest, go: GoTool, progress: Callable[[BuildProgress], None], cancel: threading.Event
) -> BuildResult:
    plan = plan_make(request, go)
    run = GoRun(
        target="kube-scheduler by make",
        arguments=plan.arguments,
        directory=plan.directory,
        environment=plan.environment,
    )
    seconds = run_go_build(run, progress, cancel)
    made = request.checkout.root / MAKE_OUTPUT
    if not made.exists():
        raise BuildFailed("make ended well but left no binary", where=str(made))
    binary = made
    if request.output is not None:
        binary = request.output
        with room_for(binary), scratch_directory(binary.parent, f".{binary.name}-") as beside:
            shutil.copy2(made, beside / binary.name)
            (beside / binary.name).replace(binary)
    facts = read_binary(binary)
    return BuildResult(
        binary=binary,
        seconds=seconds,
        built_now=True,
        flavour=request.flavour,
        version="",
        go=str(go.version),
        arguments=plan.arguments,
        optimised=OPTIMISED_WORDS["all" if request.flavour != "optimised" else "optimised"],
        settings={**facts.settings, "go": facts.go},
        notes=(*plan.notes, *_doubts(request, facts)),
    )


def _result(request: BuildRequest, *, seconds: float, built_now: bool, notes: tuple[str, ...]) -> BuildResult:
    binary = request.output or default_output(request)
    record = _read_record(request).get(_record_key(request)) or {}
    facts = read_binary(binary)
    return BuildResult(
        binary=binary,
        seconds=seconds,
        built_now=built_now,
        flavour=request.flavour,
        version=str(record.get("stamp", "")),
        go=str(record.get("go", "")),
        arguments=tuple(str(word) for word in record.get("arguments", [])),
        optimised=_optimised_words(request),
        settings={**facts.settings, "go": facts.go},
        notes=(*notes, *_doubts(request, facts)),
    )


def _optimised_words(request: BuildRequest) -> str:
    if request.flavour == "debug" and request.checkout.layout == "out-of-tree":
        return OWN_DEBUG_WORDS
    return OPTIMISED_WORDS[request.flavour]


def _doubts(request: BuildRequest, facts: BinaryFacts) -> tuple[str, ...]:
    """What the binary itself says that was not asked for: Go ignores a flag's pattern that matches nothing."""
    doubts = []
    obstacle = breakpoint_obstacle(facts) if request.flavour != "optimised" else ""
    if obstacle:
        doubts.append(f"Breakpoints will not work well: {obstacle}. Does GOFLAGS hold -ldflags or -gcflags?")
    if facts.trimmed:
        doubts.append(
            "Built with -trimpath (GOFLAGS): dlv names files by import path; schedtui maps them to this tree."
        )
    return tuple(doubts)


def main_package(request: BuildRequest, go: GoTool) -> str:
    """The package to build.

    Raises:
        BuildFailed: An out-of-tree module has no main that runs a scheduler, or several.
    """
    checkout = request.checkout
    if request.package:
        return request.package
    if checkout.layout == "kubernetes":
        return COMMAND_DIRECTORY
    form = '{{if eq .Name "main"}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}'
    environment = go.environment()
    lines = ask_go(go.path, ["list", "-f", form, "./..."], checkout.root, environment).splitlines()
    mains = [words[0] for line in lines if SCHEDULER_APP in (words := line.split())[1:]]
    if len(mains) != 1:
        raise BuildFailed(
            "no main package imports the scheduler" if not mains else "several main packages import the scheduler",
            where=str(checkout.root),
            details=tuple(mains),
            hint=f"schedtui looks for a main that imports {SCHEDULER_APP}; name one with --package.",
        )
    return mains[0]


def _own_directories(
    request: BuildRequest, go: GoTool, plan: BuildPlan, environment: Mapping[str, str]
) -> list[str]:
    """The directories of the build's packages that can change: those outside GOROOT and the module cache."""
    form = "{{if not .Standard}}{{.Dir}}{{end}}"
    text = ask_go(go.path, ["list", "-deps", *plan.flags, "-f", form, plan.package], plan.directory, environment)
    return sorted({line for line in text.splitlines() if line and "@v" not in line})


def _newest_change(request: BuildRequest, places: list[str]) -> tuple[str, float] | None:
    """The file that changed last, relative to the tree, and when (seconds since the epoch)."""
    root = request.checkout.root
    newest: tuple[str, float] | None = None
    for name in ("go.mod", "go.sum", "go.work", "vendor/modules.txt"):
        newest = _newer(newest, root / name)
    for place in places:
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.name.endswith((".go", ".s")) and not entry.name.endswith("_test.go"):
                        newest = _newer(newest, Path(entry.path))
        except OSError:
            # A package was removed or moved.
            return place, time.time()
        # A file that was removed leaves only its directory's time behind.
        newest = _newer(newest, Path(place))
    if newest is None:
        return None
    name = os.path.relpath(newest[0], root)
    return name, newest[1]


def _completed_by_go(request: BuildRequest) -> float:
    """When go itself wrote the tree's go.mod or go.sum, as it does with -mod=mod: that makes no binary old."""
    if "-mod=mod" not in os.environ.get("GOFLAGS", "").split():
        return 0.0
    files = (request.checkout.root / name for name in ("go.mod", "go.sum"))
    return max((path.stat().st_mtime for path in files if path.is_file()), default=0.0)


def _newer(best: tuple[str, float] | None, path: Path) -> tuple[str, float] | None:
    try:
        changed = path.stat().st_mtime
    except OSError:
        return best
    return (str(path), changed) if best is None or changed > best[1] else best


def _forget_old_copies(request: BuildRequest, copies: Path) -> None:
    """Completed copies of go.mod are kept until the tree's own is newer."""
    copy = copies / "go.mod"
    own = request.checkout.root / "go.mod"
    if copy.exists() and copy.stat().st_mtime < own.stat().st_mtime:
        copy.unlink()


def _record_key(request: BuildRequest) -> str:
    return f"{request.flavour}:{request.output or ''}:{request.package}"


def _read_record(request: BuildRequest) -> dict[str, Any]:
    try:
        document = json.loads((cache_folder(request.checkout) / "build.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
