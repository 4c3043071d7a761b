"""A checkout-shaped tree made of links into Go's module cache, for tests where no clone can be had.

The module directory of k8s.io/kubernetes has no staging modules, no vendor and no git. Linked entry by entry, with
each ``k8s.io/*`` module linked where staging would be, it builds ``./cmd/kube-scheduler`` like a checkout.
"""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LEFT_OUT = ("go.work", "go.work.sum", "vendor", "staging")
COPIED = ("go.mod", "go.sum")


def make_linked_tree(target: Path, module_directory: Path) -> Path:
    """Make the tree at ``target``, anew when there is one; returns ``target``.

    ``module_directory`` is ``…/k8s.io/kubernetes@vX``; its staging modules lie beside it.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for entry in module_directory.iterdir():
        if entry.name in COPIED:
            (target / entry.name).write_bytes(entry.read_bytes())
        elif entry.name not in LEFT_OUT:
            (target / entry.name).symlink_to(entry)
    staging = target / "staging" / "src" / "k8s.io"
    staging.mkdir(parents=True)
    published = "v0." + module_directory.name.partition("@")[2].split(".", 1)[1]
    go_mod = (module_directory / "go.mod").read_text()
    for name in sorted(set(re.findall(r"k8s\.io/([\w.-]+) => \./staging", go_mod))):
        module = module_directory.parent / f"{name}@{published}"
        if module.is_dir():
            (staging / name).symlink_to(module)
        else:
            (staging / name).mkdir()
            (staging / name / "go.mod").write_text(f"module k8s.io/{name}\n")
    return target
