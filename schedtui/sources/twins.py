"""What two inputs share: klog writes an error into its INFO, WARNING and ERROR file alike.

Owns the memory of what was shown lately. A repetition within one input is no twin: it is shown as often as one of
the inputs has it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable


class Twins:
    """Tells a record that another input has brought already."""

    def __init__(self, remembered: int) -> None:
        """Begin with nothing.

        Args:
            remembered: How many different records are remembered; the oldest are forgotten.
        """
        self._remembered = remembered
        self._seen: OrderedDict[Hashable, dict[int, int]] = OrderedDict()
        self._shown: dict[Hashable, int] = {}

    def is_new(self, source: int, key: Hashable) -> bool:
        """Count a record; False when another source had it first.

        Args:
            source: The input that has it.
            key: Equal for twins, for nothing else.
        """
        counts = self._seen.get(key)
        if counts is None:
            counts = self._seen[key] = {}
            self._shown[key] = 0
            if len(self._seen) > self._remembered:
                oldest, _ = self._seen.popitem(last=False)
                del self._shown[oldest]
        counts[source] = counts.get(source, 0) + 1
        if counts[source] <= self._shown[key]:
            return False
        self._shown[key] += 1
        return True
