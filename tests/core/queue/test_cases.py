"""Inputs that people really had: the right value for each."""

from __future__ import annotations

from schedtui.core.klog import Clock, read_records
from schedtui.core.queue_model import QueueModel

TUTORIAL = (
    'I0115 10:23:45.123456 12345 scheduler.go:456] "Successfully bound pod to node" pod="default/my-pod"'
    ' node="worker-node-1" evaluatedNodes=3 feasibleNodes=2\n'
    'I0115 10:23:45.123789 12345 scheduling_queue.go:234] "Pod added to scheduling queue" pod="default/my-pod"'
    ' queue="activeQ" timestamp="2025-01-15T10:23:45Z"\n'
    'I0115 10:23:45.124012 12345 scheduling_queue.go:567] "Pod popped from queue" pod="default/my-pod"'
    ' queue="activeQ" waitTime=1.234ms\n'
)
"""A tutorial's sample: bound, added, popped, in this order and 0.3 ms apart."""


def folded(text: str) -> QueueModel:
    model = QueueModel()
    for record in read_records(text.encode(), clock=Clock.for_year(2026, guessed=False)):
        model.apply(record)
    return model


def state_of(model: QueueModel, pod: str) -> tuple[str, bool]:
    row = model.row(pod)
    assert row is not None
    return row.state, row.certain


def test_the_tutorials_lines_out_of_order_are_one_pod_bound() -> None:
    snapshot = folded(TUTORIAL).snapshot()
    (row,) = snapshot.pods
    assert (row.pod, row.state, row.node, row.incarnation, row.attempts) == (
        "default/my-pod", "bound", "worker-node-1", 1, 1,
    )  # fmt: skip
    assert snapshot.bound_per_node == {"worker-node-1": 1}


def test_the_tutorials_lines_in_order() -> None:
    bound, added, popped = TUTORIAL.splitlines(keepends=True)
    assert state_of(folded(added), "default/my-pod") == ("active", True)
    assert state_of(folded(added + popped), "default/my-pod") == ("in_flight", True)
    late = bound.replace("45.123456", "46.123456")
    assert state_of(folded(added + popped + late), "default/my-pod") == ("bound", True)


def test_c01_a_cut_first_line_binds_nothing() -> None:
    model = folded('pod to node" pod="shop/cart-1" node="node-b" evaluatedNodes=12 feasibleNodes=1\n')
    assert model.snapshot().bound_per_node == {}
    assert model.snapshot().pods == ()


def test_c02_failed_before_it_was_added() -> None:
    model = folded(
        'I0909 07:44:24.693034       1 factory.go:321] "Unable to schedule pod; no fit; waiting" pod="shop/cart-7"'
        ' err="0/3 nodes are available: 3 Insufficient cpu."\n'
        "W0909 07:44:24.693069       1 factory.go:342] Pod shop/cart-7 doesn't exist in informer cache: pod"
        ' "cart-7" not found\n'
        'I0909 07:44:24.758464       1 eventhandlers.go:172] "Add event for unscheduled pod" pod="shop/cart-7"\n'
    )
    row = model.row("shop/cart-7")
    assert row is not None
    assert (row.state, row.certain, row.attempts) == ("unknown", False, 1)
    assert row.since_us is not None
    assert row.since_us % 60_000_000 == 24_693_069


def test_c03_active_and_never_tried() -> None:
    model = folded(
        'I0411 14:59:41.249623       1 eventhandlers.go:126] "Add event for unscheduled pod" pod="shop/cart-0"\n'
        'I0411 14:59:41.249678       1 scheduling_queue.go:575] "Pod moved to an internal scheduling queue"'
        ' pod="shop/cart-0" event="PodAdd" queue="Active"\n'
        'I0411 15:09:41.249623       1 eventhandlers.go:126] "Add event for unscheduled pod" pod="shop/cart-1"\n'
    )
    row = model.row("shop/cart-0")
    assert row is not None
    assert (row.state, row.certain) == ("active", True)
    assert row.mark is not None
    assert row.mark.startswith("never tried")
    assert any(notice.startswith("1 pod has entered activeQ, and none was ever tried")
               for notice in model.snapshot().notices)  # fmt: skip


