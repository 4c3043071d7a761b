"""Scenarios played on a real lab with a real scheduler: what they are meant to bring about comes about."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from schedtui.lab.api_client import ApiClient
from schedtui.lab.objects import NOT_READY_TAINT, SCENARIO_LABEL
from schedtui.lab.player import Player, PlayerReport
from schedtui.lab.player_thread import PlayerThread
from schedtui.lab.running import RunningLab, ensure_lab
from schedtui.lab.scenario import load_scenario, parse_scenario, scenario_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schedtui.lab.module import LabBinaries

pytestmark = pytest.mark.lab

DEADLINE_SECONDS = 60.0


def until(condition: Callable[[], Any]) -> None:
    """Wait for something that will be; fail when it is not within the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def scheduled_lab(lab_builds: LabBinaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    """A lab whose scheduler runs, with nothing in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        running = ensure_lab(lab_builds.release, run_scheduler=True, scenario="")
        yield running
        running.close()


@pytest.fixture
def client(scheduled_lab: RunningLab) -> Iterator[ApiClient]:
    opened = ApiClient(scheduled_lab.endpoint)
    yield opened
    opened.close()


class Cluster:
    """Plays steps under a label of the test's own and looks at what came of them."""

    def __init__(self, client: ApiClient, label: str) -> None:
        self.client = client
        self.label = label
        self.reports: list[PlayerReport] = []

    def play(self, steps: str, *, seed: int = 0) -> PlayerReport:
        scenario = parse_scenario(f"title: test\nsteps:\n{steps}", self.label)
        return Player(self.client, self.label, scenario, seed=seed, on_report=self.reports.append).play()

    def pods(self) -> dict[str, dict[str, Any]]:
        items = self.client.get("/api/v1/pods", labelSelector=f"{SCENARIO_LABEL}={self.label}")["items"]
        return {item["metadata"]["name"]: item for item in items}

    def node_of(self, name: str) -> str:
        return str(self.pods()[name]["spec"].get("nodeName", ""))

    def refusal(self, name: str) -> str:
        """What the scheduler wrote into the pod's condition."""
        conditions = self.pods()[name]["status"].get("conditions", [])
        return next((str(item.get("message", "")) for item in conditions if item["type"] == "PodScheduled"), "")


@pytest.fixture
def cluster(client: ApiClient, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    label = request.node.name.replace("_", "-")[:60]
    made = Cluster(client, label)
    yield made
    for path in ("/api/v1/namespaces/default/pods", "/api/v1/nodes"):
        items = client.get(path, labelSelector=f"{SCENARIO_LABEL}={label}")["items"]
        for item in items:
            client.delete(f"{path}/{item['metadata']['name']}")


def test_pods_are_bound_and_run(cluster: Cluster) -> None:
    report = cluster.play(
        """
        - nodes: [{name: "run-{n}", count: 2, labels: {pool: run}}]
        - pods: {name: "run-{n}", count: 3, cpu: 100m, node-selector: {pool: run}}
        - wait-bound: {}
        """
    )
    assert (report.nodes_made, report.pods_made, report.text) == (2, 3, "done")
    assert {cluster.node_of(f"run-{number}") for number in range(3)} <= {"run-0", "run-1"}
    until(lambda: all(pod["status"]["phase"] == "Running" for pod in cluster.pods().values()))


def test_names_go_on_where_an_earlier_run_ended(cluster: Cluster) -> None:
    for _ in range(2):
        cluster.play('        - pods: {name: "again-{n}", count: 2, node-selector: {no: where}}')
    assert sorted(cluster.pods()) == ["again-0", "again-1", "again-2", "again-3"]


def test_unfit_pods_say_why(cluster: Cluster) -> None:
    cluster.play(
        """
        - nodes: [{name: "tiny-{n}", cpu: 1, labels: {pool: tiny}}]
        - pods: {name: "fat-{n}", cpu: 2, node-selector: {pool: tiny}}
        """
    )
    until(lambda: "Insufficient cpu" in cluster.refusal("fat-0"))


def test_gates_hold_until_they_are_taken(cluster: Cluster) -> None:
    cluster.play(
        """
        - nodes: [{name: "gate-{n}", labels: {pool: gate}}]
        - pods: {name: "gated-{n}", count: 2, gates: [example.com/a, example.com/b], node-selector: {pool: gate}}
        """
    )
    assert all(pod["spec"]["schedulingGates"] for pod in cluster.pods().values())
    cluster.play(
        """
        - pods: {name: "later-{n}", gates: [example.com/a], node-selector: {pool: gate}}
        - ungate: {pods: "later-*"}
        - wait-bound: {pods: "later-*"}
        """
    )
    assert cluster.node_of("later-0") == "gate-0"
    assert cluster.node_of("gated-0") == ""


def test_victims_of_preemption_really_go(cluster: Cluster) -> None:
    cluster.play(
        """
        - objects:
            - {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: test-high}, value: 1000}
        - nodes: [{name: "arena-{n}", cpu: 1, labels: {pool: arena-test}}]
        - pods: {name: "low-{n}", cpu: 900m, node-selector: {pool: arena-test}}
        - wait-bound: {pods: "low-*"}
        - pods: {name: "high-{n}", cpu: 900m, priority-class: test-high, node-selector: {pool: arena-test}}
        - wait-bound: {pods: "high-*"}
        """
    )
    assert cluster.node_of("high-0") == "arena-0"
    assert "low-0" not in cluster.pods()


def test_node_that_is_not_ready_takes_nothing(cluster: Cluster, client: ApiClient) -> None:
    cluster.play(
        """
        - nodes: [{name: "flap-{n}", labels: {pool: flap-test}}]
        - not-ready: {nodes: "flap-*"}
        - pods: {name: "waits-{n}", node-selector: {pool: flap-test}}
        """
    )
    node = client.get("/api/v1/nodes/flap-0")
    assert [taint["key"] for taint in node["spec"]["taints"]] == [NOT_READY_TAINT]
    until(lambda: "untolerated taint" in cluster.refusal("waits-0"))
    cluster.play(
        """
        - nodes: [{name: "flap-{n}", labels: {pool: flap-test}}]
        - ready: {nodes: "flap-*"}
        """
    )
    until(lambda: cluster.node_of("waits-0") == "flap-0")
    ready = client.get("/api/v1/nodes/flap-0")
    assert "taints" not in ready["spec"]
    assert [item["status"] for item in ready["status"]["conditions"] if item["type"] == "Ready"] == ["True"]


def test_cordon_labels_deletions_and_names_used_again(cluster: Cluster, client: ApiClient) -> None:
    report = cluster.play(
        """
        - nodes: [{name: "c-{n}", count: 2}]
        - cordon: {nodes: "c-*", count: 1}
        - label-nodes: {nodes: "c-*", labels: {touched: "yes-{n}"}}
        - delete-nodes: {nodes: "c-*", count: 1, pick: newest}
        - pods: {name: "d-{n}", count: 3, node-selector: {no: where}}
        - label-pods: {pods: "d-*", count: 1, labels: {touched: "yes"}}
        - delete-pods: {pods: "d-*", count: 2}
        - recreate-pods: {count: 1}
        """
    )
    assert (report.pods_made, report.pods_deleted) == (4, 2)
    assert sorted(cluster.pods()) == ["d-0", "d-2"]
    node = client.get("/api/v1/nodes/c-0")
    assert node["spec"]["unschedulable"] is True
    assert node["metadata"]["labels"]["touched"] == "yes-1"
    assert not client.exists("/api/v1/nodes/c-1")


def test_window_of_pods_and_patience(cluster: Cluster) -> None:
    cluster.play(
        """
        - repeat: {times: 5, steps: [{pods: {name: "kept-{n}", keep: 2, node-selector: {no: where}}}]}
        - repeat: {times: 4, steps: [{pods: {name: "meek-{n}", most-waiting: 2, node-selector: {no: where}}}]}
        """
    )
    assert sorted(cluster.pods()) == ["kept-3", "kept-4", "meek-0", "meek-1"]


def test_same_seed_makes_the_same_choices(cluster: Cluster) -> None:
    def chosen(seed: int) -> list[str]:
        cluster.reports.clear()
        cluster.play(
            """
        - repeat:
            times: 12
            steps:
              - choose:
                  - {weight: 1, steps: [{say: left}]}
                  - {weight: 3, steps: [{say: right}]}
        """,
            seed=seed,
        )
        return [report.text for report in cluster.reports]

    assert chosen(7) == chosen(7)
    assert chosen(7) != chosen(8)


@pytest.mark.parametrize("name", sorted(set(scenario_files()) - {"big"}))
def test_own_scenarios_play(client: ApiClient, name: str) -> None:
    """A few seconds of each: every step up to there is one that the API server takes."""
    _, scenario = load_scenario(name)
    # On a busy machine the nodes alone may take that long.
    for seconds in (2.5, 10, 40):
        report = Player(client, name, scenario, duration=seconds, rate=40).play()
        assert report.text in ("its time is over", "done")
        if report.pods_made:
            break
    assert report.pods_made > 0


def test_player_in_the_background_stops_at_once(scheduled_lab: RunningLab) -> None:
    reports: list[PlayerReport] = []
    begun = threading.Event()

    def note(report: PlayerReport) -> None:
        reports.append(report)
        begun.set()

    label, scenario = load_scenario("churn")
    thread = PlayerThread(scheduled_lab.endpoint, label, scenario, on_report=note, seed=1)
    thread.start()
    assert begun.wait(DEADLINE_SECONDS)
    thread.stop()
    assert not thread.is_alive()
    assert reports[-1].finished
    assert reports[-1].text == "stopped"


def test_player_tells_when_the_server_is_gone(scheduled_lab: RunningLab) -> None:
    from dataclasses import replace

    from schedtui.lab.control_plane import free_port

    told = threading.Event()
    errors: list[str] = []

    def note(report: PlayerReport) -> None:
        if report.error is not None:
            errors.append(report.error.title)
            told.set()

    label, scenario = load_scenario("gates")
    nowhere = replace(scheduled_lab.endpoint, port=free_port())
    PlayerThread(nowhere, label, scenario, on_report=note).start()
    assert told.wait(DEADLINE_SECONDS)
    assert errors == ["the lab's API server does not answer"]
