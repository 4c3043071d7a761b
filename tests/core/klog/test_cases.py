"""The log cases that people really met; each stands for its kind."""

from __future__ import annotations

from datetime import datetime

import pytest

from schedtui.core.fit_error import parse_fit_error
from schedtui.core.klog import RecordReader
from schedtui.core.record_facets import plugins_of
from tests.core.klog.reading import read, read_one


def test_cri_prefix_with_another_zone_and_a_cut_first_line() -> None:
    cut, record = read(
        'pod to node" pod="shop/cart-1" node="node-b" evaluatedNodes=12 feasibleNodes=1\n'
        "2024-03-02T01:55:48.613937621+08:00 stderr F I0301 17:55:48.613828       1 schedule_one.go:826] "
        '"Unable to schedule pod; no fit; waiting" pod="shop/cart-0" err="0/12 nodes are available: 1 node(s) '
        "didn't match pod anti-affinity rules, 1 node(s) had untolerated taint "
        "{node.kubernetes.io/unreachable: }, "
        "2 node(s) had volume node affinity conflict, 8 node(s) didn't match Pod's node affinity/selector. "
        "preemption: 0/12 nodes are available: 1 No preemption victims found for incoming pod, "
        '11 Preemption is not helpful for scheduling."\n',
        year=1999,
    )
    assert (cut.kind, cut.severity, cut.time, dict(cut.fields)) == ("plain", None, None, {})
    assert 'node="node-b"' in cut.raw
    assert record.wrapper_time == "2024-03-02T01:55:48.613937621+08:00"
    assert record.time == datetime(2024, 3, 1, 17, 55, 48, 613828)
    assert record.time_guessed == ()
    assert (record.pid, record.file, record.src_line) == (1, "schedule_one.go", 826)
    assert record.raw.startswith("I0301 17:55:48.613828")
    error = parse_fit_error(record.text("err") or "")
    assert error is not None
    assert error.reasons == (
        (1, "node(s) didn't match pod anti-affinity rules"),
        (1, "node(s) had untolerated taint {node.kubernetes.io/unreachable: }"),
        (2, "node(s) had volume node affinity conflict"),
        (8, "node(s) didn't match Pod's node affinity/selector"),
    )
    assert error.preemption is not None
    assert error.preemption.reasons == (
        (1, "No preemption victims found for incoming pod"),
        (11, "Preemption is not helpful for scheduling"),
    )


def test_failure_before_add_keeps_the_order_of_the_file() -> None:
    failed, missing, added = read(
        'I0909 07:44:24.693034       1 factory.go:321] "Unable to schedule pod; no fit; waiting" '
        'pod="shop/cart-7" err="0/3 nodes are available: 3 Insufficient cpu."\n'
        "W0909 07:44:24.693069       1 factory.go:342] Pod shop/cart-7 doesn't exist in informer cache: "
        'pod "cart-7" not found\n'
        'I0909 07:44:24.758464       1 eventhandlers.go:172] "Add event for unscheduled pod" pod="shop/cart-7"\n'
    )
    assert [record.pod for record in (failed, missing, added)] == ["shop/cart-7"] * 3
    assert (missing.severity, missing.structured) == ("W", False)
    assert missing.fields == {"pod": "shop/cart-7", "err": 'pod "cart-7" not found'}
    assert missing.message == 'Pod shop/cart-7 doesn\'t exist in informer cache: pod "cart-7" not found'


def test_queue_moves_of_all_wordings_give_their_fields() -> None:
    records = read(
        'I0817 00:53:01.018280  149531 scheduling_queue.go:274] "Pod moved to an internal scheduling queue" '
        'pod="shop/cart-0" event="PodAdd"  queue="ActiveQueue"\n'
        'I0817 00:54:30.877590  149531 scheduling_queue.go:388] "Pod moved to an internal scheduling queue" '
        'pod="shop/cart-0" event="ScheduleAttemptFailure"  queue ="UnschedulablePods"\n'
        'I0817 03:24:14.360703      11 scheduling_queue.go:1216] "Pod moved to an internal scheduling queue" '
        'pod="shop/cart-0" event="resource.k8s.io/DeviceClassUpdate" queue="Active" hint=1\n'
        'I0817 03:24:15.000001      11 scheduling_queue.go:611] "Pod moved to an internal scheduling queue, '
        'because the pod is gated" pod="shop/cart-1" event="UnscheduledPodAdd" queue="Unschedulable"\n'
        'I0817 03:24:16.000001      11 active_queue.go:377] "Entity moved to an internal scheduling queue" '
        'type="PodGroup" entity="shop/train" event="PodGroupAdd" queue="Active"\n'
    )
    assert [record.fields["queue"] for record in records] == [
        "ActiveQueue", "UnschedulablePods", "Active", "Unschedulable", "Active",
    ]  # fmt: skip
    assert records[2].fields == {
        "pod": "shop/cart-0", "event": "resource.k8s.io/DeviceClassUpdate", "queue": "Active", "hint": 1,
    }  # fmt: skip
    assert records[4].pod is None
    assert records[4].fields["entity"] == "shop/train"


