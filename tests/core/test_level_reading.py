"""One log read with one source: verbosity, fit and verdict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from schedtui.core.call_sites import CallSite, CallSites
from schedtui.core.klog import Clock, read_records
from schedtui.core.level_reading import SITES_FOR_A_VERDICT, LevelReading

if TYPE_CHECKING:
    from schedtui.core.record import Record

PATH = "k8s.io/kubernetes/pkg/scheduler/scheduler.go"
LADDER = tuple(9 if at >= 9 else 0 for at in range(24))


def source(count: int = 20) -> CallSites:
    sites = [
        CallSite(PATH, line, line, "scheduler.f", "I", ((line % 5,),), patterns=((f"message {line}",),))
        for line in range(1, count + 1)
    ]
    sites.append(CallSite(PATH, 100, 100, "scheduler.g", "I", (LADDER,), patterns=(("Request",),)))
    return CallSites(sites, {"scheduler.go", "other.go"})


def records(*lines: str) -> list[Record]:
    text = "".join(f"{line}\n" for line in lines).encode()
    return list(read_records(text, clock=Clock(2026)))


def text_line(file: str, line: int, message: str, severity: str = "I") -> str:
    return f'{severity}0301 10:00:00.000001       1 {file}:{line}] "{message}"'


def read(*lines: str, release: str | None = None) -> tuple[LevelReading, list[Record]]:
    reading = LevelReading(source(), release=release)
    found = records(*lines)
    for record in found:
        reading.observe(record)
    return reading, found


def test_text_records_get_their_level_and_where_it_comes_from() -> None:
    reading, found = read(text_line("scheduler.go", 3, "message 3"))
    enriched = reading.enrich(found[0])
    assert (enriched.v, enriched.v_range, enriched.v_from) == (3, None, "source")


def test_a_json_records_own_level_wins() -> None:
    line = json.dumps({"ts": 1772359200000.1, "caller": "scheduler/scheduler.go:3", "msg": "message 3", "v": 7})
    reading, found = read(line)
    assert reading.enrich(found[0]) is found[0]
    assert reading.level_of(found[0]).level == 3


def test_errors_and_lines_without_a_header_stay_as_they_are() -> None:
    reading, found = read(text_line("scheduler.go", 3, "message 3", "E"), "no header")
    assert [reading.enrich(record) for record in found] == found


def test_the_flag_line_decides_levels_chosen_by_the_verbosity() -> None:
    request = text_line("scheduler.go", 100, "Request")
    flag = 'I0301 10:00:00.000001       1 flags.go:65] FLAG: --v="10"'
    reading, found = read(request)
    assert reading.enrich(found[0]).v_range == (0, 9)
    reading, found = read(flag, request)
    assert (reading.verbosity, reading.enrich(found[1]).v) == (10, 9)


def test_a_verbosity_that_was_changed_while_running_is_not_known_any_more() -> None:
    flag = 'I0301 10:00:00.000001       1 flags.go:65] FLAG: --v="10"'
    change = 'I0301 10:00:01.000001       1 httplog.go:134] "HTTP" verb="PUT" URI="/debug/flags/v" latency="1ms"'
    reading, found = read(flag, change, text_line("scheduler.go", 100, "Request"))
    assert reading.verbosity is None
    assert reading.enrich(found[2]).v is None


def test_vmodule_makes_the_verbosity_useless() -> None:
    flags = ('I0301 10:00:00.000001       1 flags.go:65] FLAG: --v="2"',
             'I0301 10:00:00.000002       1 flags.go:65] FLAG: --vmodule="scheduler=10"')  # fmt: skip
    reading, found = read(*flags, text_line("scheduler.go", 100, "Request"))
    assert reading.enrich(found[2]).v_range == (0, 9)


def test_an_edited_file_is_named_and_gives_no_level() -> None:
    lines = [text_line("scheduler.go", line, f"message {line}") for line in range(1, 15)]
    reading, found = read(*lines, text_line("scheduler.go", 16, "message 15"))
    fit = reading.fit
    assert (fit.refused, fit.differing_files) == ("", ("scheduler.go",))
    assert all(reading.enrich(record).v is None for record in found)
    assert "differs" in reading.level_of(found[0]).why
    assert reading.lookup("scheduler.go", 1, "message 1") is None


def test_a_source_of_another_release_is_refused_as_a_whole() -> None:
    lines = [text_line("scheduler.go", line + 3, f"message {line}") for line in range(1, SITES_FOR_A_VERDICT + 1)]
    reading, found = read(*lines, text_line("scheduler.go", 1, "message 1"))
    assert "not the release" in reading.fit.refused
    assert all(reading.enrich(record).v is None for record in found)


def test_a_log_that_names_another_release_is_refused_at_once() -> None:
    start = 'I0301 10:00:00.000001       1 server.go:178] "Starting Kubernetes Scheduler" version="v1.36.2"'
    reading, _ = read(start, release="v1.36.3")
    assert "v1.36.2" in reading.fit.refused
    reading, _ = read(start.replace("v1.36.2", "v1.36.3"), release="v1.36.3")
    assert not reading.fit.refused
    reading, _ = read(start.replace("v1.36.2", "v0.0.0-master+$Format:%H$"), release="v1.36.3")
    assert not reading.fit.refused


def test_files_that_the_source_does_not_know_say_nothing() -> None:
    reading, _ = read(*(text_line("foreign.go", line, "x") for line in range(1, 30)))
    assert reading.fit.sites == 0
    assert not reading.fit.refused


def test_lines_in_files_without_log_calls_are_no_evidence() -> None:
    reading, _ = read(text_line("other.go", 1, "printed for a caller"))
    assert reading.fit.differing_files == ()


def test_files_named_as_changed_give_no_level() -> None:
    reading = LevelReading(source(), changed_files=frozenset({"scheduler.go"}))
    (record,) = records(text_line("scheduler.go", 3, "message 3"))
    assert reading.enrich(record).v is None


def test_the_verdict_changes_when_earlier_answers_must_be_asked_again() -> None:
    reading = LevelReading(source())
    before = reading.verdict
    reading.observe_site("scheduler.go", 3, "message 3")
    assert reading.verdict == before
    assert reading.lookup("scheduler.go", 3, "message 3") == 3
    reading.observe_site("scheduler.go", 4, "edited")
    assert reading.verdict != before
    assert reading.lookup("scheduler.go", 3, "message 3") is None
