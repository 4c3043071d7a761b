"""A scheduler of the user's own: an out-of-tree module with a plugin, built and run in a lab with two profiles."""

from __future__ import annotations

import filecmp
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from schedtui.config.directories import directories
from schedtui.core.errors import BuildFailed, LabFailed
from schedtui.lab.api_client import ApiClient
from schedtui.lab.own_scheduler import build_own_scheduler
from schedtui.lab.player import Player
from schedtui.lab.running import ensure_lab
from schedtui.lab.scenario import load_scenario
from schedtui.processes.locks import exclusive
from schedtui.toolchain.binary import breakpoint_obstacle, read_binary
from schedtui.toolchain.checkout import open_checkout
from tests.lab.waiting import until

if TYPE_CHECKING:
    from schedtui.lab.module import LabBinaries
    from schedtui.lab.own_scheduler import OwnScheduler

DATA = Path(__file__).parent.parent / "data" / "own_scheduler"

pytestmark = [pytest.mark.lab, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def module() -> Path:
    """The module, at a path that stays, so that it is linked once a machine and not once a run."""
    target = directories().cache / "tests" / "own_scheduler"
    real = target.parent.resolve() / target.name
    with exclusive(real.parent / "own_scheduler.lock"):
        if not _same(DATA, real):
            shutil.rmtree(real, ignore_errors=True)
            shutil.copytree(DATA, real, copy_function=shutil.copyfile)
    return real


def _same(left: Path, right: Path) -> bool:
    def names(root: Path) -> set[str]:
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}

    return right.is_dir() and (
        names(left) == names(right) and filecmp.cmpfiles(left, right, names(left), shallow=False)[1:] == ([], [])
    )


@pytest.fixture(scope="module")
def own(module: Path, lab_builds: LabBinaries) -> OwnScheduler:
    return build_own_scheduler(module, lambda _: None, threading.Event())


def test_a_package_that_is_named_is_the_one_that_is_built(module: Path) -> None:
    with pytest.raises(BuildFailed) as caught:
        build_own_scheduler(module, lambda _: None, threading.Event(), package="./cmd/none-of-that-name")
    assert "none-of-that-name" in caught.value.as_text()


def test_the_module_is_recognised(module: Path) -> None:
    checkout = open_checkout(module)
    assert (checkout.layout, checkout.module) == ("out-of-tree", "example.org/quiet-scheduler")
    assert checkout.release.version == "v1.36.3"


def test_both_its_own_and_kubernetes_packages_can_be_stepped_through(own: OwnScheduler, module: Path) -> None:
    facts = read_binary(own.binary)
    assert breakpoint_obstacle(facts) == ""
    assert facts.main_package == "example.org/quiet-scheduler/cmd/quiet-scheduler"
    assert facts.version_stamp == "v1.36.3"
    assert (own.release, own.source) == ("v1.36.3", module)


def test_it_schedules_in_the_lab_by_the_profile_that_a_pod_names(
    own: OwnScheduler, module: Path, own_state: Path
) -> None:
    lab = ensure_lab(
        own.release, run_scheduler=True, scheduler_binary=own.binary, source_directory=own.source,
        scheduler_config=module / "scheduler-config.yaml",
    )  # fmt: skip
    try:
        client = ApiClient(lab.endpoint)
        Player(client, *load_scenario(str(module / "scenario.yaml"))).play()
        nodes: dict[str, str] = {}

        def polite_pods_are_bound() -> bool:
            nodes.update(_nodes_of_pods(client))
            return all(nodes.get(f"polite-{number}") for number in range(4))

        until(polite_pods_are_bound)
        assert not {nodes[f"polite-{number}"] for number in range(4)} & {"quiet-0", "quiet-1"}
        assert nodes["stuck-0"] == ""
        log = lab.logs["kube-scheduler"]
        until(lambda: "Node wants to be left alone" in log.read_text())
        errors = [line for line in log.read_text().splitlines() if line.startswith("E")]
        # One that 1.36 writes whenever it starts; none of the lab's own making.
        assert [line for line in errors if "The manifest file is empty" not in line] == []
    finally:
        lab.close()


def _nodes_of_pods(client: ApiClient) -> dict[str, str]:
    items: list[dict[str, Any]] = client.get("/api/v1/pods")["items"]
    return {item["metadata"]["name"]: item["spec"].get("nodeName", "") for item in items}


def test_a_tree_of_unknown_release_is_refused(tmp_path: Path) -> None:
    for folder in ("cmd/kube-scheduler", "pkg/scheduler", "staging/src/k8s.io/api"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.26.0\n")
    with pytest.raises(LabFailed, match="release is not known"):
        build_own_scheduler(tmp_path, lambda _: None, threading.Event())
