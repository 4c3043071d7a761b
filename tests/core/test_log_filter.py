from __future__ import annotations

import dataclasses
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.filter_fields import FieldIs
from schedtui.core.filter_nodes import (
    All,
    Any,
    FileIs,
    LevelIs,
    NameIs,
    Node,
    Not,
    Pattern,
    SeverityIs,
    Text,
)
from schedtui.core.klog import Clock, read_records
from schedtui.core.klog.clock import microseconds
from schedtui.core.log_filter import (
    EVERYTHING,
    FILTER_HELP,
    READY_FILTERS,
    Chip,
    FilterError,
    FilterStack,
    LogSpan,
    all_of,
    exclude_value,
    include_value,
    parse_filter,
)
from schedtui.core.record import Record
from tests.sources.real_logs import real_log

LOG = """\
I0301 10:32:00.000000       1 flags.go:64] FLAG: --v="5"
I0301 10:32:01.000000       1 eventhandlers.go:126] "Add event for unscheduled pod" pod="default/web-1"
I0301 10:32:02.000000       1 schedule_one.go:83] "Attempting to schedule pod" pod="default/web-10"
I0301 10:32:03.000000       1 schedule_one.go:302] "Successfully bound pod to node" pod="default/web-10" node="node-a" evaluatedNodes=3 feasibleNodes=2
W0301 10:32:04.000000       1 factory.go:342] Pod shop/cart-7 doesn't exist in informer cache: pod "cart-7" not found
E0301 10:32:05.000000       1 schedule_one.go:1060] "Error scheduling pod; retrying" err="running PreBind plugin \\"VolumeBinding\\": timed out" pod="shop/cart-0"
I0301 10:32:06.000000       1 scheduling_queue.go:800] "Pod moved to an internal scheduling queue" pod="shop/cart-0" event="ScheduleAttemptFailure" queue="Unschedulable" schedulingCycle=17 hint=0 unschedulable plugins={"NodeResourcesFit":{}}
I0301 10:32:07.000000       1 x.go:1] "Ünïcode Text" logger="Filter.TaintToleration" ok=true none=null list=["a","b"]
plain continuation with a needle
{"ts":1772361128000.5,"caller":"scheduler/schedule_one.go:252","msg":"Successfully bound pod to node","v":2,"pod":{"name":"cart-9","namespace":"shop"},"node":{"name":"node-b"}}
2026-03-01T10:32:09Z stderr F I0301 10:32:09.000000       1 x.go:2] "wrapped" score=7.5
"""  # noqa: E501
DATA = LOG.encode()
RECORDS = list(read_records(DATA, clock=Clock(2026)))
SPAN = LogSpan(RECORDS[0].time_us, RECORDS[-1].time_us)


