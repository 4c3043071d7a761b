"""One session behind the panes: starts its parts, carries out wishes, ends everything.

Owns the debugger driver, the log stores, the queue fold and the lab of a ``Plan``. Wishes arrive on the UI loop
and never block it: what takes time is handed to a worker thread. Facts go out through ``post``, from any thread.
"""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedtui.core.errors import SchedtuiError
from schedtui.core.exit_cause import ExitCause, with_own_checks
from schedtui.core.source_text import SourceText
from schedtui.debugger import model
from schedtui.debugger.driver import DebuggerDriver
from schedtui.debugger.launching import built_by_dlv
from schedtui.sources.log_store import LogStore
from schedtui.toolchain.doctor.run import failures
from schedtui.ui import messages
from schedtui.ui.services import log_facts
from schedtui.ui.services.bundle import write_bundle
from schedtui.ui.services.checkout_memory import CheckoutMemory
from schedtui.ui.services.free_run import FreeScheduler
from schedtui.ui.services.lab_link import LabLink
from schedtui.ui.services.log_costs import LogCostWatch, cost_lines
from schedtui.ui.services.log_history import LogHistory
from schedtui.ui.services.log_kind import doubts_about
from schedtui.ui.services.overview import ToolChecks
from schedtui.ui.services.pattern_break import PatternBreak
from schedtui.ui.services.queue_desk import QueueDesk
from schedtui.ui.services.queue_watch import QueueWatch
from schedtui.ui.services.rebuild import Rebuild
from schedtui.ui.services.refusals import explained, obstacle_of
from schedtui.ui.services.setup import exit_checks, exit_subject
from schedtui.ui.services.source_shelf import SourceShelf
from schedtui.ui.services.stations import session_catalogue
from schedtui.ui.services.trace_log import TraceLog
from schedtui.ui.services.watch import SessionWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from schedtui.core.log_cost import LogCost
    from schedtui.core.queue_state import PodState
    from schedtui.core.record import Record
    from schedtui.ui.services.plan import Plan

CLOSE_SECONDS = 15.0
"""How long dlv and its target may take to end."""

AT_ENTRY = SourceText(
    "", reason="The scheduler stands at its entry, before any Go code. b s, then c: ScheduleOne."
)
"""What is shown as source before the first continue."""


AT_TEST_ENTRY = SourceText("", reason="The test binary stands at its entry. b : TestName, then c.")
"""The same for the tests of a package."""


TRIED_AGAIN: dict[PodState, str] = {
    "unschedulable": "; stops at its next try, at an event that may help it",
    "gated": "; stops once its gates are gone",
    "bound": "; bound already, stops once it is made anew",
    "gone": "; gone already, stops once it is made anew",
}
"""State → when a pod in it is scheduled next, where that may take long."""


