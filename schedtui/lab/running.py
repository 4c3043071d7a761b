"""Labs from outside: start one, find one, watch it, end it.

Owns what callers get, ``RunningLab``. The lab itself lives in a ``supervisor`` process; what is known of it comes
from its directory. It draws nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from schedtui.config.directories import directories
from schedtui.config.files import private_directory
from schedtui.core.errors import Cancelled, LabFailed
from schedtui.lab.control_plane import free_port, scheduler_arguments
from schedtui.lab.holders import other_holders, scheduler_directory, sweep, take_over
from schedtui.lab.instance import Instance, LabRequest, LabState, all_instances, instance, new_instance
from schedtui.lab.module import CONTROL_PLANE_RELEASE, check_release, ensure_built
from schedtui.lab.scenario import load_scenario
from schedtui.lab.scheduler_config import read_config, write_lab_config
from schedtui.lab.watching import LabEvent, LabWatcher
from schedtui.processes import Child, end_processes, identify, is_alive
from schedtui.processes.locks import exclusive
from schedtui.toolchain.go_build import BuildProgress

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.lab.api_client import Endpoint

DEFAULT_RELEASE = CONTROL_PLANE_RELEASE
"""What a lab runs when nothing else is said."""

FIRST_WORKLOAD = "first-steps"
"""The scenario that a lab plays from its start when nothing else is said."""

LOOK_SECONDS = 0.2
"""How often a lab's state is read while waiting or watching."""

END_SECONDS = 20.0
"""How long a supervisor may take to end its parts before they are ended from here."""


class RunningLab:
    """A lab that is up. Values are read anew from its directory; ``close`` ends what this process owns."""

    def __init__(self, place: Instance, *, owned: bool) -> None:
        """Take hold of a lab that is up.

        Args:
            place: Its directory.
            owned: Whether this process started it and is to end it.
        """
        self._place = place
        self._request = place.request()
        self.owned = owned
        """True when this call started it: ``close`` then ends it."""
        self._watcher: LabWatcher | None = None

    @property
    def name(self) -> str:
        """Its name: the release, unless another was given."""
        return self._place.name

    @property
    def release(self) -> str:
        """The scheduler's release."""
        return self._request.release

    @property
    def kubeconfig(self) -> Path:
        """Usable by kubectl and the scheduler."""
        return self._place.kubeconfig

    @property
    def directory(self) -> Path:
        """All its files; gone when it ends."""
        return self._place.directory

    @property
    def endpoint(self) -> Endpoint:
        """For an ``ApiClient``."""
        return self._place.endpoint()

    @property
    def scheduler_binary(self) -> Path:
        """The debuggable scheduler."""
        return Path(self._request.scheduler)

    @property
    def runs_scheduler(self) -> bool:
        """Whether the lab runs a scheduler itself, without a debugger."""
        return self._request.run_scheduler

    @property
    def source_directory(self) -> Path:
        """The source that the scheduler was built from: a module cache directory, or ``--src``."""
        return Path(self._request.source_directory)

    @property
    def logs(self) -> dict[str, Path]:
        """Part → its log, for the log pane."""
        return {part.name: Path(part.log) for part in self.state().parts}

    def state(self) -> LabState:
        """How it is now; the phase ``gone`` when its directory is no more."""
        return self._place.state() or LabState(phase="gone")

    def is_running(self) -> bool:
        """Whether its supervisor lives."""
        return self._place.is_running()

    def scheduler_arguments(
        self, verbosity: int, *, port: int | None = None, config: Path | None = None
    ) -> list[str]:
        """The flags for a scheduler of this lab, started by the caller (under dlv or not).

        Args:
            verbosity: ``-v``.
            port: Its secure port; ``None`` chooses a free one (find it in the list as ``--secure-port=N``).
            config: A KubeSchedulerConfiguration; a copy with this lab's kubeconfig is used. ``None``: the one
                that the lab was started with, if any.

        Raises:
            UnreadableInput: The configuration cannot be read.
            WrongUse: It is none.
        """
        chosen = free_port() if port is None else port
        wanted = config or (Path(self._request.scheduler_config) if self._request.scheduler_config else None)
        directory = scheduler_directory(self.directory, chosen)
        written = None
        if wanted is not None:
            written = write_lab_config(wanted, self.kubeconfig, directory / "config.yaml")
        return scheduler_arguments(
            self.kubeconfig,
            directory,
            verbosity=verbosity,
            port=chosen,
            config=written,
        )

    def take_over(self, port: int) -> None:
        """Count the scheduler on ``port``, which was left running and is come back to, as this process's."""
        take_over(self.directory, port)

    def other_schedulers(self) -> tuple[str, ...]:
        """The schedulers that serve this lab beside those that this process started, in words."""
        part = self.state().part("kube-scheduler")
        found = []
        if part is not None and is_alive(part.identity):
            found.append(f"the lab's own scheduler, pid {part.pid} ('lab up --scheduler')")
        port = part.port if part is not None else 0
        others = (holder for holder in other_holders(self.directory) if holder.port != port)
        return (*found, *(holder.describe() for holder in others))

    def watch(
        self, on_event: Callable[[LabEvent], None], on_others: Callable[[tuple[str, ...]], None] | None = None
    ) -> None:
        """Tell, on another thread, what happens to the lab.

        Args:
            on_event: Told of each part that dies, and of the lab's end.
            on_others: Told of ``other_schedulers``, whenever they have changed.
        """
        if self._watcher is None:
            self._watcher = LabWatcher(self._place, self.other_schedulers, on_event, on_others)
            self._watcher.start()

    def close(self) -> None:
        """Stop watching; end the lab if this process owns it, else what of it was this process's alone."""
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        if self.owned:
            stop_instance(self._place)
        else:
            sweep(self.directory, own=True)


