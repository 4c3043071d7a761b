"""The configuration file: its keys, their defaults and its strict reading.

Owns the ``Settings`` values and how TOML becomes them. It never writes the file and never looks at command-line
options: ``cli`` lays those over the settings. Unknown keys and wrong types are errors that name the file, the key
and the nearest key that exists, since a silently ignored typing error is worse than a refusal.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from typing import TYPE_CHECKING, Any, Literal, cast, get_type_hints

import msgspec

from schedtui.config.toml_files import read_toml_bytes, toml_document
from schedtui.core.errors import UnreadableInput, WrongUse

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_VERBOSITY = 5
"""klog's ``-v`` for a scheduler that schedtui starts: the lowest level at which 1.29, 1.36 and 1.37 all log every
queue move."""

DEFAULT_RELEASE = "v1.36.3"
"""The Kubernetes release of a lab when none is named."""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file: nothing but its own keys."""


class DebuggerSettings(_Table, frozen=True):
    """``[debugger]``: how dlv is found and how sessions behave."""

    dlv: str = ""
    """Path of the dlv to use; empty: PATH, GOPATH/bin, then schedtui's own cache."""
    persistent: bool = False
    """Keep target and dlv alive when the terminal goes away (``--persistent``)."""
    dlv_debug: bool = False
    """Let ``dlv debug`` build instead of building first (``--dlv-debug``)."""
    run: bool = False
    """Continue at once instead of waiting at the entry (``--run``)."""
    substitute_path: list[tuple[str, str]] = []
    """Pairs (path in the binary, path here) on top of those found out by itself."""


class LogSettings(_Table, frozen=True):
    """``[log]``: the log pane."""

    wrap: bool = False
    """Wrap long lines from the start (``L`` toggles)."""
    follow: bool = True
    """Start at the end and follow."""
    show_level: int | None = None
    """Level filter at the start: show V up to this; unset shows all."""
    poll_seconds: float = 0.5
    """How often a file is looked at even when no file event comes."""


class LabSettings(_Table, frozen=True):
    """``[lab]``: the private control plane."""

    release: str = DEFAULT_RELEASE
    """Kubernetes release, ``vMAJOR.MINOR.PATCH``."""
    scenario: str = ""
    """The scenario loaded after ``up``; empty: the lab's own default."""


class RunLogSettings(_Table, frozen=True):
    """``[runs]``: the kept logs of earlier runs."""

    keep: int = 30
    """How many runs are kept at most."""
    max_megabytes: int = 2000
    """How much room (10^6 bytes) they may take together."""


class SourceSettings(_Table, frozen=True):
    """``[source]``: where source comes from."""

    repository: str = "https://github.com/kubernetes/kubernetes.git"
    """What ``source get`` clones when no ``--repo`` is given; a mirror may stand here."""


class Settings(_Table, frozen=True):
    """The whole file. Every key has a default; an empty or missing file is a good one."""

    theme: str = ""
    """Name of the theme; empty: chosen by what the terminal can show."""
    verbosity: int = DEFAULT_VERBOSITY
    """klog's ``-v`` of schedulers that schedtui starts (``-v N``)."""
    kubeconfig: str = ""
    """The kubeconfig when none is given; empty: a running lab's, then $KUBECONFIG, then ~/.kube/config."""
    scheduler_config: str = ""
    """A KubeSchedulerConfiguration file given to every start (``--config``)."""
    scheduler_flags: list[str] = []
    """Further flags for every start, as after ``--``."""
    low_bandwidth: bool = False
    """Fewer frames and no sparklines, for slow lines."""
    clipboard: Literal["auto", "osc52", "tmux", "off"] = "auto"
    """How ``y`` copies."""
    keys: dict[str, str] = {}
    """Action id → keys, separated by commas (``schedtui tui`` shows the ids in ``?``)."""
    filters: dict[str, str] = {}
    """Name → log filter, offered in the palette."""
    watches: list[str] = []
    """Expressions watched in every session."""
    debugger: DebuggerSettings = DebuggerSettings()
    log: LogSettings = LogSettings()
    lab: LabSettings = LabSettings()
    runs: RunLogSettings = RunLogSettings()
    source: SourceSettings = SourceSettings()


LIMITS: dict[str, tuple[float, float]] = {
    "verbosity": (0, 10),
    "log.show_level": (0, 10),
    "log.poll_seconds": (0.05, 60),
    "runs.keep": (1, 10_000),
    "runs.max_megabytes": (1, 1_000_000),
}
"""Lowest and highest value of the numeric keys; klog's levels end at 10."""


