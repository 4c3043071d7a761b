"""What all tests share: a home of their own, and the real parts (dlv, the lab, a source tree), made once.

No test reads the developer's configuration or writes outside its temporary directories, with one exception: what
takes minutes to build (the lab's programs, dlv, the debug build of the linked tree, Go's own caches) lies where
the product itself keeps it, and is made there by the product's own code.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from schedtui.config.directories import directories
from schedtui.core.errors import ToolMissing
from schedtui.lab.module import LabBinaries, ensure_built, is_built
from schedtui.lab.running import DEFAULT_RELEASE, RunningLab, ensure_lab
from schedtui.processes.locks import exclusive
from schedtui.toolchain.dlv import ensure_dlv, find_dlv
from schedtui.toolchain.go import find_go, go_environment
from tests.linked_tree import make_linked_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED_CACHE_PARTS = ("lab", "tools", "builds", "tests")
"""Folders of schedtui's cache that outlive a test run."""

FOREIGN_VARIABLES = (
    "COLORTERM",
    "COLUMNS",
    "KUBECONFIG",
    "LINES",
    "NO_COLOR",
    "SCHEDTUI_CACHE",
    "SCHEDTUI_CONFIG",
    "SCHEDTUI_STATE",
    "TEXTUAL",
    "TMUX",
    "TMUX_PANE",
    "XDG_RUNTIME_DIR",
)
"""Variables of the developer's session that tests must not see."""

settings.register_profile(
    "schedtui", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", settings.get_profile("schedtui"), derandomize=False)
# Here, before any test is made: a busy machine is no failure, and what fails does so each time. Other examples are
# looked for with ``--hypothesis-profile=search``, and by tests/fuzz.
settings.load_profile("schedtui")

BUILD_TIMEOUT_SECONDS = 2700
"""For the first test that has to wait for builds from nothing on two cores."""

_home = Path()


def pytest_configure(config: pytest.Config) -> None:
    """Move into a home of our own before anything is imported that looks for one."""
    global _home
    config.addinivalue_line(
        "markers", "needs_release(release): skipped unless the lab's builds of that release are cached"
    )
    shared = directories().cache
    _keep_go_caches()
    _home = Path(tempfile.mkdtemp(prefix="schedtui-tests-"))
    for name in FOREIGN_VARIABLES:
        os.environ.pop(name, None)
    os.environ.update(_home_variables(_home))
    cache = _home / "cache" / "schedtui"
    cache.mkdir(parents=True)
    for part in SHARED_CACHE_PARTS:
        (shared / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        (cache / part).symlink_to(shared / part)


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    if _home != Path():
        shutil.rmtree(_home, ignore_errors=True)


def _keep_go_caches() -> None:
    """Go's caches and its written settings stay the machine's: only HOME moves."""
    try:
        settings = go_environment(find_go(), "GOCACHE", "GOMODCACHE", "GOENV")
    except ToolMissing:
        return
    os.environ.update({name: value for name, value in settings.items() if value})


def _home_variables(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_DATA_HOME": str(home / "data"),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests that wait for builds from nothing the time for it."""
    slow = set()
    if not is_built(DEFAULT_RELEASE):
        slow |= {"lab_builds", "lab", "source_tree"}
    if find_dlv() is None:
        slow.add("dlv_path")
    for item in items:
        _skip_without_release(item)
        if slow & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.timeout(BUILD_TIMEOUT_SECONDS), append=False)


def _skip_without_release(item: pytest.Item) -> None:
    """Other releases cost many minutes: their tests run where somebody has built them."""
    marker = item.get_closest_marker("needs_release")
    if marker is not None and not is_built(marker.args[0]):
        reason = f"not built here: schedtui lab up --release {marker.args[0]}"
        item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that no other test has used, its caches empty; returns it."""
    home = tmp_path / "home"
    home.mkdir()
    for name, value in _home_variables(home).items():
        monkeypatch.setenv(name, value)
    for name in FOREIGN_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="session")
def dlv_path() -> Path:
    """A dlv that fits, installed into the cache when there is none."""
    return ensure_dlv()


@pytest.fixture(scope="session")
def lab_builds() -> LabBinaries:
    """The lab's programs of the default release, built on first use by the product itself."""
    return ensure_built(DEFAULT_RELEASE, lambda _: None)


@pytest.fixture(scope="session")
def lab(lab_builds: LabBinaries) -> Iterator[RunningLab]:
    """A lab that is up, with nodes and a first workload; one for each test process, ended with it."""
    assert lab_builds.scheduler.exists()
    running = ensure_lab(DEFAULT_RELEASE)
    try:
        yield running
    finally:
        running.close()


@pytest.fixture(scope="session")
def source_tree(lab_builds: LabBinaries) -> Path:
    """A checkout-shaped tree of the default release, at a path that stays, so that Go's cache fits it."""
    target = directories().cache / "tests" / f"kubernetes-{DEFAULT_RELEASE}"
    real = target.parent.resolve() / target.name
    with exclusive(real.parent / "tree.lock"):
        if not (real / "go.mod").exists():
            make_linked_tree(real, lab_builds.source_directory)
    return real
