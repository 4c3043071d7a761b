"""Decides what is shown and who does what is wished: preparation, session, quitting.

Owns the one session, the screens' order and the answer to every wish. It runs on the UI loop and hands on what
takes time; it paints nothing itself.
"""

from __future__ import annotations

import contextlib
import threading
import traceback
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual._callback import invoke
from textual.css.query import QueryError

from schedtui.core.errors import Cancelled, SchedtuiError
from schedtui.core.log_rows import ALL_LEVELS
from schedtui.debugger import model
from schedtui.sources.log_store import LogStore
from schedtui.ui import messages
from schedtui.ui.screens.guided import GuidedScreen
from schedtui.ui.screens.overlays import ConfirmScreen
from schedtui.ui.screens.progress import ProgressScreen
from schedtui.ui.screens.start import StartScreen
from schedtui.ui.screens.typed_ahead import KeptKeys
from schedtui.ui.services import comeback, prepare
from schedtui.ui.services.session import Session
from schedtui.ui.view_commands import ViewCommands
from schedtui.ui.widgets.debugger_pane import DebuggerPane
from schedtui.ui.widgets.log_frame import LogLook
from schedtui.ui.widgets.log_pane import LogPane
from schedtui.ui.widgets.queue_pane import QueuePane
from schedtui.ui.widgets.rows import row

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message
    from textual.widget import Widget

    from schedtui.config.settings import LogSettings
    from schedtui.core.call_sites import SiteLevel
    from schedtui.core.record import Record
    from schedtui.ui.key_table import KeyTable
    from schedtui.ui.keys import Need
    from schedtui.ui.services.plan import Plan
    from schedtui.ui.services.prepare import Request
    from schedtui.ui.stage import Stage
    from schedtui.ui.widgets.rows import Row


HUNG_UP = 129
"""Exit code after a terminal that went away (SIGHUP)."""

PREPARING_SECONDS = 15.0
"""How long a preparation may take to give up once there is no screen any more; what it holds then ends with us."""

LEAVING: dict[bool | None, tuple[str, ...]] = {
    False: ("It was not started here: it runs on, without the breakpoints.",),
    True: (
        "Its dlv serves one client only, so both end with this session.",
        "With --accept-multiclient it would run on.",
    ),
    None: ("It runs on if its dlv was started with --accept-multiclient;", "else it ends with this session."),
}
"""What becomes of a target that was not started here, by the plan's ``ends_with_us``."""


