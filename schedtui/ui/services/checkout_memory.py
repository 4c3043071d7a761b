"""What is kept of a session for the next one on the same tree: breakpoints, watches, console history.

Owns the file of one checkout through ``config.state``; saved at the end and whenever breakpoints change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from schedtui.config.state import CheckoutState, checkout_state_file, load_checkout_state, save_checkout_state
from schedtui.core.errors import SchedtuiError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from schedtui.ui.services.plan import Plan


class CheckoutMemory:
    """The memory of one tree; one without a tree forgets everything."""

    def __init__(self, plan: Plan) -> None:
        """Read what is kept."""
        self._file: Path | None = None
        self.state = CheckoutState()
        self.note = ""
        """What the user should know about the file; empty when all is well."""
        if plan.checkout is not None and plan.launch is not None:
            self._file = checkout_state_file(plan.places, plan.checkout.root)
            self.state, self.note = load_checkout_state(self._file)
            self.state = msgspec.structs.replace(self.state, path=str(plan.checkout.root))

    def keep(self, **changes: Any) -> None:  # noqa: ANN401  # the fields of CheckoutState
        """Take in changes and write them."""
        self.state = msgspec.structs.replace(self.state, **changes)
        self.save()

    def typed(self, line: str) -> None:
        """Remember a console line; it is written with the next change."""
        if line and (not self.state.history or self.state.history[-1] != line):
            self.state = msgspec.structs.replace(self.state, history=(*self.state.history, line))

    def watch(self, expression: str, *, remove: bool) -> None:
        """Remember a watched expression, or no longer."""
        others = tuple(item for item in self.state.watches if item != expression)
        self.state = msgspec.structs.replace(self.state, watches=others if remove else (*others, expression))

    def remember_screen(self, values: Mapping[str, str]) -> None:
        """Remember how the screen is; written when it changed."""
        if dict(values) != self.state.panes:
            self.keep(panes=dict(values))

    def screen(self, *, come_back: bool) -> dict[str, str]:
        """How the screen was; empty when nothing is remembered.

        Args:
            come_back: True for the same session. Another one has another log, and it begins in the debugger.
        """
        kept = dict(self.state.panes)
        if kept and not come_back:
            if kept.pop("pane", "") != "debugger":
                kept.pop("zoomed", None)
            kept.pop("line", None)
        return kept

    def save(self) -> None:
        """Write the file; what cannot be written is told by ``note`` and costs nothing else."""
        if self._file is None:
            return
        try:
            save_checkout_state(self._file, self.state)
        except SchedtuiError as error:
            self.note = error.as_text()
