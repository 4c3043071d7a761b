"""Files that an export writes: JSON lines, Markdown, Parquet, or a directory of them.

Owns formats and atomic appearance: everything is written beside the target under a name that begins with a dot and
is renamed when whole. What is written is decided in ``cli.export``.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, cast

from schedtui.cli.output import printable
from schedtui.core.errors import SchedtuiError, ToolMissing
from schedtui.core.masking import mask_value
from schedtui.core.story_text import duration_text, story_lines
from schedtui.processes import guard
from schedtui.processes.scratch import drop_empty, make_directories

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import Any, TextIO

    from schedtui.core.pod_story import PodStory
    from schedtui.core.record import FieldValue
    from schedtui.core.report import Report

_MARKUP = re.compile(r"[\\|`*_~\[\]]")
"""Characters that mean something inside a line of Markdown."""

_BATCH_ROWS = 5_000
"""Rows collected before they are written as one group of a Parquet file."""

Document = dict[str, object]
"""One JSON object."""


def _masked(document: Document) -> Document:
    return cast("Document", mask_value("", cast("FieldValue", document)))


def _not_written(path: Path, error: OSError) -> SchedtuiError:
    hint = "Make room, or name another place with --to."
    return SchedtuiError("cannot write", where=str(path), details=(error.strerror or str(error),), hint=hint)


class Export(AbstractContextManager["Export"]):
    """Takes what is exported; on a clean end the target appears, on a failure nothing does."""

    def __init__(self, path: Path) -> None:
        """Open a file beside the target.

        Args:
            path: Where the export is to appear.
        """
        self.path = path
        self.written = 0
        self._reserved: list[Path] = []
        self._made: list[Path] = []

    def _name_beside(self, path: Path) -> Path:
        """A fresh, empty file beside the target, readable by its owner only; it goes should we be killed."""
        beside = path.parent.absolute() / f".{path.name}.{secrets.token_hex(6)}"
        try:
            self._made += make_directories(beside.parent, 0o700)
            # The guard knows of it before it is there: at no moment can it be left behind.
            guard.remove_with_us(str(beside))
            os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        except OSError as error:
            guard.keep_file(str(beside))
            raise _not_written(path, error) from None
        self._reserved.append(beside)
        return beside

    def reserved(self) -> list[Path]:
        """The files beside the target that were made."""
        return self._reserved

    def made_directories(self) -> list[Path]:
        """The directories that were made, outer ones first."""
        return self._made

    def record(self, document: Callable[[], Document]) -> None:
        """Take a record; it is made only when wanted."""

    def event(self, document: Document, *, masked: bool) -> None:
        """Take a queue event."""

    def story(self, story: PodStory, document: Document, *, masked: bool) -> None:
        """Take a pod's story."""

    def report(self, report: Report) -> None:
        """Take the report of the whole log."""

    def texts(self, files: Mapping[str, str]) -> None:
        """Take what a bug report needs besides, each text with its file's name; only a directory has room."""

    def seal(self) -> None:
        """Write all that is still to be written; the last step that can fail for want of room."""

    def appear(self) -> None:
        """Give what has been sealed the target's name."""

    def abandon(self) -> None:
        """Remove what has been written."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is not None:
                raise error
            self.seal()
            self.appear()
        except BaseException as failure:
            self.abandon()
            if isinstance(failure, OSError):
                raise _not_written(self.path, failure) from None
            if failure is not error:
                raise
        finally:
            for path in self.reserved():
                guard.keep_file(str(path))
            drop_empty(self.made_directories())


class JsonlExport(Export):
    """All kinds of rows in one file of JSON lines, told apart by ``row``."""

    def __init__(self, path: Path, kinds: frozenset[str] = frozenset({"record", "event", "pod"})) -> None:
        super().__init__(path)
        self._kinds = kinds
        self._beside = self._name_beside(path)
        self._file: TextIO = self._beside.open("w", encoding="utf-8")

    def _put(self, kind: str, document: Document) -> None:
        json.dump({"row": kind, **document}, self._file, ensure_ascii=False)
        self._file.write("\n")
        self.written += 1

    def record(self, document: Callable[[], Document]) -> None:
        """Take a record."""
        if "record" in self._kinds:
            self._put("record", document())

    def event(self, document: Document, *, masked: bool) -> None:
        """Take a queue event."""
        if "event" in self._kinds:
            self._put("event", _masked(document) if masked else document)

    def story(self, story: PodStory, document: Document, *, masked: bool) -> None:
        """Take a pod's story."""
        if "pod" in self._kinds:
            self._put("pod", _masked(document) if masked else document)

    def seal(self) -> None:
        """Write all that is still to be written."""
        self._file.close()

    def appear(self) -> None:
        """Give the file the target's name."""
        self._beside.replace(self.path)

    def abandon(self) -> None:
        """Remove what has been written."""
        with suppress(OSError):
            self._file.close()
        self._beside.unlink(missing_ok=True)


