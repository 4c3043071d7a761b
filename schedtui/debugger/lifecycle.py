"""The beginning and the end of a debuggee, and the way from one run to the next.

Owns the order of the steps: dlv before its target, breakpoints before the first continue, our files last. Which
processes and files are ours is ``ownership``'s, how dlv is called ``launching``'s.
"""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed, SchedtuiError
from schedtui.debugger import bereaved, refusals
from schedtui.debugger.build_output import packages_built, without_packages
from schedtui.debugger.conversation import Conversation, SessionLost
from schedtui.debugger.inspector import Inspector
from schedtui.debugger.launching import OWN_TARGET_MODES, RunFiles, next_run_files, prepare, restart_line
from schedtui.debugger.model import Failed, StateChanged
from schedtui.debugger.replies import read_restart
from schedtui.debugger.runner import Runner
from schedtui.debugger.running import Run
from schedtui.debugger.session import DlvSession
from schedtui.debugger.sessions import remove

if TYPE_CHECKING:
    from schedtui.debugger.inspector import Reason
    from schedtui.debugger.launching import Call
    from schedtui.debugger.model import Restart
    from schedtui.debugger.sessions import SessionRecord

START_SECONDS = 120.0
"""How long dlv may take to its first prompt on a built binary (2.7 s for a scheduler of 112 MB)."""

SETTLE_SECONDS = 0.1
"""How long a target that is not ours runs without breakpoints before it is left."""


