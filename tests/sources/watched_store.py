"""A log store whose states tests can wait for."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from schedtui.sources.log_store import LogStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from schedtui.core.log_rows import LogState, Row, Selection

DEADLINE_SECONDS = 30.0


class WatchedStore(LogStore):
    def __init__(
        self, *inputs: str | Path, level_lookup: Callable[[str, int, str], int | None] | None = None
    ) -> None:
        self._news = threading.Condition()
        self.failures: list[BaseException] = []
        self.listener: Callable[[LogState], object] = lambda state: None
        super().__init__([str(one) for one in inputs], self._note, level_lookup, self.failures.append)

    def _note(self, state: LogState) -> None:
        with self._news:
            self._news.notify_all()
        self.listener(state)

    def wait(self, condition: Callable[[LogState], object]) -> LogState:
        """The first state that fulfils a condition."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        with self._news:
            while not condition(self.state()):
                assert not self.failures, self.failures
                left = deadline - time.monotonic()
                assert left > 0, f"waited in vain; the last state was {self.state()}"
                self._news.wait(min(left, 0.1))
        return self.state()

    def wait_whole(self) -> LogState:
        """Wait until everything is indexed, selected and searched."""
        return self.wait(
            lambda state: state.records and state.indexing is None and state.selecting is None
            and state.searching is None
        )  # fmt: skip

    def select_and_wait(self, selection: Selection, near: int | None = None) -> LogState:
        generation = self.state().generation
        self.select(selection, near)
        return self.wait(
            lambda state: state.filter_error or (state.generation > generation and state.selecting is None)
        )

    def all_rows(self, columns: int = 400) -> Sequence[Row]:
        state = self.state()
        return self.rows(state.first, state.last - state.first, columns)

    def texts(self) -> list[str]:
        return [row.text for row in self.all_rows()]

    def wait_texts(self, count: int) -> list[str]:
        """The rows' texts once there are so many of them."""
        self.wait(lambda state: state.last - state.first >= count and state.selecting is None)
        return self.texts()
