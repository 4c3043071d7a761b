"""Rotation on real files under a real writer, and everything else that happens to a followed file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.core.log_rows import Selection
from schedtui.sources import log_input, tail
from schedtui.sources.log_file import LogFile
from schedtui.sources.record_feed import Readable, _Source
from tests.sources.watched_store import DEADLINE_SECONDS, WatchedStore

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITER = """
import os, shutil, sys, time
path, how, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
number = 0

def write(descriptor, count):
    global number
    for _ in range(count):
        number += 1
        os.write(descriptor, b'I1130 08:15:23.677615   12567 a.go:1] "m" n=%d\\n' % number)

for turn in range(1, rounds + 1):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    write(descriptor, 400)
    print(number, flush=True)
    sys.stdin.readline()
    # What is written right before (and, by rename, right after) the rotation must not be lost.
    write(descriptor, 20)
    if how == "rename":
        os.rename(path, f"{path}.{turn}")
        write(descriptor, 1)
    elif how == "copytruncate":
        shutil.copyfile(path, f"{path}.{turn}")
        os.truncate(path, 0)
    elif how == "remove":
        os.unlink(path)
        time.sleep(0.3)
    os.close(descriptor)
"""


def entry(number: int, size: int = 0) -> str:
    return f'I1130 08:15:23.677615   12567 a.go:1] "m" n={number}{" x=" + "y" * size if size else ""}\n'


def numbers(store: WatchedStore) -> list[int]:
    return [int(text.partition(" n=")[2].split(" ")[0]) for text in store.texts() if " n=" in text]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WatchedStore]:
    store = WatchedStore(tmp_path / "k.log")
    yield store
    store.close()
    assert not store.failures


@pytest.mark.parametrize("how", ["rename", "copytruncate", "remove"])
def test_a_real_writer_loses_nothing_by_rotation(tmp_path: Path, store: WatchedStore, how: str) -> None:
    rounds = 3
    (tmp_path / "k.log").write_text(entry(0))
    records: list[int] = []
    store.subscribe_records(
        lambda batch: records.extend(int(str(one.fields["n"])) for one in batch if one.kind == "klog")
    )
    store.start()
    store.wait_texts(1)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "k.log"), how, str(rounds)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert writer.stdin is not None
    assert writer.stdout is not None
    for _ in range(rounds):
        last = int(writer.stdout.readline())
        store.wait(lambda state, last=last: numbers(store)[-1:] == [last])  # type: ignore[misc]
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    writer.wait(DEADLINE_SECONDS)
    last += 21 if how == "rename" else 20
    store.wait(lambda state: numbers(store)[-1:] == [last])
    assert numbers(store) == list(range(last + 1))
    assert sum("──" in text for text in store.texts()) >= rounds - 1
    deadline = time.monotonic() + DEADLINE_SECONDS
    while records[-1:] != [last]:
        assert time.monotonic() < deadline
        store.wait(lambda state: True)
    assert records == list(range(last + 1))


def test_copytruncate_whose_new_size_is_past_the_old_offset(tmp_path: Path, store: WatchedStore) -> None:
    path = tmp_path / "k.log"
    path.write_text("".join(entry(number) for number in range(1, 11)))
    store.start()
    store.wait_texts(10)
    # All within one look: copy, truncate, and more than there was before.
    with path.open("a") as file:
        file.write(entry(11))
    (tmp_path / "k.log.1").write_bytes(path.read_bytes())
    os.truncate(path, 0)
    with path.open("a") as file:
        file.write("".join(entry(number) for number in range(12, 40)))
    store.wait(lambda state: numbers(store)[-1:] == [39])
    assert numbers(store) == list(range(1, 40))
    assert any(text.startswith("── truncated ") for text in store.texts())


def test_truncation_without_a_copy_says_that_text_is_gone(tmp_path: Path, store: WatchedStore) -> None:
    path = tmp_path / "k.log"
    path.write_text("".join(entry(number) for number in range(1, 11)))
    store.start()
    store.wait_texts(10)
    path.write_text(entry(99))
    store.wait(lambda state: len(store.texts()) == 12)
    assert numbers(store) == [99]
    assert "the text above is gone" in next(text for text in store.texts() if text.startswith("──"))
    assert all("gone" in text for text in store.texts()[:10])


def test_a_file_that_is_not_there_yet_is_waited_for(tmp_path: Path, store: WatchedStore) -> None:
    store.start()
    store.wait(lambda state: any("waiting for" in note for note in state.notes))
    (tmp_path / "k.log").write_text(entry(1))
    assert store.wait_texts(1) == [entry(1).rstrip("\n")]
    assert store.state().notes == ()


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, store: WatchedStore) -> None:
    (tmp_path / "k.log").mkdir()
    store.start()
    state = store.wait(lambda state: state.notes)
    assert "is a directory" in state.notes[0]


def test_a_link_that_moves_on(tmp_path: Path, store: WatchedStore) -> None:
    (tmp_path / "run-1.log").write_text(entry(1))
    (tmp_path / "run-2.log").write_text(entry(2))
    (tmp_path / "k.log").symlink_to("run-1.log")
    store.start()
    store.wait_texts(1)
    (tmp_path / "next").symlink_to("run-2.log")
    (tmp_path / "next").replace(tmp_path / "k.log")
    store.wait(lambda state: numbers(store) == [1, 2])


def test_half_a_record_waits_and_is_then_shown_as_incomplete(
    tmp_path: Path, store: WatchedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.log"
    path.write_text(entry(1) + entry(2)[:30])
    started = time.monotonic()
    store.start()
    store.wait_texts(2)
    assert time.monotonic() - started >= log_input.OPEN_SECONDS * 0.9
    assert [row.incomplete for row in store.all_rows()] == [False, True]
    with path.open("a") as file:
        file.write(entry(2)[30:] + entry(3))
    store.wait(lambda state: numbers(store) == [1, 2, 3])
    assert [row.incomplete for row in store.all_rows()] == [False, False, False]


def test_an_open_block_waits_for_its_end(tmp_path: Path, store: WatchedStore) -> None:
    path = tmp_path / "k.log"
    path.write_text(entry(1) + 'E1130 08:15:24.000000   12567 a.go:2] "m" err=<\n\tone\n')
    store.start()
    store.wait_texts(2)
    assert store.all_rows()[1].incomplete
    with path.open("a") as file:
        file.write('\ttwo\n > pod="shop/cart-0"\n')
    store.wait(lambda state: state.lines == 5)
    rows = store.all_rows()
    assert [row.line_count for row in rows] == [1, 4]
    assert not rows[1].incomplete
    record = store.record(rows[1].number)
    assert record is not None
    assert record.pod == "shop/cart-0"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError('OS file watch limit reached. about ["/var/log"]'), "inotify limit"),
        (RuntimeError("Error creating recommended watcher: Too many open files (os error 24)"), "inotify limit"),
        (OSError("no such device"), "no such device"),
        (OSError("x" * 200), "x" * 39 + "…"),
    ],
)
def test_without_file_events_the_slow_look_goes_on(
    error: Exception, reason: str, tmp_path: Path, store: WatchedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    def used_up(*paths: object, **options: object) -> Iterator[set[object]]:
        raise error

    monkeypatch.setattr(watchfiles, "watch", used_up)
    path = tmp_path / "k.log"
    path.write_text(entry(1))
    store.start()
    store.wait(lambda state: state.notes == (f"no file events ({reason}): a look every 0.5 s",))
    with path.open("a") as file:
        file.write(entry(2))
    store.wait(lambda state: numbers(store) == [1, 2])


REALLY_USED_UP = """
import sys
from pathlib import Path
Path(f"/proc/sys/user/max_inotify_{sys.argv[1]}").write_text("0")
from tests.sources.watched_store import WatchedStore
path = Path(sys.argv[2])
store = WatchedStore(path)
store.start()
said = ("no file events (inotify limit): a look every 0.5 s",)
store.wait(lambda state: state.lines == 1 and state.notes == said)
with path.open("a") as file:
    file.write(path.read_text())
