"""What can be read only once, kept where it can be read anywhere: standard input and unpacked archives.

Owns the private, unnamed file behind each and the thread that fills it. Indexing is ``log_input``'s.
"""

from __future__ import annotations

import gzip
import os
import threading
import zlib
from typing import TYPE_CHECKING

from schedtui.sources.log_file import LogFile

if TYPE_CHECKING:
    from collections.abc import Callable

STANDARD_INPUT = "-"
"""The name of standard input."""


class Spool:
    """Copies standard input, or an unpacked archive, into a private file, on a thread of its own."""

    def __init__(self, path: str, wake: Callable[[], None]) -> None:
        self.path = path
        self.file, self._writer = LogFile.new_spool(path)
        self.finished = threading.Event()
        """The source has ended."""
        self.failure: str | None = None
        """Why it ended early, in words; None when it did not."""
        self._wake = wake
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"log-spool {path}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            if self.path == STANDARD_INPUT:
                self._copy_standard_input()
            else:
                with gzip.open(self.path, "rb") as archive:
                    self._copy(archive)
        except (OSError, EOFError, zlib.error) as error:
            self.failure = (
                f"{self.path}: {error.strerror if isinstance(error, OSError) and error.strerror else error}"
            )
        finally:
            self.finished.set()
            self._wake()

    def _copy(self, archive: gzip.GzipFile) -> None:
        while not self._stop.is_set():
            data = archive.read1(1 << 20)
            if not data:
                return
            _write_all(self._writer, data)
            self._wake()

    def _copy_standard_input(self) -> None:
        while not self._stop.is_set():
            data = os.read(0, 1 << 20)
            if not data:
                return
            _write_all(self._writer, data)
            self._wake()

    def close(self) -> None:
        """Ask the thread to end; one that waits for standard input ends with the process."""
        self._stop.set()
        if self.path != STANDARD_INPUT:
            self._thread.join(timeout=5)
        if not self._thread.is_alive():
            os.close(self._writer)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
