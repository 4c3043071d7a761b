"""Delve: the one that fits, or one installed into schedtui's own cache.

Owns the pinned release, which Go versions each release takes, how an existing dlv is judged, and the
``go install`` into the cache. It refuses to start a debugging session: ``debugger.session`` does.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.directories import directories, home, typed_path
from schedtui.config.files import private_directory
from schedtui.core.errors import Cancelled, ToolMissing
from schedtui.processes import run_to_end
from schedtui.processes.locks import exclusive
from schedtui.processes.scratch import scratch_directory
from schedtui.toolchain.go import GoTool, GoVersion, find_go, work_variables
from schedtui.toolchain.go_build import BuildProgress, GoRun, run_go_build

if TYPE_CHECKING:
    from collections.abc import Callable

DLV_MODULE = "github.com/go-delve/delve/cmd/dlv"
"""What ``go install`` gets."""

PINNED_RELEASE = (1, 27, 2)
"""The release that schedtui's protocol was tried on, and that it installs."""

OLDEST_RELEASE = (1, 27, 0)
"""An older dlv of the user's is left alone: its Starlark API and its questions were not tried."""


@dataclass(frozen=True, slots=True)
class GoRange:
    """The Go versions whose programs a dlv release debugs without ``--check-go-version=false``."""

    oldest: GoVersion
    newest: GoVersion
    """Its minor release counts, whatever the patch."""

    def takes(self, version: GoVersion) -> bool:
        """Whether a program built by ``version`` is accepted."""
        return self.oldest[:2] <= version[:2] <= self.newest[:2]


GO_RANGES: dict[tuple[int, int], GoRange] = {
    (1, 27): GoRange(GoVersion(1, 25), GoVersion(1, 27)),
}
"""Minor release of dlv → Go versions, from ``pkg/goversion/compat.go`` of that release."""

