from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from schedtui.cli.config import config as config_command
from schedtui.config.directories import directories
from schedtui.config.files import private_directory, write_private
from schedtui.config.run_logs import list_run_logs, logs_to_prune, new_run_log, prune_run_logs
from schedtui.config.settings import LIMITS, Settings, describe_settings, load_settings, parse_settings
from schedtui.config.state import (
    HISTORY_LIMIT,
    CheckoutState,
    KeptBreakpoint,
    checkout_state_file,
    load_checkout_state,
    load_saved_filters,
    save_checkout_state,
    save_filter,
)
from schedtui.core.errors import SchedtuiError, UnreadableInput, WrongUse

if TYPE_CHECKING:
    from pathlib import Path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_missing_file_means_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "config.toml") == Settings()


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="No such configuration file"):
        load_settings(tmp_path / "config.toml", required=True)


def test_values_and_tables_are_read() -> None:
    settings = parse_settings(
        b"""
        verbosity = 4
        scheduler_flags = ["--leader-elect=false"]
        [keys]
        "log.follow" = "G,end"
        [filters]
        mine = "pod:default/web-1"
        [debugger]
        persistent = true
        substitute_path = [["/go/src", "/home/dev"]]
        [log]
        show_level = 3
        poll_seconds = 1
        """,
        "config.toml",
    )
    assert settings.verbosity == 4
    assert settings.keys == {"log.follow": "G,end"}
    assert settings.filters["mine"] == "pod:default/web-1"
    assert settings.debugger.persistent and settings.debugger.substitute_path == [("/go/src", "/home/dev")]
    assert (settings.log.show_level, settings.log.poll_seconds) == (3, 1.0)


@pytest.mark.parametrize(
    ("text", "where", "hint"),
    [
        ("verbositty = 4", "verbositty", "Did you mean verbosity?"),
        ("[debugger]\npersistant = true", "debugger.persistant", "Did you mean debugger.persistent?"),
        ("[log]\nshow-level = 2", "log.show-level", "Did you mean log.show_level?"),
        ("persistent = true", "persistent", "Did you mean debugger.persistent?"),
        ("[debuger]\ndlv = 'x'", "debuger", "Did you mean debugger?"),
        ("[lab]\nzzzz = 1", "lab.zzzz", "Known here: release, scenario."),
        ("verbosity = 'five'", "verbosity", "Expected a whole number, got text in quotes."),
        ("debugger = 3", "debugger", "Expected a table, got a whole number."),
        ("[log]\nwrap = 1", "log.wrap", "Expected true or false, got a whole number."),
        ("clipboard = 'x'", "clipboard", "Invalid enum value 'x'."),
        ("verbosity = 11", "verbosity = 11", "It must lie between 0 and 10."),
        ("[runs]\nkeep = 0", "runs.keep = 0", "It must lie between 1 and 10000."),
    ],
)
def test_what_does_not_fit_names_file_key_and_remedy(text: str, where: str, hint: str) -> None:
    with pytest.raises(WrongUse) as caught:
        parse_settings(text.encode(), "config.toml")
    assert caught.value.where == f"config.toml: {where}"
    assert caught.value.hint == hint


def test_bad_toml_names_the_line() -> None:
    with pytest.raises(WrongUse, match="not valid TOML") as caught:
        parse_settings(b"a = 1\nb = =\n", "config.toml")
    assert "line 2" in caught.value.where


def test_not_utf8_names_the_byte() -> None:
    with pytest.raises(WrongUse, match="not UTF-8") as caught:
        parse_settings(b'theme = "\xe9"', "config.toml")
    assert "byte 9" in caught.value.where


def test_every_limit_belongs_to_a_key() -> None:
    assert set(LIMITS) <= {key for key, _ in describe_settings(Settings())}


def test_own_variables_win_over_xdg_and_the_platform(tmp_path: Path) -> None:
    places = directories(
        {
            "SCHEDTUI_CONFIG": str(tmp_path / "mine.toml"),
            "XDG_CACHE_HOME": str(tmp_path / "c"),
            "XDG_STATE_HOME": "s",
        }
    )
    assert places.config_file == tmp_path / "mine.toml"
    assert places.cache == tmp_path / "c" / "schedtui"
    assert places.state.is_absolute() and places.state.name != "s"
    assert directories({"SCHEDTUI_STATE": str(tmp_path)}).run_logs == tmp_path / "runs"
    assert not (tmp_path / "c").exists()


def test_a_relative_own_variable_is_refused() -> None:
    with pytest.raises(WrongUse, match="SCHEDTUI_CACHE is not an absolute path"):
        directories({"SCHEDTUI_CACHE": "here"})


