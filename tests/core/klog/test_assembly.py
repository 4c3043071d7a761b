from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.klog import (
    Clock,
    RecordReader,
    assembly,
    parse_record,
    read_records,
    split_records,
    starts_record,
)
from tests.core.klog.reading import HEADER, read
from tests.core.klog.test_cases import BLOCK, DOCKER_PANIC, JSON_LOG, NEW_PANIC, OLD_PANIC, RAW_PANIC
from tests.core.klog.test_wrappers import JOURNAL

if TYPE_CHECKING:
    import pytest

    from schedtui.core.record import Record

MIXED = (
    "cut line\n" + HEADER + '"one" k="v"\n' + BLOCK + RAW_PANIC + NEW_PANIC + OLD_PANIC + DOCKER_PANIC + JOURNAL
    + "2026-03-01T10:00:00.1Z stderr P " + HEADER + '"half\n2026-03-01T10:00:00.2Z stderr F  ä" k=1\n'
    + "2024-07-11T04:13:00Z debug layer=debugger x\n\n\n" + HEADER + '"crlf" k="v"\r\n' + JSON_LOG
).encode()  # fmt: skip
"""Every shape that assembly knows, one after the other."""


def in_chunks(data: bytes, cuts: list[int]) -> list[Record]:
    reader = RecordReader(clock=Clock(2026))
    records: list[Record] = []
    at = 0
    for cut in sorted(cuts):
        records += reader.feed(data[at:cut])
        at = cut
    return records + reader.feed(data[at:]) + reader.finish()


WHOLE = in_chunks(MIXED, [])


@given(st.lists(st.integers(0, len(MIXED)), max_size=30))
def test_any_chunking_gives_the_same_records(cuts: list[int]) -> None:
    assert in_chunks(MIXED, cuts) == WHOLE


def test_byte_by_byte_gives_the_same_records() -> None:
    assert in_chunks(MIXED, list(range(len(MIXED)))) == WHOLE


@given(st.integers(0, len(MIXED)), st.lists(st.integers(0, len(MIXED)), max_size=5))
def test_looking_at_what_is_pending_changes_nothing(end: int, cuts: list[int]) -> None:
    reader = RecordReader(clock=Clock(2026))
    records: list[Record] = []
    at = 0
    for cut in sorted(min(cut, end) for cut in cuts):
        records += reader.feed(MIXED[at:cut])
        reader.pending()
        at = cut
    records += reader.feed(MIXED[at:end]) + reader.finish()
    assert records == in_chunks(MIXED[:end], [])


@given(st.integers(0, len(MIXED)), st.integers(0, len(MIXED)))
def test_any_part_of_a_log_can_be_read_and_loses_no_text(start: int, end: int) -> None:
    part = MIXED[start:end]
    records = read(part)
    covered = sum(record.line_count for record in records)
    assert covered == part.count(b"\n") + (0 if not part or part.endswith(b"\n") else 1)


def test_offsets_cut_the_log_into_its_records() -> None:
    text = ("cut\n" + BLOCK + RAW_PANIC + HEADER + '"m"\n' + JSON_LOG).encode()
    spans = split_records(text)
    records = read(text)
    assert spans == [(record.offset, record.length) for record in records]
    assert b"".join(text[offset : offset + length] for offset, length in spans) == text
    for record in records:
        alone = parse_record(
            text[record.offset : record.offset + record.length],
            line=record.line,
            offset=record.offset,
            clock=Clock.for_year(2026, guessed=True),
        )
        assert (alone.raw, alone.fields, alone.message, alone.offset, alone.length, alone.line_count) == (
            record.raw, record.fields, record.message, record.offset, record.length, record.line_count,
        )  # fmt: skip


def test_one_record_is_parsed_whatever_its_lines_are() -> None:
    record = parse_record(HEADER.encode() + b"printf\n" + HEADER.encode() + b"a second header\n")
    assert record.line_count == 2
    assert parse_record(b"").raw == ""
    assert parse_record(b"plain").kind == "plain"


def test_which_lines_start_records() -> None:
    assert starts_record(HEADER.encode() + b"x\n")
    assert starts_record(b"2026-03-01T10:00:00Z stderr F " + HEADER.encode())
    assert starts_record(b'{"ts":1,"msg":"m"}')
    assert starts_record(b"API server listening at: [::]:40000")
    assert not starts_record(b"\t" + HEADER.encode())
    assert not starts_record(b" > k=1")
    assert not starts_record(b"words")
    assert not starts_record(b"")


