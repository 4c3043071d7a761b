"""The V-level index of a source tree: built by worker processes, kept on disk, mended when a file is edited.

Owns the cache (one directory for each tree, component and indexer version) and the questions that panes and
commands ask of an index. Parsing and solving are ``core.go_source``'s, look-up is ``core.call_sites``'.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from schedtui.config.files import private_directory
from schedtui.core.call_sites import BRIDGES, CallSite, CallSites, SiteLevel, call_site
from schedtui.core.errors import SchedtuiError, UnreadableInput
from schedtui.core.go_source.facts import PackageFacts
from schedtui.core.go_source.solve import solve
from schedtui.core.level_reading import LevelReading
from schedtui.toolchain.level_worker import Job, read_jobs
from schedtui.toolchain.source_files import PackageStamp, go_machine, go_system, main_packages, walk_imports

if TYPE_CHECKING:
    from schedtui.toolchain.checkout import Checkout

INDEXER_VERSION = 7
"""Raised when facts or solving change, so that no old cache is read."""

FEW_PACKAGES = 16
"""So many packages are read in this process: starting workers would cost more."""

MOST_WORKERS = 8
"""More worker processes than this gain nothing on a tree of this size."""

_PACKAGE_PLACE = str(Path(__file__).resolve().parents[2])
"""Where this package lies: workers find it there, and never in the directory that the user stands in."""

DEFAULT_COMPONENT = "kube-scheduler"
"""Whose files are indexed unless another component is named."""


_T = TypeVar("_T")


class _StoredFacts(msgspec.Struct):
    """The facts of all packages as they lie in the cache."""

    digest: str
    """Of the packages' stamps that they were read from: the parts of a cache must be of one writer."""
    packages: list[PackageFacts]


class _StoredIndex(msgspec.Struct):
    """The solved index as it lies in the cache."""

    digest: str
    """As in ``_StoredFacts``."""
    sites: list[CallSite]
    files: list[str]
    bridged: dict[str, str]


class IndexCancelled(SchedtuiError):
    """The building of an index was given up because its user went on."""


@dataclass(frozen=True, slots=True)
class IndexCost:
    """What it took to get an index."""

    seconds: float
    """From the call to the index."""
    packages: int
    """Packages of the component that are on disk."""
    files: int
    """Go files of the component."""
    parsed: int
    """Packages that had to be parsed; 0 when all came from the cache."""


class LevelIndex:
    """The call sites of one source tree, with the way back to its files. Read only: threads may share it."""

    def __init__(self, checkout: Checkout, sites: CallSites, cost: IndexCost) -> None:
        self.checkout = checkout
        self.sites = sites
        """The index itself."""
        self.cost = cost

    def level_of_site(self, file: str, src_line: int, message: str) -> SiteLevel:
        """What the source says of a record, by its file, line and message."""
        return self.sites.look_up(file, src_line, message)

    def call_sites_in(self, path: Path | str) -> list[CallSite]:
        """The log calls of a file, by line: for a source pane's gutter.

        Args:
            path: The file on disk, or its import path and name.
        """
        name = str(path)
        known = self.sites.calls_in(name)
        if known:
            return known
        place = Path(name) if name.startswith("/") else self.checkout.root / name
        package = self.checkout.import_path_of(place)
        return self.sites.calls_in(f"{package}/{place.name}") if package else []

    def site_path(self, file: str, src_line: int, message: str, severity: str = "I") -> tuple[Path, int] | None:
        """The file and the line of the call that wrote a record; None when the source has no such call.

        Args:
            file: Base name of the Go file in the record's header.
            src_line: The line there.
            message: The record's message.
            severity: Its header letter.
        """
        site = self.sites.look_up(file, src_line, message, severity=severity).site
        if site is None:
            return None
        path = self.checkout.file_path(site.path)
        return (path, site.call_line) if path is not None else None

    def reading(self, written: float | None = None) -> LevelReading:
        """Start reading one log with this source.

        Args:
            written: When the log was last written, or its binary was built (seconds since 1970): files that were
                edited later give no level. None for a log that is being written now.
        """
        changed_files = self.checkout.edited_since(written) if written is not None else frozenset()
        release = self.checkout.release
        exact = release.version if release.exact else None
        return LevelReading(self.sites, release=exact, changed_files=changed_files)


