"""Pod stories and station counts in words, from the folded log."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.core.queue_model import QueueModel
    from schedtui.ui.services.queue_watch import QueueWatch

Lines = tuple[tuple[str, str], ...]


def station_lines(model: QueueModel) -> Lines:
    """Pods per station."""
    return ()


def story_lines(queue: QueueWatch, paths: tuple[str, ...], pod: str, against: str) -> Lines:
    """One pod's story."""
    return ((pod, "key"),)
