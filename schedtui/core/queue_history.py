"""The queues at any earlier place of a log: kept models, and the events between them, packed.

Owns how much is kept and the way from a place to a model. It is fed what the live model is fed and reads nothing
again, so that it works for standard input, archives and rotated files alike. A replay is taken under the owner's
lock and run outside it.
"""

from __future__ import annotations

import marshal
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schedtui.core.event_scan import STORY_EFFECTS
from schedtui.core.events import QueueEvent

if TYPE_CHECKING:
    from schedtui.core.queue_model import QueueModel

KEPT_EVERY = 2_000
"""Events between two kept models at first: some hundredths of a second of folding."""

KEPT_MODELS = 512
"""Kept models; when there are more, every second one goes and the distance doubles."""

BEGINNING = -1
"""The place before the first event."""


@dataclass(slots=True)
class _Stretch:
    """A kept model and what came after it, up to the next one."""

    model: QueueModel
    line: int
    """Line of the last event before it."""
    time_us: int
    """The latest time before it."""
    packed: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Replay:
    """A model to go on from, and the events after it."""

    model: QueueModel
    """A copy that belongs to the replay."""
    packed: tuple[bytes, ...]
    events: tuple[QueueEvent, ...]

    def to_line(self, line: int) -> QueueModel:
        """The model after the record at a 1-based line."""
        for event in self._all():
            if event.line > line:
                break
            self.model.apply_event(event)
        self.model.reach(line)
        return self.model

    def to_time(self, time_us: int) -> QueueModel:
        """The model at a time on the log's clock: before the first event that is later."""
        for event in self._all():
            if event.time_us is not None and event.time_us > time_us:
                break
            self.model.apply_event(event)
        self.model.reach(0, time_us)
        return self.model

    def _all(self) -> list[QueueEvent]:
        found: list[QueueEvent] = []
        for block in self.packed:
            found += [QueueEvent._make(values) for values in marshal.loads(zlib.decompress(block))]
        return found + list(self.events)


class QueueHistory:
    """Kept models and packed events of one log."""

    def __init__(self, beginning: QueueModel, *, every: int = KEPT_EVERY, most: int = KEPT_MODELS) -> None:
        """Start before the log's first record.

        Args:
            beginning: A model that has seen nothing; it must not be changed afterwards.
            every: Events between two kept models.
            most: Kept models.
        """
        self._stretches = [_Stretch(beginning, BEGINNING, BEGINNING)]
        self._open: list[QueueEvent] = []
        self._since_kept = 0
        self._every = every
        self._block = every
        self._most = max(2, most)
        self._time_us = BEGINNING

    @property
    def kept_bytes(self) -> int:
        """Bytes of the packed events."""
        return sum(len(block) for stretch in self._stretches for block in stretch.packed)

    def add(self, event: QueueEvent, model: QueueModel) -> None:
        """Take an event that was just folded into ``model``."""
        if event.effect in STORY_EFFECTS:
            return
        self._open.append(event)
        self._since_kept += 1
        if event.time_us is not None and event.time_us > self._time_us:
            self._time_us = event.time_us
        if len(self._open) >= self._block:
            self._pack()
            if self._since_kept >= self._every:
                self._since_kept = 0
                self._stretches.append(_Stretch(model.copy(), event.line, self._time_us))
                if len(self._stretches) > self._most:
                    self._thin_out()

    def _pack(self) -> None:
        data = marshal.dumps([tuple(event) for event in self._open])
        self._stretches[-1].packed.append(zlib.compress(data, 1))
        self._open.clear()

    def _thin_out(self) -> None:
        kept: list[_Stretch] = []
        for place, stretch in enumerate(self._stretches):
            if place % 2:
                kept[-1].packed += stretch.packed
            else:
                kept.append(stretch)
        self._stretches = kept
        self._every *= 2

    def before_line(self, line: int) -> Replay:
        """What leads to a 1-based line; lines must ascend over the whole log."""
        return self._replay(bisect_right(self._stretches, line, key=lambda stretch: stretch.line))

    def before_time(self, time_us: int) -> Replay:
        """What leads to a time on the log's clock."""
        return self._replay(bisect_right(self._stretches, time_us, key=lambda stretch: stretch.time_us))

    def _replay(self, after: int) -> Replay:
        stretch = self._stretches[max(0, after - 1)]
        is_last = stretch is self._stretches[-1]
        return Replay(stretch.model.copy(), tuple(stretch.packed), tuple(self._open) if is_last else ())
