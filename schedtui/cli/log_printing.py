"""The work of ``schedtui logs``: options become one filter, records that match are printed.

Owns both, and the levels that a source tree lends. The command line is ``cli.logs``', reading and merging are
``sources.inputs``', conditions ``core.log_filter``'s.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from datetime import UTC
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click
import re2

from schedtui.cli.output import printable
from schedtui.core.errors import WrongUse
from schedtui.core.filter_fields import FieldIs
from schedtui.core.filter_nodes import (
    All,
    Any,
    LevelIs,
    LevelUnknown,
    NameIs,
    Not,
    Pattern,
    SeverityIs,
    TimeIs,
)
from schedtui.core.filter_syntax import SEVERITY_HINT, read_severity
from schedtui.core.log_filter import LogFilter, LogSpan, parse_filter
from schedtui.core.masking import mask
from schedtui.core.message_levels import enrich
from schedtui.core.record_document import as_json_line, record_document
from schedtui.sources.inputs import (
    STANDARD_INPUT,
    LogInput,
    Spooled,
    live_chunks,
    merge_by_time,
    read_input,
    resolve_inputs,
    span_of,
    span_of_all,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from schedtui.core.filter_nodes import Node
    from schedtui.core.level_reading import LevelReading
    from schedtui.core.record import Record

SEPARATOR = "--"
"""Stands between groups of context lines, as grep prints it."""

RECORDS_AHEAD = 2000
"""Records of a file that are looked at before a source tree is trusted with the first one's level."""

LIVE_RECORDS_AHEAD = 100
"""The same for standard input, which is not to be held back for long."""

_DURATION = re.compile(r"-?((?:\d+(?:\.\d+)?[dhms])+)\Z")


class _Options:
    """What was asked for on the command line."""

    def __init__(self, values: dict[str, object]) -> None:
        self.level: int | None = values["level"]  # type: ignore[assignment]
        self.severity: str | None = values["severity"]  # type: ignore[assignment]
        self.pods: tuple[str, ...] = values["pod"]  # type: ignore[assignment]
        self.nodes: tuple[str, ...] = values["node"]  # type: ignore[assignment]
        self.fields: tuple[str, ...] = values["field"]  # type: ignore[assignment]
        self.patterns: tuple[str, ...] = values["grep"]  # type: ignore[assignment]
        self.since: str | None = values["since"]  # type: ignore[assignment]
        self.until: str | None = values["until"]  # type: ignore[assignment]
        self.filters: tuple[str, ...] = values["filter"]  # type: ignore[assignment]

    def conditions(self, span: LogSpan) -> Node:
        """All options as one condition."""
        parts: list[Node] = []
        if self.severity is not None:
            parts.append(_severity(self.severity))
        if self.level is not None:
            parts.append(Any((LevelIs("<=", self.level), LevelUnknown())))
        for facet, names in (("pod", self.pods), ("node", self.nodes)):
            if names:
                parts.append(Any(tuple(_name(facet, name) for name in names)))
        parts.extend(_field(text) for text in self.fields)
        parts.extend(_pattern(text) for text in self.patterns)
        for word, text in (("after", self.since), ("before", self.until)):
            if text is not None:
                parts.append(_time(word, text, span))
        parts.extend(parse_filter(text, span).node for text in self.filters)
        return All(tuple(parts))


def _name(facet: str, text: str) -> Node:
    name = text.strip()
    if not name or (facet == "pod" and not all(name.split("/"))):
        # Nothing has such a name: a variable that was not set, most likely.
        hint = "For example: --pod default/web-0, --pod 'web-*', --node node-1"
        raise WrongUse(f"{text!r} is no {facet}'s name", where=f"--{facet}", hint=hint)
    return NameIs(facet, name)


def _severity(text: str) -> Node:
    letter = read_severity(text)
    if letter is None:
        raise WrongUse(f"no severity {text!r}", where="--severity", hint=SEVERITY_HINT)
    return SeverityIs(">=", letter)


def _field(text: str) -> Node:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise WrongUse(f"{text!r} is no KEY=VALUE", where="--field", hint="For example: --field queue=Backoff")
    return FieldIs(key.strip(), "=", value)


def _pattern(text: str) -> Node:
    pattern = Pattern(text, "c")
    if not text:
        raise WrongUse("an empty expression", where="--grep", hint="Name what to look for, or leave --grep out.")
    try:
        _ = pattern.compiled
    except re2.error as error:
        reason = error.args[0] if error.args else "does not fit"
        words = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise WrongUse(
            f"regular expression: {words}",
            where=f"--grep {text}",
            hint="Expressions are RE2's: no look-around and no back references.",
        ) from None
    return pattern


def _time(word: str, text: str, span: LogSpan) -> Node:
    duration = _DURATION.match(text)
    written = f"-{duration[1]}" if duration else text
    escaped = written.replace("\\", "\\\\").replace('"', '\\"')
    return parse_filter(f'{word}:"{escaped}"', span).node


def _has_time(node: Node) -> bool:
    """Whether a condition compares clocks without a date: it needs to know which day the log ends on."""
    if isinstance(node, TimeIs):
        return node.time_of_day
    if isinstance(node, (All, Any)):
        return any(map(_has_time, node.parts))
    return isinstance(node, Not) and _has_time(node.inner)


