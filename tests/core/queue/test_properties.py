"""Any lines in any order: the fold never raises, and a pod is in one place only."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.event_table import MESSAGES
from schedtui.core.events import QueueEvent
from schedtui.core.queue_check import QueueChecker
from schedtui.core.queue_model import QueueModel
from schedtui.core.queue_state import POD_STATES
from schedtui.core.record import Record
from schedtui.core.report import ReportFold
from schedtui.core.story_teller import StoryTeller
from schedtui.core.story_text import story_lines
from tests.core.queue.logs import records_of

EVENTS = st.builds(
    QueueEvent,
    line=st.integers(1, 10_000),
    time_us=st.none() | st.integers(0, 30_000_000),
    pid=st.sampled_from([None, 7, 7, 7, 8]),
    effect=st.sampled_from(sorted({*MESSAGES.values(), "moved", "gated", "lost", "flag", "unheard of"})),
    pod=st.sampled_from([None, "default/a", "default/b", "shop/c", ""]),
    kind=st.sampled_from(["pod", "pod", "pod", "podgroup"]),
    event=st.sampled_from([None, "PodAdd", "ScheduleAttemptFailure", "NodeAdd", "BackoffComplete"]),
    queue=st.sampled_from([None, "active", "backoff", "unschedulable"]),
    hint=st.sampled_from([None, 0, 1, "QueueAfterBackoff"]),
    plugins=st.sampled_from([(), ("NodeResourcesFit",), ("SchedulingGates",), ("Own",)]),
    node=st.sampled_from([None, "n1", "n2"]),
    text=st.sampled_from(["", "0/1 nodes are available: 1 Insufficient cpu.", "--vmodule=\"\"", "v1.36.3", "7"]),
    other=st.sampled_from([None, "default/a", "shop/train"]),
    number=st.none() | st.floats(0, 100),
    source=st.sampled_from(["", "active_queue.go:111", "scheduling_queue.go:746", "schedule_one.go:302"]),
    message=st.sampled_from(["", "Pod moved to an internal scheduling queue", "because the Pod is updated"]),
)  # fmt: skip


@given(st.lists(EVENTS, max_size=60))
def test_any_events_in_any_order(events: list[QueueEvent]) -> None:
    model = QueueModel()
    teller = StoryTeller(None)
    fold = ReportFold()
    for event in events:
        model.apply_event(event)
        teller.apply_event(event)
        fold.apply_event(event)
        snapshot = model.snapshot()
        names = [(row.kind, row.pod) for row in snapshot.pods]
        assert len(names) == len(set(names))
        assert tuple(snapshot.counts) == POD_STATES
        assert sum(snapshot.counts.values()) >= sum(row.kind == "pod" for row in snapshot.pods)
    for pod in teller.pods():
        assert story_lines(teller.story(pod))
    assert fold.report().bound >= 0


@given(st.lists(EVENTS, max_size=40), st.integers(0, 40))
def test_a_copy_is_never_touched_by_what_follows(events: list[QueueEvent], at: int) -> None:
    model = QueueModel()
    for event in events[:at]:
        model.apply_event(event)
    past = model.copy()
    before = past.snapshot()
    for event in events[at:]:
        model.apply_event(event)
    assert past.snapshot() == before


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"Dump of scheduling queue", b'"Add event for unscheduled pod" ']),
)
def test_any_bytes(noise: bytes, words: bytes) -> None:
    checker = QueueChecker()
    head = b"I1130 08:15:23.677615   12567 dumper.go:62] "
    for record in records_of(
        head + b'"' + words + b'" summary="activeQ:3; backoffQ:x" pods=' + noise + b"\n" + noise
    ):
        checker.apply(record)
    checker.results()


def test_a_record_without_anything() -> None:
    model = QueueModel()
    model.apply(Record(line=1, raw=""))
    assert model.snapshot().line == 1
    assert model.snapshot().release is None
