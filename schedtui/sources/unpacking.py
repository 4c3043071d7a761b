"""Logs that are not read as they stand: gzip archives and UTF-16 text, told by their first bytes.

Owns turning such bytes into those of a log, as they come. Refuses to open files and to put errors into the user's
words (``inputs``), and to keep anything (``log_spool``). UTF-16 is what a Windows shell's ``>`` writes.
"""

from __future__ import annotations

import codecs
import gzip
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK_BYTES = 256 * 1024
"""How much is read at a time."""

GZIP_MAGIC = b"\x1f\x8b"
"""An archive's first bytes."""

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Byte order marks of UTF-16."""

SIGN_BYTES = 2
"""How many first bytes tell."""


class Readable(Protocol):
    """A file, or whatever reads like one."""

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes; none at the end."""


def is_packed(start: bytes) -> bool:
    """Whether a file that begins with these bytes cannot be read as it stands."""
    return start.startswith((GZIP_MAGIC, *UTF16_MARKS))


def unpacked(file: Readable, first: bytes | None = None) -> Iterator[bytes]:
    """A file's bytes as a log's, in chunks as they come.

    Args:
        file: Where to read.
        first: What has been read of it already; None for nothing.
    """
    first = read_some(file) if first is None else first
    if len(first) == 1 and any(sign.startswith(first) for sign in (GZIP_MAGIC, *UTF16_MARKS)):
        first += file.read(1)
    if first.startswith(GZIP_MAGIC):
        yield from _unzipped(first, file)
    elif first.startswith(UTF16_MARKS):
        yield from _recoded(first, file)
    else:
        while first:
            yield first
            first = read_some(file)


def _unzipped(first: bytes, file: Readable) -> Iterator[bytes]:
    # ``gzip`` wants a file: what has been read is put in front again.
    with gzip.GzipFile(fileobj=cast("BinaryIO", _Rejoined(first, file))) as archive:
        chunk = archive.read1(CHUNK_BYTES)
        if chunk.startswith(UTF16_MARKS):
            yield from _recoded(chunk, archive)
            return
        while chunk:
            yield chunk
            chunk = archive.read1(CHUNK_BYTES)


def _recoded(first: bytes, file: Readable) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while first:
        # A byte order mark alone, or half a character, gives nothing yet.
        if text := decoder.decode(first):
            yield text.encode("utf-8", "replace")
        first = read_some(file)
    if rest := decoder.decode(b"", final=True):
        yield rest.encode("utf-8", "replace")


def read_some(file: Readable) -> bytes:
    """What there is, without waiting for a whole chunk: a live pipe must not be held back."""
    read1 = getattr(file, "read1", None)
    return cast("bytes", read1(CHUNK_BYTES)) if read1 is not None else file.read(CHUNK_BYTES)


class _Rejoined:
    """A file whose first bytes have been read already."""

    def __init__(self, first: bytes, file: Readable) -> None:
        self._first = first
        self._file = file

    def read(self, size: int = -1) -> bytes:
        if self._first:
            if size < 0:
                size = len(self._first)
            part, self._first = self._first[:size], self._first[size:]
            return part
        return self._file.read(size)

    def close(self) -> None:
        """Whoever opened the file closes it."""
