from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.klog import Clock, read_records, split_records
from schedtui.core.log_chunk import joined, sliced
from schedtui.core.log_headers import UNKNOWN_TIME
from schedtui.core.log_index import ChunkBuilder, YearHint, padded
from schedtui.core.log_sites import UNKNOWN_LEVEL, SiteTable
from tests.sources.real_logs import real_log

if TYPE_CHECKING:
    from schedtui.core.log_chunk import Chunk

REAL_LOGS = (
    "v1.36.3-v5-churn7.log",
    "v1.36.3-v10-mixed.log",
    "v1.36.3-v5-mixed.json.log",
    "v1.37.2-v5-stalled.log",
)

LINES = (
    b'I1130 08:15:23.677615   12567 flags.go:64] FLAG: --config=""',
    b'I1130 08:15:24.000001   12567 eventhandlers.go:214] "Add event for unscheduled pod" pod="shop/cart-1"',
    b'E1130 08:15:25.000002       1 schedule_one.go:1060] "Error scheduling pod; retrying" err=<',
    b"\tplugin returned:",
    b'\tI0102 15:04:05.678901   12345 schedule_one.go:302] "Successfully bound pod to node" pod="fake/pod"',
    b"\t >",
    b' > pod="shop/cart-0" attempts=3',
    b"",
    b"fit failure on node (node-a): Insufficient cpu",
    b"goroutine 228 [running]:",
    b'{"ts":1796025520847.0527,"caller":"flag/flags.go:64","msg":"FLAG","v":1}',
    b'{"ts":1796025520848.5,"caller":"cli/run.go:72","msg":"command failed","err":"no"}',
    b"W0229 12:00:00.000000       1 x.go:1] leap day",
    b"I20250102 03:04:05.678901       1 x.go:1] glog with a year",
    b"E0831 20:03:47.184243] Name: text key=value",
    b'2024-03-02T01:55:48.613937621+08:00 stderr F I0301 17:55:48.613828       1 a.go:8] "m" pod="shop/cart-0"',
    b"Feb 14 19:59:55 box systemd-journald[275]: Suppressed 170 messages from kube-scheduler.service",
    b"bad \xff bytes \x00 and \x1b[31m colour",
)


def index(data: bytes, sites: SiteTable | None = None, year: int = 2026) -> Chunk:
    chunk = ChunkBuilder(sites or SiteTable()).build(padded(data), len(data), 0, YearHint(year), whole=True)
    assert chunk is not None
    return chunk


def boundaries(chunk: Chunk) -> list[tuple[int, int]]:
    return [(chunk.start(i), chunk.stop(i) - chunk.start(i)) for i in range(len(chunk))]


@pytest.mark.parametrize("name", REAL_LOGS)
def test_real_logs_split_as_the_parser_splits_them(name: str) -> None:
    data = real_log(name)
    assert boundaries(index(data)) == split_records(data)


@pytest.mark.parametrize("name", REAL_LOGS)
def test_columns_agree_with_the_parsed_records(name: str) -> None:
    data = real_log(name)
    sites = SiteTable()
    chunk = index(data, sites)
    times = chunk.times()
    for i, record in enumerate(read_records(data, 0, Clock.for_year(2026, guessed=True))):
        assert (chr(chunk.severity[i]) if chunk.severity[i] else None) == record.severity
        site = sites.sites[chunk.site[i]]
        if record.file is not None:
            assert (site.file, site.src_line) == (record.file, record.src_line)
            assert site.logged_level == record.v
        expected = UNKNOWN_TIME if record.time_us is None else record.time_us
        assert int(times[i]) == expected
        assert chunk.line_counts[i] == record.line_count


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=40))
def test_any_mixture_of_lines_splits_as_the_parser_splits_it(lines: list[bytes]) -> None:
    data = b"\n".join(lines) + b"\n"
    bare = [line for line in lines if not line.startswith((b"2024", b"Feb"))]
    if bare == lines:
        assert boundaries(index(data)) == split_records(data)


CRI = b"2026-03-01T01:55:48.613937621Z "
JOURNAL = b"Feb 14 19:59:55 box kube-scheduler[7]: "
WRAPPED = (
    CRI + b'stderr F I0301 17:55:48.613828       1 a.go:8] "m" pod="shop/cart-0"',
    CRI + b'stderr P I0301 17:55:48.613828       1 a.go:8] "m',
    CRI + b"stderr P  in the middle",
    CRI + b'stderr F  end" pod="shop/cart-1"',
    CRI + b"stdout F said by another stream",
    CRI + b"stdout P said in",
    CRI + b"stdout F  pieces",
    CRI + b'stderr F E0301 17:55:48.613828       1 a.go:8] "m" err=<',
    CRI + b'stderr F \tI0102 15:04:05.678901   12345 schedule_one.go:302] "Successfully bound pod to node"',
    CRI + b"stderr F  > attempts=3",
)
JOURNALLED = (
    JOURNAL + b'I0301 17:55:48.613828       1 a.go:8] "m" pod="shop/cart-0"',
    JOURNAL + b'E0301 17:55:48.613828       1 a.go:8] "m" err=<',
    JOURNAL + b"plugin returned:",
    JOURNAL + b'I0102 15:04:05.678901   12345 schedule_one.go:302] "Successfully bound pod to node" pod="f/p"',
    JOURNAL + b'> pod="shop/cart-0" attempts=3',
    b"Feb 14 19:59:56 box sshd[99]: Accepted publickey for someone",
    b'Feb 14 19:59:57 box etcd[12]: {"level":"info","msg":"compacted"}',
    JOURNAL + b"goroutine 1 [running]:",
)


