from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.build_problem import BUILD_PROBLEMS, build_problem

# go's own lines, from go1.26 run in trees broken on purpose; directories are invented.
SEEN = [
    (
        "not-a-source-root",
        "go: go.mod file not found in current directory or any parent directory; see 'go help'",
        "",
    ),
    (
        "not-a-source-root",
        "no required module provides package k8s.io/kubernetes/cmd/kube-scheduler: go.mod file not found"
        " in current"
        " directory or any parent directory; see 'go help modules'",
        "",
    ),
    ("not-a-source-root", "go: cannot find main module, but found .git/config in /home/dev/kubernetes", ""),
    ("not-in-tree", "stat /home/dev/kubernetes/cmd/nope: directory not found", "/home/dev/kubernetes/cmd/nope"),
    ("not-in-tree", "package cmd/kube-scheduler is not in std (/usr/local/go/src/cmd/kube-scheduler)", "cmd/kube"),
    ("not-in-tree", "no Go files in /home/dev/kubernetes", "/home/dev/kubernetes"),
    ("module-not-found", "go: module k8s.io/kubernetez: not found", "k8s.io/kubernetez"),
    (
        "module-not-found",
        "main.go:3:8: no required module provides package k8s.io/klog/v2; to add it:",
        "k8s.io/klog/v2",
    ),
    (
        "mod-flag-in-workspace",
        'go: -mod may only be set to readonly or vendor when in workspace mode, but it is set to "mod"',
        "-mod=mod",
    ),
    (
        "two-gos",
        'compile: version "go1.19.13" does not match go tool version "go1.26.8"',
        "GOROOT belongs to go1.19",
    ),
    ("vendor-stale", "go: inconsistent vendoring in /home/dev/kubernetes:", "/home/dev/kubernetes is missing"),
    (
        "vendor-lookup",
        "main.go:3:8: cannot find module providing package k8s.io/api/core/v1: import lookup disabled by"
        " -mod=vendor",
        "-mod=vendor",
    ),
    (
        "workspace-module-missing",
        "go: cannot load module staging/src/k8s.io/api listed in go.work file: open staging/src/k8s.io/api/go.mod:"
        " no such file or directory",
        "staging/src/k8s.io/api",
    ),
    (
        "staging-missing",
        "cmd/kube-scheduler/m.go:2:8: k8s.io/api@v0.0.0: replacement directory ./staging/src/k8s.io/api does not"
        " exist",
        "./staging/src/k8s.io/api",
    ),
    ("staging-version", "go: k8s.io/api@v0.0.0: invalid version: unknown revision v0.0.0", "k8s.io/api"),
    (
        "other-workspace",
        "directory cmd/kube-scheduler is contained in a module that is not one of the workspace modules listed in"
        " go.work. You can add the module to the workspace using:",
        "go.work",
    ),
    (
        "go-too-old",
        "go: go.mod requires go >= 1.26.0 (running go 1.24.1; GOTOOLCHAIN=local)",
        "1.26.0, this is Go 1.24.1",
    ),
    (
        "go-too-old",
        "go: errors parsing go.mod:\n/x/go.mod:9: invalid go version '1.26.0': must match format 1.23",
        "Go",
    ),
    ("toolchain-not-fetched", "go: download go1.27.0 for linux/amd64: toolchain not available", "go1.27.0"),
    ("proxy-off", "cmd/m.go:2:8: k8s.io/klog/v2@v2.140.0: module lookup disabled by GOPROXY=off", "GOPROXY=off"),
    (
        "proxy-unreachable",
        'm.go:2:8: k8s.io/klog/v2@v2.140.0: Get "https://proxy.example/k8s.io/klog/v2/@v/v2.140.0.zip": dial tcp:'
        " lookup proxy.example: no such host",
        "https://proxy.example",
    ),
    (
        "sum-missing",
        "cmd/m.go:2:8: missing go.sum entry for module providing package k8s.io/klog/v2 (imported by x); to add:",
        "k8s.io/klog/v2",
    ),
    ("no-c-compiler", 'cgo: C compiler "gcc" not found: exec: "gcc": executable file not found in $PATH', "gcc"),
    ("unknown-build-flag", "flag provided but not defined: -check-go-version", "-check-go-version"),
    ("wrong-dots", "open …: no such file or directory", "three dots"),
    ("disk-full", "/usr/local/go/pkg/tool/link: write: no space left on device", "full"),
    ("out-of-memory", "go build k8s.io/x: /usr/local/go/pkg/tool/linux_amd64/link: signal: killed", "memory"),
    ("vcs-stamp", "error obtaining VCS status: exit status 128", "git"),
    ("permission", "open /home/dev/go/pkg/mod/k8s.io/x/a.go: permission denied", "/home/dev/go/pkg/mod"),
]


@pytest.mark.parametrize(("expected", "lines", "said"), SEEN)
def test_each_refusal_is_explained(expected: str, lines: str, said: str) -> None:
    problem = build_problem(["# k8s.io/kubernetes/cmd/kube-scheduler", *lines.splitlines()])
    assert problem is not None and problem.id == expected
    assert said in problem.title
    assert problem.advice and problem.evidence in lines.splitlines()


@pytest.mark.parametrize(
    "line",
    [
        "cmd/kube-scheduler/m.go:2:15: undefined: x",
        "pkg/scheduler/schedule_one.go:88:2: package name is not in scope",
        "./m.go:1:1: expected 'package', found 'EOF'",
    ],
)
def test_source_that_does_not_compile_is_no_problem_of_the_setup(line: str) -> None:
    assert build_problem(["# k8s.io/kubernetes/cmd/kube-scheduler", line]) is None


def test_no_title_is_left_with_a_hole() -> None:
    for row in BUILD_PROBLEMS:
        names = dict.fromkeys(row.pattern.groupindex, "x")
        assert "{" not in row.title.format_map(names) and "{" not in row.advice.format_map(names)


@given(st.lists(st.text(max_size=200)))
def test_any_lines_are_survived(lines: list[str]) -> None:
    build_problem(lines)
