from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.klog import parse_pairs
from schedtui.core.klog.fields import LineFields
from schedtui.core.klog.values import bare_value, bracketed_value, unquote
from tests.core.klog.reading import HEADER, read_one

if TYPE_CHECKING:
    from schedtui.core.record import FieldValue


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (' a="x"', {"a": "x"}),
        (' a="x" b=2', {"a": "x", "b": 2}),
        (" a=1.5 b=-3 c=1e+21 d=007 e=0x1f", {"a": 1.5, "b": -3, "c": 1e21, "d": "007", "e": "0x1f"}),
        (" a=true b=false c=null d=<nil>", {"a": True, "b": False, "c": None, "d": None}),
        (' a = "x" b= 2', {"a": "x", "b": 2}),
        (" a= b=2", {"a": "", "b": 2}),
        (' a="" b=""', {"a": "", "b": ""}),
        (' a="x=y b=c" d=1', {"a": "x=y b=c", "d": 1}),
        (r' a="say \"hi\" \\ \t\n\u00e4\x00"', {"a": 'say "hi" \\ \t\nä\x00'}),
        (' err="foo "bar" baz" n=1', {"err": 'foo "bar" baz', "n": 1}),
        (' err="never closed', {"err": "never closed"}),
        (' key with blank="v" n=1', {"key with blank": "v", "n": 1}),
        (' n=1 key with blank={"a":1}', {"n": 1, "key with blank": {"a": 1}}),
        (' a={"x":[1,2,{"y":null}]} b=1', {"a": {"x": [1, 2, {"y": None}]}, "b": 1}),
        (' a={"x":"} b=2"} b=1', {"a": {"x": "} b=2"}, "b": 1}),
        (" a=map[x:1 y:{} z:map[q:w]] b=1", {"a": {"x": 1, "y": {}, "z": {"q": "w"}}, "b": 1}),
        (" a=map[] b=1", {"a": {}, "b": 1}),
        (" a=map[x:two words] b=1", {"a": "map[x:two words]", "b": 1}),
        (" a=&{Name:x Data:[1 2]} b=1", {"a": "&{Name:x Data:[1 2]}", "b": 1}),
        (" a={Name:x Data:y} b=1", {"a": "{Name:x Data:y}", "b": 1}),
        (" a=[x y z] b=1", {"a": "[x y z]", "b": 1}),
        (" a={never closed", {"a": "{never closed"}),
        (" t=2021-01-01 00:00:00 +0000 UTC m=+0.1", {"t": "2021-01-01 00:00:00 +0000 UTC", "m": "+0.1"}),
        (" d=1.234ms", {"d": "1.234ms"}),
        (' pods=["ns/a","ns/b"]', {"pods": ["ns/a", "ns/b"]}),
        (' pod={"name":"a","namespace":"ns"} node={"name":"n"}', {"pod": "ns/a", "node": "n"}),
        (' pods=[{"name":"a","namespace":"ns"}]', {"pods": ["ns/a"]}),
        (' ref={"name":"a","namespace":"ns","uid":"u"}', {"ref": {"name": "a", "namespace": "ns", "uid": "u"}}),
        (' v={"n":1e999}', {"v": {"n": "1e999"}}),
        (' v={"s":"\\ud800"}', {"v": '{"s":"\\ud800"}'}),
        (' a="1" a="2"', {"a": "2"}),
        (' text="two\nlines" n=1', {"text": "two\nlines", "n": 1}),
        (" a=<\n\tone\n\ttwo\n > b=1", {"a": "one\ntwo", "b": 1}),
        (" a=<\n\tone\n > b=<\n\ttwo\n > c=1", {"a": "one", "b": "two", "c": 1}),
        (" a=<\n\t>\n\t >\n >", {"a": ">\n >"}),
        (" a=<\n\tone\n\t\n\n >", {"a": "one\n\n"}),
        (" a=<", {"a": ""}),
        (" a=1\nb=2 is another line", {"a": 1}),
        (" words without pairs", {}),
        (" a=1 trailing words", {"a": "1 trailing words"}),
        ("", {}),
    ],
)
def test_pairs(pairs: str, expected: dict[str, FieldValue]) -> None:
    assert parse_pairs(pairs, 0) == expected
    assert list(parse_pairs(pairs, 0)) == list(expected)