class MarkdownExport(Export):
    """The report and the pods' stories, to be read by a colleague."""

    def __init__(self, path: Path, *, stories: bool = True) -> None:
        super().__init__(path)
        self._with_stories = stories
        self._beside = self._name_beside(path)
        self._stories = self._name_beside(path)
        self._file: TextIO = self._stories.open("w", encoding="utf-8")

    def story(self, story: PodStory, document: Document, *, masked: bool) -> None:
        """Take a pod's story."""
        if not self._with_stories:
            return
        lines = "\n".join(text for text, *_ in story_lines(story))
        text = str(mask_value("", lines)) if masked else lines
        self._file.write(f"\n### {_prose(story.pod)}\n\n{_fenced(text)}\n")
        self.written += 1

    def report(self, report: Report) -> None:
        """Take the report."""
        self._beside.write_text(_report_text(report), encoding="utf-8")
        self.written += 1

    def seal(self) -> None:
        """Put the stories behind the report."""
        self._file.close()
        with self._beside.open("a", encoding="utf-8") as whole, self._stories.open(encoding="utf-8") as stories:
            if self._with_stories:
                whole.write("\n## Pods\n")
            while block := stories.read(1 << 20):
                whole.write(block)

    def appear(self) -> None:
        """Give the file the target's name."""
        self._stories.unlink()
        self._beside.replace(self.path)

    def abandon(self) -> None:
        """Remove what has been written."""
        with suppress(OSError):
            self._file.close()
        self._stories.unlink(missing_ok=True)
        self._beside.unlink(missing_ok=True)


def _report_text(report: Report) -> str:
    parts = [
        "# Scheduler log\n",
        f"Release {report.release or 'unknown'}. {report.bound} bindings, {report.attempts} attempts,"
        f" {report.failed_attempts} of them failed, {report.preemptions} preemptions.\n",
        _table(("node", "bound", "share", "preempted"), [
            (each.node, each.bound, f"{100 * each.share:.1f} %", each.preempted) for each in report.nodes
        ]),
        _table(("duration", "p50", "p90", "p99", "max"), [
            (name, *(duration_text(value) for value in (each.p50, each.p90, each.p99, each.max)))
            for name, each in (
                ("wait", report.wait), ("scheduling", report.scheduling), ("binding", report.binding)
            )
        ]),
        _table(("plugin", "attempts rejected"), list(report.failures.items())),
        _table(("reason", "nodes"), list(report.reasons.items())),
        _table(("slowest pod", "wait", "attempts", "node"), [
            (slow.pod, duration_text(slow.wait_seconds), slow.attempts, slow.node or "") for slow in report.slowest
        ]),
    ]  # fmt: skip
    return "\n".join(part for part in parts if part)


