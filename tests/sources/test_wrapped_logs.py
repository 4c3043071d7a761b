"""Logs as container runtimes and journals keep them: rows are the records that the parser reads."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from schedtui.core.klog import Clock, read_records
from schedtui.core.log_rows import Selection
from schedtui.core.message_levels import lookup
from schedtui.core.record import EPOCH
from tests.sources.watched_store import WatchedStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CRI = "2026-03-01T01:55:48.613937621Z "
HEADER = "I0301 17:55:48.613828       1 a.go:8] "
INTERLEAVED = (
    f'{CRI}stderr P {HEADER}"first\n'
    f"{CRI}stdout F another stream\n"
    f'{CRI}stderr F  half" pod="shop/cart-0"\n'
    f'{CRI}stderr F {HEADER}"second" pod="shop/cart-1"\n'
)
JOURNAL = "Feb 14 19:59:55 box kube-scheduler[7]: "
STRIPPED = (
    f"{JOURNAL}E0301 17:55:48.613828       1 a.go:8] \"m\" err=<\n"
    f"{JOURNAL}plugin returned:\n"
    "Feb 14 19:59:56 box sshd[99]: Accepted publickey for someone\n"
    f"{JOURNAL}I0102 15:04:05.678901   12345 x.go:302] \"Successfully bound pod to node\" pod=\"f/p\" node=\"n\"\n"
    f"{JOURNAL}> pod=\"shop/cart-0\" attempts=3\n"
    f"{JOURNAL}{HEADER}\"next\" pod=\"shop/cart-1\"\n"
)  # fmt: skip


def opened(path: Path, text: str) -> WatchedStore:
    path.write_text(text)
    store = WatchedStore(path)
    store.start()
    store.wait_whole()
    return store


def test_pieces_of_a_line_are_joined_by_stream(tmp_path: Path) -> None:
    store = opened(tmp_path / "cri.log", INTERLEAVED)
    try:
        rows = store.all_rows()
        assert [row.line for row in rows] == [1, 2, 4]
        records = [store.record(row.number) for row in rows]
        expected = list(read_records(INTERLEAVED.encode(), 0, Clock.for_year(2026, guessed=True)))
        assert sorted(record.raw for record in records if record) == sorted(record.raw for record in expected)
        assert records[0] is not None
        assert (records[0].message, records[0].pod) == ("first half", "shop/cart-0")
        for expression, lines in (
            ("pod:cart-0", [1]), ('"first half"', [1]), ("another", [2]), ("half !another", [1]),
        ):  # fmt: skip
            store.select_and_wait(Selection(parts=(expression,)))
            assert [row.line for row in store.all_rows()] == lines, expression
        store.select_and_wait(Selection())
        store.search("first half")
        assert store.wait(lambda state: state.search and state.searching is None).search_matches == 1
    finally:
        store.close()
    assert not store.failures


def test_a_piece_whose_end_has_not_come_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "cri.log"
    first, *rest = INTERLEAVED.splitlines(keepends=True)
    store = opened(path, f'{CRI}stderr F {HEADER}"zero"\n')
    try:
        for piece in (first, *rest):
            with path.open("a") as file:
                file.write(piece)
        store.wait(lambda state: state.last - state.first == 4)
        assert [row.line for row in store.all_rows()] == [1, 2, 3, 5]
        record = store.record(store.state().first + 1)
        assert record is not None
        assert record.message == "first half"
    finally:
        store.close()


def test_blocks_whose_tabs_the_journal_has_taken_away_stay_one_record(tmp_path: Path) -> None:
    store = opened(tmp_path / "journal.log", STRIPPED)
    try:
        rows = store.all_rows()
        assert [(row.line, row.severity) for row in rows] == [(1, "E"), (3, None), (6, "I")]
        record = store.record(rows[0].number)
        assert record is not None
        assert (record.pod, record.fields["attempts"], "sshd" in record.raw) == ("shop/cart-0", 3, False)
        store.select_and_wait(Selection(parts=("node:n",)))
        assert store.texts() == []
        store.select_and_wait(Selection(parts=("pod:shop/cart-0",)))
        assert [row.line for row in store.all_rows()] == [1]
    finally:
        store.close()


def test_such_a_block_may_grow_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.log"
    store = opened(path, f"{JOURNAL}{HEADER}\"zero\"\n")  # fmt: skip
    try:
        for piece in STRIPPED.splitlines(keepends=True):
            with path.open("a") as file:
                file.write(piece)
            size = path.stat().st_size
            store.wait(lambda state, size=size: state.size == size)  # type: ignore[misc]
        store.wait(lambda state: state.lines == 7)
        assert [row.line for row in store.all_rows()] == [1, 2, 4, 7]
    finally:
        store.close()


def test_a_journal_in_json_is_indexed_as_it_is_parsed(tmp_path: Path) -> None:
    def entry(message: object, time: int, unit: str = "kube-scheduler") -> str:
        keys = {"_HOSTNAME": "box", "MESSAGE": message, "SYSLOG_IDENTIFIER": unit, "_PID": "7"}
        return json.dumps({"_BOOT_ID": "b" * (time % 3), **keys, "__REALTIME_TIMESTAMP": str(time)}) + "\n"

    bound = '"Successfully bound pod to node" pod="shop/cart-0" node="n"'
    text = "".join((
        entry(HEADER + bound, 1772388000000000), entry("Accepted publickey", 1772388000000001, "sshd"),
        entry(f'E{HEADER[1:]}"m" err=<', 1772388000000002), entry("plugin returned", 1772388000000003),
        entry('> pod="shop/cart-1"', 1772388000000004),
        entry(list((HEADER + '"\x1b[1m"').encode()), 1772388000000005),
    ))  # fmt: skip
    store = opened(tmp_path / "journal.json", text)
    try:
        rows = store.all_rows()
        assert [(row.line, row.severity) for row in rows] == [(1, "I"), (2, None), (3, "E"), (6, None)]
        records = [store.record(row.number) for row in rows]
        assert [record.pod for record in records if record] == ["shop/cart-0", None, "shop/cart-1", None]
        assert [record.severity for record in records if record] == ["I", None, "E", "I"]
        assert rows[0].time_us == records[0].time_us if records[0] else False
        for expression, lines in (
            ("pod:shop/cart-0", [1]), ("node=n", [1]), ('"bound pod"', [1]), ('pod="shop/cart-1"', [3]),
            ("severity>=E", [3]), ('/node="n"/', [1]),
        ):  # fmt: skip
            store.select_and_wait(Selection(parts=(expression,)))
            assert [row.line for row in store.all_rows()] == lines, expression
    finally:
        store.close()
    assert not store.failures


BOUND = '"Successfully bound pod to node" pod="shop/cart-0" node="n"'
WRAPPERS: dict[str, Callable[[str], str]] = {
    "docker": lambda text: json.dumps(
        {"log": text + "\n", "stream": "stderr", "time": "2020-03-01T10:00:00.5Z"}, separators=(",", ":")
    ),
    "docker, spaced": lambda text: json.dumps(
        {"stream": "stderr", "log": text + "\n", "time": "2020-03-01T10:00:00Z"}
    ),
    "journal": lambda text: json.dumps(
        {"_BOOT_ID": "b", "MESSAGE": text, "__REALTIME_TIMESTAMP": "1583056800000000"}
    ),
    "cri": lambda text: f"2020-03-01T10:00:00.5Z stderr F {text}",
    "kubectl": lambda text: f"[pod/s-0/kube-scheduler] 2020-03-01T10:00:00Z {text}",
    "coloured": lambda text: f"\x1b[33m2020-03-01 10:00:00 {text}\x1b[0m",
    "windows": lambda text: f"2020-03-01T10:00:00Z {text}\r",
}
"""Each dates its lines: the file itself is of today."""


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS.keys())
def test_severity_level_and_year_are_known_behind_any_wrapper(tmp_path: Path, wrap: Callable[[str], str]) -> None:
    texts = (
        f"I0301 10:00:00.000001       1 x.go:2] {BOUND}",
        'E0301 10:00:01.000002       1 x.go:1] "m" err="e"',
        'I0301 10:00:02.000003       1 flags.go:64] FLAG: --v="2"',
        '{"ts":1583056803000.5,"caller":"x/y.go:8","msg":"Attempting to schedule pod","v":3,"pod":{"name":"a"}}',
        '{"ts":1583056804000.5,"caller":"x/y.go:9","msg":"Error scheduling pod; retrying","err":"e"}',
    )
    path = tmp_path / "wrapped.log"
    path.write_text("".join(wrap(text) + "\n" for text in texts), newline="")
    store = WatchedStore(path, level_lookup=lookup)
    store.start()
    try:
        store.wait_texts(len(texts))
        rows = store.all_rows()
        records = [store.record(row.number) for row in rows]
        assert [row.severity for row in rows] == ["I", "E", "I", "I", "E"]
        assert [row.v for row in rows] == [2, None, 1, 3, None]
        assert [row.time_us for row in rows] == [record.time_us for record in records if record]
        assert {record.time.year for record in records if record and record.time} == {2020}
        store.select_and_wait(Selection(parts=("after:2020-03-01T10:00:01", "before:2020-03-01T10:00:03")))
        assert [row.line for row in store.all_rows()] == [2, 3]
    finally:
        store.close()
    assert not store.failures


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("I1231 {} | I0101 {}", [2019, 2020]),
        ("I0922 {} | I0121 {} | I0524 {}", [2020, 2021, 2021]),
        ("I0229 {} | I0301 {}", [2020, 2020]),
        ("I20190102 {} | I0103 {}", [2019, 2019]),
        ("I0102 {} trace (02-Jan-2018 10:00:00.000) | I0103 {}", [2018, 2018]),
    ],
)
def test_years_come_from_what_proves_them(tmp_path: Path, text: str, years: list[int]) -> None:
    """Case C10: what is dated is one line; the file was written in 2021."""
    header = "10:00:00.000001       1 x.go:2] m"
    lines = [one.format(header) for one in text.split(" | ")]
    path = tmp_path / "k.log"
    path.write_text("\n".join(lines) + "\n")
    stamp = datetime(2021, 6, 1, tzinfo=UTC).timestamp()
    os.utime(path, (stamp, stamp))
    if "0922" not in text and "trace" not in text and "2019" not in text:
        os.utime(path, (stamp - 366 * 86_400,) * 2)
    store = WatchedStore(path)
    store.start()
    try:
        store.wait_texts(len(lines))
        found = [EPOCH + timedelta(microseconds=row.time_us or 0) for row in store.all_rows()]
        assert [moment.year for moment in found] == years
        assert "0229" not in text or (found[0].month, found[0].day) == (2, 29)
    finally:
        store.close()


def test_a_header_in_a_block_behind_a_glued_prefix_is_none(tmp_path: Path) -> None:
    """Case C11 as docker compose prints it."""
    text = "".join(f"kube-scheduler-1  | {one}\n" for one in (
        f'E{HEADER[1:]}"m" err=<', f"\tI0102 15:04:05.678901   12345 s.go:3] {BOUND}", ' > pod="shop/cart-0"',
        f'{HEADER}"next"',
    ))  # fmt: skip
    store = opened(tmp_path / "compose.log", text)
    try:
        assert [(row.line, row.severity) for row in store.all_rows()] == [(1, "E"), (4, "I")]
        first = store.record(store.state().first)
        assert first is not None
        assert (first.pod, first.line_count) == ("shop/cart-0", 3)
        assert [record.message for record in read_records(text.encode())] == ["m", "next"]
    finally:
        store.close()


def test_the_debugger_s_own_lines_have_their_severity(tmp_path: Path) -> None:
    """Case C33."""
    text = (
        "API server listening at: [::]:40000\n"
        "2024-07-11T04:13:00Z debug layer=debugger callInjection protocol on:\n"
        "2024-07-11T04:13:00Z error layer=rpc writing response:write tcp: use of closed network connection\n"
    )
    store = opened(tmp_path / "dlv.log", text)
    try:
        assert [row.severity for row in store.all_rows()] == [None, "I", "E"]
        assert store.next_severity(store.state().first, 1, "E") == store.state().first + 2
    finally:
        store.close()


def test_a_field_that_is_called_like_docker_s_text_is_a_field(tmp_path: Path) -> None:
    text = '{"level":"warn","msg":"m","log":"I0301 10:00:00.000001 1 x.go:2] no","ts":1583056803000.5}\n'
    store = opened(tmp_path / "own.json", text * 2)
    try:
        assert [(row.line, row.severity) for row in store.all_rows()] == [(1, "W"), (2, "W")]
    finally:
        store.close()


FILE_HEADER = "Log file created at: {}\nRunning on machine: m\nBinary: Built with gc go1.26 for linux/amd64\n"


@pytest.mark.parametrize(
    ("created", "dates", "year", "guessed"),
    [
        ("2019/03/01 10:00:00", ("0301", "0302"), 2019, ()),
        ("2019/12/31 23:59:59", ("0101", "0102"), 2020, ()),
        ("2019/11/30 10:00:00", ("1130", "0102"), 2020, ()),
        ("", ("0301", "0302"), 2021, ("year",)),
        # Longer than a year: which of them the last lines are of was counted from the wrong end.
        ("2018/03/01 10:00:00", ("0301", "0701", "1201", "0401", "0801", "1201", "0201"), 2019, ("year",)),
    ],
)
@pytest.mark.parametrize("between", [0, 6_000])
def test_a_year_that_the_files_header_proves_is_no_guess(
    tmp_path: Path, created: str, dates: tuple[str, ...], year: int, guessed: tuple[str, ...], between: int
) -> None:
    """With lines between, the header stands beyond what is indexed first."""
    path = tmp_path / "k.log"
    rest = ' 10:00:00.000001       1 x.go:2] "m"\n'
    filler = f"I{dates[0]}{rest}" * between
    path.write_text(
        (FILE_HEADER.format(created) if created else "") + filler + "".join(f"I{one}{rest}" for one in dates)
    )
    stamp = datetime(2021, 6, 1, tzinfo=UTC).timestamp()
    os.utime(path, (stamp, stamp))
    store = WatchedStore(path)
    store.start()
    try:
        store.wait_whole()
        record = store.record(store.state().last - 1)
        assert record is not None
        assert record.time is not None
        assert (record.time.year, record.time_guessed) == (year, guessed)
    finally:
        store.close()
    assert not store.failures
