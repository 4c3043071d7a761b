"""The well-known breakpoints as data: read from TOML, the user's own added.

Owns the shape of the catalogue and its reading. Where a station lies in a source tree or a binary is for
``breakpoints`` to find.
"""

from __future__ import annotations

import functools
import importlib.resources
from typing import TYPE_CHECKING

import msgspec

from schedtui.config.toml_files import read_toml_bytes, toml_document
from schedtui.core.errors import WrongUse

if TYPE_CHECKING:
    from pathlib import Path

USER_FILE = "breakpoints.toml"
"""Name of the user's own catalogue beside the configuration file."""


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One place where a station lies, in the releases that have it."""

    function: str
    """Below ``k8s.io/kubernetes/``: ``pkg/scheduler.(*Scheduler).ScheduleOne``, or a full import path."""
    at: str = ""
    """A text in the line to stop at; empty for the function's entry."""
    has: str = ""
    """A text that the function's source must hold, where releases differ in its parameters; empty for any."""
    pod: str = ""
    """The expression of the ``*v1.Pod`` there; empty where none is known yet."""
    look: tuple[str, ...] = ()
    """What to look at there."""


class Station(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One station of a pod."""

    name: str
    title: str = ""
    place: tuple[Place, ...] = ()
    """In order: the first that a release has counts."""
    sets: tuple[str, ...] = ()
    documented: str = ""
    """The spelling of tutorials."""
    also: tuple[str, ...] = ()
    """Other names for it."""
    narrow: str = ""
    """The station to use when one pod is meant and this one does not know its pod yet."""
    hot: bool = False
    """True where it is passed once per node or plugin."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    station: tuple[Station, ...] = ()


class Catalogue:
    """The stations in order, by any of their names.

    Args:
        stations: In the order to show them; a later one of the same name replaces an earlier one.
    """

    def __init__(self, stations: tuple[Station, ...]) -> None:
        self._by_name = {station.name: station for station in stations}

    @property
    def stations(self) -> tuple[Station, ...]:
        """All of them."""
        return tuple(self._by_name.values())

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of the sets, in the order of their first station."""
        return tuple(dict.fromkeys(name for station in self.stations for name in station.sets))

    def in_set(self, name: str) -> tuple[Station, ...]:
        """The stations of a set."""
        return tuple(station for station in self.stations if name in station.sets)

    def find(self, text: str) -> Station | None:
        """The station that ``text`` names: its name, an alias, or the documented spelling of any length."""
        if text in self._by_name:
            return self._by_name[text]
        for station in self.stations:
            if text in station.also or _is_documented(text, station.documented):
                return station
        return None


def _is_documented(text: str, documented: str) -> bool:
    """True for the documented spelling, the same with more or less of its path, and after a move of the file."""
    if not documented:
        return False
    path, _, function = documented.rpartition(":")
    given_path, colon, given = text.rpartition(":")
    if not colon or given.lower() != function.lower():
        return False
    return path == given_path or path.endswith("/" + given_path) or given_path.endswith("/" + path)


@functools.cache
def own_catalogue() -> Catalogue:
    """The package's own catalogue."""
    text = importlib.resources.files("schedtui.debugger").joinpath("catalogue.toml").read_text("utf-8")
    return Catalogue(msgspec.toml.decode(text, type=_File).station)


def load_catalogue(user_file: Path | None = None) -> Catalogue:
    """The package's catalogue with the user's stations added.

    Raises:
        WrongUse: The user's file does not fit.
    """
    own = own_catalogue()
    if user_file is None or not user_file.is_file():
        return own
    try:
        added = msgspec.convert(toml_document(read_toml_bytes(user_file)), _File).station
    except (ValueError, OSError) as error:
        raise WrongUse(
            f"The breakpoints do not fit ({error})",
            where=str(user_file),
            hint='Each needs [[station]] with name = "…" and [[station.place]] with function = "…".',
        ) from error
    return Catalogue((*own.stations, *added))