def load_level_index(
    checkout: Checkout,
    cache_dir: Path,
    *,
    component: str = DEFAULT_COMPONENT,
    workers: int | None = None,
    cancel: threading.Event | None = None,
) -> LevelIndex:
    """The index of a tree: from the cache as far as nothing changed, the rest built now.

    Args:
        checkout: The source tree.
        cache_dir: schedtui's cache directory; the index lies below it.
        component: Which command's files: ``kube-scheduler``, ``kube-apiserver`` …
        workers: Worker processes; as many as there are cores when None.
        cancel: Set by another thread to give up.

    Raises:
        IndexCancelled: When ``cancel`` was set.
    """
    return _Builder(checkout, _index_directory(checkout, cache_dir, component), component, workers, cancel).load()


def _index_directory(checkout: Checkout, cache_dir: Path, component: str) -> Path:
    identity = f"{os.path.realpath(checkout.root)}\0{component}\0{go_system()}/{go_machine()}\0{INDEXER_VERSION}"
    return cache_dir / "levels" / hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:20]


def _bridged_files(packages: dict[str, PackageStamp]) -> dict[str, str]:
    """Base names that only modules with a bridge to klog use, each with that module."""
    owners: dict[str, set[str]] = {}
    for path, package in packages.items():
        module = next((module for module in BRIDGES if path == module or path.startswith(module + "/")), "")
        for file in package.files:
            owners.setdefault(file.name, set()).add(module)
    return {name: next(iter(found)) for name, found in owners.items() if len(found) == 1 and "" not in found}


def _digest(packages: dict[str, PackageStamp]) -> str:
    """What two lists of stamps have in common only when they are equal."""
    return hashlib.sha256(msgspec.msgpack.encode(list(packages.values()))).hexdigest()


def _job(package: PackageStamp) -> Job:
    return package.import_path, package.directory, package.relevant_files


def _shares(packages: list[PackageStamp], workers: int) -> list[list[Job]]:
    """Jobs dealt out so that each worker gets about as many bytes."""
    sizes = {package: sum(file.size for file in package.files if file.relevant) for package in packages}
    loads = [0] * workers
    shares: list[list[Job]] = [[] for _ in range(workers)]
    for package in sorted(packages, key=lambda package: -sizes[package]):
        lightest = loads.index(min(loads))
        loads[lightest] += sizes[package]
        shares[lightest].append(_job(package))
    return [share for share in shares if share]


def _python_path() -> str:
    return os.environ.get("PYTHONPATH", "")


