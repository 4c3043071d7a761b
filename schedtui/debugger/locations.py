"""Where a wanted breakpoint goes in the target at hand, and what to do when it goes nowhere.

Owns the way from what was asked for (a catalogue name, a tutorial's spelling, file:line, a bare name) to a
location that dlv accepts, and the reasons in words. It sets nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger import breakpoints as resolving
from schedtui.debugger.conversation import starlark_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.config.state import KeptBreakpoint
    from schedtui.debugger.catalogue import Catalogue, Place, Station
    from schedtui.debugger.model import Breakpoint
    from schedtui.debugger.replies import Refusal
    from schedtui.debugger.workbench import Workbench

NEAREST_LINES = 40
"""How far a line with code is looked for."""

CANDIDATES = 12
"""How many names a refusal lists."""

_FILE_LINE = re.compile(r"^(?P<file>.+\.(?:go|s)):(?P<line>\d+)$")


@dataclass(frozen=True, slots=True)
class Located:
    """A location for dlv, and what comes with it."""

    location: str
    asked: str
    note: str = ""
    """What it became, in words; empty when it is what was asked for."""
    condition: str = ""
    """The condition for one pod; empty without one."""
    hot: bool = False
    """True where the target passes once per node or plugin."""


def functions(bench: Workbench, pattern: str) -> tuple[str, ...]:
    """The target's functions that match Go's regular expression; generated wrappers left out."""
    cached = bench.function_lists.get(pattern)
    if cached is None:
        found = bench.talk.documents(f"schedtui_functions {starlark_text(pattern)}", limit=60.0)
        cached = tuple(name for name in found.documents.get("functions", ()) if not name.endswith("-fm"))
        bench.function_lists[pattern] = cached
    return cached


def locate(bench: Workbench, kept: KeptBreakpoint, catalogue: Catalogue) -> Located:
    """Where ``kept`` goes.

    Raises:
        DebuggerFailed: Nowhere; the hint says what works instead.
    """
    asked = kept.location
    if (station := catalogue.find(asked)) is not None:
        return _at_station(bench, kept, station, catalogue)
    located = _by_spelling(bench, kept)
    function = located.location
    hot = any(
        resolving.full_name(place) == function
        for station in catalogue.stations
        if station.hot
        for place in station.place
    )
    condition = _pod_condition_at(bench, kept, located.location, catalogue) if kept.pod else ""
    return Located(located.location, asked, located.note, condition, hot)


def _pod_condition_at(bench: Workbench, kept: KeptBreakpoint, location: str, catalogue: Catalogue) -> str:
    """The condition for one pod at a place that is no station: as its function names the pod."""
    found = bench.talk.ask(f"schedtui_find {starlark_text(location)}").documents.get("locations") or []
    function = str(found[0].get("function", "")) if found else ""
    line = int(found[0].get("line", 0)) if found else 0
    for station in catalogue.stations:
        for place in station.place:
            if place.pod and not place.has and resolving.full_name(place) == function:
                return resolving.pod_condition(place.pod, kept.pod)
    expression = _pod_by_source(bench, function, str(found[0].get("file", "")), line) if found else ""
    if expression:
        return resolving.pod_condition(expression, kept.pod)
    raise DebuggerFailed(
        "It is not known how this place names its pod",
        where=kept.location,
        hint="Set it with a condition of your own, or use a station of the catalogue (b b).",
    )


def _pod_by_source(bench: Workbench, function: str, file: str, line: int) -> str:
    """How the function around a line declares its pod; empty when it does not or the source is not here."""
    path = _readable(bench, file)
    head = bench.talk.ask(f"schedtui_find {starlark_text(function)}").documents.get("locations") or []
    if path is None or not head:
        return ""
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    first = int(head[0].get("line", 0))
    # A declaration runs on over its parameters even when the stop is at its first line.
    signature = next(
        (n for n in range(first, first + 20) if n <= len(lines) and lines[n - 1].endswith("{")), first
    )
    return resolving.pod_expression_in("\n".join(lines[first - 1 : max(line - 1, signature)]))


# --- stations of the catalogue ----------------------------------------------------------------------------------


def _at_station(bench: Workbench, kept: KeptBreakpoint, station: Station, catalogue: Catalogue) -> Located:
    chosen = resolving.narrowed(station, catalogue) if kept.pod else station
    present = functions(bench, resolving.station_pattern(catalogue.stations))
    for place in resolving.places_in_binary(chosen, present):
        location, file = _place_location(bench, place)
        if not location:
            continue
        if kept.pod and not place.pod:
            raise DebuggerFailed(
                f"{chosen.name} knows no single pod", where=kept.pod, hint="Set it without the pod."
            )
        condition = resolving.pod_condition(place.pod, kept.pod) if kept.pod else ""
        note = _station_note(kept.location, station, chosen, location, file)
        return Located(location, kept.location, note, condition, chosen.hot)
    raise _missing_station(bench, chosen)


def _place_location(bench: Workbench, place: Place) -> tuple[str, str]:
    """A location for ``place`` and the file it lies in; empty when the line that is meant is not there."""
    name = resolving.full_name(place)
    found = bench.talk.ask(f"schedtui_find {starlark_text(name)}").documents.get("locations") or []
    file = str(found[0].get("file", "")) if found else ""
    if not found:
        return "", ""
    path = _readable(bench, file)
    if place.has and path is not None:
        first = int(found[0]["line"])
        end = next(iter(_function_ends(path, first)), first)
        if resolving.line_with(path, place.has, first, end) is None:
            return "", file
    if not place.at:
        return name, file
    if path is None:
        return "", file
    first = int(found[0]["line"])
    last = next(iter(_function_ends(path, first)), first + 400)
    line = resolving.line_with(path, place.at, first, last)
    return (f"{file}:{line}" if line else ""), file


def _function_ends(path: Path, first: int) -> Sequence[int]:
    """The line of the closing brace of the function that begins at ``first`` (gofmt puts it at column 0)."""
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    return [number for number in range(first, len(lines) + 1) if lines[number - 1].startswith("}")][:1]


def _readable(bench: Workbench, file: str) -> Path | None:
    """The file on this machine; a tree may have been moved since the build."""
    path = Path(bench.paths.here(file))
    return path if path.is_file() else None


def _station_note(asked: str, station: Station, chosen: Station, location: str, file: str) -> str:
    short = location.rsplit("/", 1)[-1]
    parts = []
    if chosen is not station:
        parts.append(f"{station.name} knows no pod yet, so {chosen.name} is used ({short}): {chosen.title}")
    elif asked != station.name or station.documented:
        name = location.rsplit(".", 1)[-1] if not _FILE_LINE.match(location) else ""
        below = file[file.find("pkg/scheduler") :] if "pkg/scheduler" in file else file
        moved = resolving.moved_text(station.documented, below, name) if name else ""
        parts.append(f"{asked} is {short} here" + (f": {moved}" if moved else ""))
    return "; ".join(parts)


def _missing_station(bench: Workbench, station: Station) -> DebuggerFailed:
    if bench.source is not None:
        resolution = resolving.resolve_in_source(station, bench.source)
        if resolution.status != "missing":
            return DebuggerFailed(
                f"{station.name} is in the source and not in the binary",
                where=f"{resolution.file}:{resolution.line}",
                hint="Inlined, or the binary is of another release: build it anew (schedtui build --src DIR).",
            )
    if not functions(bench, "pkg/scheduler"):
        return DebuggerFailed(
            "This program has no kube-scheduler in it",
            where=station.name,
            hint="Break at a function of its own: break main.main",
        )
    return DebuggerFailed(
        f"This release has no {station.name}",
        hint=resolving.nearest_advice(station),
    )


# --- other spellings --------------------------------------------------------------------------------------------


def _by_spelling(bench: Workbench, kept: KeptBreakpoint) -> Located:
    asked = kept.location
    wanted = resolving.read_file_function(asked) or (asked if resolving.is_bare_name(asked) else None)
    if wanted is not None:
        name = wanted if isinstance(wanted, str) else wanted.function
        found = functions(bench, resolving.function_pattern([name]))
        chosen, candidates = resolving.choose_function(wanted, found)
        if chosen:
            note = f"{asked} is {chosen.rsplit('/', 1)[-1]} here" if chosen != asked else ""
            return Located(chosen, asked, note)
        if candidates:
            raise DebuggerFailed(
                f"{name} is the name of {len(candidates)} functions",
                where=asked,
                hint="Choose one of them by its full name.",
                details=candidates[:CANDIDATES],
            )
        raise _no_such(bench, asked, name)
    if match := _FILE_LINE.match(asked):
        return _by_line(bench, kept, match["file"], int(match["line"]))
    return Located(asked, asked)


def _by_line(bench: Workbench, kept: KeptBreakpoint, file: str, line: int) -> Located:
    path = Path(file) if file.startswith("/") else None
    if bench.source is not None and (path is None or not path.is_file()):
        path = bench.source.file_path(file)
    spelled = _spelled_path(bench, file, path, line, kept.message)
    if path is None or not path.is_file():
        path = _readable(bench, spelled)
    anchor = kept.message or kept.text
    if not anchor or path is None or not path.is_file():
        return Located(f"{spelled}:{line}", kept.location)
    if resolving.line_with(path, anchor, line, line) == line:
        return Located(f"{spelled}:{line}", kept.location)
    now = resolving.line_with(path, anchor, 1, 10_000_000, near=line)
    if now is None:
        raise DebuggerFailed(
            "The line that it stood on is gone from the source",
            where=f"{kept.location}: {anchor[:80]}",
            hint=f"It was in {kept.function}." if kept.function else "",
        )
    return Located(f"{spelled}:{now}", kept.location, f"{file}:{line} has moved to line {now}")


def _spelled_path(bench: Workbench, file: str, path: Path | None, line: int, message: str) -> str:
    """The file as the binary's debug information spells it: dlv compares paths as they were at the build."""
    if file.startswith("/"):
        spelled = bench.paths.spelled(file)
        if spelled != file or _sources(bench, file, whole=True):
            return spelled
        if bench.source is None:
            return file
        # A tree that was built elsewhere: its files end alike.
        file = resolving.relative_to(Path(file), bench.source.root)
    found = _sources(bench, file)
    if path is not None and str(path) in found:
        return str(path)
    if len(found) > 1 and message:
        # A log line names only the file's base name: the message tells which of them it is.
        found = tuple(one for one in found if _holds(bench, one, line, message)) or found
    return found[0] if len(found) == 1 else file


