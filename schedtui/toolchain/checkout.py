"""What a source directory is, and where in it things lie.

Owns telling a Kubernetes checkout, an out-of-tree scheduler module and a module cache directory apart, and mapping
Go's file names to files on disk. It changes nothing, downloads nothing and builds nothing. What a directory is
that is none of them, ``source_root`` says.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from schedtui.config.directories import typed_path
from schedtui.core.errors import NotASourceTree
from schedtui.core.go_source.functions import GoFunction, functions_in
from schedtui.toolchain.go_modules import (
    KUBERNETES_MODULE,
    GoMod,
    ModuleMap,
    build_module_map,
    goroot_directory,
    listed_module_directory,
    module_cache_directory,
    read_go_mod,
)
from schedtui.toolchain.release import Release, find_release, run_git
from schedtui.toolchain.source_root import absolute, no_module, other_module

if TYPE_CHECKING:
    from collections.abc import Iterator

Layout = Literal["kubernetes", "out-of-tree", "module-cache"]
"""``kubernetes``: a checkout (or a tree shaped like one). ``out-of-tree``: a module of the user's own that
requires k8s.io/kubernetes. ``module-cache``: a directory ``k8s.io/kubernetes@vX`` of Go's module cache."""

SCHEDULER_PACKAGE = f"{KUBERNETES_MODULE}/pkg/scheduler"
"""Import path of the scheduler itself."""

COMMAND_PACKAGE = f"{KUBERNETES_MODULE}/cmd/kube-scheduler"
"""Import path of the scheduler's main."""

_QUEUE_PACKAGES = ("backend/queue", "internal/queue", "queue", "core/queue")
"""Where the queue package lay, newest first: ``backend/queue`` since 1.31, ``internal/queue`` before."""

_NEEDED_MODULES = tuple(
    f"k8s.io/{name}" for name in ("api", "apimachinery", "apiserver", "client-go", "component-base", "klog/v2")
)
"""The modules whose log lines and functions a scheduler's user meets."""

_DOWNLOAD_ADVICE = "Run 'go mod download' in it, with a network, so that Go puts the missing modules in its cache."


@dataclass(frozen=True, slots=True)
class FunctionPlace:
    """A function with the file it was found in."""

    path: Path
    """The file on disk."""
    import_path: str
    """Import path of its package (``k8s.io/kubernetes/pkg/scheduler``)."""
    function: GoFunction
    """Name, receiver and lines."""

    @property
    def location(self) -> str:
        """Its full name for Delve: ``k8s.io/kubernetes/pkg/scheduler.(*Scheduler).ScheduleOne``."""
        return self.import_path + self.function.spelling[len(self.function.package) :]


