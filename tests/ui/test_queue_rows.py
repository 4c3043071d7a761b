from __future__ import annotations

from dataclasses import replace

import pytest

from schedtui.core.queue_state import POD_STATES, PodRow, QueueSnapshot
from schedtui.ui.widgets.bars import PaneTitle
from schedtui.ui.widgets.queue_rows import (
    STATE_LETTERS,
    STATE_WORDS,
    count_rows,
    duration,
    node_rows,
    pod_rows,
    sparkline,
    summary,
)


def snapshot(*pods: PodRow, time_us: int = 100_000_000) -> QueueSnapshot:
    counts = dict.fromkeys(POD_STATES, 0)
    for item in pods:
        counts[item.state] += 1
    return QueueSnapshot("1.36", 10, time_us, counts, pods, "exact", {"node-1": 3, "node-0": 1})


BACKOFF = PodRow(
    "default/web-1", "backoff", 97_500_000, 2, True, "ScheduleAttemptFailure", plugins=("NodeResourcesFit",),
    backoff_until_us=101_500_000,
)  # fmt: skip
BOUND = PodRow("default/web-0", "bound", 99_000_000, 1, True, node="node-1")
GUESSED = PodRow("shop/cart-0", "active", 99_900_000, 0, False, "PodAdd")


def test_every_state_has_a_word_and_a_letter_of_its_own() -> None:
    assert set(STATE_WORDS) == set(STATE_LETTERS) == set(POD_STATES)
    assert len(set(STATE_LETTERS.values())) == len(POD_STATES)


def test_a_wait_goes_from_the_first_entry_to_the_binding() -> None:
    early = replace(BACKOFF, pod="a/early", added_us=40_000_000)
    soon = replace(BOUND, pod="a/soon", added_us=98_000_000)
    late = replace(BACKOFF, pod="a/late", added_us=90_000_000)
    unknown = replace(GUESSED, pod="a/unknown", since_us=None)
    taken = snapshot(soon, unknown, late, early)
    rows = pod_rows(taken, "wait", show_all=True)
    assert [row.payload.pod for row in rows] == ["a/early", "a/late", "a/soon", "a/unknown"]
    assert [row.text.split()[3] for row in rows[:3]] == ["1m00s", "10.0s", "1.0s"]
    # In any other order the column is the time in the present state.
    assert [row.text.split()[3] for row in pod_rows(taken, "attempts", show_all=False)[:2]] == ["2.5s", "2.5s"]


def test_the_summary_holds_every_queue() -> None:
    assert summary(snapshot(BACKOFF, BOUND)) == "active 0 backoff 1 unsched. 0 · bound 1"


def test_a_row_says_where_since_when_how_often_and_why() -> None:
    rows = pod_rows(snapshot(BACKOFF), "queue", show_all=False)
    assert rows[0].text.split() == [
        "B", "default/web-1", "backoffQ", "2.5s", "try", "2", "back", "in", "1.5s", "NodeResourcesFit", "by",
        "ScheduleAttemptFailure",
    ]  # fmt: skip


def test_what_is_inferred_is_marked() -> None:
    assert pod_rows(snapshot(GUESSED), "queue", show_all=False)[0].text.startswith("A~")


def test_bound_pods_come_only_when_asked_for() -> None:
    assert len(pod_rows(snapshot(BACKOFF, BOUND), "queue", show_all=False)) == 1
    rows = pod_rows(snapshot(BACKOFF, BOUND), "queue", show_all=True)
    assert "→ node-1" in rows[-1].text


def test_orders() -> None:
    taken = snapshot(GUESSED, BACKOFF)
    assert [row.payload.pod for row in pod_rows(taken, "wait", show_all=True)] == ["default/web-1", "shop/cart-0"]
    assert next(row.payload.pod for row in pod_rows(taken, "attempts", show_all=True)) == "default/web-1"
    assert next(row.payload.pod for row in pod_rows(taken, "queue", show_all=True)) == "shop/cart-0"


def test_a_word_finds_pods_nodes_and_plugins() -> None:
    taken = snapshot(GUESSED, BACKOFF, BOUND)
    assert len(pod_rows(taken, "queue", show_all=True, word="noderes")) == 1
    assert len(pod_rows(taken, "queue", show_all=True, word="node-1")) == 1
    assert len(pod_rows(taken, "queue", show_all=True, word="SHOP")) == 1


def test_nodes_are_counted_with_bars_the_most_first() -> None:
    rows = node_rows(snapshot(), (), 60)
    assert rows[1].text.split()[:3] == ["4", "in", "all,"]
    assert rows[2].text.split()[:3] == ["3", "node-1", "75.0"]
    assert rows[2].text.count("█") > rows[3].text.count("█")


def test_sparklines() -> None:
    assert sparkline([0, 0], 8) == "▁▁"
    assert sparkline([0, 1, 7], 2) == "▂█"


def test_counts_fit_into_eighty_columns_with_their_course() -> None:
    rows = count_rows(snapshot(BACKOFF), {"active": [0, 3, 5]}, 80)
    assert all(len(row.text) <= 80 for row in rows)
    assert "█" in rows[0].text
    assert "█" not in count_rows(snapshot(), {"active": [0, 3, 5]}, 80, sparklines=False)[0].text


@pytest.mark.parametrize("width", [0, 1, 5, 12])
def test_counts_in_a_pane_too_narrow_for_any(width: int) -> None:
    rows = count_rows(snapshot(), {"active": [0, 3, 5]}, width)
    assert len(rows) == 2
    assert all(len(row.text) <= width + 2 for row in rows)


def test_counts_of_nothing_make_room() -> None:
    counts = dict.fromkeys(POD_STATES, 0) | {"bound": 12345, "binding": 7}
    row = count_rows(replace(snapshot(), counts=counts), {}, 40)[1].text
    assert row.split() == ["bound", "12345", "in", "flight", "0", "binding", "7"]


def test_durations_for_people() -> None:
    assert [duration(us) for us in (850_000, 12_300_000, 245_000_000, 7_800_000_000, 273_600_000_000, None)] == [
        "850ms", "12.3s", "4m05s", "2h10m", "3d04h", "",
    ]  # fmt: skip


def test_names_take_the_columns_that_they_need() -> None:
    short = pod_rows(snapshot(BACKOFF), "queue", show_all=False, width=48)[0].text
    assert "try 2" in short[:48]
    long = replace(BACKOFF, pod="default/" + "a" * 60)
    rows = pod_rows(snapshot(BACKOFF, long), "queue", show_all=False)
    states = {row.payload.pod: row.text.index("backoffQ") for row in rows}
    assert states[BACKOFF.pod] == 47
    assert states[long.pod] > 60


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (70, "active 13 backoff 122 unsched. 44 · bound 3245 · in flight 1 gated 7"),
        (66, "active 13 backoff 122 unsched. 44 · bound 3245 · in flight 1 …"),
        (50, "active 13 backoff 122 unsched. 44 · bound 3245 …"),
        (40, "active 13 backoff 122 unsched. 44 …"),
        (12, "active 13 …"),
    ],
)
def test_a_title_never_shows_a_word_without_its_number(cells: int, shown: str) -> None:
    title = PaneTitle("Queue")
    title.summary = "active 13 backoff 122 unsched. 44 · bound 3245 · in flight 1 gated 7"
    assert title._summary_in(cells) == shown
    title.summary = f"at the log's cursor: {title.summary}"
    assert title._summary_in(cells + 21) == f"at the log's cursor: {shown}"
