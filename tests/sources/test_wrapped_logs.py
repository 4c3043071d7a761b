"""Logs as container runtimes and journals keep them: rows are the records that the parser reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from schedtui.core.klog import Clock, read_records
from schedtui.core.log_rows import Selection
from tests.sources.watched_store import WatchedStore

if TYPE_CHECKING:
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
