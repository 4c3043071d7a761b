"""The work of ``schedtui levels``: a source's V-level index, laid over logs and told as text or JSON.

Owns the counting and the output; the command line is ``cli.levels``'. The index is ``toolchain.level_index``'s,
levels ``core.level_reading``'s.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING

import click

from schedtui.cli.output import print_json, print_table, printable
from schedtui.config.directories import directories
from schedtui.core.level_legend import UNKNOWN, LevelCounter, legend
from schedtui.core.verbosity_advice import VerbosityAdvice, advise
from schedtui.sources.inputs import Spooled, read_input, resolve_inputs
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.level_index import DEFAULT_COMPONENT, load_level_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from schedtui.core.level_legend import LevelSummary, SiteCount
    from schedtui.core.level_reading import LevelReading
    from schedtui.core.record import Record
    from schedtui.sources.inputs import LogInput
    from schedtui.toolchain.level_index import LevelIndex

MOST_EXAMPLES = 10
"""So many unexplained or contradicting call sites are shown."""


@dataclass(slots=True)
class _Result:
    """What the source made of one log."""

    name: str
    reading: LevelReading
    lines: int = 0
    inferred: int = 0
    unknown: int = 0
    agree: int = 0
    disagree: int = 0
    has_json: bool = False
    problems: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(call site, message, what is wrong) → records."""

    def count(self, record: Record, counter: LevelCounter) -> None:
        """Compare one information record with the source."""
        found = self.reading.level_of(record)
        self.lines += 1
        self.has_json = self.has_json or record.v is not None
        counter.add(record, record.v if record.v is not None else found.level)
        place = f"{record.file}:{record.src_line}"
        if found.level is None:
            self.unknown += 1
            known = f"V{found.level_range[0]}-{found.level_range[1]}: " if found.level_range else ""
            self.problems[place, record.message[:60], f"{known}{found.why}"] += 1
            return
        self.inferred += 1
        if record.v is not None and record.v != found.level:
            self.disagree += 1
            self.problems[place, record.message[:60], f"source V{found.level}, log V{record.v}"] += 1
        elif record.v is not None:
            self.agree += 1

    @property
    def differs(self) -> bool:
        """Whether source and log contradict each other anywhere."""
        fit = self.reading.fit
        return bool(self.disagree or fit.refused or fit.differing_files)

    def document(self) -> dict[str, object]:
        """The contract's keys, and more."""
        fit = self.reading.fit
        return {
            "lines": self.lines,
            "inferred": self.inferred,
            "unknown": self.unknown,
            "agree": self.agree if self.has_json else None,
            "disagree": self.disagree if self.has_json else None,
            "name": self.name,
            "verbosity": self.reading.verbosity,
            "refused": fit.refused or None,
            "differing_files": list(fit.differing_files),
            "problems": [
                {"site": place, "message": message, "what": what, "lines": lines}
                for (place, message, what), lines in self.problems.most_common(MOST_EXAMPLES)
            ],
        }


def explain_levels(
    files: Sequence[str], src: str, component: str | None, *, show: tuple[str, ...], sites: bool, as_json: bool
) -> bool:  # fmt: skip
    """Print the index, and what it explains of some logs; whether source and logs contradict each other.

    Args:
        files: Paths, or ``-`` for standard input.
        src: The source tree.
        component: Whose log: a name below ``cmd``; None for the scheduler.
        show: Texts; which flags show the messages that hold them is told.
        sites: Whether every log call is listed.
        as_json: One JSON document instead of the text.
    """
    index = load_level_index(open_checkout(src), directories().cache, component=component or DEFAULT_COMPONENT)
    counter = LevelCounter()
    results = [_read(log, index, counter) for log in resolve_inputs(files)] if files else []
    advice = advise(counter.sites(), _wanted(show)) if show and files else None
    if as_json:
        print_json(_document(index, results, counter, advice, sites=sites))
    else:
        _print_text(index, results, counter)
        if sites:
            _print_sites(index)
        if show and files:
            _print_advice(advice)
    return any(result.differs for result in results)


def _read(log: LogInput, index: LevelIndex, counter: LevelCounter) -> _Result:
    """Read a log twice: first to learn whether the source fits it, then for its levels."""
    spooled = Spooled(log) if log.once else None

    def records() -> Iterator[Record]:
        return read_input(log, chunks=spooled.chunks if spooled is not None else None)

    reading = index.reading(log.modified.replace(tzinfo=UTC).timestamp() if log.modified is not None else None)
    for record in records():
        reading.observe(record)
    result = _Result(log.name, reading)
    for record in records():
        if record.severity == "I":
            result.count(record, counter)
    return result


