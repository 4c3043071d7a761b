"""Go's own build cache, as far as the lab fills it.

Owns finding it and adding up its size. It never removes anything there: other projects live in it too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from schedtui.core.errors import SchedtuiError
from schedtui.toolchain.go import find_go, go_environment


@dataclass(frozen=True, slots=True)
class GoBuildCache:
    """Where it is and how big."""

    directory: Path
    bytes: int
    """On disk; 0 when there is none."""


def go_build_cache() -> GoBuildCache:
    """Look at the build cache; without a Go there is none to speak of."""
    try:
        directory = Path(go_environment(find_go(), "GOCACHE")["GOCACHE"])
    except SchedtuiError:
        return GoBuildCache(Path(), 0)
    return GoBuildCache(directory, _size(directory))


def _size(directory: Path) -> int:
    total = 0
    for place, _, files in os.walk(directory):
        for name in files:
            try:
                total += (Path(place) / name).lstat().st_blocks * 512
            except OSError:
                # Go trims its cache as it likes.
                continue
    return total
