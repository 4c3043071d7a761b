from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import UnreadableInput
from schedtui.core.event_reader import EventReader
from schedtui.core.events import QueueEvent
from schedtui.core.queue_dump import QueueDump
from schedtui.core.report import ReportFold
from schedtui.core.story_teller import StoryTeller
from schedtui.sources import parallel
from schedtui.sources.inputs import clock_of, read_input, resolve_inputs
from schedtui.sources.parallel import read_facts
from schedtui.sources.report_reading import report_parts
from tests.sources.real_logs import real_log

if TYPE_CHECKING:
    from pathlib import Path

CRI = b"2026-11-30T07:50:25.408448123+00:00 stderr F "


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "WORTH_IT_BYTES", 100_000)
    monkeypatch.setattr(parallel, "RANGE_BYTES", 150_000)
    monkeypatch.setattr(parallel, "PIECE_BYTES", 10_000)


@pytest.mark.parametrize("name", ["v1.36.3-v5-churn7.log", "v1.36.3-v10-mixed.json.log"])
def test_ranges_bring_what_one_reader_brings(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(real_log(name))
    (log,) = resolve_inputs([str(path)])
    assert parallel.is_worth_it(log)
    reader = EventReader(clock_of(log, real_log(name)[:100_000]))
    assert list(read_facts(log)) == reader.facts(real_log(name)) + reader.last_facts()


@pytest.mark.parametrize("name", ["v1.36.3-v5-churn7.log", "v1.36.3-v10-mixed.json.log", "v1.37.2-v5-stalled.log"])
def test_a_report_over_ranges_is_the_whole_one(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(real_log(name))
    (log,) = resolve_inputs([str(path)])
    whole, joined = ReportFold(), ReportFold()
    for fact in read_facts(log):
        if not isinstance(fact, QueueDump):
            whole.apply_event(fact)
    parts = list(report_parts(log))
    for part in parts:
        joined.take(part)
    assert len(parts) > 1
    assert joined.report() == whole.report()


def test_a_log_without_a_place_to_cut_is_read_as_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cri.log"
    path.write_bytes(b"".join(CRI + line + b"\n" for line in real_log("v1.36.3-v5-churn7.log").splitlines()))
    (log,) = resolve_inputs([str(path)])
    monkeypatch.setattr(parallel, "over_ranges", None)
    assert len(list(read_facts(log))) > 1000


def test_a_reading_process_that_was_killed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(real_log("v1.36.3-v5-churn7.log"))
    (log,) = resolve_inputs([str(path)])
    monkeypatch.setattr(parallel, "read_range", _killed)
    with pytest.raises(UnreadableInput, match="was ended"):
        list(read_facts(log))


def _killed(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_no_reading_process_outlives_a_killed_parent(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(real_log("v1.36.3-v5-churn7.log"))
    held, holding = os.pipe()
    program = (
        "import os, sys\n"
        "from schedtui.sources import parallel\n"
        "from schedtui.sources.inputs import resolve_inputs\n"
        "parallel.WORTH_IT_BYTES = parallel.RANGE_BYTES = 150_000\n"
        "facts = parallel.read_facts(resolve_inputs(sys.argv[1:])[0])\n"
        "next(facts)\n"
        "print('reading', flush=True)\n"
        "input()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[holding],
    )  # fmt: skip
    os.close(holding)
    assert child.stdout is not None
    assert child.stdout.readline() == b"reading\n"
    child.kill()
    child.communicate()
    # Every process of the pool holds the other end: it closes with the last of them.
    assert os.read(held, 1) == b""
    os.close(held)


@pytest.mark.parametrize(
    ("name", "pods"),
    [
        ("v1.36.3-v10-mixed.log", ("default/web-1", "default/vip-0")),
        ("v1.36.3-v10-mixed.json.log", ("default/vip-0",)),
        ("v1.37.2-v5-churn3.log", ("default/gated-97", "default/huge-110")),
    ],
)
def test_stories_from_ranges_are_those_from_records(name: str, pods: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(real_log(name))
    (log,) = resolve_inputs([str(path)])
    by_records, by_ranges = StoryTeller(pods), StoryTeller(pods)
    for record in read_input(log):
        by_records.apply(record)
    for fact in parallel.read_large(log, pods):
        if isinstance(fact, QueueEvent):
            by_ranges.apply_event(fact)
    for pod in pods:
        expected, told = by_records.story(pod), by_ranges.story(pod)
        assert told.lives == expected.lives
        assert told.row == expected.row
