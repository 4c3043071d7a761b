"""The parts of one session: started together, worked with on threads of their own, ended together.

Owns the debugger driver, the log stores, the queue fold and the lab of a ``Plan``, and the worker threads. What
the parts tell, and what is wished of them, is ``session``'s. Facts go out through ``post``, from any thread.
"""

from __future__ import annotations

import abc
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.debugger import model
from schedtui.debugger.driver import DebuggerDriver
from schedtui.debugger.launching import built_by_dlv
from schedtui.sources.log_kind import doubts_about
from schedtui.sources.log_store import LogStore
from schedtui.ui import messages
from schedtui.ui.services import log_facts
from schedtui.ui.services.checkout_memory import CheckoutMemory
from schedtui.ui.services.free_run import FreeScheduler
from schedtui.ui.services.lab_link import LabLink
from schedtui.ui.services.log_costs import LogCostWatch, cost_lines
from schedtui.ui.services.log_history import LogHistory
from schedtui.ui.services.overview import ToolChecks
from schedtui.ui.services.pattern_break import PatternBreak
from schedtui.ui.services.queue_desk import QueueDesk
from schedtui.ui.services.queue_watch import QueueWatch
from schedtui.ui.services.rebuild import Rebuild
from schedtui.ui.services.source_shelf import SourceShelf
from schedtui.ui.services.stations import session_catalogue
from schedtui.ui.services.trace_log import TraceLog
from schedtui.ui.services.watch import SessionWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from schedtui.core.log_cost import LogCost
    from schedtui.core.queue_state import QueueSnapshot
    from schedtui.core.record import Record
    from schedtui.ui.services.plan import Plan

CLOSE_SECONDS = 15.0
"""How long dlv and its target may take to end."""


