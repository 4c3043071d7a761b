"""The real logs that tests read, unpacked."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"


@cache
def real_log(name: str) -> bytes:
    """A log of ``tests/data`` by its own name."""
    plain = DATA / name
    return plain.read_bytes() if plain.exists() else gzip.decompress((DATA / f"{name}.gz").read_bytes())
