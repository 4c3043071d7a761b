"""What ``dlv debug`` and ``dlv test`` need to build from a source tree by themselves: package, flags, environment.

Owns the choice of what of a build's plan is dlv's to be told: dlv brings its own ``-gcflags``. It runs nothing but
the ``go`` that is asked for an out-of-tree module's main package.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.toolchain.build import main_package
from schedtui.toolchain.build_plan import BuildRequest, check_buildable, plan_go_build
from schedtui.toolchain.go import GoVersion, find_go

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.toolchain.checkout import Checkout


@dataclass(frozen=True, slots=True)
class DlvBuild:
    """A build that dlv does."""

    package: str
    """What is built, as ``go`` names it."""
    flags: tuple[str, ...]
    """For ``--build-flags``: which go.mod, which version is stamped."""
    environment: tuple[tuple[str, str], ...]
    """Variables that differ from our own: the ``go`` that fits comes first on PATH."""


def plan_dlv_build(checkout: Checkout, scratch: Path, package: str = "") -> DlvBuild:
    """How dlv is to build from a tree.

    Args:
        checkout: The tree.
        scratch: A directory of the session's own, for go's temporary files and a completed copy of go.mod: no
            other build has to be waited for.
        package: What to build; empty: the scheduler.

    Raises:
        NotASourceTree: The tree cannot be built in place.
        BuildFailed: An out-of-tree module has no main that runs a scheduler, or several.
        ToolMissing: There is no Go that the tree's go.mod accepts.
    """
    check_buildable(checkout)
    go = find_go(GoVersion.parse(checkout.go_version or ""))
    # dlv adds its own "-gcflags all=-N -l"; what a build that leaves optimising alone is told is the rest.
    request = BuildRequest(checkout, "optimised", package=package)
    plan = plan_go_build(request, go, scratch / "unused", scratch, package or main_package(request, go))
    changed = tuple((name, value) for name, value in plan.environment.items() if os.environ.get(name) != value)
    return DlvBuild(plan.package, plan.flags, changed)