class Lifecycle(Runner):
    """A debuggee that is started, started anew and ended."""

    def start(self) -> None:
        """Start dlv and bring it to its first prompt; failures are posted."""
        building = self.launch.mode in ("debug", "test")
        self._become("building" if building else "starting", f"dlv {self.launch.mode}")
        try:
            self._start()
        except SessionLost as lost:
            self._explain_start(lost)
        except SchedtuiError as error:
            self._end_processes()
            self.post(Failed(error.title, error.hint, (*((error.where,) if error.where else ()), *error.details)))
            self._become("lost", error.title)

    def _start(self) -> None:
        self._run += 1
        self._spent = False
        self._packages = 0
        call = self._call = prepare(self.launch, self._run, self._began)
        earlier = self._owned.begin(call, lambda: self.inbox.closing)
        if earlier is not None:
            call = self._come_back(call, earlier)
        self._binary_time = _changed(self.launch.target)
        server = call.argv[2] if call.argv[1] == "connect" else ""
        session = DlvSession(
            call.argv, call.environment, call.directory, call.prompt, server, watch=self._owned.dlv
        )
        self._talk = Conversation(session, call.mark, self.inbox.wake, self._interrupted, self._decide)
        if self.launch.mode in ("debug", "test"):
            reply = self._talk.collect(limit=None, meanwhile=self._tell_build)
        else:
            reply = self._talk.collect(limit=START_SECONDS)
        for warning in refusals.start_warnings(reply.text):
            self.say(warning)
        sourced = self._talk.ask(f"source {call.script}")
        if sourced.failure:
            raise DebuggerFailed("dlv cannot load schedtui's commands", details=(sourced.failure,))
        ready = self._talk.documents("schedtui_ready").documents["ready"]
        self._owned.target(int(ready["pid"]))
        if self.launch.mode == "attach":
            self.say(bereaved.WARNING.format(pid=ready["pid"]))
        self._inspector = Inspector(self._talk, self.paths, self._watches)
        self.breakpoints.new_session()
        self.function_lists.clear()
        if earlier is None:
            self._new_target("entry" if self.launch.mode in OWN_TARGET_MODES else "interrupt")
        else:
            self._new_target("interrupt", go_on=earlier.running)

    def _tell_build(self, text: str) -> None:
        """Say how far the build is that dlv does itself; how many packages there are, Go does not tell it."""
        count = packages_built(text)
        if count > self._packages:
            self._packages = count
            self._become("building", f"{count:,} packages compiled")

    def _come_back(self, call: Call, earlier: SessionRecord) -> Call:
        """The persistent server is there and its target has a log already: the new one is not needed."""
        assert call.files is not None
        remove(Path(call.files.stderr))
        self._run = earlier.run
        self._call = replace(call, files=RunFiles(earlier.run, earlier.log, earlier.stdout))
        self.say(f"back in the session of {datetime.fromtimestamp(earlier.began, UTC):%Y-%m-%d %H:%M} UTC")
        return self._call

    def _explain_start(self, lost: SessionLost) -> None:
        # dlv listens before it attaches: a client may come to a server that is refused, which alone says why.
        text = without_packages(lost.text) + self._owned.server_words()
        refusal = refusals.explain_start(text, lost.reason, connecting=self.launch.mode == "connect")
        self._end_processes()
        self.post(Failed(refusal.title, refusal.hint, refusal.details))
        self.state = "lost"
        self.post(StateChanged("lost", refusal.title, last_output=refusal.details))

    def _new_target(self, reason: Reason, *, go_on: bool | None = None) -> None:
        """A target that is new to us, standing still: set breakpoints, show it, go on if asked to.

        Args:
            reason: Why it stands still.
            go_on: Whether to let it run; None as the launch says.
        """
        self.inspector.forget()
        self._binary_time = _changed(self.launch.target)
        for line in self.breakpoints.restore(self):
            self.say(line)
        self.state = "stopped"
        self._pauses.new_target()
        stop = self._look(reason)
        self._become("stopped", stop.title if stop else "")
        self.show(stop)
        self.breakpoints.publish(self)
        if stop is not None and (self.launch.continue_at_once if go_on is None else go_on):
            self.resume("continue", "unknown")

    def restart(self, command: Restart) -> None:
        """Start the target anew.

        Raises:
            SessionLost: dlv went away meanwhile.
            DebuggerFailed: It cannot be started.
        """
        if self._running is not None:
            self.pause(self._running)
            self._running = None
            self.state = "stopped"
        rebuilt = self._binary_time != _changed(self.launch.target)
        fresh = command.fresh or rebuilt or self._spent or self.launch.mode not in OWN_TARGET_MODES
        if self.launch.mode not in OWN_TARGET_MODES:
            self.say("what runs was not started here and runs on: dlv begins anew")
        if fresh or self._talk is None or self.launch.persistent:
            self._leave()
            self.start()
            return
        files = next_run_files(self.launch, self._run + 1, self._began)
        self._become("starting", "restart")
        reply = self.talk.ask(restart_line(self.launch, files), limit=START_SECONDS)
        pid, discarded = read_restart(reply.text)
        if pid is None:
            self._become("exited", "the target could not be started again")
            raise DebuggerFailed("The target could not be started again", details=(reply.failure or reply.text,))
        self._run += 1
        assert self._call is not None
        self._call = self._owned.next_run(self._call, files)
        self._owned.target(pid)
        for line in discarded:
            self.say(f"not set again: {line}")
        self._new_target("entry")

    def shut_down(self, detach: bool) -> None:
        """End dlv and, unless it is to be left running, the target; remove our files."""
        self._wake_dlv_to_leave()
        if self._talk is not None:
            if self.launch.mode in ("attach", "connect"):
                detach = self._let_go()
            self._leave(detach=detach)
        self._owned.finish(keep=detach and self.launch.persistent)
        self._become("none")

    def _let_go(self) -> bool:
        """Take the breakpoints out of a target that is not ours: nobody will be there when one is hit.

        Returns:
            True when the target is to run on: always, but where it stands at its entry as we found it.
        """
        ran = self._running is not None
        try:
            if self._running is not None:
                self.pause(self._running)
                self._running = None
                self.state = "stopped"
            if self.state != "stopped":
                return False
            stop = self.inspector.stop
            self.breakpoints.withdraw(self)
            if ran:
                self._settle()
        except (SessionLost, SchedtuiError) as error:
            self.say(f"the breakpoints could not be taken out: {error}")
            return ran
        return ran or stop is None or stop.reason != "entry"

    def _settle(self) -> None:
        """Let the target run for a moment without breakpoints.

        A thread that had come to one just when it was stopped has a trap on its way to it: with dlv gone, that
        would end the process.
        """
        run = Run(self.talk, lambda _: None, "unknown")
        self.talk.session.send("continue")
        deadline = time.monotonic() + SETTLE_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            piece = self.talk.session.poll(left, stream=True)
            if piece is not None and run.take(piece):
                return
        self.pause(run)

    def _leave(self, *, detach: bool = False) -> None:
        """Say good-bye to dlv; whatever happens, nothing of ours is left behind."""
        try:
            if self._talk is not None:
                self._owned.say_goodbye(self._talk, running=self.state == "running", detach=detach)
        except (SessionLost, SchedtuiError) as error:
            self.say(f"dlv did not end by itself: {error}", "note")
        self._end_processes(keep=detach and self.launch.persistent)

    def _end_processes(self, *, keep: bool = False) -> None:
        if self._talk is not None:
            self._talk.session.close()
        self._talk = None
        self._inspector = None
        self._running = None
        if not keep:
            self._owned.end_target()


def _changed(path: str) -> float:
    try:
        return Path(path).stat().st_mtime if path and Path(path).is_file() else 0.0
    except OSError:
        return 0.0