class Checkout:
    """One source tree. Made by ``open_checkout``; reading it never changes it, so threads may share it."""

    def __init__(self, root: Path, layout: Layout, go_mod: GoMod, kubernetes_root: Path | None) -> None:
        """Keep what was recognised; everything that costs time is found on first use.

        Args:
            root: The directory of go.mod, absolute, links in it kept.
            layout: What kind of tree it is.
            go_mod: Its go.mod.
            kubernetes_root: Where k8s.io/kubernetes lies: ``root`` itself, or a module's directory, or None when
                an out-of-tree module's copy has not been downloaded.
        """
        self.root = root
        self.layout: Layout = layout
        self.go_mod = go_mod
        self.kubernetes_root = kubernetes_root

    def __repr__(self) -> str:
        return f"Checkout({str(self.root)!r}, {self.layout!r})"

    @property
    def module(self) -> str:
        """The module path of the tree itself."""
        return self.go_mod.module or ""

    @property
    def go_version(self) -> str | None:
        """The Go version that go.mod wants (``1.26.0``)."""
        return self.go_mod.go

    @functools.cached_property
    def release(self) -> Release:
        """The Kubernetes release: the tree's own, or the one that an out-of-tree module requires."""
        if self.layout != "out-of-tree":
            return find_release(self.root)
        replacement = self.go_mod.replaces.get(KUBERNETES_MODULE)
        if replacement is not None and replacement.is_directory and self.kubernetes_root is not None:
            return find_release(self.kubernetes_root)
        version = (replacement.version if replacement else None) or self.go_mod.requires.get(KUBERNETES_MODULE)
        return Release(version, f"go.mod requires {KUBERNETES_MODULE}", exact=version is not None)

    @functools.cached_property
    def modules(self) -> ModuleMap:
        """Every module that the tree is built from, and those that are not on disk."""
        modules = build_module_map(self.root, self.go_mod)
        if self.kubernetes_root is not None:
            modules.directories.setdefault(KUBERNETES_MODULE, self.kubernetes_root)
            modules.missing.pop(KUBERNETES_MODULE, None)
        return modules

    @functools.cached_property
    def dirty_files(self) -> tuple[str, ...]:
        """Files that differ from the commit checked out, relative to the root; empty without git."""
        answer = run_git(self.root, "status", "--porcelain", "--untracked-files=no", "-z")
        # In -z format a rename is followed by its old name as an entry of its own, without a status.
        entries = (answer or "").split("\0")
        return tuple(entry[3:] for entry in entries if len(entry) > 3 and entry[2] == " ")

    def edited_since(self, moment: float) -> frozenset[str]:
        """Base names of source files that were changed by hand after a moment, as far as that can be told.

        With git: files that differ from the commit and are younger. Without: the scheduler's own files that are
        younger while most of them are older (a fresh copy is younger as a whole, and was not edited).

        Args:
            moment: Seconds since 1970, such as when a log was written or a binary was built.
        """
        if (self.root / ".git").exists():
            paths = [self.root / name for name in self.dirty_files]
            return frozenset(path.name for path in paths if path.suffix == ".go" and _modified(path) > moment)
        paths = [path for directory in self.scheduler_package_dirs().values() for path in go_files(directory)]
        younger = [path for path in paths if _modified(path) > moment]
        return frozenset(path.name for path in younger) if 2 * len(younger) < len(paths) else frozenset()

    @property
    def missing(self) -> tuple[str, ...]:
        """What the tree lacks for a build or for reading its source, each one sentence."""
        parts = list(_missing_parts(self))
        absent = [module for module in _NEEDED_MODULES if module in self.modules.missing]
        if absent:
            parts.append(f"not on disk: {', '.join(absent)}. {_DOWNLOAD_ADVICE}")
        return tuple(parts)

    def renew(self) -> None:
        """Forget what was found in the tree: it was edited, switched or built anew since."""
        self.go_mod = read_go_mod(self.root) or self.go_mod
        for name in ("release", "modules", "dirty_files", "queue_package"):
            self.__dict__.pop(name, None)
        Checkout._asked_directory.cache_clear()

    @functools.cached_property
    def queue_package(self) -> str | None:
        """Import path of the scheduling queue's package; it moved from internal/queue to backend/queue."""
        for name in _QUEUE_PACKAGES:
            import_path = f"{SCHEDULER_PACKAGE}/{name}"
            if self.modules.package_directory(import_path) is not None:
                return import_path
        return None

    def package_directory(self, import_path: str) -> Path | None:
        """The directory of a package of the tree, of one of its modules, or of Go's own library."""
        directory = self.modules.package_directory(import_path)
        if directory is not None:
            return directory
        if "." not in import_path.partition("/")[0]:
            goroot = goroot_directory()
            standard = goroot / "src" / import_path if goroot else None
            return standard if standard is not None and standard.is_dir() else None
        return self._asked_directory(import_path)

    @functools.lru_cache(maxsize=256)  # noqa: B019 - a checkout lives as long as the program
    def _asked_directory(self, import_path: str) -> Path | None:
        """Ask Go itself, for modules that an old go.mod does not list (before Go 1.17 indirect ones were not)."""
        if self.layout != "out-of-tree" or self.modules.module_of(import_path) is not None:
            return None
        parts = import_path.split("/")
        for length in range(len(parts), 1, -1):
            module = "/".join(parts[:length])
            directory = listed_module_directory(self.root, module)
            if directory is not None:
                found = directory / "/".join(parts[length:])
                return found if found.is_dir() else None
        return None

    def file_path(self, name: str) -> Path | None:
        """The file on disk that a name means; None when it is not there.

        Args:
            name: An absolute path; a path relative to the root; an import path with a file
                (``k8s.io/klog/v2/klog.go``, ``runtime/proc.go``); or what ``-trimpath`` leaves
                (``k8s.io/client-go@v0.36.3/tools/cache/reflector.go``).
        """
        if name.startswith("/"):
            return self._absolute_file(Path(name))
        local = self.root / name
        if local.is_file():
            return local
        if self.kubernetes_root is not None and (self.kubernetes_root / name).is_file():
            return self.kubernetes_root / name
        cached = module_cache_directory() / name
        if "@" in name and cached.is_file():
            return cached
        package, _, file = _without_version(name).rpartition("/")
        directory = self.package_directory(package) if package else None
        path = directory / file if directory else None
        return path if path is not None and path.is_file() else None

    def _absolute_file(self, path: Path) -> Path | None:
        """An absolute path from a binary's debug information; trees may have been moved since."""
        if path.is_file():
            return path
        parts = path.parts
        for index, part in enumerate(parts):
            if "@v" in part or part in ("k8s.io", "src", "kubernetes"):
                tail = "/".join(parts[index:] if part == "k8s.io" else parts[index + 1 :])
                found = self.file_path(tail) if tail else None
                if found is not None:
                    return found
        return None

    def import_path_of(self, path: Path) -> str | None:
        """The import path of the package that a file belongs to."""
        directory = Path(os.path.normpath(path.parent))
        return self.modules.import_path_of(directory)

    def scheduler_package_dirs(self) -> dict[str, Path]:
        """Import path → directory of each package of the scheduler, its command, and the user's own plugins."""
        found: dict[str, Path] = {}
        for import_path in (SCHEDULER_PACKAGE, COMMAND_PACKAGE):
            directory = self.modules.package_directory(import_path)
            if directory is not None:
                found.update(_packages_below(import_path, directory))
        return {**found, **self.own_package_dirs()}

    def own_package_dirs(self) -> dict[str, Path]:
        """Import path → directory of an out-of-tree module's own packages; empty for a Kubernetes tree."""
        return dict(_packages_below(self.module, self.root)) if self.layout == "out-of-tree" else {}

    def functions_named(self, name: str) -> tuple[FunctionPlace, ...]:
        """Functions and methods of that name in the scheduler's packages (and the user's own), tests left out."""
        needle = name.encode()
        places: list[FunctionPlace] = []
        for import_path, directory in self.scheduler_package_dirs().items():
            for path in go_files(directory):
                text = path.read_bytes()
                if needle in text:
                    places.extend(
                        FunctionPlace(path, import_path, function)
                        for function in functions_in(text)
                        if function.name == name
                    )
        return tuple(places)


