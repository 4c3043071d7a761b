"""The catalogue of stations for one session, the user's own in it, and what to look at where the target stands.

Owns the choice of the catalogue and the rows that offer stations. Where a station lies is found by
``debugger.breakpoints``; nothing is set here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.debugger import breakpoints, model
from schedtui.debugger.catalogue import USER_FILE, load_catalogue, own_catalogue
from schedtui.ui import messages

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.debugger.catalogue import Catalogue, Station
    from schedtui.toolchain.checkout import Checkout

Line = tuple[str, str, "messages.Wish | None"]
"""(text, role, what is wished when it is chosen)."""


@dataclass(frozen=True, slots=True)
class SessionCatalogue:
    """The catalogue of a session."""

    catalogue: Catalogue
    note: str = ""
    """Why the user's own stations are not in it; empty when all is well."""
    _places: dict[str, breakpoints.Resolution] = field(default_factory=dict)

    def place_of(self, station: Station, checkout: Checkout | None) -> breakpoints.Resolution | None:
        """Where a station lies in the tree; looked up once: it takes a tenth of a second."""
        if checkout is None:
            return None
        if station.name not in self._places:
            self._places[station.name] = breakpoints.resolve_in_source(station, checkout)
        return self._places[station.name]

    def lines(self, checkout: Checkout | None, pod: str = "") -> tuple[Line, ...]:
        """The stations and sets to choose from.

        Args:
            checkout: The tree that they are looked up in; None without one.
            pod: ``ns/name``: offer only stations that know their pod, each for this pod alone.
        """
        lines: list[Line] = []
        for station in self.catalogue.stations:
            if pod and not any(place.pod for place in station.place):
                continue
            found = self.place_of(station, checkout)
            place = f"{found.file}:{found.line}" if found is not None and found.file else ""
            missing = found is not None and found.status == "missing"
            command = model.SetBreakpoint(station.name, pod=pod)
            wish = None if missing else messages.DebuggerCommandRequested(command)
            reason = f"  {found.moved}" if missing and found is not None else ""
            lines.append((f"{station.name:<18} {station.title}  {place}{reason}", "dim" if missing else "", wish))
        for name in self.catalogue.sets:
            on = messages.DebuggerCommandRequested(model.SetBreakpoints(name, pod=pod))
            lines.append((f"set {name:<14} all of this set on", "key", on))
            if not pod:
                off = messages.DebuggerCommandRequested(model.SetBreakpoints(name, on=False))
                lines.append((f"set {name:<14} all of this set off", "dim", off))
        return tuple(lines)

    def sight_at(self, stop: model.Stop, asked: str) -> messages.Sight:
        """What to look at in the selected frame: the words and expressions of the stations that lie there.

        Args:
            stop: Where the target stands.
            asked: What the breakpoint that it stopped at was asked for; empty at other stops.
        """
        if stop.selected_frame >= len(stop.frames):
            return messages.NO_SIGHT
        found = breakpoints.stations_at(self.catalogue, stop.frames[stop.selected_frame].function)
        station = self.catalogue.find(asked) if asked else None
        meant = breakpoints.narrowed(station, self.catalogue).name if station is not None and stop.pod else asked
        # The station that was asked for tells first; a function may hold several.
        found = tuple(sorted(found, key=lambda pair: pair[0].name not in (asked, meant)))
        look = dict.fromkeys(expression for _, place in found for expression in place.look)
        return messages.Sight(found[0][0].name, found[0][0].title, tuple(look)) if found else messages.NO_SIGHT


def session_catalogue(configuration: Path) -> SessionCatalogue:
    """The package's stations with the user's; a file of the user's that does not fit is told and left out."""
    try:
        return SessionCatalogue(load_catalogue(configuration / USER_FILE))
    except SchedtuiError as error:
        return SessionCatalogue(own_catalogue(), error.as_text())
