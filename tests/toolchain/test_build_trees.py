"""Real builds of small trees: stale and broken ones, go.work, vendor, -trimpath. Seconds each, no network."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import BuildFailed
from schedtui.toolchain.binary import breakpoint_obstacle, read_binary
from schedtui.toolchain.build import ensure_scheduler, why_stale
from schedtui.toolchain.build_plan import BuildRequest, cache_folder, default_output
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.go_build import compiler_errors
from tests.toolchain.doctor_setup import kubernetes_tree
from tests.toolchain.go_trees import write

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.toolchain.build import BuildResult

MAIN = "cmd/kube-scheduler/scheduler.go"
CALLING_MAIN = """package main

import (
	"{package}"
	"k8s.io/kubernetes/pkg/scheduler"
)

func main() {{
	scheduler.ScheduleOne()
	{name}.Say()
}}
"""
SAY = "package {name}\n\nfunc Say() {{ println(`said`) }}\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout in small, of this test alone."""
    for name in ("GOFLAGS", "GOWORK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GOTOOLCHAIN", "local")
    monkeypatch.setenv("GOPROXY", "off")
    monkeypatch.setenv("SCHEDTUI_CACHE", str(tmp_path / "cache"))
    return kubernetes_tree(tmp_path / "kubernetes")


def request(tree: Path) -> BuildRequest:
    return BuildRequest(open_checkout(tree))


def build(tree: Path) -> BuildResult:
    return ensure_scheduler(request(tree), lambda _: None)


def age(path: Path) -> None:
    """Make a file older than any build, so that only what a test writes is newer."""
    os.utime(path, (1, 1))


def test_a_change_makes_it_stale_and_an_error_keeps_the_old_binary(tree: Path) -> None:
    for path in (*tree.rglob("*.go"), tree / "go.mod", tree / "cmd" / "kube-scheduler"):
        age(path)
    build(tree)
    assert why_stale(request(tree)) == ""
    before = default_output(request(tree)).stat().st_mtime_ns
    write(tree / "cmd/kube-scheduler/broken.go", "package main\n\nfunc init() { nonsense() }\n")
    assert why_stale(request(tree)).startswith("it is older than cmd/kube-scheduler")
    with pytest.raises(BuildFailed) as caught:
        build(tree)
    errors = compiler_errors(caught.value.details)
    assert [(error.file, error.line) for error in errors] == [("cmd/kube-scheduler/broken.go", 3)]
    assert default_output(request(tree)).stat().st_mtime_ns == before
    assert list(cache_folder(open_checkout(tree)).glob(".*-*")) == []


def test_modules_of_a_go_work_are_built_from_their_directories(tree: Path) -> None:
    write(tree / "go.work", "go 1.24\n\nuse (\n\t.\n\t./staging/src/k8s.io/api\n)\n")
    write(tree / "staging/src/k8s.io/api/go.mod", "module k8s.io/api\n\ngo 1.24\n")
    write(tree / "staging/src/k8s.io/api/say/say.go", SAY.format(name="say"))
    write(tree / MAIN, CALLING_MAIN.format(package="k8s.io/api/say", name="say"))
    result = build(tree)
    assert breakpoint_obstacle(read_binary(result.binary)) == ""
    assert not [word for word in result.arguments if word.startswith("-mod")]
    assert why_stale(request(tree)) == ""
    write(tree / "staging/src/k8s.io/api/say/more.go", "package say\n")
    assert why_stale(request(tree)).startswith("it is older than staging/src/k8s.io/api/say")


def test_a_vendor_directory_is_built_from(tree: Path) -> None:
    write(tree / "go.mod", "module k8s.io/kubernetes\n\ngo 1.24\n\nrequire example.org/dep v1.0.0\n")
    write(tree / "vendor/modules.txt", "# example.org/dep v1.0.0\n## explicit; go 1.24\nexample.org/dep\n")
    write(tree / "vendor/example.org/dep/dep.go", SAY.format(name="dep"))
    write(tree / MAIN, CALLING_MAIN.format(package="example.org/dep", name="dep"))
    go_mod = (tree / "go.mod").read_bytes()
    result = build(tree)
    assert breakpoint_obstacle(read_binary(result.binary)) == ""
    assert not [word for word in result.arguments if word.startswith("-mod")]
    assert (tree / "go.mod").read_bytes() == go_mod
    # A vendor that no longer fits go.mod is Go's to refuse, in its own words.
    write(tree / "vendor/modules.txt", "")
    with pytest.raises(BuildFailed) as caught:
        build(tree)
    assert "inconsistent vendoring" in "\n".join(caught.value.details)


def test_a_trimmed_binary_is_told_and_its_files_are_found_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOFLAGS", "-trimpath")
    write(tree / MAIN, CALLING_MAIN.format(package="k8s.io/kubernetes/pkg/say", name="say"))
    write(tree / "pkg/say/say.go", SAY.format(name="say"))
    result = build(tree)
    facts = read_binary(result.binary)
    assert facts.trimmed
    assert breakpoint_obstacle(facts) == ""
    assert [note for note in result.notes if "-trimpath" in note]
    # What the binary holds instead of the tree's path, and where that is.
    content = result.binary.read_bytes()
    assert str(tree).encode() not in content
    spelled = re.search(rb"k8s\.io/kubernetes[\w@.+-]*/pkg/scheduler/schedule_one\.go", content)
    assert spelled is not None
    assert open_checkout(tree).file_path(spelled[0].decode()) == tree / "pkg/scheduler/schedule_one.go"
