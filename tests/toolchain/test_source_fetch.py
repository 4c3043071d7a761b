from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from schedtui.cli.source import source
from schedtui.core.errors import Cancelled, SchedtuiError, UnreadableInput, WrongUse
from schedtui.toolchain.source_fetch import FetchProgress, get_source, switch_source
from schedtui.toolchain.source_releases import SourceTag, list_tags, resolve_version
from tests.listing import below
from tests.toolchain.doctor_setup import git, kubernetes_tree, script
from tests.toolchain.repository_server import Line, served_by_daemon, served_by_http

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    Served = AbstractContextManager[tuple[str, Line]]

TAGS = ("v1.29.0", "v1.29.14", "v1.36.0-alpha.2", "v1.36.0-rc.0", "v1.36.0", "v1.36.2", "v1.37.0-beta.1")


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A repository with releases, each with a file that names it."""
    root = kubernetes_tree(tmp_path_factory.mktemp("upstream") / "kubernetes")
    git(root, "tag", "-d", "v1.36.3")
    for tag in TAGS:
        (root / "RELEASE").write_text(tag)
        if tag.startswith("v1.36"):
            (root / "pkg/scheduler/backend/queue").mkdir(parents=True, exist_ok=True)
            (root / "pkg/scheduler/backend/queue/scheduling_queue.go").write_text("package queue\n")
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", f"Release {tag}")
        git(root, "tag", "-a", tag, "-m", tag)
    git(root, "branch", "release-1.36", "v1.36.2")
    return root.as_uri()


def silent(_: FetchProgress) -> None:
    pass


def head(root: Path) -> str:
    return (root / "RELEASE").read_text()


def test_tags_are_listed_by_age(upstream: str) -> None:
    names = [tag.name for tag in list_tags(upstream)]
    assert names == [
        "v1.37.0-beta.1", "v1.36.2", "v1.36.0", "v1.36.0-rc.0", "v1.36.0-alpha.2", "v1.29.14", "v1.29.0",
    ]  # fmt: skip
    assert not SourceTag("v1.36.0-rc.0").is_release


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("v1.29.0", "v1.29.0"), ("1.29.0", "v1.29.0"), ("1.29", "v1.29.14"), ("v1.36", "v1.36.2"),
        ("latest", "v1.36.2"), ("v1.36.0-rc.0", "v1.36.0-rc.0"), ("release-1.36", "release-1.36"),
    ],
)  # fmt: skip
def test_what_a_version_means(upstream: str, asked: str, meant: str) -> None:
    assert resolve_version(asked, upstream) == meant


@pytest.mark.parametrize("asked", ["v1.36.9", "1.30", "nonsense", "", "--upload-pack=x"])
def test_a_release_that_is_not_there(upstream: str, asked: str) -> None:
    with pytest.raises(WrongUse) as caught:
        resolve_version(asked, upstream)
    if asked == "v1.36.9":
        assert "v1.36.2" in caught.value.hint and "source tags" in caught.value.hint


def test_a_clone_is_shallow_complete_and_told(upstream: str, tmp_path: Path) -> None:
    told: list[FetchProgress] = []
    target = tmp_path / "deep" / "kubernetes"
    assert get_source("1.36", target, upstream, told.append) == "v1.36.2"
    assert head(target) == "v1.36.2"
    count = subprocess.run(
        ["git", "-C", str(target), "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=True
    )
    assert count.stdout.strip() == "1"
    assert any(progress.percent == 100 for progress in told)
    assert [path.name for path in target.parent.iterdir()] == ["kubernetes"]


def test_an_empty_directory_is_filled_and_a_full_one_refused(upstream: str, tmp_path: Path) -> None:
    target = tmp_path / "kubernetes"
    target.mkdir()
    get_source("v1.29.0", target, upstream, silent)
    assert head(target) == "v1.29.0"
    with pytest.raises(WrongUse, match="taken") as caught:
        get_source("v1.36.2", target, upstream, silent)
    assert "schedtui source switch" in caught.value.hint
    assert head(target) == "v1.29.0"


def test_no_repository_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="no repository") as caught:
        get_source("v1.29.0", tmp_path / "x", (tmp_path / "none").as_uri(), silent)
    assert "--repo" in caught.value.hint and caught.value.details
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("breaks", [1, 9])
def test_a_broken_line_is_tried_again_and_leaves_nothing(
    upstream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks: int
) -> None:
    """The git on PATH breaks its first transfers off, then is the real one."""
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    counter = tmp_path / "count"
    counter.write_text("")
    script(
        tmp_path / "bin" / "git",
        f'case "$1" in clone) echo x >> {counter}\n'
        f"if [ $(wc -l < {counter}) -le {breaks} ]; then\n"
        'for last; do :; done; mkdir -p "$last/.git"\n'
        "printf 'Receiving objects:  10%% (1/10)\\r' >&2\n"
        "echo 'fetch-pack: unexpected disconnect while reading sideband packet' >&2; echo 'fatal: early EOF' >&2\n"
        f'exit 128; fi;; esac\nexec {real} "$@"',
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    target = tmp_path / "kubernetes"
    told: list[FetchProgress] = []
    if breaks == 1:
        get_source("v1.29.0", target, upstream, told.append)
        assert head(target) == "v1.29.0"
        assert {progress.attempt for progress in told} == {1, 2}
    else:
        with pytest.raises(UnreadableInput, match="line to the repository broke") as caught:
            get_source("v1.29.0", target, upstream, told.append)
        assert "fatal: early EOF" in caught.value.details
        assert counter.read_text().count("x") == 3
    left = {path.name for path in tmp_path.iterdir()} - {"bin", "count", "kubernetes"}
    assert left == set() and target.exists() is (breaks == 1)


@pytest.fixture(scope="module")
def large_upstream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose transfer takes more than one packet: a file that cannot be compressed."""
    root = kubernetes_tree(tmp_path_factory.mktemp("upstream") / "kubernetes")
    (root / "RELEASE").write_text("v1.36.3")
    (root / "noise").write_bytes(random.Random(1).randbytes(3_000_000))
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Noise")
    git(root, "tag", "-f", "-a", "v1.36.3", "-m", "v1.36.3")
    return root


