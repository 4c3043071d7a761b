"""The doors into the TUI, for ``cli``: what is wanted in, an exit code out.

Owns the options value and the order of the first steps (settings, key table, theme, terminal). It draws nothing
and starts no child; ``services`` does.
"""

from __future__ import annotations

from schedtui.ui.options import Options


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


def _run(kind: str, options: Options, *, release: str = "", tour: bool = False) -> int:
    from schedtui.ui.app import run_app

    return run_app(kind, options, release=release, tour=tour)


__all__ = ["Options", "run_lab", "run_logs", "run_source", "run_start_screen"]
