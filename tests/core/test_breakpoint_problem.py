from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.breakpoint_problem import breakpoint_problem

# dlv's words, from dlv 1.12 to 1.27.
SEEN = [
    ("stripped", "could not launch process: could not open debug info", "without debug information"),
    (
        "stripped",
        "Warning: no debug info found, some functionality will be missing such as stack traces and variable"
        " evaluation.",
        "without debug information",
    ),
    (
        "go-too-old-for-dlv",
        "Version of Go is too old for this version of Delve (minimum supported version 1.14, suppress this error"
        " with --check-go-version=false)",
        "1.14",
    ),
    (
        "go-too-old-for-dlv",
        "Go version go1.22.9 is too old for this version of Delve (minimum supported version 1.25, suppress this"
        " error with --check-go-version=false)",
        "go1.22.9",
    ),
    (
        "go-too-old-for-dlv",
        "WARNING: undefined behavior - Go version go1.22.9 is too old for this version of Delve (minimum supported"
        " version 1.25)",
        "go1.22.9",
    ),
    (
        "dlv-too-old-for-go",
        "Version of Delve is too old for this version of Go (maximum supported version 1.12, suppress this error"
        " with --check-go-version=false)",
        "up to 1.12",
    ),
    (
        "dlv-too-old-for-go",
        "Version of Delve is too old for Go version go1.28.0 (maximum supported version 1.27, suppress this error"
        " with --check-go-version=false)",
        "go1.28.0",
    ),
    (
        "dwarf-5",
        "To debug executables using DWARFv5 or later Delve must be built with Go version 1.25.0 or later",
        "1.25.0",
    ),
    (
        "ptrace-yama",
        'Could not attach to pid 4242: this could be caused by a kernel security setting, try writing "0" to'
        " /proc/sys/kernel/yama/ptrace_scope",
        "Yama",
    ),
    ("ptrace-denied", "could not attach to pid 4242: operation not permitted", "container"),
    ("ptrace-owner", "Could not attach to pid 4242: current user does not own the process", "another user"),
    (
        "file-and-function",
        'Command failed: Malformed breakpoint location "schedule_one.go:scheduleOne" at 16: line offset'
        " negative or not a number",
        "schedule_one.go:scheduleOne",
    ),
    ("ambiguous", 'Command failed: Location "Pop" ambiguous: main.A.Pop, main.C.Pop, main.B.Pop…', "called Pop"),
    (
        "no-statement",
        "Command failed: could not find statement at ./pkg/scheduler/schedule_one.go:1, please use a line with a"
        " statement",
        "./pkg/scheduler/schedule_one.go:1:",
    ),
    ("location-not-found", 'Command failed: location "main.nosuch" not found', "main.nosuch"),
    ("exited", "Command failed: Process 27568 has exited with status 0", "status 0"),
    ("optimised", "Warning: debugging optimized function", "optimised"),
]


@pytest.mark.parametrize(("expected", "line", "said"), SEEN)
def test_each_refusal_is_explained(expected: str, line: str, said: str) -> None:
    problem = breakpoint_problem([line])
    assert problem is not None and problem.id == expected
    assert said in problem.title and problem.advice and problem.evidence == line


def test_the_flag_is_spelled_with_its_equals_sign() -> None:
    problem = breakpoint_problem([SEEN[3][1]])
    assert problem is not None and "--check-go-version=false" in problem.advice


def test_what_is_set_already_is_no_problem() -> None:
    assert breakpoint_problem(["Command failed: Breakpoint exists at ./main.go:18 at 4bceae"]) is None


def test_what_is_known_of_the_binary_explains_a_vague_refusal() -> None:
    line = 'Command failed: location "scheduler.(*Scheduler).ScheduleOne" not found'
    problem = breakpoint_problem([line], "it is lab/etcd, which holds no k8s.io/kubernetes")
    assert problem is not None and problem.id == "binary" and "lab/etcd" in problem.title


def test_a_breakpoint_that_was_set_is_no_problem() -> None:
    assert breakpoint_problem(["Breakpoint 2 set at 0xea9920 for x.Pop() ./a.go:179"]) is None


@given(st.lists(st.text(max_size=200)), st.text(max_size=20))
def test_any_reply_is_survived(lines: list[str], obstacle: str) -> None:
    breakpoint_problem(lines, obstacle)