def _table(headings: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    if not rows:
        return ""
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    return _prose(str(value).replace("\n", " "))


def _prose(text: str) -> str:
    """A log's text as Markdown that shows it and nothing else: no markup, no tags, no escape codes."""
    return _MARKUP.sub(r"\\\g<0>", printable(text)).replace("&", "&amp;").replace("<", "&lt;")


def _fenced(text: str) -> str:
    """A block that ends where it ends, whatever rows of backticks stand in the text."""
    longest = max((len(row) for row in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(printable(line.expandtabs(8)) for line in text.split("\n"))
    return f"{fence}text\n{lines}\n{fence}"


class ParquetExport(Export):
    """All kinds of rows in one Parquet table, told apart by ``row``; lives and fields are JSON text in it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise ToolMissing(
                "Parquet needs pyarrow, which is not installed",
                hint="Install it with: pip install 'schedtui[parquet]'",
            ) from None
        self._arrow: Any = pyarrow
        text, number = pyarrow.string(), pyarrow.int64()
        columns = {
            "row": text, "line": number, "time": pyarrow.timestamp("us"), "severity": text, "v": number,
            "pid": number, "file": text, "src_line": number, "message": text, "fields": text, "raw": text,
            "pod": text, "effect": text, "event": text, "queue": text, "hint": text, "plugins": text, "node": text,
            "text": text, "state": text, "certain": pyarrow.bool_(), "attempts": number, "why": text,
            "lives": text,
        }  # fmt: skip
        self._schema: Any = pyarrow.schema(list(columns.items()))
        self._rows: list[Document] = []
        self._beside = self._name_beside(path)
        self._writer: Any = pyarrow.parquet.ParquetWriter(str(self._beside), self._schema)

    def _put(self, kind: str, document: Mapping[str, object]) -> None:
        row: Document = {"row": kind}
        for name in self._schema.names[1:]:
            row[name] = _plain(name, document.get(name))
        self._rows.append(row)
        self.written += 1
        if len(self._rows) >= _BATCH_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
            self._rows.clear()

    def record(self, document: Callable[[], Document]) -> None:
        """Take a record."""
        made = document()
        fields = made["fields"]
        pod = fields.get("pod") if isinstance(fields, dict) else None
        self._put("record", {**made, "pod": pod if isinstance(pod, str) else None})

    def event(self, document: Document, *, masked: bool) -> None:
        """Take a queue event."""
        self._put("event", _masked(document) if masked else document)

    def story(self, story: PodStory, document: Document, *, masked: bool) -> None:
        """Take a pod's story."""
        self._put("pod", _masked(document) if masked else document)

    def seal(self) -> None:
        """Write all that is still to be written."""
        self._flush()
        self._writer.close()

    def appear(self) -> None:
        """Give the file the target's name."""
        self._beside.replace(self.path)

    def abandon(self) -> None:
        """Remove what has been written."""
        with suppress(OSError):
            self._writer.close()
        self._beside.unlink(missing_ok=True)


def _plain(name: str, value: object) -> object:
    """A value as its column takes it."""
    if name == "time" and isinstance(value, str):
        from datetime import datetime

        return datetime.fromisoformat(value)
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value) if name == "hint" and value is not None else value


class TextExport(Export):
    """One text, as it is."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(path)
        self._beside = self._name_beside(path)
        self._text = text

    def seal(self) -> None:
        """Write it."""
        self._beside.write_text(self._text, encoding="utf-8", errors="replace")

    def appear(self) -> None:
        """Give the file the target's name."""
        self._beside.replace(self.path)

    def abandon(self) -> None:
        """Remove what has been written."""
        self._beside.unlink(missing_ok=True)


class DirectoryExport(Export):
    """A directory with one file for each kind, and the report."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        if path.exists() and not path.is_dir():
            raise SchedtuiError("is no directory", where=str(path))
        self._parts: list[Export] = [
            JsonlExport(path / "records.jsonl", frozenset({"record"})),
            JsonlExport(path / "events.jsonl", frozenset({"event"})),
            JsonlExport(path / "pods.jsonl", frozenset({"pod"})),
            MarkdownExport(path / "report.md", stories=False),
        ]

    def reserved(self) -> list[Path]:
        """The files of all parts."""
        return [path for part in self._parts for path in part.reserved()]

    def made_directories(self) -> list[Path]:
        """Those that the first part had to make, and nobody else's."""
        return [path for part in self._parts for path in part.made_directories()]

    def texts(self, files: Mapping[str, str]) -> None:
        """Take texts; empty ones get no file."""
        self._parts += [TextExport(self.path / name, text) for name, text in files.items() if text.strip()]

    def record(self, document: Callable[[], Document]) -> None:
        """Take a record."""
        for part in self._parts:
            part.record(document)

    def event(self, document: Document, *, masked: bool) -> None:
        """Take a queue event."""
        for part in self._parts:
            part.event(document, masked=masked)

    def story(self, story: PodStory, document: Document, *, masked: bool) -> None:
        """Take a pod's story."""
        for part in self._parts:
            part.story(story, document, masked=masked)

    def report(self, report: Report) -> None:
        """Take the report."""
        for part in self._parts:
            part.report(report)

    def seal(self) -> None:
        """Write all that is still to be written, in every file, before one of them appears."""
        for part in self._parts:
            part.seal()
            self.written += part.written

    def appear(self) -> None:
        """Give the files their names."""
        for part in self._parts:
            part.appear()

    def abandon(self) -> None:
        """Remove what has been written."""
        for part in self._parts:
            part.abandon()
