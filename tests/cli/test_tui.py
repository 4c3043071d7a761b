from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from schedtui.cli.tui import tui
from schedtui.core.errors import WrongUse
from schedtui.ui import launch

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, launch.Options]]:
    """Which door was opened with what."""
    opened: list[tuple[str, launch.Options]] = []
    for name in ("run_source", "run_logs", "run_start_screen"):

        def door(options: launch.Options, name: str = name) -> int:
            opened.append((name, options))
            return 0

        monkeypatch.setattr(launch, name, door)
    return opened


def run(*words: str) -> None:
    CliRunner().invoke(tui, words, catch_exceptions=False, standalone_mode=False)


def test_a_source_tree_with_all_its_options(doors: list[tuple[str, launch.Options]]) -> None:
    run("--src", "k", "--kubeconfig", "c", "--config", "s", "-v", "4", "--run", "--persistent", "--theme", "mono",
        "--keys", "gdb", "--dlv", "d", "--low-bandwidth", "--", "--leader-elect=false", "-v=6")  # fmt: skip
    name, options = doors[0]
    assert name == "run_source"
    assert options == launch.Options(
        source="k", kubeconfig="c", scheduler_config="s", verbosity=4, continue_at_once=True, persistent=True,
        theme="mono", keys="gdb", dlv="d", low_bandwidth=True, scheduler_flags=("--leader-elect=false", "-v=6"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "logs"),
    [
        (("--log", "a", "--log", "b"), ("a", "b")),
        (("a", "b"), ("a", "b")),
        (("--log", "-"), ("-",)),
        (("--log", "a", "b"), ("a", "b")),
    ],
)
def test_logs_alone(
    doors: list[tuple[str, launch.Options]], words: tuple[str, ...], logs: tuple[str, ...]
) -> None:
    run(*words)
    assert doors == [("run_logs", launch.Options(logs=logs))]


def test_logs_with_their_source_and_no_debugger(doors: list[tuple[str, launch.Options]]) -> None:
    run("--log", "a", "--src", "k", "--no-debugger")
    assert doors == [("run_logs", launch.Options(logs=("a",), source="k", no_debugger=True))]


def test_a_tree_without_a_debugger_is_built_and_run(doors: list[tuple[str, launch.Options]]) -> None:
    run("--src", "k", "--no-debugger", "-v", "4")
    assert doors == [("run_source", launch.Options(source="k", no_debugger=True, verbosity=4))]


@pytest.mark.parametrize(("option", "value"), [("--exec", "bin"), ("--attach", "12"), ("--connect", "h:1")])
def test_other_targets(doors: list[tuple[str, launch.Options]], option: str, value: str) -> None:
    run(option, value)
    assert doors[0][0] == "run_source"


def test_nothing_named_outside_a_tree_is_the_start_screen(
    doors: list[tuple[str, launch.Options]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run()
    assert doors == [("run_start_screen", launch.Options())]


@pytest.mark.parametrize(
    "words",
    [
        ("--exec", "b", "--attach", "1"),
        ("--test", "./pkg/scheduler"),
        ("--no-debugger",),
        ("--no-debugger", "--attach", "1"),
        ("--no-debugger", "--connect", "h:1", "--src", "k"),
    ],
)
def test_contradictions_are_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(WrongUse):
        run(*words)


def test_a_misspelt_command_is_no_log_to_come(doors: list[tuple[str, launch.Options]], tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="qeue") as refused:
        run("qeue", "a.log")
    assert "schedtui queue" in refused.value.hint
    run("--log", "qeue")
    run("build.log")
    (tmp_path / "docter").touch()
    run(str(tmp_path / "docter"))
    assert [options.logs[0] for _, options in doors] == ["qeue", "build.log", str(tmp_path / "docter")]