@pytest.mark.parametrize(
    ("text", "message", "structured"),
    [
        ('"m"', "m", True),
        ('"m" k="v"', "m", True),
        (r'"a \"quoted\" word" k="v"', 'a "quoted" word', True),
        ('"quoted" but not a message', '"quoted" but not a message', False),
        ('scheduler: "/metrics" satisfied by match', 'scheduler: "/metrics" satisfied by match', False),
        ('"never closed', '"never closed', False),
        ('"msg"="old style" "pod"={"name":"a","namespace":"b"}', "old style", True),
        ("FLAG: --v=\"4\"", "FLAG: --v=\"4\"", False),
        ("", "", False),
    ],
)  # fmt: skip
def test_messages(text: str, message: str, structured: bool) -> None:
    record = read_one(HEADER + text + "\n")
    assert (record.message, record.structured) == (message, structured)


def test_printf_lines_have_no_invented_fields() -> None:
    record = read_one(HEADER + 'FLAG: --v="4" and pod="not/one" key=value\n')
    assert dict(record.fields) == {}


def go_quote(text: str) -> str:
    """A string as Go's ``strconv.Quote`` writes it (for characters that it leaves alone or knows a letter for)."""
    plain = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\b": "\\b",
             "\f": "\\f", "\v": "\\v"}  # fmt: skip
    pieces = []
    for character in text:
        code = ord(character)
        if character in plain:
            pieces.append(plain[character])
        elif code < 0x20 or code == 0x7F:
            pieces.append(f"\\x{code:02x}")
        elif character.isprintable():
            pieces.append(character)
        else:
            pieces.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return '"' + "".join(pieces) + '"'


TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}( [a-z]{1,5})?", fullmatch=True)
JSON_VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def klog_value(value: object) -> str:
    """A value as klog writes it behind the key, the equals sign included."""
    if isinstance(value, str):
        if "\n" not in value:
            return "=" + go_quote(value)
        body = value.removesuffix("\n")
        return "=<\n" + "".join(f"\t{line}\n" for line in body.split("\n")) + " >"
    return "=" + json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def expected_value(value: object) -> object:
    """What comes back: a block does not tell whether its text ended with a line break."""
    return value.removesuffix("\n") if isinstance(value, str) and "\n" in value else value


@given(TEXTS)
def test_unquote_undoes_go_quote(text: str) -> None:
    assert unquote(go_quote(text)[1:-1]) == text


@given(TEXTS, st.dictionaries(KEYS, st.one_of(TEXTS, JSON_VALUES), max_size=5))
def test_what_klog_writes_comes_back(message: str, fields: dict[str, object]) -> None:
    # klog writes carriage returns of multi-line values raw; readers of CRLF files cannot tell them apart.
    fields = {key: value.replace("\r", "") if isinstance(value, str) and "\n" in value else value
              for key, value in fields.items()}  # fmt: skip
    line = HEADER + go_quote(message) + "".join(f" {key}{klog_value(value)}" for key, value in fields.items())
    record = read_one(line + "\n")
    assert record.message == message
    assert dict(record.fields) == {key: expected_value(value) for key, value in fields.items()}
    assert list(record.fields) == list(fields)
    assert record.structured


@given(st.text(max_size=80), st.integers(0, 10))
def test_any_text_has_pairs_without_raising(text: str, start: int) -> None:
    parse_pairs(text, min(start, len(text)))
    bracketed_value(text)
    bare_value(text)
    unquote(text)


@given(st.text(alphabet=' ="{}[]<>\\\n\tab1:', max_size=60))
def test_any_mix_of_signs_has_pairs_without_raising(text: str) -> None:
    for value in parse_pairs(text, 0).values():
        assert isinstance(value, (str, int, float, bool, list, dict, type(None)))


def test_deep_brackets_do_not_raise() -> None:
    for text in ("[" * 100_000, "{" * 100_000, "map[a:" * 10_000, '[{"a":' * 50_000, "[" * 9000 + "]" * 9000):
        value = parse_pairs(f" a={text} b=1", 0)
        assert "a" in value


