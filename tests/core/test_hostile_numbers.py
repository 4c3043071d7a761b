"""Numbers of any length in any place of a log: never an exception, whoever reads the line."""

from __future__ import annotations

import re

import pytest

from schedtui.core.event_reader import EventReader
from schedtui.core.events import read_event
from schedtui.core.klog import read_records, split_records
from schedtui.core.message_levels import enrich
from schedtui.core.node_counts import count_nodes
from schedtui.core.queue_check import QueueChecker
from schedtui.core.queue_dump import QueueDump
from schedtui.core.record_document import as_json_line, record_document
from schedtui.core.report import ReportFold
from schedtui.core.story_teller import StoryTeller
from tests.sources.real_logs import real_log

DIGITS = b"9" * 5000
"""More than Python turns into a number."""

LOGS = ("v1.36.3-v4-mixed.log", "v1.36.3-v10-mixed.json.log", "v1.37.2-v10-mixed.log")

HEADER = b"I0121 09:09:06.484882 1 scheduler.go:569] "
OTHER_LINES = b"".join((
    HEADER, b"pod s/a is bound successfully on node n, 500 nodes evaluated, 7 nodes were found feasible\n",
    HEADER, b'Trace[1234]: "Scheduling" namespace:s,name:a (21-Jan-2026 09:09:06.184) (total time: 300ms):\n',
    HEADER, b'"Unable to schedule pod; no fit; waiting" pod="s/a" err="0/3 nodes are available:'
    b' 3 Insufficient cpu.'
    b' preemption: 0/3 nodes are available: 3 No victims."\n',
    HEADER, b'FLAG: --v="5"\n',
    b"Feb 14 19:59:55 box systemd-journald[275]: Suppressed 170 messages from kube-scheduler.service\n",
))  # fmt: skip


def _by_every_reader(data: bytes) -> None:
    reader = EventReader()
    checker = QueueChecker()
    for fact in reader.facts(data) + reader.last_facts():
        if isinstance(fact, QueueDump):
            checker.compare(fact)
        else:
            checker.apply_event(fact)
    fold, teller = ReportFold(), StoryTeller(None)
    for record in map(enrich, read_records(data)):
        as_json_line(record_document(record, masked=True, name="x"))
        event = read_event(record)
        if event is not None:
            fold.apply_event(event)
            teller.apply_event(event)
    fold.report()
    for pod in teller.pods():
        teller.story(pod)
    count_nodes([[data]])


def _kinds(data: bytes) -> list[bytes]:
    """One record of each kind, told apart by their text without numbers."""
    kinds: dict[bytes, bytes] = {}
    for start, length in split_records(data):
        raw = data[start : start + length]
        if length < 3000:
            kinds.setdefault(re.sub(rb"[a-z]+-\d+|\d+", b"", raw)[:120], raw)
    return list(kinds.values())


@pytest.mark.parametrize("log", [*LOGS, None])
def test_long_numbers_in_any_place_are_read(log: str | None) -> None:
    for raw in _kinds(real_log(log) if log else OTHER_LINES):
        for place in list(re.finditer(rb"\d+", raw))[:40]:
            _by_every_reader(raw[: place.start()] + DIGITS + raw[place.end() :])


def test_a_sign_that_only_looks_like_a_digit_is_no_number() -> None:
    line = "Feb 14 19:59:55 box systemd-journald[275]: Suppressed 170 messages from ²\n".encode()
    (record,) = read_records(line)
    assert record.fields == {"lost": 170, "unit": "²"}
    _by_every_reader('I0121 09:09:06.484882 1 flags.go:64] FLAG: --v="²"\n'.encode())