class Director:
    """One run of the TUI."""

    def __init__(self, request: Request, keys: KeyTable) -> None:
        """Create it; ``begin`` starts it.

        Args:
            request: What is wanted.
            keys: The key table.
        """
        self.request = request
        self.keys = keys
        self.failure: SchedtuiError | None = None
        """Told on the terminal after the screen is gone."""
        self.faulty = False
        """True once a fault of our own ended the preparation: the exit code is not 0 then."""
        self.session: Session | None = None
        self.main: GuidedScreen | None = None
        self._app: Stage | None = None
        self._cancel = threading.Event()
        self._preparing: threading.Thread | None = None
        self._ending = False
        self._asked_about_earlier = False
        self._acts: dict[type[messages.Wish], Callable[[Any], Any]] = {
            messages.DebuggerCommandRequested: lambda wish: self._session().submit(wish.command),
            messages.VerbosityRequested: lambda wish: self._session().set_verbosity(wish.v),
            messages.QueueDumpRequested: lambda wish: self._session().desk.ask_for_dump(),
            messages.SourceJumpRequested: lambda wish: self._session().jump_to_source(wish),
            messages.PodStoryRequested: lambda wish: self._session().desk.tell_story(wish.pod, wish.against),
            messages.AttemptsCompareRequested: lambda wish: self._session().desk.compare_attempts(
                wish.left, wish.right
            ),
            messages.BreakAtRecordRequested: lambda wish: self._session().break_at_record(wish.record),
            messages.BreakOnPodRequested: lambda wish: self._session().break_on_pod(wish.pod),
            messages.QueueAtRequested: lambda wish: self._session().desk.show_at(
                wish.record, following=wish.following
            ),
            messages.LogShown: lambda wish: self._session().log_shown(wish.source),
            messages.LogFilterRequested: self._filter_log,
            messages.QuitRequested: self._quit,
            messages.CommandRequested: self._command,
            messages.ListRequested: lambda wish: self._facts_to()(wish.offer),
            messages.FixRequested: self._fix,
            messages.RebuildRequested: self._rebuild,
            messages.CopyRequested: lambda wish: self.views.copy(wish.text, wish.what),
            messages.EditorRequested: lambda wish: self.views.edit(wish.path, wish.line),
            messages.RedrawRequested: lambda wish: self.views.redraw(),
            messages.BundleRequested: lambda wish: self._session().bundle(wish),
            messages.BreakOnPatternRequested: lambda wish: self._session().break_on_pattern(wish.pattern),
            messages.ScreenChanged: lambda wish: self._session().memory.remember_screen(wish.values),
        }

    @property
    def app(self) -> Stage:
        """The application, once it runs."""
        assert self._app is not None
        return self._app

    def begin(self, app: Stage) -> None:
        """Show the first screen."""
        self._app = app
        self.views = ViewCommands(app, self.request.settings.clipboard)
        self._start(self.request)

    async def act(self, wish: messages.Wish) -> None:
        """Carry out a wish."""
        act = self._acts.get(type(wish))
        if act is None:
            return
        try:
            await invoke(act, wish)
        except SchedtuiError as error:
            # Expected: it ends the wish, not the program.
            self.tell(error.as_text(), "warning")

    def tell(self, text: str, severity: Any = "information") -> None:  # noqa: ANN401  # the severities of a notice
        """Say something on the screen that is there."""
        self.app.screen.post_message(messages.NoticePosted(text, severity))

    def _session(self) -> Session:
        if self.session is None:
            raise SchedtuiError("nothing runs yet")
        return self.session

    # --- preparation --------------------------------------------------------------------------------------------

    def _start(self, request: Request) -> None:
        self.request = request
        if not self._asked_about_earlier and self._offer_earlier(request):
            return
        if request.kind == "start":
            self.app.push_screen(StartScreen(prepare.start_notes(request)))
            return
        if request.kind == "logs":
            self._open(prepare.plan_logs(request))
            return
        screen = ProgressScreen(*prepare.describe(request), kept=self._kept())
        self._cancel = threading.Event()
        self.app.push_screen(screen)
        self._preparing = threading.Thread(
            target=self._prepare, args=(request, screen, self._cancel), name="prepare", daemon=True
        )
        self._preparing.start()

    def _offer_earlier(self, request: Request) -> bool:
        """Offer to come back to a session that was left, and to clean up after a crash; False: there is none."""
        self._asked_about_earlier = True
        found = comeback.earlier_sessions(request) if request.kind != "logs" else ()
        if not found:
            return False
        living = next((one for one in found if one.alive), None)
        crashed = [one for one in found if not one.alive]
        rows: list[Row] = []
        answers = []
        if living is not None:
            rows += [row(("A scheduler was left running here:", "tab-active")),
                     *(row(f"  {line}") for line in living.lines()), row("")]  # fmt: skip
            answers += [("y", "come back to it", "back"), ("n", "leave it, start anew", "new"),
                        ("x", "end it, start anew", "end")]  # fmt: skip
        if crashed:
            rows.append(row(("Left behind by a session that crashed:", "tab-active")))
            rows += [row(f"  {line}") for one in crashed for line in one.lines()]
            answers += [("k", "clean up", "clean")] if living is not None else [
                ("y", "clean up", "clean"), ("n", "leave it", "new")]  # fmt: skip

        def answered(answer: str | None) -> None:
            if answer == "clean":
                for one in crashed:
                    one.clean()
                self._asked_about_earlier = False
            elif answer == "end" and living is not None:
                living.clean()
            if answer == "back" and living is not None:
                kind = "source" if request.kind == "start" else request.kind
                request_back = replace(request, kind=kind, come_back=str(living.directory))
                self._start(request_back)
            else:
                self._start(request)

        self.app.push_screen(ConfirmScreen(rows, answers), answered)
        return True

    def _prepare(self, request: Request, screen: ProgressScreen, cancel: threading.Event) -> None:
        """On its own thread: get to a plan, or tell why not."""
        try:
            plan = prepare.prepare(request, screen.post_message, cancel)
            if cancel.is_set():
                prepare.give_up(plan)
                raise Cancelled("cancelled")
            self._on_screen(self._open, plan)
        except Cancelled:
            comeback.sweep_own()
            self._on_screen(self.app.exit, 130)
        except SchedtuiError as error:
            comeback.sweep_own()
            self.failure = error
            screen.post_message(messages.WorkFailed("prepare", error))
        except Exception as error:  # noqa: BLE001 - a bug: shown as one, never a thread that dies silently
            self.faulty = True
            self._on_screen(self.app.panic, self._fault(error))

    def _on_screen(self, act: Callable[..., object], value: object) -> None:
        """Do something on the UI loop, from another thread; without a screen there is nobody to do it for."""
        if self.app.is_running:
            self.app.call_from_thread(act, value)

    def _open(self, plan: Plan) -> None:
        """The plan is there: show the panes and start the session."""
        self.failure = None
        has_debugger = plan.launch is not None
        # Until the session opens a log there is one without inputs, so that the pane needs no special case.
        nothing = LogStore((), lambda _state: None)
        panes: dict[str, Widget] = {"debugger": DebuggerPane()} if has_debugger else {}
        panes |= {
            "queue": QueuePane(sparklines=not self.request.low_bandwidth),
            "log": LogPane(nothing, explain=self._explain, look=_look(self.request.settings.log)),
        }
        available: frozenset[Need] = frozenset({"log", "debugger"} if has_debugger else {"log"})
        main = GuidedScreen(
            self.keys, panes, "debugger" if has_debugger else "log", available, verbosity=plan.verbosity,
            leader_election=plan.leader_election, release=plan.release,
        )  # fmt: skip
        self.main = main
        self.session = Session(plan, main.post_message)
        if plan.tour:
            main.begin_tour()
        main.begin_with(partial(self._begin, self.session), self._kept())
        if isinstance(self.app.screen, ProgressScreen | StartScreen):
            self.app.switch_screen(main)
        else:
            self.app.push_screen(main)

    def _kept(self) -> KeptKeys:
        """Keys that were typed before the screen came that they are for."""
        screen = self.app.screen
        return screen.kept if isinstance(screen, ProgressScreen | StartScreen) else KeptKeys()

    def _begin(self, session: Session) -> None:
        session.start()
        if self.request.scenario:
            self.app.screen.post_message(messages.CommandRequested("load", self.request.scenario))

    def _explain(self, record: Record) -> SiteLevel | None:
        """What the source says of a record, once there is one."""
        return self.session.levels.explain(record) if self.session is not None else None

    @staticmethod
    def _fault(error: Exception) -> Text:
        lines = traceback.format_exception(error)
        return Text("A fault in schedtui; please report it:\n" + "".join(lines))

    # --- leaving ------------------------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """Ctrl-C."""
        if self.main is not None and self.session is not None and self.session.driver is not None:
            self.session.submit(model.Interrupt())
        elif isinstance(self.app.screen, ProgressScreen | StartScreen):
            self.app.screen.post_message(messages.QuitRequested("end"))
        else:
            self.tell("Nothing to interrupt; q quits.")

    def _quit(self, wish: messages.QuitRequested) -> None:
        session = self.session
        alive = session.alive() if session is not None else ()
        if wish.how == "detach":
            self._detach()
        elif wish.how == "end" or not alive or session is None:
            self.leave(0)
        else:
            rows = [row(("Still alive:", "tab-active")), *(row(f"  {line}") for line in alive), row("")]
            answers = [("y", "end all and quit", "end"), ("e", "", "end")]
            if session.foreign:
                answers = [("y", "quit", "end"), ("e", "", "end"), ("d", "", "end")]
                rows.extend(row((line, "note")) for line in LEAVING[session.plan.ends_with_us])
            elif session.can_detach:
                answers.append(("d", "detach and quit", "detach"))
                rows.append(row(("Detached, the scheduler runs on; 'schedtui' here comes back to it.", "note")))
            else:
                answers.append(("d", "", "no-detach"))
            self.app.push_screen(ConfirmScreen(rows, answers), self._quit_answered)

    def _quit_answered(self, answer: str | None) -> None:
        if answer == "end":
            self.leave(0)
        elif answer == "detach":
            self._detach()
        elif answer == "no-detach":
            self.tell(
                "Only a session started with --persistent, --attach or --connect can be left running.", "warning"
            )

    def _detach(self) -> None:
        if self.session is not None and self.session.can_detach:
            self.leave(0, detach=True)
        else:
            self._quit_answered("no-detach")

    def leave(self, code: int, *, detach: bool = False) -> None:
        """End what is ours, then the screen; asked twice, it is done once."""
        self._cancel.set()
        if self._ending:
            return
        self._ending = True
        if self.main is not None and self.session is not None:
            # A screen that is not whole any more has nothing to remember; leaving goes first.
            with contextlib.suppress(QueryError):
                self.session.memory.remember_screen(self.main.remembered_screen())
        detach = detach or (code == HUNG_UP and self._survives)
        if self.session is None and (self._preparing is None or not self._preparing.is_alive()):
            self.app.exit(code)
            return
        self.tell("Ending what was started …")
        threading.Thread(target=self._end, args=(code, detach), name="ending", daemon=True).start()

    def _end(self, code: int, detach: bool) -> None:
        if self._preparing is not None:
            self._preparing.join()
        if self.session is not None:
            self.session.end(detach=detach)
        self.app.call_from_thread(self.app.exit, code)

    @property
    def _survives(self) -> bool:
        """True when what runs is meant to outlive a dropped line."""
        launch = self.session.plan.launch if self.session is not None else None
        return launch is not None and launch.persistent

    def clean_up(self) -> None:
        """End what is ours without the screen; the last resort when the terminal is gone."""
        self._cancel.set()
        if self._preparing is not None:
            self._preparing.join(PREPARING_SECONDS)
        if self.session is not None:
            self.session.end(detach=self._survives)
            self.session.close()

    def parting(self) -> tuple[str, ...]:
        """What is worth knowing once the screen is gone: where the log of a measured run is."""
        if self.session is None or self.session.plan.free is None:
            return ()
        return tuple(f"log: {path}   ('schedtui report' counts it)" for path in self.session.run_logs)

    # --- mending ------------------------------------------------------------------------------------------------

    def _facts_to(self) -> Callable[[Message], object]:
        """Who shows facts: the main screen, whatever lies over it; before there is one, the application."""
        return self.main.post_message if self.main is not None else self.app.post_message

    def _rebuild(self, wish: messages.RebuildRequested) -> None:
        session = self._session()
        if not wish.cancel:
            session.build_anew(restart=wish.restart)
        elif not session.rebuild.cancel():
            self.tell("No build goes on.")

    def _fix(self, wish: messages.FixRequested) -> None:
        """Ask, then run the command that mends a finding on the terminal itself: it may want a password."""
        rows = [
            row((f"Run the fix of {wish.check}?", "tab-active")), row(""), row((f"  {wish.text}", "key")), row(""),
            row(("It runs on this terminal, as you, not through a shell; then it is checked again.", "note")),
        ]  # fmt: skip

        def answered(answer: str | None) -> None:
            if answer == "run":
                self.views.run_on_terminal(wish.argv)
                self.app.post_message(messages.CommandRequested("doctor"))

        self.app.push_screen(ConfirmScreen(rows, [("y", "run it", "run")]), answered)

    # --- commands -----------------------------------------------------------------------------------------------

    def _filter_log(self, wish: messages.LogFilterRequested) -> None:
        if self.main is not None:
            self.main.pane("log").apply_filter(wish.expression)
            self.main.go_to("log")

    async def _command(self, wish: messages.CommandRequested) -> None:
        if wish.name == "retry":
            self.app.pop_screen()
            self._start(self.request)
        elif wish.name.startswith("start-"):
            self._choice(wish.name.removeprefix("start-"), wish.arguments)
        elif not self.views.run(wish.name, wish.arguments):
            from schedtui.ui.services import commands

            if not commands.run(wish.name, wish.arguments, self.session, self.request, self._facts_to()):
                self.tell(f"{wish.name} is not possible here.", "warning")

    def _choice(self, name: str, words: str) -> None:
        """What was chosen on the start screen."""
        if name == "scenario" and not words:
            self.app.screen.post_message(messages.CommandRequested("scenarios"))
        elif name in ("lab", "tour", "scenario", "source", "logs"):
            self._start(self.request.with_choice(name, words))
        else:
            self.app.screen.post_message(messages.CommandRequested(name))


def _look(settings: LogSettings) -> LogLook:
    """How the log pane looks at first."""
    level = ALL_LEVELS if settings.show_level is None else settings.show_level
    return LogLook(settings.wrap, settings.follow, level)
