from __future__ import annotations

import gzip
import io
import os
import sys
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import UnreadableInput, WrongUse
from schedtui.sources import inputs
from schedtui.sources.inputs import read_inputs, resolve_inputs, span_of, span_of_all

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.core.record import Record


def line(second: float, text: str, letter: str = "I", date: str = "0301") -> str:
    return f'{letter}{date} 10:00:{second:09.6f}       1 x.go:1] "{text}"\n'


def write(path: Path, text: str, modified: datetime = datetime(2026, 3, 2)) -> str:
    path.write_text(text)
    stamp = (modified - datetime(1970, 1, 1)).total_seconds()
    os.utime(path, (stamp, stamp))
    return str(path)


def messages(records: list[Record]) -> list[str]:
    return [record.message for record in records]


def feed_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    class Stream:
        buffer = io.BufferedReader(io.BytesIO(data))

    monkeypatch.setattr(sys, "stdin", Stream())


def test_one_file_keeps_its_own_order(tmp_path: Path) -> None:
    name = write(tmp_path / "a.log", line(2, "two") + line(1, "one") + "plain\n" + line(3, "three"))
    records = list(read_inputs([name]))
    assert messages(records) == ["two", "one", "three"]
    assert [record.line for record in records] == [1, 2, 4]


def test_several_files_are_merged_by_time_each_in_its_own_order(tmp_path: Path) -> None:
    first = write(tmp_path / "a.log", line(1, "a1") + line(4, "a4") + line(3, "a3") + line(6, "a6"))
    second = write(tmp_path / "b.log", line(2, "b2") + line(5, "b5"))
    records = list(read_inputs([first, second]))
    assert messages(records) == ["a1", "b2", "a4", "a3", "b5", "a6"]
    assert [record.source for record in records] == [0, 1, 0, 0, 1, 0]


def test_text_and_json_logs_are_merged_on_one_clock(tmp_path: Path) -> None:
    text = write(tmp_path / "a.log", line(1, "text") + line(3, "text again"))
    as_json = write(tmp_path / "b.log", '{"ts":1772359202000.5,"msg":"json","v":1}\n')
    assert messages(list(read_inputs([text, as_json]))) == ["text", "json", "text again"]


def test_the_same_file_by_two_paths_comes_once(tmp_path: Path) -> None:
    name = write(tmp_path / "a.log", line(1, "one"))
    (tmp_path / "link.log").symlink_to(name)
    assert messages(list(read_inputs([name, str(tmp_path / "link.log"), name]))) == ["one"]


def test_a_copy_adds_nothing(tmp_path: Path) -> None:
    text = line(1, "one") + line(1, "one") + line(2, "two") + "continued\n" + line(3, "three")
    first, second = write(tmp_path / "a.log", text), write(tmp_path / "b.log", text)
    assert messages(list(read_inputs([first, second]))) == ["one", "one", "two", "three"]


def test_the_twins_of_klog_are_shown_once(tmp_path: Path) -> None:
    """klog writes each record to the file of its severity and to those of all lower ones."""
    error, warning, info = line(2, "error", "E"), line(3, "warning", "W"), line(1, "info")
    late = line(1.5, "late", "E")
    names = [
        write(tmp_path / "s.INFO", info + error + late + warning + line(4, "info again")),
        write(tmp_path / "s.WARNING", error + late + warning),
        write(tmp_path / "s.ERROR", error + late),
    ]
    assert messages(list(read_inputs(names))) == ["info", "error", "late", "warning", "info again"]
    assert messages(list(read_inputs(names[::-1]))) == ["info", "error", "late", "warning", "info again"]