def test_plain_lines_stand_alone_below_anything_but_klog() -> None:
    first, second, indented, json_record, after = read(
        'one\ntwo\n\tthree\n{"ts":1678174252192.5,"msg":"m","v":1}\nfour\n'.replace("\tthree\n", "five\n\tthree\n")
    )
    assert [record.raw for record in (first, second, indented)] == ["one", "two", "five\n\tthree"]
    assert (json_record.kind, after.raw) == ("json", "four")


def test_a_klog_record_with_a_half_line_is_pending_and_incomplete() -> None:
    reader = RecordReader()
    reader.feed(HEADER.encode() + b'"m" k="v"\n' + HEADER.encode() + b'"half')
    pending = reader.pending()
    assert pending is not None
    assert (pending.line, pending.incomplete) == (2, True)
    assert [record.message for record in reader.finish()] == ["m", '"half']
    assert reader.pending() is None


def test_a_whole_last_line_is_pending_and_complete() -> None:
    reader = RecordReader()
    assert reader.feed(HEADER.encode() + b'"m"\n') == []
    pending = reader.pending()
    assert pending is not None
    assert not pending.incomplete


def test_reading_goes_on_where_it_is_told() -> None:
    reader = RecordReader(2, Clock(2026), line=10, offset=1000)
    (record,) = reader.feed(HEADER.encode() + b"x\n") + reader.finish()
    assert (record.source, record.line, record.offset) == (2, 10, 1000)


def test_unwanted_lines_are_left_out_but_their_dates_count() -> None:
    text = (
        b'I1231 23:59:59.000000       1 x.go:1] "no"\nI0101 00:00:00.000000       1 x.go:1] "no"\n'
        b'I0102 00:00:00.000000       1 x.go:1] "yes"\nI0102 00:00:00.000000       1 x.go:1] "no"\nplain\n'
    )
    reader = RecordReader(clock=Clock(2025), wanted=lambda raw: b"yes" in raw)
    kept = reader.feed(text) + reader.finish()
    assert [(record.message, record.line) for record in kept] == [("yes", 3), ("no", 4)]
    assert kept[0].time is not None
    assert kept[0].time.year == 2026


def test_a_line_without_end_is_cut_at_the_same_place_for_any_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "LONGEST_LINE", 100)
    data = b"x" * 950 + b"\n" + HEADER.encode() + b"y" * 300 + b"\nz\n"
    whole = in_chunks(data, [])
    assert in_chunks(data, list(range(0, len(data), 7))) == whole
    assert sum(record.length for record in whole) == len(data)


def test_a_record_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "LONGEST_RECORD", 1000)
    records = read(HEADER + "x\n" + "continued\n" * 1000)
    assert len(records) > 1
    assert sum(record.line_count for record in records) == 1001


@given(st.binary(max_size=400))
def test_any_bytes_are_records(data: bytes) -> None:
    for record in read_records(data):
        dict(record.fields)
        record.raw.encode("utf-8")


SHAPES = st.sampled_from([
    b"I0301 10:00:00.000001       1 x.go:1] ", b'"m" ', b"k=<\n", b"\t", b" >", b'="v"', b"\n", b"\r\n",
    b'{"ts":1,', b'"msg":"m"}', b'{"log":"', b'\\n","stream":"stderr"}', b"2026-03-01T10:00:00Z ", b"stderr P ",
    b"stderr F ",
    b"Feb 14 19:59:55 box s[1]: ", b"[pod/a/b] ", b"goroutine 1 [x]:\n", b"{", b"}", b"map[", b"]", b'"', b"\\",
    b"\xff", b"\0", b"Log file created at: 2026/02/30 00:00:00\n", b"E0229 00:00:00.000000] ", b"> ",
    b"Trace[1]: ",
])  # fmt: skip


@given(st.lists(SHAPES, max_size=40).map(b"".join))
def test_any_mix_of_shapes_gives_records_that_cover_it(data: bytes) -> None:
    records = read(data)
    for record in records:
        dict(record.fields)
    lines = data.count(b"\n") + (0 if not data or data.endswith(b"\n") else 1)
    assert sum(record.line_count for record in records) == lines
    spans = split_records(data)
    assert spans == [(record.offset, record.length) for record in records]
