from __future__ import annotations

import pickle
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core import report
from schedtui.core.event_reader import EventReader
from schedtui.core.klog import Clock
from schedtui.core.queue_dump import QueueDump
from schedtui.core.report import Report, ReportFold
from schedtui.core.report_parts import ReportPart
from tests.core.queue.test_properties import EVENTS
from tests.sources.real_logs import real_log

if TYPE_CHECKING:
    from schedtui.core.events import QueueEvent


def folded(events: list[QueueEvent]) -> Report:
    fold = ReportFold()
    for event in events:
        fold.apply_event(event)
    return fold.report()


def joined(events: list[QueueEvent], cuts: list[int]) -> Report:
    fold = ReportFold()
    for start, end in pairwise([0, *sorted(cuts), len(events)]):
        fold.take(ReportPart(events[start:end]))
    return fold.report()


@given(st.lists(EVENTS, max_size=60), st.lists(st.integers(0, 60), max_size=4), st.integers(1, 5_000_000))
def test_parts_join_to_the_whole(events: list[QueueEvent], cuts: list[int], step_us: int) -> None:
    in_order = [
        event._replace(line=place + 1, time_us=1_000_000 + place * step_us) for place, event in enumerate(events)
    ]  # fmt: skip
    assert joined(in_order, [min(cut, len(events)) for cut in cuts]) == folded(in_order)


@given(st.lists(EVENTS, max_size=60), st.integers(1, 8), st.integers(0, 12))
def test_events_that_wait_for_the_model_are_not_lost(events: list[QueueEvent], size: int, most: int) -> None:
    in_order = [event._replace(line=place + 1, time_us=place * 10**6) for place, event in enumerate(events)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "MOST_WAITING", most)
        assert joined(in_order, list(range(size, len(events), size))) == folded(in_order)


@given(st.lists(EVENTS, max_size=40))
def test_a_part_comes_whole_out_of_another_process(events: list[QueueEvent]) -> None:
    fold, other = ReportFold(), ReportFold()
    fold.take(ReportPart(events))
    other.take(pickle.loads(pickle.dumps(ReportPart(events))))
    assert other.report() == fold.report()


@pytest.mark.parametrize(
    "name",
    ["v1.36.3-v5-churn7.log", "v1.36.3-v5-mixed.json.log", "v1.36.3-v10-mixed.log", "v1.37.2-v5-stalled.log"],
)
def test_real_logs_may_be_cut_anywhere(name: str) -> None:
    reader = EventReader(Clock.for_year(2026, guessed=True))
    facts = reader.facts(real_log(name)) + reader.last_facts()
    events = [fact for fact in facts if not isinstance(fact, QueueDump)]
    # The same log twice: a process that starts when another one has been there.
    events = [*events, *(event._replace(line=event.line + 10**6) for event in events)]
    whole = folded(events)
    for parts in (2, 5, 17):
        assert joined(events, [len(events) * part // parts for part in range(1, parts)]) == whole


def test_ended_processes_leave_little_behind() -> None:
    reader = EventReader(Clock.for_year(2026, guessed=True))
    events = [fact for fact in reader.facts(real_log("v1.36.3-v5-churn7.log")) if not isinstance(fact, QueueDump)]
    assert len(ReportPart(events * 5).model_events) < 2 * len(events)
