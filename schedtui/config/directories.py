"""Where configuration, caches, state and run logs belong on this system.

Owns the names of the places and the variables that move them. Asking for a place never makes it:
``files.private_directory`` does, when something is written.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import WrongUse

if TYPE_CHECKING:
    from collections.abc import Mapping

APPLICATION = "schedtui"
"""The name of our folder inside the platform's own folders."""

CONFIG_VARIABLE = "SCHEDTUI_CONFIG"
"""Names the configuration *file*; wins over everything else."""

CACHE_VARIABLE = "SCHEDTUI_CACHE"
"""Names the cache *directory* (builds, tools, source indexes)."""

STATE_VARIABLE = "SCHEDTUI_STATE"
"""Names the state *directory* (what is remembered per checkout, saved filters, run logs)."""

CONFIG_FILE_NAME = "config.toml"
"""The configuration file inside the configuration directory."""


@dataclass(frozen=True, slots=True)
class Directories:
    """The places, all absolute; none of them need exist."""

    config_file: Path
    """The user's TOML file."""
    cache: Path
    """What can be made again: lab builds, an installed dlv, source indexes. Safe to delete."""
    state: Path
    """What schedtui remembers: per checkout, saved filters, records of sessions."""

    @property
    def config(self) -> Path:
        """The directory of the configuration file; user themes and scenarios are looked for beside it."""
        return self.config_file.parent

    @property
    def run_logs(self) -> Path:
        """The logs of this and earlier runs of a scheduler."""
        return self.state / "runs"

    @property
    def checkouts(self) -> Path:
        """One state file per source tree."""
        return self.state / "checkouts"

    @property
    def themes(self) -> Path:
        """Themes of the user's own."""
        return self.config / "themes"


def directories(environment: Mapping[str, str] | None = None) -> Directories:
    """The places for ``environment`` (default: the process's own).

    The order: schedtui's own variable, the XDG variable (on every system), the platform's custom. As the XDG
    specification asks, a relative path in an XDG variable is ignored.

    Raises:
        WrongUse: One of schedtui's own variables holds a relative path, or there is no home to fall back to.
    """
    variables = os.environ if environment is None else environment
    named_file = _own_variable(variables, CONFIG_VARIABLE)
    config_file = named_file or _base(variables, "XDG_CONFIG_HOME", "config") / CONFIG_FILE_NAME
    return Directories(
        config_file=config_file,
        cache=_own_variable(variables, CACHE_VARIABLE) or _base(variables, "XDG_CACHE_HOME", "cache"),
        state=_own_variable(variables, STATE_VARIABLE) or _base(variables, "XDG_STATE_HOME", "state"),
    )


def typed_path(text: str | Path) -> Path:
    """A path as people type it, ``~`` their home; ``~name`` that the system does not know stands for itself."""
    path = Path(text)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def home() -> Path:
    """The user's home; the root where the system knows of none, as for a bare user id in a container."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def _own_variable(variables: Mapping[str, str], name: str) -> Path | None:
    text = variables.get(name, "")
    if not text:
        return None
    path = typed_path(text)
    if not path.is_absolute():
        raise WrongUse(
            f"{name} is not an absolute path", where=text, hint=f"Give the whole path: {name}={path.absolute()}"
        )
    return path


def _base(variables: Mapping[str, str], xdg_variable: str, kind: str) -> Path:
    text = variables.get(xdg_variable, "")
    if text and Path(text).is_absolute():
        return Path(text) / APPLICATION
    # Imported late: most commands write nothing and never ask for these places.
    from platformdirs import PlatformDirs

    places = PlatformDirs(APPLICATION, appauthor=False)
    try:
        return Path(str(getattr(places, f"user_{kind}_dir")))
    except RuntimeError as error:
        # A bare user id in a container: no HOME, no line in the list of users.
        raise WrongUse(
            "your home directory is not known",
            where="HOME",
            hint="Set HOME, or each of SCHEDTUI_CONFIG (a file), SCHEDTUI_CACHE and SCHEDTUI_STATE (directories).",
        ) from error
