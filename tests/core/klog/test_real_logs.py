"""Logs of real schedulers: nothing lost, both formats alike, and some byte for byte."""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.core.klog import Clock, read_records, split_records
from schedtui.core.record_document import as_json_line, record_document
from tests.core.klog.test_assembly import MIXED

if TYPE_CHECKING:
    from schedtui.core.record import Record

DATA = Path(__file__).parents[2] / "data"
GOLDEN = DATA / "golden"
NAMES = (
    "v1.36.3-v0-mixed.log",
    "v1.36.3-v2-mixed.log",
    "v1.36.3-v4-mixed.log",
    "v1.36.3-v10-mixed.log.gz",
    "v1.36.3-v10-mixed.json.log.gz",
    "v1.29.0-v10-mixed.log.gz",
    "v1.29.0-v10-mixed.json.log.gz",
)


def load(name: str) -> bytes:
    data = (DATA / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


def records_of(name: str) -> list[Record]:
    return list(read_records(load(name), clock=Clock(2026)))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_and_every_record_is_understood(name: str) -> None:
    data = load(name)
    records = records_of(name)
    assert "\n".join(record.raw for record in records) + "\n" == data.decode()
    assert {record.kind for record in records} == {"json" if ".json" in name else "klog"}
    assert all(record.time is not None and record.time.year == 2026 for record in records)
    assert not any(record.incomplete for record in records)
    assert split_records(data) == [(record.offset, record.length) for record in records]


@pytest.mark.parametrize("release", ["1.29.0", "1.36.3"])
def test_text_and_json_logs_give_the_same_fields_and_types(release: str) -> None:
    """Two runs of one workload: the same messages must come with the same keys, of the same types."""
    seen: list[dict[str, set[str]]] = []
    for name in (f"v{release}-v10-mixed.log.gz", f"v{release}-v10-mixed.json.log.gz"):
        shapes: dict[str, set[str]] = defaultdict(set)
        for record in records_of(name):
            message = re.sub(r"[0-9a-f-]{8,}|\d+", "N", record.message)[:60]
            for key, value in record.fields.items():
                # klog's text has these headers as a block of lines, its JSON as an object.
                if (message, key) != ("Response", "headers"):
                    shapes[message].add(f"{key}:{type(value).__name__}")
        seen.append(shapes)
    text, as_json = seen
    both = text.keys() & as_json.keys()
    assert len(both) > 30
    assert {message: text[message] for message in both} == {message: as_json[message] for message in both}


def test_dump_blocks_hold_their_lines() -> None:
    dumps = [
        record for record in records_of("v1.36.3-v4-mixed.log") if record.message == "Dump of scheduling queue"
    ]
    assert dumps
    for dump in dumps:
        pods = dump.text("pods") or ""
        summary = dump.text("summary") or ""
        counts = [int(count) for count in re.findall(r":(\d+)", summary)]
        assert sum(counts) == len([line for line in pods.split("\n") if line.startswith("name: ")])


@pytest.mark.parametrize(
    ("name", "data"),
    [("v1.36.3-v0-mixed", load("v1.36.3-v0-mixed.log")), ("every-shape", MIXED)],
    ids=["v1.36.3-v0-mixed", "every-shape"],
)
def test_records_are_the_golden_ones_byte_for_byte(name: str, data: bytes) -> None:
    lines = b"".join(
        as_json_line(record_document(record, masked=False)) + b"\n"
        for record in read_records(data, clock=Clock(2026))
    )
    assert lines.decode().split("\n") == (GOLDEN / f"{name}.jsonl").read_bytes().decode().split("\n")
