"""What schedtui remembers by itself: per checkout, and saved filters.

Owns the shape and the place of the state files. State is convenience, never truth: a file that cannot be read is
set aside and the session starts fresh, with a note that says so. The user's own configuration is in ``settings``.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import msgspec

from schedtui.config.files import write_private
from schedtui.config.json_files import json_value
from schedtui.core.errors import UnreadableInput

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.config.directories import Directories

HISTORY_LIMIT = 1000
"""Console lines kept per checkout."""


class KeptBreakpoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A breakpoint as it is set again after a restart, a rebuild or a new session."""

    location: str
    """What the user asked for: a catalogue name, a documented spelling or a dlv location."""
    function: str = ""
    """Full Go name of the function it stood in; survives moved lines."""
    file: str = ""
    """Path below the checkout."""
    line: int = 0
    """1-based; 0 when set by function."""
    message: str = ""
    """The log message at that line, when it was set from a log record: finds the line again after edits."""
    text: str = ""
    """The source line at that place, blanks around it left out: finds the line again after edits."""
    condition: str = ""
    hit_condition: str = ""
    pod: str = ""
    """``ns/name`` when it stops for one pod only."""
    name: str = ""
    tracepoint: bool = False
    enabled: bool = True


class CheckoutState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is remembered for one source tree (or binary, or log, when there is no tree)."""

    path: str = ""
    """The tree, absolute: the file's name holds only its end."""
    breakpoints: tuple[KeptBreakpoint, ...] = ()
    history: tuple[str, ...] = ()
    """dlv console lines, oldest first."""
    searches: tuple[str, ...] = ()
    """Searches and filters typed, oldest first."""
    watches: tuple[str, ...] = ()
    panes: dict[str, str] = {}
    """Names of the interface → values as text (focused pane, zoom, tabs, level filter)."""
    log_path: str = ""
    """The log of the last run."""
    log_offset: int = 0
    """Byte offset of the record under the cursor in it."""
    verbosity: int | None = None
    """The ``-v`` of the last run."""
    dlv_address: str = ""
    """Socket of a persistent session that may still be there."""
    target_pid: int = 0
    """The target of that session, as recorded when it was started."""
    build_seconds: float = 0.0
    """How long the last build took."""


def checkout_state_file(places: Directories, checkout: Path) -> Path:
    """Where the state of ``checkout`` is kept; links to the same tree share one file."""
    resolved = str(checkout.resolve())
    digest = hashlib.sha256(resolved.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    readable = re.sub(r"[^A-Za-z0-9._-]", "_", checkout.resolve().name) or "root"
    return places.checkouts / f"{readable[:40]}-{digest}.json"


def load_checkout_state(file: Path) -> tuple[CheckoutState, str]:
    """The state in ``file`` and a note for the user (empty when all is well).

    A file of a later version may hold more: what is not known is ignored.
    """
    try:
        state = json_value(file.read_bytes(), CheckoutState)
        # dlv takes a breakpoint without a place for one at the line where it stands.
        placed = tuple(one for one in state.breakpoints if one.location.strip())
        return msgspec.structs.replace(state, breakpoints=placed), ""
    except FileNotFoundError:
        return CheckoutState(), ""
    except (msgspec.DecodeError, OSError, UnicodeDecodeError) as error:
        return CheckoutState(), f"What was remembered of this checkout is unreadable ({error}); {_set_aside(file)}"


def save_checkout_state(file: Path, state: CheckoutState) -> None:
    """Write the state; histories are cut to their newest ``HISTORY_LIMIT`` lines.

    Raises:
        UnreadableInput: It cannot be written.
    """
    cut = msgspec.structs.replace(
        state, history=state.history[-HISTORY_LIMIT:], searches=state.searches[-HISTORY_LIMIT:]
    )
    write_private(file, msgspec.json.format(msgspec.json.encode(cut)) + b"\n")


def load_saved_filters(places: Directories) -> dict[str, str]:
    """Filters saved from the screen, by name; those of the configuration file are in ``Settings.filters``.

    Raises:
        UnreadableInput: The file is there and cannot be read.
    """
    file = places.state / "filters.json"
    try:
        return json_value(file.read_bytes(), dict[str, str])
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, OSError) as error:
        raise UnreadableInput(
            f"The saved filters are unreadable ({error})", where=str(file), hint="Mend or delete the file."
        ) from error


def save_filter(places: Directories, name: str, text: str) -> None:
    """Save a filter under ``name``; an empty text forgets it.

    Raises:
        UnreadableInput: The file cannot be read or written.
    """
    filters = load_saved_filters(places)
    if text:
        filters[name] = text
    else:
        filters.pop(name, None)
    write_private(places.state / "filters.json", msgspec.json.format(msgspec.json.encode(filters)) + b"\n")


def _set_aside(file: Path) -> str:
    aside = file.with_suffix(".unreadable")
    try:
        file.replace(aside)
    except OSError:
        return f"starting afresh. The file is {file}"
    return f"starting afresh. The old file is kept as {aside}"
