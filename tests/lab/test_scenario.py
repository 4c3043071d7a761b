"""Scenario files: strict reading, and what comes with schedtui."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.errors import UnreadableInput, WrongUse
from schedtui.lab.objects import COLLECTIONS, collection_path, node_document, pod_document
from schedtui.lab.player import ACTIONS
from schedtui.lab.scenario import NodeTemplate, PodTemplate, Step, load_scenario, parse_scenario, scenario_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WANTED = {
    "first-steps",
    "resources-short",
    "taints-affinity-spread",
    "gates",
    "preemption",
    "volumes-missing",
    "rolling-deployment",
    "churn",
    "big",
    "node-flaps",
    "nothing-schedulable",
}


def all_steps(steps: list[Step]) -> Iterator[Step]:
    """The steps, those inside others too."""
    for step in steps:
        yield step
        if step.repeat:
            yield from all_steps(step.repeat.steps)
        for choice in step.choose or []:
            yield from all_steps(choice.steps)


def test_all_of_the_issue_are_there() -> None:
    assert set(scenario_files()) >= WANTED


@pytest.mark.parametrize("name", sorted(WANTED))
def test_own_scenarios_are_readable_and_say_what_they_show(name: str) -> None:
    label, scenario = load_scenario(name)
    assert label == name
    assert scenario.title
    assert len(scenario.about) > 40
    for step in all_steps(scenario.steps):
        assert step.action in ACTIONS
        for document in step.objects or []:
            assert collection_path(document).startswith("/api")


def test_big_is_as_big_as_it_says() -> None:
    _, scenario = load_scenario("big")
    nodes = sum(template.count for step in scenario.steps for template in step.nodes or [])
    pods = sum(step.pods.count for step in scenario.steps if step.pods)
    assert (nodes, pods) == (1000, 5000)


def test_every_action_of_the_format_can_be_played() -> None:
    assert set(ACTIONS) == {name.replace("_", "-") for name in Step.__struct_fields__}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("title: x\nsteps: [{pods: {nam: x}}]", "unknown field `nam`"),
        ("title: x\nsteps: [{wait: 1, say: y}]", "exactly one action"),
        ("title: x\nsteps: [{}]", "exactly one action"),
        ("steps: []", "missing required field `title`"),
        ("[1, 2]", "Expected `object`"),
        ("title: [", "flow"),
        ("title: x\nsteps: [{repeat: {steps: [{pods: {}}]}}]", "$.steps[0].repeat.steps[0].pods"),
        ("", "Expected `object`"),
    ],
)
def test_wrong_files_are_refused_with_the_place(text: str, part: str) -> None:
    with pytest.raises(WrongUse) as caught:
        parse_scenario(text, "mine.yaml")
    assert caught.value.where == "mine.yaml"
    assert part in caught.value.as_text()


yaml_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
step_like = st.dictionaries(st.sampled_from(sorted(ACTIONS)), yaml_values, max_size=2)


@given(st.fixed_dictionaries({"title": st.text(), "steps": st.lists(step_like, max_size=3)}))
def test_any_document_is_read_or_refused(document: dict[str, Any]) -> None:
    try:
        parse_scenario(yaml.safe_dump(document), "any")
    except WrongUse as refusal:
        assert refusal.details


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_scenario(text, "any")
    except WrongUse as refusal:
        assert refusal.title


def test_words_that_old_yaml_takes_for_booleans_are_words() -> None:
    scenario = parse_scenario("title: x\nsteps: [{pods: {name: p, labels: {no: y, on: off}}}]", "x")
    pods = scenario.steps[0].pods
    assert pods is not None
    assert pods.labels == {"no": "y", "on": "off"}


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(WrongUse, match="no such scenario") as caught:
        load_scenario("nonsense")
    assert "first-steps" in caught.value.hint


def test_file_of_the_users(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("title: Mine\nsteps: [{wait: 1}]\n")
    assert load_scenario(str(file))[0] == "mine"
    with pytest.raises(UnreadableInput):
        load_scenario(str(tmp_path / "other.yaml"))


@pytest.mark.parametrize(
    ("file", "label"),
    [
        ("my first.yaml", "my-first"),
        ("it's (v1.36).yaml", "it-s-v1.36"),
        ("первый.yaml", "scenario"),
        (f"{'long' * 30}.yml", ("long" * 30)[:63]),
        ("a" * 62 + "--b.yaml", "a" * 62),
    ],
)
def test_any_file_name_becomes_a_label_that_the_api_server_takes(tmp_path: Path, file: str, label: str) -> None:
    (tmp_path / file).write_text("title: Mine\nsteps: []\n")
    assert load_scenario(str(tmp_path / file))[0] == label


def test_users_scenarios_join_and_win(fresh_home: Path) -> None:
    folder = fresh_home / "config" / "schedtui" / "scenarios"
    folder.mkdir(parents=True)
    (folder / "gates.yaml").write_text("title: My gates\nsteps: []\n")
    (folder / "mine.yaml").write_text("title: Mine\nsteps: []\n")
    assert load_scenario("gates")[1].title == "My gates"
    assert load_scenario("mine")[1].title == "Mine"
    assert "preemption" in scenario_files()


def test_pod_document_holds_only_what_was_asked_for() -> None:
    plain = pod_document(PodTemplate(name="a"), "a", "s")
    assert plain["spec"] == {
        "containers": [{"name": "main", "image": "pause"}],
        "terminationGracePeriodSeconds": 0,
    }
    full = pod_document(
        PodTemplate(
            name="a", cpu=1, memory="1Gi", gates=["g"], priority_class="high", volume_claim="c", scheduler="s"
        ),
        "a",
        "s",
    )["spec"]
    assert full["containers"][0]["resources"] == {"requests": {"cpu": "1", "memory": "1Gi"}}
    assert full["schedulingGates"] == [{"name": "g"}]
    assert full["volumes"][0]["persistentVolumeClaim"] == {"claimName": "c"}
    assert (full["priorityClassName"], full["schedulerName"]) == ("high", "s")


def test_node_document_has_capacity_and_is_ready() -> None:
    node = node_document(NodeTemplate(name="n", cpu=2, resources={"example.com/gpu": 1}), "n-0", "s")
    assert node["status"]["allocatable"]["cpu"] == "2"
    assert node["status"]["allocatable"]["example.com/gpu"] == "1"
    assert node["status"]["conditions"][0]["status"] == "True"
    assert node["metadata"]["labels"]["kubernetes.io/hostname"] == "n-0"


def test_collection_paths() -> None:
    namespaced = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"namespace": "shop"}}
    assert collection_path(namespaced) == "/api/v1/namespaces/shop/persistentvolumeclaims"
    grouped = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    assert collection_path(grouped) == "/apis/scheduling.k8s.io/v1/priorityclasses"
    with pytest.raises(WrongUse, match="apiVersion and a known kind"):
        collection_path({"apiVersion": "v1", "kind": "Nonsense"})
    assert len(COLLECTIONS) > 10
