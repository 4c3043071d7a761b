"""Archives and UTF-16, in whatever pieces they come."""

from __future__ import annotations

import gzip
import io
import zlib

from hypothesis import given
from hypothesis import strategies as st

from schedtui.sources.unpacking import is_packed, unpacked


class Pieces(io.RawIOBase):
    """Gives bytes in pieces of given sizes, as a pipe does."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data = data
        self._sizes = sizes

    def read(self, size: int = -1, /) -> bytes:
        count = self._sizes.pop(0) if self._sizes else len(self._data)
        count = count if size < 0 else min(count, size)
        piece, self._data = self._data[:count], self._data[count:]
        return piece


SIZES = st.lists(st.integers(1, 7), max_size=30)


@given(st.binary(), SIZES)
def test_anything_else_comes_as_it_stands(data: bytes, sizes: list[int]) -> None:
    try:
        found = b"".join(unpacked(Pieces(data, sizes)))
    except (OSError, EOFError, zlib.error):
        assert data.startswith(b"\x1f\x8b")
        return
    assert is_packed(data) or found == data


@given(st.lists(st.binary(), min_size=1, max_size=3), SIZES)
def test_archives_of_several_members_are_unpacked(members: list[bytes], sizes: list[int]) -> None:
    data = b"".join(map(gzip.compress, members))
    expected = b"".join(members)
    if not is_packed(expected):
        assert b"".join(unpacked(Pieces(data, sizes))) == expected


@given(st.text(), st.sampled_from(["utf-16-le", "utf-16-be"]), SIZES)
def test_utf16_of_any_text_becomes_utf8(text: str, encoding: str, sizes: list[int]) -> None:
    data = ("\ufeff" + text).encode(encoding, "replace")
    pieces = list(unpacked(Pieces(data, sizes)))
    assert b"".join(pieces) == text.encode("utf-8", "replace")
    # An empty piece would mean that a live input is silent.
    assert all(pieces)


@given(st.binary(), SIZES)
def test_utf16_of_any_bytes_raises_nothing(data: bytes, sizes: list[int]) -> None:
    b"".join(unpacked(Pieces(b"\xff\xfe" + data, sizes))).decode()