def test_key_with_a_blank_and_values_in_go_syntax_and_json() -> None:
    moved, camel, old = read(
        'I0301 10:00:00.000950       1 scheduling_queue.go:800] "Pod moved to an internal scheduling queue" '
        'pod="shop/cart-0" event="ScheduleAttemptFailure" queue="Unschedulable" schedulingCycle=17 hint=0 '
        'unschedulable plugins={"NodeResourcesFit":{}}\n'
        'I0301 10:00:00.000950       1 scheduling_queue.go:649] "Pod moved to an internal scheduling queue" '
        'pod="shop/cart-0" event="ScheduleAttemptFailure" queue="Unschedulable" unschedulablePlugins={"":{}}\n'
        'I0301 10:00:00.000951       1 x.go:1] "m" plugins=map[NodeResourcesFit:{} TaintToleration:{}] '
        'names=["a b","c=d"] p=null k2="(MISSING)"\n'
    )
    assert list(moved.fields) == [
        "pod", "event", "queue", "schedulingCycle", "hint", "unschedulable plugins",
    ]  # fmt: skip
    assert moved.fields["unschedulable plugins"] == {"NodeResourcesFit": {}}
    assert (moved.fields["schedulingCycle"], moved.fields["hint"]) == (17, 0)
    assert plugins_of(moved) == ["NodeResourcesFit"]
    assert camel.fields["unschedulablePlugins"] == {"": {}}
    assert plugins_of(camel) == []
    assert old.fields == {
        "plugins": {"NodeResourcesFit": {}, "TaintToleration": {}},
        "names": ["a b", "c=d"],
        "p": None,
        "k2": "(MISSING)",
    }
    assert plugins_of(old) == ["NodeResourcesFit", "TaintToleration"]


DOCKER_PANIC = r"""{"log":"E0310 09:00:00.000001       1 runtime.go:78] Observed a panic: \"invalid memory address or nil pointer dereference\" (runtime error: invalid memory address or nil pointer dereference)\n","stream":"stderr","time":"2020-03-10T09:00:00.000123456Z"}
{"log":"goroutine 1531102 [running]:\n","stream":"stderr","time":"2020-03-10T09:00:00.000123457Z"}
{"log":"\u0009src/core/generic_scheduler.go:675 +0x1a0\n","stream":"stderr","time":"2020-03-10T09:00:00.000123458Z"}
{"log":"\u0009src/core/generic_scheduler.go:676 +0x1a1
"""  # noqa: E501
RAW_PANIC = """E0409 11:57:12.427582       1 runtime.go:78] Observed a panic: "invalid memory" (runtime error)
goroutine 228 [running]:
k8s.io/kubernetes/pkg/scheduler/core.(*genericScheduler).podFitsOnNode(0xc0001bef00, 0x0, ...)
\tsrc/core/generic_scheduler.go:676 +0x1a1
panic: runtime error: invalid memory address or nil pointer dereference [recovered]
"""
OLD_PANIC = """E0409 11:57:12.427582       1 runtime.go:66] Observed a panic: "index out of range" (runtime error)
/usr/local/go/src/runtime/asm_amd64.s:522
/usr/local/go/src/runtime/panic.go:513
"""
NEW_PANIC = """E0708 10:34:21.051358       1 panic.go:336] "Observed a panic" panic="runtime error" stacktrace=<
\tgoroutine 91 [running]:
\tk8s.io/apimachinery/pkg/util/runtime.logPanic({0xc000123, 0x1})
 >
"""


