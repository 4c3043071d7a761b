"""A session and its lab: parts that die, scenarios, logs of the parts. On real labs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from schedtui.config.directories import directories
from schedtui.config.settings import Settings
from schedtui.core.errors import LabFailed, WrongUse
from schedtui.lab.api_client import ApiClient
from schedtui.lab.running import RunningLab, ensure_lab
from schedtui.lab.scenario import load_scenario
from schedtui.ui import messages
from schedtui.ui.options import Options
from schedtui.ui.services import commands
from schedtui.ui.services.lab_link import TOLD_LINES, LabLink
from schedtui.ui.services.plan import Plan
from schedtui.ui.services.prepare import Request
from schedtui.ui.services.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from textual.message import Message

pytestmark = [pytest.mark.lab]

DEADLINE_SECONDS = 60.0


class Screen:
    """Collects what would be shown."""

    def __init__(self) -> None:
        self.told: list[Message] = []
        self._came = threading.Condition()

    def post(self, message: Message) -> None:
        with self._came:
            self.told.append(message)
            self._came.notify_all()

    def wait_for(self, wanted: Callable[[Any], bool]) -> Any:  # noqa: ANN401  # whichever message it is
        """The first message that fits, come or to come."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        with self._came:
            while (found := next((message for message in self.told if wanted(message)), None)) is None:
                assert self._came.wait(deadline - time.monotonic()), self.told
        return found

    def notice(self, text: str) -> messages.NoticePosted:
        """The notice that holds this text."""
        found = self.wait_for(lambda told: isinstance(told, messages.NoticePosted) and text in told.text)
        assert isinstance(found, messages.NoticePosted)
        return found


@pytest.fixture
def session(lab: RunningLab, tmp_path: Path) -> Iterator[tuple[Session, Screen]]:
    """A session in the lab whose scheduler has written a log already; it has no debugger."""
    log = tmp_path / "scheduler.log"
    log.write_text(
        'I1130 11:36:00.000000   16634 scheduler.go:80] "Starting Kubernetes Scheduler" version="v1.36.3"\n'
        'I1130 11:36:01.000000   16634 eventhandlers.go:214] "Add event for unscheduled pod" pod="shop/web-0"\n'
    )
    screen = Screen()
    session = Session(Plan(Settings(), directories(), logs=(str(log),), lab=lab), screen.post)
    session.start()
    yield session, screen
    link = session.lab
    assert link is not None
    link.stop_scenario()
    session.store.close() if session.store is not None else None


def command(name: str, words: str, session: Session, screen: Screen) -> None:
    """Type a command of the palette."""
    assert commands.run(name, words, session, Request("lab", Options(), Settings()), screen.post)


def failure_called(title: str, told: Message) -> bool:
    return isinstance(told, messages.WorkFailed) and told.error.title == title


def test_a_part_that_is_killed_is_told_at_once_with_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    lab, screen = ensure_lab(scenario=""), Screen()
    link = LabLink(lab, screen.post)
    link.start()
    part = lab.state().part("kube-apiserver")
    assert part is not None
    os.kill(part.pid, signal.SIGKILL)
    failed = screen.wait_for(lambda told: isinstance(told, messages.WorkFailed))
    assert failed.error.title == "kube-apiserver was killed by SIGKILL"
    assert 0 < len(failed.error.details) <= TOLD_LINES
    assert "The lab ends with it" in failed.error.hint
    screen.wait_for(lambda told: isinstance(told, messages.LabTold) and told.text == "the lab is gone")
    assert link.ended
    with pytest.raises(LabFailed, match="the lab is gone"):
        link.play(*load_scenario("gates"))
    link.end()
    assert not lab.directory.exists()


def test_scenarios_are_listed_played_and_ended(session: tuple[Session, Screen], lab: RunningLab) -> None:
    running, screen = session
    command("load", "", running, screen)
    offered = screen.wait_for(lambda told: isinstance(told, messages.ListOffered))
    assert ("preemption", messages.CommandRequested("load", "preemption")) in [
        (text.split()[0], wish) for text, _, wish in offered.lines
    ]
    command("load", "churn seed=7 rate=20 duration=600", running, screen)
    screen.notice("churn: ")
    screen.wait_for(lambda told: isinstance(told, messages.WorkProgressed) and told.step.startswith("churn: "))
    command("load", "stop", running, screen)
    screen.notice("The scenario is ended.")
    client = ApiClient(lab.endpoint)
    labelled = client.get("/api/v1/pods", labelSelector="app")["items"]
    assert isinstance(labelled, list)
    command("load", "stop", running, screen)
    screen.notice("No scenario plays.")