def find_running_lab(release: str | None = None, *, name: str | None = None) -> RunningLab | None:
    """A lab that is up: of that name, of that release, or whichever one there is.

    Raises:
        LabFailed: Several are up and nothing says which.
    """
    wanted = [
        place
        for place in all_instances()
        if (name is None or place.name == name)
        and _is_up(place)
        and (release is None or place.request().release == release)
    ]
    if len(wanted) > 1:
        raise LabFailed(
            "several labs are up",
            where=", ".join(place.name for place in wanted),
            hint="Say which with --name; with --src, name its kubeconfig with --kubeconfig.",
        )
    return RunningLab(wanted[0], owned=False) if wanted else None


def _is_up(place: Instance) -> bool:
    state = place.state()
    return state is not None and state.phase == "up" and place.is_running()


def ensure_lab(
    release: str = DEFAULT_RELEASE,
    progress: Callable[[BuildProgress], None] | None = None,
    *,
    cancel: threading.Event | None = None,
    name: str | None = None,
    stays_up: bool = False,
    run_scheduler: bool = False,
    scheduler_config: Path | None = None,
    scheduler_binary: Path | None = None,
    source_directory: Path | None = None,
    verbosity: int = 5,
    scenario: str = FIRST_WORKLOAD,
    seed: int = 0,
) -> RunningLab:
    """A lab of that release: the one that is up, or a new one, built first when needed.

    Args:
        release: The scheduler's release.
        progress: Told how far builds and start are.
        cancel: Stops builds and start; nothing is left then.
        name: Its name; ``None``: the release. Labs of several names do not touch each other.
        stays_up: It outlives this process (``lab up``); else it ends with it, however that ends.
        run_scheduler: Run the scheduler without a debugger, too.
        scheduler_config: The scheduler's KubeSchedulerConfiguration.
        scheduler_binary: A scheduler of the user's own instead of the release's.
        source_directory: The source of ``scheduler_binary``.
        verbosity: The scheduler's ``-v`` with ``run_scheduler``.
        scenario: The first workload, by name or file; empty: none.
        seed: For its choices.

    Raises:
        LabFailed: It cannot be had, or a part did not start; the details are its last lines.
        WrongUse: There is no such scenario, or the configuration is none.
        BuildFailed: A build failed.
        ToolMissing: There is no fitting Go.
        Cancelled: ``cancel`` was set.
    """
    release = check_release(release)
    stop, tell = cancel or threading.Event(), progress or _silent
    wanted = name or release
    if (there := find_running_lab(name=wanted)) is not None:
        return _as_wanted(there, run_scheduler=run_scheduler)
    # What is wrong with the words is said before minutes of building.
    if scenario:
        load_scenario(scenario)
    if scheduler_config is not None:
        read_config(scheduler_config)
    binaries = ensure_built(release, tell, stop, scheduler=scheduler_binary is None)
    request = LabRequest(
        name=wanted,
        release=release,
        control_plane_release=binaries.control_plane_release,
        etcd=str(binaries.etcd),
        apiserver=str(binaries.apiserver),
        scheduler=str(scheduler_binary or binaries.scheduler),
        source_directory=str(source_directory or binaries.source_directory),
        run_scheduler=run_scheduler,
        scheduler_config=str(scheduler_config.absolute()) if scheduler_config else "",
        verbosity=verbosity,
        scenario=scenario,
        seed=seed,
    )
    if not stays_up:
        me = identify(os.getpid())
        assert me is not None
        request = msgspec.structs.replace(request, owner_pid=me.pid, owner_started=me.started)
    lock = private_directory(directories().cache / "lab") / "up.lock"
    with exclusive(lock, waiting=lambda: tell(BuildProgress(f"lab {wanted}", "wait")), cancel=stop) as held:
        if not held:
            raise Cancelled("the start of the lab was cancelled")
        if (there := find_running_lab(name=wanted)) is not None:
            return _as_wanted(there, run_scheduler=run_scheduler)
        return _start(request, tell, stop)


