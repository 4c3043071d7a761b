"""dlv's wordings of many releases, as recorded or written down in public threads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.debugger import questions, refusals, replies


@pytest.mark.parametrize(
    ("line", "breakpoint_name", "function", "place", "goroutine", "hits"),
    [
        # 1.27
        ("> [Breakpoint 1] main.work() ./main.go:57 (hits goroutine(1):1 total:1) (PC: 0x4c0bf3)",
         "1", "main.work", "./main.go:57", 1, 1),
        ("> main.tick() /src/main.go:52 (PC: 0x4c0bb5)", "", "main.tick", "/src/main.go:52", None, None),
        # 1.27, stripped (C24)
        ("> [Breakpoint 1] main.main() ./main.go:5 (hits total:1) (PC: 0x49e140)",
         "1", "main.main", "./main.go:5", None, 1),
        # named
        ("> [loop] k8s.io/kubernetes/pkg/scheduler.(*Scheduler).ScheduleOne() /s/schedule_one.go:67"
         " (hits goroutine(378):2 total:9) (PC: 0x23f2036)",
         "loop", "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).ScheduleOne", "/s/schedule_one.go:67", 378, 9),
        # 1.21 and older: no brackets at all
        ("> main.tick() ./main.go:18 (hits goroutine(1):3 total:3) (PC: 0x4bceae)",
         "", "main.tick", "./main.go:18", 1, 3),
        # arguments with parentheses and blanks (-short load config)
        ('> [Breakpoint 2] main.f(a = "x) y", b = (*main.T)(0xc0)) ./a b/main.go:7 (hits goroutine(9):1 total:1)'
         " (PC: 0x1)", "2", "main.f", "./a b/main.go:7", 9, 1),
        ("> [unrecovered-panic] runtime.fatalpanic() /go/src/runtime/panic.go:1217 (hits goroutine(1):1 total:1)"
         " (PC: 0x438c24)", "unrecovered-panic", "runtime.fatalpanic", "/go/src/runtime/panic.go:1217", 1, 1),
    ],
)  # fmt: skip
def test_stop_banners(
    line: str, breakpoint_name: str, function: str, place: str, goroutine: int | None, hits: int | None
) -> None:
    banner = replies.read_banner(f"noise\n{line}\n=>  57:\tfunc work() {{\n")
    assert banner is not None
    assert (banner.breakpoint, banner.function, f"{banner.file}:{banner.line}") == (
        breakpoint_name,
        function,
        place,
    )
    assert (banner.goroutine, banner.hits) == (goroutine, hits)


def test_a_watchpoints_banner() -> None:
    line = "> watchpoint on [total] main.tick() ./main.go:53 (hits goroutine(1):1 total:1) (PC: 0x4c0bc0)"
    banner = replies.read_banner(line)
    assert banner is not None
    assert banner.watched == "total"


@pytest.mark.parametrize(
    ("text", "number", "function", "line", "suspended"),
    [
        ("Breakpoint 1 set at 0x4c0bf3 for main.work() ./main.go:57", 1, "main.work", 57, False),
        ("Breakpoint 2 (enabled) set at 0xea9920 for example.org/sched/cache.(*SchedulerCache).AddPod()"
         " ./cache/event_handlers.go:179", 2, "example.org/sched/cache.(*SchedulerCache).AddPod", 179, False),
        ("Breakpoint 3 set at 0x1,0x2 for main.inlined() ./main.go:9", 3, "main.inlined", 9, False),
        ("Tracepoint 4 set at 0x4c0ba4 for main.tick() /src/main.go:51", 4, "main.tick", 51, False),
        ("Breakpoint 1 set at 0x0 for :0", 1, "", 0, True),
    ],
)  # fmt: skip
def test_confirmations(text: str, number: int, function: str, line: int, suspended: bool) -> None:
    (placed,) = replies.read_set(f"Warning: x\n{text}\n")
    assert (placed.id, placed.function, placed.line, placed.suspended) == (number, function, line, suspended)


def test_nothing_is_set_unless_dlv_says_so() -> None:
    assert replies.read_set("Command failed: Breakpoint exists at ./main.go:18 at 4bceae") == ()
    assert replies.read_set('a log line says "Breakpoint 1 set at 0x1"') == ()


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        ('Malformed breakpoint location "schedule_one.go:scheduleOne" at 16: line offset negative or not a number',
         "malformed"),
        ("could not find statement at ./pkg/scheduler/schedule_one.go:1, please use a line with a statement",
         "no-statement"),
        ('location "main.nosuch" not found', "not-found"),
        ("Breakpoint exists at ./main.go:18 at 4bceae", "exists"),
        ('Location "Pop" ambiguous: main.A.Pop, main.C.Pop, main.B.Pop…', "ambiguous"),
        ("Process 27568 has exited with status 0", "exited"),
        ("something nobody has seen", "other"),
    ],
)  # fmt: skip
def test_c23_refusals(failure: str, kind: str) -> None:
    assert replies.read_refusal(failure).kind == kind


def test_c22_an_ambiguous_reply_names_its_candidates_without_the_ellipsis() -> None:
    refusal = replies.read_refusal('Location "Pop" ambiguous: main.A.Pop, main.C.Pop, main.B.Pop…')
    assert refusal.candidates == ("main.A.Pop", "main.C.Pop", "main.B.Pop")


def test_exits_and_restarts() -> None:
    exit_ = replies.read_exit("text\nProcess 27568 has exited with status 1\n")
    assert exit_ is not None
    assert (exit_.pid, exit_.status) == (27568, 1)
    killed = replies.read_exit("Command failed: Process 12 has exited with status -9")
    assert killed is not None
    assert killed.status == -9
    text = "Discarded Breakpoint 2 at ./main.go:9: could not find file\nProcess restarted with PID 28636\n"
    assert replies.read_restart(text) == (28636, ("Breakpoint 2 at ./main.go:9: could not find file",))


def test_documents_are_taken_out_of_the_text() -> None:
    reply = replies.read_reply('before\nMARK state {"pid":1,"new":[]}\nMARK broken {"\nafter\n', "MARK ")
    assert reply.documents == {"state": {"pid": 1, "new": []}}
    assert reply.text == 'before\nbroken {"\nafter'
    assert reply.unreadable == ('MARK broken {"',)


def test_a_failure_in_our_own_commands_names_no_file_of_ours() -> None:
    reply = replies.read_reply(
        "Command failed: /run/x/schedtui.star:120:30: in eval: could not find symbol value for pod\n", "MARK "
    )
    assert reply.failure == "could not find symbol value for pod"


@given(st.text(max_size=300))
def test_no_text_breaks_the_readers(text: str) -> None:
    replies.read_reply(text, "MARK ")
    replies.read_banner("> " + text)
    replies.read_exit(text)
    replies.read_set(text)
    replies.read_refusal(text)
    replies.without_listing(text)
    replies.trace_goroutine(text)
    refusals.explain_start(text, "x")
    questions.find_question(text)


@pytest.mark.parametrize(
    ("line", "identity", "safe"),
    [
        ("Set a suspended breakpoint (Delve will try to set this breakpoint when process restarts) [Y/n]?",
         "suspend-breakpoint", "n"),
        ("Set a suspended breakpoint (Delve will try to set this breakpoint when a plugin is loaded) [Y/n]?",
         "suspend-breakpoint", "n"),
        ("Set a suspended breakpoint (Delve will try to set this breakpoint when child processes are added)"
         " [Y/n]?",
         "suspend-breakpoint", "n"),
        ("Would you like to kill the process? [Y/n] ", "kill-process", "n"),
        ("Would you like to kill the headless instance? [Y/n] ", "kill-headless", "n"),
        ("Remote process has exited. Would you like to kill the headless instance? [Y/n] ",
         "kill-headless-exited", "n"),
        ("There are breakpoints set, do you wish to quit and continue without clearing breakpoints? [Y/n] ",
         "quit-with-breakpoints", "n"),
        ("[c] continue [s] stop here and cancel next, [f] finish next skipping all breakpoints? ",
         "interrupted-step", "s"),
        ("[c] continue [s] stop here and cancel step, [f] finish step skipping all breakponts? ",
         "interrupted-step", "s"),
        ("Would you like to [p]ause the target (returning to Delve's prompt) or [q]uit this client (leaving the"
         " target running) [p/q]? ", "pause-or-quit", "p"),
    ],
)  # fmt: skip
def test_c28_c29_every_question_is_known_and_has_a_safe_answer(line: str, identity: str, safe: str) -> None:
    question = questions.find_question(line)
    assert question is not None
    assert (question.id, question.safe) == (identity, safe)
    assert line.endswith(questions.ENDINGS)


def test_an_unknown_question_is_left_to_the_user_and_never_gets_an_empty_answer() -> None:
    question = questions.unknown_question("Do you want to reformat the disk? [Y/n] ")
    assert question.ask_user
    assert question.safe == "n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Version of Go is too old for this version of Delve (minimum supported version 1.14, suppress this error"
         " with --check-go-version=false)", "go-too-old"),
        ("Go version go1.22.9 is too old for this version of Delve (minimum supported version 1.25, suppress this"
         " error with --check-go-version=false)", "go-too-old"),
        ("Version of Delve is too old for this version of Go (maximum supported version 1.12, suppress this error"
         " with --check-go-version=false)", "go-too-new"),
        ("Version of Delve is too old for Go version go1.28.0 (maximum supported version 1.27, suppress this error"
         " with --check-go-version=false)", "go-too-new"),
        ("To debug executables using DWARFv5 or later Delve must be built with Go version 1.25.0 or later",
         "dwarf"),
        ('Could not attach to pid 4242: this could be caused by a kernel security setting, try writing "0" to'
         " /proc/sys/kernel/yama/ptrace_scope", "ptrace"),
        ("could not attach to pid 4242: operation not permitted", "ptrace"),
        ("could not launch process: could not open debug info", "no-debug-info"),
        ("could not attach to pid 99: no such process", "gone"),
        ("could not launch process: not an executable file", "format"),
        ("Stdin is not a terminal, use '-r' to specify redirects for the target process or", "no-terminal"),
        ("# example.org/small\n./main.go:3:15: undefined: undefined\nexit status 1", "build"),
        ("go: k8s.io/api@v0.0.0: open ./staging/src/k8s.io/api/go.mod: no such file or directory\nexit status 1",
         "build"),
        ("", "other"),
    ],
)  # fmt: skip
def test_c24_c25_c27_refusals_at_start(text: str, kind: str) -> None:
    refusal = refusals.explain_start(text, "ended with status 1")
    assert refusal.kind == kind
    assert refusal.title
    assert refusal.hint
    assert "sudo" not in refusal.hint


def test_warnings_at_start_are_kept() -> None:
    text = "WARNING: undefined behavior - Go version go1.22.9 is too old for this version of Delve\nType 'help'\n"
    assert refusals.start_warnings(text) == (
        "undefined behavior - Go version go1.22.9 is too old for this version of Delve",
    )


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("connection is shut down", True),
        ("unexpected EOF", True),
        ("EOF", True),
        ("write unix @->dlv.sock: write: broken pipe", True),
        ("1:4: expected operand, found 'EOF'", False),
        ("could not find symbol value for EOFError", False),
    ],
)
def test_a_lost_server_is_told_from_half_an_expression(text: str, lost: bool) -> None:
    assert replies.is_disconnected(text) is lost
