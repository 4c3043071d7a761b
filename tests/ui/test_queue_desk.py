"""The queue pane's services on real logs: rotated files, standard input's spool, advice, the dump's words."""

from __future__ import annotations

import gzip
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from schedtui.core.klog import read_records
from schedtui.core.queue_check import Misplaced, QueueChecker
from schedtui.core.verbosity_advice import advise
from schedtui.core.workflow import STATIONS, Station, WorkflowSnapshot
from schedtui.sources.log_store import LogStore
from schedtui.sources.reread import reread
from schedtui.ui.services import stories
from schedtui.ui.services.dump_check import describe
from schedtui.ui.services.level_advice import advice_lines
from schedtui.ui.services.log_facts import Levels
from schedtui.ui.services.queue_watch import QueueWatch
from schedtui.ui.services.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.record import Record
    from schedtui.ui import messages

DATA = Path(__file__).parent.parent / "data"
DEADLINE_SECONDS = 60.0


def churn() -> bytes:
    return gzip.decompress((DATA / "v1.36.3-v5-churn7.log.gz").read_bytes())


def folded(*paths: Path) -> tuple[LogStore, QueueWatch]:
    """A store and its fold, both at the end."""
    done = threading.Event()
    watch = QueueWatch(lambda _: None)
    texts = [gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in paths]
    expected, taken = sum(len(list(read_records(text))) for text in texts), 0

    def take(records: Sequence[Record]) -> None:
        nonlocal taken
        taken += len(records)
        watch.take(records)

    def caught_up() -> None:
        watch.tell()
        # An archive is caught up with more than once while it is unpacked.
        if taken >= expected:
            done.set()

    store = LogStore([str(path) for path in paths], lambda _: None)
    store.subscribe_records(take, caught_up)
    store.start()
    assert done.wait(DEADLINE_SECONDS)
    return store, watch


def test_an_archive_is_read_again_for_a_story_and_for_any_place() -> None:
    store, watch = folded(DATA / "v1.36.3-v5-churn7.log.gz")
    try:
        story = stories.tell(store.readable(), ("default/vol-90",))["default/vol-90"]
        assert len(story.lives) == 1 and len(story.lives[0].attempts) == 3
        early = next(record for record in read_records(churn()) if record.line >= 2000)
        before = watch.snapshot_at(early)
        assert before.line == early.line
        assert 0 < before.counts["bound"] < watch.ask(lambda model: model.counts)["bound"] + 60
        lines = stories.attempts_side_by_side(story, "1.1", "1.3")
        assert any(line.text.startswith("attempt") and "≠" in line.text for line in lines)
        assert stories.attempts_side_by_side(story, "1.1", "9.9") == ()
        assert "As it was at 08:16:04.715" in stories.side_by_side(story, story)[-1].text
        assert stories.side_by_side(story, story)[0].text.split() == ["default/vol-90", "default/vol-90"]
        assert story.row is not None
        second = replace(story, row=replace(story.row, incarnation=2))
        assert stories.side_by_side(story, second)[0].text.split() == ["default/vol-90", "default/vol-90", "#2"]
        far = replace(second, pod="a-namespace/" + "with-a-long-name" * 2)
        assert [line.text.strip() for line in stories.side_by_side(far, story)[:2]] == [
            f"{far.pod} #2", "default/vol-90",
        ]  # fmt: skip
    finally:
        store.close()


def test_a_stations_line_fits_into_80_columns() -> None:
    stations = tuple(Station(name, meaning, 123_456, 1, 1, 9_999.9, True) for name, meaning in STATIONS)
    lines = stories.station_lines(WorkflowSnapshot(None, stations))
    assert max(len(text) for text, _ in lines) <= 80


