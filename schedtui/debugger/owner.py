"""A thread that owns one outside thing, a debuggee or a scheduler that runs free: its start, its end, its faults.

Owns the thread and nothing that happens in it. It never dies silently: a fault of ours is told like an end.
"""

from __future__ import annotations

import abc
import threading
import traceback
from typing import TYPE_CHECKING

from schedtui.debugger.model import Failed, StateChanged

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.model import Command, Event, TargetState

FAULT_LINES = 12
"""Lines of a fault's traceback that are shown."""

END_SECONDS = 15.0
"""How long the end may take when nobody says."""


class OwnerThread(abc.ABC):
    """One thread; commands go in from anywhere, events come out on it.

    Args:
        name: The thread's name, for people.
        post: Called with each event on the thread; must not block.
        fault_state: What the target counts as after a fault of ours.
    """

    def __init__(self, name: str, post: Callable[[Event], None], fault_state: TargetState) -> None:
        self._post = post
        self._name = name
        self._fault_state: TargetState = fault_state
        self._thread = threading.Thread(target=self._live, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread, and in it what it owns."""
        self._thread.start()

    @abc.abstractmethod
    def submit(self, command: Command) -> None:
        """Ask for something; any thread may call, and it returns at once."""

    def close(self, detach: bool = False, timeout: float = END_SECONDS) -> bool:
        """End what is owned and wait for the thread.

        Args:
            detach: Leave the target running where that can be (persistent, attach, connect).
            timeout: Seconds to wait.

        Returns:
            True when all is ended within the time.
        """
        self._ask_to_end(detach)
        if self._thread.ident is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def alive(self) -> bool:
        """True while the thread runs."""
        return self._thread.is_alive()

    @abc.abstractmethod
    def _ask_to_end(self, detach: bool) -> None:
        """Let ``_own`` come to its end soon; on any thread."""

    @abc.abstractmethod
    def _own(self) -> None:
        """Start what is owned, and carry out what is asked until the end is asked for."""

    @abc.abstractmethod
    def _finish(self) -> None:
        """End what is owned, whatever happened."""

    def _live(self) -> None:
        try:
            self._own()
        except Exception:  # noqa: BLE001 - a bug: shown as one, never a thread that dies silently
            lines = tuple(traceback.format_exc().splitlines()[-FAULT_LINES:])
            self._post(Failed(f"A fault in schedtui's {self._name} thread", "Please report it.", lines))
            self._post(StateChanged(self._fault_state, "a fault in schedtui", last_output=lines))
        finally:
            self._finish()
