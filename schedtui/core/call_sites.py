"""The log calls of one source tree, solved: which call wrote a record, and the V level it records.

Owns the look-up on file, line *and* message, and what may be answered when they do not all fit. It never guesses:
a record has one level, a range of levels, or a reason why there is none. Building the index is
``toolchain.level_index``'s work; whether a log and a source belong together is ``level_reading``'s.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from schedtui.core.go_source.messages import MessagePattern
from schedtui.core.go_source.solve import NEVER, VERBOSITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from schedtui.core.go_source.solve import Rows, SolvedSite

ERROR_SEVERITIES = "EF"
"""Headers of records that have no level."""


class CallSite(msgspec.Struct, frozen=True):
    """One log call of the source."""

    path: str
    """Import path of its package and its file: ``k8s.io/kubernetes/pkg/scheduler/schedule_one.go``."""
    line: int
    """1-based line that klog prints for it."""
    call_line: int
    """1-based line of the call in the file (a deferred call is printed under another one)."""
    function: str
    """The function that holds it: ``scheduler.(*Scheduler).ScheduleOne``."""
    severity: str
    """``I``, ``W``, ``E`` or ``F``."""
    rows: tuple[tuple[int, ...], ...] = ()
    """Its possible levels, each a constant (one number) or one number for each running verbosity from 0."""
    why: str = ""
    """Why its level cannot be told; empty when it can."""
    needs: int | None = None
    """The level that an ``Enabled()`` around it asks for; None without one."""
    patterns: tuple[tuple[str, ...], ...] = ()
    """Its messages, each the parts of a ``MessagePattern``."""
    elsewhere: bool = False
    """Whether klog prints a caller's line (call depth) or a line of the function's end (``defer``) for it."""

    @property
    def file(self) -> str:
        """The base name that klog prints."""
        return self.path.rpartition("/")[2]

    @property
    def directory(self) -> str:
        """The directory name that JSON logs print before the file's."""
        return self.path.rpartition("/")[0].rpartition("/")[2]

    def matches(self, message: str) -> bool:
        """Whether it can have written ``message``."""
        return any(MessagePattern(parts).matches(message) for parts in self.patterns)

    @property
    def message(self) -> str:
        """Its message for a reader; an ellipsis for what varies."""
        return " | ".join(MessagePattern(parts).describe() for parts in self.patterns[:3])

    def levels(self, verbosity: int | None) -> frozenset[int]:
        """The levels that a printed record of it can have.

        Args:
            verbosity: The ``--v`` that the scheduler ran with; None when not known.
        """
        running = range(VERBOSITIES) if verbosity is None else (min(verbosity, VERBOSITIES - 1),)
        found = {row[min(at, len(row) - 1)] for row in self.rows for at in running
                 if len(row) == 1 or row[at] <= at}  # fmt: skip
        if verbosity is not None:
            found = {level for level in found if level <= verbosity}
        return frozenset(level for level in found if level < NEVER)

    def describe_level(self) -> str:
        """``V3``, ``V0-9`` or ``V?`` for a margin; the severity letter for errors and warnings."""
        if self.severity != "I":
            return self.severity
        levels = self.levels(None)
        if self.why or not levels:
            return "V?"
        return f"V{min(levels)}" if len(levels) == 1 else f"V{min(levels)}-{max(levels)}"


@dataclass(frozen=True, slots=True)
class SiteLevel:
    """What the source says of one record."""

    level: int | None = None
    """The level; None when it is a range, not known, or the record is an error."""
    level_range: tuple[int, int] | None = None
    """Lowest and highest level when the source leaves several."""
    why: str = ""
    """Why there is no level; empty with one."""
    site: CallSite | None = None
    """The call that wrote it; None when none fits."""

    @property
    def function(self) -> str:
        """The function that logged it; empty when no call fits."""
        return self.site.function if self.site else ""

    @property
    def path(self) -> str:
        """Import path and file; empty when no call fits."""
        return self.site.path if self.site else ""

    @property
    def needs(self) -> int | None:
        """The verbosity that a guard around the call asks for, when it is more than the level."""
        if self.site is None or self.site.needs is None or self.level is None:
            return None
        return self.site.needs if self.site.needs > self.level else None


BRIDGES = {"google.golang.org/grpc": "k8s.io/apiserver/pkg/storage/etcd3/logger.go"}
"""Module that logs through an interface of its own → the file that hands these lines on to klog, under the line of
the module's own call (releases 1.29 to 1.37)."""

NO_SITE_THERE = "no log call at that line of the source"
OTHER_MESSAGE = "the call at that line logs another message"
SEVERAL_LEVELS = "several calls log this, at different levels"


