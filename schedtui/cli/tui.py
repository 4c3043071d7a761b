"""``schedtui`` without a command: the TUI.

Owns the options of the screen and which door into ``ui.launch`` they mean. It imports the screen only when it
runs.
"""

from __future__ import annotations

from pathlib import Path

import click

from schedtui.core.errors import WrongUse

TYPED = "schedtui.typed"
"""Where the words are kept as they were typed: click drops the ``--`` that scheduler flags stand behind."""


class _TuiCommand(click.Command):
    """Remembers what was typed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[TYPED] = tuple(args)
        return super().parse_args(ctx, args)


@click.command(cls=_TuiCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--src", "source", metavar="DIR", help="Debug the scheduler of this source tree; built when needed.")
@click.option("--log", "logs", metavar="FILE", multiple=True, help="Show this log, too; '-' is standard input.")
@click.option("--kubeconfig", metavar="FILE", help="The cluster; without it a running lab, then the usual places.")
@click.option("--config", "scheduler_config", metavar="FILE", help="A KubeSchedulerConfiguration.")
@click.option("-v", "verbosity", metavar="N", type=click.IntRange(0, 10), help="The scheduler's verbosity (5).")
@click.option("--run", "run", is_flag=True, help="Continue at once instead of waiting at the entry.")
@click.option("--exec", "binary", metavar="BIN", help="Debug this binary instead of building one.")
@click.option("--attach", "attach", metavar="PID", type=int, help="Debug a running scheduler.")
@click.option("--connect", metavar="ADDR", help="Debug through a headless dlv: host:port or unix:PATH.")
@click.option("--dlv-debug", is_flag=True, help="Let 'dlv debug' build (all packages without optimisation).")
@click.option("--test", "test_package", metavar="PKG", help="Debug the tests of a package; flags after '--'.")
@click.option("--persistent", is_flag=True, help="Keep scheduler and dlv alive when the line drops.")
@click.option(
    "--no-debugger",
    is_flag=True,
    help="Run the scheduler free, optimised, its log recorded; with --log FILE only that log.",
)
@click.option("--dlv", metavar="PATH", help="The dlv to use.")
@click.option("--theme", metavar="NAME", help="dark, light, 256, 16, high-contrast, mono, or one of your own.")
@click.option("--keys", metavar="NAME", help="A key preset (vim, gdb, vscode) or a TOML file.")
@click.option("--low-bandwidth", is_flag=True, help="Fewer frames and no sparklines, for slow lines.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[FILE]... [-- SCHEDULER FLAGS]")
@click.pass_context
def tui(context: click.Context, /, **given: object) -> int:
    """The screen: debugger, log and queue of one kube-scheduler.

    FILE is a log to show. Flags after '--' go to the scheduler.
    """
    from schedtui.ui import launch

    files, flags = _split(context, given.pop("words"))
    _refuse_misspelt(files)
    logs = (*_texts(given, "logs"), *files)
    options = launch.Options(
        source=_text(given, "source"), logs=logs, kubeconfig=_text(given, "kubeconfig"),
        scheduler_config=_text(given, "scheduler_config"), verbosity=_number(given, "verbosity"),
        continue_at_once=bool(given["run"]), binary=_text(given, "binary"), attach_pid=_number(given, "attach"),
        connect=_text(given, "connect"), dlv_debug=bool(given["dlv_debug"]),
        test_package=_text(given, "test_package"), persistent=bool(given["persistent"]),
        no_debugger=bool(given["no_debugger"]), dlv=_text(given, "dlv"),
        theme=_text(given, "theme"), keys=_text(given, "keys"), low_bandwidth=bool(given["low_bandwidth"]),
        scheduler_flags=flags,
    )  # fmt: skip
    return run_for(options)


def run_for(options: object) -> int:
    """Go through the door that the options mean.

    Raises:
        WrongUse: The options contradict each other.
    """
    from schedtui.toolchain.source_root import find_root
    from schedtui.ui import launch

    assert isinstance(options, launch.Options)
    targets = [name for name, given in (
        ("--exec", options.binary), ("--attach", options.attach_pid), ("--connect", options.connect),
        ("--test", options.test_package),
    ) if given]  # fmt: skip
    if len(targets) > 1:
        raise WrongUse(f"{' and '.join(targets)} name different targets", hint="Give one of them.")
    if options.test_package and not options.source:
        raise WrongUse("--test needs the source tree", hint="Add --src DIR.")
    if options.logs and (options.no_debugger or (not targets and not options.source)):
        return launch.run_logs(options)
    if options.no_debugger and set(targets) - {"--exec"}:
        raise WrongUse(
            f"{targets[0]} is for a debugger", hint="--no-debugger runs a scheduler of --src DIR or --exec BIN."
        )
    if options.source or targets:
        return launch.run_source(options)
    here = find_root(Path.cwd())
    if here is not None:
        from dataclasses import replace

        return launch.run_source(replace(options, source=str(here)))
    if options.no_debugger:
        raise WrongUse(
            "nothing to run", hint="Name a source tree with --src, a binary with --exec, or a --log FILE."
        )
    return launch.run_start_screen(options)


def _split(context: click.Context, words: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files in front of ``--``, the scheduler's flags behind it.

    click drops the ``--`` itself, so where it stood is looked up in what was typed.
    """
    assert isinstance(words, tuple)
    typed = list(context.meta.get(TYPED, ()))
    behind = len(typed) - typed.index("--") - 1 if "--" in typed else 0
    if behind:
        return tuple(words[:-behind]), tuple(words[-behind:])
    return tuple(words), ()


def _refuse_misspelt(files: tuple[str, ...]) -> None:
    """A word that is no file but nearly a command is no log that is still to come.

    Raises:
        WrongUse: The first word is one.
    """
    from difflib import get_close_matches

    from schedtui.cli import COMMANDS

    word = files[0] if files else ""
    near = get_close_matches(word, COMMANDS, 1, 0.7) if word.isalpha() else []
    if near and not Path(word).exists():
        raise WrongUse(
            f"no command and no file '{word}'",
            hint=f"Did you mean 'schedtui {near[0]}'? A log that is still to come: --log {word}",
        )


def _text(given: dict[str, object], name: str) -> str:
    value = given[name]
    return value if isinstance(value, str) else ""


def _texts(given: dict[str, object], name: str) -> tuple[str, ...]:
    value = given[name]
    return tuple(str(item) for item in value) if isinstance(value, tuple) else ()


def _number(given: dict[str, object], name: str) -> int | None:
    value = given[name]
    return value if isinstance(value, int) else None
