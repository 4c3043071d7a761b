"""Following a log file through everything that happens to it.

Owns the question "what changed since I last looked": growth, rotation by rename, copy and truncate, removal for a
while, a symbolic link that moves, a file that does not exist yet. File events (the only use of watchfiles) merely
wake the follower early; a slow look at the file's status always goes on, for network file systems have no events.
It reads no text; the log's owner (``sources.log_store``) does.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from schedtui.core.errors import UnreadableInput
from schedtui.sources.log_file import LogFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

POLL_SECONDS = 0.5
"""How often the file's status is looked at when no event comes."""

LATE_WRITER_SECONDS = 10.0
"""How long a file that was renamed is still looked at: its writer may not have opened the new one yet."""

EVENT_STEP_MILLISECONDS = 20
"""How long events are gathered before the follower is woken."""

REASON_CHARACTERS = 40
"""How much of the system's own words on missing events is told."""

_LIMIT_SIGNS = ("watch limit reached", "Too many open files", "os error 24", "os error 28")
"""How watchfiles tells that ``fs.inotify.max_user_watches`` or ``max_user_instances`` is used up."""

Reason = Literal["first", "rotated", "truncated", "came back"]
"""Why a new generation of a file began."""


@dataclass(frozen=True, slots=True)
class Began:
    """A new generation of the file is there and is read from its beginning."""

    file: LogFile
    reason: Reason
    at: float
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Grew:
    """A generation is longer than what has been read of it."""

    file: LogFile
    size: int


@dataclass(frozen=True, slots=True)
class Vanished:
    """The name leads nowhere any more; what is open can still be read."""

    at: float


TailEvent = Began | Grew | Vanished
"""What a follower tells, in the order in which it happened."""


class FileFollower:
    """Follows one name. Not thread-safe: one thread looks, and reports what it has read."""

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.missing = False
        """The name leads nowhere at the moment."""
        self.problem: UnreadableInput | None = None
        """Why the file cannot be opened although it is there."""
        self._clock = clock
        self._file: LogFile | None = None
        self._read_to = 0
        self._seen: tuple[int, int] = (-1, -1)
        self._late: LogFile | None = None
        self._late_read_to = 0
        self._late_until = 0.0

    def mark_read(self, file: LogFile, read_to: int) -> None:
        """Tell how much of a generation has been read."""
        if file is self._file:
            self._read_to = read_to
            file.remember(read_to)
        elif file is self._late:
            self._late_read_to = read_to

    def look(self) -> list[TailEvent]:
        """What has changed since the last look."""
        events = self._look_at_late_writer()
        try:
            status = Path(self.path).stat()
        except OSError:
            return events + self._gone()
        if self._file is None:
            return events + self._open("came back" if self.missing and self._seen != (-1, -1) else "first")
        if (status.st_dev, status.st_ino) != self._file.identity:
            return events + self._rest_of_old() + self._open("came back" if self.missing else "rotated")
        self.missing = False
        seen = (status.st_size, status.st_mtime_ns)
        if seen == self._seen and status.st_size <= self._read_to:
            return events
        self._seen = seen
        if status.st_size < self._read_to or not self._file.is_unchanged():
            return events + self._truncated()
        if status.st_size > self._read_to:
            events.append(Grew(self._file, status.st_size))
        return events

    def _gone(self) -> list[TailEvent]:
        events: list[TailEvent] = []
        if self._file is not None and self._file.size() > self._read_to:
            # Its writer goes on with what has no name any more.
            events.append(Grew(self._file, self._file.size()))
        if self._file is not None and not self.missing:
            events.append(Vanished(self._clock()))
        self.missing = True
        return events

    def _rest_of_old(self) -> list[TailEvent]:
        old = self._file
        if old is None:
            return []
        size = old.size()
        self._late, self._late_read_to = old, max(size, self._read_to)
        self._late_until = self._clock() + LATE_WRITER_SECONDS
        return [Grew(old, size)] if size > self._read_to else []

    def _look_at_late_writer(self) -> list[TailEvent]:
        late = self._late
        if late is None:
            return []
        if self._clock() > self._late_until:
            self._late = None
            return []
        size = late.size()
        if size <= self._late_read_to:
            return []
        return [Grew(late, size)]

    def _truncated(self) -> list[TailEvent]:
        old = self._file
        events: list[TailEvent] = []
        if old is not None and old.adopt_copy() and old.size() > self._read_to:
            events.append(Grew(old, old.size()))
        return events + self._open("truncated")

    def _open(self, reason: Reason) -> list[TailEvent]:
        try:
            file = LogFile.open(self.path)
        except UnreadableInput as error:
            self.problem = error
            return []
        self.problem = None
        self.missing = False
        self._file = file
        self._read_to = 0
        self._seen = (-2, -2)
        events: list[TailEvent] = [Began(file, reason, self._clock())]
        size = file.size()
        if size:
            events.append(Grew(file, size))
        return events


class EventWatch:
    """A thread that wakes somebody whenever one of some files, or their links, may have changed."""

    def __init__(self, paths: Iterable[str], wake: Callable[[], None]) -> None:
        self.failure: str | None = None
        """Why there are no events, in words for the status line; None while they work."""
        self._names = {os.path.realpath(path) for path in paths} | {str(Path(path).absolute()) for path in paths}
        self._wake = wake
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log-events", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        # Imported late: start-up counts, and the first screen needs no events.
        import watchfiles

        folders = sorted({str(Path(name).parent) for name in self._names if Path(name).parent.is_dir()})
        # One folder that may not be read would end all events. (To let watchfiles pass over it, by
        # ignore_permission_denied, makes it silent about the system's limit as well.)
        folders = [folder for folder in folders if os.access(folder, os.R_OK)]
        try:
            for changes in watchfiles.watch(
                *folders, watch_filter=None, recursive=False, raise_interrupt=False, stop_event=self._stop,
                debounce=EVENT_STEP_MILLISECONDS * 2, step=EVENT_STEP_MILLISECONDS, rust_timeout=200,
                yield_on_timeout=False, ignore_permission_denied=False,
            ):  # fmt: skip
                if any(path in self._names for _, path in changes):
                    self._wake()
        except (OSError, RuntimeError) as error:
            self.failure = f"no file events ({_why_no_events(error)}): a look every {POLL_SECONDS:g} s"
            self._wake()


def _why_no_events(error: Exception) -> str:
    """The reason in a few words: the status line has not more room."""
    text = str(error)
    if any(sign in text for sign in _LIMIT_SIGNS):
        return "inotify limit"
    return text if len(text) <= REASON_CHARACTERS else f"{text[: REASON_CHARACTERS - 1]}…"
