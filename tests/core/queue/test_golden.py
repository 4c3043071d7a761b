"""Golden sequences: lines that the real queue packages printed, and where each of them leaves the pod."""

from __future__ import annotations

import pytest

from schedtui.core.queue_model import QueueModel
from tests.core.queue.logs import record_of

V129 = (
    ('I1130 08:13:01.690000 7 eventhandlers.go:126] "Add event for unscheduled pod" pod="default/a"', "active"),
    ('I1130 08:13:01.690181 7 scheduling_queue.go:575] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="PodAdd" queue="Active"', "active"),
    ('I1130 08:13:01.690300 7 schedule_one.go:85] "About to try and schedule pod" pod="default/a"', "in_flight"),
    ('I1130 08:13:01.690310 7 schedule_one.go:98] "Attempting to schedule pod" pod="default/a"', "in_flight"),
    ('I1130 08:13:01.690400 7 schedule_one.go:987] "Unable to schedule pod; no fit; waiting" pod="default/a"'
     ' err="0/1 nodes are available: 1 Insufficient cpu."', "in_flight"),
    ('I1130 08:13:01.690558 7 scheduling_queue.go:746] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="ScheduleAttemptFailure" queue="Unschedulable"', "unschedulable"),
    ('I1130 08:13:01.690726 7 scheduling_queue.go:1155] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="NodeAdd" queue="Backoff" hint=1', "backoff"),
    ('I1130 08:13:02.691985 7 scheduling_queue.go:828] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="BackoffComplete" queue="Active"', "active"),
    ('I1130 08:13:03.000000 7 schedule_one.go:98] "Attempting to schedule pod" pod="default/a"', "in_flight"),
    ('I1130 08:13:03.100000 7 default_binder.go:53] "Attempting to bind pod to node" pod="default/a" node="n1"',
     "binding"),
    ('I1130 08:13:03.200000 7 eventhandlers.go:171] "Delete event for unscheduled pod" pod="default/a"',
     "binding"),
    ('I1130 08:13:03.200100 7 eventhandlers.go:197] "Add event for scheduled pod" pod="default/a"', "bound"),
    ('I1130 08:13:03.200200 7 schedule_one.go:302] "Successfully bound pod to node" pod="default/a" node="n1"'
     " evaluatedNodes=1 feasibleNodes=1", "bound"),
    ('I1130 08:13:09.200100 7 eventhandlers.go:244] "Delete event for scheduled pod" pod="default/a"', "gone"),
)  # fmt: skip

V129_GATED = (
    ('I1130 08:13:03.892000 7 eventhandlers.go:126] "Add event for unscheduled pod" pod="default/a"', "active"),
    ('I1130 08:13:03.892158 7 scheduling_queue.go:518] "Status after running PreEnqueue plugin"'
     ' pod="default/a" plugin="SchedulingGates" status={}', "gated"),
    ('I1130 08:13:03.892268 7 scheduling_queue.go:1002] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="BackoffComplete" queue="Active"', "active"),
)  # fmt: skip