store.wait(lambda state: state.lines == 2 and state.notes == said)
store.close()
print("followed")
"""
"""Follows a log where no inotify instance, or no watch, is to be had: a user's own limits, set to none."""


@pytest.mark.parametrize("limit", ["instances", "watches"])
def test_with_the_systems_watches_used_up_the_log_is_followed(limit: str, tmp_path: Path) -> None:
    enter = ["unshare", "--user", "--map-root-user"]
    room = f"/proc/sys/user/max_inotify_{limit}"
    try:
        allowed = subprocess.run([*enter, "test", "-w", room], check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        allowed = False
    if not allowed:
        pytest.skip("no user namespaces here whose limits could be set")
    path = tmp_path / "k.log"
    path.write_text(entry(1))
    command = [*enter, sys.executable, "-c", REALLY_USED_UP, limit, str(path)]
    root = Path(__file__).parents[2]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=120)
    assert answer.stdout == "followed\n", answer.stderr


def test_a_late_writer_of_a_renamed_file_is_heard(tmp_path: Path) -> None:
    now = [1000.0]
    path = tmp_path / "k.log"
    path.write_text(entry(1))
    follower = tail.FileFollower(str(path), lambda: now[0])
    began, grew = follower.look()
    assert isinstance(began, tail.Began)
    assert isinstance(grew, tail.Grew)
    follower.mark_read(began.file, grew.size)
    old = path.open("a")
    path.rename(tmp_path / "k.log.1")
    path.write_text(entry(3))
    events = follower.look()
    assert [type(event).__name__ for event in events] == ["Began", "Grew"]
    old.write(entry(2))
    old.close()
    events = follower.look()
    assert any(isinstance(event, tail.Grew) and event.file is began.file for event in events)
    now[0] += tail.LATE_WRITER_SECONDS + 1
    follower.mark_read(began.file, began.file.size())
    assert not any(isinstance(event, tail.Grew) and event.file is began.file for event in follower.look())


