"""What lies below a directory while somebody else takes things away there, which ``Path.rglob`` does not stand."""

from __future__ import annotations

import os
from pathlib import Path


def below(root: Path) -> list[Path]:
    """Files and directories below, relative to it and sorted; what goes meanwhile may be among them or not."""
    found: list[Path] = []
    for place, directories, files in os.walk(root):
        found += [Path(place, name).relative_to(root) for name in (*directories, *files)]
    return sorted(found)
