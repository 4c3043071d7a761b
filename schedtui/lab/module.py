"""What the lab runs: etcd, kube-apiserver and a debuggable kube-scheduler, built from Go modules.

Owns the generated Go module (go.mod and three mains of a few lines), its builds, and their cache, one folder a
release. It refuses to start anything that it built: ``supervisor`` does.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedtui.config.directories import directories
from schedtui.config.files import private_directory, write_private
from schedtui.core.errors import BuildFailed, Cancelled, LabFailed
from schedtui.lab.module_files import MAINS, go_mod_text, main_text
from schedtui.processes.locks import exclusive
from schedtui.processes.scratch import scratch_directory
from schedtui.toolchain.go import GoTool, GoVersion, find_go, work_variables
from schedtui.toolchain.go_build import BuildProgress, GoRun, ask_go, count_command, run_go_build

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CONTROL_PLANE_RELEASE = "v1.36.3"
"""Whose etcd and API server serve this release and all older ones: an API server may be newer than its
scheduler (v1.29.0 on v1.36.3 was tried), never older, and each release's own costs minutes to build."""

OLDEST_RELEASE = (1, 29)
"""The oldest release whose messages schedtui knows."""

SCHEDULER_GCFLAGS = "k8s.io/kubernetes/...=-N -l"
"""No optimisation for what is stepped through, and only for that."""

ALL_GCFLAGS = "all=-N -l"
"""No optimisation anywhere, as ``dlv debug`` builds."""

BINARIES = ("kube-apiserver", "etcd", "kube-scheduler")
"""In the order of building: the API server brings most packages, the others come cheap after it."""

_RELEASE = re.compile(r"^v1\.(\d+)\.(\d+)$")


@dataclass(frozen=True, slots=True)
class LabBinaries:
    """Everything that one lab runs, built."""

    release: str
    """Of the scheduler."""
    etcd: Path
    apiserver: Path
    scheduler: Path
    """Debuggable; an out-of-tree one is put in its place by ``lab up --src``."""
    source_directory: Path
    """The module cache's directory of k8s.io/kubernetes at that release."""
    control_plane_release: str


@dataclass(frozen=True, slots=True)
class CachedBuild:
    """One release's folder in the cache."""

    release: str
    directory: Path
    binaries: tuple[str, ...]
    bytes: int
    built: float
    """Seconds since the epoch, of the newest binary; 0 when there is none."""
    go: str
    """The Go that built it, ``go1.26.8``."""


def cache_directory() -> Path:
    """Where the lab's builds are kept."""
    return directories().cache / "lab"


def control_plane_release(release: str) -> str:
    """The release whose API server serves a scheduler of ``release``."""
    return max(release, CONTROL_PLANE_RELEASE, key=_sortable)


def check_release(release: str) -> str:
    """``release`` as ``vX.Y.Z``.

    Raises:
        LabFailed: It is no release, or one older than schedtui knows.
    """
    text = release if release.startswith("v") else f"v{release}"
    match = _RELEASE.match(text)
    if match is None:
        raise LabFailed("this is no Kubernetes release", where=release, hint="Write it like v1.36.3.")
    if (1, int(match[1])) < OLDEST_RELEASE:
        raise LabFailed(
            f"the lab knows releases from v{OLDEST_RELEASE[0]}.{OLDEST_RELEASE[1]} on", where=release, hint=""
        )
    return text


def known_releases() -> tuple[str, ...]:
    """Every release that the module proxy serves, oldest first."""
    with scratch_directory() as empty:
        go = find_go()
        words = ["list", "-m", "-versions", "k8s.io/kubernetes"]
        answer = ask_go(go.path, words, empty, _environment(go, empty))
    return tuple(sorted((word for word in answer.split() if _RELEASE.match(word)), key=_sortable))


def newest_release() -> str:
    """The newest release that the module proxy serves."""
    releases = known_releases()
    if not releases:
        raise LabFailed("the module proxy names no Kubernetes release", where="go list -m -versions")
    return releases[-1]


def is_built(release: str, *, scheduler: bool = True) -> bool:
    """Whether a lab of ``release`` could start without building anything."""
    needed = [(control_plane_release(release), "kube-apiserver"), (control_plane_release(release), "etcd")]
    if scheduler:
        needed.append((release, "kube-scheduler"))
    return all(_binary(*pair).exists() for pair in needed)