def test_a_scenario_is_played_from_a_path_with_blanks(
    session: tuple[Session, Screen], lab: RunningLab, tmp_path: Path
) -> None:
    running, screen = session
    folder = tmp_path / "my scenarios"
    folder.mkdir()
    (folder / "with blank.yaml").write_text(
        "title: Mine\nsteps: [{pods: {name: blank-path, namespace: default}}]\n"
    )
    command("load", f"'{folder}/with blank.yaml' seed=7", running, screen)
    screen.notice("with-blank: Mine")
    screen.wait_for(lambda told: isinstance(told, messages.WorkFinished) and told.name == "scenario")
    made = ApiClient(lab.endpoint).get("/api/v1/namespaces/default/pods/blank-path")
    assert made["metadata"]["labels"]["schedtui/scenario"] == "with-blank"
    ApiClient(lab.endpoint).delete("/api/v1/namespaces/default/pods/blank-path")
    for wrong, title, hint in (
        (f"'{folder}/with blank.yaml", "a quote is not closed", "my scenarios"),
        ("my scenarios/with.yaml", "this is no option of a scenario", "put in quotes"),
    ):
        command("load", wrong, running, screen)
        failed = screen.wait_for(partial(failure_called, title))
        assert hint in failed.error.hint


@pytest.mark.parametrize("words", ["churn speed=3", "churn rate=fast", "churn 3"])
def test_words_that_no_scenario_has_are_refused(session: tuple[Session, Screen], words: str) -> None:
    running, screen = session
    command("load", words, running, screen)
    failed = screen.wait_for(lambda told: isinstance(told, messages.WorkFailed))
    assert "seed=3 rate=10" in failed.error.hint


def test_logs_of_parts_come_beside_the_schedulers_and_the_queues_do_not_see_them(
    session: tuple[Session, Screen],
) -> None:
    running, screen = session
    own = running.plan.logs
    command("logs", "all", running, screen)
    screen.notice("The log holds etcd, kube-apiserver too")
    assert running.store is not None
    inputs = running.store.inputs
    assert [path.rsplit("/", 1)[1] for path in inputs] == ["scheduler.log", "etcd.log", "kube-apiserver.log"]

    def everything_is_read() -> bool:
        assert running.store is not None
        return running.store.state().records > 20

    deadline = time.monotonic() + DEADLINE_SECONDS
    while not everything_is_read():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # The API server is another process with headers of the same kind: the queues would begin anew with it.
    queue = running.queue
    assert queue is not None
    while [row.pod for row in queue.ask(lambda model: model.snapshot()).pods] != ["shop/web-0"]:
        # The fold begins anew with the logs, and goes on in the background.
        assert time.monotonic() < deadline
        time.sleep(0.05)
    command("logs", "none", running, screen)
    screen.notice("The log is the scheduler's alone.")
    assert tuple(running.store.inputs) == own
    command("logs", "kubelet", running, screen)
    failed = screen.wait_for(lambda told: isinstance(told, messages.WorkFailed))
    assert isinstance(failed.error, WrongUse)
    assert "etcd, kube-apiserver" in failed.error.hint


def test_the_labs_state_is_a_command_away(session: tuple[Session, Screen], lab: RunningLab) -> None:
    running, screen = session
    command("lab", "", running, screen)
    offered = screen.wait_for(lambda told: isinstance(told, messages.ListOffered))
    text = "\n".join(line for line, _, _ in offered.lines)
    assert lab.endpoint.url in text
    assert str(lab.kubeconfig) in text
    assert "kube-apiserver" in text
    assert "nodes" in text
    assert lab.endpoint.token not in text


OTHER = """
import sys
from schedtui.lab.running import find_running_lab
lab = find_running_lab(name=sys.argv[1])
lab.scheduler_arguments(5)
sys.stdin.read()
lab.close()
"""
"""Another schedtui that has a scheduler in the lab until its input ends."""


def test_a_second_schedtui_on_the_lab_is_told_with_what_it_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    lab, screen = ensure_lab(scenario=""), Screen()
    session = Session(Plan(Settings(), directories(), lab=lab), screen.post)
    session.start()
    other = subprocess.Popen([sys.executable, "-c", OTHER, lab.name], stdin=subprocess.PIPE, text=True)
    try:
        screen.notice("2 schedulers take pods from this lab; ':lab' says whose")
        command("lab", "", session, screen)
        offered = screen.wait_for(lambda told: isinstance(told, messages.ListOffered))
        text = "\n".join(line for line, _, _ in offered.lines)
        assert f"of the schedtui with pid {other.pid} takes pods here, too." in text
        assert "schedtui lab --name second" in text
    finally:
        other.communicate()
    screen.notice("to itself again")
    assert [told.text for told in screen.told if isinstance(told, messages.LabTold)] == ["2 schedulers here", ""]
    assert session.end()
    assert not lab.directory.exists()
