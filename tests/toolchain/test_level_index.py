"""The level index of a tree: built, kept, mended; and measured on real logs with the source that wrote them."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import NotASourceTree
from schedtui.core.klog import read_records
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.go_modules import module_cache_directory
from schedtui.toolchain.level_index import FEW_PACKAGES, IndexCancelled, LevelIndex, load_level_index
from schedtui.toolchain.source_files import walk_imports
from tests.toolchain.go_trees import QUEUE_GO, SCHEDULER_GO, make_kubernetes, make_out_of_tree, write

if TYPE_CHECKING:
    from schedtui.core.level_reading import LevelReading

DATA = Path(__file__).parents[1] / "data"

JSON_LOGS = {
    "v1.29.0": ("v1.29.0-v10-mixed.json.log.gz",),
    "v1.36.3": ("v1.36.3-v10-mixed.json.log.gz", "v1.36.3-v5-mixed.json.log.gz"),
    "v1.37.2": ("v1.37.2-v10-mixed.json.log.gz",),
}
TEXT_LOGS = {
    "v1.29.0": ("v1.29.0-v10-mixed.log.gz",),
    "v1.36.3": ("v1.36.3-v10-mixed.log.gz", "v1.36.3-v5-churn7.log.gz", "v1.36.3-v0-mixed.log"),
    "v1.37.2": ("v1.37.2-v5-stalled.log.gz",),
}


def load(root: Path, cache: Path) -> LevelIndex:
    return load_level_index(open_checkout(root), cache)


def level(index: LevelIndex, file: str, line: int, message: str) -> int | None:
    return index.level_of_site(file, line, message).level


def test_an_index_is_built_once_and_read_from_the_cache_then(tmp_path: Path) -> None:
    root, cache = make_kubernetes(tmp_path / "k"), tmp_path / "cache"
    built = load(root, cache)
    assert (built.cost.packages, built.cost.files, built.cost.parsed > 0) == (3, 3, True)
    assert level(built, "scheduler.go", 14, "Attempting to schedule pod") == 3
    assert level(built, "scheduling_queue.go", 6, "Pod popped") == 5
    again = load(root, cache)
    assert again.cost.parsed == 0
    assert again.sites.sites == built.sites.sites
    assert again.sites.files == built.sites.files
    for path in cache.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_an_edited_file_alone_is_read_again_and_reaches_other_packages(tmp_path: Path) -> None:
    root, cache = make_kubernetes(tmp_path / "k"), tmp_path / "cache"
    load(root, cache)
    write(root / "pkg/scheduler/scheduler.go", SCHEDULER_GO.replace("Pop(logger)", "Pop(logger.V(1))"))
    index = load(root, cache)
    assert index.cost.parsed == 1
    assert level(index, "scheduling_queue.go", 6, "Pod popped") == 6


def test_a_file_that_is_gone_and_one_that_is_new_are_noticed(tmp_path: Path) -> None:
    root, cache = make_kubernetes(tmp_path / "k"), tmp_path / "cache"
    load(root, cache)
    (root / "pkg/scheduler/backend/queue/scheduling_queue.go").rename(
        root / "pkg/scheduler/backend/queue/active_queue.go"
    )
    index = load(root, cache)
    assert level(index, "scheduling_queue.go", 6, "Pod popped") is None
    assert level(index, "active_queue.go", 6, "Pod popped") == 5


def test_a_broken_cache_is_made_again(tmp_path: Path) -> None:
    root, cache = make_kubernetes(tmp_path / "k"), tmp_path / "cache"
    load(root, cache)
    for path in cache.rglob("*.msgpack"):
        path.write_bytes(b"\xc1broken")
    assert level(load(root, cache), "scheduling_queue.go", 6, "Pod popped") == 5


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    root = make_kubernetes(tmp_path / "k")
    write(tmp_path / "cache", "a file where the directory should be")
    assert level(load(root, tmp_path / "cache"), "scheduling_queue.go", 6, "Pod popped") == 5


def test_a_cache_written_by_two_at_once_is_not_trusted(tmp_path: Path) -> None:
    root, cache = make_kubernetes(tmp_path / "k"), tmp_path / "cache"
    load(root, cache)
    (old,) = cache.rglob("index.msgpack")
    stale = old.read_bytes()
    write(root / "pkg/scheduler/backend/queue/scheduling_queue.go", QUEUE_GO.replace("V(5)", "V(4)"))
    load(root, cache)
    old.write_bytes(stale)
    assert level(load(root, cache), "scheduling_queue.go", 6, "Pod popped") == 4


def test_a_file_edited_after_the_log_was_written_gives_no_level(tmp_path: Path) -> None:
    root = make_kubernetes(tmp_path / "k")
    for path in root.rglob("*.go"):
        os.utime(path, (1_000, 1_000))
    os.utime(root / "pkg/scheduler/backend/queue/scheduling_queue.go", (3_000, 3_000))
    index = load(root, tmp_path / "cache")
    text = b'I0301 10:00:00.000001       1 scheduling_queue.go:6] "Pod popped"\n'
    (record,) = read_records(text)
    assert index.reading(2_000).enrich(record).v is None
    assert index.reading(4_000).enrich(record).v == 5
    assert index.reading(500).enrich(record).v == 5
    assert index.reading().enrich(record).v == 5


def test_worker_processes_find_what_this_process_finds(tmp_path: Path) -> None:
    root = make_kubernetes(tmp_path / "k")
    names = [f"part{number}" for number in range(FEW_PACKAGES + 4)]
    imports = "".join(f'\t_ "k8s.io/kubernetes/pkg/scheduler/{name}"\n' for name in names)
    for number, name in enumerate(names):
        text = QUEUE_GO.replace("package queue", f"package {name}").replace("V(5)", f"V({number})")
        write(root / f"pkg/scheduler/{name}/{name}.go", text)
    main = f'package main\n\nimport (\n{imports}\t"k8s.io/kubernetes/pkg/scheduler"\n)\n\nfunc main() {{}}\n'
    write(root / "cmd/kube-scheduler/scheduler.go", main)
    checkout = open_checkout(root)
    parallel = load_level_index(checkout, tmp_path / "a", workers=2)
    alone = load_level_index(checkout, tmp_path / "b", workers=1)
    assert sorted(parallel.sites.sites, key=repr) == sorted(alone.sites.sites, key=repr)
    assert level(parallel, "part7.go", 6, "Pod popped") == 7


def test_building_can_be_given_up(tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(IndexCancelled):
        load_level_index(open_checkout(make_kubernetes(tmp_path / "k")), tmp_path / "cache", cancel=cancel)


def test_a_record_leads_to_its_file_and_a_file_to_its_log_calls(tmp_path: Path) -> None:
    root = make_kubernetes(tmp_path / "k")
    index = load(root, tmp_path / "cache")
    path = root / "pkg/scheduler/scheduler.go"
    assert index.site_path("scheduler.go", 14, "Attempting to schedule pod") == (path, 14)
    assert index.site_path("scheduler.go", 14, "another message") is None
    for name in (path, "pkg/scheduler/scheduler.go", "k8s.io/kubernetes/pkg/scheduler/scheduler.go"):
        (call,) = index.call_sites_in(name)
        assert (call.call_line, call.describe_level()) == (14, "V3")
        assert call.function == "scheduler.(*Scheduler).ScheduleOne"
    assert index.call_sites_in("/nowhere/x.go") == []


def test_a_users_own_main_packages_are_indexed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "mod"))
    root = make_out_of_tree(tmp_path / "mine")
    write(
        root / "main.go",
        'package main\n\nimport (\n\t"example.org/my-scheduler/plugin"\n'
        '\t"k8s.io/kubernetes/cmd/kube-scheduler/app"\n)\n\nfunc main() { plugin.Log(app.Logger()) }\n',
    )
    plugin = 'package plugin\n\nimport "k8s.io/klog/v2"\n\nfunc Log() {\n\tklog.V(4).InfoS("mine")\n}\n'
    write(root / "plugin/coschedule.go", plugin)
    assert level(load(root, tmp_path / "cache"), "coschedule.go", 6, "mine") == 4


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    root = make_kubernetes(tmp_path / "k")
    (root / "pkg/scheduler/again").symlink_to(root / "pkg")
    assert "k8s.io/kubernetes/pkg/scheduler" in open_checkout(root).scheduler_package_dirs()
    walked = walk_imports(open_checkout(root), ["k8s.io/kubernetes/cmd/kube-scheduler"], {})
    assert len([package for package in walked.values() if package.directory]) == 3


def test_no_index_without_a_source_tree(tmp_path: Path) -> None:
    with pytest.raises(NotASourceTree):
        load(tmp_path, tmp_path / "cache")


# --- real sources and the logs they wrote ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("levels")


def real_index(release: str, cache: Path) -> LevelIndex:
    """The index of a release whose modules are in Go's cache; else the test is skipped."""
    modules = module_cache_directory() / "k8s.io"
    siblings = [f"{name}@v0{release[2:]}" for name in ("client-go", "apiserver", "component-base")]
    needed = [f"kubernetes@{release}", *siblings]
    missing = [name for name in needed if not (modules / name / "LICENSE").exists()]
    if missing:
        commands = "; ".join(f"go mod download k8s.io/{name}" for name in missing)
        pytest.skip(f"the source of {release} is not in Go's module cache; run: {commands}")
    return load(modules / f"kubernetes@{release}", cache)