def _modified(path: Path) -> float:
    """When a file was last changed; 0 when it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def go_files(directory: Path) -> list[Path]:
    """The Go files of one directory, tests left out, sorted by name."""
    try:
        with os.scandir(directory) as entries:
            names = sorted(entry.name for entry in entries)
    except OSError:
        return []
    return [directory / name for name in names if name.endswith(".go") and not name.endswith("_test.go")]


def _packages_below(import_path: str, directory: Path) -> Iterator[tuple[str, Path]]:
    for place, directories, files in os.walk(directory, followlinks=False):
        directories[:] = sorted(
            name for name in directories if name not in ("testdata", "vendor", "staging") and name[0] not in "._"
        )
        if any(name.endswith(".go") and not name.endswith("_test.go") for name in files):
            rest = os.path.relpath(place, directory)
            yield (import_path if rest == "." else f"{import_path}/{Path(rest).as_posix()}"), Path(place)


def _without_version(name: str) -> str:
    """``k8s.io/client-go@v0.36.3/tools/x.go`` without its version."""
    return "/".join(part.partition("@")[0] for part in name.split("/"))


def open_checkout(path: str | Path) -> Checkout:
    """Recognise a source tree.

    Raises:
        NotASourceTree: When it is none; says what the directory is instead and what to name.
    """
    root = absolute(typed_path(path))
    go_mod = read_go_mod(root) if root.is_dir() else None
    if go_mod is None or go_mod.module is None:
        raise no_module(root)
    if go_mod.module == KUBERNETES_MODULE:
        if not (root / "pkg" / "scheduler").is_dir():
            raise NotASourceTree(
                "This tree has no pkg/scheduler",
                where=str(root),
                hint="It is a sparse or broken copy. Get a whole one: schedtui source get v1.36.3 DIR",
            )
        layout: Layout = "module-cache" if "@v" in root.name else "kubernetes"
        return Checkout(root, layout, go_mod, root)
    if KUBERNETES_MODULE in go_mod.requires or KUBERNETES_MODULE in go_mod.replaces:
        return Checkout(root, "out-of-tree", go_mod, _kubernetes_of(root, go_mod))
    raise other_module(root, go_mod)


def _kubernetes_of(root: Path, go_mod: GoMod) -> Path | None:
    directory = build_module_map(root, go_mod).directories.get(KUBERNETES_MODULE)
    if directory is None:
        directory = listed_module_directory(root, KUBERNETES_MODULE)
    return directory


def _missing_parts(checkout: Checkout) -> Iterator[str]:
    if checkout.kubernetes_root is None:
        version = checkout.release.version or ""
        yield f"{KUBERNETES_MODULE} {version} is not in Go's module cache. {_DOWNLOAD_ADVICE}"
        return
    for name in ("cmd/kube-scheduler", "pkg/scheduler"):
        if not (checkout.kubernetes_root / name).is_dir():
            yield f"{name} is missing"
    if checkout.layout == "kubernetes" and not (checkout.root / "staging" / "src" / "k8s.io").is_dir():
        yield "staging/src/k8s.io is missing: go.mod points there, so nothing can be built here"
    if checkout.layout == "module-cache":
        yield "a module directory is read-only and cannot be built in place: use it to read and to explain logs"