def test_panic_in_docker_lines_is_one_record_even_when_the_last_is_cut() -> None:
    record = read_one(DOCKER_PANIC, year=1999)
    assert (record.severity, record.line_count) == ("E", 4)
    assert record.time == datetime(2020, 3, 10, 9, 0, 0, 1)
    assert record.message == (
        'Observed a panic: "invalid memory address or nil pointer dereference" '
        "(runtime error: invalid memory address or nil pointer dereference)"
    )
    lines = record.raw.split("\n")
    assert lines[1] == "goroutine 1531102 [running]:"
    assert lines[2] == "\tsrc/core/generic_scheduler.go:675 +0x1a0"
    assert "generic_scheduler.go:676" in lines[3]


@pytest.mark.parametrize("text", [RAW_PANIC, OLD_PANIC, NEW_PANIC])
def test_panic_is_one_record_with_the_error_as_title(text: str) -> None:
    record, following = read(text + 'I0709 10:00:00.000001       1 x.go:1] "next"\n')
    assert record.severity == "E"
    assert record.message.startswith("Observed a panic")
    assert "\n" not in record.message
    assert record.line_count == text.count("\n")
    assert record.raw + "\n" == text
    assert following.message == "next"


def test_new_panic_has_its_trace_as_a_field() -> None:
    record = read_one(NEW_PANIC)
    assert record.fields == {
        "panic": "runtime error",
        "stacktrace": "goroutine 91 [running]:\nk8s.io/apimachinery/pkg/util/runtime.logPanic({0xc000123, 0x1})",
    }


def test_fatal_exit_with_all_goroutines_is_one_record() -> None:
    dump = "".join(f"goroutine {n} [select]:\nmain.f()\n\tx.go:{n} +0x1\n\n" for n in range(1, 300))
    record = read_one('F0301 10:00:31.000200      41 server.go:242] "leaderelection lost"\n' + dump)
    assert (record.severity, record.message, record.line_count) == ("F", "leaderelection lost", 1 + 299 * 4)
    assert dict(record.fields) == {}


def test_suppressed_messages_are_a_notice_of_their_own() -> None:
    notice = read_one(
        "Feb 14 19:59:55 buildbox systemd-journald[275]: Suppressed 170 messages from kube-scheduler.service\n"
    )
    assert notice.kind == "notice"
    assert notice.fields == {"lost": 170, "unit": "kube-scheduler.service"}
    assert notice.wrapper_time == "Feb 14 19:59:55"
    assert notice.time is None


BLOCK = """E0301 10:00:00.000001       1 schedule_one.go:1060] "Error scheduling pod; retrying" err=<
\tplugin returned:
\tI0102 15:04:05.678901   12345 schedule_one.go:302] "Successfully bound pod to node" pod="fake/pod" node="fake"
\t >
 > pod="shop/cart-0" attempts=3
"""


def test_block_with_a_fake_header_and_pairs_on_its_closing_line() -> None:
    record = read_one(BLOCK)
    assert record.message == "Error scheduling pod; retrying"
    assert record.pod == "shop/cart-0"
    assert record.fields == {
        "err": "plugin returned:\n"
        'I0102 15:04:05.678901   12345 schedule_one.go:302] "Successfully bound pod to node" pod="fake/pod" '
        'node="fake"\n >',
        "pod": "shop/cart-0",
        "attempts": 3,
    }
    assert record.line_count == 5
    assert record.raw + "\n" == BLOCK


def test_open_block_waits_and_is_then_shown_as_incomplete() -> None:
    reader = RecordReader()
    half = BLOCK.encode()[:150]
    assert reader.feed(half) == []
    pending = reader.pending()
    assert pending is not None
    assert pending.incomplete
    assert pending.message == "Error scheduling pod; retrying"
    # Looking at it took nothing away.
    assert reader.feed(BLOCK.encode()[150:]) == []
    (record,) = reader.finish()
    assert not record.incomplete
    assert record.pod == "shop/cart-0"