def test_writes_are_private_and_whole(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "state.json"
    write_private(target, b"one")
    write_private(target, b"two")
    assert target.read_bytes() == b"two"
    assert (mode(target), mode(target.parent)) == (0o600, 0o700)
    assert [entry.name for entry in target.parent.iterdir()] == ["state.json"]


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "taken"
    (target / "inside").mkdir(parents=True)
    with pytest.raises(UnreadableInput, match="Cannot write"):
        write_private(target, b"x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["taken"]


def test_an_open_directory_is_closed(tmp_path: Path) -> None:
    place = tmp_path / "open"
    place.mkdir(mode=0o755)
    assert mode(private_directory(place)) == 0o700


def test_everybodys_directory_stays_everybodys(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with pytest.raises(UnreadableInput, match="for all users"):
        private_directory(shared)
    assert shared.stat().st_mode & 0o7777 == 0o1777
    with pytest.raises(UnreadableInput, match="for all users"):
        private_directory(tmp_path.parents[-1])


def test_a_file_in_the_way_of_a_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableInput, match="Cannot make the directory"):
        private_directory(tmp_path / "file" / "state")


def test_state_comes_back_and_links_share_it(tmp_path: Path) -> None:
    places = directories({"SCHEDTUI_STATE": str(tmp_path / "state")})
    tree = tmp_path / "kubernetes"
    tree.mkdir()
    (tmp_path / "link").symlink_to(tree)
    file = checkout_state_file(places, tmp_path / "link")
    assert file == checkout_state_file(places, tree)
    assert file != checkout_state_file(places, tmp_path)
    state = CheckoutState(
        path=str(tree),
        breakpoints=(KeptBreakpoint("ScheduleOne", function="f", file="pkg/x.go", line=3, condition="a == 1"),),
        history=tuple(f"print {number}" for number in range(HISTORY_LIMIT + 5)),
        panes={"focus": "log"},
    )
    save_checkout_state(file, state)
    again, note = load_checkout_state(file)
    assert note == ""
    assert again.breakpoints == state.breakpoints and again.panes == state.panes
    assert len(again.history) == HISTORY_LIMIT and again.history[-1] == state.history[-1]
    assert mode(file) == 0o600


def test_state_of_a_later_version_is_read(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text('{"path": "/src", "invented_later": [1], "breakpoints": [{"location": "Pop", "new": 1}]}')
    state, note = load_checkout_state(file)
    assert (state.path, state.breakpoints[0].location, note) == ("/src", "Pop", "")


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"history": 3}', b"\xff\xfe"])
def test_broken_state_is_set_aside_and_said(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "state.json"
    file.write_bytes(content)
    state, note = load_checkout_state(file)
    assert state == CheckoutState()
    assert str(tmp_path / "state.unreadable") in note
    assert (tmp_path / "state.unreadable").read_bytes() == content and not file.exists()


def test_filters_are_saved_and_forgotten(tmp_path: Path) -> None:
    places = directories({"SCHEDTUI_STATE": str(tmp_path)})
    assert load_saved_filters(places) == {}
    save_filter(places, "mine", "v<=3")
    save_filter(places, "other", "pod:a/b")
    save_filter(places, "mine", "")
    assert load_saved_filters(places) == {"other": "pod:a/b"}
    (tmp_path / "filters.json").write_text("{")
    with pytest.raises(UnreadableInput, match="saved filters"):
        load_saved_filters(places)


def test_run_logs_are_made_listed_and_pruned(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    assert list_run_logs(runs) == ()
    first = new_run_log(runs, "lab v1.36.3/x", now=datetime(2026, 1, 1, tzinfo=UTC))
    second = new_run_log(runs, "lab v1.36.3/x", now=datetime(2026, 1, 1, tzinfo=UTC), run=2)
    third = new_run_log(runs, "kubernetes", now=datetime(2026, 1, 2, tzinfo=UTC))
    (runs / "notes.txt").write_text("not ours")
    assert mode(first) == 0o600
    logs = list_run_logs(runs)
    assert [log.path for log in logs] == [third, second, first]
    assert (logs[1].label, logs[1].run, logs[1].pid) == ("lab-v1.36.3-x", 2, os.getpid())
    now = third.stat().st_mtime + 7200
    assert prune_run_logs(runs, keep=1, max_bytes=10**9, now=third.stat().st_mtime + 60) == ()
    assert [log.path for log in prune_run_logs(runs, keep=2, max_bytes=10**9, now=now)] == [first]
    assert not first.exists() and (runs / "notes.txt").exists()


def test_pruning_by_size_keeps_the_newest_whatever_its_size(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        new_run_log(tmp_path, "x", now=datetime(2026, 1, day, tzinfo=UTC)).write_bytes(b"x" * 100)
    logs = list_run_logs(tmp_path)
    now = logs[0].changed + 7200
    assert logs_to_prune(logs, keep=9, max_bytes=50, now=now) == logs[1:]
    assert logs_to_prune(logs, keep=9, max_bytes=200, now=now) == logs[2:]


def test_two_sessions_in_one_second_do_not_collide(tmp_path: Path) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert new_run_log(tmp_path, "x", now=now) != new_run_log(tmp_path, "x", now=now)


def test_config_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "config.toml"
    monkeypatch.setenv("SCHEDTUI_CONFIG", str(file))
    runner = CliRunner()
    assert "the defaults hold" in runner.invoke(config_command, ["check"]).output
    file.write_text("verbosity = 7\n")
    assert runner.invoke(config_command, ["check"]).output == f"{file}: fine\n"
    shown = runner.invoke(config_command, ["show"]).output
    assert [line.split() for line in shown.splitlines() if "verbosity" in line] == [["verbosity", "7", "set"]]
    assert str(file) in runner.invoke(config_command, ["path", "--json"]).output
    for text, word in (
        ("verbosity = 77\n", "verbosity"),
        ('theme = "nonesuch"\n', "nonesuch"),
        ('[keys]\n"app.quit" = "f99"\n', "f99"),
        ('[keys]\n"app.nonesuch" = "x"\n', "app.nonesuch"),
        ('[filters]\nmine = "(pod:a"\n', "filters.mine"),
        ('[lab]\nrelease = "latest"\n', "latest"),
    ):
        file.write_text(text)
        wrong = runner.invoke(config_command, ["check"]).exception
        assert isinstance(wrong, SchedtuiError), text
        assert word in wrong.as_text(), text
    file.write_text('theme = "dark"\n[filters]\nmine = "-5m pod:a"\n[lab]\nrelease = "1.36.3"\n')
    assert runner.invoke(config_command, ["check"]).exit_code == 0
