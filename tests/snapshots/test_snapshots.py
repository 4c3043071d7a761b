"""Pictures of the screens, compared cell by cell: one per screen and size, without a clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schedtui.core.queue_state import POD_STATES, PodRow, QueueSnapshot
from schedtui.ui import messages
from schedtui.ui.screens.main import MainScreen
from tests.ui.stage import WishingApp, stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

SIZES = ((80, 24), (160, 50))

PODS = (
    PodRow(
        "default/web-3",
        "unschedulable",
        8_000_000,
        2,
        True,
        "ScheduleAttemptFailure",
        plugins=("NodeResourcesFit",),
    ),
    PodRow("default/web-4", "active", 9_000_000, 0, True, "PodAdd"),
    PodRow("shop/cart-0", "in_flight", 9_900_000, 1, False),
    PodRow("shop/cart-1", "bound", 9_000_000, 1, True, node="node-1"),
)


def _queue() -> QueueSnapshot:
    counts = dict.fromkeys(POD_STATES, 0)
    for item in PODS:
        counts[item.state] += 1
    return QueueSnapshot("1.36", 4, 10_000_000, counts, PODS, "exact", {"node-1": 1})


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stop was twelve seconds ago, for ever."""
    monkeypatch.setattr(MainScreen, "now", staticmethod(lambda: 112.0))


async def _stopped(pilot: Pilot[int]) -> None:
    await stopped(pilot)
    app = pilot.app
    assert isinstance(app, WishingApp)
    app.main.post_message(messages.QueueFolded(_queue()))
    await pilot.pause()


async def _help(pilot: Pilot[int]) -> None:
    await _stopped(pilot)
    await pilot.press("?")
    await pilot.pause()


async def _queue_pane(pilot: Pilot[int]) -> None:
    await _stopped(pilot)
    await pilot.press("comma", "q")
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["dark", "mono"])
def test_the_main_screen(snap_compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    assert snap_compare(WishingApp(theme=theme), terminal_size=size, run_before=_stopped)


def test_the_queue_pane(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(WishingApp(theme="256"), terminal_size=(80, 24), run_before=_queue_pane)


def test_help(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(WishingApp(theme="16"), terminal_size=(80, 24), run_before=_help)
