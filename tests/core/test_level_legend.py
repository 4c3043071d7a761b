"""What each level holds in a log, and which flags show what is wanted for the least."""

from __future__ import annotations

from schedtui.core.call_sites import CallSite, CallSites
from schedtui.core.level_legend import UNKNOWN, LevelCounter, SiteCount, legend
from schedtui.core.record import Record
from schedtui.core.verbosity_advice import advise


def record(file: str, line: int, message: str, raw: str = "x" * 99) -> Record:
    return Record(1, raw, kind="klog", severity="I", file=file, src_line=line, message=message)


def counted() -> LevelCounter:
    counter = LevelCounter()
    for _ in range(3):
        counter.add(record("schedule_one.go", 481, "bound"), 2)
    for _ in range(50):
        counter.add(record("schedule_one.go", 982, "scored"), 10)
    for _ in range(40):
        counter.add(record("preemption.go", 421, "potential node"), 5)
    for _ in range(5):
        counter.add(record("scheduling_queue.go", 958, "moved"), 3)
    counter.add(record("foreign.go", 1, "unknown"), None)
    return counter


def test_the_legend_counts_records_and_calls_by_level_with_unknown_last() -> None:
    index = CallSites([CallSite("a/b.go", 1, 1, "f", "I", ((5,),)), CallSite("a/b.go", 2, 2, "f", "E")], {"b.go"})
    steps = legend(counted(), index)
    assert [(step.level, step.calls, step.lines, step.bytes) for step in steps] == [
        (2, 0, 3, 300),
        (3, 0, 5, 500),
        (5, 1, 40, 4000),
        (10, 0, 50, 5000),
        (UNKNOWN, 0, 1, 100),
    ]
    assert steps[2].top == (SiteCount("preemption.go", 421, "potential node", 40, 4000),)
    assert all(step.meaning for step in steps)


def test_advice_raises_single_files_where_that_saves_lines() -> None:
    advice = advise(counted().sites(), lambda site: site.file == "preemption.go")
    assert advice is not None
    assert advice.flags == "--v=0 --vmodule=preemption=5"
    assert (advice.lines, advice.plain_verbosity, advice.plain_lines) == (40, 5, 48)


def test_advice_for_one_file_leaves_the_volume_of_others_out() -> None:
    advice = advise(counted().sites(), lambda site: site.message == "moved" or site.file == "preemption.go")
    assert advice is not None
    assert advice.lines == 45
    assert advice.plain_lines == 48


def test_advice_is_plain_when_nothing_is_saved_and_absent_when_nothing_is_there() -> None:
    counter = LevelCounter()
    counter.add(record("a.go", 1, "always"), 0)
    advice = advise(counter.sites(), lambda site: True)
    assert advice is not None
    assert (advice.flags, advice.modules) == ("--v=0", {})
    assert advise(counter.sites(), lambda site: site.message == "never") is None


def test_advice_names_wanted_messages_of_unknown_level() -> None:
    advice = advise(counted().sites(), lambda site: site.message in ("bound", "unknown"))
    assert advice is not None
    assert advice.missing == ("unknown",)