def _holds(bench: Workbench, file: str, line: int, message: str) -> bool:
    path = _readable(bench, file)
    return path is not None and resolving.line_with(path, message, max(1, line - 2), line + 2) is not None


def _sources(bench: Workbench, file: str, *, whole: bool = False) -> tuple[str, ...]:
    """The files of the binary that are ``file``, or end in it."""
    pattern = ("^" if whole else "(^|/)") + re.escape(file) + "$"
    found = bench.talk.ask(f"schedtui_sources {starlark_text(pattern)}").documents.get("sources") or ()
    return tuple(str(one) for one in found)


def nearest_line(bench: Workbench, location: str) -> str:
    """The next line below with code; empty when there is none near."""
    match = _FILE_LINE.match(location)
    if not match:
        return ""
    for line in range(int(match["line"]) + 1, int(match["line"]) + NEAREST_LINES):
        candidate = f"{match['file']}:{line}"
        if bench.talk.ask(f"schedtui_find {starlark_text(candidate)}").documents.get("locations"):
            return candidate
    return ""


# --- reasons ----------------------------------------------------------------------------------------------------


def explain(bench: Workbench, located: Located, refusal: Refusal) -> DebuggerFailed:
    """Dlv's refusal as a failure that says what to do next."""
    match refusal.kind:
        case "exited":
            return DebuggerFailed("The target has ended", where=located.asked, hint="r starts it again.")
        case "ambiguous":
            name = located.location.rsplit(".", 1)[-1]
            found = functions(bench, resolving.function_pattern([name]))
            return DebuggerFailed(
                "Several functions have this name",
                where=located.asked,
                hint="Choose one of them by its full name.",
                details=tuple(sorted(found))[:CANDIDATES] or refusal.candidates,
            )
        case "no-statement":
            return DebuggerFailed(
                "There is no code at this line",
                where=located.asked,
                hint="It is a comment, was left out by a build tag, or was inlined.",
                details=(refusal.text,),
            )
        case "not-found":
            return _no_such(bench, located.asked, located.location.rsplit(".", 1)[-1], refusal.text)
        case _:
            return DebuggerFailed(refusal.text or "dlv did not set it", where=located.asked)


