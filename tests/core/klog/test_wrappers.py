from __future__ import annotations

import json
from datetime import datetime

import pytest

from schedtui.core.klog import peel
from tests.core.klog.reading import HEADER, read, read_one

LINE = HEADER + '"m" k="v"'


@pytest.mark.parametrize(
    ("wrapped", "time", "unit"),
    [
        (LINE, None, None),
        (f"2026-03-01T10:00:00.123456789Z stderr F {LINE}", "2026-03-01T10:00:00.123456789Z", "stderr"),
        (f"2026-03-01T10:00:00.1+08:00 stdout F:x {LINE}", "2026-03-01T10:00:00.1+08:00", "stdout"),
        (f"2026-03-01T10:00:00.1234567Z {LINE}", "2026-03-01T10:00:00.1234567Z", None),
        (f"[pod/sched-0/kube-scheduler] {LINE}", None, "pod/sched-0/kube-scheduler"),
        (
            f"[pod/sched-0/kube-scheduler] 2026-03-01T10:00:00Z {LINE}",
            "2026-03-01T10:00:00Z",
            "pod/sched-0/kube-scheduler",
        ),
        (f"Mar  1 10:00:00 box kube-scheduler[12]: {LINE}", "Mar  1 10:00:00", "kube-scheduler[12]"),
        (f"Mar 01 10:00:00.123456 box sched[12]: {LINE}", "Mar 01 10:00:00.123456", "sched[12]"),
        (f"2026-03-01T10:00:00+0100 box sched[12]: {LINE}", "2026-03-01T10:00:00+0100", "sched[12]"),
        (
            f"2026-03-01T10:00:00,123456+01:00 box sched[12]: {LINE}",
            "2026-03-01T10:00:00,123456+01:00",
            "sched[12]",
        ),
        (f"Sun 2026-03-01 10:00:00 UTC box sched[12]: {LINE}", "Sun 2026-03-01 10:00:00 UTC", "sched[12]"),
        (f"stderr{LINE}", None, "stderr"),
        (f"sched-0 kube-scheduler {LINE}", None, "sched-0 kube-scheduler"),
        (f"kube-scheduler-1  | {LINE}", None, "kube-scheduler-1"),
        (f"2026-03-01 10:00:00.123 | sched | {LINE}", "2026-03-01 10:00:00.123", "sched"),
        (f"2026-03-01T10:00:00Z{LINE}", "2026-03-01T10:00:00Z", None),
        (f"\x1b[33m{LINE}\x1b[0m", None, None),
        (f"\ufeff{LINE}", None, None),
        (f"\0\0\0{LINE}", None, None),
        (f"{LINE}\r", None, None),
    ],
)
def test_a_wrapper_is_peeled_and_its_time_and_unit_kept(wrapped: str, time: str | None, unit: str | None) -> None:
    record = read_one(wrapped + "\n")
    assert record.raw == LINE
    assert record.fields == {"k": "v"}
    assert (record.wrapper_time, record.unit) == (time, unit)
    assert record.time == datetime(2026, 3, 1, 10, 0, 0, 1)


def journal_json(message: object, **others: str) -> str:
    """A line of ``journalctl -o json``, its keys in no order."""
    entry = {
        "_HOSTNAME": "box", "PRIORITY": "6", "SYSLOG_IDENTIFIER": "kube-scheduler", "MESSAGE": message,
        "__REALTIME_TIMESTAMP": "1772359200000001", "_PID": "12", "_SYSTEMD_UNIT": "kube-scheduler.service",
    }  # fmt: skip
    return json.dumps({**entry, **others}) + "\n"


@pytest.mark.parametrize(
    "message",
    [LINE, list(LINE.encode()), LINE + "\n", LINE.replace("v", "ä")],
    ids=["text", "bytes", "line", "wide"],
)
def test_a_journal_entry_in_json_is_peeled(message: str | list[int]) -> None:
    record = read_one(journal_json(message))
    text = message if isinstance(message, str) else bytes(message).decode()
    assert record.raw == text.rstrip("\n")
    assert record.unit == "kube-scheduler[12]"
    assert record.wrapper_time == "2026-03-01T10:00:00.000001Z"
    assert record.time == datetime(2026, 3, 1, 10, 0, 0, 1)