def read_log(name: str, index: LevelIndex) -> tuple[LevelReading, list[tuple[int | None, int | None]]]:
    """Each information record as (level of the log, level of the source)."""
    path = DATA / name
    text = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    records = list(read_records(text))
    reading = index.reading()
    for record in records:
        reading.observe(record)
    return reading, [(record.v, reading.level_of(record).level) for record in records if record.severity == "I"]


@pytest.mark.parametrize("release", sorted(JSON_LOGS))
def test_levels_agree_with_json_logs_of_the_same_release(release: str, real_cache: Path) -> None:
    index = real_index(release, real_cache)
    for name in JSON_LOGS[release]:
        reading, levels = read_log(name, index)
        assert levels
        assert [pair for pair in levels if pair[1] is not None and pair[0] != pair[1]] == []
        assert [pair for pair in levels if pair[1] is None] == []
        assert reading.fit.differing_files == ()


@pytest.mark.parametrize("release", sorted(TEXT_LOGS))
def test_every_record_of_a_text_log_has_a_level(release: str, real_cache: Path) -> None:
    index = real_index(release, real_cache)
    for name in TEXT_LOGS[release]:
        _, levels = read_log(name, index)
        assert levels
        assert [pair for pair in levels if pair[1] is None] == []


@pytest.mark.parametrize("release", sorted(JSON_LOGS))
def test_a_source_of_another_release_gives_no_level(release: str, real_cache: Path) -> None:
    index = real_index(release, real_cache)
    for other in sorted(set(JSON_LOGS) - {release}):
        for name in (*JSON_LOGS[other], *(name for name in TEXT_LOGS[other] if "-v0-" in name)):
            reading, levels = read_log(name, index)
            assert reading.fit.refused, name
            assert {found for _, found in levels} == {None}, name


@pytest.mark.parametrize("release", sorted(JSON_LOGS))
def test_nothing_is_unknown_in_the_scheduler_itself(release: str, real_cache: Path) -> None:
    index = real_index(release, real_cache)
    sites = [site for site in index.sites.sites if "/pkg/scheduler" in site.path and site.severity == "I"]
    assert len(sites) > 150
    assert [site for site in sites if site.why] == []
