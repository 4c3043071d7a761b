"""What the command line of a scheduler that somebody else started tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from schedtui.debugger.model import Launch
from schedtui.ui.services.running_target import log_of, read_target, target_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def kubeconfig(fresh_home: Path) -> Path:
    document = {
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": "https://127.0.0.1:6443"}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
        "users": [{"name": "me", "user": {"token": "secret"}}],
    }  # fmt: skip
    file = fresh_home / "kubeconfig"
    file.write_text(json.dumps(document))
    return file


@pytest.fixture
def process(kubeconfig: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """A process with a command line of one's choice."""
    words = [word.replace("KUBECONFIG", str(kubeconfig)) for word in request.param]
    code = "print('there', flush=True); import time; time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


FLAGS = ("--kubeconfig", "KUBECONFIG", "--secure-port=12345", "-v=7", "--leader-elect=false")


@pytest.mark.parametrize("process", [FLAGS], indirect=True)
def test_an_attached_scheduler_is_known_by_its_flags(process: subprocess.Popen[str]) -> None:
    target = read_target(Launch(dlv="", target=str(process.pid), mode="attach", run_directory=""))
    assert target is not None
    assert target.verbosity == 7
    assert not target.elects
    assert target.endpoint is not None
    assert target.endpoint.port == 12345
    assert target.endpoint.credentials.token == "secret"


@pytest.mark.parametrize(
    "process", [("exec", "kube-scheduler", "--headless", "--listen=127.0.0.1:4999", "--", *FLAGS)], indirect=True
)
def test_a_dlv_server_on_this_machine_tells_its_targets_flags(process: subprocess.Popen[str]) -> None:
    for address in ("127.0.0.1:4999", "localhost:4999", ":4999"):
        target = read_target(Launch(dlv="", target=address, mode="connect", run_directory=""))
        assert target is not None, address
        assert target.endpoint is not None
        assert target.endpoint.port == 12345
        assert target.ends_with_us
    for address in ("127.0.0.1:5000", "build-box:4999", "unix:/nowhere"):
        assert read_target(Launch(dlv="", target=address, mode="connect", run_directory="")) is None


@pytest.mark.parametrize(
    "process",
    [
        ("exec", "kube-scheduler", "--headless", "--listen=127.0.0.1:4998", "--accept-multiclient", "--", *FLAGS),
        ("exec", "--headless", "--listen=127.0.0.1:4998", "--accept-multiclient", "kube-scheduler", "--", *FLAGS),
        ("attach", str(os.getpid()), "--headless", "--listen=127.0.0.1:4998"),
    ],
    indirect=True,
)
def test_a_server_for_many_or_that_attached_leaves_its_target(process: subprocess.Popen[str]) -> None:
    target = read_target(Launch(dlv="", target="127.0.0.1:4998", mode="connect", run_directory=""))
    assert target is not None
    assert not target.ends_with_us


def test_without_a_kubeconfig_nobody_is_asked() -> None:
    target = target_of(("kube-scheduler", "--master=http://127.0.0.1:8080"))
    assert target.endpoint is None
    assert target.elects
    assert target.verbosity == 0
    assert any("no kubeconfig" in note for note in target.notes)


def test_the_log_of_an_attached_scheduler_is_the_file_that_its_errors_go_to(tmp_path: Path) -> None:
    log = tmp_path / "scheduler.log"
    code = "print('there', flush=True); import time; time.sleep(600)"
    with log.open("w") as file:
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=file, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        target = read_target(Launch(dlv="", target=str(process.pid), mode="attach", run_directory=""))
        assert target is not None
        assert target.log == (str(log) if sys.platform == "linux" else "")
        log.unlink()
        assert log_of(process.pid) == ""
    finally:
        process.kill()
        process.communicate()


def test_a_kubeconfig_that_is_gone_is_told(fresh_home: Path) -> None:
    target = target_of(("kube-scheduler", f"--kubeconfig={fresh_home}/none"))
    assert target.endpoint is None or target.endpoint.credentials.token == ""
    assert target.verbosity == 0


def test_no_such_process() -> None:
    assert read_target(Launch(dlv="", target=str(2**22 + 1), mode="attach", run_directory="")) is None
