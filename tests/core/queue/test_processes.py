"""Restarts, several schedulers in one file, copies, releases, and what verbosity is advised."""

from __future__ import annotations

import pytest

from schedtui.core.queue_model import QueueModel
from schedtui.core.queue_state import POD_STATES
from tests.core.queue.logs import CHURNS, lowered, record_of, records_of

ADD = (
    'I1130 08:00:0{second}.000001 {pid} eventhandlers.go:214] "Add event for unscheduled pod" pod="default/{pod}"'
)
MOVED = (
    'I1130 08:00:0{second}.000002 {pid} active_queue.go:111] "Pod moved to an internal scheduling queue"'
    ' pod="default/{pod}" event="UnschedulablePodAdd" queue="Active"'
)
START = 'I1130 08:00:0{second}.000001 {pid} server.go:178] "Starting Kubernetes Scheduler" version="v1.36.3"'


def fed(*lines: str) -> QueueModel:
    model = QueueModel()
    for number, line in enumerate(lines, 1):
        model.apply(record_of(line, number))
    return model


def added(second: int, pid: int, pod: str) -> tuple[str, str]:
    return ADD.format(second=second, pid=pid, pod=pod), MOVED.format(second=second, pid=pid, pod=pod)


def test_a_restart_empties_the_queues() -> None:
    model = fed(START.format(second=1, pid=7), *added(2, 7, "a"), START.format(second=3, pid=7), *added(4, 7, "b"))
    assert [row.pod for row in model.snapshot().pods] == ["default/b"]
    assert any("restart" in notice for notice in model.snapshot().notices)
    assert model.release == "1.36"


CLOSED = 'I1130 08:00:05.000000       7 active_queue.go:325] "Scheduling queue is closed"'
LOST = 'E1130 08:00:04.000000       7 server.go:340] "Leaderelection lost"'
FAILED = 'E1130 08:00:06.000000       7 run.go:72] "command failed" err="finished without leader elect"'


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((CLOSED,), "line 2: the scheduler ended (Scheduling queue is closed); this is how it left its queues"),
        ((CLOSED, FAILED), "line 3: the scheduler ended (finished without leader elect); this is how it left its"),
        (
            (LOST, CLOSED, FAILED),
            "line 2: the scheduler ended (Leaderelection lost); this is how it left its queues",
        ),
        ((FAILED, START.format(second=8, pid=7)), ""),
        ((), ""),
    ],
)
def test_the_schedulers_end_is_told_with_its_cause(lines: tuple[str, ...], said: str) -> None:
    taken = fed(START.format(second=1, pid=7), *lines).snapshot()
    assert taken.ended.startswith(said) and bool(taken.ended) == bool(said)
    assert not said or taken.notices[-1] == taken.ended


def test_another_pid_is_another_scheduler() -> None:
    model = fed(*added(1, 7, "a"), *added(2, 8, "b"), *added(3, 7, "c"), *added(4, 8, "d"))
    assert [row.pod for row in model.snapshot().pods] == ["default/b", "default/d"]
    assert any("another process (pid 8)" in notice for notice in model.snapshot().notices)


def test_the_same_name_again_is_another_incarnation() -> None:
    delete = 'I1130 08:00:03.000001 7 eventhandlers.go:335] "Delete event for unscheduled pod" pod="default/a"'
    model = fed(*added(1, 7, "a"), delete, *added(4, 7, "a"))
    (row,) = model.snapshot().pods
    assert (row.incarnation, row.state, row.attempts) == (2, "active", 0)


def test_deleted_and_added_again_while_the_old_one_is_in_flight() -> None:
    model = fed(
        *added(1, 7, "a"),
        'I1130 08:00:02.000001 7 schedule_one.go:123] "Attempting to schedule pod" pod="default/a"',
        'I1130 08:00:02.100001 7 eventhandlers.go:335] "Delete event for unscheduled pod" pod="default/a"',
        *added(3, 7, "a"),
        'I1130 08:00:03.100001 7 schedule_one.go:1239] "Unable to schedule pod; no fit; waiting" pod="default/a"'
        ' err="0/1 nodes are available: 1 Insufficient cpu."',
        'I1130 08:00:03.100002 7 schedule_one.go:1260] "Pod was recreated while handling scheduling failure. Skip'
        ' requeueing and status updates." pod="default/a" oldUID="1" newUID="2"',
    )
    (row,) = model.snapshot().pods
    assert (row.incarnation, row.state, row.certain, row.attempts) == (2, "active", True, 0)


def test_a_copy_goes_its_own_way() -> None:
    model = fed(*added(1, 7, "a"))
    past = model.copy()
    model.apply(record_of(ADD.format(second=2, pid=7, pod="b"), 3))
    attempt = 'I1130 08:00:03.000001 7 schedule_one.go:123] "Attempting to schedule pod" pod="default/a"'
    model.apply(record_of(attempt, 4))
    assert [row.state for row in past.snapshot().pods] == ["active"]
    assert [row.state for row in model.snapshot().pods] == ["in_flight", "active"]
    past.apply(record_of(attempt, 4))
    assert [row.state for row in past.snapshot().pods] == ["in_flight"]


