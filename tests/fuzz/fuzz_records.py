"""Throw bytes at everything that reads logs, for a while; ends with 1 and the input when something is wrong.

Not part of the test suite: ``python -m tests.fuzz.fuzz_records --minutes 10 [--seed N]``. What is held: nothing
raises, the records cover all lines, any chunking gives the same ones, offsets cut the bytes, filters never refuse
bytes of a record that matches, every record can be written as JSON, the index's records lie within the bytes, and
the short way to events says what the records say.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.event_reader import EventReader, fact_of
from schedtui.core.fit_error import parse_fit_error
from schedtui.core.klog import Clock, RecordReader, parse_record, split_records
from schedtui.core.log_filter import READY_FILTERS, FilterError, LogSpan, parse_filter
from schedtui.core.log_index import ChunkBuilder, YearHint, padded
from schedtui.core.log_sites import SiteTable
from schedtui.core.masking import mask
from schedtui.core.record_document import as_json_line, record_document
from schedtui.sources.log_ends import open_record, proven_year, year_with_leap_day

if TYPE_CHECKING:
    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_dump import QueueDump
    from schedtui.core.record import Record

DATA = Path(__file__).parents[1] / "data"

PIECES: tuple[bytes, ...] = (
    b"I0301 10:00:00.000001       1 x.go:1] ", b"E20260229 23:59:59.999999 1 x.go:1] ", b"I0229 00:00:00.000000] ",
    b'"m"', b' k="v"', b" k=", b" k=<\n", b"\t", b" >", b"\n", b"\r\n", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b'{"ts":1678174252192.0676,"msg":"m","v":1}', b'{"ts":', b'{"log":"', b'\\n","stream":"stderr","time":"x"}\n',
    b"2026-03-01T10:00:00Z ", b"stderr P ", b"stdout F ", b"Feb 14 19:59:55 box s[1]: ", b"[pod/a/b] ",
    b"goroutine 1 [running]:\n", b"panic: x\n", b"Log file created at: 2026/01/01 00:00:00\n", b"Trace[1]: ",
    b"map[a:", b"&{", b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u", b"=", b" ", b"<", b">", b"\x1b[31m", b"- ",
    b'"name":"a","namespace":"b"', b"0/3 nodes are available: ", b"1 reason", b", ", b". preemption: ", b"token=",
    b"Authorization: Bearer ", b"-- Boot x --\n", b"Suppressed 3 messages from x\n", b"1e999", b"-0",
    b"\xe2\x80\xa8",
    b'{"_BOOT_ID":"x","MESSAGE":"', b'{"MESSAGE":[73,48],"_PID":"',
    b'","__REALTIME_TIMESTAMP":"1583056800000000"}\n',
    b"compose-1  | ", b"\x1b[0m", b"I00000101 00:00:00.000000 1 x.go:99999999999] ", b'{"ts":1e400,"msg":"m"}\n',
    b"    x_test.go:1: ", b"2024-07-11T04:13:00Z debug layer=debugger ", b"unable to schedule a b: c; waiting",
)  # fmt: skip
"""What inputs are built from, beside parts of real logs."""

SIFTED = (
    b'I0301 10:00:00.000001       1 x.go:1] "About to try and schedule pod" pod="a/b"\n'
    b'I0301 10:00:00.000002       1 x.go:2] "Pod moved to an internal scheduling queue" pod="a/b" event="X"'
    b' queue="Active" schedulingCycle=3 hint=1 unschedulable plugins={"A":{}}\n'
)
"""Lines that are taken apart at a glance."""

FILTERS = (
    'k:v', "k=v", "-1h", "/k.?/", "pod:a", "severity>=W", "!m", "(a | m) v", '"m k"', "file:x", "v<=3",
    "after:10:00", "ä", "k>1", "plugin:A*",
)  # fmt: skip


def real_lines() -> list[bytes]:
    """Lines of the logs in ``tests/data``."""
    lines: list[bytes] = []
    for path in sorted(DATA.glob("*.log*")):
        data = path.read_bytes()
        lines += (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines(keepends=True)[:3000]
    return lines


def make_input(chance: random.Random, lines: list[bytes]) -> bytes:
    """One input: pieces, real lines, and damage."""
    parts = [
        chance.choice(PIECES) if chance.random() < 0.7 or not lines else chance.choice(lines)
        for _ in range(chance.randrange(1, 40))
    ]
    data = bytearray(b"".join(parts))
    for _ in range(chance.randrange(4)):
        if not data:
            break
        at = chance.randrange(len(data))
        kind = chance.randrange(4)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            del data[at : at + chance.randrange(1, 30)]
        elif kind == 2:
            data[at:at] = chance.choice(PIECES)
        else:
            del data[at:]
    return bytes(data)


def read_in_chunks(data: bytes, chance: random.Random) -> list[Record]:
    """The records, read in chunks of any size, with looks at what is pending."""
    reader = RecordReader(clock=Clock(2026))
    records: list[Record] = []
    at = 0
    while at < len(data):
        size = chance.randrange(1, 80)
        records += reader.feed(data[at : at + size])
        if chance.random() < 0.1:
            reader.pending()
        at += size
    return records + reader.finish()


def check(data: bytes, chance: random.Random) -> None:
    """Everything that must hold for an input.

    Raises:
        AssertionError: Something does not hold.
    """
    reader = RecordReader(clock=Clock(2026))
    records = reader.feed(data) + reader.finish()
    assert read_in_chunks(data, chance) == records, "chunks"
    lines = data.count(b"\n") + (0 if not data or data.endswith(b"\n") else 1)
    assert sum(record.line_count for record in records) == lines, "lines"
    assert split_records(data) == [(record.offset, record.length) for record in records], "offsets"
    filters = [parse_filter(text, LogSpan(0, 10**15)) for text in FILTERS]
    filters += [parse_filter(ready.text) for ready in READY_FILTERS]
    interleaved = sum(record.length for record in records) != len(data)
    for record in records:
        json.loads(as_json_line(record_document(record)))
        parse_fit_error(record.raw)
        raw = data[record.offset : record.offset + record.length]
        parse_record(raw)
        if interleaved:
            continue
        for each in filters:
            assert each.prefilter(raw) or not each(record), each.describe()
    text = data.decode("utf-8", "replace")
    assert mask(text) is not None
    try:
        keep = parse_filter(text[:60])
    except FilterError:
        return
    assert parse_filter(keep.describe()).describe() == keep.describe(), "description"


def check_index(data: bytes) -> None:
    """What must hold for the index of an input, read from its beginning or from the middle of a line.

    Raises:
        AssertionError: Something does not hold.
    """
    block = padded(data)
    for whole in (True, False):
        chunk = ChunkBuilder(SiteTable()).build(block, len(data), 0, YearHint(2026), whole=whole)
        if chunk is None:
            continue
        assert all(0 <= chunk.start(at) < chunk.stop(at) <= len(data) for at in range(len(chunk))), "index"
        assert not whole or int(chunk.line_counts.sum()) == data.count(b"\n") + (not data.endswith(b"\n")), "lines"
    proven_year(block, len(data))
    year_with_leap_day(block, len(data), 2026)
    open_record(block, len(data))


def check_events(data: bytes, chance: random.Random) -> None:
    """The short way to events says what the records say, whatever the chunks.

    Raises:
        AssertionError: It does not.
    """
    data = SIFTED + data + SIFTED
    records = RecordReader(clock=Clock.for_year(2026, guessed=False))
    expected = [fact for record in records.feed(data) + records.finish() if (fact := fact_of(record)) is not None]
    reader = EventReader(Clock.for_year(2026, guessed=False))
    facts: list[QueueEvent | QueueDump] = []
    size = chance.randrange(200, 20_000)
    for at in range(0, len(data), size):
        facts += reader.facts(data[at : at + size])
    assert facts + reader.last_facts() == expected, "events"


def main() -> int:
    """Run for the minutes that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    lines = real_lines()
    until = time.monotonic() + options.minutes * 60
    count = 0
    while time.monotonic() < until:
        data = make_input(chance, lines)
        count += 1
        try:
            check(data, chance)
            check_index(data)
            check_events(data, chance)
        except Exception as error:  # noqa: BLE001 - whatever it is, the input that made it is shown
            print(f"seed {seed}, input {count}: {type(error).__name__}: {error}\n{data!r}", file=sys.stderr)
            return 1
    print(f"{count} inputs, seed {seed}: nothing wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
