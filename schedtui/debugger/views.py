"""Kubernetes and scheduler types as people read them.

Owns the views of values that are already loaded (Pod, NodeInfo, QueuedPodInfo, Status …) and the look-up of what
must be loaded for them. Pure: ``inspector`` does the loading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedtui.debugger.model import Variable


def pod_of(variables: Iterable[Variable]) -> str:
    """``ns/name`` of the pod among the variables of a frame; empty when none tells it."""
    return ""
