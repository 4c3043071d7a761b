"""One session behind the panes: what its parts tell becomes messages, what is wished becomes work.

Owns what is known of the scheduler (its state, where it stopped, why it ended) and the answer to each wish. Wishes
arrive on the UI loop and never block it: what takes time is handed to a worker thread. The parts themselves are in
``session_parts``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedtui.core.errors import SchedtuiError
from schedtui.core.exit_cause import ExitCause, with_own_checks
from schedtui.core.source_text import SourceText
from schedtui.debugger import model
from schedtui.toolchain.doctor.run import failures
from schedtui.ui import messages
from schedtui.ui.services.bundle import write_bundle
from schedtui.ui.services.refusals import explained, obstacle_of
from schedtui.ui.services.session_parts import SessionParts
from schedtui.ui.services.setup import exit_checks, exit_subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.queue_state import PodState
    from schedtui.core.record import Record

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


class Session(SessionParts):
    """What is behind one main screen."""

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