class _Builder:
    """One load of an index."""

    def __init__(
        self,
        checkout: Checkout,
        directory: Path,
        component: str,
        workers: int | None,
        cancel: threading.Event | None,
    ) -> None:
        self._checkout = checkout
        self._directory = directory
        self._component = component
        self._workers = max(1, min(workers or os.cpu_count() or 1, MOST_WORKERS))
        self._cancel = cancel or threading.Event()

    def load(self) -> LevelIndex:
        started = time.monotonic()
        known = {package.import_path: package for package in self._stored("packages", list[PackageStamp]) or ()}
        mains = main_packages(self._checkout, self._component)
        packages = walk_imports(self._checkout, mains, known, self._cancel.is_set)
        self._stop_if_cancelled()
        changed = [package for path, package in packages.items() if known.get(path) != package]
        stored = self._stored("index", _StoredIndex)
        if stored is None or stored.digest != _digest(known) or changed or len(packages) != len(known):
            stored = self._build(packages, changed, _digest(known))
            self._keep("packages", list(packages.values()))
        on_disk = [package for package in packages.values() if package.directory]
        cost = IndexCost(
            seconds=time.monotonic() - started,
            packages=len(on_disk),
            files=sum(file.in_build for package in on_disk for file in package.files),
            parsed=len(changed),
        )
        return LevelIndex(self._checkout, CallSites(stored.sites, stored.files, stored.bridged), cost)

    def _build(
        self, packages: dict[str, PackageStamp], changed: list[PackageStamp], known_digest: str
    ) -> _StoredIndex:
        kept = self._stored("facts", _StoredFacts)
        if kept is None or kept.digest != known_digest:
            kept, changed = None, list(packages.values())
        facts = {one.import_path: one for one in (kept.packages if kept is not None else ())}
        for package in changed:
            facts.pop(package.import_path, None)
        facts.update((one.import_path, one) for one in self._extract([p for p in changed if p.relevant_files]))
        used = [facts[path] for path in packages if path in facts]
        self._stop_if_cancelled()
        digest = _digest(packages)
        stored = _StoredIndex(
            digest=digest,
            sites=[call_site(solved) for solved in solve(used)],
            files=sorted({file.name for package in packages.values() for file in package.files if file.in_build}),
            bridged=_bridged_files(packages),
        )
        self._keep("facts", _StoredFacts(digest, used))
        self._keep("index", stored)
        return stored

    def _extract(self, packages: list[PackageStamp]) -> list[PackageFacts]:
        if len(packages) <= FEW_PACKAGES or self._workers == 1:
            return read_jobs([_job(package) for package in packages])
        shares = _shares(packages, self._workers)
        with ThreadPoolExecutor(len(shares), thread_name_prefix="level-index") as pool:
            try:
                answers = list(pool.map(self._ask_worker, shares))
            except BaseException:
                # An interrupt ends the workers too: the pool waits for its threads.
                self._cancel.set()
                raise
        self._stop_if_cancelled()
        return [one for answer in answers for one in answer]

    def _ask_worker(self, jobs: list[Job]) -> list[PackageFacts]:
        """Have one worker process read its share; when it fails, this process reads it."""
        with tempfile.TemporaryFile() as request:
            # A file rather than a pipe: a worker that starts slowly must not leave half of its jobs unsent.
            request.write(msgspec.msgpack.encode(jobs))
            request.seek(0)
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", "schedtui.toolchain.level_worker"],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (_PACKAGE_PLACE, _python_path())))},
                stdin=request,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # A key that interrupts the terminal's programs is for the caller to answer, not for its workers.
                start_new_session=True,
            )
        while True:
            try:
                answer, _ = child.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                if self._cancel.is_set():
                    child.kill()
        if self._cancel.is_set():
            return []
        if child.returncode != 0:
            return read_jobs(jobs)
        return msgspec.msgpack.decode(answer, type=list[PackageFacts])

    def _stop_if_cancelled(self) -> None:
        if self._cancel.is_set():
            raise IndexCancelled("The level index was not finished", where=str(self._checkout.root))

    def _stored(self, name: str, kind: type[_T]) -> _T | None:
        """One part of the cache; None when it is not there or not readable as what it should be."""
        try:
            return msgspec.msgpack.decode((self._directory / f"{name}.msgpack").read_bytes(), type=kind)
        except (OSError, msgspec.MsgspecError):
            return None

    def _keep(self, name: str, value: object) -> None:
        """Write one part of the cache whole or not at all; a cache that cannot be written is done without."""
        try:
            private_directory(self._directory.parent)
            private_directory(self._directory)
            with tempfile.NamedTemporaryFile(dir=self._directory, prefix=f"{name}-", delete=False) as file:
                file.write(msgspec.msgpack.encode(value))
            Path(file.name).replace(self._directory / f"{name}.msgpack")
        except (OSError, UnreadableInput):
            # A full disk or a read-only home: the next start builds the index again.
            return