class Session:
    """What runs behind one main screen."""

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

        watch = QueueWatch(self.desk.changed, debugged=ours and self.plan.launch is not None, on_records=observe)
        self.desk.forget(len(own))
        # The program that wrote this log is as old as it is: files edited since then give no levels.
        self.levels.start_log(self._built_at() if ours else None)
        store.subscribe_records(
            lambda records: watch.take([record for record in records if record.source < len(own)]),
            watch.tell,
            LogHistory(store, watch, self.levels, self.post) if own else None,
        )
        another = old is None or old.inputs[:1] != store.inputs[:1]
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

    def _debugger_event(self, event: model.Event) -> None:
        source, sight = None, messages.NO_SIGHT
        if isinstance(event, model.StateChanged):
            self._target_changed(event)
        elif isinstance(event, model.Stopped):
            self.state = "stopped"
            if event.stop.reason == "breakpoint":
                self.last_stop = event.stop.title
            frames = event.stop.frames
            asked = next((one.asked for one in self.set_breakpoints if one.id == event.stop.breakpoint_id), "")
            sight = self.stations.sight_at(event.stop, asked)
            if event.stop.reason == "entry":
                testing = self.plan.launch is not None and self.plan.launch.mode == "test"
                source = AT_TEST_ENTRY if testing else AT_ENTRY
            elif event.stop.selected_frame < len(frames):
                self._shown_file = frames[event.stop.selected_frame].file
                source = self.shelf.text(self._shown_file)
        elif isinstance(event, model.BreakpointsChanged):
            self.set_breakpoints = event.breakpoints
            self.breakpoints = sum(1 for item in event.breakpoints if item.id > 0)
            self.memory.keep(breakpoints=event.kept)
        elif isinstance(event, model.ConsoleOutput | model.Failed):
            event = self._with_problem(event)
        elif isinstance(event, model.Traced) and self.traces.write(event) and self.store is not None:
            self.open_logs((*self.store.inputs, self.traces.path))
        self.post(messages.DebuggerReported(event, source, sight))
        if isinstance(event, model.StateChanged) and event.state == "exited" and event.exit_status != 0:
            self.work("exit", lambda: self._check_exit(event))

    def _with_problem(self, event: model.ConsoleOutput | model.Failed) -> model.Event:
        """Dlv's words, with what they mean under them when that is known."""
        if self.plan.launch is None:
            return event
        return explained(event, self._binary_obstacle)

    def _binary_obstacle(self) -> str:
        """Why breakpoints will not work in the program; read once."""
        launch = self.plan.launch
        if self._obstacle is None:
            self._obstacle = obstacle_of(launch.target) if launch is not None and launch.mode == "exec" else ""
        return self._obstacle

    def _check_exit(self, event: model.StateChanged) -> None:
        """Look at what can make a scheduler end without its log saying so."""
        cause = ExitCause(
            event.cause_id or "unknown", event.cause, event.advice, event.evidence or event.last_output
        )
        found = failures(exit_subject(self.plan), exit_checks(self.plan))
        self.post(messages.ExitExplained(with_own_checks(cause, found), event.run))

    def _log_costs(self, cost: LogCost) -> None:
        share = max(cost.share, cost.busiest_share)
        title = f"The log costs the scheduler {share:.0%} of a core ({cost.lines_per_second:,.0f} lines/s)."
        self.post(messages.LogCostMeasured(title, cost_lines(cost)))

    def build_anew(self, *, restart: bool) -> None:
        """Build beside what runs; then start anew, breakpoints kept."""
        launch = self.plan.launch
        if restart and launch is not None and launch.mode in ("debug", "test"):
            # dlv builds by itself, each time it is started.
            self.watch.new_target()
            self.submit(model.Restart(fresh=True))
            return

        def build() -> None:
            if restart and self.target_pid is None and self.rebuild.refusal():
                self.submit(model.Restart())
                return
            fresh = self.rebuild.build()
            self.watch.new_target()
            if fresh:
                self._tree_changed()
            if restart and self.rebuild.state.phase == "done" and (fresh or self.target_pid is None):
                self.submit(model.Restart())

        self.work("build", build)

    def _tree_changed(self) -> None:
        """Lines have moved: functions, levels and marks are read from the source as it is now."""
        if self.plan.checkout is not None:
            self.plan.checkout.renew()
        self.work("levels", self._load_levels)

    def _target_changed(self, event: model.StateChanged) -> None:
        self.state = event.state
        self.ended_because = (event.cause or event.detail) if event.state in ("exited", "lost") else ""
        if event.state == "starting":
            self.watch.new_target()
        elif event.state == "building" and event.run > 0:
            self._tree_changed()
        self.target_pid = event.target_pid if event.state in ("stopped", "running", "starting") else None
        if event.log_path and event.log_path not in self.run_logs:
            self.run_logs = (*self.run_logs, event.log_path)
            self.memory.keep(log_path=event.log_path)
            self.open_logs((event.log_path, *self.plan.logs, *self._logs_beside))
        if event.state == "running" and self._waiting_verbosity is not None:
            self.work("verbosity", self._put_waiting_verbosity)

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

    def set_verbosity(self, v: int) -> None:
        """Change the scheduler's verbosity: by its own port while it runs, through dlv while it stands."""
        if self.state == "stopped" and self.driver is not None:
            self.driver.submit(model.SetVerbosity(v))
            self.levels.verbosity_changed()
            self._waiting_verbosity = v
        elif self.plan.endpoint is not None:
            self.work("verbosity", lambda: self._put_verbosity(v))
        else:
            self.post(messages.NoticePosted("This scheduler's port is not known: its verbosity stays.", "warning"))

    def _put_verbosity(self, v: int) -> None:
        assert self.plan.endpoint is not None
        self.plan.endpoint.set_verbosity(v)
        self.levels.verbosity_changed()
        self._waiting_verbosity = None
        self.post(
            messages.VerbosityChanged(v, f"The scheduler runs at -v {v} now; the filter shows what it showed.")
        )

    def _put_waiting_verbosity(self) -> None:
        """What dlv set at a stop reaches only part of the loggers: said again to the port once it runs."""
        v, self._waiting_verbosity = self._waiting_verbosity, None
        if v is None or self.plan.endpoint is None:
            return
        try:
            self.plan.endpoint.set_verbosity(v)
        except SchedtuiError:
            # It stopped again before it could answer: asked once more at the next continue.
            self._waiting_verbosity = v
        else:
            self.post(messages.VerbosityChanged(v, ""))

    def jump_to_source(self, wish: messages.SourceJumpRequested) -> None:
        """Open the line that a record names, told apart by its message when files share a name."""

        def open_it() -> None:
            place = self.levels.place(wish.file, wish.line, wish.message) if wish.message else None
            name, line = (str(place[0]), place[1]) if place is not None else (wish.file, wish.line)
            self._shown_file = name
            self.post(messages.SourceOpened(self.shelf.text(name), line))

        self.work("source", open_it)

    def merge_part_logs(self, names: Sequence[str]) -> None:
        """Show the logs of these parts of the lab among the scheduler's records; of no others."""
        if self.lab is None or self.store is None:
            return
        beside = self.lab.merged_paths
        self.open_logs((*(path for path in self.store.inputs if path not in beside), *self.lab.merge(names)))

    def break_at_record(self, record: Record) -> None:
        """Break where a record was logged."""

        def resolve() -> None:
            if not record.file or not record.src_line:
                raise SchedtuiError("this record does not say where it was logged", hint="It has no klog header.")
            place = self.levels.place_of(record)
            name, line = (str(place[0]), place[1]) if place is not None else (record.file, record.src_line)
            self.submit(model.SetBreakpoint(f"{name}:{line}"))

        self.work("break", resolve)

    def break_on_pod(self, pod: str) -> None:
        """Break in the scheduling cycle of one pod only."""
        self.submit(model.SetBreakpoint("ScheduleOne", pod=pod))
        row = self.queue.ask(lambda fold: fold.row(pod)) if self.queue is not None else None
        when = TRIED_AGAIN.get(row.state, "") if row is not None else ""
        again = " (:again)" if when and self.plan.lab is not None else ""
        self.post(messages.NoticePosted(f"To break on {pod}{when}{again}."))

    def break_on_pattern(self, text: str) -> None:
        """Stop when a line is logged."""
        if not text.strip():
            self.pattern.arm("", None)
            return
        if self.plan.checkout is not None and self.levels.sites is None:
            self.post(messages.NoticePosted("The source is still being read: the pattern is armed after that."))
        self.work("pattern", lambda: self.pattern.arm(text, self.levels.await_sites()))

    def bundle(self, wish: messages.BundleRequested) -> None:
        """Write what a bug report needs."""
        logs = tuple(self.store.inputs) if self.store is not None else ()

        def write() -> None:
            self.post(messages.WorkProgressed("bundle"))
            names = write_bundle(wish, self.plan, logs, self.describe())
            self.post(messages.WorkFinished("bundle"))
            self.post(messages.NoticePosted(f"{len(names)} files written to {wish.path}, secrets masked."))

        self.work("bundle", write)

    def describe(self) -> dict[str, Any]:
        """Facts for bundles and the doctor."""
        return {"state": self.state, "target_pid": self.target_pid, "run_logs": list(self.run_logs)}