def test_journal_entries_in_json_keep_blocks_and_other_units_apart() -> None:
    text = "".join((
        journal_json(HEADER + '"m" err=<'), journal_json("plugin returned:"),
        journal_json("Accepted publickey", SYSLOG_IDENTIFIER="sshd", _PID="99"),
        journal_json(LINE.replace("       1 ", "   12345 ")), journal_json("> pod=\"shop/cart-0\""),
        journal_json("Suppressed 170 messages from kube-scheduler.service", SYSLOG_IDENTIFIER="systemd-journald"),
    ))  # fmt: skip
    block, other, lost = read(text)
    assert (block.pod, block.line_count, other.message) == ("shop/cart-0", 4, "Accepted publickey")
    assert (lost.kind, lost.fields["lost"]) == ("notice", 170)


@pytest.mark.parametrize(
    "line",
    [
        '{"MESSAGE":null,"_BOOT_ID":"x"}', '{"MESSAGE":"x","_BOOT_ID":', '{"MESSAGE":[1,999],"_BOOT_ID":"x"}',
        '{"MESSAGE":{"a":1},"_BOOT_ID":"x"}', '{"MESSAGE":"x","other":"y"}',
    ],
)  # fmt: skip
def test_what_is_no_journal_entry_after_all_stays_as_it_stands(line: str) -> None:
    assert peel(line.encode()).body == line.encode()


@pytest.mark.parametrize("stamp", ["", "x", "-5", "9" * 30, "٣"])
def test_a_journal_entry_with_a_strange_time_has_none(stamp: str) -> None:
    assert read_one(journal_json(LINE, __REALTIME_TIMESTAMP=stamp)).wrapper_time is None


def test_docker_line_is_decoded() -> None:
    record = read_one(
        '{"log":"I0301 10:00:00.000001       1 x.go:1] \\"m\\" k=\\"\\u00e4\\u003c\\"\\n","stream":"stderr",'
        '"attrs":{"a":"b"},"time":"2024-03-01T10:00:00.5Z"}\n'
    )
    assert record.fields == {"k": "ä<"}
    assert (record.unit, record.wrapper_time) == ("stderr", "2024-03-01T10:00:00.5Z")
    assert record.time == datetime(2024, 3, 1, 10, 0, 0, 1)


def test_broken_docker_lines_degrade_to_text_but_headers_are_seen() -> None:
    first, second, third = read(
        '{"log":"no header and cut\n'
        '{"log":"I0301 10:00:00.000001       1 x.go:1] \\"m\\" k=\\"v\\"\\n","stream":"std\n'
        '{"log":"I0301 10:00:00.000002       1 x.go:1] \\"cut in an escape \\u00\n'
    )
    assert (first.kind, first.raw) == ("plain", '{"log":"no header and cut')
    assert second.fields == {"k": "v"}
    assert third.kind == "klog"


def test_cri_fragments_are_joined_per_stream_on_bytes() -> None:
    line = LINE.replace('"v"', '"ä"').encode()
    cut = line.index(b"\xc3") + 1
    records = read(
        b"2026-03-01T10:00:00.1Z stderr P " + line[:cut] + b"\n"
        b"2026-03-01T10:00:00.1Z stdout F other stream\n"
        b"2026-03-01T10:00:00.2Z stderr P " + line[cut : cut + 1] + b"\n"
        b"2026-03-01T10:00:00.2Z stderr F " + line[cut + 1 :] + b"\n"
    )
    other, joined = records
    assert (other.raw, other.unit) == ("other stream", "stdout")
    assert joined.fields == {"k": "ä"}
    assert (joined.line, joined.line_count) == (1, 3)


def test_docker_fragments_are_joined() -> None:
    record = read_one(
        '{"log":"I0301 10:00:00.000001       1 x.go:1] \\"m\\" k=\\"a","stream":"stderr",'
        '"time":"2026-03-01T10:00:00Z"}\n'
        '{"log":"b\\"\\n","stream":"stderr","time":"2026-03-01T10:00:00Z"}\n'
    )
    assert record.fields == {"k": "ab"}
    assert record.line_count == 2


def test_lost_end_of_a_fragment_is_still_shown() -> None:
    record = read_one(f"2026-03-01T10:00:00.1Z stderr P {LINE}")
    assert record.fields == {"k": "v"}


JOURNAL = """\
Feb 14 19:59:54 box kube-scheduler[12]: I0214 19:59:54.000001      12 x.go:1] "a" err=<
Feb 14 19:59:55 box systemd-journald[275]: Suppressed 170 messages from kube-scheduler.service
Feb 14 19:59:55 box kube-scheduler[12]: line of the value
Feb 14 19:59:55 box kube-scheduler[12]: I0102 15:04:05.678901   12345 x.go:302] "Successfully bound" pod="fake/pod"
Feb 14 19:59:55 box kube-scheduler[12]: > pod="shop/cart-0" attempts=3
Feb 14 19:59:56 box kubelet[99]: something else
Feb 14 19:59:56 box kube-scheduler[12]: I0214 19:59:56.000001      12 x.go:1] "b"
"""