def test_going_back_in_time_gives_the_same_snapshot() -> None:
    records = records_of(lowered("v1.36.3-v5-churn7", 5))
    model = QueueModel()
    kept: list[tuple[int, QueueModel]] = []
    wanted = None
    for number, record in enumerate(records):
        if number % 1000 == 0:
            kept.append((number, model.copy()))
        model.apply(record)
        if number == 4321:
            wanted = model.snapshot()
    start, past = kept[4]
    for record in records[start:4322]:
        past.apply(record)
    assert past.snapshot() == wanted


@pytest.mark.parametrize("name", CHURNS)
def test_the_release_is_found_in_the_log(name: str) -> None:
    model = QueueModel()
    for record in records_of(lowered(name, 5)):
        model.apply(record)
    assert model.release == ".".join(name[1:].split(".")[:2])


@pytest.mark.parametrize(("level", "words"), [(5, "exact"), (4, "--vmodule="), (2, "adds, deletes")])
def test_the_advice_names_the_cheapest_flag(level: int, words: str) -> None:
    model = QueueModel()
    for record in records_of(lowered("v1.36.3-v5-churn7", level)):
        model.apply(record)
    assert words in model.snapshot().needs


def test_counts_are_of_all_states_and_equal_the_rows() -> None:
    model = QueueModel(keep_gone=None)
    for record in records_of(lowered("v1.36.3-v5-churn7", 5)):
        model.apply(record)
    snapshot = model.snapshot()
    assert tuple(snapshot.counts) == POD_STATES
    assert sum(snapshot.counts.values()) == len(snapshot.pods)
    assert model.counts == snapshot.counts
    few = QueueModel(keep_gone=5)
    for record in records_of(lowered("v1.36.3-v5-churn7", 5)):
        few.apply(record)
    assert sum(row.state == "gone" for row in few.snapshot().pods) <= 6


def test_a_change_of_verbosity_through_the_debug_flag_is_noticed() -> None:
    model = fed(
        *added(1, 7, "a"),
        'I1130 08:00:02.000001 7 httplog.go:134] "HTTP" verb="PUT" URI="/debug/flags/v" latency="1ms" resp=200',
    )
    assert "just changed" in model.snapshot().needs
    for line in added(3, 7, "b"):
        model.apply(record_of(line))
    assert model.snapshot().needs == "exact"


def test_members_are_pulled_out_of_the_queues_with_their_group() -> None:
    """1.36: ForceActivate is the last line before a member is in flight; one in activeQ has no line at all."""
    model = fed(
        START.format(second=1, pid=9),
        *added(2, 9, "g-0"),
        *added(2, 9, "g-1"),
        *added(2, 9, "other"),
        'I1130 13:53:59.426705 9 schedule_one.go:1325] "Updating pod condition and nominated node name"'
        ' podGroup="default/g" pod="default/g-0" conditionType="PodScheduled" conditionReason="Unschedulable"',
        'I1130 13:53:59.552045 9 active_queue.go:111] "Pod moved to an internal scheduling queue"'
        ' pod="default/g-0" event="ForceActivate" queue="Active"',
        'I1130 13:53:59.552073 9 schedule_one_podgroup.go:77] "Attempting to schedule pod group"'
        ' podGroup="default/g"',
        'I1130 13:53:59.566171 9 eventhandlers.go:63] "Add event for node" node="n"',
    )
    rows = {row.pod: (row.state, row.certain) for row in model.snapshot().pods}
    assert rows["default/g-0"] == ("in_flight", True)
    # Nothing says yet whose member it is.
    assert rows["default/g-1"] == rows["default/other"] == ("active", False)
    model.apply(record_of(
        'I1130 13:53:59.570000 9 schedule_one_podgroup.go:413] "Attempting to schedule a pod belonging to a pod'
        ' group" podGroup="default/g" pod="default/g-1"'
    ))  # fmt: skip
    model.apply(record_of(
        'I1130 13:53:59.575000 9 schedule_one_podgroup.go:600] "Unable to schedule a pod group"'
        ' podGroup="default/g" unschedulablePods=2'
    ))  # fmt: skip
    rows = {row.pod: (row.state, row.certain) for row in model.snapshot().pods}
    assert rows["default/g-1"] == ("in_flight", True)
    assert rows["default/other"] == ("active", True)
    assert all(row.kind == "pod" for row in model.snapshot().pods)


def test_a_log_that_begins_late_says_so() -> None:
    late = fed(*added(1, 7, "a")).snapshot()
    assert any("begins while the scheduler runs" in notice for notice in late.notices)
    whole = fed(START.format(second=1, pid=7), *added(1, 7, "a")).snapshot()
    assert whole.notices == ()
