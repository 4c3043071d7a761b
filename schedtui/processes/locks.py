"""One at a time across processes: an advisory lock on a file.

Owns waiting for another schedtui that builds the same thing. The lock belongs to the open file, so it ends with
the process that holds it, however that ends; the file itself stays.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from typing import TYPE_CHECKING

from schedtui.core.errors import UnreadableInput

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from pathlib import Path

RETRY_SECONDS = 0.2
"""How often a lock that somebody else holds is tried again."""


@contextlib.contextmanager
def exclusive(
    path: Path, *, waiting: Callable[[], None] | None = None, cancel: threading.Event | None = None
) -> Iterator[bool]:
    """Hold ``path`` for the length of a block.

    Args:
        path: The lock file; made when missing, its directory must be there.
        waiting: Called at each try while somebody else holds it.
        cancel: Stops the waiting; the block then gets ``False`` and holds nothing.

    Raises:
        UnreadableInput: The file cannot be made: a read-only cache, a full disk.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UnreadableInput(
            f"Cannot write the lock file ({error.strerror})",
            where=str(path),
            hint="Free the path or set SCHEDTUI_STATE and SCHEDTUI_CACHE to a writable place.",
        ) from error
    try:
        held = try_lock(descriptor)
        while not held and not (cancel and cancel.is_set()):
            if waiting:
                waiting()
            time.sleep(RETRY_SECONDS)
            held = try_lock(descriptor)
        yield held
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file if nobody has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
