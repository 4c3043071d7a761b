from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from schedtui.core.level_legend import UNKNOWN
from schedtui.core.log_cost import BYTE_SECONDS, LINE_SECONDS, LogCostCounter
from schedtui.core.record import Record
from schedtui.sources.inputs import read_input, resolve_inputs

DATA = Path(__file__).parent.parent / "data"


def record(
    second: float, *, v: int | None = None, message: str = "m", length: int = 100, file: str = "a.go"
) -> Record:
    return Record(
        1, "x", kind="klog", severity="I", time_us=int(second * 1e6), v=v, message=message, length=length,
        file=file, src_line=7,
    )  # fmt: skip


def test_the_arithmetic() -> None:
    counter = LogCostCounter()
    for number in range(2000):
        counter.add(record(number / 200, v=10, message="Plugin scored node for pod", file="schedule_one.go"))
    for number in range(10):
        counter.add(record(number, v=3, message="Attempting to schedule pod"))
    cost = counter.measure()
    assert (cost.lines, cost.bytes, cost.attempts) == (2010, 201_000, 10)
    assert cost.seconds == pytest.approx(9.995)
    assert cost.cost_seconds == pytest.approx(2010 * (LINE_SECONDS + 100 * BYTE_SECONDS))
    assert cost.busiest_lines == 201
    assert cost.attempt_seconds == pytest.approx(cost.cost_seconds / 10)
    assert cost.top[0].site.message == "Plugin scored node for pod" and cost.top[0].level == 10
    assert cost.top[0].share == pytest.approx(2000 / 2010)
    assert cost.cheaper_verbosity == 9
    assert "-v 9 would leave 0%" in cost.advice() and "--vmodule=schedule_one=10" in cost.advice()
    assert not cost.slows


def test_a_flood_slows_and_says_which_message() -> None:
    counter = LogCostCounter()
    for number in range(20_000):
        counter.add(record(number / 20_000, v=10, length=400, message="scored"))
    cost = counter.measure()
    assert cost.slows and "20,000 lines in the busiest second" in cost.found() and "'scored'" in cost.found()


def test_unknown_levels_promise_nothing() -> None:
    counter = LogCostCounter()
    counter.add(record(0))
    cost = counter.measure()
    assert cost.cheaper_verbosity is None and cost.advice() == ""
    assert set(cost.by_level) == {UNKNOWN}


def test_levels_of_the_caller_are_used() -> None:
    counter = LogCostCounter(lambda _: 5)
    counter.add(record(0))
    assert set(counter.measure().by_level) == {5}


def test_an_empty_log_costs_nothing() -> None:
    cost = LogCostCounter().measure()
    assert cost.share == 0 and cost.top == () and cost.attempt_seconds is None and cost.found()


def test_a_real_log_at_v10(tmp_path: Path) -> None:
    log = tmp_path / "v10.log"
    log.write_bytes(gzip.decompress((DATA / "v1.36.3-v10-mixed.json.log.gz").read_bytes()))
    counter = LogCostCounter()
    for entry in read_input(resolve_inputs((str(log),))[0]):
        counter.add(entry)
    cost = counter.measure()
    assert cost.top[0].site.message == "Plugin scored node for pod" and cost.top[0].level == 10
    assert cost.cheaper_verbosity == 4
    assert cost.attempts > 50 and not cost.slows