def matching(text: str, span: LogSpan = SPAN) -> list[int]:
    """Lines of the records that match."""
    keep = parse_filter(text, span)
    for record in RECORDS:
        raw = DATA[record.offset : record.offset + record.length]
        assert keep.prefilter(raw) or not keep(record), (text, record.raw)
    return [record.line for record in RECORDS if keep(record)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]),
        ("successfully", [4, 10]),
        ("Successfully", [4, 10]),
        ("SUCCESSFULLY", []),
        ('"bound pod"', [4, 10]),
        ("needle", [8]),
        ("ünïcode", [8]),
        ("/bound.*node-[ab]/", [4, 10]),
        ("/BOUND/", []),
        ("pid:*", [1, 2, 3, 4, 5, 6, 7, 8, 11]),
        ("!pid:*", [10]),
        ("src_line:30*", [4]),
        ("score:7.*", [11]),
        ("evaluatedNodes:*", [4]),
        ("/BOUND/i", [4, 10]),
        ("/bound/c", [4, 10]),
        ("/^E/", [6]),
        ("/^e/", [6]),
        ("/^e/c", []),
        (r"/\d{4}\] \S/", [6]),
        ("/a\\/b|retrying/", [6]),
        ("pod:default/web-1", [2]),
        ("pod:web-1", [2]),
        ("pod:web-*", [2, 3, 4]),
        ("pod:shop/*", [5, 6, 7, 10]),
        ("pod:shop/cart-9", [10]),
        ("node:node-a", [4]),
        ("node:node-*", [4, 10]),
        ("plugin:VolumeBinding", [6]),
        ("plugin:NodeResourcesFit", [7]),
        ("plugin:TaintToleration", [8]),
        ("plugin:Node", []),
        ("severity>=W", [5, 6]),
        ("severity:E", [6]),
        ("sev<W", [1, 2, 3, 4, 7, 8, 10, 11]),
        ("level>=e", [6]),
        ("severity=warning", [5]),
        ("v<=4", [10]),
        ("v:2", [10]),
        ("level<2", []),
        ("v:?", [1, 2, 3, 4, 5, 6, 7, 8, 11]),
        ("file:schedule_one.go", [3, 4, 6, 10]),
        ("file:schedule_one", [3, 4, 6, 10]),
        ("file:sched*", [3, 4, 6, 7, 10]),
        ("file:scheduler/schedule_one.go", [3, 4, 6, 10]),
        ("schedule_one.go:302", [4]),
        ("file:schedule_one.go:302", [4]),
        ("queue:unsched", [7]),
        ("queue=Unsched", []),
        ("queue=Unschedulable", [7]),
        ("hint:0", [7]),
        ("hint=0", [7]),
        ("schedulingCycle>16", [7]),
        ("schedulingCycle<17", []),
        ("score>=7.5", [11]),
        ('"unschedulable plugins":NodeResourcesFit', [7]),
        ('err:"timed out"', [6]),
        ("err:*", [5, 6]),
        ("event:Schedule*", [7]),
        ("ok:true none:null", [8]),
        ("list:b", [8]),
        ("kind:json", [10]),
        ("message:attempting", [3]),
        ("pid:1 unit:stderr", [11]),
        ("line:3", [3]),
        ("after:10:32:06", [7, 8, 10, 11]),
        ("before:10:32:01", [1, 2]),
        ("after:10:32:01 before:10:32:02.5", [2, 3]),
        ("after:2026-03-01T10:32:06", [7, 8, 10, 11]),
        ('after:"2026-03-01 10:32:06"', [7, 8, 10, 11]),
        ("after:03-01T10:32:06", [7, 8, 10, 11]),
        ('after:"0301 10:32:06"', [7, 8, 10, 11]),
        ("before:2026-03-01", []),
        ("-2s", [8, 10, 11]),
        ("-1h", [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]),
        ("after:-2s", [8, 10, 11]),
        ("before:-8s", [1, 2]),
        ("pod:web-10 bound", [4]),
        ("pod:web-10 !bound", [3]),
        ("pod:web-1 | node:node-b", [2, 10]),
        ("(pod:web-1 | pod:web-10) !(bound | attempting)", [2]),
        ("!!bound", [4, 10]),
        ("a & bound", [4, 10]),
        ("http://nothing", []),
    ],
)
def test_filters(text: str, lines: list[int]) -> None:
    assert matching(text) == lines


def test_a_range_of_levels_matches_only_as_a_whole() -> None:
    record = dataclasses.replace(RECORDS[1], v_range=(3, 5))
    assert parse_filter("v<=5")(record)
    assert not parse_filter("v<=4")(record)


def test_times_of_day_mean_the_last_day_of_the_log() -> None:
    first = microseconds(datetime(2026, 3, 1, 22))
    last = microseconds(datetime(2026, 3, 2, 6))
    day_before = Record(1, "x", time_us=microseconds(datetime(2026, 3, 1, 23, 30)))
    day_after = Record(1, "x", time_us=microseconds(datetime(2026, 3, 2, 0, 30)))
    span = LogSpan(first, last)
    assert [parse_filter("after:23:00", span)(record) for record in (day_before, day_after)] == [True, True]
    assert [parse_filter("after:00:15", span)(record) for record in (day_before, day_after)] == [False, True]
    # Without the log's end only the clock can be compared.
    assert [parse_filter("after:23:00")(record) for record in (day_before, day_after)] == [True, False]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("(a", 0),
        ("a)", 1),
        ("a | (b c", 4),
        ("()", 0),
        ('"open', 0),
        ('a "open', 2),
        ("/open", 0),
        ("//", 0),
        ("a /(/", 2),
        ("/a(?=b)/", 0),
        ("a |", 2),
        ("| a", 0),
        ("a || b", 2),
        ("!", 0),
        ("a !", 2),
        ("!|a", 0),
        ("pod:", 4),
        ("pod: a", 4),
        ('pod:""', 4),
        ('a node=" "', 7),
        ("v<=x", 3),
        ("severity>=Q", 10),
        ("after:99:99", 6),
        ("after:2026-13-45", 6),
        ("before:soon", 7),
        ("attempts>many", 9),
        ("(" * 60 + "a" + ")" * 60, 51),
    ],
)
def test_errors_name_the_character(text: str, position: int) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert caught.value.position == position
    shown, pointer = caught.value.details
    assert shown in text
    assert len(shown) <= 60
    assert (shown + " ")[pointer.index("^")] == (text + " ")[position]


