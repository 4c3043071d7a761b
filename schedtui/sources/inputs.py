"""Logs for the headless commands: files, archives and standard input as one run of records.

Owns opening and reading (``unpacking`` knows archives; ``-`` is standard input), finding each file's year and
time span from samples, merging several inputs by time, and dropping what two of them share (a file named twice,
klog's INFO/WARNING/ERROR twins). Memory stays flat in the inputs' length. Refuses to follow growing files
(``tail``), to index (``core.log_index``) and to filter.
"""

from __future__ import annotations

import gzip
import heapq
import os
import select
import stat
import sys
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from schedtui.core.errors import UnreadableInput, WrongUse
from schedtui.sources.twins import Twins
from schedtui.sources.unpacking import CHUNK_BYTES, SIGN_BYTES, is_packed, read_some, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from schedtui.core.klog import Clock
    from schedtui.core.log_filter import LogSpan
    from schedtui.core.record import Record

STANDARD_INPUT = "-"
"""The name of standard input."""

HEAD_BYTES = 256 * 1024
"""How much of a beginning is looked at to find the year."""

PROBES = 64
"""Places spread over a file at which a few lines are read, so that every New Year in it is seen."""

PROBE_BYTES = 16 * 1024
"""How much is read at each of these places."""

TAIL_BYTES = 256 * 1024
"""How much of an end is read to find the last time."""

IDLE_SECONDS = 1.0
"""Silence of a live input after which its last record is taken as whole."""

TWINS_REMEMBERED = 200_000
"""Records of the merge that are remembered to find the same one in another input."""

PARTLY_READ = "What could be read of it has been used."
"""Said of an archive that is damaged somewhere."""


@dataclass(frozen=True, slots=True)
class LogInput:
    """One input that has been checked: it can be opened."""

    name: str
    """As the user named it."""
    modified: datetime | None
    """When the file was last written, UTC; None for standard input."""
    size: int | None
    """Bytes of a plain file; None when it cannot be known or read at random (archives, pipes)."""
    compressed: bool = False
    """It is not read as it stands: gzip, UTF-16."""

    @property
    def once(self) -> bool:
        """Whether its bytes come a single time: standard input, a named pipe, what a shell puts for ``<(…)``."""
        return self.modified is None


def resolve_inputs(names: Sequence[str]) -> list[LogInput]:
    """Check the named inputs; a file that is named twice (by whatever path) comes once.

    Raises:
        UnreadableInput: One of them cannot be read.
        WrongUse: Standard input is named twice, or nothing is named.
    """
    if not names:
        raise WrongUse("no log named", hint="Name a file, several, or '-' for standard input.")
    if list(names).count(STANDARD_INPUT) > 1:
        raise WrongUse("standard input can be read only once", where=STANDARD_INPUT)
    inputs: list[LogInput] = []
    seen: set[tuple[int, int]] = set()
    for name in names:
        if name == STANDARD_INPUT:
            inputs.append(LogInput(name, None, None))
            continue
        with explained(name):
            path = Path(name)
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                raise UnreadableInput("is a directory, not a log", where=name, hint="Name the files in it.")
            identity = (status.st_dev, status.st_ino)
            if identity in seen:
                continue
            seen.add(identity)
            inputs.append(_file_input(name, path, status))
    return inputs