@pytest.mark.parametrize("choice", [WRAPPED, JOURNALLED])
@given(data=st.data())
def test_wrapped_lines_split_as_the_parser_splits_them(choice: tuple[bytes, ...], data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from(choice), min_size=1, max_size=30))
    text = b"\n".join(lines) + b"\n"
    split = sorted(split_records(text))
    found = index(text)
    assert [start for start, _ in boundaries(found)] == [start for start, _ in split]
    if found.ends is not None:
        assert boundaries(found) == split
    again = joined([sliced(found, 0, 1), sliced(found, 1, len(found))]) if len(found) > 1 else found
    assert [again.stop(place) for place in range(len(again))] == [found.stop(place) for place in range(len(found))]
    assert (again.base, again.end) == (found.base, found.end) == (0, len(text))


def test_a_block_that_begins_within_a_journals_stripped_lines_finds_the_real_header() -> None:
    lines = [JOURNALLED[3], JOURNALLED[4], *(JOURNALLED[0],) * 5]
    text = b"half a line\n" + b"\n".join(lines) + b"\n"
    chunk = ChunkBuilder(SiteTable()).build(padded(text), len(text), 1000, YearHint(2026))
    assert chunk is not None
    assert chunk.base == 1000 + text.index(JOURNALLED[0])


@given(st.lists(st.sampled_from(LINES), min_size=2, max_size=60), st.data())
def test_blocks_indexed_backward_give_the_same_columns(lines: list[bytes], data: st.DataObject) -> None:
    whole = index(b"\n".join(lines) + b"\n")
    text = b"\n".join(lines) + b"\n"
    builder = ChunkBuilder(SiteTable())
    end = len(text)
    chunks: list[Chunk] = []
    while end:
        start = data.draw(st.integers(0, end - 1))
        chunk = None
        while chunk is None:
            block = padded(text[start:end])
            chunk = builder.build(block, end - start, start, YearHint(2026), whole=start == 0)
            if chunk is None:
                start //= 2
        chunks.insert(0, chunk)
        end = chunk.base if start else 0
    starts = [offset for chunk in chunks for offset, _ in boundaries(chunk)]
    klog_only = all(line[:1] in (b"I", b"E", b"W", b"\t", b" ", b"") for line in lines) and lines[0][:1] in b"IEW"
    if klog_only:
        assert starts == [offset for offset, _ in boundaries(whole)]
    assert starts == sorted(set(starts))


@given(st.binary(max_size=2_000))
def test_any_bytes_are_covered_once(data: bytes) -> None:
    chunk = ChunkBuilder(SiteTable()).build(padded(data), len(data), 0, YearHint(2026), whole=True)
    if chunk is None:
        assert not data
        return
    covered = boundaries(chunk)
    assert covered[0][0] == 0
    assert sum(length for _, length in covered) == len(data)
    assert int(chunk.line_counts.sum()) == data.count(b"\n") + (0 if data.endswith(b"\n") else 1)


def test_new_year_and_leap_day() -> None:
    lines = (
        b'I1231 23:59:59.999990       1 a.go:302] "x"',
        b'I0101 00:00:00.000010       1 a.go:302] "x"',
        b'I1231 23:59:59.999999       1 a.go:302] "a thread that was late"',
        b'I0101 00:00:00.000011       1 a.go:302] "x"',
        b"I0229 12:00:00.000000       1 x.go:1] leap day",
    )
    times = index(b"\n".join(lines) + b"\n", year=2028).times()
    found = [datetime.fromtimestamp(int(time) / 1e6, UTC).strftime("%Y%m%d") for time in times]
    assert found == ["20271231", "20280101", "20271231", "20280101", "20280229"]


def test_a_record_of_any_length_and_number_of_lines() -> None:
    block = b"".join(b"\tline\n" for _ in range(70_000))
    data = (
        b'E1130 08:15:25.000002       1 a.go:1] "m" err=<\n'
        + block
        + b" >\nI1130 08:15:26.000000       1 b.go:2] x\n"
    )
    chunk = index(data)
    assert chunk.line_counts.tolist() == [70_002, 1]
    assert boundaries(chunk) == split_records(data)


