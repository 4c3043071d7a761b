"""The queue pane: counts, table of pods, and the tabs pod story, nodes, stations, times.

Owns which tab is open, the order of the table, the course of the counts and the countdown of backoffs. Snapshots,
stories and counts are made below (``core``) and handed in; wishes go out as messages.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from textual.containers import Vertical

from schedtui.core.queue_state import EMPTY_QUEUE, POD_STATES, PodRow
from schedtui.core.story_text import StoryLine
from schedtui.ui.messages import (
    AttemptsCompareRequested,
    CopyRequested,
    LogFilterRequested,
    LogLinePicked,
    NoticePosted,
    PodStoryRequested,
)
from schedtui.ui.widgets.queue_rows import (
    ORDER_WORDS,
    ORDERS,
    Order,
    count_rows,
    node_rows,
    pod_rows,
    summary,
    told_rows,
)
from schedtui.ui.widgets.rows import Row, RowsView, row
from schedtui.ui.widgets.tab_bar import TabBar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import ComposeResult

    from schedtui.core.placements import NodePlacement
    from schedtui.core.queue_state import PodState, QueueSnapshot

Tab = Literal["queues", "story", "nodes", "workflow", "times"]
"""What the pane can show."""

TABS: tuple[tuple[Tab, str], ...] = (
    ("queues", "queues"), ("story", "pod story"), ("nodes", "nodes"), ("workflow", "stations"), ("times", "times"),
)  # fmt: skip
"""The tabs in their order, and their words."""


SHOWN_PODS = 12
"""Pods of one queue that are named in one line."""

BUNDLE_COLUMNS = 120
"""Width of the queues as text."""


class QueuePane(Vertical):
    """One scheduling queue on the screen."""

    DEFAULT_CSS = """
    QueuePane { height: 1fr; }
    QueuePane #counts { height: 2; }
    QueuePane #needs { height: 1; }
    QueuePane #needs.-two { height: 2; }
    QueuePane #needs.-exact { display: none; }
    """

    def __init__(self, *, id: str | None = None, sparklines: bool = True) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.tab: Tab = "queues"
        self.order: Order = "queue"
        self.snapshot: QueueSnapshot = EMPTY_QUEUE
        self.live = True
        """False while the queues stand at the log's cursor."""
        self.story_pod = ""
        self.word = ""
        """Only pods that hold this word are shown."""
        self._show_all = False
        self._story: tuple[StoryLine, ...] = ()
        self._times: tuple[StoryLine, ...] = ()
        self._stations: tuple[Row, ...] = ()
        self._placements: tuple[NodePlacement, ...] = ()
        self._clock_offset_us: int | None = None
        self._sparklines = sparklines
        self._stopped = False
        """Whether the target is stopped in the debugger: nothing moves then, and no pod is stuck for it."""
        self._compare = ""
        self._attempt = ""
        """The attempt that is marked for a comparison."""
        self._history: dict[PodState, list[int]] = {}

    def compose(self) -> ComposeResult:
        """Tab bar, counts, advice, rows."""
        yield TabBar(TABS, id="queue-tabs")
        yield RowsView(id="counts", cursor=False)
        yield RowsView(id="needs", cursor=False)
        yield RowsView(id="queue-rows")

    def on_mount(self) -> None:
        """Show the empty queue."""
        self.table.set_active(True)
        self.set_interval(1.0, self._count_down)
        self._show()

    def _count_down(self) -> None:
        """Waits and backoffs go on while the log is written; only rows that change are repainted."""
        if self.live and self._clock_offset_us is not None and self.tab == "queues" and self.display:
            self.table.set_rows(self._rows())

    @property
    def _now_us(self) -> int | None:
        """The log's clock at this moment; None while time stands still."""
        if not self.live or self._clock_offset_us is None:
            return None
        return int(time.time() * 1_000_000) + self._clock_offset_us

    @property
    def table(self) -> RowsView:
        """The rows of the open tab."""
        return self.query_one("#queue-rows", RowsView)

    @property
    def summary(self) -> str:
        """The counts in one line."""
        return ("" if self.live else "at the log's cursor: ") + summary(self.snapshot)

    @property
    def selected_pod(self) -> str:
        """The pod of the selected row, or of the story; empty when there is none."""
        if self.tab == "story":
            return self.story_pod
        selected = self.table.selected
        if selected and isinstance(selected.payload, StoryLine):
            return selected.payload.pod
        return selected.payload.pod if selected and isinstance(selected.payload, PodRow) else ""

    # --- facts ------------------------------------------------------------------------------------------------

    def show_snapshot(
        self, snapshot: QueueSnapshot, *, live: bool, course: Sequence[Mapping[PodState, int]] = (),
        clock_offset_us: int | None = None, placements: tuple[NodePlacement, ...] = (),
    ) -> None:  # fmt: skip
        """The queues changed, or the log's cursor stands elsewhere.

        Args:
            snapshot: The queues.
            live: False for those at the log's cursor.
            course: The counts over time.
            clock_offset_us: What the log's clock is ahead of the machine's; None while time stands still.
            placements: What happened on each node, when live.
        """
        self.snapshot, self.live, self._clock_offset_us = snapshot, live, clock_offset_us
        self._placements = placements
        if course:
            self._history = {state: [counts.get(state, 0) for counts in course] for state in POD_STATES}
        self._show()

    def show_stopped(self, stopped: bool) -> None:
        """The target was stopped in the debugger, or goes on."""
        if stopped != self._stopped:
            self._stopped = stopped
            self._show()

    def show_story(self, pod: str, lines: Sequence[StoryLine], *, again: bool = False) -> None:
        """One pod's story, told; ``again`` when the one that is open got on."""
        if again and pod != self.story_pod:
            return
        self.story_pod, self._story = pod, tuple(lines)
        if not again:
            self._attempt = ""
            self.table.move_to(0)
            self.select_tab("story")
        elif self.tab == "story":
            self._show()

    def show_times(self, lines: Sequence[StoryLine]) -> None:
        """Waits, slowest and stuck pods."""
        if tuple(lines) != self._times:
            self._times = tuple(lines)
            if self.tab == "times":
                self._show()

    def show_stations(self, rows: Sequence[Row]) -> None:
        """Counts and rates per station of the workflow."""
        if tuple(rows) != self._stations:
            self._stations = tuple(rows)
            if self.tab == "workflow":
                self._show()

    def on_resize(self) -> None:
        """Bars depend on the width."""
        self._show()

    def _show(self) -> None:
        if not self.is_mounted or not self.size.width:
            return
        width = self.size.width
        self.query_one("#counts", RowsView).set_rows(
            count_rows(self.snapshot, self._history, width, sparklines=self._sparklines)
        )
        advice = self._advice()
        needs = self.query_one("#needs", RowsView)
        needs.set_rows(advice)
        needs.set_class(not advice, "-exact")
        needs.set_class(len(advice) > 1, "-two")
        bar = self.query_one(TabBar)
        order = f"by {self.order}" if self.order != "queue" else ""
        word = f"/{self.word}" if self.word else ""
        bar.badges = {"queues": f"{order} {word}".strip(), "story": self.story_pod}
        bar.show(self.tab)
        bar.refresh()
        self.table.empty = {
            "queues": self._nothing(),
            "story": "Enter on a pod tells its story.",
            "nodes": "No bindings yet.",
            "workflow": "No pod has passed a station yet.",
            "times": "Nothing is counted yet.",
        }[self.tab]
        self.table.set_rows(self._rows())

    def _nothing(self) -> str:
        """Why the table of pods is empty."""
        if self.word:
            return f"No pod here holds '{self.word}'; Esc shows all" + (
                "." if self._show_all else ", a bound ones too."
            )
        if self._show_all:
            return "No pods yet."
        return "No pods are waiting; a shows bound and gone ones too."

    def _advice(self) -> list[Row]:
        said = [notice for notice in self.snapshot.notices if notice != self.snapshot.ended]
        more = f" (and {len(said) - 1} more: t m)" if len(said) > 1 else ""
        notices = [(f"{notice}{more}", "warning") for notice in said[-1:]]
        if self.snapshot.needs not in ("exact", "no log yet"):
            notices.append((f"~ guessed in part: {self.snapshot.needs}", "note"))
        waiting = self.snapshot.counts.get("active", 0)
        if self._stopped and self.live and waiting and not notices:
            pods = "a pod in activeQ waits" if waiting == 1 else f"{waiting} pods in activeQ wait"
            notices.append((f"stopped in the debugger, so {pods}: c continues", "note"))
        # That nothing will change any more is said whatever else there is to say.
        ended = [row((self.snapshot.ended, "warning"))] if self.snapshot.ended else []
        return [*ended, *([row(notices[-1])] if notices else [])]

    def _rows(self) -> Sequence[Row]:
        if self.tab == "queues":
            return pod_rows(
                self.snapshot, self.order, show_all=self._show_all, word=self.word, now_us=self._now_us,
                width=self.size.width,
            )  # fmt: skip
        if self.tab == "story":
            return told_rows(self._story, self.size.width)
        if self.tab == "times":
            return told_rows(self._times, self.size.width)
        if self.tab == "nodes":
            return node_rows(self.snapshot, self._placements, self.size.width)
        return self._stations

    # --- actions ----------------------------------------------------------------------------------------------

    def select_tab(self, tab: Tab) -> None:
        """Open a tab."""
        if tab != self.tab:
            self.tab = tab
            self.table.move_to(0)
        self._show()

    def action_tab_next(self) -> None:
        """On to the next tab."""
        self._step(1)

    def action_tab_previous(self) -> None:
        """Back to the tab before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        names = [name for name, _ in TABS]
        self.select_tab(names[(names.index(self.tab) + by) % len(names)])

    def action_tab_queues(self) -> None:
        """The queues."""
        self.select_tab("queues")

    def action_tab_story(self) -> None:
        """The pod's story."""
        self.action_story()

    def action_tab_nodes(self) -> None:
        """Bindings per node."""
        self.select_tab("nodes")

    def action_tab_workflow(self) -> None:
        """Pods per station."""
        self.select_tab("workflow")

    def action_tab_times(self) -> None:
        """Waits, slowest and stuck pods, reasons."""
        self.select_tab("times")

    def action_cursor_down(self) -> None:
        """One row down."""
        self.table.move(1)

    def action_cursor_up(self) -> None:
        """One row up."""
        self.table.move(-1)

    def action_page_down(self) -> None:
        """A page down."""
        self.table.move_pages(1)

    def action_page_up(self) -> None:
        """A page up."""
        self.table.move_pages(-1)

    def action_top(self) -> None:
        """To the first row."""
        self.table.move_to(0)

    def action_bottom(self) -> None:
        """To the last row."""
        self.table.move_to(-1)

    def action_story(self) -> None:
        """Tell the selected pod's story; on a node, show only its pods."""
        selected = self.table.selected
        if self.tab == "nodes" and selected and isinstance(selected.payload, str):
            self.word, self._show_all = selected.payload, True
            self.select_tab("queues")
            return
        line = selected.payload.log_line if selected and isinstance(selected.payload, StoryLine) else 0
        if self.tab == "story" and line:
            self.post_message(LogLinePicked(line))
            return
        pod = self.selected_pod
        if pod:
            self.post_message(PodStoryRequested(pod))
        else:
            self.select_tab("story")

    def action_back(self) -> None:
        """Back to all queues."""
        if self.tab == "queues" and self.word:
            self.word = ""
            self._show()
        self._compare = self._attempt = ""
        self.select_tab("queues")

    def action_log_lines(self) -> None:
        """The pod's records in the log."""
        pod = self.selected_pod
        if pod:
            self.post_message(LogFilterRequested(f"pod:{pod}"))
        else:
            self.post_message(NoticePosted("Select a pod first."))

    def action_sort(self) -> None:
        """The next order."""
        self.order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]
        self._show()
        self.post_message(NoticePosted(f"Sorted by {ORDER_WORDS.get(self.order, self.order)}."))

    def action_all_pods(self) -> None:
        """Bound and gone pods too, or not."""
        self._show_all = not self._show_all
        self._show()
        ended = sum(self.snapshot.counts.get(state, 0) for state in ("bound", "gone"))
        shown = f"shown too: {ended}" if self._show_all else f"hidden: {ended}"
        self.post_message(NoticePosted(f"Bound and gone pods are {shown}."))

    def set_word(self, word: str) -> None:
        """Show only pods that hold this word."""
        self.word = word
        self.select_tab("queues")

    def action_copy(self) -> None:
        """Copy the pod's name, or the row."""
        pod = self.selected_pod
        selected = self.table.selected
        text = pod or (selected.text.strip() if selected else "")
        if text:
            self.post_message(CopyRequested(text, "pod name" if pod else "row"))

    def action_compare(self) -> None:
        """Mark a pod, or an attempt of the story; the second one is compared with it."""
        selected = self.table.selected
        if (
            self.tab == "story"
            and selected
            and isinstance(selected.payload, StoryLine)
            and selected.payload.attempt
        ):
            self._compare_attempt(selected.payload.attempt)
            return
        pod = self.selected_pod
        if not pod:
            self.post_message(NoticePosted("Select a pod first."))
        elif not self._compare or self._compare == pod:
            self._compare = pod
            self.post_message(NoticePosted(f"{pod} is marked; m on another pod compares the two."))
        else:
            self.post_message(PodStoryRequested(self._compare, against=pod))
            self._compare = ""

    def _compare_attempt(self, attempt: str) -> None:
        if not self._attempt or self._attempt == attempt:
            self._attempt = attempt
            self.post_message(NoticePosted("The attempt is marked; m on another one compares the two."))
        else:
            self.post_message(AttemptsCompareRequested(self._attempt, attempt))
            self._attempt = ""

    @property
    def queue_lines(self) -> tuple[str, ...]:
        """Each queue with its pods, in the words of the queue that is read from memory."""
        lines = []
        for state, word in (("active", "activeQ"), ("backoff", "backoffQ"), ("unschedulable", "unschedulable"),
                            ("gated", "gated"), ("in_flight", "in flight")):  # fmt: skip
            pods = [item.pod for item in self.snapshot.pods if item.state == state]
            more = ", …" if len(pods) > SHOWN_PODS else ""
            lines.append(f"{word:<16}{len(pods):>4}  {', '.join(pods[:SHOWN_PODS])}{more}")
        return tuple(lines)

    @property
    def snapshot_text(self) -> str:
        """All pods that are known, and the counts, whatever the open tab shows."""
        rows = (
            *count_rows(self.snapshot, {}, BUNDLE_COLUMNS, sparklines=False),
            *pod_rows(self.snapshot, "queue", show_all=True),
        )
        return "\n".join((self.summary, "", *(item.text.rstrip() for item in rows))) + "\n"

    @property
    def shown_text(self) -> str:
        """What the open tab shows, as text."""
        return "\n".join(item.text.rstrip() for item in self.table.rows)
