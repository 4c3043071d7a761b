"""A scheduler of the user's own in the lab.

Owns building it from a checkout or an out-of-tree module, and the choice of the release that serves it. How it is
built is the tool chain's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.errors import LabFailed
from schedtui.lab.module import CONTROL_PLANE_RELEASE, known_releases
from schedtui.toolchain.build import ensure_scheduler
from schedtui.toolchain.build_plan import BuildRequest
from schedtui.toolchain.checkout import open_checkout

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from pathlib import Path

    from schedtui.toolchain.checkout import Checkout
    from schedtui.toolchain.go_build import BuildProgress


@dataclass(frozen=True, slots=True)
class OwnScheduler:
    """What was built, and what may serve it."""

    binary: Path
    source: Path
    release: str
    """``v1.36.3``: what the tree is, or the newest patch of its minor release."""


def build_own_scheduler(
    source: Path, progress: Callable[[BuildProgress], None], cancel: threading.Event, *, package: str = ""
) -> OwnScheduler:
    """Build a debuggable scheduler from a tree.

    Args:
        source: The tree.
        progress: Told how far the build is.
        cancel: Stops it.
        package: The main package of an out-of-tree module; empty: the one that imports the scheduler's app.

    Raises:
        NotASourceTree: ``source`` is none.
        LabFailed: Nothing tells which release it is.
        BuildFailed: It does not compile.
        Cancelled: ``cancel`` was set.
    """
    checkout = open_checkout(source)
    release = _release_of(checkout)
    result = ensure_scheduler(BuildRequest(checkout, package=package), progress, cancel)
    return OwnScheduler(result.binary, checkout.root, release)


def _release_of(checkout: Checkout) -> str:
    version = checkout.release.version or ""
    match = re.match(r"v1\.(\d+)(?:\.(\d+))?", version)
    if match is None:
        raise LabFailed(
            "the tree's release is not known",
            where=checkout.release.describe(),
            hint="Fetch its tags (git fetch --tags), so that the API server can be chosen.",
        )
    if match[2] is not None:
        return match[0]
    minor = f"v1.{match[1]}."
    if CONTROL_PLANE_RELEASE.startswith(minor):
        return CONTROL_PLANE_RELEASE
    patches = [release for release in known_releases() if release.startswith(minor)]
    if not patches:
        raise LabFailed(f"the module proxy has no release of v1.{match[1]} yet", where=str(checkout.root))
    return patches[-1]
