"""How fast a scenario goes, and when it is over.

Owns rate, duration and the stop; every wait of a player goes through here. It makes no changes itself.
"""

from __future__ import annotations

import threading
import time


class Stopped(Exception):
    """The scenario was stopped or its time is over: the way out of nested steps, no error."""


class Pace:
    """The clock of one scenario run."""

    def __init__(self, *, rate: float, duration: float, cancel: threading.Event | None = None) -> None:
        """Set the clock.

        Args:
            rate: Changes a second; 0: no limit.
            duration: Seconds until it is over; 0: never.
            cancel: Stops it.
        """
        self._rate = rate
        self._duration = duration
        self._cancel = cancel or threading.Event()
        self._started = time.monotonic()
        self._next_change = 0.0
        self.changes = 0
        """Changes made so far."""

    def start(self) -> None:
        """Begin counting."""
        self._started = time.monotonic()

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def pause(self, seconds: float) -> None:
        """Wait.

        Raises:
            Stopped: It was stopped or its time is over meanwhile.
        """
        if self._cancel.wait(max(0.0, min(seconds, self._left()))):
            raise Stopped("stopped")
        if self._left() <= 0:
            raise Stopped("its time is over")

    def before_change(self) -> None:
        """Keep to the rate; called before each change.

        Raises:
            Stopped: As ``pause``.
        """
        self.changes += 1
        wait = 0.0
        if self._rate > 0:
            now = time.monotonic()
            due = max(self._next_change, now)
            self._next_change = due + 1.0 / self._rate
            wait = due - now
        self.pause(wait)

    def _left(self) -> float:
        return self._duration - self.elapsed() if self._duration else float("inf")
