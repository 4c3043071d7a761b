"""A text line that edits in the order of the keys.

Owns the moment at which an editing key works: when it comes. Textual runs such keys only after they have bubbled
up to the application; letters that came behind them in one burst are in the line by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

if TYPE_CHECKING:
    from textual.events import Key


class EditLine(Input):
    """An input for bursts of keys."""

    async def _on_key(self, event: Key) -> None:
        if not event.is_printable:
            for binding in self._bindings.key_to_bindings.get(event.key, ()):
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return
        await super()._on_key(event)
