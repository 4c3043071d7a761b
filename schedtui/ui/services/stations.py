"""The catalogue of stations for one session, the user's own in it, and what to look at where the target stands.

Owns the choice of the catalogue and the rows that offer stations. Where a station lies is found by
``debugger.breakpoints``; nothing is set here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.debugger import breakpoints, model
from schedtui.debugger.catalogue import USER_FILE, load_catalogue, own_catalogue
from schedtui.ui import messages

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.debugger.catalogue import Catalogue
    from schedtui.toolchain.checkout import Checkout

Line = tuple[str, str, "messages.Wish | None"]
"""(text, role, what is wished when it is chosen)."""


@dataclass(frozen=True, slots=True)
class SessionCatalogue:
    """The catalogue of a session."""

    catalogue: Catalogue
    note: str = ""
    """Why the user's own stations are not in it; empty when all is well."""

    def sight_at(self, stop: model.Stop) -> messages.Sight:
        """What to look at in the selected frame: the words and expressions of the stations that lie there."""
        if stop.selected_frame >= len(stop.frames):
            return messages.NO_SIGHT
        stations = breakpoints.stations_at(self.catalogue, stop.frames[stop.selected_frame].function)
        look = dict.fromkeys(expression for _, place in stations for expression in place.look)
        names = ", ".join(dict.fromkeys(station.name for station, _ in stations))
        titles = "; ".join(dict.fromkeys(station.title for station, _ in stations))
        return messages.Sight(names, titles, tuple(look))


def session_catalogue(configuration: Path) -> SessionCatalogue:
    """The package's stations with the user's; a file of the user's that does not fit is told and left out."""
    try:
        return SessionCatalogue(load_catalogue(configuration / USER_FILE))
    except SchedtuiError as error:
        return SessionCatalogue(own_catalogue(), error.as_text())


def catalogue_lines(catalogue: Catalogue, checkout: Checkout | None, pod: str = "") -> tuple[Line, ...]:
    """The stations and sets to choose from.

    Args:
        catalogue: All stations.
        checkout: The tree that they are looked up in; None without one.
        pod: ``ns/name``: offer only stations that know their pod, each for this pod alone.
    """
    lines: list[Line] = []
    for station in catalogue.stations:
        if pod and not any(place.pod for place in station.place):
            continue
        found = breakpoints.resolve_in_source(station, checkout) if checkout is not None else None
        place = f"{found.file}:{found.line}" if found is not None and found.file else ""
        missing = found is not None and found.status == "missing"
        wish = None if missing else messages.DebuggerCommandRequested(model.SetBreakpoint(station.name, pod=pod))
        reason = f"  {found.moved}" if missing and found is not None else ""
        lines.append((f"{station.name:<18} {station.title}  {place}{reason}", "dim" if missing else "", wish))
    for name in catalogue.sets:
        on = messages.DebuggerCommandRequested(model.SetBreakpoints(name, pod=pod))
        lines.append((f"set {name:<14} all of this set on", "key", on))
        if not pod:
            off = messages.DebuggerCommandRequested(model.SetBreakpoints(name, on=False))
            lines.append((f"set {name:<14} all of this set off", "dim", off))
    return tuple(lines)
