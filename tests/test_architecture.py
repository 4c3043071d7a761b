"""What modules drag in when they are imported, and what commands load: seen in fresh interpreters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import schedtui

PACKAGE = Path(schedtui.__file__).parent

HEADLESS = ("core", "config", "processes", "debugger", "sources", "toolchain", "lab", "cli")
"""Everything below the screen, and the commands: none of it may load Textual or Rich."""

QUICK_COMMANDS = (
    ("--version",),
    ("--help",),
    ("logs", "--help"),
    ("report", "--help"),
    ("lab", "--help"),
    ("tui", "--help"),
)


def module_names(part: str) -> list[str]:
    """The dotted names of every module of a package below ``schedtui``."""
    root = PACKAGE / part
    return sorted(
        ".".join(("schedtui", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        for path in root.rglob("*.py")
    )


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running ``code``."""
    script = f"import sys\n{code}\nprint('LOADED', *sorted(sys.modules), sep='\\n')\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split("LOADED\n", 1)[1].split())


@pytest.mark.parametrize("part", HEADLESS)
def test_nothing_below_the_screen_loads_textual_or_rich(part: str) -> None:
    names = module_names(part)
    assert names
    loaded = loaded_after("import importlib\n" + "\n".join(f"importlib.import_module({name!r})" for name in names))
    assert not loaded & {"textual", "rich"}


def test_core_is_pure() -> None:
    loaded = loaded_after("\n".join(f"import {name}" for name in module_names("core")))
    assert not loaded & {"asyncio", "pexpect", "platformdirs", "socket", "subprocess", "watchfiles"}


@pytest.mark.parametrize("name", ["model", "replies", "breakpoints"])
def test_reading_the_debugger_needs_no_terminal(name: str) -> None:
    assert "pexpect" not in loaded_after(f"import schedtui.debugger.{name}")


@pytest.mark.parametrize("arguments", QUICK_COMMANDS, ids=" ".join)
def test_version_and_help_load_neither_numpy_nor_the_screen(arguments: tuple[str, ...]) -> None:
    code = f"from schedtui.cli import run\nassert run({list(arguments)!r}) == 0"
    loaded = loaded_after(code)
    assert not loaded & {
        "numpy",
        "textual",
        "rich",
        "tree_sitter",
        "pexpect",
        "watchfiles",
        "yaml",
        "cryptography",
    }


def test_every_module_says_what_it_is_for() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert path.read_text(encoding="utf-8").lstrip().startswith('"""'), path


def test_no_catch_all_modules() -> None:
    names = {path.stem for path in PACKAGE.rglob("*.py")}
    assert not names & {"utils", "util", "helpers", "helper", "misc", "common"}
