"""The transition table: what each kind of scheduler event does to the pods of one process.

Owns the table alone; the transitions are in the modules that it is put together from. They go as far as a
line's own words go. What happens without a line is not decided there: rows are left as they were last proven
and ``core.queue_inference`` judges them when somebody asks.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.binding_effects import BINDING_EFFECTS
from schedtui.core.cycle_effects import CYCLE_EFFECTS
from schedtui.core.group_effects import GROUP_EFFECTS
from schedtui.core.informer_effects import INFORMER_EFFECTS
from schedtui.core.move_effects import MOVE_EFFECTS
from schedtui.core.process_effects import PROCESS_EFFECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_process import SchedulerProcess

TRANSITIONS: Mapping[str, Callable[[SchedulerProcess, QueueEvent], None]] = MappingProxyType({
    **INFORMER_EFFECTS,
    **MOVE_EFFECTS,
    **CYCLE_EFFECTS,
    **BINDING_EFFECTS,
    **GROUP_EFFECTS,
    **PROCESS_EFFECTS,
})  # fmt: skip
"""Effect → transition. Effects that are missing here tell a pod's story but move nothing."""


def apply_effect(process: SchedulerProcess, event: QueueEvent) -> None:
    """Apply one event to a process; effects that move nothing are ignored."""
    transition = TRANSITIONS.get(event.effect)
    if transition is not None:
        transition(process, event)