def test_journal_with_other_units_between_and_tabs_gone() -> None:
    block, lost, kubelet, after = read(JOURNAL)
    assert block.fields == {
        "err": 'line of the value\nI0102 15:04:05.678901   12345 x.go:302] "Successfully bound" pod="fake/pod"',
        "pod": "shop/cart-0",
        "attempts": 3,
    }
    assert (lost.kind, lost.line) == ("notice", 2)
    assert (kubelet.kind, kubelet.raw, kubelet.unit) == ("plain", "something else", "kubelet[99]")
    assert after.message == "b"


def test_journal_block_that_was_never_closed_ends_at_the_next_header_of_its_process() -> None:
    block, after = read(
        'Feb 14 19:59:54 box s[12]: I0214 19:59:54.000001      12 x.go:1] "a" err=<\n'
        "Feb 14 19:59:55 box s[12]: line of the value\n"
        'Feb 14 19:59:55 box s[12]: I0214 19:59:55.000001      12 x.go:1] "b"\n'
    )
    assert block.incomplete
    assert block.fields == {"err": "line of the value"}
    assert after.message == "b"


def test_stack_in_the_journal_is_not_cut_by_other_units() -> None:
    panic, other = read(
        "Feb 14 19:59:54 box s[12]: E0214 19:59:54.000001      12 x.go:1] Observed a panic: boom\n"
        "Feb 14 19:59:54 box s[12]: goroutine 7 [running]:\n"
        "Feb 14 19:59:54 box kubelet[9]: noise\n"
        "Feb 14 19:59:54 box s[12]: main.f()\n"
    )
    assert panic.raw.split("\n")[1:] == ["goroutine 7 [running]:", "main.f()"]
    assert other.raw == "noise"


def test_two_containers_do_not_continue_each_other() -> None:
    first, second = read('[pod/a/s] I0301 10:00:00.000001       1 x.go:1] "one"\n[pod/b/s] text of the other\n')
    assert (first.raw.count("\n"), second.kind) == (0, "plain")


def test_lines_behind_the_same_unknown_prefix_go_on_with_their_record() -> None:
    one, two, three = read(
        'scheduler-1  | I0301 10:00:00.000001       1 x.go:1] "one" err=<\n'
        "scheduler-1  | \tfirst\n"
        'etcd-1       | I0301 10:00:00.000002       1 x.go:1] "two"\n'
        "scheduler-1  | \tsecond\n"
        "scheduler-1  |  > n=1\n"
        'scheduler-1  | I0301 10:00:00.000003       1 x.go:1] "three"\n'
    )
    assert one.fields == {"err": "first\nsecond", "n": 1}
    assert (one.unit, two.unit) == ("scheduler-1", "etcd-1")
    assert (two.message, three.message) == ("two", "three")


def test_go_test_logger_has_no_process_and_takes_its_call_site_from_the_test() -> None:
    bare, inside = read(
        "E0831 20:03:47.184243] Name: text key=value\n"
        '    schedule_one_test.go:123: I0831 20:03:47.184243] Name: more text pod="ns/a" n=3 '
        'unschedulable plugins={"A":{}}\n'
    )
    assert (bare.severity, bare.pid, bare.file, bare.src_line) == ("E", None, None, None)
    assert (bare.message, dict(bare.fields)) == ("Name: text", {"key": "value"})
    assert (inside.file, inside.src_line) == ("schedule_one_test.go", 123)
    assert inside.message == "Name: more text"
    assert inside.fields == {"pod": "ns/a", "n": 3, "unschedulable plugins": {"A": {}}}
    assert inside.time == datetime(2026, 8, 31, 20, 3, 47, 184243)


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "key=value but no header",
        "I0301 10:00 not a header",
        "2026-03-01 not a stamp",
        "{not json",
        '{"a":1}',
        "I9901 10:00:00.000001       1 x.go:1] no such month",
        "[brackets] alone",
        "http://host:1234/path",
        "",
    ],
)
def test_unknown_shapes_stay_searchable_text(text: str) -> None:
    assert peel(text.encode()).body == text.encode()
    records = read(text + "\n")
    assert [record.raw for record in records] == [text]
    assert records[0].kind == "plain"


def test_invalid_bytes_are_replaced_and_never_raise() -> None:
    record = read_one(HEADER.encode() + b'"m" k="\xff\xfe" n="ok"\n')
    assert record.fields == {"k": "\ufffd\ufffd", "n": "ok"}