def test_under_a_debugger_waiting_in_active_is_no_wonder() -> None:
    from tests.core.queue.logs import record_of

    model = QueueModel(debugged=True)
    for line in (
        'I0411 14:59:41.249623       1 server.go:299] "Handlers synced"',
        'I0411 14:59:41.249623       1 eventhandlers.go:126] "Add event for unscheduled pod" pod="shop/cart-0"',
        'I0411 14:59:41.249678       1 scheduling_queue.go:575] "Pod moved to an internal scheduling queue"'
        ' pod="shop/cart-0" event="PodAdd" queue="Active"',
        'I0411 15:09:41.249623       1 eventhandlers.go:126] "Add event for unscheduled pod" pod="shop/cart-1"',
    ):
        model.apply(record_of(line))
    row = model.row("shop/cart-0")
    assert row is not None
    assert (row.state, row.mark) == ("active", None)


def test_c04_every_wording_of_a_move() -> None:
    model = folded(
        'I0817 00:53:01.018280  1 scheduling_queue.go:274] "Pod moved to an internal scheduling queue"'
        ' pod="shop/cart-0" event="PodAdd"  queue="ActiveQueue"\n'
        'I0817 00:54:30.877590  1 scheduling_queue.go:388] "Pod moved to an internal scheduling queue"'
        ' pod="shop/cart-0" event="ScheduleAttemptFailure"  queue ="UnschedulablePods"\n'
    )
    assert state_of(model, "shop/cart-0") == ("unschedulable", True)
    model = folded(
        'I0812 03:24:14.360703 11 scheduling_queue.go:1216] "Pod moved to an internal scheduling queue"'
        ' pod="shop/cart-0" event="resource.k8s.io/DeviceClassUpdate" queue="Active" hint=1\n'
        'I0812 03:24:15.000001 11 scheduling_queue.go:611] "Pod moved to an internal scheduling queue, because'
        ' the pod is gated" pod="shop/cart-1" event="UnscheduledPodAdd" queue="Unschedulable"\n'
        'I0812 03:24:16.000001 11 active_queue.go:377] "Entity moved to an internal scheduling queue"'
        ' type="PodGroup" entity="shop/train" event="PodGroupAdd" queue="Active"\n'
    )
    rows = {row.pod: row for row in model.snapshot().pods}
    # The queue is the truth, the hint is not.
    assert (rows["shop/cart-0"].state, rows["shop/cart-0"].reason) == (
        "active",
        "resource.k8s.io/DeviceClassUpdate",
    )
    assert rows["shop/cart-1"].state == "gated"
    assert (rows["shop/train"].state, rows["shop/train"].kind) == ("active", "podgroup")
    assert model.counts["active"] == 1


def test_c05_an_attempt_takes_the_pod_out_of_whatever_queue() -> None:
    model = folded(
        'I0301 10:00:00.000001       1 schedule_one.go:83] "Attempting to schedule pod" pod="shop/cart-0"\n'
        'I0301 10:00:00.000900       1 schedule_one.go:1055] "Unable to schedule pod; no fit; waiting"'
        ' pod="shop/cart-0" err="0/2 nodes are available: 2 Insufficient cpu."\n'
        'I0301 10:00:00.000950       1 scheduling_queue.go:800] "Pod moved to an internal scheduling queue"'
        ' pod="shop/cart-0" event="ScheduleAttemptFailure" queue="Unschedulable" schedulingCycle=17 hint=0'
        ' unschedulable plugins={"NodeResourcesFit":{}}\n'
        'I0301 10:00:09.100000       1 scheduling_queue.go:1216] "Pod moved to an internal scheduling queue"'
        ' pod="shop/cart-0" event="NodeAdd" queue="Backoff" hint=1\n'
        'I0301 10:00:10.200000       1 schedule_one.go:83] "Attempting to schedule pod" pod="shop/cart-0"\n'
    )
    row = model.row("shop/cart-0")
    assert row is not None
    assert (row.state, row.attempts, row.plugins) == ("in_flight", 2, ("NodeResourcesFit",))
    # A move by an event prints its hint from V4 on: no V5 line was seen.
    needs = model.snapshot().needs
    assert "lines up to V4 seen" in needs
    assert needs.endswith("queue moves")


