"""Pod stories, reports, stations and placements of real logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schedtui.core.event_reader import EventReader
from schedtui.core.event_scan import STORY_EFFECTS
from schedtui.core.events import QueueEvent, plugin_names, queue_state, read_event
from schedtui.core.fit_reasons import plugin_of_reason
from schedtui.core.klog import Clock
from schedtui.core.report import Report, ReportFold
from schedtui.core.story_teller import StoryTeller
from schedtui.core.story_text import compare_attempts, compare_pods, duration_text, story_lines, why_pending
from tests.core.queue.logs import YEAR, log_bytes, records_of

if TYPE_CHECKING:
    from schedtui.core.pod_story import PodStory

LOGS = (
    "v1.29.0-v10-mixed", "v1.29.0-v10-mixed.json", "v1.29.0-v5-churn3", "v1.36.3-v10-mixed",
    "v1.36.3-v10-mixed.json", "v1.36.3-v4-mixed", "v1.36.3-v2-mixed", "v1.36.3-v5-churn7", "v1.37.2-v10-mixed",
    "v1.37.2-v10-mixed.json", "v1.37.2-v5-churn3", "v1.37.2-v5-stalled",
)  # fmt: skip


def story_of(name: str, *pods: str) -> list[PodStory]:
    return stories_in(log_bytes(name), *pods)


def stories_in(log: bytes, *pods: str) -> list[PodStory]:
    teller = StoryTeller(pods)
    for record in records_of(log):
        teller.apply(record)
    return [teller.story(pod) for pod in pods]


def report_of(name: str) -> Report:
    fold = ReportFold()
    for record in records_of(log_bytes(name)):
        event = read_event(record)
        if event is not None:
            fold.apply_event(event)
    return fold.report()


@pytest.mark.parametrize("name", LOGS)
def test_the_short_way_reads_what_the_long_way_reads(name: str) -> None:
    data = log_bytes(name)
    events = [event for event in map(read_event, records_of(data)) if event is not None]
    wanted = [event for event in events if event.effect not in STORY_EFFECTS | {"dump"}]
    reader = EventReader(Clock.for_year(YEAR, guessed=False))
    facts = [fact for start in range(0, len(data), 4099) for fact in reader.facts(data[start : start + 4099])]
    facts += reader.last_facts()
    assert [fact for fact in facts if isinstance(fact, QueueEvent)] == wanted
    assert len(facts) - len(wanted) == sum(event.effect == "dump" for event in events)


def test_a_pending_pods_story() -> None:
    (story,) = story_of("v1.36.3-v10-mixed", "default/fat-11")
    (life,) = story.lives
    assert [attempt.result for attempt in life.attempts] == ["unschedulable"] * 7
    last = life.attempts[-1]
    assert last.fit is not None
    assert last.fit.total == 6
    assert last.plugins == ("NodeResourcesFit", "TaintToleration")
    assert {wake.event for wake in life.wakes} == {"NodeAdd", "AssignedPodDelete"}
    assert life.kept == {"AssignedPodUpdate": 9, "AssignedPodAdd": 3}
    assert [span.state for span in life.spans[:3]] == ["active", "in_flight", "unschedulable"]
    assert all(span.seconds is not None for span in life.spans[:-1])
    words = " ".join(why_pending(story))
    assert "5x Insufficient cpu" in words
    assert "What would help" in words


def test_a_bound_pods_story_has_scores() -> None:
    (story,) = story_of("v1.36.3-v10-mixed", "default/web-3")
    attempt = story.lives[0].attempts[0]
    assert (attempt.result, attempt.node) == ("bound", "node-2")
    best = attempt.scores[0]
    assert best.node == attempt.node
    assert best.total == sum(best.by_plugin.values()) == 472


@pytest.mark.parametrize(
    "name", ["v1.29.0-v10-mixed", "v1.36.3-v10-mixed.json", "v1.37.2-v10-mixed", "v1.36.3-v4-mixed"]
)
def test_a_gated_pods_story(name: str) -> None:
    (story,) = story_of(name, "default/gated-0")
    states = [span.state for span in story.lives[0].spans]
    assert "gated" in states
    assert states[-1] in ("bound", "gone")
    assert any("bound" in text for text, *_ in story_lines(story))


def test_names_that_the_log_does_not_know() -> None:
    (story,) = story_of("v1.36.3-v0-mixed", "default/nobody")
    assert story.lives == ()
    assert why_pending(story) == ("The log does not name default/nobody.",)


def test_the_attempt_that_runs_is_not_the_one_that_failed() -> None:
    """C05: at --v=4 the second attempt has begun, and only the first one has failed."""
    lines = (
        'I0301 10:00:00.000001       1 schedule_one.go:83] "Attempting to schedule pod" pod="shop/cart-0"\n'
        'I0301 10:00:00.000900       1 schedule_one.go:1055] "Unable to schedule pod; no fit; waiting"'
        ' pod="shop/cart-0" err="0/2 nodes are available: 2 Insufficient cpu."\n'
        'I0301 10:00:10.200000       1 schedule_one.go:83] "Attempting to schedule pod" pod="shop/cart-0"\n'
    )
    (story,) = stories_in(lines.encode(), "shop/cart-0")
    sentences = why_pending(story)
    assert sentences[0] == "shop/cart-0 is being scheduled now."
    assert sentences[1].startswith("Attempt 1 failed: 0 of 2 nodes fit")


def test_a_story_that_goes_on_past_midnight_names_the_days() -> None:
    lines = (
        'I0301 23:59:59.000000       1 schedule_one.go:83] "Attempting to schedule pod" pod="shop/cart-0"\n'
        'I0302 00:00:01.000000       1 schedule_one.go:302] "Successfully bound pod to node" pod="shop/cart-0"'
        ' node="node-a" evaluatedNodes=1 feasibleNodes=1\n'
    )
    (story,) = stories_in(lines.encode(), "shop/cart-0")
    texts = [line.text.split("  ")[1] for line in story_lines(story) if "  " in line.text]
    assert texts == ["2026-03-01 23:59:59.000", "2026-03-02 00:00:01.000", "2026-03-01 23:59:59.000"]


def test_a_pod_of_the_scheduler_before_is_told_as_that_one_had_it() -> None:
    """After a restart the new process has not named the pod; its story ends with the old process."""
    lines = (
        'I0301 10:00:00.000001       7 schedule_one.go:123] "Attempting to schedule pod" pod="shop/old"\n'
        'I0301 10:00:00.000900       7 schedule_one.go:1239] "Unable to schedule pod; no fit; waiting"'
        ' pod="shop/old" err="0/2 nodes are available: 2 Insufficient cpu."\n'
        'I0301 10:00:02.000900       7 eventhandlers.go:63] "Add event for node" node="n"\n'
        'I0301 11:00:00.000000       9 server.go:178] "Starting Kubernetes Scheduler" version="v1.36.3"\n'
        'I0301 11:00:10.000000       9 schedule_one.go:123] "Attempting to schedule pod" pod="shop/new"\n'
    )
    teller = StoryTeller(["shop/old", "shop/new"])
    for record in records_of(lines.encode()):
        teller.apply(record)
    story = teller.story("shop/old")
    assert (story.pid, story.present, story.lives[0].pid) == (7, False, 7)
    assert story.lives[0].spans[-1].seconds == pytest.approx(2.0, abs=0.01)
    sentences = why_pending(story)
    assert sentences[0] == (
        "The scheduler that began last has not named shop/old. As the one with pid 7 (last heard at 10:00:02.000)"
        " had it:"
    )
    assert sentences[1].startswith("shop/old waits in the unschedulable pool")
    assert teller.story("shop/new").present


def test_two_schedulers_in_one_file_each_tell_of_their_pods() -> None:
    """Lines of two processes in turn: each pod is told by its own, one known to both by each apart."""
    attempt, no_fit = "Attempting to schedule pod", "Unable to schedule pod; no fit; waiting"
    told = ((7, attempt, "a"), (9, attempt, "b"), (7, attempt, "both"), (9, attempt, "both"), (7, no_fit, "both"))
    text = "".join(
        f'I0301 10:00:{second:02}.000000 {pid:7} schedule_one.go:123] "{message}" pod="shop/{pod}"\n'
        for second, (pid, message, pod) in enumerate((*told, (7, attempt, "both")))
    )
    teller = StoryTeller(None)
    for record in records_of(text.encode()):
        teller.apply(record)
    assert [(life.process, life.pid) for life in teller.story("shop/a").lives] == [(1, 7)]
    both = teller.story("shop/both")
    assert [(life.process, life.pid, len(life.attempts)) for life in both.lives] == [(1, 7, 2), (2, 9, 1)]
    assert [line.text for line in story_lines(both) if line.text.startswith("life")] == [
        "life 1 in process 1 (pid 7)", "life 1 in process 2 (pid 9)",
    ]  # fmt: skip
    keys = [line.attempt for line in story_lines(both) if line.attempt]
    assert keys == ["1.1", "1.2", "2.1"]


def test_a_restart_under_the_same_pid_begins_a_new_life() -> None:
    attempt = 'I0301 10:00:0{}.000001       1 schedule_one.go:123] "Attempting to schedule pod" pod="shop/a"\n'
    start = 'I0301 10:00:02.000000       1 server.go:178] "Starting Kubernetes Scheduler" version="v1.36.3"\n'
    (story,) = stories_in((attempt.format(1) + start + attempt.format(3)).encode(), "shop/a")
    assert [(life.process, life.incarnation, len(life.attempts)) for life in story.lives] == [(1, 1, 1), (2, 1, 1)]
    assert [line.attempt for line in story_lines(story) if line.attempt] == ["1.1", "2.1"]


def test_a_pod_that_the_model_has_forgotten_is_gone_and_not_unknown() -> None:
    delete = (
        'I0301 10:{:02}:{:02}.000001       1 eventhandlers.go:364] "Delete event for unscheduled pod" pod="a/{}"\n'
    )
    teller = StoryTeller(["a/0"])
    for number in range(300):
        for record in records_of(delete.format(number // 60, number % 60, number).encode()):
            teller.apply(record)
    assert teller.model.row("a/0") is None
    assert why_pending(teller.story("a/0")) == ("a/0 is gone.",)


def test_two_pods_and_two_attempts_side_by_side() -> None:
    left, right = story_of("v1.36.3-v10-mixed", "default/fat-11", "default/web-3")
    rows = {what: (ours, theirs) for what, ours, theirs in compare_pods(left, right)}
    assert rows["pod"] == ("default/fat-11", "default/web-3")
    assert rows["Insufficient cpu"] == ("5 nodes", "")
    first, second = left.lives[0].attempts[:2]
    reasons = {what: (ours, theirs) for what, ours, theirs in compare_attempts(first, second)}
    assert reasons["Insufficient cpu"] == ("4 nodes", "5 nodes")


def test_all_stories_at_once_and_forgotten_when_finished() -> None:
    teller = StoryTeller(None)
    for record in records_of(log_bytes("v1.36.3-v5-churn7")):
        teller.apply(record)
    pods = teller.pods()
    finished = teller.take_finished(0)
    assert finished
    assert {story.row.state for story in finished if story.row is not None} <= {"gone"}
    assert len(teller.pods()) == len(pods) - len(finished)
    bound = sum(
        attempt.result == "bound"
        for story in [*finished, *(teller.story(pod) for pod in teller.pods())]
        for life in story.lives
        for attempt in life.attempts
    )
    assert bound == 126


def test_a_pod_that_comes_back_long_after_it_went_begins_a_new_life() -> None:
    """The model keeps a few hundred pods that are gone; its own count of incarnations starts anew behind them."""
    header = "I1130 14:58:{:02d}.000000       1 eventhandlers.go:{}] "
    added = header + '"Add event for unscheduled pod" pod="default/{}"'
    deleted = header + '"Delete event for unscheduled pod" pod="default/{}"'
    others = [f"other-{number}" for number in range(300)]
    lines = [added.format(1, 214, "back"), deleted.format(2, 335, "back")]
    lines += [line.format(3, site, name) for name in others for line, site in ((added, 214), (deleted, 335))]
    lines += [added.format(9, 214, "back"), deleted.format(10, 335, "back")]
    (story,) = stories_in("\n".join(lines).encode(), "default/back")
    lives = story.lives
    assert [life.incarnation for life in lives] == [1, 2]
    assert [span.state for span in lives[1].spans] == ["active", "gone"]


@pytest.mark.parametrize(
    ("name", "bound", "attempts", "failed"),
    [("v1.36.3-v5-churn7", 126, 364, 238), ("v1.29.0-v5-churn3", 108, 185, 77),
     ("v1.37.2-v5-churn3", 97, 291, 194), ("v1.29.0-v10-mixed", 32, 49, 17), ("v1.36.3-v2-mixed", 32, 61, 29)],
)  # fmt: skip
def test_a_reports_numbers(name: str, bound: int, attempts: int, failed: int) -> None:
    report = report_of(name)
    assert (report.bound, report.attempts, report.failed_attempts) == (bound, attempts, failed)
    assert sum(node.bound for node in report.nodes) == bound
    assert sum(node.share for node in report.nodes) == pytest.approx(1)
    assert report.workflow.stations[-1].passed == bound
    if "-v2-" not in name:
        assert report.wait.count == bound
        assert report.wait.p50 is not None
        assert report.wait.max is not None
        assert 0 < report.wait.p50 <= report.wait.max


def test_a_reports_reasons() -> None:
    report = report_of("v1.36.3-v5-churn7")
    assert dict(report.failures) == {"NodeResourcesFit": 149, "VolumeRestrictions": 87, "NodeAffinity": 3}
    assert not report.failures_inferred
    assert report.reasons["Insufficient cpu"] == 1686
    assert report.preemptions == 4
    assert len(report.slowest) == 20
    assert report.slowest[0].wait_seconds == report.wait.max
    inferred = report_of("v1.29.0-v10-mixed")
    assert inferred.failures_inferred
    assert inferred.failures["NodeResourcesFit"] == 13


def test_the_stations() -> None:
    stations = {station.name: station for station in report_of("v1.36.3-v5-churn7").workflow.stations}
    assert stations["pop"].passed == 364
    assert stations["filter"].failed == 238
    assert stations["bind"].passed == 126
    assert all(station.inside == 0 for station in stations.values())
    assert stations["pop"].rate > 0
    stuck = {station.name: station for station in report_of("v1.37.2-v5-stalled").workflow.stations}
    assert stuck["queue"].passed > 0
    assert stuck["pop"].passed == 0


def test_values_in_every_spelling() -> None:
    assert plugin_names({"B": {}, "A": {}}) == ("A", "B")
    assert plugin_names('{"NodeResourcesFit":{},"TaintToleration":{}}') == ("NodeResourcesFit", "TaintToleration")
    assert plugin_names("map[NodeResourcesFit:{} TaintToleration:{}]") == ("NodeResourcesFit", "TaintToleration")
    assert plugin_names({"": {}}) == plugin_names("{}") == plugin_names(None) == ()
    assert plugin_names("SchedulingGates") == ("SchedulingGates",)
    assert queue_state("ActiveQueue") == queue_state("activeQ") == "active"
    assert queue_state("UnschedulablePods") == "unschedulable"
    assert queue_state("elsewhere") is None
    assert plugin_of_reason("Insufficient nvidia.com/gpu") == "NodeResourcesFit"
    assert plugin_of_reason("node(s) had untolerated taint {a: b}") == "TaintToleration"
    assert plugin_of_reason("my own plugin says no") is None
    assert [duration_text(value) for value in (None, 0.0015, 2.5, 125, 7_800, 273_600)] == [
        "", "1.5 ms", "2.50 s", "2 min 5 s", "2 h 10 min", "3 d 4 h",
    ]  # fmt: skip


def test_stations_whose_lines_are_hidden_are_marked() -> None:
    stations = {station.name: station for station in report_of("v1.36.3-v2-mixed").workflow.stations}
    assert (stations["informer"].passed, stations["pop"].passed, stations["bind"].passed) == (0, 61, 32)
    assert {name for name, station in stations.items() if not station.inferred} == {"bind"}
    seen = {station.name: station for station in report_of("v1.36.3-v5-churn7").workflow.stations}
    assert not any(seen[name].inferred for name in ("informer", "queue", "pop", "bind"))