def ensure_built(
    release: str,
    progress: Callable[[BuildProgress], None],
    cancel: threading.Event | None = None,
    *,
    scheduler: bool = True,
) -> LabBinaries:
    """Build what is missing for a lab of ``release``; without ``scheduler`` only what serves it.

    Raises:
        LabFailed: The release is not to be had.
        BuildFailed: go or the compiler refused.
        Cancelled: ``cancel`` was set; nothing half-built is left.
    """
    release = check_release(release)
    stop = cancel or threading.Event()
    served_by = control_plane_release(release)
    plan = {served_by: ["kube-apiserver", "etcd"]}
    if scheduler:
        plan.setdefault(release, []).append("kube-scheduler")
    for built_release, names in plan.items():
        _ensure_release(built_release, names, progress, stop)
    return LabBinaries(
        release=release,
        etcd=_binary(served_by, "etcd"),
        apiserver=_binary(served_by, "kube-apiserver"),
        scheduler=_binary(release, "kube-scheduler"),
        source_directory=Path(_read_record(release).get("source", "")),
        control_plane_release=served_by,
    )


def build_everything_flavour(
    release: str, progress: Callable[[BuildProgress], None], cancel: threading.Event | None = None
) -> Path:
    """The scheduler of ``release`` built with ``all=-N -l``; minutes, then cached beside the usual one."""
    name = "kube-scheduler-all"
    _ensure_release(check_release(release), [name], progress, cancel or threading.Event())
    return _binary(release, name)


def cached_builds() -> tuple[CachedBuild, ...]:
    """What the cache holds, oldest release first."""
    root = cache_directory()
    folders = [path for path in root.iterdir() if _RELEASE.match(path.name)] if root.is_dir() else []
    return tuple(_describe(folder) for folder in sorted(folders, key=lambda path: _sortable(path.name)))


def prune(releases: Sequence[str]) -> int:
    """Remove these releases' folders; returns the bytes that became free.

    Raises:
        LabFailed: One of them is being built at this moment.
    """
    freed = 0
    for build in cached_builds():
        if build.release in releases:
            with exclusive(cache_directory() / f"{build.release}.lock", cancel=_already_set()) as held:
                if not held:
                    raise LabFailed(
                        f"{build.release} is being built by another schedtui", where=str(build.directory)
                    )
                shutil.rmtree(build.directory)
                freed += build.bytes
    return freed


def _already_set() -> threading.Event:
    """A cancel that makes a lock try once and not wait."""
    event = threading.Event()
    event.set()
    return event


def _describe(folder: Path) -> CachedBuild:
    files = [path for path in (folder / "bin").glob("*") if path.is_file()]
    record = _read_record(folder.name)
    return CachedBuild(
        release=folder.name,
        directory=folder,
        binaries=tuple(sorted(path.name for path in files)),
        bytes=sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        built=max((path.stat().st_mtime for path in files), default=0.0),
        go=str(record.get("go", "")),
    )