def test_relative_times_need_a_log() -> None:
    with pytest.raises(FilterError):
        parse_filter("-5m")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("-30s", 70_000_000),
        ("pod:a/b (error | !-1m)", 40_000_000),
        ("before:-40s", 60_000_000),
        ("after:1970-01-01T00:00:05", None),
        ("error", None),
        ("", None),
    ],
)
def test_what_a_span_back_from_the_logs_end_has_become_is_known(text: str, moment: int | None) -> None:
    assert parse_filter(text, LogSpan(0, 100_000_000)).moment_us == moment


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=8)
NAMES = st.from_regex(r"[a-z]{1,5}(-[0-9a-z*]{1,3})?", fullmatch=True)
KEYS = st.sampled_from(["queue", "err", "unschedulable plugins", "hint", "x.y", "message"])
LEAVES: st.SearchStrategy[Node] = st.one_of(
    WORDS.filter(lambda text: text.strip() != "").map(lambda text: Text(text, phrase=True)),
    st.from_regex(r"[A-Za-z]{2,8}", fullmatch=True).map(Text),
    st.sampled_from(["a.c", "a/b", r"\d+", r"a\/b", "[^/]", "x|y"]).map(
        lambda text: Pattern(text.replace(r"\/", "/"))
    ),
    st.builds(SeverityIs, st.sampled_from([":", "=", ">", ">=", "<", "<="]), st.sampled_from("IWEF")),
    st.builds(LevelIs, st.sampled_from([":", "=", ">", ">=", "<", "<="]), st.integers(0, 10)),
    st.builds(NameIs, st.sampled_from(["pod", "node", "plugin"]), NAMES),
    st.builds(FileIs, st.sampled_from(["schedule_one.go", "x*"]), st.just(None)),
    st.builds(FileIs, st.just("schedule_one.go"), st.integers(1, 999)),
    st.builds(FieldIs, KEYS, st.sampled_from([":", "="]), WORDS),
    st.builds(FieldIs, KEYS, st.sampled_from([">", "<="]), st.integers(0, 99).map(str)),
)