def test_join_and_slice_are_opposites() -> None:
    data = real_log("v1.36.3-v5-churn7.log")
    chunk = index(data)
    parts = [sliced(chunk, 0, 100), sliced(chunk, 100, 5_000), sliced(chunk, 5_000, len(chunk))]
    again = joined(parts)
    assert boundaries(again) == boundaries(chunk)
    assert np.array_equal(again.times(), chunk.times())
    assert again.line_total == chunk.line_total


def test_levels_are_asked_once_per_call_site_with_its_message() -> None:
    asked: list[tuple[str, int, str]] = []

    def lookup(file: str, src_line: int, message: str) -> int | None:
        asked.append((file, src_line, message))
        return 3 if file == "eventhandlers.go" else None

    sites = SiteTable(lookup)
    index(real_log("v1.36.3-v5-churn7.log"), sites)
    assert len(asked) == len(set(asked)) == len(sites.sites) - 1
    assert ("eventhandlers.go", 214, "Add event for unscheduled pod") in asked
    levels = sites.levels()
    assert {levels[i] for i, site in enumerate(sites.sites) if site.file == "eventhandlers.go"} == {3}
    assert levels[0] == UNKNOWN_LEVEL


def test_json_lines_carry_their_own_level() -> None:
    sites = SiteTable(lambda *_: 9)
    data = real_log("v1.36.3-v5-mixed.json.log")
    chunk = index(data, sites)
    levels = sites.levels()[chunk.site]
    for i, record in enumerate(read_records(data)):
        if record.v is not None:
            assert levels[i] == record.v


def test_etcds_objects_have_severity_and_time() -> None:
    data = (
        b'{"level":"warn","ts":"2026-11-30T11:36:05.815380Z","caller":"auth/store.go:1137","msg":"simple token"}\n'
        b'{"level":"info","ts":"2026-11-30T12:36:06.000001+0100","caller":"embed/etcd.go:9","msg":"ready"}\n'
        b'{"message":"whoever wrote this"}\n'
    )
    sites = SiteTable(lambda *_: None)
    chunk = index(data, sites)
    records = list(read_records(data))
    assert [chr(value) for value in chunk.severity] == [record.severity for record in records] == ["W", "I", "E"]
    assert chunk.times().tolist()[:2] == [record.time_us for record in records[:2]]
    assert sites.sites[int(chunk.site[0])].file == "store.go"


def test_wrapped_headers_are_found_at_any_width() -> None:
    lines = [
        b'2024-03-02T01:55:48.613937621+08:00 stderr F I0301 17:55:48.613828       1 a.go:8] "m" pod="s/p-%d"' % i
        for i in range(5)
    ]
    chunk = index(b"\n".join(lines) + b"\n", year=2024)
    assert chunk.severity.tolist() == [ord("I")] * 5
    assert [datetime.fromtimestamp(int(time) / 1e6, UTC).hour for time in chunk.times()] == [17] * 5


NINES = "9" * 5000


@pytest.mark.parametrize("text", [
    '{"ts":1e400,"msg":"x"}', f'{{"ts":{NINES},"msg":"x"}}', '{"ts":1e18,"caller":"x.go:1","msg":"x","v":1}',
    f'{{"ts":1.5,"caller":"x.go:{NINES}","msg":"x","v":1}}',
    f'{{"ts":1.5,"caller":"x.go:1","msg":"x","v":{NINES}}}',
    f'I1130 08:15:24.000001   12567 x.go:{NINES}] "m"', f'I1130 08:15:24.000001   {NINES} x.go:1] "m"',
    'I00001130 08:15:24.000001   1 x.go:1] "m"', 'I99991231 23:59:59.999999   1 x.go:1] "m"',
    'I0230 08:15:24.000001   1 x.go:1] "m"', 'I0000 08:15:24.000001   1 x.go:1] "m"',
    f'{{"log":"{{\\"ts\\":{NINES},\\"msg\\":\\"x\\"}}\\n","stream":"stderr"}}',
    '{"level":"info","ts":"0000-00-00T99:99:99","msg":"x"}',
    '2020-03-01T10:00:00Z stderr P \na | \t  resourceName: x\na | \tclientConnection:',
])  # fmt: skip
def test_numbers_that_nothing_can_hold_end_no_index(text: str) -> None:
    data = (text + "\n").encode()
    for whole in (True, False):
        chunk = ChunkBuilder(SiteTable()).build(padded(data), len(data), 0, YearHint(2026), whole=whole)
        if chunk is not None:
            assert all(chunk.start(index) < chunk.stop(index) <= len(data) for index in range(len(chunk)))
            assert all(
                moment is None or 0 <= moment < 253_402_300_800_000_000
                for moment in map(chunk.time, range(len(chunk)))
            )


def test_a_beginning_whose_end_never_came_is_a_row() -> None:
    data = b'{"log":"I0301 10:00:00.000001 1 x.go:1] cut","stream":"stderr"}\n\ta line of no container\n'
    chunk = ChunkBuilder(SiteTable()).build(padded(data), len(data), 0, YearHint(2026), whole=True)
    assert chunk is not None
    assert chunk.start(0) == 0
    assert int(chunk.line_counts.sum()) == 2
