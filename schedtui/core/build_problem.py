"""Why go refuses to build: its own lines, in words, with what to do (the FAQ's first problem and its kin).

Owns the table; it runs nothing. Compiler errors in source are no problem of the set-up and are not named here.
The wordings are those of Go 1.21 to 1.26, each seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.core.symptom import Problem, find_problem, symptom

if TYPE_CHECKING:
    from collections.abc import Sequence

_WRONG_PLACE = (
    "Go up to the source root (the directory whose go.mod says 'module k8s.io/kubernetes'), or name it: --src DIR"
)

BUILD_PROBLEMS = (
    symptom(
        "disk-full",
        r"no space left on device",
        "The disk is full",
        "'go clean -cache' empties Go's build cache, 'schedtui lab cache' lists what schedtui keeps.",
    ),
    symptom(
        "out-of-memory",
        r"signal: killed|cannot allocate memory|out of memory",
        "The machine ran out of memory while compiling or linking",
        "A debug build of everything (--all) needs about 4 GB: leave --all out, or give GOFLAGS=-p=1.",
        certain=False,
    ),
    symptom(
        "not-a-source-root",
        r"go\.mod file not found|cannot find main module",
        "This directory is in no Go module, so it is no source root",
        _WRONG_PLACE + ".",
    ),
    symptom(
        "workspace-module-missing",
        r"cannot load module (?P<module>\S+) listed in go\.work file",
        "go.work lists {module}, which is not there: part of staging is missing",
        "The tree is incomplete. Restore it ('git status', 'git checkout -- staging'), or get a whole one:"
        " schedtui source get VERSION DIR",
    ),
    symptom(
        "staging-missing",
        r"(?P<module>\S+?)@\S+: replacement directory (?P<directory>\S+) does not exist",
        "go.mod looks for {module} in {directory}, which is not there",
        "The tree is incomplete. Restore it ('git status', 'git checkout -- staging'), or get a whole one:"
        " schedtui source get VERSION DIR",
    ),
    symptom(
        "other-workspace",
        r"is contained in a module that is not one of the workspace modules listed in go\.work",
        "A go.work applies here that does not list this module",
        "'go env GOWORK' names it. Set GOWORK=off for this build, or 'go work use .' in that workspace.",
    ),
    symptom(
        "mod-flag-in-workspace",
        r"-mod may only be set to readonly or vendor when in workspace mode",
        "GOFLAGS holds -mod=mod, which Go refuses in a tree with a go.work",
        "go env -u GOFLAGS   # or unset it where it is exported",
    ),
    symptom(
        "two-gos",
        r"compile: version \"(?P<one>[^\"]+)\" does not match go tool version \"(?P<other>[^\"]+)\"",
        "GOROOT belongs to {one}, the go command to {other}",
        "Unset GOROOT: a go command knows its own.",
    ),
    symptom(
        "vendor-stale",
        r"inconsistent vendoring in (?P<directory>.+?):?$",
        "The vendor directory in {directory} is missing or does not fit go.mod",
        "'go env GOFLAGS': without a vendor directory take -mod=vendor out ('go env -u GOFLAGS'). With one and a"
        " go.work: leave GOWORK unset, or run 'go work vendor'.",
    ),
    symptom(
        "vendor-lookup",
        r"import lookup disabled by -mod=vendor|is explicitly required in go\.mod, but not marked as explicit in",
        "Go was told to use the vendor directory only (-mod=vendor), and it is not complete",
        "'go env -u GOFLAGS', or unset GOFLAGS where it is exported.",
    ),
    symptom(
        "staging-version",
        r"(?P<module>k8s\.io/[\w/-]+)@v0\.0\.0(?:-0+-0+)?: (?P<why>invalid version: unknown"
        r" revision|missing go\.sum"
        r"|module lookup disabled|reading .*)",
        "Go looks for {module} v0.0.0 outside: it does not see the tree's staging directory",
        "The tree's go.work is switched off or gone: 'go env GOWORK' must name it. Unset GOWORK, and"
        " restore go.work.",
    ),
    symptom(
        "go-too-old",
        r"go\.mod requires go >= (?P<wanted>\S+) \(running go (?P<have>[^;)]+)",
        "The tree wants Go {wanted}, this is Go {have}",
        "Install a newer Go: pip install 'schedtui[go]' brings one; or let Go fetch it: go env -w"
        " GOTOOLCHAIN=auto",
    ),
    symptom(
        "go-too-old",
        r"invalid go version '(?P<wanted>[^']+)'|unknown directive: (?:toolchain|godebug)",
        "This Go is too old to read the tree's go.mod",
        "Install a newer Go: pip install 'schedtui[go]' brings one.",
    ),
    symptom(
        "toolchain-not-fetched",
        r"download (?P<toolchain>go\S+) for \S+: (?P<why>.+)",
        "Go wanted to fetch {toolchain} and could not: {why}",
        "Install that Go, or see to the module proxy: schedtui doctor --online",
    ),
    symptom(
        "proxy-off",
        r"module lookup disabled by GOPROXY=off",
        "GOPROXY=off: Go may not fetch the modules that it lacks",
        "go env -u GOPROXY   # or unset it where it is exported",
    ),
    symptom(
        "proxy-unreachable",
        r"Get \"(?P<address>https?://[^/\"]+)[^\"]*\": (?P<why>dial"
        r" tcp.*|net/http.*|.*timeout.*|EOF|.*reset by peer.*"
        r"|.*connection refused.*)",
        "The module proxy {address} does not answer: {why}",
        "Where it cannot be reached, set another: go env -w GOPROXY=https://goproxy.cn,direct ('schedtui doctor"
        " --online' tries it).",
    ),
    symptom(
        "checksum",
        r"(?P<what>SECURITY ERROR|checksum mismatch)",
        "A module is not what its checksum says",
        "A mirror that changed it, or a broken download: go clean -modcache, then build again from another proxy.",
    ),
    symptom(
        "sum-missing",
        r"missing go\.sum entry for (?:module providing package (?P<package>\S+)|go\.mod file)|updates to go\.mod"
        r" needed",
        "go.mod and go.sum are not complete for this build {package}",
        "In a module of your own: go mod tidy. In a Kubernetes tree: GOWORK is off or go.mod was changed"
        " ('git diff"
        " go.mod go.sum').",
        certain=False,
    ),
    symptom(
        "module-not-found",
        r"(?:no required module provides package|cannot find module providing package|go: module)"
        r" (?P<what>[^;:\s]+)"
        r"(?:: no matching versions|.*not found|;|:)?",
        "Go finds no module for {what}",
        _WRONG_PLACE + "; in a module of your own: go get {what}",
    ),
    symptom(
        "not-in-tree",
        r"(?:stat (?P<place>\S+)|(?P<package>\S+)): directory not found|package (?P<name>\S+) is not in"
        r" (?:std|GOROOT)"
        r"|no Go files in (?P<folder>\S+)|directory (?P<other>\S+) outside main module",
        "There is no package {place}{package}{name}{folder}{other} here",
        _WRONG_PLACE + ". Local packages begin with ./ (go build ./cmd/kube-scheduler).",
    ),
    symptom(
        "vcs-stamp",
        r"error obtaining VCS status",
        "Go could not ask git about the tree (another owner, or no git)",
        "git config --global --add safe.directory DIR, or build with -buildvcs=false.",
    ),
    symptom(
        "no-c-compiler",
        r"C compiler \"(?P<compiler>[^\"]+)\" not found|exec: \"(?P<other>gcc|cc|clang)\": executable file"
        r" not found",
        "There is no C compiler {compiler}{other}",
        "kube-scheduler needs none: build with CGO_ENABLED=0.",
    ),
    symptom(
        "unknown-build-flag",
        r"flag provided but not defined: (?P<flag>\S+)",
        "go build does not know {flag}",
        "--check-go-version belongs to dlv, flags of the scheduler come after '--'.",
    ),
    symptom(
        "wrong-dots",
        r"open …: no such file|malformed import path \"[^\"]*…",
        "The package pattern holds the single character '…' where three dots belong",
        "Type three dots: -gcflags='k8s.io/kubernetes/...=-N -l'.",
    ),
    symptom(
        "permission",
        r"(?:open|mkdir|create) (?P<path>\S+): (?P<why>permission denied|read-only file system)",
        "Go may not write {path}: {why}",
        "The module cache is read-only by design: build in a tree of your own (schedtui source get VERSION DIR).",
    ),
)
"""Symptoms, most special first."""

_COMPILER_LINE = re.compile(r"^(?:\./)?[\w./@+-]+\.go:\d+:\d+: (?P<message>.*)")

_SET_UP_WORDS = re.compile(
    r"go\.sum|no required module|cannot find module|replacement directory|@v|dial tcp|not in std"
    r"|import lookup|updates to go\.mod|GOPROXY"
)
"""What go says of an import with the place of the import in front: no error of the file."""


def build_problem(lines: Sequence[str]) -> Problem | None:
    """What is wrong with the set-up, from go's lines; None when it is the source that does not compile."""
    relevant = []
    for line in lines:
        place = _COMPILER_LINE.match(line)
        if place is None or _SET_UP_WORDS.search(place["message"]):
            relevant.append(line)
    return find_problem(BUILD_PROBLEMS, relevant)
