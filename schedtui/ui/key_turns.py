"""Keys one at a time: each is dealt with before the next is handed out.

Owns the order of what was typed. Over a slow line a whole burst arrives at once: a key that opens something, and
the words for it. Textual would give them all to what has the focus when they are read; here a key waits until the
one before it has done its work, so it comes to what that one opened, or closed. What a key does is none of its
business.
"""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from textual.app import App
    from textual.message_pump import MessagePump

Typed = events.Key | events.Paste
"""What comes from the keyboard."""

TURN_SECONDS = 2.0
"""How long the next key waits at most: what had this one may be gone, and with it the word that it is done."""


class KeyTurns:
    """The keys of one application.

    A key is dealt with once everything has been that was waiting, when it came, on its way from the widget that
    got it up to the application: the same way is gone behind it.
    """

    def __init__(self, app: App[Any], hand_out: Callable[[Typed], Awaitable[None]]) -> None:
        """Create it.

        Args:
            app: The application.
            hand_out: Gives a key to what has the focus.
        """
        self._app = app
        self._hand_out = hand_out
        self._waiting: deque[Typed] = deque()
        self._turn = 0
        """Number of the key that is being dealt with; 0 for none."""
        self._given = 0
        self._limit: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """True while a key is being dealt with."""
        return bool(self._turn)

    @property
    def waiting(self) -> int:
        """How many keys wait for their turn."""
        return len(self._waiting)

    async def take(self, event: Typed) -> None:
        """Hand a key out, now or when it is its turn."""
        self._waiting.append(event)
        if not self._turn:
            await self._next()

    async def take_again(self, kept: Iterable[Typed]) -> None:
        """Hand out keys that were kept, before all that still wait."""
        self._waiting.extendleft(reversed([_afresh(event).set_sender(self._app) for event in kept]))
        if not self._turn:
            await self._next()

    async def _next(self) -> None:
        self._turn = 0
        if not self._waiting:
            return
        event = self._waiting.popleft()
        self._given += 1
        turn = self._turn = self._given
        self._limit = asyncio.get_running_loop().call_later(TURN_SECONDS, partial(self._end, turn))
        screen, target = self._app.screen, self._app.focused or self._app.screen
        await self._hand_out(event)
        # Twice over the screen: what it wishes it tells itself first.
        self._follow([*target.ancestors_with_self, screen], turn)

    def _follow(self, way: list[MessagePump], turn: int) -> None:
        """Go up behind the key: each comes to it when it has done what came before."""
        while way:
            node = way.pop(0)
            if node is not self._app and node.call_later(self._follow, way, turn):
                return
        self._app.call_later(self._look_up, turn)

    def _look_up(self, turn: int) -> None:
        """At the application: a screen that lies on top by now has its beginning to do, or an answer to take."""
        if not self._app.screen.call_later(self._end, turn):
            self._end(turn)

    def _end(self, turn: int) -> None:
        if turn != self._turn:
            return
        if self._limit is not None:
            self._limit.cancel()
        self._app.call_later(self._next)


def _afresh(event: Typed) -> Typed:
    """The same key, as if it had just been pressed."""
    return events.Paste(event.text) if isinstance(event, events.Paste) else events.Key(event.key, event.character)
