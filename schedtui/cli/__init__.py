"""The command line: words to settings, results to text, JSON and exit codes.

Owns the command table, the one place where errors become messages and exit codes, and nothing else. Each
command's module is imported only when that command runs, so that ``--version`` and ``--help`` stay quick and no
analysis command loads Textual.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import TYPE_CHECKING, cast

import click

from schedtui import __version__
from schedtui.core.errors import Cancelled, SchedtuiError

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: dict[str, tuple[str, str]] = {
    "lab": (
        "schedtui.cli.lab:lab",
        "a private control plane with a debuggable scheduler; alone: up, then the TUI",
    ),
    "doctor": (
        "schedtui.cli.doctor:doctor",
        "check the whole set-up; each finding with the command that mends it",
    ),
    "source": ("schedtui.cli.source:source", "get, switch and describe Kubernetes source trees"),
    "build": ("schedtui.cli.build:build", "build a debuggable kube-scheduler from a source tree"),
    "breakpoints": (
        "schedtui.cli.breakpoints:breakpoints",
        "the documented breakpoints, resolved for a source tree",
    ),
    "levels": (
        "schedtui.cli.levels:levels",
        "the V level of each log call, and how much of a log they explain",
    ),
    "logs": ("schedtui.cli.logs:logs", "records that match"),
    "queue": ("schedtui.cli.queue:queue", "the scheduling queues, rebuilt from a log"),
    "check": ("schedtui.cli.queue:check", "the rebuilt queues against the scheduler's own dumps in the log"),
    "report": ("schedtui.cli.report:report", "bindings per node, attempts, waits, failure reasons"),
    "pod": ("schedtui.cli.report:pod", "one pod's whole story"),
    "export": ("schedtui.cli.export:export", "records, queue events and pod stories for other tools"),
    "config": ("schedtui.cli.config:config", "check, show or find the configuration file"),
}
"""Name → (``module:attribute`` of the click command, one line of help)."""

TUI_COMMAND = "schedtui.cli.tui:tui"
"""What runs when no command is named."""


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What the system says when output cannot be written."""


def _load(target: str) -> click.Command:
    module_name, attribute = target.split(":")
    return cast("click.Command", getattr(importlib.import_module(module_name), attribute))


class _CommandTable(click.Group):
    """Resolves a command's name without importing the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        return _load(entry[0]) if entry else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(
            "Without a command the TUI starts: 'schedtui --src DIR', 'schedtui --log FILE', or alone inside a"
            " source tree. 'schedtui tui --help' lists its options."
        )


@click.group(
    cls=_CommandTable, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, "--version", message="schedtui %(version)s")
def main_group() -> None:
    """Build, run and debug kube-scheduler from source, on one terminal screen."""


def _command_for(arguments: Sequence[str]) -> tuple[click.Command, list[str], str]:
    """The command that ``arguments`` mean, its own arguments, and the name it is shown under."""
    first = arguments[0] if arguments else ""
    if first == "tui":
        return _load(TUI_COMMAND), list(arguments[1:]), "schedtui"
    if first in COMMANDS or first in ("--version", "--help", "-h"):
        return main_group, list(arguments), "schedtui"
    return _load(TUI_COMMAND), list(arguments), "schedtui"


def _literal(error: SchedtuiError) -> str:
    """The error as lines that a terminal only prints, whatever a file's name or a log's text holds."""
    from schedtui.cli.output import printable

    return "\n".join(printable(line.expandtabs(4)) for line in error.as_text().split("\n"))


def _give_up_output() -> None:
    """Let what is still buffered go nowhere: the interpreter writes it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fill_closed_outputs() -> None:
    """Let what goes to a closed standard output or error go nowhere; no file of ours may take its number."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, "w", encoding="utf-8", errors="replace", closefd=False))  # noqa: SIM115


def run(arguments: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        The exit code: 0 fine, 1 a difference or a failed check, 2 wrong use or unreadable input, 130 interrupted.
    """
    _fill_closed_outputs()
    try:
        command, rest, name = _command_for(arguments)
        result = command.main(args=rest, prog_name=name, standalone_mode=False)
        # Here, and not at the interpreter's end, where nobody could tell the user.
        sys.stdout.flush()
    except Cancelled as stopped:
        click.echo(f"schedtui: {_literal(stopped)}", err=True)
        return 130
    except SchedtuiError as error:
        click.echo(f"schedtui: {_literal(error)}", err=True)
        return 2
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("schedtui: interrupted", err=True)
        return 130
    except BrokenPipeError:
        # The reader of our output (head, less) went away: nothing more can be said to it.
        _give_up_output()
        return 0
    except SystemExit as stop:
        # click's own answer to a broken pipe, with an exit code that means a difference here.
        if stop.code != 1:
            raise
        _give_up_output()
        return 0
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        where = f": {error.filename}" if error.filename else ""
        click.echo(f"schedtui: cannot write the output: {error.strerror}{where}\nMake room for it.", err=True)
        _give_up_output()
        return 2
    return result if isinstance(result, int) else 0
