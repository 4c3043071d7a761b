"""A large log's history comes as events, the rest as records, and both together are the whole log."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from schedtui.core.event_reader import EventReader, fact_of
from schedtui.core.story_teller import StoryTeller
from schedtui.sources import feed_history, parallel
from schedtui.sources.inputs import clock_of, resolve_inputs
from schedtui.sources.log_store import LogStore
from schedtui.sources.reread import reread_pods
from tests.sources.real_logs import real_log

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
    from pathlib import Path

    from schedtui.core.record import Record
    from schedtui.sources.feed_history import Fact
    from schedtui.sources.log_site_counts import SiteCount

SECONDS = 60
CRI = b"2026-11-30T07:50:25.408448123+00:00 stderr F "


class _Taker:
    """Takes both."""

    def __init__(self, path: Path) -> None:
        self.facts: list[Fact] = []
        self.head: list[Record] = []
        self.records: list[Record] = []
        self.progress: list[tuple[int, int]] = []
        self.sites: tuple[SiteCount, ...] = ()
        self.upto = 0
        self.caught_up = threading.Event()
        self.store = LogStore((str(path),), lambda _state: None)
        self.store.subscribe_records(self.records.extend, self.caught_up.set, self)

    def begin(self, head: Sequence[Record]) -> None:
        self.head += head

    def take(self, facts: Sequence[Fact], done: int, total: int) -> None:
        self.facts += facts
        self.progress.append((done, total))

    def end(self, source: int, number: int, upto: int) -> None:
        self.sites = self.store.site_counts(source, number, upto)
        self.upto = upto

    def run(self) -> list[Fact]:
        """Everything that was handed over, as events."""
        self.store.start()
        try:
            assert self.caught_up.wait(SECONDS)
        finally:
            self.store.close()
        later = [fact_of(record) for record in self.records]
        return self.facts + [fact for fact in later if fact is not None]


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_history, "WORTH_IT_BYTES", 100_000)
    monkeypatch.setattr(feed_history, "RANGE_BYTES", 150_000)
    monkeypatch.setattr(feed_history, "TAIL_BYTES", 50_000)
    monkeypatch.setattr(parallel, "RANGE_BYTES", 150_000)


def _expected(path: Path, data: bytes) -> list[Fact]:
    (log,) = resolve_inputs([str(path)])
    reader = EventReader(clock_of(log, data[:100_000]))
    return reader.facts(data) + reader.last_facts()


@pytest.mark.parametrize("name", ["v1.36.3-v5-churn7.log", "v1.36.3-v10-mixed.json.log"])
def test_history_and_records_are_the_whole_log(name: str, tmp_path: Path) -> None:
    path, data = tmp_path / name, real_log(name)
    path.write_bytes(data)
    taker = _Taker(path)
    assert taker.run() == _expected(path, data)
    assert taker.facts
    assert taker.records
    assert taker.records[0].line == data.count(b"\n", 0, taker.upto) + 1
    assert taker.progress[-1] == (taker.upto, len(data))
    assert any("FLAG: --v=" in record.message for record in taker.head)


def test_call_sites_are_counted_by_the_index(tmp_path: Path) -> None:
    path, data = tmp_path / "a.log", real_log("v1.36.3-v5-churn7.log")
    path.write_bytes(data)
    taker = _Taker(path)
    taker.run()
    attempts = [site for site in taker.sites if site.message == "Attempting to schedule pod"]
    lines = [line for line in data[: taker.upto].splitlines() if b'"Attempting to schedule pod"' in line]
    assert [(site.records, site.information) for site in attempts] == [(len(lines), len(lines))]
    assert attempts[0].information_bytes == sum(len(line) + 1 for line in lines)
    errors = [site for site in taker.sites if site.message == "Unhandled Error"]
    assert all(not site.information for site in errors)


def test_a_log_that_ends_in_half_a_line_is_caught_up(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(real_log("v1.36.3-v5-churn7.log")[:-7])
    taker = _Taker(path)
    taker.run()
    assert taker.records


def test_a_log_without_a_place_to_cut_comes_as_records(tmp_path: Path) -> None:
    path = tmp_path / "cri.log"
    lines = real_log("v1.36.3-v5-churn7.log").splitlines()
    path.write_bytes(b"".join(CRI + line + b"\n" for line in lines))
    taker = _Taker(path)
    assert len(taker.run()) > 1000
    assert not taker.facts


def test_a_worker_that_was_killed_leaves_the_rest_to_the_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, data = tmp_path / "a.log", real_log("v1.36.3-v5-churn7.log")
    path.write_bytes(data)
    answers = feed_history._answer
    answered: list[int] = []

    def second_is_killed(child: subprocess.Popen[bytes]) -> bytes | None:
        answered.append(1)
        if len(answered) == 2:
            child.kill()
            child.wait()
        return answers(child) if len(answered) == 1 else None

    monkeypatch.setattr(feed_history, "_answer", second_is_killed)
    taker = _Taker(path)
    assert taker.run() == _expected(path, data)
    assert 0 < taker.upto < len(data) // 2


def test_a_story_is_the_same_whoever_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, pods = tmp_path / "a.log", ("default/vip-0", "default/fat-10")
    path.write_bytes(real_log("v1.36.3-v10-mixed.log"))
    taker = _Taker(path)
    taker.store.start()
    try:
        assert taker.caught_up.wait(SECONDS)
        generations = taker.store.readable()
        by_workers, by_records = StoryTeller(pods), StoryTeller(pods)
        progress: list[tuple[int, int]] = []
        for event in reread_pods(generations, pods, lambda done, total: progress.append((done, total))):
            by_workers.apply_event(event)
        monkeypatch.setattr(feed_history, "WORTH_IT_BYTES", 1 << 40)
        for event in reread_pods(generations, pods):
            by_records.apply_event(event)
    finally:
        taker.store.close()
    assert len(progress) > 2
    assert progress[-1] == (path.stat().st_size, path.stat().st_size)
    for pod in pods:
        told = by_workers.story(pod)
        assert told.lives == by_records.story(pod).lives
        assert any(attempt.scores or attempt.fit for life in told.lives for attempt in life.attempts)