def test_gzip_is_known_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(gzip.compress(line(1, "one").encode()) + gzip.compress(line(2, "two").encode()))
    assert messages(list(read_inputs([str(path)]))) == ["one", "two"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_known_by_its_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    """What a Windows shell's ``>`` writes."""
    text = "\ufeff" + line(1, "日本語").replace("\n", "\r\n") + line(2, "two")
    path = tmp_path / "a.log"
    path.write_bytes(text.encode(encoding))
    assert messages(list(read_inputs([str(path)]))) == ["日本語", "two"]
    packed = tmp_path / "b.log"
    packed.write_bytes(gzip.compress(text.encode(encoding)))
    assert messages(list(read_inputs([str(packed)]))) == ["日本語", "two"]
    feed_standard_input(monkeypatch, text.encode(encoding) + b"\x20")
    assert messages(list(read_inputs(["-"])))[:1] == ["日本語"]


def test_a_cut_archive_shows_what_is_there_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    text = "".join(line(i % 60, os.urandom(20).hex()) for i in range(5000))
    path.write_bytes(gzip.compress(text.encode())[:100_000])
    records: list[Record] = []
    with pytest.raises(UnreadableInput) as caught:
        records.extend(read_inputs([str(path)]))
    assert "cut" in caught.value.title
    records = []
    try:
        for record in read_inputs([str(path)]):
            records.append(record)
    except UnreadableInput:
        pass
    assert len(records) > 1000


def test_a_broken_archive_is_an_error_of_the_family(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    whole = gzip.compress(line(1, "one").encode())
    path.write_bytes(whole[:12] + b"\xff\xff\xff" + whole[15:])
    with pytest.raises(UnreadableInput):
        list(read_inputs([str(path)]))


def test_standard_input_plain_and_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    feed_standard_input(monkeypatch, line(1, "one").encode())
    assert messages(list(read_inputs(["-"]))) == ["one"]
    feed_standard_input(monkeypatch, gzip.compress(line(1, "one").encode()))
    assert messages(list(read_inputs(["-"]))) == ["one"]
    feed_standard_input(monkeypatch, b"")
    assert list(read_inputs(["-"])) == []


def test_standard_input_is_merged_with_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stamped = "2026-03-01T10:00:02Z stderr F " + line(2, "two")
    feed_standard_input(monkeypatch, stamped.encode())
    name = write(tmp_path / "a.log", line(1, "one") + line(3, "three"))
    assert messages(list(read_inputs(["-", name]))) == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("names", "kind"),
    [([], WrongUse), (["-", "-"], WrongUse), (["missing.log"], UnreadableInput), (["."], UnreadableInput),
     (["bad\0name"], UnreadableInput)],
)  # fmt: skip
def test_what_cannot_be_read_is_told_at_once(
    names: list[str], kind: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind):
        resolve_inputs(names)


def test_an_empty_file_has_no_records_and_no_span(tmp_path: Path) -> None:
    name = write(tmp_path / "a.log", "")
    assert list(read_inputs([name])) == []
    (log,) = resolve_inputs([name])
    assert span_of(log).last_us is None


def test_the_year_comes_from_the_time_of_the_last_write(tmp_path: Path) -> None:
    name = write(
        tmp_path / "a.log",
        line(1, "old", date="1231") + line(1, "new", date="0101"),
        modified=datetime(2019, 1, 1, 12),
    )
    times = [record.time for record in read_inputs([name])]
    assert [time.year for time in times if time] == [2018, 2019]
    assert all(record.time_guessed == ("year",) for record in read_inputs([name]))


def test_new_years_in_the_middle_of_a_large_file_are_seen(tmp_path: Path) -> None:
    filler = "x" * 200
    parts = []
    for year in range(3):
        parts += [
            line(i % 60, f"{year} {filler}", date=date) for date in ("0301", "0901", "1230") for i in range(4000)
        ]
    name = write(tmp_path / "a.log", "".join(parts), modified=datetime(2026, 12, 31))
    assert (tmp_path / "a.log").stat().st_size > 4 * inputs.HEAD_BYTES
    years = {int(record.message[0]): record.time.year for record in read_inputs([name]) if record.time}
    assert years == {0: 2024, 1: 2025, 2: 2026}
    (log,) = resolve_inputs([name])
    span = span_of(log)
    first, last = datetime(2024, 3, 1, 10), datetime(2026, 12, 30, 10, 0, 39)
    epoch = datetime(1970, 1, 1)
    assert span.first_us == (first - epoch).total_seconds() * 1e6
    assert span.last_us is not None
    assert span.last_us >= (last - epoch).total_seconds() * 1e6


def test_spans_of_several_inputs(tmp_path: Path) -> None:
    logs = resolve_inputs([
        write(tmp_path / "a.log", line(1, "a") + line(5, "b")),
        write(tmp_path / "b.log", line(3, "c") + line(9, "d")),
    ])  # fmt: skip
    span = span_of_all(map(span_of, logs))
    assert span.first_us is not None
    assert span.last_us is not None
    assert span.last_us - span.first_us == 8_000_000


def test_an_archives_span_is_read_through(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress("".join(line(i % 60, "x" * 300) for i in range(6000)).encode()))
    (log,) = resolve_inputs([str(path)])
    span = span_of(log)
    assert span.first_us is not None
    assert span.last_us is not None
    assert span.last_us - span.first_us == 59_000_000


def test_unwanted_bytes_are_not_parsed(tmp_path: Path) -> None:
    name = write(tmp_path / "a.log", line(1, "keep") + line(2, "drop") + line(3, "drop"))
    (log,) = resolve_inputs([name])
    kept = list(inputs.read_input(log, wanted=lambda raw: b"keep" in raw))
    # The last line of an input may still go on: it is always handed over.
    assert [record.line for record in kept] == [1, 3]


def test_a_file_that_grows_faster_than_it_is_read_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "growing.log"
    line = b'I0301 10:00:00.000001       1 x.go:1] "words"\n'
    path.write_bytes(line * 10_000)
    with path.open("ab", buffering=0) as writer:
        for record in read_inputs([str(path)]):
            writer.write(line * 2)
            assert record.line <= 10_000
