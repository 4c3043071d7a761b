"""What a large log held when it was opened, dealt out to those who otherwise see every record.

Owns who is told what: the queue fold takes events, the levels take what the index counted, the
screen how far it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.ui import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from schedtui.core.record import Record
    from schedtui.sources.feed_history import Fact
    from schedtui.sources.log_store import LogStore
    from schedtui.ui.services.log_facts import Levels
    from schedtui.ui.services.queue_watch import QueueWatch

STEP = "rebuilding the queues"
"""What the status line calls it."""


class LogHistory:
    """The history of one log, as ``sources.feed_history`` hands it over."""

    def __init__(
        self, store: LogStore, watch: QueueWatch, levels: Levels, post: Callable[[Message], object]
    ) -> None:
        """Create it.

        Args:
            store: The log.
            watch: Folds its events.
            levels: Counts its call sites.
            post: Takes messages for the screen, from any thread.
        """
        self._store = store
        self._watch = watch
        self._levels = levels
        self._post = post

    def begin(self, head: Sequence[Record]) -> None:
        """It begins; the records of the log's beginning."""
        self._levels.learn(head)
        self._watch.see_head(head)

    def take(self, facts: Sequence[Fact], done: int, total: int) -> None:
        """More events and dumps, with how many bytes of how many have been read."""
        self._watch.take_facts(facts)
        self._post(messages.WorkProgressed(STEP, done, total))

    def end(self, source: int, number: int, upto: int) -> None:
        """All in front of byte ``upto`` has been handed over."""
        self._levels.observe_sites(self._store.site_counts(source, number, upto))
        self._post(messages.WorkFinished(STEP))
