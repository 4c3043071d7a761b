"""What the README promises is what there is: its keys, its commands, its pictures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schedtui.cli import COMMANDS
from schedtui.config.directories import directories
from schedtui.lab.scenario import scenario_files
from schedtui.ui.key_table import markdown_table, table_for

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _between(start: str, end: str) -> str:
    return README.split(start, 1)[1].split("-->", 1)[1].split(end, 1)[0].strip()


def test_key_tables_come_from_the_action_table() -> None:
    assert _between("<!-- keys", "<!-- end of keys") == markdown_table(table_for(None)).strip()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_named(command: str) -> None:
    assert f"`schedtui {command}" in README


def test_every_command_named_exists() -> None:
    code = re.findall(r"`[^`\n]+`", README) + re.findall(r"^schedtui .*$", _shell_blocks(), re.MULTILINE)
    named = {found[1] for text in code if (found := re.match(r"`?schedtui ([a-z]+)\b", text))}
    assert named <= {*COMMANDS, "tui"}


def _shell_blocks() -> str:
    return "\n".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL))


def test_every_scenario_is_named() -> None:
    missing = [name for name in scenario_files() if f"`{name}`" not in README]
    assert missing == []


def test_every_picture_is_there() -> None:
    missing = [link for link in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README) if not (ROOT / link).exists()]
    assert missing == []


def test_no_directory_of_this_machine_is_named() -> None:
    assert str(directories().cache) not in README
