"""Building a scheduler from a tree: the plan, the counting, the errors, and one real build."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.errors import BuildFailed, Cancelled, NotASourceTree
from schedtui.toolchain.binary import breakpoint_obstacle, read_binary
from schedtui.toolchain.build import ensure_scheduler, why_stale
from schedtui.toolchain.build_plan import (
    BuildRequest,
    cache_folder,
    check_buildable,
    default_output,
    plan_go_build,
    plan_make,
    stamped_version,
)
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.go import GoTool, GoVersion, find_go
from schedtui.toolchain.go_build import (
    BuildProgress,
    GoRun,
    LineSplitter,
    _Counter,
    compiler_errors,
    count_command,
    format_seconds,
    run_go_build,
)
from tests.listing import below
from tests.toolchain.built_before import built_trimmed, built_whole

if TYPE_CHECKING:
    from collections.abc import Callable

GO = GoTool(path=Path("/opt/go/bin/go"), version=GoVersion(1, 26, 8), origin="PATH")


def make_checkout(root: Path, *, pinned: str = "1.26.5", work: bool = True) -> Path:
    """A tree that is recognised as a Kubernetes checkout."""
    for folder in ("cmd/kube-scheduler", "pkg/scheduler", "staging/src/k8s.io/api"):
        (root / folder).mkdir(parents=True)
    (root / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.26.0\n")
    (root / "go.sum").write_text("")
    (root / "staging/src/k8s.io/api/go.mod").write_text("module k8s.io/api\n")
    if pinned:
        (root / ".go-version").write_text(f"{pinned}\n")
    if work:
        (root / "go.work").write_text("go 1.26.0\n\nuse .\n")
    return root


class TestPlan:
    def test_only_kubernetes_packages_lose_optimisation(self, tmp_path: Path) -> None:
        request = BuildRequest(open_checkout(make_checkout(tmp_path / "k")))
        plan = plan_go_build(request, GO, tmp_path / "out", tmp_path, "./cmd/kube-scheduler")
        assert "-gcflags=k8s.io/kubernetes/...=-N -l" in plan.arguments
        assert plan.arguments[-3:] == ("-o", str(tmp_path / "out"), "./cmd/kube-scheduler")
        assert plan.directory == tmp_path / "k"

    def test_all_and_optimised(self, tmp_path: Path) -> None:
        checkout = open_checkout(make_checkout(tmp_path / "k"))
        everything = plan_go_build(BuildRequest(checkout, "all"), GO, tmp_path / "o", tmp_path, ".")
        assert "-gcflags=all=-N -l" in everything.arguments
        fast = plan_go_build(BuildRequest(checkout, "optimised"), GO, tmp_path / "o", tmp_path, ".")
        assert not [word for word in fast.arguments if "gcflags" in word]

    def test_each_flavour_has_its_own_binary(self, tmp_path: Path) -> None:
        checkout = open_checkout(make_checkout(tmp_path / "k"))
        names = {default_output(BuildRequest(checkout, flavour)) for flavour in ("debug", "all", "optimised")}
        assert len(names) == 3

    def test_own_packages_of_an_out_of_tree_module_too(self, tmp_path: Path) -> None:
        (tmp_path / "go.mod").write_text(
            "module example.com/mine\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes v1.36.3\n"
        )
        plan = plan_go_build(BuildRequest(open_checkout(tmp_path)), GO, tmp_path / "o", tmp_path, "./cmd")
        assert "-gcflags=k8s.io/kubernetes/...=-N -l" in plan.arguments
        assert "-gcflags=example.com/mine/...=-N -l" in plan.arguments
        assert "-ldflags=-X k8s.io/component-base/version.gitVersion=v1.36.3" in plan.arguments

    def test_go_work_of_the_tree_is_used_and_a_strangers_is_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("GOWORK", raising=False)
        with_work = BuildRequest(open_checkout(make_checkout(tmp_path / "a")))
        plan = plan_go_build(with_work, GO, tmp_path / "o", tmp_path, ".")
        assert "GOWORK" not in plan.environment
        assert not [word for word in plan.arguments if word.startswith("-mod")]
        without = BuildRequest(open_checkout(make_checkout(tmp_path / "b", work=False)))
        plan = plan_go_build(without, GO, tmp_path / "o", tmp_path, ".")
        assert plan.environment["GOWORK"] == "off"

    def test_go_mod_is_completed_in_a_copy(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("GOFLAGS", raising=False)
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        request = BuildRequest(open_checkout(make_checkout(tmp_path / "k", work=False)))
        plan = plan_go_build(request, GO, tmp_path / "o", scratch, ".")
        assert {"-mod=mod", f"-modfile={scratch / 'go.mod'}"} <= set(plan.flags)
        assert (scratch / "go.mod").read_bytes() == (tmp_path / "k" / "go.mod").read_bytes()

    def test_vendor_and_a_users_own_mod_are_left_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("GOFLAGS", raising=False)
        root = make_checkout(tmp_path / "k", work=False)
        (root / "vendor").mkdir()
        (root / "vendor" / "modules.txt").write_text("")
        request = BuildRequest(open_checkout(root))
        assert "-mod=mod" not in plan_go_build(request, GO, tmp_path / "o", tmp_path, ".").flags
        shutil.rmtree(root / "vendor")
        monkeypatch.setenv("GOFLAGS", "-mod=readonly")
        assert "-mod=mod" not in plan_go_build(request, GO, tmp_path / "o", tmp_path, ".").flags

    def test_make_takes_the_pinned_go_when_dlv_takes_it(self, tmp_path: Path) -> None:
        plan = plan_make(BuildRequest(open_checkout(make_checkout(tmp_path))), GO)
        assert plan.arguments == ("make", "WHAT=cmd/kube-scheduler", "DBG=1")
        assert "FORCE_HOST_GO" not in plan.environment
        assert "go1.26.5; dlv takes it" in plan.notes[0]

    def test_make_asks_for_the_hosts_go_otherwise(self, tmp_path: Path) -> None:
        plan = plan_make(BuildRequest(open_checkout(make_checkout(tmp_path, pinned="1.22.9"))), GO)
        assert plan.environment["FORCE_HOST_GO"] == "y"
        assert "go1.22.9, which dlv does not take" in plan.notes[0]
        optimised = plan_make(BuildRequest(open_checkout(tmp_path), "optimised"), GO)
        assert "DBG=1" not in optimised.arguments

    def test_module_cache_directory_is_refused_with_what_does_it(self, tmp_path: Path) -> None:
        root = make_checkout(tmp_path / "kubernetes@v1.36.3")
        with pytest.raises(NotASourceTree, match="module cache") as caught:
            check_buildable(open_checkout(root))
        assert "schedtui lab --release v1.36.3" in caught.value.hint

    def test_missing_staging_is_refused(self, tmp_path: Path) -> None:
        root = make_checkout(tmp_path / "k")
        shutil.rmtree(root / "staging")
        with pytest.raises(NotASourceTree, match="staging/src"):
            check_buildable(open_checkout(root))


class TestLines:
    def test_compiler_errors(self) -> None:
        lines = [
            "# k8s.io/kubernetes/pkg/scheduler",
            "pkg/scheduler/schedule_one.go:67:2: undefined: nonsense",
            "../x y/a.go:9: too many errors",
            "note: module requires Go 1.27",
        ]
        errors = compiler_errors(lines)
        assert [(error.file, error.line, error.column) for error in errors] == [
            ("pkg/scheduler/schedule_one.go", 67, 2),
            ("../x y/a.go", 9, 0),
        ]
        assert errors[0].message == "undefined: nonsense"

    @given(st.lists(st.text(st.characters(blacklist_characters="\n\r", codec="utf-8"))), st.data())
    def test_any_chunking_gives_the_same_lines(self, lines: list[str], data: st.DataObject) -> None:
        content = "".join(f"{line}\n" for line in lines).encode()
        got: list[str] = []
        splitter = LineSplitter(got.append)
        while content:
            size = data.draw(st.integers(1, len(content)))
            splitter.feed(content[:size])
            content = content[size:]
        splitter.flush()
        assert got == lines

    @pytest.mark.parametrize(
        ("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (75, "1 min 15 s")]
    )
    def test_seconds(self, seconds: float, text: str) -> None:
        assert format_seconds(seconds) == text


@pytest.fixture
def small_module(tmp_path: Path) -> Path:
    """A Go module of two packages."""
    root = tmp_path / "module"
    (root / "inner").mkdir(parents=True)
    (root / "go.mod").write_text("module example.com/small\n\ngo 1.21\n")
    (root / "main.go").write_text(
        'package main\n\nimport "example.com/small/inner"\n\nfunc main() { inner.Say() }\n'
    )
    (root / "inner" / "inner.go").write_text("package inner\n\nfunc Say() { println(1) }\n")
    return root


def go_run(root: Path) -> GoRun:
    go = find_go()
    return GoRun(
        target="small",
        arguments=(str(go.path), "build", "-v", "-o", str(root / "out"), "."),
        directory=root,
        environment={**go.environment(), "GOWORK": "off", "GOFLAGS": "-mod=mod"},
        count_arguments=count_command(go.path, (), "."),
    )


class TestRun:
    def test_progress_counts_what_is_compiled(self, small_module: Path) -> None:
        told: list[BuildProgress] = []
        run_go_build(go_run(small_module), told.append, threading.Event())
        assert (told[-1].phase, told[-1].done, told[-1].total) == ("done", 2, 2)
        assert [progress.done for progress in told] == sorted(progress.done for progress in told)
        assert (small_module / "out").exists()

    def test_error_holds_the_compilers_lines(self, small_module: Path) -> None:
        (small_module / "inner" / "inner.go").write_text("package inner\n\nfunc Say() { return 1 }\n")
        with pytest.raises(BuildFailed) as caught:
            run_go_build(go_run(small_module), lambda _: None, threading.Event())
        errors = compiler_errors(caught.value.details)
        assert [(error.file, error.line) for error in errors] == [("inner/inner.go", 3)]
        assert not (small_module / "out").exists()

    def test_cancel_ends_go_and_its_work_directory(self, small_module: Path, tmp_path: Path) -> None:
        cancel = threading.Event()
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        run = go_run(small_module)
        # All of Go's own library into an empty cache: minutes, were it not stopped at the first package.
        slow = GoRun(
            target="std",
            arguments=(str(find_go().path), "build", "-v", "std"),
            directory=run.directory,
            environment={**run.environment, "GOTMPDIR": str(scratch), "GOCACHE": str(tmp_path / "cache")},
        )

        def stop_at_the_first_package(progress: BuildProgress) -> None:
            if progress.done:
                cancel.set()

        with pytest.raises(Cancelled):
            run_go_build(slow, stop_at_the_first_package, cancel)
        assert list(scratch.iterdir()) == []


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def marked(mark: str) -> list[int]:
    """The processes that began with a mark in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
    return found