def load_settings(path: Path, *, required: bool = False) -> Settings:
    """Read the configuration file.

    Args:
        path: The file (``directories().config_file``).
        required: A missing file is an error (it was named by the user) instead of the defaults.

    Raises:
        WrongUse: The file is not TOML, holds an unknown key or a value that does not fit.
        UnreadableInput: The file cannot be read.
    """
    try:
        content = read_toml_bytes(path)
    except FileNotFoundError as error:
        if required:
            raise UnreadableInput(
                "No such configuration file", where=str(path), hint="'schedtui config path' shows the usual place."
            ) from error
        return Settings()
    except OSError as error:
        raise UnreadableInput(
            f"Cannot read the configuration file ({error.strerror})",
            where=str(path),
            hint="Check its owner and permissions.",
        ) from error
    return parse_settings(content, str(path))


def parse_settings(content: bytes, name: str) -> Settings:
    """Turn the bytes of a configuration file into settings; ``name`` is how errors call the file.

    Raises:
        WrongUse: See ``load_settings``.
    """
    try:
        document = toml_document(content)
    except UnicodeDecodeError as error:
        raise WrongUse(
            "The configuration file is not UTF-8",
            where=f"{name}, byte {error.start}",
            hint="Save it as UTF-8: TOML allows nothing else.",
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise WrongUse("The configuration file is not valid TOML", where=f"{name}: {error}") from error
    _refuse_unknown_keys(document, Settings, "", name)
    try:
        settings = msgspec.convert(document, Settings)
    except msgspec.ValidationError as error:
        raise _wrong_value(str(error), name) from error
    _refuse_out_of_range(settings, name)
    return settings


def describe_settings(settings: Settings) -> list[tuple[str, object]]:
    """Every key in dotted form with its value, in the order of the file's documentation."""
    rows: list[tuple[str, object]] = []
    for key, value in cast("dict[str, Any]", msgspec.to_builtins(settings)).items():
        if isinstance(getattr(settings, key), msgspec.Struct):
            rows.extend((f"{key}.{inner}", inner_value) for inner, inner_value in value.items())
        else:
            rows.append((key, value))
    return rows


def _refuse_unknown_keys(document: dict[str, Any], table: type[msgspec.Struct], prefix: str, name: str) -> None:
    types = get_type_hints(table)
    known = table.__struct_fields__
    for key, value in document.items():
        if key not in known:
            raise WrongUse(
                "Unknown key in the configuration file",
                where=f"{name}: {prefix}{key}",
                hint=_nearest(key, prefix, known),
            )
        inner = types[key]
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct) and isinstance(value, dict):
            _refuse_unknown_keys(value, inner, f"{prefix}{key}.", name)


def _nearest(key: str, prefix: str, known: tuple[str, ...]) -> str:
    everywhere = {dotted: dotted.rpartition(".")[2] for dotted, _ in describe_settings(Settings())}
    everywhere |= {name: name for name in Settings.__struct_fields__}
    close = difflib.get_close_matches(key.replace("-", "_"), known, n=1)
    if close:
        return f"Did you mean {prefix}{close[0]}?"
    # The right name in the wrong table is the commonest of the other mistakes.
    elsewhere = [dotted for dotted, last in everywhere.items() if last == key.replace("-", "_")]
    elsewhere += [dotted for dotted in everywhere if difflib.get_close_matches(key, [dotted], n=1, cutoff=0.75)]
    if elsewhere:
        return f"Did you mean {elsewhere[0]}?"
    return f"Known here: {', '.join(known)}."


_PLAIN_WORDS = {
    "`int | null`": "a whole number",
    "`int`": "a whole number",
    "`str`": "text in quotes",
    "`bool`": "true or false",
    "`float`": "a number",
    "`array`": "a list",
    "`object`": "a table",
}
"""msgspec's names of types → what a person writing TOML calls them."""


def _wrong_value(message: str, name: str) -> WrongUse:
    """Msgspec says ``Expected `int`, got `str` - at `$.log.show_level```."""
    found = re.search(r" - at `\$\.?(?P<path>[^`]*)`$", message)
    where, reason = (found["path"], message[: found.start()]) if found else ("", message)
    for technical, plain in _PLAIN_WORDS.items():
        reason = reason.replace(technical, plain)
    return WrongUse(
        "A value in the configuration file does not fit",
        where=f"{name}: {where}",
        hint=f"{reason.replace('`', '')}.",
    )


def _refuse_out_of_range(settings: Settings, name: str) -> None:
    for key, value in describe_settings(settings):
        lowest, highest = LIMITS.get(key, (0, 0))
        if key in LIMITS and value is not None and not lowest <= cast("float", value) <= highest:
            raise WrongUse(
                "A value in the configuration file is out of range",
                where=f"{name}: {key} = {value}",
                hint=f"It must lie between {lowest:g} and {highest:g}.",
            )
