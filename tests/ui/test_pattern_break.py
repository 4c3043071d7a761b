"""Stopping at what is logged: exactly by the call site, softly by the line; tracepoints as klog lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.call_sites import CallSite, CallSites
from schedtui.core.klog import RecordReader
from schedtui.core.run_facts import RunFacts
from schedtui.debugger import model
from schedtui.ui.services.pattern_break import PatternBreak
from schedtui.ui.services.trace_log import TraceLog, trace_line

if TYPE_CHECKING:
    from pathlib import Path

    from textual.message import Message

    from schedtui.core.record import Record

PATH = "k8s.io/kubernetes/pkg/scheduler/schedule_one.go"
SITES = CallSites(
    [
        CallSite(PATH, 123, 123, "ScheduleOne", "I", patterns=(("Attempting to schedule pod",),)),
        CallSite(PATH, 300, 300, "bind", "I", patterns=(("Successfully bound pod to node",),)),
        CallSite(PATH, 400, 400, "bind", "I", patterns=(("Successfully bound pod group",),)),
    ],
    ["schedule_one.go"],
)


def records(text: str) -> list[Record]:
    reader = RecordReader()
    return [*reader.feed(text.encode()), *reader.finish()]


class Heard:
    def __init__(self) -> None:
        self.commands: list[model.Command] = []
        self.messages: list[Message] = []
        self.pattern = PatternBreak(self.commands.append, self.messages.append)


def test_one_call_site_is_exact() -> None:
    heard = Heard()
    heard.pattern.arm("Attempting to schedule pod pod:default/web-1", SITES)
    command = heard.commands[0]
    assert isinstance(command, model.SetBreakpoint)
    assert (command.location, command.pod) == ("schedule_one.go:123", "default/web-1")
    assert command.message == "Attempting to schedule pod"


def test_the_whole_message_wins_over_parts() -> None:
    heard = Heard()
    heard.pattern.arm("Successfully bound pod", SITES)
    assert heard.commands == []
    heard.pattern.arm("Successfully bound pod to node", SITES)
    assert isinstance(heard.commands[0], model.SetBreakpoint)


def test_anything_else_is_soft_until_it_is_ended() -> None:
    heard = Heard()
    heard.pattern.arm(r"bound .*web-1", SITES)
    line = 'I1130 10:00:00.000000       1 a.go:1] "Successfully bound pod to node" pod="default/web-1"\n'
    heard.pattern.observe(records(line))
    assert heard.commands == [model.Interrupt()]
    heard.pattern.arm("", SITES)
    heard.pattern.observe(records(line))
    assert len(heard.commands) == 1
    heard.pattern.arm("[web", None)
    heard.pattern.observe(records(line.replace("web-1", "[web")))
    assert len(heard.commands) == 2


TRACED = '> goroutine(506): k8s.io/kubernetes/pkg/scheduler.(*Scheduler).Run(0x1)\n    podInfo.Name: "web-1"'


def test_a_tracepoint_is_a_klog_line(tmp_path: Path) -> None:
    found = records(trace_line(model.Traced(1796038975.25, 506, TRACED)))
    assert [record.message for record in found] == ["Tracepoint passed"]
    assert found[0].fields == {
        "goroutine": 506, "function": "scheduler.(*Scheduler).Run(0x1)", "values": 'podInfo.Name: "web-1"',
    }  # fmt: skip
    log = TraceLog(str(tmp_path))
    assert log.path == ""
    assert log.write(model.Traced(1.0, 1, TRACED))
    assert not log.write(model.Traced(2.0, 1, ">> goroutine(1): a/b.C => ()"))
    assert [record.message for record in records((tmp_path / "tracepoints.log").read_text())] == [
        "Tracepoint passed", "Traced function returned",
    ]  # fmt: skip
    assert (tmp_path / "tracepoints.log").stat().st_mode & 0o777 == 0o600


def test_the_last_runs_facts() -> None:
    facts = RunFacts()
    head = "I1130 10:00:00.000000       1 "
    for record in records(
        f'{head}flags.go:64] FLAG: --leader-elect="false"\n'
        f'{head}configfile.go:94] "Using component config" config=<\n\tapiVersion: v1\n\tkind: X\n >\n'
        f'{head}server.go:178] "Starting Kubernetes Scheduler" version="v1.36.3"\n'
    ):
        facts.apply(record)
    assert facts.flags == {"--leader-elect": "false"}
    assert facts.component_config == "apiVersion: v1\nkind: X\n"
    assert facts.versions == ["Starting Kubernetes Scheduler version=v1.36.3"]