def grouped(kind: type[All] | type[Any], inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    # A group directly inside one of its kind prints without parentheses and comes back as one group.
    return st.lists(inner.filter(lambda node: not isinstance(node, kind)), min_size=2, max_size=3).map(
        lambda parts: kind(tuple(parts))
    )


NODES = st.recursive(
    LEAVES, lambda inner: inner.map(Not) | grouped(All, inner) | grouped(Any, inner), max_leaves=8
)  # fmt: skip


@given(NODES)
def test_what_is_described_is_parsed_again(node: Node) -> None:
    assert parse_filter(node.describe()).node == node


@given(NODES)
def test_bytes_never_refuse_a_record_that_matches(node: Node) -> None:
    for record in RECORDS:
        if node.matches(record):
            assert node.may_match(DATA[record.offset : record.offset + record.length])


@given(st.text(alphabet='ab()|!"/:<>=-5m \\.', max_size=20))
def test_any_text_is_a_filter_or_a_filter_error(text: str) -> None:
    try:
        keep = parse_filter(text, SPAN)
    except FilterError as error:
        assert 0 <= error.position <= len(text)
        return
    for record in RECORDS:
        keep(record)
    assert parse_filter(keep.describe(), SPAN).describe() == keep.describe()


def test_ready_filters_are_filters_with_names_of_their_own() -> None:
    assert len({ready.name for ready in READY_FILTERS}) == len(READY_FILTERS)
    for ready in READY_FILTERS:
        assert ready.label
        keep = parse_filter(ready.text, SPAN)
        assert parse_filter(keep.describe(), SPAN) == keep


def test_help_speaks_of_every_form() -> None:
    forms = " ".join(form + " " + meaning for form, meaning in FILTER_HELP)
    for word in ("pod:", "node:", "plugin:", "severity>=", "v<=", "file:", "after:", "-5m", "|", "!", "/reg.x/"):
        assert word in forms


def test_a_stack_of_chips() -> None:
    stack = FilterStack().add("pod:web-1").add(" bound ", name="bound").add("-5m")
    assert [chip.text for chip in stack.chips] == ["pod:web-1", "bound", "-5m"]
    assert stack.chips[1].name == "bound"
    assert not any(stack.compiled(SPAN)(record) for record in RECORDS)
    stack = stack.toggle(0).toggle(2)
    assert [chip.on for chip in stack.chips] == [False, True, False]
    assert [record.line for record in RECORDS if stack.compiled(SPAN)(record)] == [4, 10]
    assert stack.add("pod:web-1").chips[0] == Chip("pod:web-1", True)
    assert stack.remove(1).chips == (Chip("pod:web-1", False), Chip("-5m", False))
    assert stack.switch_all(False).compiled(SPAN).is_everything
    assert stack.add("  ") == stack
    with pytest.raises(FilterError):
        stack.add("(")


def test_filters_together() -> None:
    both = all_of(parse_filter("bound"), EVERYTHING, parse_filter("pod:web-10 node:node-a"))
    assert [record.line for record in RECORDS if both(record)] == [4]
    assert both.describe() == "bound pod:web-10 node:node-a"


@pytest.mark.parametrize(
    ("line", "key", "text", "lines"),
    [
        (4, "pod", "pod:default/web-10", [3, 4]),
        (4, "node", "node:node-a", [4]),
        (4, "evaluatedNodes", "evaluatedNodes=3", [4]),
        (7, "queue", "queue=Unschedulable", [7]),
        (7, "unschedulable plugins", '"unschedulable plugins"=NodeResourcesFit', [7]),
        (8, "ok", "ok=true", [8]),
        (8, "none", "none=null", [8]),
        (8, "list", "list=a list=b", [8]),
        (6, "severity", "severity:E", [6]),
        (10, "v", "v:2", [10]),
        (4, "file", "file:schedule_one.go", [3, 4, 6, 10]),
        (4, "src_line", "file:schedule_one.go:302", [4]),
        (4, "message", 'message="Successfully bound pod to node"', [4, 10]),
        (4, "missing", "missing:*", []),
    ],
)
def test_a_value_is_included_and_excluded(line: int, key: str, text: str, lines: list[int]) -> None:
    (record,) = (each for each in RECORDS if each.line == line)
    assert include_value(record, key) == text
    assert matching(include_value(record, key)) == lines
    assert matching(exclude_value(record, key)) == [each.line for each in RECORDS if each.line not in lines]


@pytest.mark.parametrize("name", ["v1.36.3-v5-churn7.log", "v1.36.3-v5-mixed.json.log", "v1.29.0-v10-mixed.log"])
def test_any_value_of_any_record_can_be_included_and_excluded(name: str) -> None:
    """``=`` and ``!`` on a row of the record's panel."""
    data = real_log(name)
    seen: set[tuple[str, str]] = set()
    for record in read_records(data[:400_000].rpartition(b"\n")[0], clock=Clock.for_year(2026, guessed=True)):
        own = [key for key in ("severity", "file", "src_line", "message") if getattr(record, key)]
        for key in (*record.fields, *own):
            value = str(record.fields.get(key, getattr(record, key, "")))[:40]
            if (key, value) in seen:
                continue
            seen.add((key, value))
            include = parse_filter(include_value(record, key))
            exclude = parse_filter(exclude_value(record, key))
            assert include(record), (key, include.describe())
            assert not exclude(record), (key, exclude.describe())
            assert include.prefilter(record.raw.encode("utf-8", "replace")), (key, include.describe())
    assert len(seen) > 300
