"""A log whose history came as events shows what one shows whose every record was seen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from schedtui.sources import feed_history
from schedtui.sources.log_store import LogStore
from schedtui.ui import messages
from schedtui.ui.services.log_facts import Levels
from schedtui.ui.services.log_history import LogHistory
from schedtui.ui.services.queue_watch import QueueWatch
from tests.sources.real_logs import real_log

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.message import Message

    from schedtui.core.level_legend import SiteCount
    from schedtui.core.queue_state import QueueSnapshot
    from schedtui.core.record import Record

SECONDS = 60


def _read(path: Path, *, history: bool) -> tuple[QueueWatch, Levels, list[Message]]:
    caught_up = threading.Event()
    posted: list[Message] = []
    store = LogStore((str(path),), lambda _state: None)
    watch = QueueWatch(lambda _snapshot: None)
    levels = Levels(None, path.parent, lambda _lookup: None)
    levels.start_log()

    def take(records: Sequence[Record]) -> None:
        watch.take(records)
        levels.observe(records)

    dealt = LogHistory(store, watch, levels, posted.append) if history else None
    store.subscribe_records(take, caught_up.set, dealt)
    store.start()
    try:
        assert caught_up.wait(SECONDS)
    finally:
        store.close()
    return watch, levels, posted


def _snapshot(watch: QueueWatch) -> QueueSnapshot:
    return watch.ask(lambda model: model.snapshot())


def _counted(levels: Levels) -> dict[int, set[SiteCount]]:
    return {level: set(sites) for level, sites in levels.count_levels().sites().items()}


@pytest.mark.parametrize("name", ["v1.36.3-v5-churn7.log", "v1.29.0-v5-churn3.log"])
def test_queues_reports_and_levels_are_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_history, "WORTH_IT_BYTES", 100_000)
    monkeypatch.setattr(feed_history, "TAIL_BYTES", 50_000)
    monkeypatch.setattr("schedtui.sources.parallel.RANGE_BYTES", 150_000)
    monkeypatch.setattr(feed_history, "RANGE_BYTES", 150_000)
    path = tmp_path / name
    path.write_bytes(real_log(name))
    whole, whole_levels, _ = _read(path, history=False)
    watch, levels, posted = _read(path, history=True)
    assert _snapshot(watch) == _snapshot(whole)
    assert watch.check() == whole.check()
    assert watch.report() == whole.report()
    assert watch.course() == whole.course()
    assert _counted(levels) == _counted(whole_levels)
    assert any(isinstance(each, messages.WorkProgressed) for each in posted)
    assert isinstance(posted[-1], messages.WorkFinished)
