"""V levels and call sites of the source, for the log pane, the gutter and jumps.

Owns the index of one checkout once it is loaded, what the log that is shown says about it (does the source fit,
how often did each call log), and answers from any thread. Building the index is ``toolchain.level_index``'s;
without a checkout nothing is known and nothing is guessed.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import TYPE_CHECKING

from schedtui.core import message_levels
from schedtui.core.level_legend import LevelCounter
from schedtui.toolchain.level_index import IndexCancelled, load_level_index

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from schedtui.core.call_sites import CallSites, SiteLevel
    from schedtui.core.level_reading import LevelReading
    from schedtui.core.record import Record
    from schedtui.sources.log_site_counts import SiteCount
    from schedtui.toolchain.checkout import Checkout
    from schedtui.toolchain.level_index import LevelIndex

    Lookup = Callable[[str, int, str], int | None]

WAITING_RECORDS = 20_000
"""Records kept until the index is there: they tell whether source and log fit."""


class Levels:
    """The level index of one checkout, compared with the log that is shown."""

    def __init__(self, checkout: Checkout | None, cache: Path, changed: Callable[[Lookup], None]) -> None:
        """Create it; ``load`` makes it know something.

        Args:
            checkout: The source tree; None without one.
            cache: schedtui's cache directory.
            changed: Called, from any thread, with the look-up that every call site must be asked with anew.
        """
        self._checkout = checkout
        self._cache = cache
        self._changed = changed
        self._index: LevelIndex | None = None
        self._reading: LevelReading | None = None
        self._counts: Counter[tuple[str, int]] = Counter()
        self._lines: dict[tuple[str, int, int | None], list[int]] = {}
        """(file, line, V of a JSON record) → [records, bytes] of information records."""
        self._messages: dict[tuple[str, int], str] = {}
        self._written: float | None = None
        self._verbosity_moved = False
        self._waiting: deque[Record] = deque(maxlen=WAITING_RECORDS)
        self._sites_waiting: tuple[SiteCount, ...] = ()
        self._cancel = threading.Event()
        self._loaded = threading.Event()
        """Set once there is an index, or there will be none."""
        self._lock = threading.Lock()

    def load(self) -> bool:
        """Build or read the index; False when there is none, or when it was given up."""
        try:
            return self._load()
        finally:
            self._loaded.set()

    def await_sites(self) -> CallSites | None:
        """The call sites, as soon as the source has been read (or that was given up); it may take its time."""
        self._loaded.wait()
        return self.sites

    def _load(self) -> bool:
        if self._checkout is None:
            # Without a source the built-in table of messages answers.
            self._changed(self.lookup)
            return False
        try:
            self._index = load_level_index(self._checkout, self._cache, cancel=self._cancel)
        except IndexCancelled:
            return False
        with self._lock:
            self._reading = self._new_reading(self._index)
            for record in self._waiting:
                self._reading.observe(record)
            self._waiting.clear()
            for count in self._sites_waiting:
                if count.information:
                    self._reading.observe_site(count.file, count.src_line, count.message)
            self._sites_waiting = ()
            self._forget_verbosity()
        self._changed(self.lookup)
        return True

    def cancel(self) -> None:
        """Give up building."""
        self._cancel.set()
        self._loaded.set()

    def start_log(self, written: float | None = None) -> None:
        """Another log is shown now: counts start at zero, and whether the source fits is judged anew.

        Args:
            written: When the program that writes it was built (seconds since 1970); None when that is not known.
        """
        with self._lock:
            self._counts = Counter()
            self._lines, self._messages = {}, {}
            self._written, self._verbosity_moved = written, False
            self._waiting.clear()
            self._sites_waiting = ()
            self._reading = self._new_reading(self._index) if self._index is not None else None

    def _new_reading(self, index: LevelIndex) -> LevelReading:
        return index.reading(self._written)

    def verbosity_changed(self) -> None:
        """The scheduler's ``--v`` is no longer the one of its flags: nothing is concluded from that any more."""
        with self._lock:
            self._verbosity_moved = True
            self._forget_verbosity()
        self._changed(self.lookup)

    def _forget_verbosity(self) -> None:
        if self._verbosity_moved and self._reading is not None:
            self._reading.verbosity = None

    def observe(self, records: Sequence[Record]) -> None:
        """Count the log's records by call site and learn from them whether the source fits."""
        with self._lock:
            reading = self._reading
            before = reading.verdict if reading is not None else None
            for record in records:
                if record.file is not None and record.src_line is not None:
                    self._counts[record.file, record.src_line] += 1
                    self._count_line(record, record.file, record.src_line)
                    if reading is not None:
                        reading.observe(record)
                    else:
                        self._waiting.append(record)
            stale = reading is not None and reading.verdict != before
        if stale:
            self._changed(self.lookup)

    def learn(self, head: Sequence[Record]) -> None:
        """Learn flags and version from a log's beginning, the call sites of which are counted otherwise."""
        with self._lock:
            for record in head:
                if self._reading is not None:
                    self._reading.observe(record)
                elif record.file is not None:
                    self._waiting.append(record)

    def observe_sites(self, counts: Sequence[SiteCount]) -> None:
        """Take what the index counted by call site, for records that do not come one by one."""
        with self._lock:
            reading = self._reading
            for count in counts:
                place = (count.file, count.src_line)
                self._counts[place] += count.records
                self._messages.setdefault(place, count.message)
                if count.information:
                    counted = self._lines.setdefault((*place, count.logged_level), [0, 0])
                    counted[0] += count.information
                    counted[1] += count.information_bytes
                if reading is not None and count.information:
                    reading.observe_site(*place, count.message)
            if reading is None:
                self._sites_waiting = tuple(counts)
        self._changed(self.lookup)

    def _count_line(self, record: Record, file: str, line: int) -> None:
        if record.severity != "I":
            return
        key = (file, line, record.v if record.v_from == "json" else None)
        counted = self._lines.get(key)
        if counted is None:
            counted = self._lines[key] = [0, 0]
            self._messages.setdefault((file, line), record.message)
        counted[0] += 1
        counted[1] += record.length or len(record.raw) + 1

    def count_levels(self) -> LevelCounter:
        """The log's information records by level and call site, as far as it was read."""
        with self._lock:
            lines = [(key, count, size) for key, (count, size) in self._lines.items()]
        counter = LevelCounter()
        for (file, line, level), count, size in lines:
            message = self._messages[file, line]
            known = level if level is not None else self.lookup(file, line, message)
            counter.add_site(file, line, message, known, count, size)
        return counter

    @property
    def note(self) -> str:
        """Why the source gives no level for this log, or for some files; empty when it does for all."""
        fit = self._reading.fit if self._reading is not None else None
        if fit is None or not (fit.refused or fit.differing_files):
            return ""
        return fit.refused or f"{', '.join(fit.differing_files)}: not as it was built"

    @property
    def sites(self) -> CallSites | None:
        """The index, once it is loaded."""
        return self._index.sites if self._index is not None else None

    def lookup(self, file: str, line: int, message: str) -> int | None:
        """The V level of a text line; None when unknown."""
        reading = self._reading
        if reading is None:
            return message_levels.lookup(file, line, message) if self._checkout is None else None
        return reading.lookup(file, line, message)

    def explain(self, record: Record) -> SiteLevel | None:
        """Level, range or reason, function and guard of the call that logged a record; None without an index."""
        return self._reading.level_of(record) if self._reading is not None else None

    def enrich(self, record: Record) -> Record:
        """A record with its level, or range, when the source (without one: the table of messages) tells."""
        if self._reading is None:
            return message_levels.enrich(record) if self._checkout is None else record
        return self._reading.enrich(record)

    def marks(self, path: Path) -> Mapping[int, str]:
        """Marks of a file's log calls by 1-based line: ``V3 x214``, or the severity's letter."""
        if self._index is None:
            return {}
        marks = {}
        for site in self._index.call_sites_in(path):
            count = self._counts[site.file, site.line]
            marks[site.call_line] = site.describe_level() + (f" x{count}" if count else "")
        return marks

    def place(self, file: str, line: int, message: str, severity: str = "I") -> tuple[Path, int] | None:
        """The file on disk and the line of the call that logged a record."""
        name = file.rpartition("/")[2]
        found = self._index.site_path(name, line, message, severity) if self._index is not None else None
        if found is not None or self._checkout is None:
            return found
        path = self._checkout.file_path(file)
        return (path, line) if path is not None else None

    def place_of(self, record: Record) -> tuple[Path, int] | None:
        """The file on disk and the line of the call that logged a record."""
        if record.file is None or record.src_line is None:
            return None
        return self.place(record.file, record.src_line, record.message, record.severity or "I")
