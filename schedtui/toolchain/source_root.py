"""Where a source tree begins, and what a directory is that does not.

Owns the search for the root above and below a directory that was named, and the words for each wrong place (the
FAQ's first problem). What a tree holds is ``checkout``'s.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import NotASourceTree
from schedtui.toolchain.go_modules import KUBERNETES_MODULE, read_go_mod

if TYPE_CHECKING:
    from schedtui.toolchain.go_modules import GoMod


def absolute(path: Path) -> Path:
    """Absolute and without ``..``, links kept: the name that Go and Delve will see."""
    return Path(os.path.normpath(path.absolute()))


def find_root(path: Path) -> Path | None:
    """The source tree that ``path`` lies in (itself or a directory above it); None when there is none."""
    place = absolute(path)
    for directory in (place, *place.parents):
        go_mod = read_go_mod(directory)
        if go_mod is not None and (go_mod.module == KUBERNETES_MODULE or KUBERNETES_MODULE in go_mod.requires):
            return directory
    return None


def no_module(root: Path) -> NotASourceTree:
    """Why a directory without a go.mod of its own is no source tree."""
    if not root.exists():
        parent = next((place for place in root.parents if place.is_dir()), Path("/"))
        hint = f"{parent} exists. Get the source with:\n  schedtui source get v1.36.3 {root}"
        return NotASourceTree("There is no such directory", where=str(root), hint=hint)
    if not root.is_dir():
        return NotASourceTree(
            "This is a file, not a source tree", where=str(root), hint=_name_the_root(root.parent)
        )
    above = find_root(root)
    if above is not None:
        title = "This is a directory inside a source tree, not its root"
        return NotASourceTree(title, where=str(root), hint=f"Name the root: --src {above}")
    below = _root_below(root)
    if below is not None:
        title = "The source tree is below this directory"
        return NotASourceTree(title, where=str(root), hint=f"Name it: --src {below}")
    if not any(root.iterdir()):
        hint = f"Get the source with:\n  schedtui source get v1.36.3 {root}"
        return NotASourceTree("This directory is empty", where=str(root), hint=hint)
    if (root / "k8s.io").is_dir() and root.name == "mod":
        title = "This is Go's module cache as a whole"
        return NotASourceTree(title, where=str(root), hint="Name one version: --src …/k8s.io/kubernetes@vX.Y.Z")
    title = "There is no go.mod here, so this is no Go source tree"
    return NotASourceTree(title, where=str(root), hint=_name_the_root(root))


def other_module(root: Path, go_mod: GoMod) -> NotASourceTree:
    """Why a directory with a go.mod is no scheduler source."""
    above = find_root(root.parent)
    if above is not None:
        title = f"This is the module {go_mod.module} inside a source tree, not its root"
        return NotASourceTree(title, where=str(root), hint=f"Name the root: --src {above}")
    below = _root_below(root)
    title = f"This is the Go module {go_mod.module}, which does not require {KUBERNETES_MODULE}"
    hint = f"The tree below it can be named: --src {below}" if below else _name_the_root(root)
    return NotASourceTree(title, where=str(root), hint=hint)


def _name_the_root(directory: Path) -> str:
    found = find_root(directory)
    if found is not None:
        return f"Name the root: --src {found}"
    return (
        "Name the directory that holds Kubernetes' go.mod (its line 'module k8s.io/kubernetes'), or a module"
        " that requires it. Get one with: schedtui source get v1.36.3 DIR"
    )


def _root_below(root: Path) -> Path | None:
    """A tree at one of the places where people keep it below the directory they named."""
    names = ("kubernetes", "k8s.io/kubernetes", "src/k8s.io/kubernetes", "go/src/k8s.io/kubernetes")
    candidates = [root / name for name in names]
    try:
        candidates += [
            child for child in sorted(root.iterdir()) if child.is_dir() and child.name.startswith("kube")
        ]
        candidates += sorted((root / "k8s.io").glob("kubernetes@v*"))
    except OSError:
        pass
    for candidate in candidates:
        go_mod = read_go_mod(candidate)
        if go_mod is not None and go_mod.module == KUBERNETES_MODULE:
            return candidate
    return None