class SessionParts(abc.ABC):
    """What runs behind one main screen: its parts, and their beginning and end."""

    def __init__(self, plan: Plan, post: Callable[[Message], object]) -> None:
        """Create it; nothing runs before ``start``.

        Args:
            plan: What to run.
            post: Takes messages for the main screen, from any thread.
        """
        self.plan = plan
        self._post = post
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="work")
        self._closing = threading.Lock()
        self._opening = threading.RLock()
        """Held while another log takes the place of the one before, and while a fold tells of its own."""
        self._closed = False
        self.state: model.TargetState = "none"
        self.target_pid: int | None = None
        self.run_logs: tuple[str, ...] = ()
        """The log of each run of the target in this session, oldest first."""
        self.levels = log_facts.Levels(plan.checkout, plan.places.cache, self._levels_changed)
        self.shelf = SourceShelf(plan.checkout, self.levels.marks)
        self.memory = CheckoutMemory(plan)
        self._stop = threading.Event()
        self.desk = QueueDesk(self, self._stop)
        self.breakpoints = 0
        """How many the user has set."""
        self.set_breakpoints: tuple[model.Breakpoint, ...] = ()
        """Dlv's own list, newest."""
        self.lab = LabLink(plan.lab, self.post) if plan.lab is not None else None
        self._old_stores: list[LogStore] = []
        self._waiting_verbosity: int | None = None
        self._shown_file = ""
        self.store: LogStore | None = None
        self.queue: QueueWatch | None = None
        self.rebuild = Rebuild(plan, lambda state: self.post(messages.BuildProgressed(state)))
        self.watch = SessionWatch(self, self.post)
        self.log_costs: LogCostWatch | None = None
        """Measures the log of the present run; None while another one is shown."""
        self.tool_checks = ToolChecks()
        self.last_stop = ""
        """Where the target last stopped at a breakpoint."""
        self.ended_because = ""
        """Why the target ended; empty while it lives."""
        self._obstacle: str | None = None
        self.driver: DebuggerDriver | FreeScheduler | None = None
        self.stations = session_catalogue(plan.places.config)
        self.pattern = PatternBreak(self.submit, self.post)
        self.traces = TraceLog(plan.launch.run_directory if plan.launch is not None else "")
        if plan.launch is not None:
            kept = self.memory.state
            self.driver = DebuggerDriver(
                plan.launch, self._debugger_event, source=plan.checkout, kept=kept.breakpoints,
                watches=kept.watches or tuple(plan.settings.watches), catalogue=self.stations.catalogue,
            )  # fmt: skip
        elif plan.free is not None:
            self.driver = FreeScheduler(plan.free, self._debugger_event)

    # --- life -------------------------------------------------------------------------------------------------

    def post(self, message: Message) -> None:
        """Hand a fact to the screen."""
        if not self._closed:
            self._post(message)

    def start(self) -> None:
        """Start the parts; none once the session was ended, as by a signal while its screen came up."""
        with self._closing:
            if not self._closed:
                self._start_parts()

    def _start_parts(self) -> None:
        if self.plan.logs:
            self.open_logs(self.plan.logs)
            self.work("log-kind", self._doubt_logs)
        if self.driver is not None:
            self.driver.start()
            self.watch.start()
            self.post(messages.BuildProgressed(self.rebuild.state))
        if self.lab is not None:
            self.lab.start()
        self.work("levels", self._load_levels)
        names = tuple(station.name for station in self.stations.catalogue.stations)
        self.post(messages.HistoryRemembered(self.memory.state.history, names))
        if panes := self.memory.screen(come_back=self.plan.came_back):
            self.post(messages.ScreenRemembered(panes))
        for note in (*self.plan.notes, *((self.stations.note,) if self.stations.note else ())):
            if self.plan.launch is not None:
                self.post(messages.DebuggerReported(model.ConsoleOutput(note, "note")))
            self.post(messages.NoticePosted(note))

    def _doubt_logs(self) -> None:
        for doubt in doubts_about(self.plan.logs):
            self.post(messages.NoticePosted(doubt, "warning"))

    def _load_levels(self) -> None:
        if self.levels.load() and self._shown_file:
            self.post(messages.SourceMarked(self.shelf.text(self._shown_file)))

    def _levels_changed(self, lookup: Callable[[str, int, str], int | None]) -> None:
        if self.store is not None:
            self.store.set_level_lookup(lookup)
        if self.levels.note:
            self.post(messages.NoticePosted(f"No V levels from the source: {self.levels.note}", "warning"))

    def open_logs(self, paths: Sequence[str]) -> LogStore:
        """Follow other logs; the store of the earlier ones is closed."""
        old = self.store
        store = LogStore(
            tuple(paths),
            lambda _state: self.post(messages.LogGrew()),
            self.levels.lookup,
            self._part_failed,
            self.plan.settings.log.poll_seconds,
        )
        beside = self._logs_beside
        # The logs of the lab's parts and tracepoints come last: they are shown, nothing is concluded from them.
        own = [path for path in store.inputs if path not in beside]
        ours = bool(self.run_logs) and paths[0] == self.run_logs[-1]
        costs = self.log_costs = LogCostWatch(self._log_costs, lambda record: self.levels.enrich(record).v)

        def observe(records: Sequence[Record]) -> None:
            self.levels.observe(records)
            if self.state == "running":
                self.pattern.observe(records)
            if ours:
                costs.observe(records)

        watch = QueueWatch(
            lambda snapshot: self._folded(watch, snapshot), debugged=ours and self.plan.launch is not None,
            on_records=observe,
        )  # fmt: skip
        self.desk.forget(len(own))
        # The program that wrote this log is as old as it is: files edited since then give no levels.
        self.levels.start_log(self._built_at() if ours else None)
        store.subscribe_records(
            lambda records: watch.take([record for record in records if record.source < len(own)]),
            watch.tell,
            LogHistory(store, watch, self.levels, self.post) if own else None,
        )
        another = old is None or old.inputs[:1] != store.inputs[:1]
        with self._opening:
            self.store, self.queue = store, watch
            self.post(messages.LogOpened(store))
            if another:
                # Another run: its queues are empty until it says something.
                self.desk.changed(watch.ask(lambda fold: fold.snapshot()))
        store.start()
        if old is not None:
            # The pane paints from it until it has been handed the new one.
            self._old_stores.append(old)
        return store

    def _folded(self, watch: QueueWatch, snapshot: QueueSnapshot) -> None:
        """On the thread that folds; the log before may still have something to tell, and is not asked any more."""
        with self._opening:
            if self.queue is watch:
                self.desk.changed(snapshot)

    @property
    def _logs_beside(self) -> tuple[str, ...]:
        """Logs that are shown with the scheduler's own."""
        merged = self.lab.merged_paths if self.lab is not None else ()
        return (*merged, self.traces.path) if self.traces.path else merged

    def log_shown(self, source: object) -> None:
        """The pane paints from this log now: earlier ones can be closed."""
        closing = [store for store in self._old_stores if store is not source]
        self._old_stores = [store for store in self._old_stores if store is source]
        for store in closing:
            self.work("close-log", store.close)

    def end(self, *, detach: bool = False) -> bool:
        """End target, dlv and lab; the logs stay readable for what is still painted.

        Args:
            detach: Leave the target running where that can be.

        Returns:
            True when nothing of ours is left. It may be called twice, and from any thread.
        """
        with self._closing:
            if self._closed:
                return True
            self._closed = True
        self._stop.set()
        self.watch.stop()
        self.rebuild.cancel()
        self.levels.cancel()
        if self.lab is not None:
            self.lab.stop_scenario()
        ended = self.driver.close(detach, CLOSE_SECONDS) if self.driver is not None else True
        self.memory.save()
        start = self.plan.start
        left = detach and start is not None and start.persistent
        if self.lab is not None and not left:
            self.lab.end()
        self._pool.shutdown(wait=False, cancel_futures=True)
        if start is not None and not left:
            shutil.rmtree(start.run_directory, ignore_errors=True)
        return ended

    def close(self) -> None:
        """End everything, the logs included; once nothing is painted any more."""
        self.end()
        for store in (*self._old_stores, *([self.store] if self.store is not None else ())):
            store.close()
        self._old_stores, self.store = [], None

    def alive(self) -> tuple[str, ...]:
        """What would be ended by quitting, one line each; empty when quitting needs no question."""
        lines: list[str] = []
        if self.driver is not None and self.driver.alive and self.state not in ("none", "lost", "exited"):
            pid = f" (pid {self.target_pid})" if self.target_pid else ""
            how = " under dlv" if self.plan.launch is not None else ""
            lines.append(f"the scheduler{how}{pid}, {self.state}")
        if self.lab is not None and self.lab.lab.owned and not self.lab.ended:
            lines.append(f"the lab {self.lab.lab.name}, which this call started")
        return tuple(lines)

    @property
    def foreign(self) -> bool:
        """True for a scheduler that somebody else started: it is never ended, and runs on without us."""
        return self.plan.launch is not None and self.plan.launch.mode in ("attach", "connect")

    @property
    def can_detach(self) -> bool:
        """True when the target can be left running."""
        return self.foreign or (self.plan.launch is not None and self.plan.launch.persistent)

    @abc.abstractmethod
    def _debugger_event(self, event: model.Event) -> None:
        """The debugger told something; on its own thread."""

    # --- work -------------------------------------------------------------------------------------------------

    def work(self, name: str, job: Callable[[], object]) -> None:
        """Do something that takes time, on a worker thread; a failure is told."""
        if not self._closed:
            self._pool.submit(self._guarded, name, job)

    def _guarded(self, name: str, job: Callable[[], object]) -> None:
        try:
            job()
        except SchedtuiError as error:
            self.post(messages.WorkFailed(name, error))
        except Exception as error:  # noqa: BLE001 - a bug: told, never a worker that dies silently
            self._part_failed(error)

    def _part_failed(self, error: BaseException) -> None:
        self.post(messages.NoticePosted(f"a fault in schedtui: {type(error).__name__}: {error}", "error"))

    # --- facts from the parts

    def _log_costs(self, cost: LogCost) -> None:
        share = max(cost.share, cost.busiest_share)
        title = f"The log costs the scheduler {share:.0%} of a core ({cost.lines_per_second:,.0f} lines/s)."
        self.post(messages.LogCostMeasured(title, cost_lines(cost)))

    def _built_at(self) -> float | None:
        """When the program that is debugged was built; None when that is not known."""
        start = self.plan.start
        program = built_by_dlv(start) or start.target if start is not None else ""
        try:
            return Path(program).stat().st_mtime if program else None
        except (OSError, ValueError):
            return None

    # --- wishes -----------------------------------------------------------------------------------------------

    def submit(self, command: model.Command) -> None:
        """Hand a command to dlv."""
        if self.driver is None:
            self.post(messages.NoticePosted("There is no debugger here.", "warning"))
            return
        if isinstance(command, model.Console):
            self.memory.typed(command.text)
        elif isinstance(command, model.Watch):
            self.memory.watch(command.expression, remove=command.remove)
        self.driver.submit(command)