def _wanted(texts: tuple[str, ...]) -> Callable[[SiteCount], bool]:
    lowered = [text.lower() for text in texts]
    return lambda site: any(text in site.message.lower() or text == site.file.lower() for text in lowered)


def _document(
    index: LevelIndex,
    results: list[_Result],
    counter: LevelCounter,
    advice: VerbosityAdvice | None,
    *,
    sites: bool,
) -> dict[str, object]:
    release = index.checkout.release
    document: dict[str, object] = {
        "call_sites": len(index.sites.sites),
        "files": index.cost.files,
        "log": results[0].document() if results else None,
        "logs": [result.document() for result in results[1:]],
        "release": release.version,
        "release_found_by": release.found_by,
        "seconds": round(index.cost.seconds, 3),
        "parsed_packages": index.cost.parsed,
        "levels": [_level_document(step) for step in legend(counter, index.sites)],
        "advice": None if advice is None else {
            "flags": advice.flags,
            "lines": advice.lines,
            "bytes": advice.bytes,
            "plain": f"--v={advice.plain_verbosity}",
            "plain_lines": advice.plain_lines,
            "plain_bytes": advice.plain_bytes,
        },
    }  # fmt: skip
    if sites:
        document["sites"] = [
            {"path": site.path, "line": site.line, "function": site.function, "severity": site.severity,
             "level": site.describe_level(), "needs": site.needs, "why": site.why or None, "message": site.message}
            for site in index.sites.sites
        ]  # fmt: skip
    return document


def _level_document(step: LevelSummary) -> dict[str, object]:
    return {
        "level": None if step.level == UNKNOWN else step.level,
        "meaning": step.meaning,
        "call_sites": step.calls,
        "lines": step.lines,
        "bytes": step.bytes,
        "top": [
            {"site": f"{one.file}:{one.line}", "message": one.message, "lines": one.lines} for one in step.top
        ],
    }


def _print_text(index: LevelIndex, results: list[_Result], counter: LevelCounter) -> None:
    cost = index.cost
    origin = f"built in {cost.seconds:.1f} s" if cost.parsed else "from the cache"
    click.echo(f"source: {index.checkout.root}, {index.checkout.release.describe()}")
    click.echo(f"index: {len(index.sites.sites)} log calls in {cost.files} files, {origin}")
    for result in results:
        _print_result(result)
    click.echo()
    with_log = bool(results)
    rows = []
    for step in legend(counter, index.sites):
        name = "V?" if step.level == UNKNOWN else f"V{step.level}"
        rows.append((name, step.calls, *((step.lines,) if with_log else ()), step.meaning))
        rows.extend(
            ("", "", one.lines, f"  {one.message.splitlines()[0][:70] if one.message else '(no message)'}")
            for one in step.top
        )
    print_table(("level", "calls", *(("lines",) if with_log else ()), "what it holds"), rows)


def _print_result(result: _Result) -> None:
    fit = result.reading.fit
    share = f" ({100 * result.unknown / result.lines:.1f} %)" if result.lines else ""
    flag = f", written with --v={result.reading.verbosity}" if result.reading.verbosity is not None else ""
    click.echo(
        f"log: {printable(result.name)}: {result.lines} information records{flag}:"
        f" {result.inferred} have a level, {result.unknown} have none{share}"
    )
    if result.has_json:
        click.echo(f"  the log's own levels: {result.agree} agree, {result.disagree} disagree")
    if fit.refused:
        click.echo(f"  no level is given: {fit.refused}")
    elif fit.differing_files:
        click.echo(
            f"  no level is given for {', '.join(fit.differing_files)}: the source differs from what was built"
        )
    for (place, message, what), lines in result.problems.most_common(MOST_EXAMPLES if not fit.refused else 0):
        click.echo(f"  {lines} x {printable(place)} {printable(message)!r}: {printable(what)}")


def _print_sites(index: LevelIndex) -> None:
    click.echo()
    print_table(
        ("level", "needs", "file", "line", "function", "message"),
        [
            (site.describe_level(), f"V>={site.needs}" if site.needs is not None else "", site.path, site.line,
             site.function, site.message[:80])
            for site in sorted(index.sites.sites, key=lambda site: (site.path, site.line))
        ],
    )  # fmt: skip


def _print_advice(advice: VerbosityAdvice | None) -> None:
    click.echo()
    if advice is None:
        click.echo("No message with that text stands in the log at a known level.")
        return
    click.echo(f"To see them: {advice.flags}   (about {advice.lines} lines, {advice.bytes} bytes of this log)")
    if advice.modules:
        plain = f"{advice.plain_lines} lines, {advice.plain_bytes} bytes"
        click.echo(f"  --v={advice.plain_verbosity} alone would do as well: {plain}")
