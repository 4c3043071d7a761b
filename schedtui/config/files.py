"""Private, whole-or-nothing writes.

Owns how schedtui's own files come to be: directories 0700, files 0600, each write seen whole or not at all. It
never writes into the user's configuration file, which is the user's alone.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from typing import TYPE_CHECKING

from schedtui.core.errors import UnreadableInput

if TYPE_CHECKING:
    from pathlib import Path

FULL_BYTES = 4 * 10**6
"""With less room than this a disk counts as full: file systems keep some blocks for themselves."""

DIRECTORY_MODE = 0o700
"""Only the owner may enter: logs and state name pods, servers and paths."""


def private_directory(path: Path) -> Path:
    """Make ``path`` (and its parents) if need be and see that only its owner can use it.

    Raises:
        UnreadableInput: It cannot be made, is no directory, belongs to somebody else, or is everybody's (closed,
            ``/tmp`` would be of no use to the others).
    """
    try:
        path.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        status = path.stat()
        if status.st_mode & stat.S_ISVTX or path == path.parent:
            raise UnreadableInput(
                "This directory is for all users",
                where=str(path),
                hint="Set SCHEDTUI_STATE and SCHEDTUI_CACHE to directories of your own.",
            )
        # A link that somebody else made leads where they want.
        if {status.st_uid, path.lstat().st_uid} != {os.geteuid()}:
            raise UnreadableInput(
                "This directory belongs to another user",
                where=str(path),
                hint="Set SCHEDTUI_STATE and SCHEDTUI_CACHE to directories of your own.",
            )
        if status.st_mode & 0o077:
            path.chmod(DIRECTORY_MODE)
    except OSError as error:
        raise UnreadableInput(
            f"Cannot make the directory ({error.strerror})",
            where=str(path),
            hint="Free the path or set SCHEDTUI_STATE and SCHEDTUI_CACHE to a writable place.",
        ) from error
    return path


def free_bytes(path: Path) -> int:
    """Room for a file below ``path``, which need not exist yet."""
    place = next(parent for parent in (path, *path.parents) if parent.exists())
    return shutil.disk_usage(place).free


def write_private(path: Path, content: bytes) -> None:
    """Replace ``path`` with ``content`` in one step; a reader sees the old file or the new one, never half.

    Raises:
        UnreadableInput: The directory or the file cannot be written.
    """
    directory = private_directory(path.parent)
    try:
        # mkstemp makes the file 0600 from the start: there is no moment in which others could open it.
        handle, temporary = tempfile.mkstemp(dir=directory, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, path)  # noqa: PTH105 - the temporary name is a plain string
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)  # noqa: PTH108
            raise
    except OSError as error:
        raise UnreadableInput(
            f"Cannot write the file ({error.strerror})", where=str(path), hint="Check free space and permissions."
        ) from error