def _sortable(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", release))


def _folder(release: str) -> Path:
    return cache_directory() / release


def _binary(release: str, name: str) -> Path:
    return _folder(release) / "bin" / name


def _read_record(release: str) -> dict[str, Any]:
    """What is remembered of a release's builds: source directory, Go, seconds per binary."""
    try:
        document = json.loads((_folder(release) / "build.json").read_text())
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _ensure_release(
    release: str, names: Sequence[str], progress: Callable[[BuildProgress], None], cancel: threading.Event
) -> None:
    root = private_directory(cache_directory())

    def waiting() -> None:
        progress(BuildProgress(f"{names[0]} {release}", "wait"))

    with exclusive(root / f"{release}.lock", waiting=waiting, cancel=cancel) as held:
        if not held:
            raise Cancelled("the build of the lab was cancelled")
        record = _read_record(release)
        missing = [name for name in names if not _binary(release, name).exists()]
        if not missing and Path(record.get("source", "/nonexistent")).is_dir():
            return
        _build_release(release, missing, record, progress, cancel)


def _build_release(
    release: str,
    missing: Sequence[str],
    record: dict[str, Any],
    progress: Callable[[BuildProgress], None],
    cancel: threading.Event,
) -> None:
    folder = private_directory(_folder(release))
    private_directory(folder / "bin")
    # Left where the machine itself went down; nobody else is here, the lock is ours.
    for left in folder.glob(".build-*"):
        shutil.rmtree(left, ignore_errors=True)
    with scratch_directory(folder, ".build-") as scratch:
        downloaded = _download(release, scratch, progress, cancel)
        go = find_go(GoVersion.parse(downloaded.go_version))
        _write_module(folder, release, downloaded.go_mod)
        record |= {"release": release, "go": str(go.version), "source": str(downloaded.directory)}
        seconds = record.setdefault("seconds", {})
        for name in missing:
            run = _build_run(go, release, name, folder, scratch, seconds.get(name))
            took = run_go_build(run, progress, cancel)
            (scratch / name).replace(_binary(release, name))
            seconds[name] = round(took, 1)
            record["built"] = time.time()
            write_private(folder / "build.json", json.dumps(record, indent=1).encode())
        write_private(folder / "build.json", json.dumps(record, indent=1).encode())


@dataclass(frozen=True, slots=True)
class _Downloaded:
    directory: Path
    go_mod: str
    go_version: str


def _download(
    release: str, scratch: Path, progress: Callable[[BuildProgress], None], cancel: threading.Event
) -> _Downloaded:
    go = find_go()
    environment = _environment(go, scratch)
    run = GoRun(
        target=f"k8s.io/kubernetes {release}",
        arguments=(str(go.path), "mod", "download", "-x", f"k8s.io/kubernetes@{release}"),
        directory=scratch,
        environment=environment,
    )
    try:
        run_go_build(run, lambda value: _tell_download(value, progress), cancel)
    except BuildFailed as error:
        raise LabFailed(
            f"{release} cannot be had from the Go module proxy",
            where="go mod download",
            details=error.details[-5:],
            hint="'go list -m -versions k8s.io/kubernetes' lists the releases; 'schedtui doctor --online' checks"
            " the proxy (behind the Great Firewall: go env -w GOPROXY=https://goproxy.cn,direct).",
        ) from error
    answer = json.loads(
        ask_go(go.path, ["mod", "download", "-json", f"k8s.io/kubernetes@{release}"], scratch, environment)
    )
    text = Path(answer["GoMod"]).read_text(encoding="utf-8")
    wanted = re.search(r"^go (\S+)", text, re.MULTILINE)
    return _Downloaded(Path(answer["Dir"]), text, wanted[1] if wanted else "")


def _tell_download(value: BuildProgress, progress: Callable[[BuildProgress], None]) -> None:
    if value.phase != "done":
        progress(BuildProgress(value.target, "download", elapsed=value.elapsed))


def _environment(go: GoTool, scratch: Path) -> dict[str, str]:
    return go.environment() | {
        "GOFLAGS": "-mod=mod",
        "GOWORK": "off",
        "GO111MODULE": "on",
        "GOTOOLCHAIN": "local",
        **work_variables(scratch),
    }


def _write_module(folder: Path, release: str, kubernetes_go_mod: str) -> None:
    """Write go.mod and the mains; a go.mod that go has completed already is kept."""
    wanted = go_mod_text(release, kubernetes_go_mod)
    seed = folder / "go.mod.seed"
    if not (folder / "go.mod").exists() or not seed.exists() or seed.read_text() != wanted:
        write_private(folder / "go.mod", wanted.encode())
        write_private(seed, wanted.encode())
        (folder / "go.sum").unlink(missing_ok=True)
    for name in MAINS:
        private_directory(folder / name)
        write_private(folder / name / "main.go", main_text(name).encode())


def _build_run(go: GoTool, release: str, name: str, folder: Path, scratch: Path, expected: float | None) -> GoRun:
    main = name.removesuffix("-all")
    flags: list[str] = []
    if main == "kube-scheduler":
        flags.append(f"-gcflags={ALL_GCFLAGS if name.endswith('-all') else SCHEDULER_GCFLAGS}")
    flags.append(f"-ldflags={' '.join(_linker_flags(main, release))}")
    return GoRun(
        target=f"{name} {release}" if main != "etcd" else f"etcd for {release}",
        arguments=(str(go.path), "build", "-v", *flags, "-o", str(scratch / name), f"./{main}"),
        directory=folder,
        environment=_environment(go, scratch),
        count_arguments=count_command(go.path, flags, f"./{main}"),
        expected_seconds=expected,
    )


def _linker_flags(main: str, release: str) -> list[str]:
    """Stamp the release as a released build has it; leave symbols out where nobody debugs."""
    stamp = [] if main == "etcd" else ["-X", f"k8s.io/component-base/version.gitVersion={release}"]
    return stamp if main == "kube-scheduler" else [*stamp, "-s", "-w"]