@pytest.mark.parametrize("served", [served_by_daemon, served_by_http])
class TestRealLine:
    """git itself, and a line that breaks in the middle of a transfer."""

    @pytest.mark.parametrize("after", [500, 2000, 1_000_000])
    def test_it_is_begun_anew_and_the_tree_is_whole(
        self, large_upstream: Path, tmp_path: Path, served: Callable[[Path], Served], after: int
    ) -> None:
        told: list[FetchProgress] = []
        target = tmp_path / "kubernetes"
        with served(large_upstream) as (address, line):
            line.break_after(after, times=2)
            assert get_source("v1.36", target, address, told.append) == "v1.36.3"
            assert line.broken == 2
        assert (target / "noise").read_bytes() == (large_upstream / "noise").read_bytes()
        assert told[-1].attempt == 3
        assert [path.name for path in tmp_path.iterdir()] == ["kubernetes"]

    def test_a_line_that_breaks_each_time_is_told_with_a_mirror_as_the_way_out(
        self, large_upstream: Path, tmp_path: Path, served: Callable[[Path], Served]
    ) -> None:
        target = tmp_path / "kubernetes"
        with served(large_upstream) as (address, line):
            line.break_after(1_000_000, times=100)
            with pytest.raises(UnreadableInput, match="line to the repository broke") as caught:
                get_source("v1.36.3", target, address, silent)
            assert line.broken == 3
            assert caught.value.where == address
            assert caught.value.details and "--repo" in caught.value.hint
            assert "tried 3 times, each from the beginning" in caught.value.hint
            assert list(tmp_path.iterdir()) == []
            # The advice works: the same command with another repository.
            answer = CliRunner().invoke(
                source, ["get", "v1.36.3", str(target), "--repo", large_upstream.as_uri()], standalone_mode=False
            )
            assert answer.exit_code == 0, answer.output
        assert head(target) == "v1.36.3"

    @pytest.mark.parametrize("after", [0, 20, 120, 300])
    def test_a_list_that_is_cut_off_is_asked_for_again(
        self, large_upstream: Path, served: Callable[[Path], Served], after: int
    ) -> None:
        with served(large_upstream) as (address, line):
            line.break_after(after, times=1)
            assert [tag.name for tag in list_tags(address)] == ["v1.36.3"]
            assert line.broken == 1
            line.break_after(after, times=100)
            with pytest.raises(UnreadableInput, match="line to the repository broke"):
                list_tags(address)


