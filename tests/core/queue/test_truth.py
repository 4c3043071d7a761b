"""The model's counts against the scheduler's own gauge, read twice a second while the log was written."""

from __future__ import annotations

import json

import pytest

from schedtui.core.queue_model import QueueModel
from tests.core.queue.logs import CHURNS, DATA, log_bytes, records_of

QUEUES = ("active", "backoff", "unschedulable", "gated")
SLOP_US = 3_000
"""The gauge is read some time within the request; lines may be written shortly before what they tell."""


@pytest.mark.parametrize("name", [name for name in CHURNS if (DATA / f"{name}.truth.jsonl").exists()])
def test_counts_equal_the_gauge(name: str) -> None:
    records = records_of(log_bytes(name))
    model = QueueModel()
    at = 0
    different = 0
    samples = [json.loads(line) for line in (DATA / f"{name}.truth.jsonl").read_text().splitlines()]
    for sample in samples:
        first, last = int(sample["t0"] * 1e6) - SLOP_US, int(sample["t1"] * 1e6)
        wanted = tuple(int(sample["pending"][queue]) for queue in QUEUES)
        seen = set()
        while at < len(records) and (records[at].time_us or 0) <= last:
            if (records[at].time_us or 0) >= first:
                seen.add(tuple(model.counts[queue] for queue in QUEUES))  # type: ignore[index]
            model.apply(records[at])
            at += 1
        seen.add(tuple(model.counts[queue] for queue in QUEUES))  # type: ignore[index]
        different += wanted not in seen
    assert len(samples) > 50
    # The gauge's four numbers are not read at one moment.
    assert different <= 1