def _as_wanted(there: RunningLab, *, run_scheduler: bool) -> RunningLab:
    """The lab that is up already.

    Raises:
        LabFailed: It was to run a scheduler and was started without.
    """
    if run_scheduler and not there.runs_scheduler:
        raise LabFailed(
            "this lab is up already, without a scheduler of its own",
            where=there.name,
            hint="'schedtui lab' runs one under dlv on it; or 'schedtui lab down', and up again with --scheduler.",
        )
    return there


def _start(request: LabRequest, tell: Callable[[BuildProgress], None], stop: threading.Event) -> RunningLab:
    # What a killed lab of that name left behind goes first.
    stop_instance(instance(request.name))
    place = new_instance(request.name)
    place.write_request(request)
    child = Child(
        [sys.executable, "-P", "-m", "schedtui.lab.supervisor", place.directory],
        directory=Path("/"),
        output_file=place.log("supervisor"),
        outlive=True,
        private=True,
    )
    try:
        _wait_until_up(place, child, tell, stop)
    except BaseException:
        stop_instance(place)
        child.end()
        raise
    return RunningLab(place, owned=bool(request.owner_pid))


def _wait_until_up(
    place: Instance, child: Child, tell: Callable[[BuildProgress], None], stop: threading.Event
) -> None:
    began = time.monotonic()
    told = ""
    while not _is_up(place):
        state = place.state()
        if state is not None and state.phase == "failed":
            raise _failure(place, state)
        if child.exit_code is not None:
            raise LabFailed("the lab's supervisor ended", where=place.name, details=place.last_lines("supervisor"))
        if stop.is_set():
            raise Cancelled("the start of the lab was cancelled")
        if state is not None and state.doing and state.doing != told:
            told = state.doing
            tell(BuildProgress(f"lab {place.name}", "start", elapsed=time.monotonic() - began, current=told))
        child.wait(LOOK_SECONDS)


def _failure(place: Instance, state: LabState) -> LabFailed:
    part = state.failed_part
    return LabFailed(
        state.failure,
        where=str(place.log(part)) if part else place.name,
        details=place.last_lines(part) if part else (),
    )


def stop_instance(place: Instance) -> bool:
    """End a lab and remove its directory, whatever state it is in; ``False`` when there was none."""
    if not place.directory.exists():
        return False
    state = place.state()
    if state is not None and state.supervisor_pid:
        end_processes([state.supervisor], grace_seconds=END_SECONDS, first_signal=signal.SIGTERM)
        # A supervisor that was killed could not end its parts.
        end_processes([part.identity for part in state.parts if part.started], grace_seconds=5.0, group=True)
    place.remove()
    return True


def _silent(_: BuildProgress) -> None:
    """Tells nobody."""
