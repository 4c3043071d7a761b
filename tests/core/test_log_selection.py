from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.log_selection import SelectionBuilder, widened

MASKS = st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=8)


@given(MASKS, st.integers(0, 4), st.data())
def test_rows_do_not_depend_on_the_order_in_which_chunks_come(
    masks: list[list[bool]], context: int, data: st.DataObject
) -> None:
    chunks = [np.array(mask) for mask in masks]
    origin = data.draw(st.integers(0, len(chunks) - 1))
    builder = SelectionBuilder(origin, context)
    builder.append(chunks[origin])
    known: dict[int, tuple[int, int]] = {}
    while builder.low > 0 or builder.high < len(chunks):
        forward = builder.high < len(chunks) and (builder.low == 0 or data.draw(st.booleans()))
        if forward:
            builder.append(chunks[builder.high])
        else:
            builder.prepend(chunks[builder.low - 1])
        rows = builder.rows()
        for number in range(rows.first, rows.last):
            located = rows.locate(number)
            assert located is not None
            # A row's number never changes once it is known.
            assert known.setdefault(number, located) == located
    rows = builder.rows()
    whole = widened(np.concatenate(chunks), context)
    expected = [
        (chunk, index)
        for chunk, mask in enumerate(masks)
        for index in range(len(mask))
        if whole[sum(len(other) for other in masks[:chunk]) + index]
    ]
    assert [rows.locate(number) for number in range(rows.first, rows.last)] == expected
    many = rows.locate_many(rows.first, rows.last - rows.first)
    assert [(chunk, index) for chunk, index, _ in many] == expected
    for chunk, index, is_context in many:
        assert is_context == (not masks[chunk][index])
    for number, (chunk, index) in enumerate(expected, rows.first):
        assert rows.row_of(chunk, index) == number


def test_the_last_chunk_grows_and_its_last_record_is_read_again() -> None:
    builder = SelectionBuilder(0)
    builder.append(np.array([True, True, False]))
    builder.shrink_last(2)
    builder.extend_last(np.array([True, False, True]))
    rows = builder.rows()
    assert (rows.first, rows.last) == (0, 4)
    assert rows.locate(3) == (0, 4)


def test_jumps_go_to_the_nearest_flagged_row() -> None:
    builder = SelectionBuilder(0)
    for _ in range(3):
        builder.append(np.array([True, False, True]))
    rows = builder.rows()
    flags = {0: np.array([True, True, False]), 2: np.array([False, True, True])}
    assert rows.next_of(flags.get, 0, 1) == 5
    assert rows.next_of(flags.get, 5, -1) == 0
    assert rows.next_of(flags.get, 5, 1) is None
    assert rows.next_of(flags.get, -1, 1) == 0
