"""The model against every dump that real schedulers printed, at every verbosity, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.core.queue.logs import CHURNS, GANGS, STORMS, as_json, checked, interleaved, log_bytes, lowered

if TYPE_CHECKING:
    from schedtui.core.queue_check import DumpCheck

MIXED = (
    "v1.29.0-v10-mixed", "v1.29.0-v10-mixed.json", "v1.36.3-v10-mixed", "v1.36.3-v10-mixed.json",
    "v1.36.3-v4-mixed", "v1.36.3-v2-mixed", "v1.36.3-v0-mixed", "v1.36.3-v5-mixed.json", "v1.37.2-v10-mixed",
    "v1.37.2-v10-mixed.json",
    "v1.37.2-v5-stalled",
)  # fmt: skip


def share_certain(results: tuple[DumpCheck, ...]) -> float:
    rows = sum(result.rows for result in results)
    return sum(result.certain for result in results) / rows if rows else 1.0


def assert_never_wrong(results: tuple[DumpCheck, ...]) -> None:
    wrong = [
        (result.line, result.missing, result.extra, result.misplaced) for result in results if not result.equal
    ]
    assert wrong == []


def test_all_logs_are_there() -> None:
    assert len(CHURNS) >= 4
    assert len(STORMS) >= 4
    assert GANGS


@pytest.mark.parametrize("name", [name for name in CHURNS + STORMS + GANGS if "-v5-" in name])
def test_at_v5_nearly_everything_is_certain(name: str) -> None:
    results = checked(log_bytes(name)).results()
    assert len(results) >= 20
    assert_never_wrong(results)
    rows = sum(result.rows for result in results)
    doubtful = sum(len(result.race) + len(result.uncertain) for result in results)
    assert doubtful < rows / 100
    assert share_certain(results) >= 0.95


@pytest.mark.parametrize("name", CHURNS + STORMS)
def test_at_v4_half_is_certain_and_nothing_wrong(name: str) -> None:
    results = checked(lowered(name, 4)).results()
    assert_never_wrong(results)
    assert share_certain(results) >= 0.5


@pytest.mark.parametrize("level", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("name", GANGS)
def test_what_is_certain_of_groups_is_right_at_any_verbosity(name: str, level: int) -> None:
    assert_never_wrong(checked(lowered(name, level)).results())


@pytest.mark.parametrize("name", GANGS)
def test_members_outside_the_queues_are_where_the_dump_has_them(name: str) -> None:
    results = checked(log_bytes(name)).results()
    outside = [result for result in results if result.dump.get("incomplete") or result.dump.get("pending")]
    assert outside
    assert all(result.model == result.dump for result in outside)


@pytest.mark.parametrize("name", CHURNS + STORMS)
def test_at_v3_what_is_certain_is_right(name: str) -> None:
    results = checked(lowered(name, 3)).results()
    assert_never_wrong(results)
    assert share_certain(results) > 0


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("name", CHURNS)
def test_at_low_verbosity_nothing_is_wrong(name: str, level: int) -> None:
    assert_never_wrong(checked(lowered(name, level)).results())


@pytest.mark.parametrize("level", [3, 4, 5])
@pytest.mark.parametrize("name", CHURNS)
def test_json_says_the_same_as_text(name: str, level: int) -> None:
    text = checked(lowered(name, level)).results()
    json = checked(as_json(name, lowered(name, level))).results()
    assert_never_wrong(json)
    assert [(each.dump, each.model, each.rows) for each in json] == [
        (each.dump, each.model, each.rows) for each in text
    ]


@pytest.mark.parametrize("name", MIXED)
def test_mixed_logs(name: str) -> None:
    results = checked(log_bytes(name)).results()
    assert results
    assert_never_wrong(results)
    if "-v10" in name or "-v5" in name:
        assert share_certain(results) == 1.0


def test_a_late_start_is_no_lie() -> None:
    """The first half of a log cut off: what was there before is unknown, nothing is wrong."""
    data = log_bytes("v1.36.3-v5-churn7")
    half = data[data.index(b"\n", len(data) // 2) + 1 :]
    assert_never_wrong(checked(half).results())


def test_lines_lost_in_between_make_rows_uncertain() -> None:
    data = log_bytes("v1.36.3-v5-churn7")
    third = data.index(b"\n", len(data) // 3) + 1
    resumed = data.index(b"\n", len(data) // 2) + 1
    gap = b"Nov 30 08:15:45 box systemd-journald[275]: Suppressed 170 messages from kube-scheduler.service\n"
    checker = checked(data[:third] + gap + data[resumed:])
    assert_never_wrong(checker.results())
    assert any("170 lines lost" in notice for notice in checker.model.snapshot().notices)


def test_verbosity_lowered_while_running() -> None:
    """From V5 to V3 in mid-log: certainty goes once a line is missed; nothing certain is wrong for long."""
    data = log_bytes("v1.36.3-v5-churn7")
    low = lowered("v1.36.3-v5-churn7", 3)
    marker = data[data.index(b"\n", len(data) // 2) + 1 :]
    first_line = next(line for line in marker.splitlines() if line in low.splitlines() and line.startswith(b"I"))
    results = checked(data[: data.index(first_line)] + low[low.index(first_line) :]).results()
    late = results[len(results) // 2 + 2 :]
    assert late
    assert_never_wrong(late)


@pytest.mark.parametrize("name", GANGS)
def test_members_in_the_queues_are_there_for_their_groups_reason(name: str) -> None:
    rows = checked(log_bytes(name)).model.snapshot().pods
    groups = {row.pod for row in rows if row.kind == "podgroup"}
    assert groups
    waiting = [row for row in rows if row.kind == "pod" and row.place is None and row.state == "backoff"]
    assert waiting
    assert not any((row.reason or "").startswith("waiting for its pod group") for row in waiting)


def test_each_of_two_schedulers_in_one_file_is_held_against_its_own_dumps() -> None:
    """The log of one scheduler put between the lines of another: both fold and compare as they do alone."""
    names = ("v1.29.0-v5-churn3", "v1.36.3-v5-churn7")
    alone = [checked(log_bytes(name)).results() for name in names]
    merged = checked(interleaved(*(log_bytes(name) for name in names))).results()
    assert_never_wrong(merged)
    for results in alone:
        counts = [each.dump for each in results]
        assert [each.dump for each in merged if each.dump in counts]
    assert len(merged) == sum(map(len, alone))
    assert sum(each.certain for each in merged) == sum(each.certain for results in alone for each in results)
