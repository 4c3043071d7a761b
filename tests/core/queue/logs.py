"""Real logs for the queue tests, and the same logs at lower verbosities and as JSON."""

from __future__ import annotations

import gzip
import json
import re
from datetime import timedelta
from functools import cache
from pathlib import Path

from schedtui.core.klog import Clock, read_records
from schedtui.core.queue_check import QueueChecker
from schedtui.core.record import EPOCH, Record

DATA = Path(__file__).parents[2] / "data"
YEAR = 2026
"""The year in which the logs were made."""


def _named(workload: str) -> tuple[str, ...]:
    return tuple(sorted(path.name.partition(".log")[0] for path in DATA.glob(f"v1.*-{workload}*.log*")))


CHURNS = _named("churn")
"""Random changes for half a minute, a dump now and then; every such log that is there."""

STORMS = _named("storm")
"""The same at eighty changes a second, a dump every tenth of a second."""

GANGS = _named("gang")
"""Pod groups (gate GenericWorkload): scheduled whole, waiting for members or for their group's object, deleted."""

_HEADER = re.compile(rb"([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ ([^\s:]+:\d+)\] ")
_TAB = "\t"


@cache
def log_bytes(name: str) -> bytes:
    """A log by its name without endings."""
    packed = DATA / f"{name}.log.gz"
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (DATA / f"{name}.log").read_bytes()


@cache
def levels_of(name: str) -> dict[str, int]:
    """Call site → V of the release that wrote the log."""
    table = json.loads((DATA / "call_site_levels.json").read_text())
    levels: dict[str, int] = table[".".join(name[1:].split(".")[:2])]
    return levels


def lowered(name: str, level: int) -> bytes:
    """The log as the same scheduler would have written it at a lower verbosity."""
    levels = levels_of(name)
    kept: list[bytes] = []
    keeping = True
    for line in log_bytes(name).splitlines(keepends=True):
        if line.startswith(b'{"ts"'):
            keeping = json.loads(line).get("v", 0) <= level
        else:
            header = _HEADER.match(line)
            if header is not None:
                keeping = header[1] != b"I" or levels.get(header[2].decode(), 0) <= level
        if keeping:
            kept.append(line)
    return b"".join(kept)


def as_json(name: str, data: bytes) -> bytes:
    """A text log as ``--logging-format=json`` would have written it."""
    levels = levels_of(name)
    lines: list[str] = []
    for record in read_records(data, clock=Clock.for_year(YEAR, guessed=False)):
        if record.kind != "klog" or record.time_us is None:
            lines.append(record.raw)
            continue
        site = f"{record.file}:{record.src_line}"
        document: dict[str, object] = {"ts": record.time_us / 1000, "caller": f"x/{site}", "msg": record.message}
        if record.severity == "I":
            document["v"] = levels.get(site, 0)
        for key, value in record.fields.items():
            if key in ("pod", "node", "preemptor", "victim") and isinstance(value, str) and "/" in value:
                namespace, _, pod = value.partition("/")
                document[key] = {"name": pod, "namespace": namespace}
            else:
                document[key] = value
        lines.append(json.dumps(document))
    return "\n".join(lines).encode() + b"\n"


def records_of(data: bytes) -> list[Record]:
    """The records, with the right year."""
    return list(read_records(data, clock=Clock.for_year(YEAR, guessed=False)))


def checked(data: bytes) -> QueueChecker:
    """The log folded, each dump compared."""
    checker = QueueChecker()
    for record in records_of(data):
        checker.apply(record)
    return checker


def interleaved(first: bytes, second: bytes) -> bytes:
    """Two schedulers' logs in one file, record by record in the order of time, as if they had begun together."""
    timed: list[tuple[int, bytes]] = []
    begins: list[int] = []
    for data in (first, second):
        records = [record for record in records_of(data) if record.time_us is not None]
        begins.append(records[0].time_us or 0)
        for record in records:
            moment = begins[0] + (record.time_us or 0) - begins[-1]
            clock = (EPOCH + timedelta(microseconds=moment)).strftime("%m%d %H:%M:%S.%f")
            timed.append((moment, f"{record.raw[0]}{clock}{record.raw[21:]}\n".encode()))
    return b"".join(text for _, text in sorted(timed, key=lambda each: each[0]))


def record_of(text: str, line: int = 1) -> Record:
    """One line as a record."""
    (record,) = read_records(text.encode() + b"\n", clock=Clock.for_year(YEAR, guessed=False))
    return Record(
        line=line, raw=record.raw, kind=record.kind, severity=record.severity, time_us=record.time_us,
        pid=record.pid, file=record.file, caller=record.caller, src_line=record.src_line, message=record.message,
        fields=record.fields, structured=record.structured,
    )  # fmt: skip