def test_raw_line_breaks_and_struct_dumps_belong_to_the_record_above() -> None:
    unfit, dump = read(
        "I0301 10:00:00.000001       1 factory.go:517] Unable to schedule shop cart-0: no fit: pod failed to "
        "fit in any node\n"
        "fit failure on node (node-a): Insufficient cpu\n"
        "fit failure on node (node-b): Insufficient cpu\n"
        "; waiting\n"
        "E0301 10:00:01.000001       1 factory.go:248] Error scheduling shop cart-1: failed to find fit for pod: "
        "{{ } {cart-1  shop map[]} {[{data {0xc2080f87a0 <nil> <nil>}}] [{DB_PASSWORD hunter2-example}]}}\n"
    )
    assert (unfit.line_count, unfit.pod) == (4, "shop/cart-0")
    error = parse_fit_error(unfit.message)
    assert error is not None
    assert (error.total, error.reasons) == (2, ((2, "Insufficient cpu"),))
    assert dump.pod == "shop/cart-1"
    assert set(dump.fields) == {"pod", "err"}


JSON_LOG = r"""Flag --port has been deprecated, This flag has no effect now.
{"ts":1678174252192.0676,"caller":"scheduler/schedule_one.go:81","msg":"Attempting to schedule pod","v":3,"pod":{"name":"cart-0","namespace":"shop"}}
2023-03-07T07:30:52.193301924Z stderr F {"ts":1678174252193.1,"caller":"scheduler/schedule_one.go:252","msg":"Successfully bound pod to node","v":2,"pod":{"name":"cart-0","namespace":"shop"},"node":"node-a","evaluatedNodes":3,"feasibleNodes":2}
{"ts":1678174253000.5,"caller":"scheduler/schedule_one.go:870","msg":"Error scheduling pod; retrying","pod":{"name":"cart-1","namespace":"shop"},"err":"running PreBind plugin \"VolumeBinding\": timed out"}
{"ts":1616398324656.7524,"msg":"FLAG: --v=\"4\"\n","v":1}
{"ts":1580306777.04728,"msg":"seconds","v":1,"node":{"name":"node-1"}}
panic: runtime error: invalid memory address or nil pointer dereference
{"ts":1678174254"""  # noqa: E501


def test_json_log_with_both_stamps_objects_and_text_between() -> None:
    flag, attempt, bound, failed, old, seconds, panic, cut = read(JSON_LOG)
    assert (flag.kind, panic.kind, cut.kind) == ("plain", "plain", "plain")
    assert attempt.time == datetime(2023, 3, 7, 7, 30, 52, 192068)
    assert (attempt.v, attempt.v_from, attempt.severity) == (3, "json", "I")
    assert (attempt.file, attempt.src_line, attempt.caller) == (
        "schedule_one.go", 81, "scheduler/schedule_one.go:81",
    )  # fmt: skip
    assert attempt.fields == {"pod": "shop/cart-0"}
    assert (bound.unit, bound.wrapper_time) == ("stderr", "2023-03-07T07:30:52.193301924Z")
    assert bound.fields == {"pod": "shop/cart-0", "node": "node-a", "evaluatedNodes": 3, "feasibleNodes": 2}
    assert (failed.severity, failed.v, failed.v_from) == ("E", None, None)
    assert plugins_of(failed) == ["VolumeBinding"]
    assert (old.message, old.file) == ('FLAG: --v="4"', None)
    assert seconds.time == datetime(2020, 1, 29, 14, 6, 17, 47280)
    assert seconds.fields == {"node": "node-1"}
    assert (cut.incomplete, cut.raw) == (True, '{"ts":1678174254')


def test_cut_json_object_waits_for_its_rest() -> None:
    reader = RecordReader()
    assert reader.feed(b'{"ts":1678174254') == []
    pending = reader.pending()
    assert pending is not None
    assert pending.incomplete
    assert reader.feed(b'000.5,"msg":"m","v":2}\n') == []
    (record,) = reader.finish()
    assert (record.kind, record.message, record.v) == ("json", "m", 2)


