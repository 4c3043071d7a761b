from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.fit_error import parse_fit_error
from schedtui.core.fit_reasons import plugins_of_failure
from schedtui.core.queue_model import QueueModel
from tests.core.queue.logs import log_bytes, records_of


def test_braces_commas_and_full_stops_do_not_split_a_reason() -> None:
    error = parse_fit_error(
        "0/4 nodes are available: 1 node(s) had untolerated taint {a: b, 2 c}, 3 node(s) didn't match Pod's node "
        "affinity/selector."
    )
    assert error is not None
    assert error.reasons == (
        (1, "node(s) had untolerated taint {a: b, 2 c}"),
        (3, "node(s) didn't match Pod's node affinity/selector"),
    )
    assert error.preemption is None


def test_preemption_is_kept_apart() -> None:
    error = parse_fit_error(
        "0/5 nodes are available: 5 Insufficient cpu. preemption: 0/5 nodes are available: 1 Preemption is not "
        "helpful for scheduling, 4 No preemption victims found for incoming pod.."
    )
    assert error is not None
    assert (error.total, error.reasons) == (5, ((5, "Insufficient cpu"),))
    assert error.preemption is not None
    assert error.preemption.reasons == (
        (1, "Preemption is not helpful for scheduling"),
        (4, "No preemption victims found for incoming pod"),
    )


def test_what_other_plugins_said_after_the_reasons_is_no_reason() -> None:
    """1.36 has a second PostFilter plugin, whose words stand in front of those of preemption."""
    error = parse_fit_error(
        "0/5 nodes are available: 1 node(s) had untolerated taint(s), 4 Insufficient cpu. no new claims to "
        "deallocate, preemption: not eligible due to a terminating pod on the nominated node."
    )
    assert error is not None
    assert error.reasons == ((1, "node(s) had untolerated taint(s)"), (4, "Insufficient cpu"))
    assert error.others == ("no new claims to deallocate",)
    assert error.preemption is not None
    assert error.preemption.reasons == (
        (None, "not eligible due to a terminating pod on the nominated node"),
    )  # fmt: skip


def test_a_reason_for_all_nodes_has_no_count() -> None:
    error = parse_fit_error('0/3 nodes are available: persistentvolumeclaim "data" not found.')
    assert error is not None
    assert error.reasons == ((None, 'persistentvolumeclaim "data" not found'),)


def test_words_in_front_and_no_reason() -> None:
    error = parse_fit_error("status: 0/0 nodes are available: .")
    assert error is not None
    assert (error.total, error.reasons) == (0, ())


def test_lines_of_old_releases_are_counted() -> None:
    error = parse_fit_error(
        "pod failed to fit in any node\nfit failure on node (a): Insufficient cpu, PodToleratesNodeTaints\n"
        "fit failure on node (b): Insufficient cpu\n"
    )
    assert error is not None
    assert (error.total, error.reasons) == (2, ((2, "Insufficient cpu"), (1, "PodToleratesNodeTaints")))


@pytest.mark.parametrize("text", ["", "no nodes", "nodes are available", "3 nodes are available"])
def test_other_texts_are_none(text: str) -> None:
    assert parse_fit_error(text) is None


REASONS = st.lists(
    st.tuples(
        st.integers(1, 9999),
        st.from_regex(
            r"[A-Za-z][a-z()']{0,9}( [a-z/']{1,8}){0,3}( \{[a-z.]{1,5}: [a-z, 0-9]{0,6}\})?", fullmatch=True
        ),
    ),
    min_size=1,
    max_size=6,
)


def sentence(total: int, reasons: list[tuple[int, str]]) -> str:
    return f"0/{total} nodes are available: {', '.join(f'{n} {text}' for n, text in reasons)}."


@given(st.integers(0, 5000), REASONS, st.none() | REASONS)
def test_what_the_scheduler_words_comes_back(
    total: int, reasons: list[tuple[int, str]], preemption: list[tuple[int, str]] | None
) -> None:
    text = sentence(total, reasons)
    if preemption is not None:
        text += f" preemption: {sentence(total, preemption)}"
    error = parse_fit_error(text)
    assert error is not None
    assert (error.total, error.reasons) == (total, tuple(reasons))
    assert (None if error.preemption is None else error.preemption.reasons) == (
        None if preemption is None else tuple(preemption)
    )


@given(st.text(max_size=100))
def test_any_text_after_the_head_does_not_raise(text: str) -> None:
    assert parse_fit_error("0/3 nodes are available: " + text) is not None


@pytest.mark.parametrize(
    "name",
    ["v1.36.3-v5-churn7", "v1.37.2-v5-churn3", "v1.35.4-v5-churn11", "v1.36.3-v5-storm202", "v1.37.2-v5-gang5"],
)
def test_the_plugins_that_reasons_point_to_are_those_that_the_log_names(name: str) -> None:
    model = QueueModel()
    failures: dict[str, str] = {}
    compared = 0
    for record in records_of(log_bytes(name)):
        event = model.apply(record)
        if event is None or event.pod is None:
            continue
        if event.effect == "no_fit":
            failures[event.pod] = event.text
        elif event.event == "ScheduleAttemptFailure" and event.plugins and event.pod in failures:
            inferred = plugins_of_failure(failures.pop(event.pod))
            assert set(inferred) <= set(event.plugins)
            compared += bool(inferred)
    assert compared > 5
