"""A disk that is soon full: a small file system in memory, for tests that may mount one."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """Mount one at ``place``; the test is skipped where that is not allowed."""
    place.mkdir(mode=0o700)
    program = shutil.which("mount")
    if program is None or os.geteuid() != 0:
        pytest.skip("needs root, to mount a small file system")
    words = [program, "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "schedtui-test", str(place)]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs leave to mount a small file system, as containers often have not")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """Take all the room that is left; returns the file that takes it."""
    stuffing = place / "stuffing"
    with contextlib.suppress(OSError), stuffing.open("ab", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))
    return stuffing
