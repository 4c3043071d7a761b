"""Pilots that wait until the application has nothing left to do, however little of the machine it is given.

Textual's own pilot takes an application for idle that has used no processor time for a moment; on a busy machine
that is also one that did not get any.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from textual import app, pilot
from textual._wait import wait_for_idle

if TYPE_CHECKING:
    import pytest

QUIET_SECONDS = 60.0
"""After these an application that never comes to rest is at fault."""


async def all_is_done() -> None:
    """Wait until no task of this loop can go on: each waits for a key, a clock or a thread."""
    loop = asyncio.get_running_loop()
    deadline = time.monotonic() + QUIET_SECONDS
    await asyncio.sleep(0)
    # What could run is listed there while we run ourselves; asyncio has no door for it.
    while getattr(loop, "_ready"):  # noqa: B009
        assert time.monotonic() < deadline, "the application never comes to rest"
        await asyncio.sleep(0)


async def _idle(*seconds: float) -> None:
    await wait_for_idle(*seconds)
    await all_is_done()


async def _pause(self: pilot.Pilot[Any], delay: float | None = None) -> None:
    """As Textual's pause; an application that ends meanwhile has no screen any more."""
    await self._wait_for_screen()
    await (wait_for_idle(0) if delay is None else asyncio.sleep(delay))
    await all_is_done()
    if self.app.screen_stack:
        self.app.screen._on_timer_update()


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pilots of a test wait so, after keys and in pauses."""
    monkeypatch.setattr(pilot, "wait_for_idle", _idle)
    monkeypatch.setattr(app, "wait_for_idle", _idle)
    monkeypatch.setattr(pilot.Pilot, "pause", _pause)
