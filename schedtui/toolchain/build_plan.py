"""How a scheduler is built from a source tree: arguments and environment, nothing executed.

Owns the flags (what is not optimised, which version is stamped), the choice between ``go build`` and ``make``,
and what go.work, vendor and GOFLAGS mean for it. Running it is ``build``'s.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from schedtui.config.directories import directories
from schedtui.core.errors import NotASourceTree
from schedtui.toolchain.dlv import GO_RANGES, PINNED_RELEASE
from schedtui.toolchain.go import GoTool, GoVersion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.toolchain.checkout import Checkout

Flavour = Literal["debug", "all", "optimised"]
"""``debug``: no optimisation in Kubernetes's own packages (and the user's). ``all``: nowhere, as ``dlv debug``.
``optimised``: as released, for runs without a debugger."""

UNOPTIMISED = "-N -l"
"""No optimisation, no inlining."""

VERSION_VARIABLE = "k8s.io/component-base/version.gitVersion"
"""What ``--version`` and the first log line print; a plain ``go build`` leaves a template in it."""

COMMAND_DIRECTORY = "./cmd/kube-scheduler"
"""The scheduler's main in a Kubernetes tree."""

MAKE_OUTPUT = Path("_output/bin/kube-scheduler")
"""Where ``make`` leaves it (a link into ``_output/local/bin``)."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What is to be built."""

    checkout: Checkout
    flavour: Flavour = "debug"
    use_make: bool = False
    output: Path | None = None
    """Where the binary goes; ``None``: schedtui's cache, one folder a tree."""
    package: str = ""
    """The main package of an out-of-tree module; empty: the one that imports the scheduler's app."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """The same as arguments and environment."""

    arguments: tuple[str, ...]
    directory: Path
    environment: Mapping[str, str]
    package: str
    flags: tuple[str, ...]
    """The flags that decide what comes out; for ``go list`` as well as ``go build``."""
    version: str
    """What is stamped; empty: nothing."""
    notes: tuple[str, ...] = ()
    """Choices that a user should hear of, one sentence each."""


def cache_folder(checkout: Checkout) -> Path:
    """Where a tree's binaries, module copies and records are kept."""
    digest = hashlib.sha256(str(checkout.root).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    # Links resolved: the record of a build names files, and the cache may be reached by several names.
    return (directories().cache / "builds").resolve() / f"{checkout.root.name or 'root'}-{digest}"


def default_output(request: BuildRequest) -> Path:
    """Where the binary goes when nothing is said."""
    suffix = {"debug": "", "all": "-all", "optimised": "-optimised"}[request.flavour]
    return cache_folder(request.checkout) / f"kube-scheduler{suffix}"


def check_buildable(checkout: Checkout) -> None:
    """Refuse what cannot be built in place.

    Raises:
        NotASourceTree: A module cache directory, or a tree without its staging modules.
    """
    if checkout.layout == "module-cache":
        version = checkout.release.version or "vX"
        raise NotASourceTree(
            "this is a directory of Go's module cache; nothing can be built in it",
            where=str(checkout.root),
            hint=f"'schedtui lab --release {version}' debugs a scheduler built from exactly this source; "
            f"'schedtui source get {version} DIR' gets a tree to work in.",
        )
    if checkout.layout == "kubernetes" and not (checkout.root / "staging" / "src" / "k8s.io").is_dir():
        raise NotASourceTree(
            "staging/src/k8s.io is missing, and go.mod points there",
            where=str(checkout.root),
            hint="The copy is incomplete (a sparse checkout?). 'schedtui source get' gets a whole one.",
        )


def plan_go_build(request: BuildRequest, go: GoTool, output: Path, scratch: Path, package: str) -> BuildPlan:
    """The ``go build``.

    Args:
        request: What is to be built.
        go: The Go that builds.
        output: The file that it writes.
        scratch: A directory for its temporary files, and for copies of go.mod.
        package: The main package.
    """
    checkout = request.checkout
    version = stamped_version(request)
    flags = [*_module_flags(checkout, scratch), *_compiler_flags(request)]
    if version:
        flags.append(f"-ldflags=-X {VERSION_VARIABLE}={version}")
    return BuildPlan(
        arguments=(str(go.path), "build", "-v", *flags, "-o", str(output), package),
        directory=checkout.root,
        environment=_environment(checkout, go, scratch),
        package=package,
        flags=tuple(flags),
        version=version,
    )


def plan_make(request: BuildRequest, go: GoTool) -> BuildPlan:
    """The tutorial's ``make WHAT=cmd/kube-scheduler DBG=1``.

    Kubernetes's make builds with the Go that the release pins. When dlv does not take that one, the host's Go is
    asked for instead.
    """
    checkout = request.checkout
    environment = dict(go.environment())
    pinned = pinned_go(checkout)
    notes: list[str] = []
    fits = GO_RANGES[PINNED_RELEASE[:2]]
    if pinned is not None and fits.takes(pinned):
        notes.append(f"make builds with the Go that the release pins, {pinned}; dlv takes it.")
    else:
        environment["FORCE_HOST_GO"] = "y"
        why = f"the release pins {pinned}, which dlv does not take" if pinned else "the release pins no Go"
        notes.append(f"FORCE_HOST_GO=y: {why}, so {go.version} builds.")
    arguments = ["make", "WHAT=cmd/kube-scheduler"]
    if request.flavour != "optimised":
        arguments.append("DBG=1")
    return BuildPlan(
        arguments=tuple(arguments),
        directory=checkout.root,
        environment=environment,
        package="cmd/kube-scheduler",
        flags=(),
        version="",
        notes=tuple(notes),
    )


def pinned_go(checkout: Checkout) -> GoVersion | None:
    """The Go in the tree's ``.go-version``."""
    try:
        return GoVersion.parse((checkout.root / ".go-version").read_text(encoding="utf-8"))
    except OSError:
        return None


def stamped_version(request: BuildRequest) -> str:
    """What the binary is to say about itself: the release, marked when the tree is not exactly it."""
    release = request.checkout.release
    if release.version is None:
        return ""
    whole = release.version if re.match(r"v1\.\d+\.\d+", release.version) else f"{release.version}.0"
    return whole if release.exact else f"{whole}+source"


def _compiler_flags(request: BuildRequest) -> list[str]:
    if request.flavour == "optimised":
        return []
    if request.flavour == "all":
        return [f"-gcflags=all={UNOPTIMISED}"]
    # Go silently ignores a pattern that matches nothing: three ASCII dots. ``build`` looks at the binary.
    kubernetes = f"-gcflags=k8s.io/kubernetes/...={UNOPTIMISED}"
    if request.checkout.layout != "out-of-tree":
        return [kubernetes]
    # Each pattern counts, but a binary records the last one alone: the one that it is judged by.
    return [f"-gcflags={request.checkout.module}/...={UNOPTIMISED}", kubernetes]


def _environment(checkout: Checkout, go: GoTool, scratch: Path) -> dict[str, str]:
    environment = go.environment() | {"GOTMPDIR": str(scratch)}
    if "GOWORK" not in environment and not (checkout.root / "go.work").is_file():
        # A go.work of a directory above is another project's: go would refuse to build this tree.
        environment["GOWORK"] = "off"
    return environment


def _module_flags(checkout: Checkout, scratch: Path) -> list[str]:
    """A tree with neither go.work nor vendor needs go.mod completed: in a copy, the user's file stays as it is."""
    root = checkout.root
    own_choice = "-mod=" in os.environ.get("GOFLAGS", "") or "-modfile=" in os.environ.get("GOFLAGS", "")
    if (
        checkout.layout != "kubernetes"
        or own_choice
        or (root / "go.work").is_file()
        or (root / "vendor" / "modules.txt").is_file()
    ):
        return []
    copy = scratch / "go.mod"
    if not copy.exists():
        copy.write_bytes((root / "go.mod").read_bytes())
        sums = root / "go.sum"
        (scratch / "go.sum").write_bytes(sums.read_bytes() if sums.is_file() else b"")
    return ["-mod=mod", f"-modfile={copy}"]
