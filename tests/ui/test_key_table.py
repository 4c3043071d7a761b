from __future__ import annotations

import re

import pytest

from schedtui.core.errors import WrongUse
from schedtui.ui.key_table import (
    FORBIDDEN_KEYS,
    NAMED_KEYS,
    KeyTable,
    Pending,
    key_of_event,
    markdown_table,
    shown,
    table_for,
)
from schedtui.ui.keys import ACTIONS, LEADERS, PRESETS, Need
from schedtui.ui.launch import split_keys
from schedtui.ui.screens.lists import PANE_HELP, help_rows

EVERYTHING: frozenset[Need] = frozenset({"debugger", "log"})


def test_no_two_actions_share_keys() -> None:
    KeyTable()


def test_every_action_has_a_form_without_function_keys() -> None:
    for action in ACTIONS:
        assert action.keys, action.id
        assert any(not re.search(r"(^| )f\d", keys) for keys in action.keys), action.id


def test_no_action_needs_keys_that_do_not_arrive() -> None:
    for action in ACTIONS:
        for keys in action.keys:
            for key in keys.split(" "):
                assert key not in FORBIDDEN_KEYS, action.id
                assert key in NAMED_KEYS or len(key) == 1, (action.id, key)
                assert "shift+f" not in key


def test_ids_are_unique_and_helps_are_sentences_without_full_stop() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for action in ACTIONS:
        assert action.help[0].isupper(), action.id
        assert not action.help.endswith("."), action.id


@pytest.mark.parametrize("pane", ["debugger", "log", "queue"])
def test_breakpoints_continue_and_quit_work_in_every_pane(pane: str) -> None:
    table = KeyTable()
    wanted = {
        ("b", "s"): "debug.break_schedule_one", ("b", "p"): "debug.break_pop", ("c",): "debug.continue",
        ("q",): "app.quit", ("f5",): "debug.continue", ("f9",): "debug.break_line", ("?",): "app.help",
        ("5",): "app.level_5", ("]",): "app.level_up", ("V",): "app.verbosity", ("z",): "app.zoom",
    }  # fmt: skip
    for keys, action_id in wanted.items():
        found = table.resolve(pane, keys)
        assert found is not None
        assert not isinstance(found, Pending)
        assert found.id == action_id


def test_a_leader_waits_and_names_what_may_follow() -> None:
    found = KeyTable().resolve("log", ("b",))
    assert isinstance(found, Pending)
    assert ("s", "debug.break_schedule_one") in [(key, action.id) for key, action in found.choices]
    assert "b" in LEADERS


def test_letters_step_only_in_the_debugger_pane() -> None:
    table = KeyTable()
    step = table.resolve("debugger", ("n",))
    search = table.resolve("log", ("n",))
    assert step is not None and not isinstance(step, Pending) and step.id == "debugger.next"
    assert search is not None and not isinstance(search, Pending) and search.id == "log.search_next"


def test_unknown_keys_mean_nothing() -> None:
    assert KeyTable().resolve("queue", ("%",)) is None
    assert KeyTable().resolve("queue", ("b", "%")) is None


def test_a_remap_replaces_the_keys() -> None:
    table = KeyTable(remap={"debug.continue": ("K",)})
    found = table.resolve("log", ("K",))
    assert found is not None and not isinstance(found, Pending) and found.id == "debug.continue"
    assert table.resolve("log", ("c",)) is None


@pytest.mark.parametrize(
    ("remap", "words"),
    [
        ({"debug.contnue": ("K",)}, "debug.continue"),
        ({"debug.continue": ("q",)}, "app.quit"),
        ({"debug.continue": ("b",)}, "debug.break_schedule_one"),
        ({"debug.continue": ("ctrl+s",)}, "does not reach"),
        ({"debug.continue": ("entr",)}, "enter"),
    ],
)
def test_a_remap_that_does_not_fit_is_refused_with_a_reason(remap: dict[str, tuple[str, ...]], words: str) -> None:
    with pytest.raises(WrongUse) as caught:
        KeyTable(remap=remap)
    assert words in caught.value.as_text()


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_presets_have_no_conflicts(preset: str) -> None:
    table_for(preset)


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(WrongUse, match="no such key preset") as caught:
        table_for("vimm")
    assert "vim" in caught.value.hint


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("pane", ["debugger", "log", "queue"])
def test_the_footer_keeps_whole_groups_and_help_and_quit_longest(width: int, pane: str) -> None:
    groups = KeyTable().footer(pane, width, EVERYTHING)
    assert ("?", "help") in groups
    assert ("q", "quit") in groups
    assert len("  ".join(f"{key} {label}" for key, label in groups)) <= width


def test_the_footer_leaves_out_what_is_not_there() -> None:
    labels = [label for _, label in KeyTable().footer("log", 300, frozenset({"log"}))]
    assert "continue" not in labels
    assert "search" in labels


@pytest.mark.parametrize(
    ("keys", "text"),
    [("b s", "b s"), ("ctrl+p", "^P"), ("enter", "Enter"), ("f5", "F5"), ("shift+tab", "Shift-Tab")],
)
def test_keys_are_written_for_people(keys: str, text: str) -> None:
    assert shown(keys) == text


@pytest.mark.parametrize(
    ("key", "character", "name"),
    [
        ("question_mark", "?", "?"),
        ("G", "G", "G"),
        ("space", " ", "space"),
        ("f5", None, "f5"),
        ("enter", "\r", "enter"),
    ],
)
def test_events_are_named_as_in_the_table(key: str, character: str | None, name: str) -> None:
    assert key_of_event(key, character) == name


def test_the_readme_table_holds_every_action() -> None:
    text = markdown_table(KeyTable())
    for action in ACTIONS:
        assert action.help in text


def test_keys_of_the_configuration_are_separated_by_commas() -> None:
    assert split_keys("c, f5") == ("c", "f5")
    assert split_keys("comma d") == (", d",)


def test_what_signs_mean_fits_into_eighty_columns() -> None:
    assert all(len(line) <= 80 for lines in PANE_HELP.values() for line in lines)


def test_the_log_s_help_names_what_the_log_can_do() -> None:
    text = "\n".join(row.text for row in help_rows(KeyTable(), "log", frozenset({"log"})))
    for words in (
        "merge by time", "twins", "gzip", "Rotation", "CRI", "journald", "incomplete", "OSC 52", "masked", "RE2",
        "-5m", "before:", "severity>=W", "v<=4", "file:schedule_one.go", "goto TIME|LINE|-5m", "count by FIELD",
        "save-filter NAME", "queue-moves", "histogram", "Show the time since the start",
        "Wrap long lines", "Mark the record", "next error", "Switch single parts",
    ):  # fmt: skip
        assert words in text, words