V136 = (
    ('I1130 08:02:46.877154 7 active_queue.go:111] "Pod moved to an internal scheduling queue" pod="default/a"'
     ' event="UnschedulablePodAdd" queue="Active"', "active"),
    ('I1130 08:02:46.877500 7 schedule_one.go:107] "About to try and schedule pod" pod="default/a"', "in_flight"),
    ('I1130 08:02:46.877530 7 schedule_one.go:1239] "Unable to schedule pod; no fit; waiting" pod="default/a"'
     ' err="0/1 nodes are available: 1 Insufficient cpu."', None),
    ('I1130 08:02:46.877535 7 active_queue.go:403] "Checking events for in-flight pod" pod="default/a"'
     ' unschedulablePlugins={"NodeResourcesFit":{}} inFlightEventsSize=1 inFlightPodsSize=1', None),
    ('I1130 08:02:46.877588 7 scheduling_queue.go:958] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="ScheduleAttemptFailure" queue="Unschedulable" schedulingCycle=1 hint=0'
     ' unschedulable plugins={"NodeResourcesFit":{}}', "unschedulable"),
    ('I1130 08:02:46.877639 7 backoff_queue.go:321] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="NodeAdd" queue="Backoff"', "backoff"),
    ('I1130 08:02:46.877700 7 schedule_one.go:107] "About to try and schedule pod" pod="default/a"', "in_flight"),
    ('I1130 08:02:46.877928 7 backoff_queue.go:310] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="ScheduleAttemptFailure" queue="Backoff"', "backoff"),
    ('I1130 08:02:46.877979 7 scheduling_queue.go:958] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="ScheduleAttemptFailure" queue="Backoff" schedulingCycle=3 hint=1'
     " unschedulable plugins={}", "backoff"),
    ('I1130 08:02:48.001363 7 active_queue.go:111] "Pod moved to an internal scheduling queue" pod="default/a"'
     ' event="BackoffComplete" queue="Active"', "active"),
    ('I1130 08:02:48.101363 7 eventhandlers.go:335] "Delete event for unscheduled pod" pod="default/a"', "gone"),
)  # fmt: skip

V136_GATED = (
    ('I1130 08:08:21.346200 7 eventhandlers.go:214] "Add event for unscheduled pod" pod="default/a"', "active"),
    ('I1130 08:08:21.346286 7 scheduling_queue.go:654] "Status after running PreEnqueue plugin" pod="default/a"'
     ' plugin="SchedulingGates" status="waiting for scheduling gates: [g1]"', "gated"),
    ('I1130 08:08:21.346313 7 scheduling_queue.go:694] "Pod moved to an internal scheduling queue, because the'
     ' pod is gated" pod="default/a" event="UnschedulablePodAdd" queue="Unschedulable"', "gated"),
    ('I1130 08:08:21.346503 7 active_queue.go:111] "Pod moved to an internal scheduling queue" pod="default/a"'
     ' event="UnschedulablePodUpdatePodSchedulingGatesEliminated" queue="Active"', "active"),
    ('I1130 08:08:21.346510 7 schedule_one.go:107] "About to try and schedule pod" pod="default/a"', "in_flight"),
    ('I1130 08:08:21.346544 7 scheduling_queue.go:1160] "Pod moved to an internal scheduling queue because the'
     ' Pod is updated" pod="default/a" event="UnschedulablePodUpdatePodSchedulingGatesEliminated" queue="Active"',
     "in_flight"),
)  # fmt: skip

V137 = (
    ('I1130 08:07:50.097750 7 active_queue.go:414] "Entity moved to an internal scheduling queue" type="pod"'
     ' entity="default/a" event="UnscheduledPodAdd" queue="Active"', "active"),
    ('I1130 08:07:50.098100 7 schedule_one.go:101] "About to try and schedule pod" pod="default/a"', "in_flight"),
    ('I1130 08:07:50.098234 7 scheduling_queue.go:1137] "Pod moved to an internal scheduling queue"'
     ' pod="default/a" event="ScheduleAttemptFailure" queue="Unschedulable" schedulingCycle=1 hint=0'
     ' unschedulable plugins={"NodeResourcesFit":{}}', "unschedulable"),
    ('I1130 08:07:50.102082 7 backoff_queue.go:324] "Entity moved to an internal scheduling queue" type="pod"'
     ' entity="default/a" event="NodeAdd" queue="Backoff"', "backoff"),
    ('I1130 08:07:50.102335 7 active_queue.go:414] "Entity moved to an internal scheduling queue" type="pod"'
     ' entity="default/a" event="ForceActivate" queue="Active"', "active"),
    ('I1130 08:08:13.664511 7 scheduling_queue.go:823] "Entity moved to an internal scheduling queue, because'
     ' it is gated" type="pod" entity="default/a" event="UnscheduledPodAdd" queue="Unschedulable"', "gated"),
    ('I1130 08:08:13.664710 7 scheduling_queue.go:1437] "Entity moved to an internal scheduling queue because'
     ' the Pod is updated" type="pod" entity="default/a" pod="default/a"'
     ' event="TargetPodUpdatePodSchedulingGatesEliminated" queue="Active"', "active"),
)  # fmt: skip


