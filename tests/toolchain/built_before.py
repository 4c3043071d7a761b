"""Builds of the linked tree that cost minutes: used where somebody has made them; else tests say how."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schedtui.config.directories import directories
from schedtui.toolchain.build import why_stale
from schedtui.toolchain.build_plan import BuildRequest
from schedtui.toolchain.checkout import open_checkout

if TYPE_CHECKING:
    from pathlib import Path


def built_whole(tree: Path) -> BuildRequest:
    """The build in which nothing is optimised."""
    return _there(BuildRequest(open_checkout(tree), "all"), f"schedtui build --all --src {tree}")


def built_trimmed(tree: Path) -> BuildRequest:
    """The build whose file names are import paths (``-trimpath``)."""
    output = (directories().cache / "tests").resolve() / "trimmed" / "kube-scheduler"
    command = f"GOFLAGS=-trimpath schedtui build --src {tree} --output {output}"
    return _there(BuildRequest(open_checkout(tree), output=output), command)


def _there(request: BuildRequest, command: str) -> BuildRequest:
    if why_stale(request):
        pytest.skip(f"not built here: {command}")
    return request
