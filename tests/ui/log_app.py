"""A tiny app around one log pane, and a log made of lines in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App
from textual.widgets import Input

from schedtui.ui.key_table import KeyTable, Pending, key_of_event
from schedtui.ui.messages import CopyRequested, LogGrew, NoticePosted, SourceJumpRequested
from schedtui.ui.widgets.log_pane import LogPane
from tests.sources.watched_store import WatchedStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.events import Key

    from schedtui.core.call_sites import SiteLevel
    from schedtui.core.log_rows import LogState
    from schedtui.core.record import Record


class LogApp(App[None]):
    AUTO_FOCUS = ""

    def __init__(self, store: WatchedStore, explain: Callable[[Record], SiteLevel | None] | None = None) -> None:
        super().__init__()
        self.store = store
        self.pane = LogPane(store, explain=explain)
        self.keys = KeyTable()
        self.notices: list[str] = []
        self.copied: list[str] = []
        self.jumps: list[SourceJumpRequested] = []
        store.listener = lambda state: self.post_message(LogGrew())

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.store.start()

    def on_unmount(self) -> None:
        self.store.close()

    def on_log_grew(self) -> None:
        self.pane.show_growth()

    def on_notice_posted(self, message: NoticePosted) -> None:
        self.notices.append(message.text)

    def on_copy_requested(self, message: CopyRequested) -> None:
        self.copied.append(message.text)

    def on_source_jump_requested(self, message: SourceJumpRequested) -> None:
        self.jumps.append(message)

    def on_key(self, event: Key) -> None:
        if isinstance(self.focused, Input):
            return
        found = self.keys.resolve("log", (key_of_event(event.key, event.character),))
        if found is None or isinstance(found, Pending):
            return
        method = getattr(self.pane, f"action_{found.name}", None)
        if method is not None:
            method()

    # --- what tests look at

    def screen_rows(self) -> list[str]:
        """What every line of the view paints, as text."""
        view = self.pane.view
        return [view.render_line(y).text.rstrip() for y in range(view.size.height)]

    def shown_rows(self) -> list[str]:
        return [text for text in self.screen_rows() if text]

    def bar(self) -> str:
        from schedtui.ui.widgets.log_bar import LogBar

        return self.pane.query_one(LogBar).render_line(0).text

    def panel(self) -> list[str]:
        from schedtui.ui.widgets.rows import RowsView

        return [row.text for row in self.pane.query_one("#log-panel", RowsView).rows]


def store_of(path: Path, text: str) -> WatchedStore:
    path.write_text(text)
    return WatchedStore(path)


def whole(state: LogState) -> bool:
    return bool(state.records) and state.indexing is None and state.selecting is None and state.searching is None
