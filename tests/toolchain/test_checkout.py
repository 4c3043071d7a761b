"""What a directory is, which release, and where Go's names lie in it."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import NotASourceTree
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.go_modules import escape_module, parse_go_mod, unescape_module
from schedtui.toolchain.source_root import find_root
from tests.linked_tree import make_linked_tree
from tests.toolchain.go_trees import make_kubernetes, make_module_cache, make_out_of_tree, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def module_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "go" / "pkg" / "mod"
    cache.mkdir(parents=True)
    monkeypatch.setenv("GOMODCACHE", str(cache))
    return cache


def refusal(path: Path) -> str:
    with pytest.raises(NotASourceTree) as caught:
        open_checkout(path)
    assert caught.value.hint
    return caught.value.as_text()


def git(root: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", "-C", str(root), *settings, *arguments], check=True, capture_output=True)


def test_a_checkout_is_recognised_and_maps_names_to_files(tmp_path: Path, module_cache: Path) -> None:
    root = make_kubernetes(tmp_path / "kubernetes")
    write(module_cache / "k8s.io/klog/v2@v2.140.0/klog.go", "package klog\n")
    checkout = open_checkout(root)
    assert (checkout.layout, checkout.module, checkout.go_version) == ("kubernetes", "k8s.io/kubernetes", "1.26.0")
    assert checkout.queue_package == "k8s.io/kubernetes/pkg/scheduler/backend/queue"
    scheduler = root / "pkg/scheduler/scheduler.go"
    request = root / "staging/src/k8s.io/client-go/rest/request.go"
    for name, path in {
        "pkg/scheduler/scheduler.go": scheduler,
        "k8s.io/kubernetes/pkg/scheduler/scheduler.go": scheduler,
        str(scheduler): scheduler,
        "/elsewhere/src/k8s.io/kubernetes/pkg/scheduler/scheduler.go": scheduler,
        "k8s.io/client-go/rest/request.go": request,
        "k8s.io/client-go@v0.36.3/rest/request.go": request,
        "pkg/scheduler/none.go": None,
        "example.org/none/x.go": None,
        "": None,
    }.items():
        assert checkout.file_path(name) == path, name
    assert checkout.import_path_of(request) == "k8s.io/client-go/rest"


def test_functions_are_found_with_delves_location_and_tests_left_out(tmp_path: Path) -> None:
    checkout = open_checkout(make_kubernetes(tmp_path / "k"))
    (place,) = checkout.functions_named("ScheduleOne")
    assert place.location == "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).ScheduleOne"
    assert place.function.line == 12
    assert checkout.functions_named("scheduleOne") == ()


def test_an_older_release_keeps_its_queue_in_internal(tmp_path: Path) -> None:
    root = make_kubernetes(tmp_path / "k")
    (root / "pkg/scheduler/backend").rename(root / "pkg/scheduler/internal")
    assert open_checkout(root).queue_package == "k8s.io/kubernetes/pkg/scheduler/internal/queue"


def test_a_module_directory_finds_its_siblings_and_escaped_names(module_cache: Path) -> None:
    checkout = open_checkout(make_module_cache(module_cache))
    assert checkout.layout == "module-cache"
    assert (checkout.release.version, checkout.release.exact) == ("v1.36.3", True)
    client = module_cache / "k8s.io/client-go@v0.36.3/rest/request.go"
    assert checkout.file_path("k8s.io/client-go/rest/request.go") == client
    assert checkout.file_path("k8s.io/klog/v2/klog.go") == module_cache / "k8s.io/klog/v2@v2.140.0/klog.go"
    assert checkout.file_path("github.com/Azure/x/x.go") == module_cache / "github.com/!azure/x@v1.0.0/x.go"
    assert any("read-only" in part for part in checkout.missing)


def test_an_out_of_tree_module_has_the_release_it_requires(tmp_path: Path, module_cache: Path) -> None:
    make_module_cache(module_cache)
    checkout = open_checkout(make_out_of_tree(tmp_path / "mine"))
    assert checkout.layout == "out-of-tree"
    assert (checkout.release.version, checkout.release.exact) == ("v1.36.3", True)
    assert checkout.kubernetes_root == module_cache / "k8s.io/kubernetes@v1.36.3"
    assert set(checkout.own_package_dirs()) == {"example.org/my-scheduler", "example.org/my-scheduler/plugin"}
    assert {place.function.name for place in checkout.functions_named("Permit")} == {"Permit"}
    assert checkout.file_path("pkg/scheduler/scheduler.go") is not None
    assert checkout.missing == () or all("kubernetes v1" not in part for part in checkout.missing)


def test_an_out_of_tree_module_without_its_modules_says_what_is_missing(
    tmp_path: Path, module_cache: Path
) -> None:
    assert module_cache.is_dir()
    checkout = open_checkout(make_out_of_tree(tmp_path / "mine"))
    assert checkout.kubernetes_root is None
    assert "go mod download" in " ".join(checkout.missing)
    assert checkout.functions_named("ScheduleOne") == ()


def test_a_local_replacement_tells_the_release_of_the_tree_it_points_to(tmp_path: Path) -> None:
    make_kubernetes(tmp_path / "kubernetes")
    write(tmp_path / "kubernetes/CHANGELOG/CHANGELOG-1.37.md", "- [v1.37.1](#v1371)\n")
    write(
        tmp_path / "mine/go.mod",
        "module example.org/m\n\nrequire k8s.io/kubernetes v0.0.0\n\nreplace k8s.io/kubernetes => ../kubernetes\n",
    )
    checkout = open_checkout(tmp_path / "mine")
    assert checkout.kubernetes_root == tmp_path / "kubernetes"
    assert (checkout.release.version, checkout.release.exact) == ("v1.37", False)


def test_a_tree_linked_entry_by_entry_is_a_checkout_of_that_release(tmp_path: Path, module_cache: Path) -> None:
    linked = make_linked_tree(tmp_path / "linked", make_module_cache(module_cache))
    checkout = open_checkout(linked)
    assert checkout.layout == "kubernetes"
    assert checkout.release.version == "v1.36.3"
    assert checkout.file_path("k8s.io/client-go/rest/request.go") is not None


def test_the_git_tag_tells_the_release_and_changes_are_listed(tmp_path: Path) -> None:
    root = make_kubernetes(tmp_path / "k")
    git(root, "init")
    git(root, "add", ".")
    git(root, "commit", "-m", "x")
    git(root, "tag", "v1.36.3")
    git(root, "tag", "unrelated")
    assert open_checkout(root).release.describe() == "v1.36.3 (git tag)"
    write(root / "pkg/scheduler/scheduler.go", "package scheduler\n")
    write(root / "untracked.go", "package x\n")
    edited = open_checkout(root)
    assert edited.dirty_files == ("pkg/scheduler/scheduler.go",)
    assert edited.edited_since(0) == {"scheduler.go"}
    assert edited.edited_since(1e12) == frozenset()
    git(root, "commit", "-am", "y")
    release = open_checkout(root).release
    assert (release.version, release.exact) == ("v1.36.3", False)
    assert "1 commits after" in release.found_by


@pytest.mark.parametrize(
    ("file", "text", "version"),
    [
        ("CHANGELOG/CHANGELOG-1.36.md", "- [v1.36.2](#v1362)\n", "v1.36"),
        ("staging/publishing/rules.yaml", "branch: release-1.35\nbranch: release-1.36\n", "v1.36"),
        ("hack/lib/version.sh", "if [[ 'HEAD -> release-1.36, tag: v1.36.3' =~ tag ]]\n", "v1.36.3"),
        ("hack/lib/version.sh", "  # something like 'HEAD -> release-1.8, tag: v1.8.3'\n", None),
        ("README.md", "v1.36.3\n", None),
    ],
)
def test_a_tree_without_git_is_told_by_what_lies_in_it(
    tmp_path: Path, file: str, text: str, version: str | None
) -> None:
    root = make_kubernetes(tmp_path / "k8s-v1.99.9")
    write(root / file, text)
    assert open_checkout(root).release.version == version


def test_directories_that_are_no_tree_are_told_for_what_they_are(tmp_path: Path, module_cache: Path) -> None:
    root = make_kubernetes(tmp_path / "src" / "kubernetes")
    make_module_cache(module_cache)
    write(tmp_path / "other/go.mod", "module example.org/other\n")
    write(tmp_path / "text/readme.txt", "x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "sparse").mkdir()
    shutil.copy(root / "go.mod", tmp_path / "sparse/go.mod")
    for path, words in {
        tmp_path / "none": ("no such directory", "schedtui source get"),
        root / "go.mod": ("a file", f"--src {root}"),
        root / "pkg/scheduler": ("inside a source tree", f"--src {root}"),
        root / "staging/src/k8s.io/client-go": ("module k8s.io/client-go inside", f"--src {root}"),
        tmp_path / "src": ("below this directory", f"--src {root}"),
        tmp_path / "empty": ("empty", "schedtui source get"),
        tmp_path / "other": ("module example.org/other", "k8s.io/kubernetes"),
        tmp_path / "text": ("no go.mod", "module k8s.io/kubernetes"),
        tmp_path / "sparse": ("no pkg/scheduler", "schedtui source get"),
        module_cache: ("below this directory", "k8s.io/kubernetes@v1.36.3"),
    }.items():
        text = refusal(path)
        assert all(word in text for word in words), text
        assert str(path) in text


def test_the_root_is_found_from_anywhere_inside(tmp_path: Path) -> None:
    root = make_kubernetes(tmp_path / "k")
    assert find_root(root / "pkg/scheduler/backend") == root
    assert find_root(root) == root
    assert find_root(tmp_path) is None


def test_go_mod_is_read_with_blocks_comments_and_replacements() -> None:
    read = parse_go_mod(
        'module "example.org/m" // comment\n\ngo 1.26.0\ntoolchain go1.26.1\nrequire a.org/b v1.0.0\nrequire (\n'
        "\tc.org/d v2.0.0 // indirect\n)\nreplace (\n\ta.org/b => ../b\n\tc.org/d v2.0.0 => e.org/f v3.0.0\n)\n"
    )
    assert (read.module, read.go, read.toolchain) == ("example.org/m", "1.26.0", "go1.26.1")
    assert read.requires == {"a.org/b": "v1.0.0", "c.org/d": "v2.0.0"}
    assert read.replaces["a.org/b"].is_directory
    assert (read.replaces["c.org/d"].target, read.replaces["c.org/d"].version) == ("e.org/f", "v3.0.0")


def test_module_paths_are_escaped_as_the_cache_spells_them() -> None:
    assert escape_module("github.com/Azure/azure-SDK") == "github.com/!azure/azure-!s!d!k"
    assert unescape_module("github.com/!azure/x") == "github.com/Azure/x"


def test_what_was_found_in_a_tree_is_looked_for_again_once_it_has_changed(tmp_path: Path) -> None:
    make_kubernetes(tmp_path)
    checkout = open_checkout(tmp_path)
    earlier = checkout.queue_package
    old = tmp_path / "pkg" / "scheduler" / "backend"
    if not old.is_dir():
        old = tmp_path / "pkg" / "scheduler" / "internal"
    assert old.is_dir()
    old.rename(tmp_path / "elsewhere")
    assert checkout.queue_package == earlier
    checkout.renew()
    assert checkout.queue_package is None