class CallSites:
    """The index of one source tree: read only, so threads may share it; made from and kept as plain values."""

    def __init__(
        self, sites: Sequence[CallSite], files: Iterable[str], bridged: Mapping[str, str] | None = None
    ) -> None:
        """Sort the sites for look-up.

        Args:
            sites: Every log call.
            files: Base names of all files of the build, those without log calls too.
            bridged: Base name → key of ``BRIDGES``, for file names that only modules with a bridge use.
        """
        self._bridged = dict(bridged or {})
        self.sites = tuple(sites)
        """Every log call of the source."""
        self.files = frozenset(files)
        """Base names of all files of the build."""
        self.logging_files = frozenset(site.file for site in self.sites)
        """Base names of the files that hold log calls of klog's."""
        self._bridges: dict[str, list[CallSite]] = {
            origin: [site for site in self.sites if site.path == bridge and site.elsewhere]
            for origin, bridge in BRIDGES.items()
        }
        self._by_line: dict[tuple[str, int], list[CallSite]] = defaultdict(list)
        self._by_path: dict[str, list[CallSite]] = defaultdict(list)
        self._elsewhere: dict[str, list[CallSite]] = defaultdict(list)
        self._moving: list[CallSite] = []
        for site in self.sites:
            self._by_line[site.file, site.line].append(site)
            self._by_path[site.path].append(site)
            if site.elsewhere:
                self._note_elsewhere(site)

    def _note_elsewhere(self, site: CallSite) -> None:
        patterns = [MessagePattern(parts) for parts in site.patterns]
        for pattern in patterns:
            if pattern.is_literal:
                self._elsewhere[pattern.parts[0]].append(site)
        if any(not pattern.is_literal and not pattern.is_anything for pattern in patterns):
            self._moving.append(site)

    def calls_in(self, path: str) -> list[CallSite]:
        """The log calls of one file, by line.

        Args:
            path: Import path and file (``k8s.io/kubernetes/pkg/scheduler/schedule_one.go``).
        """
        return sorted(self._by_path.get(path, ()), key=lambda site: site.call_line)

    def calls_at(self, file: str, line: int) -> list[CallSite]:
        """The log calls whose records carry that file and line."""
        return list(self._by_line.get((file, line), ()))

    def look_up(
        self,
        file: str,
        line: int,
        message: str,
        *,
        severity: str = "I",
        directory: str = "",
        verbosity: int | None = None,
    ) -> SiteLevel:
        """Which call wrote a record, and its level.

        Args:
            file: Base name of the Go file in the record's header.
            line: The line there.
            message: The record's message.
            severity: Its header letter; JSON logs print warnings as ``I``.
            directory: The directory that a JSON log prints before the file; empty in text logs.
            verbosity: The running ``--v`` where it is known: it decides among levels chosen by what is enabled.
        """
        wanted = _wanted_severities(severity, json=bool(directory))
        there = [site for site in self._by_line.get((file, line), ())
                 if not directory or site.directory.partition("@")[0] == directory.partition("@")[0]]  # fmt: skip
        fitting = [site for site in there if site.severity in wanted and site.matches(message)]
        if not fitting:
            fitting = self._logged_elsewhere(file, line, message, wanted) if not there else []
        if not fitting:
            return SiteLevel(why=OTHER_MESSAGE if there else NO_SITE_THERE)
        return _level_of(fitting, severity, verbosity)

    def _logged_elsewhere(self, file: str, line: int, message: str, wanted: str) -> list[CallSite]:
        """Calls known to be printed under another line than their own, by their message alone."""
        if file not in self.files:
            return []
        if file in self._bridged:
            return [site for site in self._bridges[self._bridged[file]] if site.severity in wanted]
        found = [site for site in (*self._elsewhere.get(message, ()), *self._moving)
                 if site.severity in wanted and site.matches(message)]  # fmt: skip
        return [site for site in found if site.line == site.call_line or site.call_line <= line <= site.line]


def _wanted_severities(severity: str, *, json: bool) -> str:
    """Severities of the calls that can have written a record; JSON logs print warnings as information."""
    if severity in ERROR_SEVERITIES:
        return ERROR_SEVERITIES
    return "IW" if severity == "I" and json else severity


def _level_of(sites: list[CallSite], severity: str, verbosity: int | None) -> SiteLevel:
    site = sites[0]
    if severity in ERROR_SEVERITIES or severity == "W":
        return SiteLevel(site=site)
    why = next((one.why for one in sites if one.why), "")
    levels = frozenset().union(*(one.levels(verbosity) for one in sites))
    if why or not levels:
        return SiteLevel(why=why or "this call cannot print at that verbosity", site=site)
    if len(levels) == 1:
        return SiteLevel(level=min(levels), site=site)
    why = SEVERAL_LEVELS if len(sites) > 1 else "its level depends on the caller or on the running verbosity"
    return SiteLevel(level_range=(min(levels), max(levels)), why=why, site=site)


def call_site(solved: SolvedSite) -> CallSite:
    """A solved site as the index keeps it."""
    site = solved.site
    rows, why = _kept_rows(solved.rows)
    guards, _ = _kept_rows(solved.guard_rows)
    if site.severity in "IW" and not rows and not why:
        why = "nothing is known to call it"
    return CallSite(
        path=f"{solved.import_path}/{site.file}",
        line=site.line,
        call_line=site.call_line,
        function=site.function,
        severity=site.severity,
        rows=rows,
        why=why,
        needs=min((min(row) for row in guards), default=None),
        patterns=solved.patterns,
        elsewhere=site.elsewhere,
    )


def _kept_rows(rows: Rows) -> tuple[tuple[tuple[int, ...], ...], str]:
    """Rows with constants shortened to one number, and the reason among them."""
    why = next((row.lstrip("?") for row in sorted(row for row in rows if isinstance(row, str))), "")
    known = sorted(row if len(set(row)) > 1 else row[:1] for row in rows if not isinstance(row, str))
    return tuple(known), why