def test_fields_are_parsed_only_when_asked_for() -> None:
    calls = []

    def parse(text: str, start: int) -> dict[str, FieldValue]:
        calls.append(start)
        return parse_pairs(text, start)

    fields = LineFields('"m" a=1', 3, parse)
    assert calls == []
    assert fields["a"] == 1
    assert (len(fields), "a" in fields, list(fields), fields.get("b")) == (1, True, ["a"], None)
    assert fields == {"a": 1}
    assert fields == LineFields(" a=1", 0, parse_pairs)
    assert fields != {"a": 2}
    assert fields != 1
    assert repr(fields) == "{'a': 1}"
    assert calls == [3]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("pod shop/a is bound successfully on node n1, 3 nodes evaluated, 2 nodes were found feasible",
         {"pod": "shop/a", "node": "n1", "evaluatedNodes": 3, "feasibleNodes": 2}),
        ('pod shop/a is bound successfully on node "n1", 3 nodes evaluated, 2 nodes were found feasible.',
         {"pod": "shop/a", "node": "n1", "evaluatedNodes": 3, "feasibleNodes": 2}),
        ("pod shop/a is bound successfully on node n1", {"pod": "shop/a", "node": "n1"}),
        ("About to try and schedule pod shop/a", {"pod": "shop/a"}),
        ("Attempting to schedule pod: shop/a", {"pod": "shop/a"}),
        ("Attempting to bind shop/a to n1", {"pod": "shop/a", "node": "n1"}),
        ("Skip schedule deleting pod: shop/a", {"pod": "shop/a"}),
        ("Unable to schedule shop/a: no fit: 0/3 nodes are available: 3 Insufficient cpu.; waiting",
         {"pod": "shop/a", "err": "0/3 nodes are available: 3 Insufficient cpu."}),
        ("Unable to schedule shop/a: possibly due to node not found: node n9; waiting",
         {"pod": "shop/a", "err": "possibly due to node not found: node n9"}),
        ("Error scheduling shop/a: boom; retrying", {"pod": "shop/a", "err": "boom"}),
        ("Pod shop/a doesn't exist in informer cache: gone", {"pod": "shop/a", "err": "gone"}),
        ("add event for unscheduled pod shop/a ", {"pod": "shop/a"}),
        ("delete event for scheduled pod shop/a", {"pod": "shop/a"}),
        ('add event for node "n1"', {"node": "n1"}),
        ("Updating pod condition for shop/a to (PodScheduled==False, Reason=Unschedulable)", {"pod": "shop/a"}),
        ("Something about pod shop/a", {}),
        ("Pod whatever", {}),
    ],
)  # fmt: skip
def test_old_wordings(text: str, fields: dict[str, FieldValue]) -> None:
    assert dict(read_one(HEADER + text + "\n").fields) == fields


def test_trace_block_is_one_record_that_names_the_pod() -> None:
    record = read_one(
        'I1130 07:50:25.408448   20334 trace.go:205] Trace[1298498081]: "Scheduling" namespace:default,name:web-0 '
        "(30-Nov-2026 07:50:25.100) (total time: 105ms):\n"
        'Trace[1298498081]: ---"Computing predicates done" 100ms (07:50:25.200)\n'
        "Trace[1298498081]: [105.1ms] [105.1ms] END\n\n",
        year=1999,
    )
    assert record.line_count == 4
    assert record.fields == {
        "trace": 1298498081, "operation": "Scheduling", "totalMilliseconds": 105, "namespace": "default",
        "name": "web-0", "pod": "default/web-0",
    }  # fmt: skip
    assert record.time is not None
    assert (record.time.year, record.time_guessed) == (2026, ())


@pytest.mark.parametrize("file", ["größe.go", "调度.go", "a\u2028b.go"])
@pytest.mark.parametrize("end", ["", "\nmore of it"])
def test_the_message_begins_behind_a_file_name_of_any_letters(file: str, end: str) -> None:
    record = read_one(f'{HEADER.replace("x.go", file)}"words" a="b"{end}\n')
    assert (record.file, record.src_line, record.message, record.structured) == (file, 1, "words", True)
    assert record.fields["a"] == "b"
