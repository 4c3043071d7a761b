"""One generation of one log file: an open descriptor that is read by offset.

Owns the descriptor, the fingerprints that tell whether the bytes under an offset are still those that were read,
and the private spool that standard input and archives are written to. Noticing that a file changed is
``sources.tail``'s business; what the bytes mean is ``core.log_index``'s.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import UnreadableInput

if TYPE_CHECKING:
    from typing import BinaryIO

HEAD_BYTES = 256
"""How much of a file's beginning is remembered to recognise it."""

FINGERPRINT_BYTES = 128
"""How much in front of the read position is remembered to notice that a file was rewritten."""

RECENT_BYTES = 1 << 16
"""How much of the last read is kept to fingerprint it: its end may be a record that is still being written."""

LOST_TEXT = b"(this text is gone: the file was truncated and no copy of it was found)\n"
"""What stands for records whose bytes no longer exist anywhere."""


class LogFile:
    """An open log file; reads never move a file position, so that any thread may read."""

    def __init__(self, path: str, descriptor: int, *, spool: bool = False) -> None:
        """Take over a descriptor.

        Args:
            path: How the user names the file; ``-`` for standard input.
            descriptor: Open for reading; closed by ``close``.
            spool: The bytes are a private copy that the reader writes itself: it never shrinks or moves.
        """
        self.path = path
        self.spool = spool
        self.lost = False
        """The bytes that were read are gone: the file was truncated."""
        self.year_proven = False
        """The years that its records were given are those that its first line prints, not guessed ones."""
        self._descriptor = descriptor
        self._head = b"" if spool else os.pread(descriptor, HEAD_BYTES, 0)
        self._before = b""
        self._before_offset = 0
        self._read_first: tuple[int, bytes] = (0, b"")
        self._read_last: tuple[int, bytes] = (0, b"")
        """Where the block that was read last begins and ends, for fingerprints of what was read."""
        status = os.fstat(descriptor)
        self.identity = (status.st_dev, status.st_ino)
        """Device and inode."""

    @classmethod
    def open(cls, path: str) -> LogFile:
        """Open a file by name.

        Raises:
            UnreadableInput: It cannot be opened, or is no file.
        """
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise UnreadableInput(
                f"cannot be read ({error.strerror})", where=path, hint="Check the name and its permissions."
            ) from error
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            os.close(descriptor)
            if stat.S_ISDIR(mode):
                raise UnreadableInput("is a directory, not a log", where=path, hint="Name the files in it.")
            raise UnreadableInput(
                "is no regular file",
                where=path,
                hint="Pipe it in instead: 'schedtui --log -' reads standard input.",
            )
        return cls(path, descriptor)

    @classmethod
    def new_spool(cls, path: str) -> tuple[LogFile, int]:
        """A private file without a name, and a second descriptor to write to it."""
        writer, name = tempfile.mkstemp(prefix="schedtui-spool-")
        try:
            reader = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        finally:
            Path(name).unlink()
        return cls(path, reader, spool=True), writer

    def duplicate(self) -> BinaryIO:
        """The same open file once more, for who reads it in processes of its own; closed by the caller."""
        return os.fdopen(os.dup(self._descriptor), "rb")

    def size(self) -> int:
        """Its length in bytes at this moment."""
        return os.fstat(self._descriptor).st_size

    def modified(self) -> float:
        """When it was last written, in seconds since 1970."""
        return os.fstat(self._descriptor).st_mtime

    def read(self, offset: int, size: int) -> bytes:
        """At most ``size`` bytes at an offset; fewer at the end of the file."""
        if self.lost:
            return LOST_TEXT[:size]
        return os.pread(self._descriptor, size, offset)

    def read_into(self, block: bytearray, offset: int, size: int) -> int:
        """Fill the beginning of ``block`` with bytes at an offset; how many there were."""
        if self.lost:
            return 0
        done = 0
        view = memoryview(block)
        while done < size:
            got = os.preadv(self._descriptor, [view[done:size]], offset + done)
            if not got:
                break
            done += got
        kept = max(0, done - RECENT_BYTES)
        self._read_first = (offset, bytes(view[: min(done, HEAD_BYTES)]))
        self._read_last = (offset + kept, bytes(view[kept:done]))
        return done

    def remember(self, read_to: int) -> None:
        """Fingerprint what has been read, up to ``read_to``; the thread that calls ``read_into`` asks.

        The bytes are those that were read, not those that stand there now: a writer that truncates the file and
        writes past the old end in between would have its new text taken for the old one ever after.
        """
        if read_to == self._before_offset + len(self._before):
            return
        offset, first = self._read_first
        if offset <= len(self._head) < HEAD_BYTES:
            head = self._head[:offset] + first
            self._head = head[: min(HEAD_BYTES, read_to)] if len(head) > len(self._head) else self._head
        start = max(0, read_to - FINGERPRINT_BYTES)
        base, last = self._read_last
        inside = base <= start and read_to <= base + len(last)
        self._before = last[start - base : read_to - base] if inside else self.read(start, read_to - start)
        self._before_offset = start

    def is_unchanged(self) -> bool:
        """What has been read still stands where it stood."""
        return self._holds_what_was_read(self._descriptor)

    def still_holds(self) -> bool:
        """What was just read is this file's text; asked after reading, so that no truncation slips in between."""
        return self.spool or self.lost or self.is_unchanged()

    def begins_as_read(self) -> bool:
        """Its beginning is what it was: what is read at an offset is no other text. Any thread may ask.

        False between a truncation and the moment at which a copy takes the file's place.
        """
        head = self._head
        return self.spool or self.lost or os.pread(self._descriptor, len(head), 0) == head

    def _holds_what_was_read(self, descriptor: int) -> bool:
        head = os.pread(descriptor, len(self._head), 0)
        return head == self._head and os.pread(descriptor, len(self._before), self._before_offset) == self._before

    def adopt_copy(self) -> bool:
        """Read on from a copy of the truncated file beside it (``k.log.1``), when there is one.

        Returns:
            True when a copy was found; else the file's text is lost.
        """
        here = Path(self.path)
        with contextlib.suppress(OSError):
            for candidate in sorted(here.parent.iterdir(), key=lambda path: path.name):
                if not candidate.name.startswith((f"{here.name}.", f"{here.name}-")):
                    continue
                if self._adopt(candidate):
                    return True
        self.lost = True
        return False

    def _adopt(self, candidate: Path) -> bool:
        try:
            descriptor = os.open(candidate, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return False
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and self._holds_what_was_read(descriptor):
            # The number stays the same for readers in other threads.
            os.dup2(descriptor, self._descriptor, inheritable=False)
            os.close(descriptor)
            return True
        os.close(descriptor)
        return False

    def close(self) -> None:
        """Give the descriptor back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