@pytest.mark.parametrize(
    "sequence",
    [V129, V129_GATED, V136, V136_GATED, V137],
    ids=["1.29", "1.29 gated", "1.36", "1.36 gated", "1.37"],
)
def test_golden_sequence(sequence: tuple[tuple[str, str | None], ...]) -> None:
    model = QueueModel()
    for number, (line, state) in enumerate(sequence, 1):
        model.apply(record_of(line, number))
        row = model.row("default/a")
        assert row is not None
        if state is not None:
            assert row.state == state, line
        if " moved to an internal scheduling queue" in line and row.state != "in_flight":
            assert row.certain, line


def test_facts_of_a_row() -> None:
    model = QueueModel()
    for number, (line, _) in enumerate(V136[:6], 1):
        model.apply(record_of(line, number))
    row = model.row("default/a")
    assert row is not None
    assert (row.attempts, row.plugins, row.reason, row.hint) == (1, ("NodeResourcesFit",), "NodeAdd", None)
    # One failure: backoff of a second from 08:02:46.87, aligned down to whole seconds.
    assert row.backoff_until_us is not None
    assert row.backoff_until_us % 60_000_000 == 47_000_000


def test_a_pop_straight_from_backoff_is_an_attempt() -> None:
    model = QueueModel()
    for number, (line, _) in enumerate(V136[:7], 1):
        model.apply(record_of(line, number))
    row = model.row("default/a")
    assert row is not None
    assert (row.state, row.attempts) == ("in_flight", 2)


def test_groups_of_1_37_are_rows_and_carry_their_members() -> None:
    model = QueueModel()
    lines = (
        'I1130 08:00:00.000001 7 eventhandlers.go:242] "Add event for unscheduled pod" pod="shop/t-0"',
        'I1130 08:00:00.000002 7 scheduling_queue.go:906] "Pod with pod group added to incompletePodGroupPods,'
        ' waiting for one or more parent pod group objects to be observed" podGroup="shop/train" pod="shop/t-0"',
        'I1130 08:00:01.000001 7 eventhandlers.go:478] "Add event for pod group" podGroup="shop/train"',
        'I1130 08:00:01.000002 7 active_queue.go:414] "Entity moved to an internal scheduling queue"'
        ' type="podgroup" entity="shop/train" event="UnscheduledPodAdd" queue="Active"',
        'I1130 08:00:01.000003 7 scheduling_queue.go:927] "Pod was added to root group as the first member pod"'
        ' rootType="podgroup" root="shop/train" pod="shop/t-0"',
    )
    for number, line in enumerate(lines, 1):
        model.apply(record_of(line, number))
        if number == 2:
            row = model.row("shop/t-0")
            assert row is not None
            assert (row.state, row.place) == ("gated", "incomplete")
    assert [(row.pod, row.kind, row.state) for row in model.snapshot().pods] == [
        ("shop/t-0", "pod", "active"), ("shop/train", "podgroup", "active"),
    ]  # fmt: skip
    assert model.counts["active"] == 1
    model.apply(
        record_of(
            'I1130 08:00:02.000001 7 schedule_one_podgroup.go:126] "Attempting to schedule pod group"'
            ' podGroupType="podgroup" podGroup="shop/train"',
            6,
        )
    )
    member = model.row("shop/t-0")
    assert member is not None
    assert member.state == "in_flight"
    model.apply(
        record_of(
            'I1130 08:00:02.000101 7 scheduling_queue.go:1262] "Pod group moved to an internal scheduling queue"'
            ' podGroup="shop/train" event="ScheduleAttemptFailure" queue="Unschedulable" schedulingCycle=2'
            ' unschedulable plugins={"GangScheduling":{}}',
            7,
        )
    )
    member = model.row("shop/t-0")
    assert member is not None
    assert member.state == "unschedulable"
