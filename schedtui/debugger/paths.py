"""File names as the binary spells them, and as they lie on this machine.

Owns the substitution of paths: the user's rules, and what can be found out (``-trimpath``, a build in a container,
a tree that has been moved). dlv's own rules only change what it prints, not what its API answers.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.debugger.breakpoints import SourceTree


class PathMap:
    """Maps both ways.

    Args:
        rules: (from, to) pairs: how the binary spells a directory, and where it lies here.
        source: The source tree, asked for files that are not where the binary says; None without one.
    """

    def __init__(self, rules: tuple[tuple[str, str], ...], source: SourceTree | None) -> None:
        self._rules = tuple((_directory(origin), _directory(here)) for origin, here in rules)
        self._source = source
        self._known: dict[str, str] = {}
        self._spelled: dict[str, str] = {}

    def here(self, file: str) -> str:
        """Where a file of the binary lies on this machine; as it is when that cannot be told."""
        if not file or file in self._known:
            return self._known.get(file, file)
        found = self._by_rules(file) or self._by_source(file) or file
        self._known[file] = found
        if found != file:
            self._spelled[found] = file
        return found

    def _by_rules(self, file: str) -> str:
        for origin, here in self._rules:
            if origin == "" and not file.startswith("/"):
                return f"{here}/{file}"
            if origin and (file == origin or file.startswith(origin + "/")):
                return here + file[len(origin) :]
        return ""

    def _by_source(self, file: str) -> str:
        if self._source is None or Path(file).is_file():
            return ""
        path = self._source.file_path(file)
        return str(path) if path else ""

    def in_tree(self, file: str) -> bool:
        """True for a file of the source tree itself: neither vendored nor outside of it."""
        if self._source is None:
            return False
        root = f"{self._source.root}/"
        return file.startswith(root) and not file.startswith((f"{root}vendor/", f"{root}staging/"))

    def spelled(self, file: str) -> str:
        """How the binary spells a file of this machine: what was mapped before, else by the rules backwards."""
        if file in self._spelled:
            return self._spelled[file]
        for origin, here in self._rules:
            if here and file.startswith(here + "/"):
                rest = file[len(here) :]
                return origin + rest if origin else rest.lstrip("/")
        return file


def _directory(path: str) -> str:
    return path.rstrip("/") if len(path) > 1 else path.replace("/", "")
