"""Reading one log with one source: does it fit, at which verbosity was it written, and each record's level.

Owns what has to be remembered between records: the scheduler's ``--v`` from its ``FLAG`` lines, which files of the
source disagree with the log, and the verdict that a source is not the release that wrote it. A record's own JSON
level always wins; a source that does not fit gives no level at all.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.call_sites import SiteLevel
from schedtui.core.release import RELEASE_NAME

if TYPE_CHECKING:
    from schedtui.core.call_sites import CallSites
    from schedtui.core.record import Record

_FLAG = re.compile(r'^FLAG: --(v|vmodule)="(.*)"$')
_VERSION = re.compile(RELEASE_NAME)
_VERBOSITY_ADDRESS = re.compile(r"^/debug/flags/v(?:\?|$)")

SITES_FOR_A_VERDICT = 8
"""Distinct call sites that must have been met before a source is refused as a whole."""

FITTING_SHARE = 0.6
"""A source that explains a smaller share of the call sites met is not the release that wrote the log.

On real logs the right source explained all of them, one of another minor release 15 to 61 % (most at --v=0, whose
few messages are old).
"""

FITTING_SHARE_OF_FEW_FILES = 0.85
"""The share below which it is refused when ``MANY_FILES`` differ: nobody edits so many at once."""

MANY_FILES = 3
"""So many differing files look like another release rather than an edit."""


@dataclass(frozen=True, slots=True)
class SourceFit:
    """How well a source and a log go together."""

    sites: int
    """Distinct call sites of the log whose file the source has."""
    explained: int
    """Those for which the source has a call with that message at that line."""
    differing_files: tuple[str, ...]
    """Files in which some call site of the log is not there as logged: edited, or of another release."""
    refused: str
    """Why no level is taken from this source at all; empty when it fits."""


class LevelReading:
    """The levels of one log's records by one source. One thread feeds it; it opens nothing."""

    def __init__(
        self, index: CallSites, *, release: str | None = None, changed_files: frozenset[str] = frozenset()
    ) -> None:
        """Start reading a log.

        Args:
            index: The log calls of the source.
            release: The source's exact release (``v1.36.3``) where it is known; a log of another is refused.
            changed_files: Base names of files edited since the binary was built or the log was written.
        """
        self.index = index
        self.verbosity: int | None = None
        """The ``--v`` of the log's own ``FLAG`` line; None without one, and once it was changed while running."""
        self._release = release
        self._changed = set(changed_files)
        self._met: dict[tuple[str, str, int], bool] = {}
        self._differing: set[str] = set()
        self._other_release = ""
        self._verbosity_by_module = False

    # --- one record after the other ---------------------------------------------------------------------------

    def observe(self, record: Record) -> None:
        """Learn from a record: flags, the version it names, whether its call site is in the source."""
        if record.file is None or record.src_line is None:
            return
        self._learn_flags(record)
        self._learn_version(record)
        if self._met.get((directory_of(record), record.file, record.src_line)) is not None and record.structured:
            return
        self.observe_site(
            record.file,
            record.src_line,
            record.message,
            severity=record.severity or "I",
            directory=directory_of(record),
        )

    def observe_site(
        self, file: str, src_line: int, message: str, *, severity: str = "I", directory: str = ""
    ) -> None:
        """Learn from one call site whether the source has it: for readers that keep sites, not records."""
        key = (directory, file, src_line)
        if file not in self.index.files or self._met.get(key) is False:
            return
        found = self.index.look_up(file, src_line, message, severity=severity, directory=directory)
        self._met[key] = found.site is not None
        if found.site is None and severity == "I" and file in self.index.logging_files:
            self._differing.add(file)

    def _learn_flags(self, record: Record) -> None:
        if record.message.startswith("FLAG: --v") and (match := _FLAG.match(record.message)):
            name, value = match.groups()
            if name == "v" and re.fullmatch(r"\d{1,9}", value):
                self.verbosity = int(value)
            elif name == "vmodule" and value:
                self._verbosity_by_module = True
        elif record.message == "HTTP" and _VERBOSITY_ADDRESS.match(str(record.fields.get("URI", ""))):
            self.verbosity = None

    def _learn_version(self, record: Record) -> None:
        if self._release is None or not record.message.startswith("Starting Kubernetes Scheduler"):
            return
        version = record.text("version") or ""
        if _VERSION.fullmatch(version) and version != self._release:
            self._other_release = version

    def _look_up(self, record: Record) -> SiteLevel:
        verbosity = None if self._verbosity_by_module else self.verbosity
        return self.index.look_up(
            record.file or "",
            record.src_line or 0,
            record.message,
            severity=record.severity or "I",
            directory=directory_of(record),
            verbosity=verbosity,
        )

    def level_of(self, record: Record) -> SiteLevel:
        """What the source says of a record; nothing where it does not fit the log."""
        if record.file is None or record.src_line is None or record.severity is None:
            return SiteLevel(why="no klog header")
        refused = self.fit.refused
        if refused:
            return SiteLevel(why=refused)
        found = self._look_up(record)
        if record.file in self._differing or record.file in self._changed:
            return SiteLevel(why=f"{record.file} differs from the source that was built", site=found.site)
        return found

    def enrich(self, record: Record) -> Record:
        """The record with its level; as it is when it has one, has no header, or the source does not tell."""
        if record.v is not None or record.severity != "I":
            return record
        found = self.level_of(record)
        if found.level is None and found.level_range is None:
            return record
        return dataclasses.replace(record, v=found.level, v_range=found.level_range, v_from="source")

    # --- the verdict ------------------------------------------------------------------------------------------

    @property
    def verdict(self) -> tuple[bool, int]:
        """Changes whenever levels that were told before must be asked for again."""
        return bool(self.fit.refused), len(self._differing)

    @property
    def fit(self) -> SourceFit:
        """How the source and the log go together, by what has been observed so far."""
        sites = len(self._met)
        explained = sum(self._met.values())
        refused = ""
        if self._other_release:
            refused = f"the log is of {self._other_release}, this source is {self._release}"
        elif sites >= SITES_FOR_A_VERDICT and explained < self._share_needed() * sites:
            refused = (
                f"this source is not the release that wrote the log: it has {explained} of {sites} call sites"
            )
        return SourceFit(sites, explained, tuple(sorted(self._differing | self._changed)), refused)

    def _share_needed(self) -> float:
        return FITTING_SHARE_OF_FEW_FILES if len(self._differing) >= MANY_FILES else FITTING_SHARE

    def lookup(self, file: str, src_line: int, message: str) -> int | None:
        """The level by call site alone, for indexes that keep one level a site; None for a range or none."""
        if self.fit.refused or file in self._differing or file in self._changed:
            return None
        return self.index.look_up(file, src_line, message, verbosity=self.verbosity).level


def directory_of(record: Record) -> str:
    """The directory that a JSON record names before its file; empty in text logs."""
    return record.caller.rpartition("/")[0].rpartition("/")[2] if record.caller else ""
