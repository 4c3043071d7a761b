"""What happens to a lab, told to whoever uses it: parts that die, other schedulers, its end.

Owns the looking, on a thread of its own, and that each thing is told once. It ends nothing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.lab.part_death import death_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.lab.instance import Instance, PartState

LOOK_SECONDS = 0.2
"""How often a lab's state is read."""

LOOKS_FOR_OTHERS = 5
"""Every so many looks other schedulers are looked for as well."""


@dataclass(frozen=True, slots=True)
class LabEvent:
    """Something that a lab's user must hear of."""

    part: str
    """The part that died; empty: the lab as a whole is gone."""
    text: str
    """One line."""
    last_lines: tuple[str, ...] = ()
    """The end of the part's log."""
    advice: str = ""
    """What to do about the cause, where one is known."""


class LabWatcher(threading.Thread):
    """Reads the state again and again and tells what died."""

    def __init__(
        self,
        place: Instance,
        others: Callable[[], tuple[str, ...]],
        on_event: Callable[[LabEvent], None],
        on_others: Callable[[tuple[str, ...]], None] | None,
    ) -> None:
        """Create it; ``start`` starts it, ``stop`` ends it.

        Args:
            place: The lab.
            others: Finds the schedulers that serve it beside those of this process, in words.
            on_event: Told of each part that dies, and of the lab's end.
            on_others: Told of the other schedulers, whenever they have changed; ``None``: nobody asks.
        """
        super().__init__(name=f"lab-{place.name}", daemon=True)
        self._others_now = others
        self._place = place
        self._on_event = on_event
        self._on_others = on_others
        self._others: tuple[str, ...] = ()
        self._looks = 0
        self._stop_asked = threading.Event()
        self._told: set[tuple[str, int]] = set()

    def stop(self) -> None:
        """End it, and wait until it has."""
        self._stop_asked.set()
        if self is not threading.current_thread():
            self.join()

    def run(self) -> None:
        """Look until the lab is gone."""
        while not self._stop_asked.wait(LOOK_SECONDS):
            state = self._place.state()
            for part in state.parts if state else ():
                self._tell_part(part)
            self._tell_others()
            if state is None or not self._place.is_running():
                text = "the lab was ended" if state is None or not state.failure else state.failure
                self._on_event(LabEvent("", text))
                return

    def _tell_others(self) -> None:
        self._looks += 1
        if self._on_others is None or self._looks % LOOKS_FOR_OTHERS:
            return
        if (others := self._others_now()) != self._others:
            self._others = others
            self._on_others(others)

    def _tell_part(self, part: PartState) -> None:
        if part.exit_code is not None and (part.name, part.pid) not in self._told:
            self._told.add((part.name, part.pid))
            text = death_text(part.name, part.exit_code, part.cause)
            self._on_event(LabEvent(part.name, text, part.last_lines, part.advice))
