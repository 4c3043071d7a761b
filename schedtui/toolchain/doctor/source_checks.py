"""Checks of the source tree and the built program: ``source``, ``module``, ``binary``."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from schedtui.core.errors import SchedtuiError
from schedtui.toolchain.binary import BinaryFacts, breakpoint_obstacle
from schedtui.toolchain.checkout import Checkout
from schedtui.toolchain.doctor.model import Finding, Fix, Subject, fail, not_asked, ok, warn
from schedtui.toolchain.go_modules import KUBERNETES_MODULE
from schedtui.toolchain.release import run_git

_SAMPLE = ("cmd/kube-scheduler", "pkg/scheduler")
"""The directories whose files decide whether a program is older than its source."""


def check_source(subject: Subject) -> Finding:
    """The directory is a source root, and which release it is."""
    checkout = subject.checkout
    if checkout is None:
        return not_asked("--src DIR")
    if isinstance(checkout, SchedtuiError):
        return fail(f"{checkout.title}: {checkout.where}", checkout.hint)
    lacking = [
        name for name in _SAMPLE if checkout.kubernetes_root and not (checkout.kubernetes_root / name).is_dir()
    ]
    if lacking:
        return fail(f"{' and '.join(lacking)} missing in {checkout.kubernetes_root}", _fetch_again(checkout))
    release = checkout.release
    dirty = len(checkout.dirty_files)
    words = {"kubernetes": "Kubernetes", "module-cache": "module cache,", "out-of-tree": "out-of-tree,"}
    found = f"{words[checkout.layout]} {release.describe()}, {checkout.root}"
    found += f", {dirty} changed file{'s' if dirty > 1 else ''}" if dirty else ""
    if release.version is None:
        return warn(found, f"git -C {checkout.root} fetch --tags   # then 'git describe --tags' must answer")
    return ok(found)


def _fetch_again(checkout: Checkout) -> Fix:
    if (checkout.root / ".git").exists():
        return Fix.command("git", "-C", str(checkout.root), "sparse-checkout", "disable")
    return Fix("schedtui source get VERSION DIR")


def check_module(subject: Subject) -> Finding:
    """Go will find the modules that the tree is built from."""
    checkout = subject.checkout
    if checkout is None:
        return not_asked("--src DIR")
    if isinstance(checkout, SchedtuiError):
        return not_asked("no source tree")
    settings = subject.go_settings
    if not isinstance(settings, SchedtuiError):
        problem = _wrong_flags(subject, checkout, settings)
        if problem is not None:
            return problem
    if checkout.layout == "kubernetes" and not (checkout.root / "staging" / "src" / "k8s.io").is_dir():
        return fail("staging/src/k8s.io is missing, where go.mod and go.work point to", _fetch_again(checkout))
    if checkout.layout == "module-cache":
        return ok(f"module {checkout.module}, to read only: nothing can be built in the module cache")
    if checkout.kubernetes_root is None:
        return fail(
            f"{KUBERNETES_MODULE} {checkout.release.version or ''} is not in Go's module cache",
            _download(checkout),
        )
    absent = [name for name in ("k8s.io/api", "k8s.io/client-go") if name in checkout.modules.missing]
    if absent:
        return warn(f"not on disk yet: {', '.join(absent)}", _download(checkout))
    return ok(f"module {checkout.module}, go {checkout.go_version or 'unknown'}")


def _download(checkout: Checkout) -> Fix:
    return Fix.command("go", "-C", str(checkout.root), "mod", "download")


def _wrong_flags(subject: Subject, checkout: Checkout, settings: dict[str, str]) -> Finding | None:
    """GOFLAGS and GOWORK that do not fit this tree."""
    vendor = (checkout.root / "vendor").is_dir()
    if "-mod=vendor" in settings.get("GOFLAGS", "").split() and not vendor:
        return fail("GOFLAGS holds -mod=vendor, but the tree has no vendor directory", _unset(subject, "GOFLAGS"))
    work = checkout.root / "go.work"
    active = settings.get("GOWORK", "")
    if "-mod=mod" in settings.get("GOFLAGS", "").split() and active not in ("", "off"):
        return fail(
            "GOFLAGS holds -mod=mod, which Go refuses in a tree with a go.work", _unset(subject, "GOFLAGS")
        )
    if work.exists() and active == "off":
        return fail("GOWORK=off, but the tree finds its staging modules by its go.work", _unset(subject, "GOWORK"))
    if active not in ("", "off") and Path(active).resolve() != work.resolve():
        return fail(
            f"the workspace {active} applies here, which is not the tree's own",
            f"export GOWORK={work}" if work.exists() else "export GOWORK=off",
        )
    return None


def _unset(subject: Subject, name: str) -> Fix:
    if name in subject.environment:
        return Fix(f"unset {name}   # here and in your shell's profile")
    return Fix.command("go", "env", "-u", name)


def check_binary(subject: Subject) -> Finding:
    """The program has what breakpoints need and is not older than its source."""
    program = subject.program
    if program is None:
        return not_asked("--exec BIN")
    if isinstance(program, SchedtuiError):
        return fail(f"{program.title}: {program.where}", program.hint)
    rebuild = _rebuild(subject)
    name = program.path.resolve() if subject.attach is not None else program.path
    obstacle = breakpoint_obstacle(program)
    if obstacle:
        return fail(f"{name}: {obstacle}", rebuild)
    if subject.attach is None and not os.access(program.path, os.X_OK):
        return fail(f"{program.path} may not be executed", Fix.command("chmod", "u+x", str(program.path)))
    if isinstance(subject.checkout, Checkout):
        stale = staleness(program, subject.checkout)
        if stale:
            return fail(f"{name}: {stale}", rebuild)
    notes = [program.go, program.release or "no release stamped", "-N -l"]
    notes += ["-trimpath"] if program.trimmed else []
    return ok(f"{name}: {', '.join(notes)}")


def _rebuild(subject: Subject) -> Fix:
    source = str(subject.source) if subject.source is not None else "DIR"
    return Fix(f"schedtui build --src {source}")


def staleness(program: BinaryFacts, checkout: Checkout) -> str:
    """Why a program is not what the tree would build now; empty when nothing says so."""
    ours, theirs = program.release, checkout.release
    if ours and theirs.exact and theirs.version and ours.partition("-")[0] != theirs.version.partition("-")[0]:
        return f"it is {ours}, the source is {theirs.version}"
    if program.revision and not checkout.dirty_files and not program.modified:
        head = (run_git(checkout.root, "rev-parse", "HEAD") or "").strip()
        if head and head != program.revision:
            return f"it was built from commit {program.revision[:12]}, the source is at {head[:12]}"
    if checkout.layout == "module-cache":
        return ""
    newest = _newest(checkout)
    if newest is not None and newest[1] > program.changed:
        moment = datetime.fromtimestamp(newest[1], UTC)
        return f"older than the source: {newest[0]} changed on {moment:%Y-%m-%d %H:%M} UTC"
    return ""


def _newest(checkout: Checkout) -> tuple[str, float] | None:
    """The file of the scheduler that changed last."""
    newest: tuple[str, float] | None = None
    for directory in checkout.scheduler_package_dirs().values():
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.name.endswith(".go") and not entry.name.endswith("_test.go"):
                    changed = entry.stat().st_mtime
                    if newest is None or changed > newest[1]:
                        newest = (os.path.relpath(entry.path, checkout.root), changed)
    return newest
