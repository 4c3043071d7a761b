"""The doors into the TUI, for ``cli``: what is wanted in, an exit code out.

Owns the options value and the order of the first steps (settings, key table, theme, terminal). It draws nothing
and starts no child; ``services`` does.
"""

from __future__ import annotations

import sys
import threading
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.toml_files import read_toml_bytes, toml_document
from schedtui.core.errors import UnreadableInput, WrongUse
from schedtui.ui.options import Options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.ui.key_table import KeyTable
    from schedtui.ui.services.prepare import Kind, Request

SWITCH_SECONDS = 0.001
"""How long a thread may keep the interpreter while another one waits for it. A key is answered in some ten steps,
each of which waits so long while a log pours in; with Python's own 5 ms the worst takes four times as long."""


def run_source(options: Options) -> int:
    """Debug the scheduler of a source tree, a binary, a process or a dlv server.

    Raises:
        SchedtuiError: Something about the options or the set-up does not fit, before the screen came up.
    """
    return _run("source", options)


def run_logs(options: Options) -> int:
    """Show log files alone: log and queue panes, no debugger."""
    return _run("logs", options)


def run_lab(options: Options, *, release: str, tour: bool = False) -> int:
    """Bring the lab up (building what is missing) and debug its scheduler.

    A lab that this call started ends when the TUI quits; one that was up stays up.
    """
    return _run("lab", options, release=release, tour=tour)


def run_start_screen(options: Options) -> int:
    """Ask what to do: lab, source tree, log, doctor."""
    return _run("start", options)


def _run(kind: Kind, options: Options, *, release: str = "", tour: bool = False) -> int:
    from schedtui.config.directories import directories
    from schedtui.config.settings import load_settings
    from schedtui.ui.services.prepare import Request
    from schedtui.ui.terminal import check_terminal

    inputs = _inputs(options.logs)
    check_terminal()
    places = directories()
    settings = load_settings(places.config_file)
    keys = key_table(options.keys, settings.keys)
    request = Request(kind, options, settings, release or settings.lab.release, tour, inputs=inputs)
    return _show(request, keys, places.themes)


def _show(request: Request, keys: KeyTable, user_themes: Path) -> int:
    """Run the application until it ends; what went wrong at last is told after the screen is gone."""
    from schedtui.ui.app import SchedtuiApp
    from schedtui.ui.director import Director
    from schedtui.ui.terminal import TerminalWatchdog, catch_signals, key_descriptor, repaint_when_continued
    from schedtui.ui.themes import load_themes

    sys.setswitchinterval(SWITCH_SECONDS)
    themes = load_themes(user_themes)
    director = Director(request, keys)
    theme = request.options.theme or request.settings.theme
    begun = threading.Event()

    def leave(code: int) -> None:
        # The screen is switched on before there is a loop that can be asked to leave.
        begun.wait()
        app.call_from_thread(director.leave, code)

    def interrupt() -> None:
        if begun.is_set():
            app.wake(director.interrupt)

    def begin() -> None:
        repaint_when_continued(key_descriptor(), lambda: app.wake(app.redraw))
        begun.set()

    watchdog = TerminalWatchdog(key_descriptor(), leave, director.clean_up)
    app = SchedtuiApp(director, themes, theme, begin)
    watchdog.start()
    catch_signals(watchdog.hurry, interrupt)
    try:
        code = app.run(mouse=False)
    finally:
        director.clean_up()
        watchdog.finish()
    for line in director.parting():
        print(line)
    if director.failure is not None:
        raise director.failure
    return code if code is not None else app.return_code or int(director.faulty)


def _inputs(logs: tuple[str, ...]) -> tuple[str, ...]:
    """The logs to read; with standard input among them, the keys come from the terminal.

    Raises:
        UnreadableInput: There is no terminal to read keys from.
    """
    if "-" in logs:
        from schedtui.ui.terminal import keys_from_terminal

        keys_from_terminal()
    return logs


def key_table(option: str, settings: Mapping[str, str]) -> KeyTable:
    """The keys: those of a preset, those of a file, or the usual ones, and the configuration's remaps over them.

    Args:
        option: ``--keys``: the name of a preset, a file, or empty. A file stands for itself, without the remaps.
        settings: The table ``[keys]`` of the configuration.

    Raises:
        UnreadableInput: The file cannot be read.
        WrongUse: It is not TOML, or it does not fit.
    """
    from schedtui.ui.key_table import table_for
    from schedtui.ui.keys import PRESETS

    if option and option not in PRESETS:
        return table_for({name: split_keys(text) for name, text in _read_keys(Path(option)).items()})
    own = {name: split_keys(text) for name, text in settings.items()}
    return table_for({**PRESETS.get(option, {}), **own})


def _read_keys(path: Path) -> dict[str, str]:
    try:
        document = toml_document(read_toml_bytes(path))
    except OSError as error:
        raise UnreadableInput(
            "no such preset, and no file that can be read", where=str(path), hint="Presets: gdb, vim, vscode."
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WrongUse("the key file is not valid TOML", where=f"{path}: {error}") from error
    table = document.get("keys", document)
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise WrongUse(
            'the key file must hold action = "keys" pairs',
            where=str(path),
            hint='Like: "debug.continue" = "c, f5"',
        )
    return table


def split_keys(text: str) -> tuple[str, ...]:
    """``c, f5`` → its sequences; the comma key itself is written ``comma``."""
    return tuple(
        " ".join("," if key == "comma" else key for key in part.split())
        for part in text.split(",")
        if part.strip()
    )


__all__ = ["Options", "run_lab", "run_logs", "run_source", "run_start_screen", "split_keys"]
