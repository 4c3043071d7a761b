from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.log_search import SAMPLE, compile_pattern, positions


@given(st.lists(st.binary(max_size=30), max_size=30), st.binary(min_size=1, max_size=3), st.booleans())
def test_positions_are_those_of_a_plain_search(parts: list[bytes], needle: bytes, insensitive: bool) -> None:
    block = b"\n".join(parts)
    sought = needle.lower() if insensitive else needle
    text = block.lower() if insensitive else block
    expected = {place for place in range(len(text)) if text.startswith(sought, place)}
    found = positions(block, sought, insensitive=insensitive).tolist()
    assert set(found) <= expected
    assert bool(found) == bool(expected)
    # A needle that stands everywhere is looked for in another way.
    many = positions(block * (SAMPLE + 1), sought, insensitive=insensitive)
    assert {place % len(block) for place in many.tolist()} >= set(found) if found else not len(many)


def test_many_matches_are_all_found() -> None:
    block = b"Pod pod\n" * (2 * SAMPLE)
    assert len(positions(block, b"pod", insensitive=True)) == 4 * SAMPLE
    assert len(positions(block, b"Pod", insensitive=False)) == 2 * SAMPLE
    rest = b"x" * 1_000_000
    assert len(positions(rest + block + rest, b"pod", insensitive=True)) == 4 * SAMPLE


def flags(text: str, *records: bytes) -> list[bool]:
    starts = np.cumsum([0, *(len(record) for record in records[:-1])])
    return [bool(flag) for flag in compile_pattern(text).flags(b"".join(records), starts)]


def test_smart_case() -> None:
    assert flags("pod", b"Pod\n", b"pod\n", b"x\n") == [True, True, False]
    assert flags("Pod", b"Pod\n", b"pod\n", b"x\n") == [True, False, False]
    assert flags("näh", "NÄH\n".encode(), b"x\n") == [True, False]


def test_an_expression_and_text_that_is_none() -> None:
    assert flags("a.*b$", b"a b\n", b"ab\n", b"b a\n")[2] is False
    assert flags("bind.*node-[12]", b"bind x node-1\n", b"bind x\n", b"node-2\n") == [True, False, False]
    literal = compile_pattern("[running")
    assert literal.problem
    assert flags("[running", b"goroutine 1 [running]:\n", b"running\n") == [True, False]


def test_a_match_never_reaches_into_the_next_record() -> None:
    assert flags("a\\s+b", b"a\n", b"b\n", b"a b\n") == [False, False, True]


def test_spans_count_characters() -> None:
    assert compile_pattern("pod").spans("näh Pod x pod") == [(4, 7), (10, 13)]
