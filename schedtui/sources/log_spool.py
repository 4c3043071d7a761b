"""What can be read only once, kept where it can be read anywhere: standard input, pipes, unpacked archives.

Owns the question whether an input is one of these, the private, unnamed file behind each and the thread that fills
it. Indexing is ``log_input``'s.
"""

from __future__ import annotations

import os
import stat
import threading
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.sources.inputs import STANDARD_INPUT
from schedtui.sources.log_file import LogFile
from schedtui.sources.unpacking import SIGN_BYTES, is_packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable


def is_spooled(path: str) -> bool:
    """Whether an input is read once, into a private file: all but plain files, and what is not there yet."""
    if path == STANDARD_INPUT or path.endswith(".gz"):
        return True
    try:
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode):
            return stat.S_ISFIFO(status.st_mode)
        with Path(path).open("rb") as file:
            return is_packed(file.read(SIGN_BYTES))
    except (OSError, ValueError):
        # The follower tells why it cannot be read, and waits for it.
        return False


class Spool:
    """Copies standard input, a pipe or an unpacked archive into a private file, on a thread of its own."""

    def __init__(self, path: str, wake: Callable[[], None]) -> None:
        self.path = path
        self.file, self._writer = LogFile.new_spool(path)
        self.finished = threading.Event()
        """The source has ended."""
        self.failure: str | None = None
        """Why it ended early, in words; None when it did not."""
        self._wake = wake
        self.is_live = path == STANDARD_INPUT or Path(path).is_fifo()
        """What comes is shown as it comes: it may never end."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"log-spool {path}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            # Without a buffer: what a live pipe has is there at once.
            with open(self._source(), "rb", buffering=0, closefd=self.path != STANDARD_INPUT) as source:
                for data in unpacked(source):
                    _write_all(self._writer, data)
                    self._wake()
                    if self._stop.is_set():
                        return
        except (OSError, EOFError, zlib.error) as error:
            self.failure = (
                f"{self.path}: {error.strerror if isinstance(error, OSError) and error.strerror else error}"
            )
        finally:
            self.finished.set()
            self._wake()

    def _source(self) -> str | int:
        return 0 if self.path == STANDARD_INPUT else self.path

    def close(self) -> None:
        """Ask the thread to end; one that waits for a pipe ends with the process."""
        self._stop.set()
        if not self.is_live:
            self._thread.join(timeout=5)
        if not self._thread.is_alive():
            os.close(self._writer)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
