"""A source tree as the teller of levels for the commands: opened, indexed, checked against each log.

Owns what the commands share: opening ``--src``, the cache's place, and looking at a log's beginning before the
first level is given. Look-up and verdict are ``core.level_reading``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from schedtui.config.directories import directories
from schedtui.core.errors import UnreadableInput
from schedtui.core.klog import read_records
from schedtui.sources.inputs import STANDARD_INPUT, read_chunks
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.level_index import DEFAULT_COMPONENT, LevelIndex, load_level_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.level_reading import LevelReading
    from schedtui.core.record import Record
    from schedtui.sources.inputs import LogInput

LOOK_AHEAD_BYTES = 4 << 20
"""So much of a file is compared with the source before its first level is given."""


def open_level_index(tree: str, component: str = DEFAULT_COMPONENT) -> LevelIndex:
    """The level index of a source tree.

    Raises:
        NotASourceTree: The directory is none.
    """
    return load_level_index(open_checkout(tree), directories().cache, component=component)


class SourceLevels:
    """Levels of the records of several logs by one source (``core.record.LevelLookup``)."""

    def __init__(self, index: LevelIndex, inputs: Sequence[LogInput]) -> None:
        """Compare the beginning of each log with the source; standard input is compared as it comes."""
        self._inputs = inputs
        self._readings = [index.reading() for _ in inputs]
        self._told: set[int] = set()
        for log, reading in zip(inputs, self._readings, strict=True):
            if log.name != STANDARD_INPUT and log.modified is not None:
                for record in _beginning(log):
                    reading.observe(record)

    def level_of(self, record: Record) -> Record:
        """The record with its level; says once on standard error when the source does not fit its log."""
        reading = self._readings[record.source]
        reading.observe(record)
        if record.source not in self._told and reading.fit.refused:
            self._told.add(record.source)
            click.echo(f"schedtui: {self._inputs[record.source].name}: {reading.fit.refused}", err=True)
        return reading.enrich(record)

    def reading(self, source: int) -> LevelReading:
        """The reading of one input."""
        return self._readings[source]


def _beginning(log: LogInput) -> Sequence[Record]:
    head = b""
    try:
        for chunk in read_chunks(log):
            head += chunk
            if len(head) >= LOOK_AHEAD_BYTES:
                break
    except UnreadableInput:
        # Whoever reads the whole file meets the same fault and tells it.
        return ()
    return list(read_records(head[: head.rfind(b"\n") + 1]))
