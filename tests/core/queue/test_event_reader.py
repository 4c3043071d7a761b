"""The short way from bytes to events says what the long way over records says, whatever the log and its chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.event_reader import EventReader, fact_of
from schedtui.core.events import QueueEvent
from schedtui.core.klog import Clock, RecordReader
from tests.core.queue.logs import CHURNS, STORMS, log_bytes

if TYPE_CHECKING:
    from schedtui.core.queue_dump import QueueDump

YEAR = 2026

_HEAD = "{severity}{day} 07:50:2{second}.408448   20334 {site}] "
_BODIES = (
    '"Add event for unscheduled pod" pod="default/web-0"',
    '"About to try and schedule pod" pod="default/web-0"',
    '"Pod moved to an internal scheduling queue" pod="default/web-0" event="NodeAdd" queue="Backoff"',
    '"Pod moved to an internal scheduling queue" pod="a/b" event="ScheduleAttemptFailure" queue="Unschedulable"'
    ' schedulingCycle=3 hint=0 unschedulable plugins={"NodeResourcesFit":{},"TaintToleration":{}}',
    '"Pod moved to an internal scheduling queue, because the pod is gated" pod="a/b" event="X" queue="Unsched"',
    '"Entity moved to an internal scheduling queue" type="pod" entity="a/b" event="NodeAdd" queue="Active"',
    '"Entity moved to an internal scheduling queue" type="podgroup" entity="a/g" event="NodeAdd" queue="Active"',
    '"Pod group moved to an internal scheduling queue" podGroup="a/g" event="NodeAdd" queue="Active"',
    '"Unable to schedule pod; no fit; waiting" pod="a/b" err="0/3 nodes are available: \\"x\\" 3 cpu."',
    '"Unable to schedule pod; no fit; waiting" pod="a/b" err="0/3 nodes are available: 3 Insufficient cpu."',
    '"Successfully bound pod to node" pod="a/b" node="node-1" evaluatedNodes=3 feasibleNodes=2',
    '"Preemptor Pod preempted victim Pod" preemptor="a/b" victim="a/c" node="n"',
    '"Updating pod condition" pod="a/b" conditionType="PodScheduled" conditionReason="Unschedulable"',
    '"Event is not making pod schedulable" pod="a/b" event="NodeAdd"',
    '"something else" pod="a/b"',
    '"Error scheduling pod; retrying" pod="a/b" err=<',
    '"Dump of scheduling queue" summary="activeQ:1; backoffQ:0; unschedulablePods:0" pods=<',
    '"Dump of scheduling queue" summary="activeQ:0; backoffQ:0; unschedulablePods:0" pods=""',
    '"HTTP" verb="PUT" URI="/debug/flags/v" latency="1ms"',
    'FLAG: --v="5"',
    "pod a/b is bound successfully on node n, 3 nodes evaluated, 2 nodes were found feasible",
    "Unable to schedule a/b: no fit: 0/3 nodes are available",
    'kube-scheduler: "/metrics" satisfied by exact match',
    '"Successfully bound pod to node" timestamp="2024-03-02 10:00:00" pod="a/b" node="n"',
    '"Successfully bound pod to node"pod="a/b"',
    '"Handlers synced"',
    '"Handlers synced" \t',
    '"Handlers synced" and more',
    '"Handlers synced" at=1',
    '"Cache comparer started"',
    '"Add event for node" node="n-1"',
    '"Starting Kubernetes Scheduler" version="v1.36.3"',
    '"Attempting to bind pod to node" logger="Bind.DefaultBinder" pod="a/b" node="n"',
    '"Attempting to bind pod to node" logger="Bind" node="n" pod="a/b"',
    '"Attempting to bind pod to node" pod="a/b" node="n" node="m" pod="c/d"',
    '"About to try and schedule pod" pod="a/b" type="podgroup"',
    '"About to try and schedule pod" pod="{a/b}" node=""',
    '"About to try and schedule pod" pod="a/b"x="y"',
    '"About to try and schedule pod" pod="ä/b"',
    '"About to try and schedule pod" pod=a/b hint=007',
    '"About to try and schedule pod" pod="a/b" err="ä\\n"',
    '"Pod moved to an internal scheduling queue" pod="a/b" event="X" queue="Q" schedulingCycle=3 4 hint=1',
    '"Pod moved to an internal scheduling queue" pod="a/b" event="X" queue="Active" schedulingCycle=3 hint=-1',
    '"Pod moved to an internal scheduling queue" pod="a/b" event="X" queue="Active" hint=1 plugins=map[A:{} B:{}]',
    '"Pod moved to an internal scheduling queue" pod="a/b" event="X" unschedulable plugins={"A":{"B":1}}',
    '"Pod moved to an internal scheduling queue, ä is gated" pod="a/b" event="X" queue="Active"',
    '"Pod moved to an internal scheduling queue, \\"x\\" is gated" pod="a/b" event="X" queue="Active"',
    '"Updating pod condition and nominated node name" pod="a/b" conditionType="PodScheduled"'
    ' conditionStatus="False" conditionReason="Unschedulable" nominatedNodeName="n" nominatingMode=1',
    '"Status after running PreEnqueue plugin" pod="a/b" plugin="SchedulingGates" status="waiting: [x]"',
    '"msg"="Add event for unscheduled pod" "pod"="a/b"',
    "lost master",
    "",
)
_ODD = (
    "\tname: a, namespace: default, uid: u1, phase: Pending, nominated node: ",
    "\tI1130 07:50:25.408448   20334 x.go:1] \"Add event for unscheduled pod\" pod=\"fake/one\"",
    " >",
    "",
    "goroutine 1 [running]:",
    "plain text that goes on",
    "waiting",
    "Installing",
    "I1130 07:50:25.408448   20334 x.go:1]\"Add event for unscheduled pod\" pod=\"no/blank\"",
    "I1130 07:50:25.408448   20334 ä.go:1] \"Add event for unscheduled pod\" pod=\"file/name\"",
    "I1130 07:50:25.408448 20334 x.go:1]  \"Add event for unscheduled pod\" pod=\"two/blanks\"",
    "I1130 07:50:25.408448] \"Add event for unscheduled pod\" pod=\"short/header\"",
    "I1130 25:50:25.408448   20334 x.go:1] \"Add event for unscheduled pod\" pod=\"no/time\"",
    "Feb 14 19:59:55 box systemd-journald[275]: Suppressed 170 messages from kube-scheduler.service",
    "Feb 14 19:59:55 box kube-scheduler[9]: I1130 07:50:25.408448   20334 x.go:1]"
    " \"Add event for unscheduled pod\" pod=\"in/journal\"",
    "2024-03-02T01:55:48.613937621+08:00 stderr P I1130 07:50:25.408448   20334 x.go:1] \"Add event for",
    "2024-03-02T01:55:48.613937621+08:00 stderr F  unscheduled pod\" pod=\"cri/pod\"",
    '{"ts":1764489025408.4,"caller":"x.go:1","msg":"Add event for unscheduled pod","v":3,'
    '"pod":{"name":"j","namespace":"n"}}',
    "Log file created at: 2024/11/30 07:00:00",
)  # fmt: skip

_DAMAGE = (
    b"", b"\n", b"\r", b"\r\n", b'"', b"\\", b" ", b"\t", b"=", b"=<\n", b"\n >\n", b"{", b"\xff", b"\xc3\xa4",
    b"\nI1130 ", b"] ", b'" pod="a/b', b"\nE1130 07:50:25.408448   20334 x.go:1] ",
)  # fmt: skip

_headers = st.builds(
    _HEAD.format,
    severity=st.sampled_from("IIIE"),
    day=st.sampled_from(("1130", "1130", "1130", "1201", "0101", "20241130", "0230")),
    second=st.integers(0, 9),
    site=st.sampled_from(("schedule_one.go:481", "x.go:007")),
)
_lines = st.one_of(
    st.builds("{}{}".format, _headers, st.sampled_from(_BODIES)),
    st.builds("{}{}".format, _headers, st.sampled_from(_BODIES)),
    st.sampled_from(_ODD),
)
_texts = st.lists(st.tuples(_lines, st.sampled_from(("\n", "\n", "\n", "\n", "\r\n"))), max_size=40).map(
    lambda lines: "".join(line + end for line, end in lines).encode()
)


def _by_records(data: bytes, clock: Clock) -> list[QueueEvent | QueueDump]:
    reader = RecordReader(0, clock)
    facts = [fact_of(record) for record in (*reader.feed(data), *reader.finish())]
    return [fact for fact in facts if fact is not None]


def _directly(data: bytes, size: int, clock: Clock) -> list[QueueEvent | QueueDump]:
    reader = EventReader(clock)
    facts: list[QueueEvent | QueueDump] = []
    for start in range(0, len(data), size):
        facts += reader.facts(data[start : start + size])
    return facts + reader.last_facts()


@pytest.mark.parametrize(
    "name", [*CHURNS, *STORMS[:2], "v1.36.3-v10-mixed", "v1.36.3-v5-mixed.json", "v1.37.2-v5-stalled"]
)
@pytest.mark.parametrize("size", [1 << 20, 50_021])
def test_both_ways_read_the_same_in_real_logs(name: str, size: int) -> None:
    data = log_bytes(name)
    expected = _by_records(data, Clock.for_year(YEAR, guessed=False))
    assert _directly(data, size, Clock.for_year(YEAR, guessed=False)) == expected
    assert expected


@given(_texts, st.integers(1, 4000), st.booleans())
def test_both_ways_read_the_same_in_any_mixture(data: bytes, size: int, guessed: bool) -> None:
    expected = _by_records(data, Clock.for_year(YEAR, guessed=guessed))
    assert _directly(data, size, Clock.for_year(YEAR, guessed=guessed)) == expected


@given(_texts, st.integers(1, 4000))
def test_without_dumps_all_events_come(data: bytes, size: int) -> None:
    reader = EventReader(Clock.for_year(YEAR, guessed=False), dumps=False)
    facts: list[QueueEvent | QueueDump] = []
    for start in range(0, len(data), size):
        facts += reader.facts(data[start : start + size])
    facts += reader.last_facts()
    expected = _by_records(data, Clock.for_year(YEAR, guessed=False))
    assert _events(facts) == _events(expected)


def _events(facts: list[QueueEvent | QueueDump]) -> list[QueueEvent]:
    return [fact for fact in facts if isinstance(fact, QueueEvent)]


@given(st.data(), st.sampled_from(("v1.29.0-v5-churn3", "v1.36.3-v5-churn7", "v1.37.2-v5-gang5")))
def test_both_ways_read_the_same_in_damaged_logs(data: st.DataObject, name: str) -> None:
    whole = log_bytes(name)
    begin = data.draw(st.integers(0, len(whole) - 20_000))
    damaged = bytearray(whole[begin : begin + 20_000])
    for _ in range(data.draw(st.integers(0, 8))):
        at = data.draw(st.integers(0, len(damaged)))
        damaged[at : at + data.draw(st.integers(0, 30))] = data.draw(st.sampled_from(_DAMAGE))
    size = data.draw(st.integers(500, 30_000))
    expected = _by_records(bytes(damaged), Clock.for_year(YEAR, guessed=False))
    assert _directly(bytes(damaged), size, Clock.for_year(YEAR, guessed=False)) == expected


@pytest.mark.parametrize("end", [b"\r\n", b" \n", b"\n\n"])
def test_both_ways_read_the_same_whatever_ends_a_line(end: bytes) -> None:
    data = log_bytes("v1.36.3-v5-churn7")[:400_000].replace(b"\n", end)
    expected = _by_records(data, Clock.for_year(YEAR, guessed=False))
    assert _directly(data, 100_003, Clock.for_year(YEAR, guessed=False)) == expected
    assert len(expected) > 100
