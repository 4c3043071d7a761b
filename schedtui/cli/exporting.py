"""The work of ``schedtui export``: a log's records, events and stories go to the writer of the target's format.

Owns the choice of the format by the target's name, and that no half file is ever left under that name. The command
line is ``cli.export``'s; what the objects hold is ``core.record_document``'s and ``core.story_document``'s; the
writers are ``cli.export_files``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from schedtui import __version__
from schedtui.cli.export_files import DirectoryExport, JsonlExport, MarkdownExport, ParquetExport
from schedtui.cli.queue import queue_document
from schedtui.cli.reading import LogReading
from schedtui.config.directories import directories
from schedtui.config.state import checkout_state_file, load_checkout_state
from schedtui.core.errors import WrongUse
from schedtui.core.events import read_event
from schedtui.core.masking import mask
from schedtui.core.record_document import record_document
from schedtui.core.report import ReportFold
from schedtui.core.run_facts import RunFacts
from schedtui.core.story_document import event_document, story_document
from schedtui.core.story_teller import StoryTeller

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.cli.export_files import Export
    from schedtui.core.record import Record

_QUIET_US = 60_000_000
"""A pod that is gone and was not named for this long has its story written and forgotten: memory stays flat."""

_STORIES_EVERY = 20_000
"""Records between two looks for finished stories."""

_FORMATS: dict[str, type[JsonlExport | MarkdownExport | ParquetExport]] = {
    ".jsonl": JsonlExport,
    ".md": MarkdownExport,
    ".parquet": ParquetExport,
}
"""Ending of the target → what writes it."""


def export_logs(files: Sequence[str], target: str, source: str | None, *, masked: bool) -> int:
    """Write what some logs hold; the number of rows written.

    Args:
        files: Paths, or ``-`` for standard input.
        target: A directory, or a file whose ending names the format.
        source: The tree whose remembered breakpoints go along.
        masked: Whether secrets are hidden.

    Raises:
        WrongUse: The target names no format, nothing, or one of the logs.
        UnreadableInput: A log cannot be read to its end; nothing is written then.
    """
    if not target.strip():
        raise WrongUse(
            "no target named", where="--to", hint="Name a directory, or a .jsonl, .md or .parquet file."
        )
    reading = LogReading(files)
    path = Path(target)
    _refuse_input(path, reading)
    with _export_to(path) as out:
        _write(reading, out, Path(source) if source else None, masked=masked)
        reading.raise_fault("Nothing was written: an export is whole or not there.")
    return out.written


def _export_to(path: Path) -> Export:
    if path.suffix in _FORMATS and not path.is_dir():
        return _FORMATS[path.suffix](path)
    if path.suffix and not path.is_dir():
        raise WrongUse(
            f"no format for {path.suffix!r}",
            where=f"--to {path}",
            hint="Use a directory, .jsonl, .md or .parquet.",
        )
    return DirectoryExport(path)


def _refuse_input(path: Path, reading: LogReading) -> None:
    for name in reading.names:
        source = Path(name)
        if path.exists() and source.exists() and path.samefile(source):
            raise WrongUse("would write over the log itself", where=f"--to {path}")


def _write(reading: LogReading, out: Export, checkout: Path | None, *, masked: bool) -> None:
    teller, run = StoryTeller(None), RunFacts()
    fold = ReportFold()
    names = reading.names if len(reading.names) > 1 else None
    for number, record in enumerate(reading.records(), 1):
        _write_record(record, out, teller, fold, masked=masked, name=names[record.source] if names else None)
        run.apply(record)
        if number % _STORIES_EVERY == 0:
            for story in teller.take_finished(_QUIET_US):
                out.story(story, story_document(story), masked=masked)
    for pod in teller.pods():
        story = teller.story(pod)
        out.story(story, story_document(story), masked=masked)
    out.report(fold.report())
    out.texts(_bundle(teller, run, checkout, masked=masked))


def _bundle(teller: StoryTeller, run: RunFacts, checkout: Path | None, *, masked: bool) -> dict[str, str]:
    """What a bug report needs beside the records: the queue at the end, configuration, flags, versions."""
    texts = {
        "queue.json": json.dumps(queue_document(teller.model.snapshot(), show_all=False), indent=2) + "\n",
        "component-config.yaml": run.component_config,
        "flags.txt": "".join(f"{name}={value}\n" for name, value in sorted(run.flags.items())),
        "versions.txt": "\n".join((f"schedtui {__version__}", *run.versions)) + "\n",
    }
    if checkout is not None:
        state, _ = load_checkout_state(checkout_state_file(directories(), checkout))
        texts["breakpoints.json"] = msgspec.json.format(msgspec.json.encode(state.breakpoints)).decode() + "\n"
    return {name: mask(text) if masked else text for name, text in texts.items()}


def _write_record(
    record: Record, out: Export, teller: StoryTeller, fold: ReportFold, *, masked: bool, name: str | None
) -> None:
    out.record(lambda: record_document(record, masked=masked, name=name))
    event = read_event(record)
    if event is None:
        return
    teller.apply_event(event)
    fold.apply_event(event)
    out.event(event_document(event), masked=masked)
