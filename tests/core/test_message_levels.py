from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import pytest

from schedtui.core.klog import read_records
from schedtui.core.message_levels import enrich, levels_of_message, lookup
from schedtui.core.record import Record

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize(
    ("file", "line", "message", "levels"),
    [
        ("schedule_one.go", 302, "Successfully bound pod to node", {2}),
        ("schedule_one.go", 999, "Successfully bound pod to node", {2}),
        ("scheduler.go", 456, "Successfully bound pod to node", {2}),
        ("scheduling_queue.go", 797, "Pod moved to an internal scheduling queue", {3}),
        ("scheduling_queue.go", 727, "Pod moved to an internal scheduling queue", {5}),
        ("scheduling_queue.go", 1, "Pod moved to an internal scheduling queue", {3, 4, 5}),
        ("flags.go", 64, 'FLAG: --v="5"', {1}),
        ("x.go", 1, 'FLAG: --v="5"', set()),
        ("x.go", 1, "nobody says this", set()),
        # Only one release has it: another line proves nothing.
        ("scheduling_queue.go", 1, "Event is not making entity schedulable", set()),
    ],
)
def test_what_the_table_says(file: str, line: int, message: str, levels: set[int]) -> None:
    assert levels_of_message(file, line, message) == levels
    assert lookup(file, line, message) == (next(iter(levels)) if len(levels) == 1 else None)


def test_errors_and_known_levels_are_left_alone() -> None:
    bound = Record(
        1, "x", severity="I", file="schedule_one.go", src_line=302, message="Successfully bound pod to node"
    )
    assert (enrich(bound).v, enrich(bound).v_from) == (2, "message")
    for record in (
        dataclasses.replace(bound, severity="E"),
        dataclasses.replace(bound, v=7, v_from="json"),
        dataclasses.replace(bound, file=None),
    ):
        assert enrich(record) is record
    moved = dataclasses.replace(bound, message="Pod moved to an internal scheduling queue", src_line=1)
    assert enrich(moved).v_range == (3, 5)


@pytest.mark.parametrize(
    ("name", "share"), [("v1.29.0-v10-mixed.json.log.gz", 0.3), ("v1.36.3-v10-mixed.json.log.gz", 0.5)]
)
def test_no_level_is_wrong_on_logs_that_carry_theirs(name: str, share: float) -> None:
    told = known = 0
    for record in read_records(gzip.decompress((DATA / name).read_bytes())):
        if record.v is None:
            continue
        told += 1
        levels = levels_of_message(record.file or "", record.src_line or 0, record.message)
        assert not levels or record.v in levels, record.raw
        known += len(levels) == 1
    assert known > share * told