def test_old_wordings_name_pod_and_node_alike() -> None:
    unfit, bare, quoted, three = read(
        "2017-09-22T12:23:11.52811713Z I0922 12:23:11.527912       1 factory.go:517] Unable to schedule "
        "shop cart-0: no nodes are registered to the cluster; waiting\n"
        "I1021 09:09:06.484882       1 scheduler.go:569] pod shop/cart-0 is bound successfully on node node-a, "
        "500 nodes evaluated, 500 nodes were found feasible\n"
        'I1024 06:58:27.951646       1 scheduler.go:731] pod shop/cart-1 is bound successfully on node "node-a", '
        "4 nodes evaluated, 2 nodes were found feasible.\n"
        "I1108 17:40:19.912525       1 scheduler.go:458] Attempting to schedule pod: acme/shop/cart-2\n"
    )
    assert unfit.time == datetime(2017, 9, 22, 12, 23, 11, 527912)
    assert unfit.wrapper_time == "2017-09-22T12:23:11.52811713Z"
    assert unfit.fields == {"pod": "shop/cart-0", "err": "no nodes are registered to the cluster"}
    assert bare.fields == {
        "pod": "shop/cart-0", "node": "node-a", "evaluatedNodes": 500, "feasibleNodes": 500,
    }  # fmt: skip
    assert quoted.fields["node"] == "node-a"
    assert quoted.fields["feasibleNodes"] == 2
    assert three.pod == "acme/shop/cart-2"
    assert not three.structured


def test_debugger_lines_are_their_own_kind() -> None:
    listening, debug, error, klog = read(
        "API server listening at: [::]:40000\n"
        "2024-07-11T04:13:00Z debug layer=debugger callInjection protocol on:\n"
        "2024-07-11T04:13:00Z error layer=rpc writing response:write tcp [::1]:4000->[::1]:34864: use of closed\n"
        "I0711 04:13:01.000000       1 serving.go:380] Generated self-signed cert in-memory\n",
        year=1999,
    )
    assert [record.kind for record in (listening, debug, error, klog)] == ["debugger"] * 3 + ["klog"]
    assert (debug.message, debug.fields["layer"]) == ("callInjection protocol on:", "debugger")
    assert (error.severity, error.fields["layer"]) == ("E", "rpc")
    assert klog.time == datetime(2024, 7, 11, 4, 13, 1)


def test_markup_and_control_bytes_stay_as_they_are() -> None:
    markup, escapes = read(
        'E0301 10:00:00.000001       1 x.go:1] "index [/idx] and [bold] and [link=x]" '
        'err="index out of range [0]"\n'
        "I0301 10:00:00.000002       1 x.go:2] \x1b[31mred and never reset \x1b]0;title\x07 done\rOVERWRITE\n"
    )
    assert markup.message == "index [/idx] and [bold] and [link=x]"
    assert markup.fields == {"err": "index out of range [0]"}
    assert escapes.message == "\x1b[31mred and never reset \x1b]0;title\x07 done\rOVERWRITE"


def test_huge_line_keeps_head_and_tail() -> None:
    error = "0/5000 nodes are available: " + "x" * 300_000
    record = read_one(
        f'I0301 10:00:00.000001       1 x.go:1] "Unable to schedule pod; no fit; waiting" err="{error}" '
        'pod="shop/cart-0" unschedulable plugins={"A":{}}\n'
    )
    assert record.pod == "shop/cart-0"
    assert record.fields["err"] == error
    assert record.fields["unschedulable plugins"] == {"A": {}}


def test_lines_of_the_tutorial() -> None:
    bound, added, popped = read(
        'I0115 10:23:45.123456 12345 scheduler.go:456] "Successfully bound pod to node" pod="default/my-pod" '
        'node="worker-node-1" evaluatedNodes=3 feasibleNodes=2\n'
        'I0115 10:23:45.123789 12345 scheduling_queue.go:234] "Pod added to scheduling queue" '
        'pod="default/my-pod" queue="activeQ" timestamp="2025-01-15T10:23:45Z"\n'
        'I0115 10:23:45.124012 12345 scheduling_queue.go:567] "Pod popped from queue" pod="default/my-pod" '
        'queue="activeQ" waitTime=1.234ms\n'
    )
    assert bound.fields == {
        "pod": "default/my-pod", "node": "worker-node-1", "evaluatedNodes": 3, "feasibleNodes": 2,
    }  # fmt: skip
    assert (bound.pid, bound.src_line) == (12345, 456)
    assert added.time == datetime(2025, 1, 15, 10, 23, 45, 123789)
    assert added.time_guessed == ()
    assert popped.fields["waitTime"] == "1.234ms"
    assert popped.time == datetime(2025, 1, 15, 10, 23, 45, 124012)
