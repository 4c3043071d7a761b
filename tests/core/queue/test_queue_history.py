from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.core.klog import read_records
from schedtui.core.queue_history import QueueHistory
from schedtui.core.queue_model import QueueModel

if TYPE_CHECKING:
    from schedtui.core.queue_state import PodState

DATA = Path(__file__).parents[2] / "data"


def rows(model: QueueModel) -> list[tuple[object, ...]]:
    found = model.snapshot()
    return [(row.pod, row.state, row.since_us, row.attempts, row.certain, row.incarnation) for row in found.pods]


@pytest.mark.parametrize(("every", "most"), [(50, 256), (20, 5)])
def test_each_place_is_as_the_fold_left_it(every: int, most: int) -> None:
    live = QueueModel()
    history = QueueHistory(QueueModel(), every=every, most=most)
    wanted: dict[int, list[tuple[object, ...]]] = {}
    records = list(read_records(gzip.decompress((DATA / "v1.29.0-v5-churn3.log.gz").read_bytes())))
    for place, record in enumerate(records):
        event = live.apply(record)
        if event is not None:
            history.add(event, live)
            if place % 97 == 0:
                wanted[record.line] = rows(live)
    assert len(wanted) > 10
    for line, expected in wanted.items():
        assert rows(history.before_line(line).to_line(line)) == expected
    # Backwards, too: a replay leaves the kept models as they are.
    for line, expected in reversed(wanted.items()):
        assert rows(history.before_line(line).to_line(line)) == expected


def test_before_the_first_line_there_is_nothing() -> None:
    history = QueueHistory(QueueModel())
    assert history.before_line(1).to_line(1).snapshot().pods == ()
    assert history.before_time(5).to_time(5).snapshot().pods == ()


def test_a_time_leads_to_the_state_at_that_time() -> None:
    live = QueueModel()
    history = QueueHistory(QueueModel(), every=40)
    moment = 0
    expected: dict[PodState, int] = {}
    for record in read_records(gzip.decompress((DATA / "v1.36.3-v5-churn7.log.gz").read_bytes())):
        event = live.apply(record)
        if event is not None:
            history.add(event, live)
        if record.line >= 3000 and not moment and record.time_us is not None:
            moment, expected = record.time_us, dict(live.counts)
    assert dict(history.before_time(moment).to_time(moment).counts) == expected
