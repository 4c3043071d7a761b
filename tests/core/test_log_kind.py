from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.log_kind import START_BYTES, doubt_about

DATA = Path(__file__).parent.parent / "data"


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*.log*")))
def test_real_logs_are_never_doubted(name: str) -> None:
    path = DATA / name
    data = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    assert doubt_about(data[:START_BYTES]) == ""


@pytest.mark.parametrize(
    ("start", "word"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(100), "a program"),
        (b"\x28\xb5\x2f\xfd" + bytes(100), "zstd"),
        (bytes(range(256)) * 20, "binary data"),
        (b"apiVersion: v1\n" * 30, "none of its first 30 lines"),
    ],
    ids=["elf", "zstd", "binary", "manifest"],
)
def test_other_files_are_called_by_name(start: bytes, word: str) -> None:
    assert word in doubt_about(start)


@pytest.mark.parametrize("start", [b"", b"\n\n", b"one line\n", b"starting kube-scheduler\n" * 3])
def test_too_little_is_no_reason_for_a_doubt(start: bytes) -> None:
    assert doubt_about(start) == ""


@given(st.binary(max_size=4000))
def test_it_never_fails(start: bytes) -> None:
    assert isinstance(doubt_about(start), str)
