"""Waiting for what will be, in tests of real labs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DEADLINE_SECONDS = 60.0


def until(condition: Callable[[], Any]) -> None:
    """Wait for something that will be; fail when it is not within the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.05)
