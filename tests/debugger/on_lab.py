"""A real kube-scheduler of a lab under the driver, and pods for it."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

from schedtui.debugger import model
from schedtui.lab.api_client import ApiClient
from schedtui.toolchain.checkout import open_checkout
from tests.debugger.conftest import Debuggee, wait_gone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schedtui.lab.running import RunningLab

SECONDS = 90.0
"""A scheduler under a debugger on a busy machine of two cores."""

FITTING = "10m"
"""CPU that each node of a lab has left for one more pod."""


@contextmanager
def scheduler_of(lab: RunningLab, dlv: Path, directory: Path) -> Iterator[Debuggee]:
    """A lab's scheduler at its entry; neither it nor its dlv is there afterwards."""
    launch = model.Launch(
        dlv=str(dlv),
        target=str(lab.scheduler_binary),
        arguments=tuple(lab.scheduler_arguments(5)),
        run_directory=str(directory),
        source=str(lab.source_directory),
        release=lab.release,
    )
    one = Debuggee(launch, source=open_checkout(lab.source_directory))
    yield one.start()
    pids = one.last_state.target_pid, one.last_state.dlv_pid
    assert one.driver.close(timeout=30)
    assert wait_gone(*pids)


def new_name(kind: str = "probe") -> str:
    """A pod's name that no other test uses."""
    return f"{kind}-{uuid.uuid4().hex[:8]}"


def make_pod(lab: RunningLab, name: str = "", cpu: str = FITTING) -> str:
    """Make a pod in the default namespace; returns its name."""
    name = name or new_name()
    container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": cpu}}}
    client = ApiClient(lab.endpoint)
    client.post(
        "/api/v1/namespaces/default/pods",
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}},
    )
    client.close()
    return name
