"""Which Go files a component is built from: the import graph of a checkout, walked without Go.

Owns following imports from a main package through staging, vendor and the module cache, and telling cheaply which
files have changed since an earlier walk. It parses nothing beyond import lines; files of Go's own library are left
out.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from typing import TYPE_CHECKING

import msgspec

from schedtui.core.go_source.build_constraints import belongs_to_build
from schedtui.core.go_source.extract import is_relevant
from schedtui.core.go_source.imports import imports_of
from schedtui.toolchain.checkout import COMMAND_PACKAGE, go_files
from schedtui.toolchain.go_modules import KUBERNETES_MODULE, module_cache_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from schedtui.toolchain.checkout import Checkout

_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
"""What ``platform.machine()`` says → GOARCH."""

_MAIN_PACKAGE = re.compile(rb"^package main\b", re.MULTILINE)


class FileStamp(msgspec.Struct, frozen=True, array_like=True):
    """One Go file as it was when it was read."""

    name: str
    """Its name in the package's directory."""
    size: int
    """Bytes."""
    modified_ns: int
    """Time of its last change, nanoseconds."""
    in_build: bool
    """Whether it belongs to a build for this machine."""
    relevant: bool
    """Whether it may log, or hand on what logs."""
    imports: tuple[str, ...]
    """Import paths outside Go's own library."""


class PackageStamp(msgspec.Struct, frozen=True, array_like=True):
    """One package as it was when it was read."""

    import_path: str
    """Its import path."""
    directory: str
    """Where its files lie; empty when it is not on disk."""
    fixed: bool
    """Whether the directory is one of the module cache, whose files never change."""
    files: tuple[FileStamp, ...]
    """Its Go files, tests left out."""

    @property
    def relevant_files(self) -> list[str]:
        """Names of the files that are worth parsing."""
        return [file.name for file in self.files if file.in_build and file.relevant]


def main_packages(checkout: Checkout, component: str) -> list[str]:
    """The packages whose imports make up a component.

    Args:
        checkout: The source tree.
        component: The name below ``cmd`` (``kube-scheduler``). In a module of the user's own its main packages
            that start a scheduler come first, the component's second.
    """
    packages = [f"{KUBERNETES_MODULE}/cmd/{component}"]
    if checkout.layout == "out-of-tree" and packages[0] == COMMAND_PACKAGE:
        mains = [directory for directory in checkout.own_package_dirs().values() if _is_main(directory)]
        own = [
            checkout.import_path_of(directory / "main.go") for directory in mains if _starts_scheduler(directory)
        ]
        return [*(path for path in own if path), *packages]
    return packages


def _is_main(directory: Path) -> bool:
    return any(_MAIN_PACKAGE.search(path.read_bytes()[:20_000]) for path in go_files(directory)[:3])


def _starts_scheduler(directory: Path) -> bool:
    """Whether a main package starts a scheduler itself: a module may hold other programs beside it."""
    imported = {path for file in go_files(directory) for _, path in imports_of(file.read_bytes())}
    return any(path.startswith(COMMAND_PACKAGE) for path in imported)


def walk_imports(
    checkout: Checkout,
    mains: Iterable[str],
    known: dict[str, PackageStamp],
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, PackageStamp]:
    """Every package that the mains import, directly or not.

    Args:
        checkout: The source tree.
        mains: Import paths to start from.
        known: Packages of an earlier walk: files that did not change are not read again.
        cancelled: Asked now and then; True ends the walk early.
    """
    cache = os.path.realpath(module_cache_directory()) + os.sep
    found: dict[str, PackageStamp] = {}
    waiting = list(mains)
    while waiting and not cancelled():
        import_path = waiting.pop()
        if import_path in found:
            continue
        directory = checkout.modules.package_directory(import_path)
        package = _read_package(import_path, directory, known.get(import_path), cache)
        found[import_path] = package
        for file in package.files:
            if file.in_build:
                waiting.extend(path for path in file.imports if path not in found)
    return found


def _read_package(
    import_path: str, directory: Path | None, known: PackageStamp | None, cache: str
) -> PackageStamp:
    if directory is None:
        return PackageStamp(import_path, "", fixed=False, files=())
    fixed = os.path.realpath(directory).startswith(cache)
    if known is not None and known.directory == str(directory) and fixed and known.fixed:
        return known
    earlier = {file.name: file for file in known.files} if known is not None else {}
    files = []
    for path in go_files(directory):
        try:
            status = path.stat()
            file = earlier.get(path.name)
            if file is None or (file.size, file.modified_ns) != (status.st_size, status.st_mtime_ns):
                file = _read_file(path, status)
        except OSError:
            # Removed between the listing and now, or not readable: no such file for this index.
            continue
        files.append(file)
    stamp = PackageStamp(import_path, str(directory), fixed, tuple(files))
    return known if known == stamp and known is not None else stamp


def _read_file(path: Path, status: os.stat_result) -> FileStamp:
    text = path.read_bytes()
    imports = tuple(sorted({imported for _, imported in imports_of(text) if "." in imported.partition("/")[0]}))
    return FileStamp(
        name=path.name,
        size=status.st_size,
        modified_ns=status.st_mtime_ns,
        in_build=belongs_to_build(path.name, text, go_system(), go_machine()),
        relevant=is_relevant(text),
        imports=imports,
    )


def go_system() -> str:
    """This machine's GOOS."""
    return "darwin" if sys.platform == "darwin" else "windows" if sys.platform == "win32" else "linux"


def go_machine() -> str:
    """This machine's GOARCH."""
    machine = platform.machine().lower()
    return _MACHINES.get(machine, machine)
