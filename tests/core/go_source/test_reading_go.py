"""Functions, imports, build constraints and message patterns of Go files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.go_source.build_constraints import belongs_to_build
from schedtui.core.go_source.extract import extract_package, is_relevant
from schedtui.core.go_source.functions import function_at, functions_in
from schedtui.core.go_source.imports import imports_of
from schedtui.core.go_source.messages import ANYTHING, from_format, joined, literal

SOURCE = b"""// Package queue holds pods.
package queue

import (
	"context"
	// a comment with "quotes"
	apiv1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	_ "embed"
)

import "gopkg.in/yaml.v3"

type Heap[T any] struct{}

func (p *PriorityQueue) Pop(logger klog.Logger) (*apiv1.Pod, error) {
	f := func() {}
	f()
	return nil, nil
}

func (h Heap[T]) Len() int { return 0 }

func (h *Heap[T]) Pop() any {
	return nil
}

func New(ctx context.Context) *PriorityQueue { return nil }
"""


def test_functions_have_receiver_lines_and_delves_spelling() -> None:
    functions = functions_in(SOURCE)
    assert [(f.name, f.receiver, f.line, f.end_line) for f in functions] == [
        ("Pop", "*PriorityQueue", 16, 20),
        ("Len", "Heap", 22, 22),
        ("Pop", "*Heap", 24, 26),
        ("New", "", 28, 28),
    ]
    assert [f.spelling for f in functions] == [
        "queue.(*PriorityQueue).Pop",
        "queue.Heap.Len",
        "queue.(*Heap).Pop",
        "queue.New",
    ]
    inside = function_at(functions, 18)
    assert inside is not None
    assert inside.name == "Pop"
    assert function_at(functions, 21) is None


def test_imports_are_read_with_their_names_and_without_comments() -> None:
    assert imports_of(SOURCE) == [
        ("context", "context"),
        ("apiv1", "k8s.io/api/core/v1"),
        ("klog", "k8s.io/klog/v2"),
        ("_", "embed"),
        ("yaml", "gopkg.in/yaml.v3"),
    ]


def test_strings_after_the_first_declaration_are_no_imports() -> None:
    assert imports_of(b'package x\n\nvar a = `\nimport "no/import"\n`\n') == []


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("x.go", b"", True),
        ("x_test.go", b"", False),
        ("x_linux.go", b"", True),
        ("x_windows.go", b"", False),
        ("x_linux_amd64.go", b"", True),
        ("x_arm64.go", b"", False),
        ("x_darwin_amd64.go", b"", False),
        ("linux.go", b"//go:build !linux\n", False),
        ("x.go", b"//go:build linux && !windows\n", True),
        ("x.go", b"//go:build (darwin || freebsd) && amd64\n", False),
        ("x.go", b"//go:build unix\n", True),
        ("x.go", b"//go:build ignore\n", False),
        ("x.go", b"//go:build go1.21\n", True),
        ("x.go", b"//go:build linux ||\n", True),
        ("event_windows_something.go", b"", True),
    ],
)
def test_files_belong_to_a_build_by_name_and_build_line(name: str, line: bytes, expected: bool) -> None:
    assert belongs_to_build(name, line + b"\npackage x\n", "linux", "amd64") is expected


@pytest.mark.parametrize(
    ("pattern", "message", "fits"),
    [
        (literal("Pod popped"), "Pod popped", True),
        (literal("Pod popped\n"), "Pod popped", True),
        (literal("Pod popped"), "Pod popped twice", False),
        (from_format("FLAG: --%s=%q"), 'FLAG: --v="10"', True),
        (from_format("%d%% of %-8s"), "50% of nodes", True),
        (from_format("%d%% of %s"), "50 of nodes", False),
        (from_format("    %s: %s"), "    Date: today", True),
        (from_format("a%sb%sc"), "abc", True),
        (from_format("ab%sbc"), "abc", False),
        (from_format("%[2]*[1]d."), "12.", True),
        (from_format("%v\n"), "anything", True),
        (ANYTHING, "", True),
        (joined([literal("prefix: "), ANYTHING]), "prefix: x", True),
        (joined([literal("prefix: "), ANYTHING]), "another: x", False),
    ],
)
def test_patterns_match_what_their_call_can_write(pattern: object, message: str, fits: bool) -> None:
    assert pattern.matches(message) is fits  # type: ignore[attr-defined]


@given(st.lists(st.text(alphabet="ab% \n", max_size=6), min_size=1, max_size=5), st.text(max_size=20))
def test_a_format_matches_every_text_made_by_it(parts: list[str], value: str) -> None:
    text = "%s".join(part.replace("%", "%%") for part in parts)
    made = value.join(parts)
    assert from_format(text).matches(made)


@given(st.binary(max_size=300))
def test_no_bytes_make_the_readers_fail(data: bytes) -> None:
    imports_of(data)
    functions_in(data)
    extract_package("example.org/x", [("x.go", data)])


@given(st.lists(st.sampled_from(SOURCE.split(b"\n")), max_size=30))
def test_shuffled_go_does_not_make_the_readers_fail(lines: list[bytes]) -> None:
    text = b"package x\n" + b"\n".join(lines)
    functions_in(text)
    extract_package("example.org/x", [("x.go", text)])


def test_files_without_loggers_contexts_and_requests_are_left_out() -> None:
    assert is_relevant(SOURCE)
    assert not is_relevant(b"package x\n\nfunc f() int { return 1 }\n")
