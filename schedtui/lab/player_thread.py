"""A scenario in the background.

Owns the thread, its client and its stop: for the TUI's scenario player and for a lab's own workload. What the
steps mean is ``player``'s.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.lab.api_client import ApiClient, Endpoint
from schedtui.lab.player import Player, PlayerReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.lab.scenario import Scenario


class PlayerThread(threading.Thread):
    """A scenario played in the background: for the TUI and for a lab's own workload."""

    def __init__(
        self,
        endpoint: Endpoint,
        name: str,
        scenario: Scenario,
        *,
        on_report: Callable[[PlayerReport], None],
        seed: int = 0,
        rate: float | None = None,
        duration: float | None = None,
    ) -> None:
        """Prepare the thread; ``start`` plays, ``stop`` ends it.

        Args:
            endpoint: The lab's API server.
            name: The scenario's name.
            scenario: What to play.
            on_report: Told at each step and at the end, on this thread; an error ends it and is told too.
            seed: For its choices.
            rate: Changes a second instead of its own.
            duration: Seconds instead of its own.
        """
        super().__init__(name=f"scenario-{name}", daemon=True)
        self._cancel = threading.Event()
        self._client = ApiClient(endpoint)
        self._on_report = on_report
        self._player = Player(
            self._client,
            name,
            scenario,
            seed=seed,
            rate=rate,
            duration=duration,
            cancel=self._cancel,
            on_report=on_report,
        )
        self._scenario_name = name

    def run(self) -> None:
        """Play to the end."""
        try:
            self._player.play()
        except SchedtuiError as error:
            if not self._cancel.is_set():
                self._on_report(PlayerReport(self._scenario_name, error.title, 0, 0, 0, 0.0, True, error))
        finally:
            self._client.close()

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        self._cancel.set()
        if self is not threading.current_thread() and self.is_alive():
            self.join()
