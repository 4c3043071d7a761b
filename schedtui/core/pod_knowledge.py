"""What a fold knows of single pods, when the stretch of a log behind it was folded apart (``core.report_parts``).

Owns the one rule of how such knowledge is joined. What is known, and what is counted, is each fold's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection

_Known = TypeVar("_Known")


def continued(
    known: dict[str, _Known], later: dict[str, _Known], pods: Collection[str] | None
) -> dict[str, _Known]:  # fmt: skip
    """What is known of each pod behind both stretches.

    Args:
        known: What is known behind the earlier one; not to be used any more.
        later: What the fold over the later one knows.
        pods: The pods of which that fold knows all that counts; None for every pod.
    """
    if pods is None:
        return later
    for pod in pods:
        known.pop(pod, None)
    known.update(later)
    return known
