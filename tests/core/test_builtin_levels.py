"""Levels without a source: by message and release, never a wrong one."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import pytest

from schedtui.core.builtin_level_table import LEVELS, RELEASES
from schedtui.core.builtin_levels import BuiltinLevels, builtin_level
from schedtui.core.klog import read_records
from schedtui.core.record import Record

DATA = Path(__file__).parents[1] / "data"
MOVED = "Pod moved to an internal scheduling queue"


def record(file: str, message: str, **fields: str | int) -> Record:
    return Record(
        1, "x", kind="klog", severity="I", file=file, src_line=1, message=message, structured=True, fields=fields
    )


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*.json.log.gz")))
@pytest.mark.parametrize("told", [True, False])
def test_levels_of_the_table_agree_with_json_logs(name: str, told: bool) -> None:
    release = name[1:].rpartition("-v")[0].rpartition(".")[0] if told else None
    levels = BuiltinLevels(release)
    given = 0
    for one in read_records(gzip.decompress((DATA / name).read_bytes())):
        found = levels.level_of(dataclasses.replace(one, v=None, v_from=None))
        if found.v is not None:
            given += 1
            assert found.v == one.v, (found.file, found.src_line, found.message)
            assert found.v_from == "message"
    assert given > 400


@pytest.mark.parametrize(
    ("file", "message", "release", "level"),
    [
        ("schedule_one.go", "Successfully bound pod to node", "1.36", 2),
        ("schedule_one.go", "Successfully bound pod to node", None, 2),
        ("schedule_one.go", "Successfully bound pod to node", "1.32", 2),
        ("schedule_one.go", "Successfully bound pod to node", "1.18", None),
        ("schedule_one.go", "Successfully bound pod to node", "1.38", None),
        ("scheduling_queue.go", "Status after running PreEnqueue plugin", "1.29", 0),
        ("scheduling_queue.go", "Status after running PreEnqueue plugin", "1.36", 4),
        ("scheduling_queue.go", "Status after running PreEnqueue plugin", None, None),
        ("another.go", "Successfully bound pod to node", "1.36", None),
        ("schedule_one.go", "no such message", "1.36", None),
    ],
)
def test_a_message_has_the_level_of_its_release(
    file: str, message: str, release: str | None, level: int | None
) -> None:
    assert builtin_level(record(file, message), release) == level


def test_the_move_line_is_told_apart_by_its_fields() -> None:
    failed = record("scheduling_queue.go", MOVED, schedulingCycle=7, hint=0)
    woken = record("scheduling_queue.go", MOVED, hint=1)
    added = record("scheduling_queue.go", MOVED)
    assert [builtin_level(one, "1.29") for one in (failed, woken, added)] == [3, 4, 5]
    assert [builtin_level(one, "1.36") for one in (failed, added)] == [3, 5]


def test_errors_and_own_levels_stay() -> None:
    error = dataclasses.replace(record("schedule_one.go", "Successfully bound pod to node"), severity="E")
    own = dataclasses.replace(record("schedule_one.go", "Successfully bound pod to node"), v=7)
    assert BuiltinLevels("1.36").level_of(error).v is None
    assert BuiltinLevels("1.36").level_of(own).v == 7


def test_every_code_has_one_sign_for_each_release() -> None:
    for messages in LEVELS.values():
        for code in messages.values():
            assert len(code) == len(RELEASES)
            assert set(code) <= set("0123456789A-*")
