from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import UnreadableInput
from schedtui.core.klog import Clock, read_records
from schedtui.core.log_filter import LogSpan, parse_filter
from schedtui.core.log_rows import ALL_LEVELS, Selection
from schedtui.core.record_facets import nodes_of
from schedtui.sources import log_input
from schedtui.sources.log_pieces import ADDRESS_BITS
from schedtui.ui.widgets.log_panels import filter_for
from tests.small_disk import small_disk
from tests.sources.real_logs import real_log
from tests.sources.watched_store import DEADLINE_SECONDS, WatchedStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schedtui.core.record import Record

CHURN = "v1.36.3-v5-churn7.log"
OFFSET = (1 << ADDRESS_BITS) - 1


def line(second: int, text: str = "x", severity: str = "I") -> str:
    return f'{severity}1130 08:{second // 60:02}:{second % 60:02}.000000   12567 a.go:{second % 7 + 1}] "{text}"\n'


@pytest.fixture
def churn(tmp_path: Path) -> Iterator[WatchedStore]:
    path = tmp_path / "k.log"
    path.write_bytes(real_log(CHURN))
    store = WatchedStore(path)
    store.start()
    store.wait_whole()
    yield store
    store.close()
    assert not store.failures


def records_of(name: str) -> list[Record]:
    return list(read_records(real_log(name), 0, Clock.for_year(2026, guessed=True)))


def test_every_record_is_a_row_with_its_line(churn: WatchedStore) -> None:
    rows = churn.all_rows(300)
    records = records_of(CHURN)
    assert [row.text for row in rows] == [record.raw.split("\n")[0][:300] for record in records]
    assert [row.line for row in rows] == [record.line for record in records]
    assert [row.line_count for row in rows] == [record.line_count for record in records]
    assert [row.time_us for row in rows] == [record.time_us for record in records]
    assert churn.record(rows[100].number) == records[100]


@pytest.mark.parametrize("expression", [
    "gated-17", '"Add event"', "Pod", "/bind.*node-[12]/", "/^E/", "severity>=W", "pod:default/gated-17",
    "pod:gated-17", "node:node-2", "plugin:PodTopologySpread", "file:eventhandlers.go", "file:batch.go:107",
    "feasibleNodes=8", "feasibleNodes>7", "event=PodAdd", "!pod:default/gated-17 severity:I",
    "after:08:15:30 before:08:15:31", "queue=Active | queue:Backoff", 'message:"Attempting"', "pid:12567 !FLAG",
    "kind:plain", "-3s", "hint:*", "logger:Bind", "err:*",
])  # fmt: skip
def test_a_filter_on_index_and_bytes_selects_what_the_parsed_records_say(
    churn: WatchedStore, expression: str
) -> None:
    records = records_of(CHURN)
    times = [record.time_us for record in records if record.time_us is not None]
    wanted = parse_filter(expression, LogSpan(times[0], times[-1]))
    state = churn.select_and_wait(Selection(parts=(expression,)))
    assert state.filter_error is None
    found = [row.address & OFFSET for row in churn.all_rows(10)]
    assert found == [record.offset for record in records if wanted(record)]


def test_a_wrong_filter_is_refused_and_the_selection_stays(churn: WatchedStore) -> None:
    state = churn.select_and_wait(Selection(parts=("(pod",)))
    assert state.filter_error
    assert "character" in state.filter_error
    assert state.selection == Selection()