@pytest.mark.lab
class TestRealBuild:
    """The linked tree of a real release, built by the product."""

    @pytest.fixture(scope="class")
    def request_for_tree(self, source_tree: Path) -> BuildRequest:
        return BuildRequest(open_checkout(source_tree))

    @pytest.mark.timeout(1500)
    def test_result_is_what_was_asked_for(self, request_for_tree: BuildRequest) -> None:
        go_mod = (request_for_tree.checkout.root / "go.mod").read_bytes()
        result = ensure_scheduler(request_for_tree, lambda _: None)
        facts = read_binary(result.binary)
        assert breakpoint_obstacle(facts) == ""
        assert facts.version_stamp == stamped_version(request_for_tree) == result.version
        assert facts.optimised("k8s.io/client-go/tools/cache")
        assert result.notes == ()
        # The user's own tree is left as it was.
        assert (request_for_tree.checkout.root / "go.mod").read_bytes() == go_mod
        assert [path.name for path in cache_folder(request_for_tree.checkout).glob(".build-*")] == []

    def test_a_killed_build_leaves_neither_processes_nor_files(self, source_tree: Path, tmp_path: Path) -> None:
        mark = f"schedtui-test={tmp_path}"
        output, cache = tmp_path / "new" / "deep" / "kube-scheduler", tmp_path / "cache"
        environment = os.environ | {
            "XDG_CACHE_HOME": str(cache),
            # Nothing is compiled yet: minutes, were it not killed.
            "GOCACHE": str(tmp_path / "go"),
            "TMPDIR": str(tmp_path),
            "SCHEDTUI_TEST_MARK": mark,
        }
        command = [sys.executable, "-m", "schedtui", "build", "--src", str(source_tree), "--output", str(output)]
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as build:
            try:
                until(lambda: any(path.match(".build-*/go-build*/b*/*") for path in below(cache)))
            finally:
                build.kill()
        until(lambda: not marked(mark))
        until(lambda: not any(path.match(".build-*") for path in below(cache)))
        until(lambda: sorted(path.name for path in tmp_path.iterdir()) == ["cache", "go"])

    @pytest.mark.timeout(1500)
    def test_unchanged_tree_is_not_built_again(self, request_for_tree: BuildRequest) -> None:
        ensure_scheduler(request_for_tree, lambda _: None)
        assert why_stale(request_for_tree) == ""
        again = ensure_scheduler(request_for_tree, lambda _: None)
        assert not again.built_now
        assert again.arguments[1] == "build"

    def test_nothing_is_optimised_in_an_all_build(self, source_tree: Path) -> None:
        result = ensure_scheduler(built_whole(source_tree), lambda _: None)
        facts = read_binary(result.binary)
        assert breakpoint_obstacle(facts) == ""
        assert facts.optimised("k8s.io/client-go/tools/cache") is False
        assert facts.optimised("k8s.io/kubernetes/pkg/scheduler") is False
        assert result.optimised == "nothing is optimised"

    def test_every_file_of_a_trimmed_build_is_found_in_the_tree(self, source_tree: Path) -> None:
        request = built_trimmed(source_tree)
        result = ensure_scheduler(request, lambda _: None)
        facts = read_binary(result.binary)
        assert facts.trimmed
        assert breakpoint_obstacle(facts) == ""
        assert [note for note in result.notes if "-trimpath" in note]
        content = result.binary.read_bytes()
        assert str(source_tree).encode() not in content
        spelled = {name.decode() for name in re.findall(rb"k8s\.io/[\w@.+/-]{1,200}?\.go(?=\0)", content)}
        scheduler = {name for name in spelled if "/pkg/scheduler/" in name}
        libraries = {name for name in spelled if name.startswith(("k8s.io/client-go", "k8s.io/apimachinery"))}
        assert len(scheduler) > 100
        assert len(libraries) > 100
        places = {name: request.checkout.file_path(name) for name in scheduler | libraries}
        assert [name for name, place in places.items() if place is None or not place.is_file()] == []


def test_the_last_builds_time_is_no_measure_when_all_packages_are_there() -> None:
    told: list[BuildProgress] = []
    run = GoRun("kube-scheduler", ("go", "build"), Path("/"), {}, ("go", "list"), expected_seconds=540.0)
    counter = _Counter(run, told.append)
    counter.count_line("false |k8s.io/api/core/v1")
    counter.start_compiling()
    counter.tell("link")
    counter.tell("done")
    assert [progress.left for progress in told] == [None, None, None]
    counter.count_line("true stale|k8s.io/api/core/v1")
    counter.start_compiling()
    assert told[-1].left is not None