def test_a_break_on_a_pod_says_when_it_can_stop() -> None:
    store, watch = folded(DATA / "v1.36.3-v5-churn7.log.gz")
    said: list[messages.NoticePosted] = []
    wishes: list[object] = []
    stand_in: Any = SimpleNamespace(
        queue=watch, plan=SimpleNamespace(lab=None), submit=wishes.append, post=said.append
    )
    try:
        bound = next(row.pod for row in watch.ask(lambda fold: fold.snapshot()).pods if row.state == "bound")
        for pod in ("default/vol-90", bound, "default/unheard-of"):
            Session.break_on_pod(stand_in, pod)
    finally:
        store.close()
    assert len(wishes) == 3
    assert [notice.text for notice in said] == [
        "To break on default/vol-90; stops at its next try, at an event that may help it.",
        f"To break on {bound}; bound already, stops once it is made anew.",
        "To break on default/unheard-of.",
    ]


def test_several_logs_are_travelled_by_time(tmp_path: Path) -> None:
    lines = churn().splitlines(keepends=True)
    half = next(place for place in range(len(lines) // 2, len(lines)) if lines[place].startswith(b"I1130"))
    first, second = tmp_path / "a.log", tmp_path / "b.log"
    first.write_bytes(b"".join(lines[:half]))
    second.write_bytes(b"".join(lines[half:]))
    store, watch = folded(first, second)
    try:
        records = list(reread(store.readable()))
        assert len(records) == len(list(read_records(churn())))
        last = records[-1]
        assert watch.snapshot_at(last).counts == watch.ask(lambda model: model.snapshot()).counts
        assert watch.snapshot_at(records[10]).counts["bound"] == 0
    finally:
        store.close()


def test_the_watch_counts_along() -> None:
    store, watch = folded(DATA / "v1.36.3-v5-churn7.log.gz")
    try:
        report = watch.report()
        assert report.bound == 126 == sum(node.bound for node in watch.placements())
        assert report.wait.count == 126
        assert watch.stations().stations[-1].passed == 126
        assert watch.caught_up
    finally:
        store.close()


def test_advice_names_the_flags_and_what_they_cost(tmp_path: Path) -> None:
    levels = Levels(None, tmp_path, lambda _: None)
    levels.load()
    levels.observe(list(read_records(churn())))
    sites = levels.count_levels().sites()
    bound = [site for found in sites.values() for site in found if "Successfully bound" in site.message]
    assert [site.lines for site in bound] == [126]
    advice = advise(sites, lambda site: site in bound)
    assert advice is not None and advice.flags == "--v=0 --vmodule=schedule_one=2"
    text = "\n".join(line for line, _, _ in advice_lines(advice, bound, 1_000_000))
    assert text.startswith("--v=0 --vmodule=schedule_one=2\n")
    assert "--v=2 alone" in text and "126  schedule_one.go" in text


def test_the_verbosity_of_the_flags_is_forgotten_when_it_is_changed(tmp_path: Path) -> None:
    told: list[object] = []
    levels = Levels(None, tmp_path, told.append)
    levels.verbosity_changed()
    assert told == [levels.lookup]


def test_a_dump_is_told_with_the_schedulers_counters_beside_it() -> None:
    checker = QueueChecker()
    for record in read_records(churn()):
        checker.apply(record)
    check = checker.results()[-1]
    counted = {"active": 0, "backoff": 0, "unschedulable": 20, "gated": 2}
    told = describe(check, counted)
    assert told.equal and told.summary.startswith("model = scheduler: ")
    assert "/metrics: active 0" in told.summary
    assert told.summary.endswith("(a dump has gated pods among the unschedulable, /metrics counts them apart)")
    assert "apart" not in describe(check, {"active": 0, "unschedulable": 20, "gated": 0}).summary
    wrong = describe(replace(check, missing=(Misplaced("default/lost", "active", None),)), counted)
    assert not wrong.equal and "≠" in wrong.summary
    row = next(line for line in wrong.lines if line.startswith("unschedulable"))
    assert row.split()[1:] == [str(check.dump["unschedulable"]), str(check.model["unschedulable"]), "22"]
    assert wrong.lines[-1].startswith("unschedulable: 2 gated among them;")