def _file_input(name: str, path: Path, status: os.stat_result) -> LogInput:
    modified = datetime.fromtimestamp(status.st_mtime, UTC).replace(tzinfo=None)
    if not stat.S_ISREG(status.st_mode):
        return LogInput(name, None, None)
    with path.open("rb") as file:
        compressed = is_packed(file.read(SIGN_BYTES))
    return LogInput(name, modified, None if compressed else status.st_size, compressed)


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn the system's errors into the user's words."""
    try:
        yield
    except FileNotFoundError:
        raise UnreadableInput("no such file", where=name, hint="Check the path.") from None
    except PermissionError:
        raise UnreadableInput("no permission to read", where=name, hint=f"Try: ls -l {name}") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableInput(
            "is no whole gzip archive", where=name, details=(str(error),), hint=PARTLY_READ
        ) from None
    except EOFError:
        raise UnreadableInput("the archive is cut short", where=name, hint=PARTLY_READ) from None
    except OSError as error:
        hint = "Name a file, or pipe the log into '-'."
        raise UnreadableInput(error.strerror or "cannot be read", where=name, hint=hint) from None
    except ValueError as error:
        raise UnreadableInput("is no file's name", where=repr(name), details=(str(error),)) from None


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise UnreadableInput("standard input is closed", where=STANDARD_INPUT, hint="Pipe a log into it.")
    return sys.stdin.buffer


class Spooled:
    """An input whose bytes come once, kept in an unnamed temporary file for what must be read twice."""

    def __init__(self, log: LogInput) -> None:
        import tempfile

        self.file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - lives as long as this object
        for chunk in read_chunks(log):
            self.file.write(chunk)
        self.file.flush()

    def chunks(self) -> Iterator[bytes]:
        """Its bytes from the beginning."""
        self.file.seek(0)
        while chunk := self.file.read(CHUNK_BYTES):
            yield chunk


def read_chunks(log: LogInput) -> Iterator[bytes]:
    """An input's bytes, unpacked, in chunks as they come.

    Raises:
        UnreadableInput: It cannot be read (to its end).
    """
    with explained(log.name):
        if log.name == STANDARD_INPUT:
            yield from unpacked(_standard_input())
            return
        with Path(log.name).open("rb") as file:
            if log.size:
                yield from _as_it_was(file, log.size)
            else:
                yield from unpacked(file)


def _as_it_was(file: BinaryIO, size: int) -> Iterator[bytes]:
    """A plain file up to the size it had: one that grows faster than it is read would never end."""
    while size > 0 and (chunk := file.read(min(CHUNK_BYTES, size))):
        yield chunk
        size -= len(chunk)
    if size > 0:
        raise UnreadableInput("became shorter while it was read", where=file.name, hint=PARTLY_READ)


def until_fault(pieces: Iterator[bytes], faults: list[UnreadableInput]) -> Iterator[bytes]:
    """An input's bytes up to where it turns out to be damaged; nothing readable at all is an error at once.

    Args:
        pieces: The bytes as they come.
        faults: Takes the error, for whoever has used up the bytes in front of it.

    Raises:
        UnreadableInput: Before the first byte.
    """
    begun = False
    try:
        for piece in pieces:
            begun = begun or bool(piece)
            yield piece
    except UnreadableInput as fault:
        if begun:
            faults.append(fault)
            return
        hint = "Fetch or pack it again." if fault.hint == PARTLY_READ else fault.hint
        raise UnreadableInput(fault.title, where=fault.where, hint=hint, details=fault.details) from None


def live_chunks(idle: Callable[[], None]) -> Iterator[bytes]:
    """Standard input as it comes; an empty chunk when nothing came for ``IDLE_SECONDS``.

    Args:
        idle: Called before every wait, for a reader that buffers its own output.
    """
    with explained(STANDARD_INPUT):
        file = _standard_input()
        idle()
        first = read_some(file)
        if is_packed(first):
            yield from unpacked(file, first)
            return
        while first:
            yield first
            idle()
            if not _has_more(file):
                yield b""
                idle()
            first = read_some(file)


def _has_more(file: BinaryIO) -> bool:
    """Whether something (or the end) can be read within ``IDLE_SECONDS``; true for what cannot be asked."""
    try:
        return bool(select.select([file.fileno()], [], [], IDLE_SECONDS)[0])
    except (OSError, ValueError):
        return True


def _sample(log: LogInput, head: bytes) -> list[bytes]:
    """Lines of a file's beginning, of places spread over it, and of its end."""
    lines = head.split(b"\n")[:-1] if len(head) >= HEAD_BYTES else head.split(b"\n")
    if log.size is None or log.size <= HEAD_BYTES:
        return lines
    with explained(log.name), Path(log.name).open("rb") as file:
        step = max((log.size - HEAD_BYTES - TAIL_BYTES) // PROBES, PROBE_BYTES)
        for offset in range(HEAD_BYTES, log.size - TAIL_BYTES, step):
            lines += os.pread(file.fileno(), PROBE_BYTES, offset).split(b"\n")[1:-1]
        lines += os.pread(file.fileno(), TAIL_BYTES, max(log.size - TAIL_BYTES, HEAD_BYTES)).split(b"\n")[1:]
    return lines


def clock_of(log: LogInput, head: bytes, now: datetime | None = None) -> Clock:
    """A clock for an input, from a sample of its lines and the time it was last written."""
    # The parser is loaded by what needs it: counting bindings does not.
    from schedtui.core.klog import clock_for, peel

    latest = log.modified or now or datetime.now(UTC).replace(tzinfo=None)
    return clock_for((peel(line).body for line in _sample(log, head)), latest)


def span_of(log: LogInput, chunks: Callable[[], Iterator[bytes]] | None = None) -> LogSpan:
    """The first and the last time of an input; a plain file is read at both ends only.

    Args:
        log: The input; standard input needs ``chunks``.
        chunks: Where to read the bytes from, when not from the input itself.
    """
    from schedtui.core.klog import read_records
    from schedtui.core.log_filter import LogSpan

    head, tail = b"", b""
    if log.size is not None and chunks is None:
        with explained(log.name), Path(log.name).open("rb") as file:
            head = os.pread(file.fileno(), HEAD_BYTES, 0)
            clock = clock_of(log, head)
            sample = b"\n".join(_sample(log, head))
    else:
        # A fault in the middle is told by whoever reads the input for its records.
        for chunk in until_fault(chunks() if chunks is not None else read_chunks(log), []):
            if len(head) < HEAD_BYTES:
                head += chunk
            tail = (tail + chunk)[-TAIL_BYTES:]
        clock = clock_of(log, head)
        sample = head + b"\n" + tail.partition(b"\n")[2]
    times = [record.time_us for record in read_records(sample, clock=clock) if record.time_us is not None]
    return LogSpan(times[0], max(times[-64:])) if times else LogSpan()


def span_of_all(spans: Iterable[LogSpan]) -> LogSpan:
    """From the first of several inputs' beginnings to the last of their ends."""
    from schedtui.core.log_filter import LogSpan

    spans = list(spans)
    first = [span.first_us for span in spans if span.first_us is not None]
    last = [span.last_us for span in spans if span.last_us is not None]
    return LogSpan(min(first, default=None), max(last, default=None))


def read_input(
    log: LogInput,
    source: int = 0,
    *,
    wanted: Callable[[bytes], bool] | None = None,
    chunks: Callable[[], Iterator[bytes]] | None = None,
) -> Iterator[Record]:
    """One input's records in the order of the file.

    Args:
        log: The input.
        source: Its number, as it stands in the records.
        wanted: A necessary condition on a record's bytes (``RecordReader``); not when records are merged.
        chunks: Where to read the bytes from, when not from the input itself.
    """
    from schedtui.core.klog import RecordReader

    faults: list[UnreadableInput] = []
    pieces = until_fault(chunks() if chunks is not None else read_chunks(log), faults)
    first = next(pieces, b"")
    head = first
    waiting = [first]
    while log.name != STANDARD_INPUT and len(head) < HEAD_BYTES and (piece := next(pieces, b"")):
        waiting.append(piece)
        head += piece
    reader = RecordReader(source, clock_of(log, head[:HEAD_BYTES]), wanted=wanted)
    for piece in waiting:
        yield from reader.feed(piece)
    for piece in pieces:
        # An empty piece means that a live input is silent.
        yield from reader.feed(piece) if piece else reader.settle()
    yield from reader.finish()
    for fault in faults:
        raise fault


def merge_by_time(sources: Sequence[Iterator[Record]]) -> Iterator[Record]:
    """Several inputs as one: by time, each keeping its own order, what two of them share only once.

    A record without a time, or with one earlier than its file has already reached, stays behind the one above it.
    """
    twins = Twins(TWINS_REMEMBERED)
    for _, _, _, record in heapq.merge(*(_keyed(i, source) for i, source in enumerate(sources))):
        if twins.is_new(record.source, (record.time_us, hash(record.raw))):
            yield record


def _keyed(source: int, records: Iterator[Record]) -> Iterator[tuple[int, int, int, Record]]:
    reached = -(1 << 62)
    for number, record in enumerate(records):
        if record.time_us is not None and record.time_us > reached:
            reached = record.time_us
        yield reached, source, number, record


def read_inputs(names: Sequence[str]) -> Iterator[Record]:
    """All records of the named inputs: one in its own order, several merged by time.

    Raises:
        UnreadableInput: An input cannot be read; raised at once for what cannot be opened.
        WrongUse: Standard input is named twice, or nothing is named.
    """
    return read_resolved(resolve_inputs(names))


def read_resolved(inputs: Sequence[LogInput]) -> Iterator[Record]:
    """All records of inputs that have been checked already."""
    if len(inputs) == 1:
        return read_input(inputs[0])
    return merge_by_time([read_input(log, source) for source, log in enumerate(inputs)])
