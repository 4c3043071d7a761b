"""The process that a lab lives in: starts its parts, watches them, ends them.

Run as ``python -m schedtui.lab.supervisor DIRECTORY``; the directory holds ``request.json``. It owns the parts'
lives and ``state.json``; it ends, parts first and directory last, at SIGTERM, or when the schedtui that owns it
is gone in whatever way. A part that dies ends the lab; its last lines stay in the state for whoever asks.
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

from schedtui.config.files import write_private
from schedtui.core.errors import ClusterUnreachable, LabFailed, SchedtuiError, UnreadableInput
from schedtui.lab.api_client import ApiClient, Endpoint
from schedtui.lab.control_plane import (
    Ports,
    apiserver_arguments,
    etcd_arguments,
    free_port,
    free_ports,
    scheduler_arguments,
)
from schedtui.lab.credentials import Credentials, kubeconfig_text, make_credentials
from schedtui.lab.health import WELL, part_health
from schedtui.lab.holders import scheduler_directory, sweep
from schedtui.lab.instance import Instance, LabState, PartState
from schedtui.lab.node_agent import NodeAgent
from schedtui.lab.part_death import cause_of_death, death_text
from schedtui.lab.player_thread import PlayerThread
from schedtui.lab.scenario import load_scenario
from schedtui.lab.scheduler_config import write_lab_config
from schedtui.processes import Child, identify, is_alive

if TYPE_CHECKING:
    from schedtui.lab.player import PlayerReport

START_SECONDS = 120.0
"""How long the API server may take; 3 s on an idle machine, much more beside a build."""

SCHEDULER_START_SECONDS = 30.0
"""How long a lab waits for a scheduler of its own before it calls itself up without."""

LOOK_SECONDS = 0.1
"""How often parts, owner and signals are looked at."""

PORT_ATTEMPTS = 3
"""How often new ports are tried when somebody else took one between choice and use."""

END_GRACE_SECONDS = 1.0
"""How long each part gets after SIGTERM: the API server would wait long for its watches, for no use."""

KEPT_TROUBLE = 5
"""How many lines of trouble the state keeps."""


RESTART_SECONDS = 2.0
"""The pause before a first workload that the API server refused is played again."""

REPORT_SECONDS = 0.5
"""How often what the workload says is written down, at most."""


class _PortTaken(Exception):
    """Somebody else got one of our ports first."""


class _StopAsked(Exception):
    """The lab is to end before it was up."""


class Supervisor:
    """One lab's life."""

    def __init__(self, instance: Instance) -> None:
        """Read what is to be run; nothing is started yet."""
        self._instance = instance
        self._request = instance.request()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        me = identify(os.getpid())
        assert me is not None
        self._state = LabState(
            supervisor_pid=me.pid, supervisor_started=me.started, started_at=time.time(), doing="preparing"
        )
        self._children: dict[str, Child] = {}
        self._agent: NodeAgent | None = None
        self._workload: PlayerThread | None = None
        self._workload_ended_by: SchedtuiError | None = None
        self._last_report = 0.0
        self._unwritten = False
        """Whether the state on disk is older than the one in memory."""

    def run(self) -> int:
        """Start, watch, end; returns the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self._stop.set())
        self._update()
        failed = False
        try:
            self._start()
            self._watch()
        except _StopAsked:
            pass
        except SchedtuiError as error:
            failed = True
            self._fail(error)
        finally:
            self._end()
        if not failed or self._owner_is_gone():
            self._instance.remove()
        return 1 if failed else 0

    def _update(self, **changes: object) -> None:
        """Change the state, in memory and on disk; on a full disk in memory alone, until there is room."""
        with self._lock:
            self._state = msgspec.structs.replace(self._state, **changes)
            self._write_state()

    def _write_state(self) -> None:
        try:
            self._instance.write_state(self._state)
            self._unwritten = False
        except UnreadableInput:
            # What runs must be looked after all the same.
            self._unwritten = True

    # Starting.

    def _start(self) -> None:
        credentials = make_credentials(self._instance.directory / "pki")
        for attempt in range(PORT_ATTEMPTS):
            ports = free_ports()
            try:
                self._start_control_plane(ports, credentials)
                break
            except _PortTaken as error:
                self._end_parts()
                if attempt == PORT_ATTEMPTS - 1:
                    raise LabFailed("no free ports for the lab", where=str(error)) from error
        endpoint = Endpoint(ports.apiserver, credentials.token, credentials.authority)
        kubeconfig = kubeconfig_text(
            f"schedtui-lab-{self._instance.name}", endpoint.url, credentials.authority, credentials.token
        )
        write_private(self._instance.kubeconfig, kubeconfig.encode())
        self._agent = NodeAgent(endpoint, self._note_trouble)
        self._agent.start()
        self._start_workload(endpoint)
        self._update(port=ports.apiserver)
        if self._request.run_scheduler:
            self._start_scheduler(ports.scheduler)
        self._update(phase="up", doing="")

    def _start_control_plane(self, ports: Ports, credentials: Credentials) -> None:
        directory = self._instance.directory
        self._start_part("etcd", self._request.etcd, etcd_arguments(directory, ports), ports.etcd_client)
        self._start_part(
            "kube-apiserver",
            self._request.apiserver,
            apiserver_arguments(directory, ports, credentials),
            ports.apiserver,
        )
        client = ApiClient(Endpoint(ports.apiserver, credentials.token, credentials.authority), seconds=5.0)
        deadline = time.monotonic() + START_SECONDS
        while not _answers(client):
            self._look_after_parts(starting=True)
            if time.monotonic() > deadline:
                raise LabFailed(
                    f"the API server was not ready within {START_SECONDS:g} s",
                    where=str(self._instance.log("kube-apiserver")),
                    details=self._instance.last_lines("kube-apiserver"),
                )
            self._stop.wait(LOOK_SECONDS)
        client.close()

    def _start_part(self, name: str, program: str, arguments: list[str], port: int) -> None:
        self._update(doing=name)
        log = self._instance.log(name)
        child = Child([program, *arguments], directory=self._instance.directory, output_file=log, private=True)
        self._children[name] = child
        started = child.identity.started if child.identity else ""
        part = PartState(name=name, pid=child.pid, started=started, port=port, log=str(log))
        self._update(parts=(*(known for known in self._state.parts if known.name != name), part))

    def _start_workload(self, endpoint: Endpoint) -> None:
        if not self._request.scenario:
            return
        if self._state.phase == "starting":
            self._update(doing="the first workload")
        name, scenario = load_scenario(self._request.scenario)
        self._workload = PlayerThread(
            endpoint, name, scenario, on_report=self._note_report, seed=self._request.seed
        )
        self._workload.start()

    def _start_scheduler(self, port: int) -> None:
        """Start it and wait until it answers; one that ends at once is told, and the lab comes up without it."""
        config = None
        if self._request.scheduler_config:
            config = write_lab_config(
                Path(self._request.scheduler_config),
                self._instance.kubeconfig,
                self._instance.directory / "scheduler-config.yaml",
            )
        for _ in range(PORT_ATTEMPTS):
            try:
                self._run_scheduler(port, config)
            except _PortTaken:
                port = free_port()
            else:
                return
        self._note_trouble("no free port for kube-scheduler")

    def _run_scheduler(self, port: int, config: Path | None) -> None:
        arguments = scheduler_arguments(
            self._instance.kubeconfig,
            scheduler_directory(self._instance.directory, port),
            verbosity=self._request.verbosity,
            port=port,
            config=config,
        )
        self._start_part("kube-scheduler", self._request.scheduler, arguments, port)
        deadline = time.monotonic() + SCHEDULER_START_SECONDS
        while "kube-scheduler" in self._children and time.monotonic() < deadline:
            if part_health("kube-scheduler", port, self._instance.endpoint) == WELL:
                return
            self._look_after_parts(starting=True)
            self._stop.wait(LOOK_SECONDS)

    # Watching.

    def _watch(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            if self._owner_is_gone():
                return
            self._look_after_parts(starting=False)
            if self._unwritten:
                self._update()
            if self._workload_ended_by is not None and not self._stop.wait(RESTART_SECONDS):
                self._workload_ended_by = None
                self._start_workload(self._instance.endpoint())

    def _owner_is_gone(self) -> bool:
        owner = self._request.owner
        return owner is not None and not is_alive(owner)

    def _look_after_parts(self, *, starting: bool) -> None:
        """Notice parts that died.

        Raises:
            LabFailed: etcd or the API server did.
            _PortTaken: While starting, because of a port.
            _StopAsked: While starting.
        """
        if starting and (self._stop.is_set() or self._owner_is_gone()):
            raise _StopAsked
        for name, child in list(self._children.items()):
            if child.exit_code is None:
                continue
            last = self._instance.last_lines(name)
            text = self._note_death(name, child.exit_code, last)
            del self._children[name]
            if name == "kube-scheduler":
                sweep(self._instance.directory, own=True)
            if starting and any("address already in use" in line for line in last):
                raise _PortTaken(name)
            if name == "kube-scheduler":
                self._note_trouble(text)
                continue
            raise LabFailed(text, where=str(self._instance.log(name)), details=last)

    def _note_death(self, name: str, exit_code: int, last: tuple[str, ...]) -> str:
        """Keep how a part died; returns it as one line."""
        cause = cause_of_death(name, exit_code, last, self._instance.directory)
        told = {"cause": cause.title, "advice": cause.advice} if cause is not None else {}
        parts = tuple(
            msgspec.structs.replace(part, exit_code=exit_code, last_lines=last, **told)
            if part.name == name
            else part
            for part in self._state.parts
        )
        self._update(parts=parts)
        return death_text(name, exit_code, told.get("cause", ""))

    def _note_trouble(self, text: str) -> None:
        self._update(trouble=(*self._state.trouble, text)[-KEPT_TROUBLE:])

    def _note_report(self, report: PlayerReport) -> None:
        now = time.monotonic()
        if report.finished or now - self._last_report >= REPORT_SECONDS:
            self._last_report = now
            self._update(workload=f"{report.scenario}: {report.text}")
        if report.error is not None:
            self._note_trouble(report.error.as_text())
            self._workload_ended_by = report.error

    def _fail(self, error: SchedtuiError) -> None:
        failed = error.title.split(" ", 1)[0]
        self._update(
            phase="failed", failure=error.title, failed_part=failed if self._state.part(failed) else "", doing=""
        )

    # Ending.

    def _end(self) -> None:
        if self._state.phase != "failed":
            self._update(phase="stopping")
        if self._workload is not None:
            self._workload.stop()
        if self._agent is not None:
            self._agent.stop()
        self._end_parts()
        if self._unwritten:
            # Nobody needs the data of a lab that has failed, and its room lets the state be written.
            self._instance.remove_data()
            self._update()

    def _end_parts(self) -> None:
        """The scheduler first, etcd last, so that none complains about the one it needs."""
        for name in reversed(list(self._children)):
            self._children.pop(name).end(grace_seconds=END_GRACE_SECONDS)


def _answers(client: ApiClient) -> bool:
    """Whether the API server is ready and has made the default namespace."""
    try:
        return client.text("/readyz") == "ok" and client.exists("/api/v1/namespaces/default")
    except ClusterUnreachable:
        return False


def main() -> int:
    """The supervisor's process."""
    try:
        return Supervisor(Instance(Path(sys.argv[1]))).run()
    except SchedtuiError as error:
        print(error.as_text(), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