def _no_such(bench: Workbench, asked: str, name: str, said: str = "") -> DebuggerFailed:
    near = functions(bench, "(?i)" + re.escape(name) + "[^/]*$") if len(name) > 2 and name.isidentifier() else ()
    return DebuggerFailed(
        "There is no such function in this binary",
        where=asked,
        hint="Renamed in this release, not linked in, or inlined. Near it:"
        if near
        else "b b lists what there is.",
        details=(*((said,) if said else ()), *sorted(near, key=len)[:CANDIDATES]),
    )


# --- keeping ----------------------------------------------------------------------------------------------------


def described(bench: Workbench, kept: KeptBreakpoint, present: Breakpoint) -> KeptBreakpoint:
    """``kept`` with what dlv knows of it now, so that it can be found again when lines move."""
    file = present.file
    if bench.source is not None and file.startswith("/"):
        file = resolving.relative_to(Path(file), bench.source.root)
    location = kept.location
    text = kept.text
    if match := _FILE_LINE.match(location):
        location = f"{match['file']}:{present.line}"
        if not text or present.line != kept.line:
            text = _line_text(_readable(bench, present.file), present.line)
    return msgspec.structs.replace(
        kept,
        location=location,
        function=present.function,
        file=file if present.line else "",
        line=present.line,
        text=text,
        condition=kept.condition if kept.pod else present.condition,
        enabled=present.enabled,
        hit_condition=present.hit_condition,
        tracepoint=present.tracepoint,
    )


def _line_text(path: Path | None, line: int) -> str:
    if path is None:
        return ""
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def moved_since(kept: KeptBreakpoint, note: str) -> bool:
    """True when ``note`` tells that the line is another one now."""
    return bool(note) and "has moved to line" in note and bool(kept.location)