def test_a_cancelled_clone_ends_git_and_leaves_nothing(
    upstream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    script(
        tmp_path / "bin" / "git",
        "case \"$1\" in clone) printf 'Receiving objects:  10%% (1/10)\\r' >&2; exec sleep 60;; esac\n"
        f'exec {real} "$@"',
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        get_source("v1.29.0", tmp_path / "kubernetes", upstream, lambda _: cancel.set(), cancel)
    assert {path.name for path in tmp_path.iterdir()} == {"bin"}


def test_a_killed_clone_leaves_nothing(upstream: str, tmp_path: Path) -> None:
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    script(
        tmp_path / "bin" / "git",
        'case "$1" in clone) for to; do :; done; mkdir "$to"; touch "$to/half"; exec sleep 600;; esac\n'
        f'exec {real} "$@"',
    )
    target = tmp_path / "new" / "kubernetes"
    command = [sys.executable, "-m", "schedtui", "source", "get", "v1.29.0", str(target), "--repo", upstream]
    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    with subprocess.Popen(command, env=environment) as get:
        try:
            until(lambda: any(path.name == "half" for path in below(tmp_path)))
        finally:
            get.kill()
    until(lambda: [path.name for path in tmp_path.iterdir()] == ["bin"])


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_switching_fetches_what_is_not_there(upstream: str, tmp_path: Path) -> None:
    target = tmp_path / "kubernetes"
    get_source("v1.29.0", target, upstream, silent)
    assert switch_source("1.36", target, silent) == "v1.36.2"
    assert head(target) == "v1.36.2"
    assert switch_source("v1.29.0", target, silent, repository="/no/such/repository") == "v1.29.0"
    assert head(target) == "v1.29.0"


def test_a_dirty_tree_is_left_alone(upstream: str, tmp_path: Path) -> None:
    target = tmp_path / "kubernetes"
    get_source("v1.29.0", target, upstream, silent)
    changed = target / "pkg/scheduler/schedule_one.go"
    changed.write_text("package scheduler // mine\n")
    with pytest.raises(WrongUse, match="1 changed file,") as caught:
        switch_source("v1.36.2", target, silent)
    assert caught.value.details == ("pkg/scheduler/schedule_one.go",)
    assert head(target) == "v1.29.0" and "mine" in changed.read_text()


def test_an_unfinished_merge_is_left_alone(upstream: str, tmp_path: Path) -> None:
    target = tmp_path / "kubernetes"
    get_source("v1.29.0", target, upstream, silent)
    (target / ".git" / "MERGE_HEAD").write_text("0" * 40)
    with pytest.raises(WrongUse, match="in its middle"):
        switch_source("v1.36.2", target, silent)


def test_a_tree_without_git_cannot_be_switched(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="not under git"):
        switch_source("v1.36.2", tmp_path, silent)


def test_own_files_in_the_way_keep_the_tree(upstream: str, tmp_path: Path) -> None:
    target = tmp_path / "kubernetes"
    get_source("v1.29.0", target, upstream, silent)
    own = target / "pkg/scheduler/backend/queue/scheduling_queue.go"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    with pytest.raises(SchedtuiError):
        switch_source("v1.36.2", target, silent)
    assert own.read_text() == "mine" and head(target) == "v1.29.0"


def test_relative_directories_are_understood(
    upstream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    mirror = os.path.relpath(upstream.removeprefix("file://"))
    assert "v1.36.2" in runner.invoke(source, ["tags", "--repo", mirror]).output
    got = runner.invoke(source, ["get", "1.36", "./kubernetes", "--repo", mirror])
    assert got.exit_code == 0, got.output
    switched = runner.invoke(source, ["switch", "v1.29.14", "./kubernetes", "--repo", mirror])
    assert switched.exit_code == 0, switched.output
    assert head(tmp_path / "kubernetes") == "v1.29.14"
    monkeypatch.chdir(tmp_path / "kubernetes")
    assert runner.invoke(source, ["switch", "v1.36.2", "."]).exit_code == 0
    assert head(tmp_path / "kubernetes") == "v1.36.2"


def test_commands(upstream: str, tmp_path: Path) -> None:
    runner = CliRunner()
    target = tmp_path / "kubernetes"
    listed = runner.invoke(source, ["tags", "--repo", upstream])
    assert listed.output.splitlines() == ["v1.36.2", "v1.36.0", "v1.29.14", "v1.29.0"]
    got = runner.invoke(source, ["get", "1.36", str(target), "--repo", upstream])
    assert got.exit_code == 0, got.output
    assert f"{target}: v1.36.2" in got.output
    switched = runner.invoke(source, ["switch", "v1.29.14", str(target)])
    assert f"{target}: v1.29.14 (was v1.36.2" in switched.output
    (target / "pkg/scheduler/schedule_one.go").write_text("package scheduler // mine\n")
    document = json.loads(runner.invoke(source, ["info", str(target / "pkg"), "--json"]).output)
    assert document["release"] == "v1.29.14" and document["layout"] == "kubernetes"
    assert document["dirty"] == ["pkg/scheduler/schedule_one.go"]
    assert document["go"] == "1.24" and document["module"] == "k8s.io/kubernetes"
    paths = {row["path"]: row["words"] for row in document["tree"]}
    assert "ScheduleOne" in paths["pkg/scheduler/schedule_one.go"]
    text = runner.invoke(source, ["info", str(target)]).output
    assert "schedule_one.go" in text and "scheduler.go:ScheduleOne: schedule_one.go here" in text