_PRINTED_VERSION = re.compile(r"^Version: (\d+)\.(\d+)\.(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DlvTool:
    """A dlv that answered."""

    path: Path
    release: tuple[int, int, int]

    @property
    def go_range(self) -> GoRange | None:
        """Which Go versions it debugs; ``None`` when this release is not known here."""
        return GO_RANGES.get(self.release[:2])

    def misfit(self, target_go: GoVersion | None) -> str:
        """Why it does not fit a target built by ``target_go``; empty when it does or when nothing is known."""
        known = self.go_range
        if target_go is None or known is None or known.takes(target_go):
            return ""
        which = "too old" if target_go[:2] < known.oldest[:2] else "too new"
        return (
            f"the target was built by {target_go}, which is {which} for dlv {format_release(self.release)}"
            f" (go{known.oldest.major}.{known.oldest.minor} to go{known.newest.major}.{known.newest.minor})"
        )


def format_release(release: tuple[int, int, int]) -> str:
    """``(1, 27, 2)`` → ``1.27.2``."""
    return ".".join(str(part) for part in release)


def probe_dlv(path: Path) -> DlvTool | None:
    """Ask a program for its dlv version; ``None`` when it does not answer like dlv."""
    try:
        answer = run_to_end([path, "version"], directory=Path("/"))
    except ToolMissing:
        return None
    match = _PRINTED_VERSION.search(answer.output)
    return DlvTool(path, (int(match[1]), int(match[2]), int(match[3]))) if match else None


def find_dlv() -> DlvTool | None:
    """A dlv that can be used as it is: PATH's or GOPATH/bin's when recent enough, else the cache's own."""
    on_path = shutil.which("dlv")
    candidates = [Path(on_path)] if on_path else []
    candidates += [Path(os.environ.get("GOPATH") or home() / "go") / "bin" / "dlv", own_dlv_path()]
    for path in candidates:
        if os.access(path, os.X_OK):
            tool = probe_dlv(path)
            if tool is not None and tool.release >= OLDEST_RELEASE:
                return tool
    return None


def own_dlv_path() -> Path:
    """Where schedtui keeps the dlv that it installs."""
    return directories().cache / "tools" / f"dlv-{format_release(PINNED_RELEASE)}" / "dlv"


def ensure_dlv(
    progress: Callable[[BuildProgress], None] | None = None,
    *,
    dlv: Path | None = None,
    target_go: GoVersion | None = None,
    cancel: threading.Event | None = None,
) -> Path:
    """The dlv to use, installed first when none is there that fits.

    Args:
        progress: Told how far an installation is.
        dlv: The user's choice (``--dlv``): taken or refused, never replaced.
        target_go: The Go that built the target, when it is known already.
        cancel: Stops an installation.

    Raises:
        ToolMissing: The named dlv does not answer or does not fit; or no Go is there to install one.
        BuildFailed: The installation failed.
        Cancelled: ``cancel`` was set.
    """
    if dlv is not None:
        return _check_named(dlv, target_go).path
    tool = find_dlv() or _install(progress or _silent, cancel or threading.Event())
    misfit = tool.misfit(target_go)
    if misfit:
        raise ToolMissing("dlv does not fit the program to debug", where=misfit, hint=fitting_advice(target_go))
    return tool.path


def fitting_advice(target_go: GoVersion | None) -> str:
    """What to do when dlv and the Go of the target do not fit."""
    newest = GO_RANGES[PINNED_RELEASE[:2]].newest
    oldest = GO_RANGES[PINNED_RELEASE[:2]].oldest
    advice = (
        f"Rebuild the target with go{oldest.major}.{oldest.minor} to go{newest.major}.{newest.minor}"
        " ('schedtui build --src DIR' does)"
    )
    if target_go is not None and target_go[:2] < oldest[:2]:
        advice += (
            f", or install a dlv of that time, for instance"
            f" 'go install {DLV_MODULE}@v1.{target_go.minor}.0', and name it with --dlv"
        )
    return advice + ". dlv's own switch is --check-go-version=false (with the equals sign)."


def _check_named(dlv: Path, target_go: GoVersion | None) -> DlvTool:
    path = typed_path(shutil.which(dlv) or dlv)
    tool = probe_dlv(path.absolute()) if path.exists() else None
    if tool is None:
        raise ToolMissing(
            "this is no dlv" if path.exists() else "there is no such dlv",
            where=str(dlv),
            hint="Leave --dlv out: schedtui then installs a fitting one into its own cache.",
        )
    misfit = tool.misfit(target_go)
    if misfit:
        raise ToolMissing(f"{dlv} does not fit", where=misfit, hint=fitting_advice(target_go))
    return tool


def _install(progress: Callable[[BuildProgress], None], cancel: threading.Event) -> DlvTool:
    """``go install`` the pinned release into the cache; whole or not at all."""
    final = own_dlv_path()
    tools = private_directory(final.parent.parent)
    with exclusive(
        tools / "dlv.lock", waiting=lambda: progress(BuildProgress("dlv", "wait")), cancel=cancel
    ) as held:
        if not held:
            raise Cancelled("the installation of dlv was cancelled")
        there = probe_dlv(final) if final.exists() else None
        if there is not None:
            return there
        oldest = GO_RANGES[PINNED_RELEASE[:2]].oldest
        # Left where the machine itself went down; nobody else is here, the lock is ours.
        for left in tools.glob(".dlv-*"):
            shutil.rmtree(left, ignore_errors=True)
        with scratch_directory(tools, ".dlv-") as scratch:
            run_go_build(_install_run(find_go(oldest), scratch), progress, cancel)
            private_directory(final.parent)
            (scratch / "bin" / "dlv").replace(final)
    tool = probe_dlv(final)
    if tool is None:
        raise ToolMissing("the dlv just installed does not answer", where=str(final))
    return tool


def _install_run(go: GoTool, scratch: Path) -> GoRun:
    (scratch / "bin").mkdir()
    (scratch / "tmp").mkdir()
    environment = go.environment()
    environment |= {
        "GOBIN": str(scratch / "bin"),
        **work_variables(scratch / "tmp"),
        # "go install MODULE@VERSION" refuses a user's -mod; an empty value would mean "not set".
        "GOFLAGS": "-buildvcs=false",
        "GOWORK": "off",
        "GOTOOLCHAIN": "local",
    }
    version = f"v{format_release(PINNED_RELEASE)}"
    return GoRun(
        target=f"dlv {version}",
        arguments=(str(go.path), "install", "-v", f"{DLV_MODULE}@{version}"),
        directory=scratch,
        environment=environment,
    )


def _silent(_: BuildProgress) -> None:
    """Tells nobody."""
