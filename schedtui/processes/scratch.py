"""Directories that are ours for a while: none is left behind, whatever ends schedtui.

Owns making and removing them together with the guard, which does it should schedtui be killed. What is put into
them, and what becomes of it, is the caller's.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.processes import guard

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def scratch_directory(parent: Path | None = None, prefix: str = "schedtui-") -> Iterator[Path]:
    """A private directory that goes with all in it at the end of the block, or when schedtui is killed.

    Args:
        parent: Where it is made; None: the system's place for temporary files.
        prefix: What its name begins with.
    """
    place = (parent or Path(tempfile.gettempdir())).absolute() / f"{prefix}{secrets.token_hex(6)}"
    # The guard knows of it before it is there: at no moment can it be left behind.
    guard.remove_with_us(str(place))
    try:
        place.mkdir(mode=0o700)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        if not place.exists():
            guard.keep_file(str(place))


@contextlib.contextmanager
def room_for(result: Path) -> Iterator[None]:
    """The directory of a file that is to come, with what is missing above it; none is left where none came."""
    made = make_directories(result.absolute().parent)
    try:
        yield
    finally:
        drop_empty(made)


def make_directories(directory: Path, mode: int = 0o777) -> list[Path]:
    """Make a directory and what is missing above it; give what was made, outer ones first, to ``drop_empty``.

    Should schedtui be killed before that, those that are still empty go.
    """
    made: list[Path] = []
    for place in reversed([place for place in (directory, *directory.parents) if not place.exists()]):
        guard.remove_empty_with_us(str(place))
        made.append(place)
        try:
            place.mkdir(mode=mode, exist_ok=True)
        except OSError:
            drop_empty(made)
            raise
    return made


def drop_empty(made: Sequence[Path]) -> None:
    """Remove those of some directories that nothing came into; the others are here to stay."""
    for place in reversed(made):
        with contextlib.suppress(OSError):
            place.rmdir()
        guard.keep_file(str(place))
