"""How a lab is: parts, pids, ports, sizes, health, as values for ``lab status``.

Owns the questions to the lab's parts and the sums over its directory. It changes nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.lab.api_client import ApiClient
from schedtui.lab.health import HEALTH_SECONDS, part_health
from schedtui.lab.holders import other_holders
from schedtui.processes import is_alive, resident_bytes

if TYPE_CHECKING:
    from schedtui.lab.instance import Instance, LabState, PartState


@dataclass(frozen=True, slots=True)
class PartReport:
    """One part."""

    name: str
    pid: int
    port: int
    alive: bool
    health: str
    """``ok``, what it answered instead, or why it did not answer."""
    memory_bytes: int
    log: str
    log_bytes: int
    last_lines: tuple[str, ...]
    """Of a part that died."""
    cause: str = ""
    """Why it died, where that is known."""
    advice: str = ""
    """What to do about that."""


@dataclass(frozen=True, slots=True)
class LabReport:
    """One lab."""

    name: str
    release: str
    control_plane_release: str
    phase: str
    """``up``, ``starting``, ``stopping``, ``failed``, or ``lost`` when its supervisor was killed."""
    server: str
    kubeconfig: str
    directory: str
    data_bytes: int
    """All files of the directory, logs included."""
    supervisor_pid: int
    stays_up: bool
    """False: it ends with the schedtui that started it."""
    parts: tuple[PartReport, ...]
    nodes: int | None
    pods: int | None
    waiting_pods: int | None
    """Pods without a node."""
    workload: str
    trouble: tuple[str, ...]
    failure: str
    schedulers: tuple[str, ...] = ()
    """Schedulers that serve it beside its own part, in words: those of TUIs, and what they left running."""


def report_on(place: Instance) -> LabReport:
    """Ask one lab how it is.

    Raises:
        LabFailed: Its directory is no lab's.
    """
    request, state = place.request(), place.state()
    running = place.is_running()
    up = state is not None and state.phase == "up" and running
    counts = _counts(place) if up else (None, None, None)
    phase = "lost" if state is None or not (running or state.phase == "failed") else state.phase
    return LabReport(
        name=place.name,
        release=request.release,
        control_plane_release=request.control_plane_release,
        phase=phase,
        server=f"https://127.0.0.1:{state.port}" if state and state.port else "",
        kubeconfig=str(place.kubeconfig) if place.kubeconfig.exists() else "",
        directory=str(place.directory),
        data_bytes=_size(place.directory),
        supervisor_pid=state.supervisor_pid if state else 0,
        stays_up=request.owner is None,
        parts=_parts(place, state) if state else (),
        nodes=counts[0],
        pods=counts[1],
        waiting_pods=counts[2],
        workload=state.workload if state else "",
        trouble=state.trouble if state else (),
        failure=state.failure if state else "",
        schedulers=_schedulers(place, state) if up else (),
    )


def _parts(place: Instance, state: LabState) -> tuple[PartReport, ...]:
    return tuple(
        PartReport(
            name=part.name,
            pid=part.pid,
            port=part.port,
            alive=is_alive(part.identity),
            health=_health(place, part),
            memory_bytes=resident_bytes(part.identity),
            log=part.log,
            log_bytes=_size(Path(part.log)),
            last_lines=part.last_lines,
            cause=part.cause,
            advice=part.advice,
        )
        for part in state.parts
    )


def _schedulers(place: Instance, state: LabState | None) -> tuple[str, ...]:
    part = state.part("kube-scheduler") if state else None
    own = part.port if part is not None else 0
    return tuple(holder.describe() for holder in other_holders(place.directory) if holder.port != own)


def _health(place: Instance, part: PartState) -> str:
    if not is_alive(part.identity):
        return "ended" if part.exit_code is None else f"ended ({part.exit_code})"
    return part_health(part.name, part.port, place.endpoint)


def _counts(place: Instance) -> tuple[int | None, int | None, int | None]:
    """Nodes, pods, pods without a node; ``None`` when the API server does not tell."""
    try:
        client = ApiClient(place.endpoint(), seconds=HEALTH_SECONDS)
        nodes = _count(client, "/api/v1/nodes")
        pods = _count(client, "/api/v1/pods")
        waiting = len(client.get("/api/v1/pods", fieldSelector="spec.nodeName=")["items"])
    except SchedtuiError:
        return None, None, None
    return nodes, pods, waiting


def _count(client: ApiClient, path: str) -> int:
    answer = client.get(path, limit="1")
    return len(answer["items"]) + int(answer["metadata"].get("remainingItemCount", 0))


def _size(path: Path) -> int:
    # Not Path.rglob: it fails where a directory goes away while we look, as a scheduler's does with it.
    files = [Path(place, name) for place, inner, names in os.walk(path) for name in (*inner, *names)]
    total = 0
    for file in files if path.is_dir() else [path]:
        try:
            # Blocks, not length: etcd reserves 64 MB for its log at once and fills it slowly.
            total += file.lstat().st_blocks * 512
        except OSError:
            # It went away while we looked.
            continue
    return total


def format_bytes(count: int) -> str:
    """``1536`` → ``1.5 kB``."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return ""