def test_c11_a_fake_line_inside_a_block_binds_nothing() -> None:
    model = folded(
        'E0301 10:00:00.000001       1 schedule_one.go:1060] "Error scheduling pod; retrying" err=<\n'
        "\tplugin returned:\n"
        '\tI0102 15:04:05.678901   12345 schedule_one.go:302] "Successfully bound pod to node" pod="fake/pod"'
        ' node="fake"\n'
        "\t >\n"
        ' > pod="shop/cart-0" attempts=3\n'
    )
    assert model.row("fake/pod") is None
    assert state_of(model, "shop/cart-0")[0] == "backoff"


def test_c15_old_wordings() -> None:
    model = folded(
        "I0922 12:23:11.527912       1 factory.go:517] Unable to schedule shop cart-0: no nodes are registered to"
        " the cluster; waiting\n"
        "I0922 12:23:12.484882       1 scheduler.go:569] pod shop/cart-1 is bound successfully on node node-a, 500"
        " nodes evaluated, 500 nodes were found feasible\n"
        'I0922 12:23:13.951646       1 scheduler.go:731] pod shop/cart-2 is bound successfully on node "node-a", 4'
        " nodes evaluated, 2 nodes were found feasible.\n"
        "I0922 12:23:14.912525       1 scheduler.go:458] Attempting to schedule pod: acme/shop/cart-3\n"
    )
    rows = {row.pod: row for row in model.snapshot().pods}
    assert rows["shop/cart-0"].state == "backoff"
    assert not rows["shop/cart-0"].certain
    assert rows["acme/shop/cart-3"].state == "in_flight"
    assert model.snapshot().bound_per_node == {"node-a": 2}
    assert model.release == "≤1.18"


def test_a_stalled_scheduler_is_told_why() -> None:
    from tests.core.queue.logs import log_bytes, records_of

    model = QueueModel()
    for record in records_of(log_bytes("v1.37.2-v5-stalled")):
        model.apply(record)
    marks = {row.mark for row in model.snapshot().pods if row.state == "active" and row.mark}
    assert marks
    assert all(mark.startswith("never tried") for mark in marks)
    assert any("DeviceTaintRule" in mark or "stopped" in mark for mark in marks)


def test_c09_after_a_gap_rows_are_not_certain_and_counts_are_lower_bounds() -> None:
    bound = (
        "Feb 14 19:59:5{second} buildbox kube-scheduler[9]: I0214 19:59:5{second}.000001       9"
        ' schedule_one.go:302] "Successfully bound pod to node" pod="shop/{pod}" node="n" evaluatedNodes=1'
        " feasibleNodes=1\n"
    )
    gap = "Feb 14 19:59:55 buildbox systemd-journald[275]: Suppressed 170 messages from kube-scheduler.service\n"
    before = folded(bound.format(second=0, pod="a"))
    assert not before.snapshot().lines_lost
    model = folded(bound.format(second=0, pod="a") + gap + bound.format(second=6, pod="b"))
    assert state_of(model, "shop/a") == ("bound", False)
    assert state_of(model, "shop/b") == ("bound", True)
    assert model.snapshot().lines_lost
    assert any("170 lines lost" in notice for notice in model.snapshot().notices)


def test_plugins_are_told_from_the_reasons_where_no_line_names_them() -> None:
    model = folded(
        'I0301 10:00:00.000001       1 schedule_one.go:98] "Attempting to schedule pod" pod="shop/cart-0"\n'
        'I0301 10:00:00.000900       1 schedule_one.go:987] "Unable to schedule pod; no fit; waiting"'
        ' pod="shop/cart-0" err="0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable."\n'
    )
    row = model.row("shop/cart-0")
    assert row is not None
    assert (row.plugins, row.plugins_inferred) == (("NodeResourcesFit", "NodeUnschedulable"), True)
    assert row.shown_plugins == ("NodeResourcesFit?", "NodeUnschedulable?")