def test_levels_hide_and_errors_and_unknown_levels_stay(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_bytes(real_log(CHURN))
    known = {"eventhandlers.go": 3, "batch.go": 5}
    store = WatchedStore(path, level_lookup=lambda file, line, message: known.get(file))
    store.start()
    whole = store.wait_whole()
    records = records_of(CHURN)
    per_file = {file: sum(record.file == file for record in records) for file in known}
    assert whole.counts.exact == {3: per_file["eventhandlers.go"], 5: per_file["batch.go"]}
    assert whole.counts.errors == sum(record.severity == "E" for record in records)
    assert whole.counts.unknown == len(records) - whole.counts.errors - sum(per_file.values())
    state = store.select_and_wait(Selection(level=4))
    assert state.last - state.first == len(records) - per_file["batch.go"]
    assert {row.v for row in store.all_rows(10)} == {3, None}
    store.set_level_lookup(lambda file, line, message: 9)
    store.wait(lambda state: state.generation > 1 and state.selecting is None)
    assert {row.severity for row in store.all_rows(10)} == {"E"}
    store.close()


def test_a_json_log_brings_its_own_levels(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_bytes(real_log("v1.36.3-v5-mixed.json.log"))
    store = WatchedStore(path)
    store.start()
    store.wait_whole()
    records = records_of("v1.36.3-v5-mixed.json.log")
    store.select_and_wait(Selection(level=2))
    expected = [record.offset for record in records if record.severity != "I" or (record.v or 0) <= 2]
    assert [row.address & OFFSET for row in store.all_rows(10)] == expected
    store.close()


def test_a_selection_near_a_record_keeps_it_at_hand(churn: WatchedStore) -> None:
    rows = churn.all_rows(10)
    chosen = next(row for row in rows[300:] if churn.record(row.number).pod == "default/gated-17")  # type: ignore[union-attr]
    churn.select_and_wait(Selection(parts=("pod:default/gated-17",)), chosen.address)
    number = churn.row_of(chosen.address)
    assert number is not None
    assert churn.rows(number, 1, 10)[0].address == chosen.address


def test_context_lines_are_marked_as_such(churn: WatchedStore) -> None:
    churn.select_and_wait(Selection(parts=("file:run.go",), context=2))
    rows = churn.all_rows(10)
    assert [row.context for row in rows] == [True, True, False]


def test_search_counts_and_jumps(churn: WatchedStore) -> None:
    churn.search("gated-17")
    state = churn.wait(lambda state: state.search == "gated-17" and state.searching is None)
    expected = [i for i, record in enumerate(records_of(CHURN)) if "gated-17" in record.raw]
    assert state.search_matches == len(expected)
    first = churn.next_match(state.first - 1, 1)
    assert first == state.first + expected[0]
    assert churn.next_match(first, 1) == state.first + expected[1]
    assert churn.next_match(first, -1) is None
    assert churn.rows(first, 1, 10)[0].matches


def test_jumps_to_errors_times_and_lines(churn: WatchedStore) -> None:
    records = records_of(CHURN)
    state = churn.state()
    errors = [state.first + i for i, record in enumerate(records) if record.severity == "E"]
    assert churn.next_severity(state.first, 1, "E") == errors[0]
    assert churn.next_severity(state.last, -1, "W") == errors[-1]
    assert churn.row_at_time(records[4_000].time_us or 0) is not None
    number = churn.row_at_time(records[4_000].time_us or 0)
    assert churn.rows(number or 0, 1, 10)[0].time_us == records[4_000].time_us
    address = churn.address_of_line(records[500].line)
    assert churn.row_of(address or 0) == state.first + 500


def test_counting_a_field(churn: WatchedStore) -> None:
    churn.count_by("node")
    churn.wait(lambda state: (table := churn.count_table()) is not None and table.done is None)
    table = churn.count_table()
    assert table is not None
    records = records_of(CHURN)
    assert {row.value: row.count for row in table.rows}["node-2"] == sum(
        "node-2" in nodes_of(record) for record in records
    )


@pytest.mark.parametrize(
    "field_name",
    [
        "severity",
        "v",
        "message",
        "plugin",
        "node",
        "pod",
        "namespace",
        "site",
        "event",
        "unschedulable plugins",
        "err",
    ],
)
def test_a_row_of_a_count_filters_to_as_many_records(churn: WatchedStore, field_name: str) -> None:
    churn.count_by(field_name)
    churn.wait(lambda state: (table := churn.count_table()) is not None and table.done is None)
    table = churn.count_table()
    assert table is not None
    assert table.rows
    for row in table.rows[:8]:
        state = churn.select_and_wait(Selection(parts=(filter_for(table.field, row.value),)))
        assert (state.filter_error, state.last - state.first) == (None, row.count), row.value


def test_a_count_goes_on_with_what_is_written_and_over_another_selection(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_text(line(1, "a") + line(2, "b", "E"))
    store = WatchedStore(path)

    def counts() -> dict[str, int]:
        table = store.count_table()
        return {row.value: row.count for row in table.rows} if table is not None and table.done is None else {}

    store.start()
    store.wait_texts(2)
    store.count_by("message")
    store.wait(lambda state: counts() == {"a": 1, "b": 1})
    with path.open("a") as file:
        file.write(line(3, "a") + line(4, "c"))
    store.wait(lambda state: counts() == {"a": 2, "b": 1, "c": 1})
    store.select(Selection(parts=("severity:E",)))
    store.wait(lambda state: counts() == {"b": 1})
    with path.open("a") as file:
        file.write(line(5, "a") + line(6, "d", "E"))
    store.wait(lambda state: counts() == {"b": 1, "d": 1})
    store.count_by("")
    store.wait(lambda state: store.count_table() is None)
    store.close()
    assert not store.failures


def test_saving_masks_secrets_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_text('I1130 08:15:23.677615   12567 a.go:1] "m" token="abcdef0123456789abcdef" pod="a/b"\n')
    store = WatchedStore(path)
    store.start()
    store.wait_whole()
    assert store.save(str(tmp_path / "masked.log")) == 1
    assert store.save(str(tmp_path / "plain.log"), mask=False) == 1
    store.close()
    assert "abcdef0123456789" not in (tmp_path / "masked.log").read_text()
    assert (tmp_path / "plain.log").read_bytes() == path.read_bytes()
    assert stat.S_IMODE((tmp_path / "masked.log").stat().st_mode) == 0o600


def test_saving_onto_a_full_disk_leaves_nothing_half(churn: WatchedStore, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1) as disk:
        with pytest.raises(UnreadableInput, match="No space left on device"):
            churn.save(str(disk / "saved.log"))
        assert list(disk.iterdir()) == []
        with pytest.raises(UnreadableInput, match="File exists"):
            (disk / "mine.log").write_text("mine")
            churn.save(str(disk / "mine.log"))
        assert (disk / "mine.log").read_text() == "mine"


def test_row_numbers_stay_while_the_beginning_is_indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_input, "BLOCK_BYTES", 20_000)
    monkeypatch.setattr(log_input, "TAIL_BYTES", 5_000)
    path = tmp_path / "k.log"
    path.write_bytes(real_log(CHURN))
    store = WatchedStore(path)
    seen: dict[int, int] = {}
    store.start()
    state = store.wait(lambda state: state.last > state.first)
    while state.indexing is not None or state.selecting is not None:
        for row in store.rows(state.last - 50, 50, 10):
            assert seen.setdefault(row.number, row.address) == row.address
        state = store.wait(lambda new, old=state: new is not old)  # type: ignore[misc]
    assert len(seen) >= 10
    assert [row.address & OFFSET for row in store.all_rows(5)] == [record.offset for record in records_of(CHURN)]
    assert store.all_rows(5)[-1].line == records_of(CHURN)[-1].line
    store.close()


def test_a_line_of_300_000_characters_costs_what_is_visible(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    long = f'E1130 08:15:23.000000   12567 a.go:1] "m" err="{"x" * 300_000}" pod="shop/cart-0"\n'
    path.write_text(line(1) + long + line(2))
    store = WatchedStore(path)
    store.start()
    store.wait_whole()
    assert len(store.all_rows(80)[1].text) == 80
    assert store.rows(store.state().first + 1, 1, 200_000)[0].text[199_990:] == "x" * 10
    record = store.record(store.state().first + 1)
    assert record is not None
    assert record.pod == "shop/cart-0"
    store.select_and_wait(Selection(parts=("pod:shop/cart-0",)))
    assert len(store.all_rows(10)) == 1
    store.close()


def test_an_archive_and_standard_input(tmp_path: Path) -> None:
    archive = tmp_path / "k.log.gz"
    archive.write_bytes(gzip.compress(real_log(CHURN)))
    store = WatchedStore(archive)
    store.start()
    state = store.wait(lambda state: state.ended and state.indexing is None and state.selecting is None)
    assert state.records == len(records_of(CHURN))
    store.close()
    script = (
        "import sys\n"
        "from tests.sources.watched_store import WatchedStore\n"
        "store = WatchedStore('-'); store.start()\n"
        "store.wait(lambda state: state.ended and state.indexing is state.selecting is None)\n"
        "print(len(store.texts()), store.texts()[-1][:30]); store.close()\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], input=real_log(CHURN), capture_output=True, check=True,
        timeout=DEADLINE_SECONDS * 2,
    )  # fmt: skip
    assert result.stdout.decode().split()[0] == str(len(records_of(CHURN)))


@pytest.mark.parametrize(
    "pack", [gzip.compress, lambda text: text.decode().encode("utf-16")], ids=["gzip", "utf-16"]
)
def test_archives_and_utf16_are_known_by_their_bytes(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "k.log.1"
    path.write_bytes(pack(b"".join(line(number).encode() for number in range(1, 4))))
    store = WatchedStore(path)
    store.start()
    store.wait(lambda state: state.ended and state.records == 3)
    assert store.wait_texts(3) == [line(number).strip() for number in range(1, 4)]
    store.close()


def test_a_text_whose_name_ends_like_an_archive_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "k.log.gz"
    path.write_text(line(1) + line(2))
    store = WatchedStore(path)
    store.start()
    assert store.wait_texts(2) == [line(1).strip(), line(2).strip()]
    assert not store.state().notes
    store.close()


def test_a_named_pipe_is_shown_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    store = WatchedStore(path)
    store.start()
    with path.open("wb", buffering=0) as pipe:
        pipe.write(line(1).encode())
        assert store.wait_texts(1) == [line(1).strip()]
        assert not store.state().ended
        pipe.write(line(2).encode())
        assert len(store.wait_texts(2)) == 2
    store.wait(lambda state: state.ended)
    store.close()


def test_a_broken_archive_says_so_and_shows_what_there_is(tmp_path: Path) -> None:
    archive = tmp_path / "k.log.gz"
    archive.write_bytes(gzip.compress(real_log(CHURN))[:-50_000])
    store = WatchedStore(archive)
    store.start()
    state = store.wait(lambda state: state.ended and state.records)
    assert state.notes
    assert state.records
    store.close()


def test_the_same_file_by_two_names_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_text(line(1))
    (tmp_path / "link.log").symlink_to(path)
    store = WatchedStore(path, tmp_path / "link.log")
    assert store.inputs == [str(path)]


def test_files_merge_by_time_and_twins_count_once(tmp_path: Path) -> None:
    info = [line(second, f"m{second}", "E" if second % 5 == 0 else "I") for second in range(40)]
    (tmp_path / "INFO").write_text("".join(info))
    (tmp_path / "ERROR").write_text("".join(text for text in info if text.startswith("E")))
    other = [line(second, f"other {second}") for second in range(10, 60, 3)]
    (tmp_path / "other").write_text("".join(other))
    store = WatchedStore(tmp_path / "INFO", tmp_path / "ERROR", tmp_path / "other")
    records: list[Record] = []
    done = threading.Event()
    store.subscribe_records(records.extend, done.set)
    store.start()
    store.wait_whole()
    expected = sorted([*info, *other], key=lambda text: text[6:14])
    assert sorted(store.texts()) == sorted(text.rstrip("\n") for text in expected)
    times = [row.time_us or 0 for row in store.all_rows()]
    assert times == sorted(times)
    assert done.wait(DEADLINE_SECONDS)
    assert [record.time_us for record in records] == times
    with (tmp_path / "other").open("a") as file:
        file.write(line(70, "late"))
    store.wait(lambda state: state.last - state.first == len(expected) + 1)
    assert store.texts()[-1].endswith('"late"')
    store.close()


@pytest.mark.parametrize("names", [("INFO", "ERROR"), ("ERROR", "INFO")])
def test_twins_that_are_flushed_one_after_the_other_count_once(tmp_path: Path, names: tuple[str, str]) -> None:
    """klog flushes its ERROR file first; the INFO file brings what stands around the errors, and them again."""
    for name in names:
        (tmp_path / name).write_text(line(1, "before", "E"))
    store = WatchedStore(*(tmp_path / name for name in names))
    records: list[Record] = []
    store.subscribe_records(records.extend)
    store.start()
    store.wait_texts(1)
    expected = [line(1, "before", "E")]
    for turn in range(3):
        error, again = (line(turn * 10 + second, "x", "E") for second in (12, 12))
        with (tmp_path / "ERROR").open("a") as file:
            file.write(error + again)
        if turn:
            # It may be seen before the other file has it.
            store.wait(lambda state, turn=turn: state.records >= 2 + turn * 4)  # type: ignore[misc]
        text = [line(turn * 10 + 11), error, again, line(turn * 10 + 13)]
        with (tmp_path / "INFO").open("a") as file:
            file.write("".join(text))
        expected += text
        count = len(expected)
        store.wait(lambda state, count=count: state.records >= count)  # type: ignore[misc]
        assert sorted(store.texts()) == sorted(one.strip() for one in expected)
    assert store.state().records == len(expected)
    store.close()
    assert not store.failures


def test_twins_are_found_where_threads_wrote_out_of_order(tmp_path: Path) -> None:
    late = line(9, "nine")
    (tmp_path / "INFO").write_text(line(10, "ten", "E") + late + line(11))
    (tmp_path / "ERROR").write_text(line(10, "ten", "E"))
    store = WatchedStore(tmp_path / "INFO", tmp_path / "ERROR")
    store.start()
    store.wait_whole()
    assert [text.split()[-1] for text in store.texts()] == ['"ten"', '"nine"', '"x"']
    store.close()


def test_half_a_line_of_one_of_several_inputs_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_input, "OPEN_SECONDS", 0.0)
    one, two = tmp_path / "one.log", tmp_path / "two.log"
    one.write_text(line(1, "one"))
    two.write_text(line(2, "two"))
    store = WatchedStore(one, two)
    store.start()
    store.wait_texts(2)
    with one.open("a") as file:
        file.write(line(3, "three")[:40])
        file.flush()
        for second in range(4, 7):
            with two.open("a") as other:
                other.write(line(second))
            store.wait(lambda state, count=second - 1: state.records == count)  # type: ignore[misc]
        file.write(line(3, "three")[40:])
    store.wait(lambda state: state.records == 6)
    assert line(3, "three").strip() in store.texts()
    store.close()


def test_many_small_growths_of_several_inputs_stay_few_pieces(tmp_path: Path) -> None:
    one, two = tmp_path / "one.log", tmp_path / "two.log"
    one.write_text(line(1, "one"))
    two.write_text(line(2, "two"))
    store = WatchedStore(one, two)
    store.start()
    store.wait_texts(2)
    for turn in range(6):
        for path in (one, two):
            with path.open("a") as file:
                file.write(line(turn + 3, path.name))
        store.wait(lambda state, count=turn * 2 + 4: state.records == count)  # type: ignore[misc]
    assert [row.line for row in store.all_rows() if row.source == 1] == list(range(1, 8))
    assert [row.time_us for row in store.all_rows()] == sorted(row.time_us or 0 for row in store.all_rows())
    assert len(store._published.pieces.pieces) == 1
    store.close()


def test_records_come_in_file_order_while_the_index_goes_backward(churn: WatchedStore, tmp_path: Path) -> None:
    store = WatchedStore(tmp_path / "k.log")
    records: list[Record] = []
    done = threading.Event()
    store.subscribe_records(records.extend, done.set)
    store.start()
    assert done.wait(DEADLINE_SECONDS)
    assert [record.offset for record in records] == [record.offset for record in records_of(CHURN)]
    done.clear()
    with (tmp_path / "k.log").open("a") as file:
        file.write(line(1, "one more"))
    assert done.wait(DEADLINE_SECONDS)
    assert records[-1].message == "one more"
    store.close()


def test_all_threads_end(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_text(line(1))
    before = set(threading.enumerate())
    store = WatchedStore(path)
    store.subscribe_records(lambda records: None)
    store.start()
    store.wait_whole()
    store.close()
    assert set(threading.enumerate()) <= before
    links = Path("/proc/self/fd")
    if links.is_dir():
        assert not [one for one in links.iterdir() if one.is_symlink() and str(path) in str(one.readlink())]


def test_everything_is_shown_from_level_ten_on(churn: WatchedStore) -> None:
    state = churn.select_and_wait(Selection(level=ALL_LEVELS, parts=("",)))
    assert state.last - state.first == len(records_of(CHURN))
