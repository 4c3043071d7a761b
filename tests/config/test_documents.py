"""Files that people wrote: whatever they hold, a value or one kind of error comes of it."""

from __future__ import annotations

import contextlib
import os
import tomllib
from typing import TYPE_CHECKING

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from schedtui.config.directories import directories, home, typed_path
from schedtui.config.json_files import json_value
from schedtui.config.settings import load_settings
from schedtui.config.state import CheckoutState, load_checkout_state
from schedtui.config.toml_files import MOST_BYTES, toml_document
from schedtui.config.yaml_files import yaml_document
from schedtui.core.errors import UnreadableInput, WrongUse
from schedtui.debugger.catalogue import load_catalogue
from schedtui.debugger.sessions import SessionRecord, read_record
from schedtui.lab.scenario import load_scenario, scenario_titles
from schedtui.lab.scheduler_config import read_config
from schedtui.toolchain.kubeconfig import read_kubeconfig
from schedtui.toolchain.scheduler_config import read_scheduler_config
from schedtui.ui.launch import key_table
from schedtui.ui.themes import load_themes

if TYPE_CHECKING:
    from pathlib import Path

ODD_YAML = (
    "a: 2001-99-99", "a: " + "1" * 6000, "a: !!bool x", "a: !!int x", "a: !!float x", "a: !!timestamp x", "a: =",
    "a: !!binary 'é'", "a: " + "[" * 900 + "]" * 900, "a: " + "[" * 900, "? [a]\n: b", "<<: 5",
    "a: 1\n---\nb: 2", "a: \0", "a:\n\tb: c", "!!python/object/apply:os.getpid []",
)  # fmt: skip
"""Each is refused by PyYAML with another of Python's errors."""

ODD_TOML = (
    b"a = " + b"[" * 50_000, b"a = 2001-99-99", b"a = " + b"1" * 6000, b"a = \xff", b"#" * (MOST_BYTES + 1),
)  # fmt: skip


@pytest.mark.parametrize("text", ODD_YAML, ids=lambda text: text[:20].strip())
def test_odd_yaml_is_one_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(yaml.YAMLError):
        yaml_document(text)
    file = tmp_path / "x.yaml"
    file.write_text(text)
    with pytest.raises(WrongUse, match="no YAML"):
        load_scenario(str(file))
    with pytest.raises(WrongUse, match="no YAML"):
        read_config(file)
    assert "is not valid YAML" in read_kubeconfig(file).problem
    assert read_scheduler_config(file).problem


def test_the_line_of_a_value_is_told() -> None:
    with pytest.raises(yaml.YAMLError, match=r"this is no timestamp \(month must be in 1..12\)[^$]*line 2"):
        yaml_document("a: 1\nb: 2001-99-99\n")


@given(st.text(st.sampled_from("ab:-[]{}&*!<>|?\"'#% \n\t0123456789.~=,"), max_size=60))
def test_any_yaml_is_a_value_or_one_error(text: str) -> None:
    with contextlib.suppress(yaml.YAMLError):
        yaml_document(text)


@pytest.mark.parametrize("content", ODD_TOML, ids=lambda content: content[:12])
def test_odd_toml_is_one_error(content: bytes, tmp_path: Path) -> None:
    with pytest.raises((tomllib.TOMLDecodeError, UnicodeDecodeError)):
        toml_document(content)
    file = tmp_path / "x.toml"
    file.write_bytes(content)
    readers = (load_settings, lambda path: key_table(str(path), {}), load_catalogue)
    for read in readers:
        with pytest.raises(WrongUse) as refused:
            read(file)
        assert str(file) in refused.value.where
    assert any(str(file) in failure for failure in load_themes(tmp_path).failures)


@pytest.mark.parametrize("content", [b"[" * 200_000, b'{"panes":' * 50_000, b'{"path": "\xff"}', b"[1]"])
def test_what_a_foreign_hand_made_of_our_own_files_is_one_error(content: bytes, tmp_path: Path) -> None:
    for kind in (CheckoutState, SessionRecord, dict[str, str]):
        with pytest.raises(msgspec.DecodeError):
            json_value(content, kind)
    (tmp_path / "session.json").write_bytes(content)
    assert read_record(tmp_path) is None
    state, note = load_checkout_state(tmp_path / "session.json")
    assert state == CheckoutState()
    assert "unreadable" in note


def test_a_breakpoint_without_a_place_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"breakpoints":[{"location":" "},{"location":"ScheduleOne"}]}')
    state, note = load_checkout_state(tmp_path / "x.json")
    assert ([one.location for one in state.breakpoints], note) == (["ScheduleOne"], "")


def test_one_scenario_that_cannot_be_read_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHEDTUI_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "mine.yaml").write_bytes(b"\xff")
    titles = scenario_titles()
    assert titles["mine"].startswith("(cannot read the scenario")
    assert load_scenario("first-steps")[1].title == titles["first-steps"]
    with pytest.raises(UnreadableInput):
        load_scenario("mine")


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", *(name for name in os.environ if name.startswith(("XDG_", "SCHEDTUI_")))):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    with pytest.raises(WrongUse, match="home directory is not known"):
        directories()
    assert str(home()) == "/"


def test_paths_and_homes_that_the_system_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(typed_path("~nobody-of-that-name/x")) == "~nobody-of-that-name/x"
    monkeypatch.setenv("HOME", "/somewhere")
    assert (str(home()), str(typed_path("~/x"))) == ("/somewhere", "/somewhere/x")