class _Source:
    """One input and, once its time had to be known, where its bytes are."""

    def __init__(self, log: LogInput, idle: Callable[[], None]) -> None:
        self.log = log
        self._idle = idle
        self._spooled: Spooled | None = None

    def span(self) -> LogSpan:
        """The input's time; standard input is read to its end for it."""
        if not self.log.once:
            return span_of(self.log)
        if self._spooled is None:
            self._spooled = Spooled(self.log)
        return span_of(self.log, self._spooled.chunks)

    def chunks(self) -> Iterator[bytes]:
        """The bytes of standard input, or of another input that is kept."""
        return self._spooled.chunks() if self._spooled is not None else live_chunks(self._idle)

    def records(self, number: int, wanted: Callable[[bytes], bool] | None) -> Iterator[Record]:
        """The input's records."""
        chunks = self.chunks if self._spooled is not None or self.log.name == STANDARD_INPUT else None
        return read_input(self.log, number, wanted=wanted, chunks=chunks)


def _compile(options: _Options, sources: Sequence[_Source]) -> LogFilter:
    """The filter; the inputs' times are read only when a condition needs them."""
    # Words that do not fit are told before anything is read.
    options.conditions(LogSpan(0, 0))
    try:
        known = options.conditions(LogSpan())
    except WrongUse:
        known = None
    if known is not None and not _has_time(known):
        return LogFilter(known)
    if known is not None and any(source.log.name == STANDARD_INPUT for source in sources):
        # A clock without a date: standard input is not held back to learn its last day.
        return LogFilter(known)
    return LogFilter(options.conditions(span_of_all([source.span() for source in sources])))


class _Printer:
    """Writes records; buffers, and lets go whenever the input makes us wait."""

    def __init__(self, names: Sequence[str], *, as_json: bool, masked: bool, marks: bool) -> None:
        self._names = names
        self._as_json = as_json
        self._masked = masked
        self._marks = marks
        self._terminal = sys.stdout.isatty()
        self._out = sys.stdout.buffer

    def flush(self) -> None:
        """Write out what is buffered."""
        self._out.flush()

    def separate(self) -> None:
        """Mark a gap between two groups of context."""
        if not self._as_json:
            self._out.write(SEPARATOR.encode() + b"\n")

    def show(self, record: Record, match: bool) -> None:
        """Write one record."""
        if self._as_json:
            document = record_document(record, masked=self._masked, name=self._names[record.source])
            if self._marks:
                document["match"] = match
            self._out.write(as_json_line(document) + b"\n")
            return
        text = mask(record.raw) if self._masked else record.raw
        if self._terminal:
            text = "\n".join(printable(line.expandtabs()) for line in text.split("\n"))
        self._out.write(text.encode("utf-8", "replace") + b"\n")


def _print_with_context(records: Iterable[Record], keep: LogFilter, printer: _Printer, context: int) -> None:
    """Matching records with some around each, like ``grep -C``."""
    before: deque[Record] = deque(maxlen=context)
    after = 0
    skipped = False
    shown = False
    for record in records:
        if keep(record):
            if shown and skipped:
                printer.separate()
            for earlier in before:
                printer.show(earlier, False)
            before.clear()
            printer.show(record, True)
            after, skipped, shown = context, False, True
        elif after:
            printer.show(record, False)
            after -= 1
        else:
            skipped = skipped or len(before) == context
            before.append(record)


def _reading_of(tree: str, inputs: Sequence[LogInput]) -> LevelReading:
    """What knows the levels of text records: the index of a source tree, but for files edited after the logs."""
    from schedtui.config.directories import directories
    from schedtui.toolchain.checkout import open_checkout
    from schedtui.toolchain.level_index import load_level_index

    written = [log.modified.replace(tzinfo=UTC).timestamp() for log in inputs if log.modified is not None]
    index = load_level_index(open_checkout(Path(tree)), directories().cache)
    return index.reading(min(written, default=None))


def _with_levels(records: Iterator[Record], reading: LevelReading, ahead: int) -> Iterator[Record]:
    """Records with the levels that a source tells; a source of another release tells none and says so.

    Args:
        records: In the order of the log.
        reading: The source's view of this log.
        ahead: How many records are read before the first is judged, so that a wrong source gives no level at all.
    """
    first = list(islice(records, ahead))
    for record in first:
        reading.observe(record)
    yield from map(reading.enrich, first)
    for record in records:
        reading.observe(record)
        yield reading.enrich(record)
    if reading.fit.refused:
        click.echo(f"schedtui: no levels: {reading.fit.refused}", err=True)


def print_records(
    files: Sequence[str],
    values: dict[str, object],
    *,
    source: str | None,
    context: int,
    masked: bool,
    as_json: bool,
) -> None:
    """Print the records that match.

    Args:
        files: Paths, or ``-`` for standard input.
        values: The filter options by name, as the command line gave them.
        source: A source tree that tells the levels of text records; None for the table of known messages.
        context: Records to print around each match.
        masked: Whether secrets are hidden.
        as_json: One JSON object a line instead of the text.
    """
    options = _Options(values)
    inputs = resolve_inputs(files)
    printer = _Printer([log.name for log in inputs], as_json=as_json, masked=masked, marks=context > 0)
    sources = [_Source(log, printer.flush) for log in inputs]
    keep = _compile(options, sources)
    reading = _reading_of(source, inputs) if source is not None else None
    # Bytes can be refused unparsed only where no other record is needed: not for context, twins and levels.
    whole = context > 0 or len(sources) > 1 or reading is not None or keep.is_everything
    wanted = None if whole else keep.prefilter
    streams = [each.records(number, wanted) for number, each in enumerate(sources)]
    records = streams[0] if len(streams) == 1 else merge_by_time(streams)
    if reading is None:
        records = map(enrich, records)
    else:
        live = any(log.name == STANDARD_INPUT for log in inputs)
        records = _with_levels(records, reading, LIVE_RECORDS_AHEAD if live else RECORDS_AHEAD)
    try:
        if context:
            _print_with_context(records, keep, printer, context)
        else:
            for record in records:
                if keep(record):
                    printer.show(record, True)
    finally:
        printer.flush()
