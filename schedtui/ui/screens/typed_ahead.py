"""Keys that were typed before the screen or the input they are meant for was ready.

Over a slow line whole bursts arrive at once: ``:goto 10:32`` and Enter, before the palette is open. Textual hands
a key to what had the focus when it was read; this module hands it on, in order, to what has the focus now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events
from textual.widgets import Input

from schedtui.ui.key_table import key_of_event

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen
    from textual.widget import Widget


class TypedAhead(events.Key):
    """A key that is handed on; to each place once."""

    def __init__(self, event: events.Key, app: App[Any], target: Widget) -> None:
        """Make it of a key that came to the wrong place."""
        super().__init__(event.key, event.character)
        been = event.been if isinstance(event, TypedAhead) else frozenset()
        self.been: frozenset[tuple[int, int]] = been | {_place(target)}
        # The application would forward it once more when it bubbles up there.
        self._set_forwarded()
        # Bubbling ends at the sender, and that would be the screen.
        self.set_sender(app)


# Textual finds handlers by name: for every widget this is a key like any other.
TypedAhead.handler_name = "on_key"


def _place(target: Widget) -> tuple[int, int]:
    """Where a key can be handed to: an input that asks something new is another place."""
    return id(target), getattr(target, "questions", 0)


def hand_on(screen: Screen[Any], event: events.Key) -> bool:
    """Give a key to the screen on top, or to the input that has the focus by now.

    Args:
        screen: The screen that the key came to.
        event: The key.

    Returns:
        True when it was handed on; then it is nobody else's.
    """
    top = screen.app.screen
    focused = top.focused
    typing = isinstance(focused, Input) and not getattr(focused, "answered", False)
    if top is screen and not typing:
        return False
    target = focused if focused is not None and (typing or top is not screen) else top
    if isinstance(event, TypedAhead) and _place(target) in event.been:
        return False
    target.post_message(TypedAhead(event, screen.app, target))
    event.stop()
    event.prevent_default()
    return True


MOST_KEPT = 200
"""Keys that are kept at most."""


class KeptKeys:
    """Keys that a screen has no use for, kept for the one that comes next."""

    def __init__(self) -> None:
        self._events: list[events.Key] = []

    def keep(self, event: events.Key) -> None:
        """Keep one more."""
        if len(self._events) < MOST_KEPT:
            self._events.append(event)

    def keep_behind(self, screen: Screen[Any], event: events.Key) -> bool:
        """Keep a key that comes to a screen that has gone, while others before it still wait; False: none do."""
        if screen.is_current or not self._events:
            return False
        self.keep(event)
        event.stop()
        return True

    def drop(self) -> None:
        """Forget them: what they were meant for does not come."""
        self._events.clear()

    @property
    def names(self) -> tuple[str, ...]:
        """The keys, in order, in the key table's spelling."""
        return tuple(key_of_event(event.key, event.character) for event in self._events)

    def take(self) -> list[events.Key]:
        """Hand them out, in order."""
        kept, self._events = self._events, []
        return kept
