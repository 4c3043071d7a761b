"""The processes and files of one session: written down, watched over, and ended.

Owns the session's record, what the watchman is told, and the good-bye to dlv. Nothing is ended but what was
recorded here.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from schedtui.debugger.conversation import AGAIN_SECONDS
from schedtui.debugger.launching import OWN_TARGET_MODES, needs_server
from schedtui.debugger.server import DlvServer
from schedtui.debugger.session import Asked, Ended, Prompted
from schedtui.debugger.sessions import (
    FILE_NAME,
    TERM_SECONDS,
    SessionRecord,
    lives,
    read_record,
    remove,
    write_record,
)
from schedtui.processes import guard
from schedtui.processes.identity import ProcessIdentity, end_processes, identify
from schedtui.processes.usage import processor_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.conversation import Conversation
    from schedtui.debugger.launching import Call, RunFiles
    from schedtui.debugger.model import Launch

GOODBYE_SECONDS = 5.0
"""How long dlv may take to end after "exit"."""

NOBODY = ProcessIdentity(0, "nobody")
"""The owner of a session that was left: no process has such a start."""


class Ownership:
    """What is ours, for one launch.

    Args:
        launch: The launch.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._directory = Path(launch.run_directory)
        self._record: SessionRecord | None = None
        self._guarded: dict[str, ProcessIdentity] = {}
        self._server = DlvServer(self._directory, attached=launch.mode == "attach")
        self._dlv_pid: int | None = None
        self._target: ProcessIdentity | None = None
        """Whom dlv debugs, ours or not; None where that is another machine's."""
        self._ours = launch.mode in OWN_TARGET_MODES

    @property
    def target_pid(self) -> int | None:
        """The target; None when there is none, or none on this machine."""
        return self._target.pid if self._target else None

    @property
    def target_is_gone(self) -> bool:
        """True when the target that was there has ended, whether dlv knows it or not."""
        return self._target is not None and not lives(self._target)

    @property
    def server_is_gone(self) -> bool:
        """True when a server of ours has ended; its client learns of that only when it asks for something."""
        return self._server.is_gone

    @property
    def dlv_pid(self) -> int | None:
        """The dlv on our terminal."""
        return self._dlv_pid

    def debugger_seconds(self) -> float | None:
        """Processor time of the dlv that holds the target; None where it is not on this machine."""
        return processor_seconds(self._record.dlv) if self._record and self._launch.mode != "connect" else None

    @property
    def record(self) -> SessionRecord | None:
        """What is written down."""
        return self._record

    # --- start ------------------------------------------------------------------------------------------------

    def begin(self, call: Call, given_up: Callable[[], bool]) -> SessionRecord | None:
        """Write the record and start what is needed before dlv's terminal.

        Args:
            call: How dlv is called.
            given_up: True once the session is to end already.

        Returns:
            The record of an earlier persistent session whose server still lives: it is used again.

        Raises:
            DebuggerFailed: The persistent server does not start.
        """
        earlier = read_record(self._directory) if self._launch.persistent else None
        if earlier and lives(earlier.dlv):
            self._record = msgspec.structs.replace(earlier, owner=_myself(), made=call.made)
            self._save()
            return earlier
        self._record = SessionRecord(
            owner=_myself(),
            checkout=self._launch.source or self._launch.target,
            binary=self._launch.target,
            arguments=self._launch.arguments,
            release=self._launch.release or "",
            mode=self._launch.mode,
            persistent=self._launch.persistent,
            socket=call.socket,
            log=call.files.stderr if call.files else "",
            stdout=call.files.stdout if call.files else "",
            began=time.time(),
            made=call.made,
        )
        self._save()
        if not self._launch.persistent:
            for path in self._files():
                guard.remove_with_us(path)
        if call.server:
            builds = self._launch.mode in ("debug", "test")
            self._server.start(call, self._watch_server, given_up, builds=builds)
        return None

    def _files(self) -> tuple[str, ...]:
        made = self._record.made if self._record else ()
        return (*made, str(self._directory / FILE_NAME), str(self._server.output))

    def _guard(self, name: str, process: ProcessIdentity | None) -> None:
        """Should schedtui be killed, the guard ends this process; a persistent session is to live on."""
        earlier = self._guarded.pop(name, None)
        if earlier is not None:
            guard.release(earlier)
        if process is not None and (not self._launch.persistent or name == "starting"):
            self._guarded[name] = process
            # With its session: dlv starts the target in a group of its own, long before it can name it to us.
            guard.watch_over(process, session=name not in ("target", "server"), interrupt=name == "server")

    def _watch_server(self, server: ProcessIdentity) -> None:
        """The server is about to begin: write it down and have it watched over."""
        self._update(dlv=server)
        # Until there is something to come back to, a persistent one is to end with us.
        self._guard("server" if self._launch.mode == "attach" else "starting", server)

    # --- bookkeeping ------------------------------------------------------------------------------------------

    def dlv(self, pid: int) -> None:
        """The dlv on our terminal is about to begin."""
        self._dlv_pid = pid
        process = identify(pid)
        if not needs_server(self._launch):
            self._update(dlv=process)
        self._guard("dlv", process)

    def target(self, pid: int | None) -> None:
        """The target is this process now; None when it has ended."""
        self._target = identify(pid) if pid and self._launch.mode != "connect" else None
        process = self._target if self._ours else None
        self._update(target=process)
        self._guard("target", process)
        self._guard("starting", None)

    def next_run(self, call: Call, files: RunFiles) -> Call:
        """The next run's files are in use."""
        self._update(log=files.stderr, stdout=files.stdout, run=files.number)
        return replace(call, files=files)

    def note(self, *, running: bool, files: RunFiles | None) -> None:
        """Write down whether the target runs, for whoever comes back to it."""
        if self._launch.persistent and self._record and self._record.running != running:
            self._update(running=running)

    def _update(self, **changes: object) -> None:
        if self._record is not None:
            self._record = msgspec.structs.replace(self._record, **changes)
            self._save()

    def _save(self) -> None:
        if self._record is not None:
            write_record(self._directory, self._record)

    def server_words(self) -> str:
        """What a server of ours printed that has ended; empty where there is none, or it is still there."""
        return self._server.last_words()

    def bereaved(self) -> ProcessIdentity | None:
        """The process that was attached to, when its dlv died without letting it go."""
        attached = self._launch.mode == "attach" and self._target is not None
        return self._target if attached and self._server.is_dying() else None

    # --- end --------------------------------------------------------------------------------------------------

    def let_server_go_on(self) -> None:
        """Wake a server that somebody stopped."""
        self._server.let_go_on()

    def say_goodbye(self, talk: Conversation, *, running: bool, detach: bool) -> None:
        """Bring dlv to an end by its own words, each question answered by what is wanted.

        Raises:
            SessionLost: dlv is gone already.
        """
        answers = self._answers(detach)
        if running:
            talk.session.interrupt()
            deadline = time.monotonic() + GOODBYE_SECONDS
            while (left := deadline - time.monotonic()) > 0:
                piece = talk.session.poll(min(left, AGAIN_SECONDS))
                if piece is None:
                    # dlv forgets an interrupt that comes while the target is being let go.
                    talk.session.interrupt(again=True)
                elif isinstance(piece, Asked):
                    quits = detach and piece.question.id == "pause-or-quit"
                    talk.session.answer("q" if quits else talk.answer_to(piece, answers))
                elif isinstance(piece, Prompted):
                    break
                elif isinstance(piece, Ended):
                    return
        leave_running = self._launch.persistent or self._launch.mode == "connect"
        talk.session.send("exit -c" if detach and leave_running else "exit")
        deadline = time.monotonic() + GOODBYE_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            piece = talk.session.poll(left)
            if isinstance(piece, Ended):
                return
            if isinstance(piece, Asked):
                talk.session.answer(talk.answer_to(piece, answers))
            elif isinstance(piece, Prompted):
                # "exit -c" is refused by a server for one client.
                talk.session.send("exit")

    def _answers(self, detach: bool) -> dict[str, str]:
        kill_server = "y" if self._launch.persistent and not detach else "n"
        return {
            "kill-process": "n",
            "kill-headless": kill_server,
            "kill-headless-exited": kill_server,
            "quit-with-breakpoints": "y",
            "suspend-breakpoint": "n",
            "interrupted-step": "s",
        }

    def end_target(self) -> None:
        """End the recorded target (and a persistent server) if they still live."""
        record = self._record
        if record is None:
            return
        if self._ours:
            # With its session: a target that dlv has started and not yet named to us would stay behind.
            _end(record.dlv, session=True)
        self._server.end()
        if self._ours:
            _end(record.target)
        for name in tuple(self._guarded):
            self._guard(name, None)
        self._dlv_pid = self._target = None
        self._update(target=None)

    def finish(self, *, keep: bool) -> None:
        """The session is over: remove our files, let the watchman go."""
        record = self._record
        if record is not None and keep:
            # Nobody owns it until somebody comes back; dlv lets the target run when its client leaves.
            write_record(self._directory, msgspec.structs.replace(record, owner=NOBODY, running=True))
        elif record is not None:
            for path in self._files():
                remove(Path(path))
                guard.keep_file(path)
            if record.stdout and _is_empty(record.stdout):
                remove(Path(record.stdout))
        self._record = None


def _myself() -> ProcessIdentity:
    return identify(os.getpid()) or ProcessIdentity(os.getpid(), "")


def _end(process: ProcessIdentity | None, *, session: bool = False) -> None:
    if process is not None:
        end_processes([process], grace_seconds=TERM_SECONDS, session=session)


def _is_empty(path: str) -> bool:
    try:
        return Path(path).stat().st_size == 0
    except OSError:
        return False