@pytest.mark.parametrize("rest", [entry(5), entry(5) + entry(6)], ids=["one", "two"])
def test_what_a_late_writer_adds_takes_no_record_s_place(tmp_path: Path, store: WatchedStore, rest: str) -> None:
    path = tmp_path / "k.log"
    path.write_text(entry(1))
    store.start()
    store.wait_texts(1)
    with path.open("a") as old:
        path.rename(tmp_path / "k.log.1")
        path.write_text(entry(2) + entry(3))
        store.wait(lambda state: numbers(store) == [1, 2, 3])
        old.write(entry(4))
        old.flush()
        store.wait(lambda state: numbers(store) == [1, 2, 3, 4])
        with path.open("a") as new:
            new.write(rest)
        expected = [1, 2, 3, 4, 5, 6][: 4 + rest.count("\n")]
        store.wait(lambda state: numbers(store) == expected)
        with path.open("a") as new:
            new.write(entry(7))
        store.wait(lambda state: numbers(store) == [*expected, 7])
        assert store.state().records == len(expected) + 1


def test_a_filter_goes_on_over_what_is_written(tmp_path: Path, store: WatchedStore) -> None:
    path = tmp_path / "k.log"
    path.write_text("".join(entry(number) for number in range(1, 30)))
    store.start()
    store.wait_texts(29)
    store.select_and_wait(Selection(parts=("n>20",)))
    assert numbers(store) == list(range(21, 30))
    with path.open("a") as file:
        file.write(entry(5) + entry(77))
    store.wait(lambda state: numbers(store)[-1:] == [77])
    assert numbers(store) == [*range(21, 30), 77]


def test_a_file_that_was_rewritten_under_the_reader_is_read_from_its_copy(tmp_path: Path) -> None:
    """Between a truncation and its discovery another text stands at the offsets."""
    path = tmp_path / "k.log"
    text = "".join(entry(number) for number in range(50))
    path.write_text(text)
    file = LogFile.open(str(path))
    file.remember(len(text))
    generation = Readable(0, 1, file, len(text), ended=False)
    source = _Source(0)
    shutil.copyfile(path, tmp_path / "k.log.1")
    path.write_text("".join(entry(number) for number in range(1000, 1200)))
    assert not source.read((generation,))
    assert not source.waiting
    assert file.adopt_copy()
    assert source.read((generation,))
    source.read((generation,))
    assert [record.fields["n"] for record in source.waiting] == list(range(50))
    file.close()


@pytest.mark.parametrize("lines", [2, 40])
def test_a_truncation_right_behind_a_read_is_seen(tmp_path: Path, lines: int) -> None:
    """What is remembered of a file is what was read, whatever stands in its place by then."""
    path = tmp_path / "k.log"
    path.write_bytes(b"".join(entry(number).encode() for number in range(lines)))
    file = LogFile.open(str(path))
    size = file.size()
    assert file.read_into(bytearray(size), 0, size) == size
    (tmp_path / "k.log.1").write_bytes(path.read_bytes())
    path.write_bytes(b"".join(entry(number + 500).encode() for number in range(lines + 9)))
    assert not file.still_holds()
    file.remember(size)
    assert not file.is_unchanged()
    assert file.adopt_copy()
    assert file.is_unchanged()
    assert file.read(0, size).startswith(entry(0).encode())
    file.close()


@pytest.mark.parametrize("how", ["rename", "copytruncate", "remove"])
def test_a_large_file_that_comes_in_another_ones_place_stands_behind_it(tmp_path: Path, how: str) -> None:
    """More than a first look holds is there at once: none of it may stand in front of the old file's text."""
    path = tmp_path / "k.log"
    first = "".join(entry(number) for number in range(100))
    second = "".join(entry(number, 400) for number in range(100, 2_500))
    assert len(second) > 2 * log_input.TAIL_BYTES
    path.write_text(first)
    watched = WatchedStore(path)
    watched.start()
    try:
        watched.wait(lambda state: state.records == 100)
        if how == "rename":
            path.rename(tmp_path / "k.log.1")
            path.write_text(second)
        elif how == "copytruncate":
            shutil.copy(path, tmp_path / "k.log.1")
            path.write_text(second)
        else:
            path.unlink()
            watched.wait(lambda state: any("is gone" in note for note in state.notes))
            path.write_text(second)
        watched.wait(lambda state: state.records == 2_500 and state.indexing is None and state.selecting is None)
        texts = [row.text for row in watched.all_rows(60) if not row.notice]
        expected = (first + second).splitlines()
        assert texts == [text[:60] for text in expected]
    finally:
        watched.close()
