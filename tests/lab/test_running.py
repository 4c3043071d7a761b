"""Real labs: up, watched, and gone without a trace, whoever is killed."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import queue
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from schedtui.cli.lab import lab as lab_commands
from schedtui.core.errors import Cancelled, LabFailed, SchedtuiError, WrongUse
from schedtui.lab.api_client import ApiClient
from schedtui.lab.instance import all_instances, instance, instances_directory
from schedtui.lab.report import report_on
from schedtui.lab.running import RunningLab, ensure_lab, find_running_lab, stop_instance
from schedtui.processes import is_alive
from tests.lab.waiting import DEADLINE_SECONDS, until
from tests.listing import below
from tests.small_disk import fill, small_disk

if TYPE_CHECKING:
    from schedtui.lab.module import LabBinaries
    from schedtui.lab.watching import LabEvent
    from schedtui.processes import ProcessIdentity
    from schedtui.toolchain.go_build import BuildProgress

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("lab_builds")]


def everyone(lab: RunningLab) -> list[ProcessIdentity]:
    """The supervisor and all parts."""
    state = lab.state()
    return [state.supervisor, *(part.identity for part in state.parts)]


def listens(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def assert_no_trace(identities: list[ProcessIdentity], ports: list[int], directory: Path) -> None:
    until(lambda: not any(is_alive(identity) for identity in identities))
    assert not [port for port in ports if listens(port)]
    until(lambda: not directory.exists())
    assert list(directory.parent.glob("*")) == []


def assert_private(directory: Path) -> None:
    """What etcd, the API server and schedulers write for themselves included."""
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    for path in (directory / name for name in below(directory)):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            # etcd renames files of its own while we look.
            continue
        assert stat.S_IMODE(mode) == (0o700 if stat.S_ISDIR(mode) else 0o600), path


def watched(lab: RunningLab) -> tuple[list[LabEvent], threading.Event]:
    """What is told of the lab from now on, and that its end was told."""
    events: list[LabEvent] = []
    ended = threading.Event()

    def note(event: LabEvent) -> None:
        events.append(event)
        if not event.part:
            ended.set()

    lab.watch(note)
    return events, ended


class TestUp:
    def test_files_are_private(self, lab: RunningLab) -> None:
        assert_private(lab.directory)

    def test_everything_listens_on_loopback_only(self, lab: RunningLab) -> None:
        inodes = {link for part in lab.state().parts for link in socket_inodes(part.pid)}
        addresses = {address for address, inode in listeners() if inode in inodes}
        assert addresses == {"0100007F"}

    def test_kubeconfig_is_what_kubectl_takes(self, lab: RunningLab) -> None:
        document = json.loads(lab.kubeconfig.read_text())
        assert document["kind"] == "Config"
        context = next(item for item in document["contexts"] if item["name"] == document["current-context"])
        assert context["context"]["cluster"] == document["clusters"][0]["name"]
        assert document["clusters"][0]["cluster"]["server"] == lab.endpoint.url
        assert document["users"][0]["user"]["token"] == lab.endpoint.token

    def test_without_the_token_nothing_is_told(self, lab: RunningLab) -> None:
        from dataclasses import replace

        stranger = ApiClient(replace(lab.endpoint, token="guessed"))
        with pytest.raises(SchedtuiError, match="401"):
            stranger.get("/api/v1/pods")

    def test_first_workload_goes_on(self, lab: RunningLab) -> None:
        client = ApiClient(lab.endpoint)
        until(lambda: {f"node-{number}" for number in range(5)} <= node_names(client))
        until(lambda: any(name.startswith("visitor-") for name in pod_names(client)))

    def test_status_has_all_of_it(self, lab: RunningLab) -> None:
        report = report_on(instance(lab.name))
        assert report.phase == "up"
        assert {part.name: part.health for part in report.parts} == {"etcd": "ok", "kube-apiserver": "ok"}
        assert all(part.memory_bytes > 10_000_000 for part in report.parts)
        assert report.nodes is not None
        until(lambda: (report_on(instance(lab.name)).nodes or 0) >= 5)
        assert report.data_bytes > 0

    def test_second_call_finds_the_first(self, lab: RunningLab) -> None:
        again = ensure_lab(lab.release)
        assert not again.owned
        assert again.endpoint == lab.endpoint
        again.close()
        assert lab.is_running()

    def test_scheduler_arguments(self, lab: RunningLab, tmp_path: Path) -> None:
        config = tmp_path / "config.yaml"
        config.write_text(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
            "leaderElection: {leaderElect: true}\nprofiles: [{schedulerName: a}, {schedulerName: b}]\n"
        )
        plain = lab.scheduler_arguments(4, port=12345)
        assert f"--kubeconfig={lab.kubeconfig}" in plain
        assert {"-v=4", "--secure-port=12345", "--leader-elect=false", "--bind-address=127.0.0.1"} <= set(plain)
        assert {"--kube-api-qps=1000", "--kube-api-burst=2000"} <= set(plain)
        configured = lab.scheduler_arguments(4, config=config)
        copy = Path(next(word for word in configured if word.startswith("--config=")).partition("=")[2])
        text = copy.read_text()
        assert f"kubeconfig: {lab.kubeconfig}" in text
        assert "leaderElect: false" in text
        assert "schedulerName: b" in text
        assert "qps" not in text
        ignored = ("--kubeconfig=", "--kube-api-qps=", "--kube-api-burst=")
        assert not [word for word in configured if word.startswith(ignored)]


class TestEnd:
    def test_close_leaves_nothing(self, own_state: Path) -> None:
        told: list[BuildProgress] = []
        lab = ensure_lab(progress=told.append, run_scheduler=True)
        assert lab.owned
        assert {progress.current for progress in told if progress.phase == "start"} >= {"kube-apiserver"}
        client = ApiClient(lab.endpoint)
        until(lambda: bound_pods(client))
        identities, ports = everyone(lab), [part.port for part in lab.state().parts]
        assert len(identities) == 4
        scheduler = lab.state().part("kube-scheduler")
        assert scheduler is not None
        assert list((lab.directory / f"scheduler-{scheduler.port}").iterdir())
        assert_private(lab.directory)
        lab.close()
        assert_no_trace(identities, ports, lab.directory)
        assert find_running_lab() is None
        assert not instances_directory().exists()

    def test_killed_owner_takes_its_lab_along(self, own_state: Path) -> None:
        code = (
            "import threading\n"
            "from schedtui.lab.running import ensure_lab\n"
            "lab = ensure_lab()\n"
            "print('up', flush=True)\n"
            "threading.Event().wait()\n"
        )
        owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert owner.stdout is not None
        assert owner.stdout.readline() == "up\n"
        lab = find_running_lab()
        assert lab is not None
        identities, ports = everyone(lab), [part.port for part in lab.state().parts]
        owner.kill()
        owner.communicate()
        assert_no_trace(identities, ports, lab.directory)

    def test_killed_supervisor_leaves_no_parts(self, own_state: Path) -> None:
        lab = ensure_lab()
        gone = threading.Event()
        lab.watch(lambda event: None if event.part else gone.set())
        identities = everyone(lab)
        os.kill(lab.state().supervisor_pid, signal.SIGKILL)
        assert gone.wait(DEADLINE_SECONDS)
        until(lambda: not any(is_alive(identity) for identity in identities))
        assert find_running_lab() is None
        assert report_on(instance(lab.name)).phase == "lost"
        # What was left behind does not keep the next one from coming up.
        again = ensure_lab()
        assert again.owned
        again.close()
        assert not lab.directory.exists()
        lab.close()

    @pytest.mark.parametrize("part", ["etcd", "kube-apiserver"])
    def test_part_that_dies_is_told_with_its_last_lines(self, own_state: Path, part: str) -> None:
        lab = ensure_lab(stays_up=True)
        events, ended = watched(lab)
        victim = lab.state().part(part)
        assert victim is not None
        identities = everyone(lab)
        os.kill(victim.pid, signal.SIGKILL)
        assert ended.wait(DEADLINE_SECONDS)
        assert events[0].part == part
        assert events[0].text == f"{part} was killed by SIGKILL"
        assert events[0].last_lines or part == "etcd"
        until(lambda: not any(is_alive(identity) for identity in identities))
        report = report_on(instance(lab.name))
        assert report.phase == "failed"
        assert report.failure == f"{part} was killed by SIGKILL"
        status = CliRunner().invoke(lab_commands, ["status"], standalone_mode=False)
        assert f"pid {lab.state().supervisor_pid} has ended and taken all parts along" in status.output
        assert "stays up until" not in status.output
        assert f"! {part} was killed by SIGKILL" in status.output
        lab.close()
        assert stop_instance(instance(lab.name))
        assert not lab.directory.exists()

    def test_scheduler_that_dies_does_not_end_the_lab(self, own_state: Path) -> None:
        lab = ensure_lab(run_scheduler=True)
        told = threading.Event()
        lab.watch(lambda event: told.set() if event.part == "kube-scheduler" else None)
        scheduler = lab.state().part("kube-scheduler")
        assert scheduler is not None
        os.kill(scheduler.pid, signal.SIGKILL)
        assert told.wait(DEADLINE_SECONDS)
        assert lab.is_running()
        assert lab.state().phase == "up"
        lab.close()


class TestStart:
    def test_cancelled_start_leaves_nothing(self, own_state: Path) -> None:
        cancel = threading.Event()

        def stop_at_the_api_server(progress: BuildProgress) -> None:
            if progress.phase == "start" and progress.current == "kube-apiserver":
                cancel.set()

        with pytest.raises(Cancelled):
            ensure_lab(progress=stop_at_the_api_server, cancel=cancel)
        assert all_instances() == ()

    def test_program_that_cannot_run_is_told(self, own_state: Path, tmp_path: Path) -> None:
        broken = tmp_path / "kube-scheduler"
        broken.write_text("#!/bin/sh\necho this is no scheduler\nexit 3\n")
        broken.chmod(0o755)
        lab = ensure_lab(run_scheduler=True, scheduler_binary=broken, source_directory=tmp_path)
        until(lambda: lab.state().trouble)
        part = lab.state().part("kube-scheduler")
        assert part is not None
        assert (part.exit_code, part.last_lines) == (3, ("this is no scheduler",))
        lab.close()

    def test_part_that_finds_no_room_is_told_with_the_cause(
        self, own_state: Path, lab_builds: LabBinaries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        etcd = tmp_path / "etcd"
        etcd.write_text("#!/bin/sh\necho 'failed to commit tx: write /lab/db: no space left on device'\nexit 1\n")
        etcd.chmod(0o755)
        monkeypatch.setattr(
            "schedtui.lab.running.ensure_built", lambda *_, **__: dataclasses.replace(lab_builds, etcd=etcd)
        )
        with pytest.raises(LabFailed) as caught:
            ensure_lab()
        assert caught.value.title == (
            "etcd ended with exit code 1: the disk is full: /lab/db could not be written"
        )  # fmt: skip
        assert all_instances() == ()

    def test_unknown_scenario_is_refused_before_the_start(self, own_state: Path) -> None:
        with pytest.raises(WrongUse, match="no such scenario"):
            ensure_lab(scenario="nonsense")
        assert all_instances() == ()

    def test_two_labs_do_not_collide(self, own_state: Path, lab_builds: LabBinaries) -> None:
        first = ensure_lab(name="first", scenario="")
        second = ensure_lab(name="second", scenario="")
        assert len({part.port for lab in (first, second) for part in lab.state().parts}) == 4
        with pytest.raises(LabFailed, match="several labs are up"):
            find_running_lab(lab_builds.release)
        with pytest.raises(SchedtuiError, match="401"):
            from dataclasses import replace

            ApiClient(replace(first.endpoint, token=second.endpoint.token)).get("/api/v1/nodes")
        first.close()
        assert second.is_running()
        assert ApiClient(second.endpoint).text("/readyz") == "ok"
        second.close()


def test_full_disk_is_named_and_the_lab_ends_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lab_builds: LabBinaries
) -> None:
    with small_disk(tmp_path / "disk", 240) as disk:
        monkeypatch.setenv("SCHEDTUI_STATE", str(disk))
        lab = ensure_lab(stays_up=True, scenario="")
        events, ended = watched(lab)
        identities = everyone(lab)
        client = ApiClient(lab.endpoint)
        fill(disk)
        with contextlib.suppress(SchedtuiError):
            for number in range(2000):
                client.post(
                    "/api/v1/namespaces/default/configmaps",
                    {"metadata": {"name": f"large-{number}"}, "data": {"x": "x" * 500_000}},
                )
        assert ended.wait(DEADLINE_SECONDS)
        assert events[0].part == "etcd"
        assert "the disk is full" in events[0].text
        assert "Free some room" in events[0].advice
        until(lambda: not any(is_alive(identity) for identity in identities))
        # Its state could be written although nothing else could.
        report = report_on(instance(lab.name))
        assert (report.phase, report.failure) == ("failed", events[0].text)
        lab.close()
        assert stop_instance(instance(lab.name))
        assert not lab.directory.exists()


def test_command_line_from_up_to_down(own_state: Path) -> None:
    def schedtui(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "schedtui", "lab", *words], capture_output=True, text=True, check=False
        )

    assert schedtui("status").returncode == 1
    up = schedtui("up", "--scheduler", "--json")
    assert up.returncode == 0, up.stderr
    lab = json.loads(up.stdout)
    assert (lab["phase"], lab["stays_up"]) == ("up", True)
    status = schedtui("status", "--json")
    assert status.returncode == 0
    assert [part["name"] for part in json.loads(status.stdout)[0]["parts"]] == [
        "etcd",
        "kube-apiserver",
        "kube-scheduler",
    ]
    # Until the first gate is taken, and some more for a busy machine.
    load = schedtui("load", "gates", "--duration", "12")
    assert load.returncode == 0
    assert "2 nodes and 7 pods made" in load.stdout
    down = schedtui("down")
    assert down.returncode == 0
    assert not Path(lab["directory"]).exists()
    assert schedtui("down").stdout == "no lab is up\n"


def test_a_scenario_without_a_scheduler_says_so(own_state: Path) -> None:
    lab = ensure_lab(scenario="")
    answer = CliRunner().invoke(lab_commands, ["load", "gates", "--duration", "1"], standalone_mode=False)
    assert "No scheduler serves this lab, so no pod gets a node: 'schedtui lab'" in answer.output
    lab.close()


def test_package_needs_a_tree(own_state: Path) -> None:
    with pytest.raises(WrongUse, match="--package") as caught:
        CliRunner().invoke(
            lab_commands, ["up", "--package", "./cmd/x"], standalone_mode=False, catch_exceptions=False
        )
    assert "--src" in caught.value.hint


def test_interrupted_up_leaves_nothing(own_state: Path) -> None:
    starting = subprocess.Popen(
        [sys.executable, "-m", "schedtui", "lab", "up"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert starting.stderr is not None
    while "kube-apiserver" not in starting.stderr.readline():
        assert starting.poll() is None
    starting.send_signal(signal.SIGINT)
    starting.communicate(timeout=DEADLINE_SECONDS)
    assert starting.returncode == 130
    assert all_instances() == ()


def pod_names(client: ApiClient) -> list[str]:
    return [item["metadata"]["name"] for item in client.get("/api/v1/pods")["items"]]


def node_names(client: ApiClient) -> set[str]:
    return {item["metadata"]["name"] for item in client.get("/api/v1/nodes")["items"]}


def bound_pods(client: ApiClient) -> list[str]:
    items = client.get("/api/v1/pods", fieldSelector="spec.nodeName!=")["items"]
    return [item["metadata"]["name"] for item in items]


def socket_inodes(pid: int) -> set[str]:
    """The sockets that a process holds."""
    links = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(str(entry.readlink()))
        except FileNotFoundError:
            continue
    return {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:")}


def listeners() -> list[tuple[str, str]]:
    """Address (hexadecimal, without the port) and inode of each listening TCP socket."""
    rows = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                rows.append((fields[1].split(":")[0], fields[9]))
    return rows


@pytest.mark.parametrize(
    ("release", "server"),
    [
        pytest.param("v1.29.0", "v1.36.3", marks=pytest.mark.needs_release("v1.29.0")),
        pytest.param("v1.37.2", "v1.37.2", marks=pytest.mark.needs_release("v1.37.2")),
    ],
)
def test_other_releases_bind_pods_and_their_logs_are_understood(
    own_state: Path, release: str, server: str
) -> None:
    lab = ensure_lab(release, run_scheduler=True)
    client = ApiClient(lab.endpoint)
    until(lambda: len(bound_pods(client)) >= 7)
    assert report_on(instance(lab.name)).control_plane_release == server
    scheduler, log = lab.state().part("kube-scheduler"), lab.logs["kube-scheduler"]
    assert scheduler is not None
    os.kill(scheduler.pid, signal.SIGUSR2)
    until(lambda: "Dump of scheduling queue" in log.read_text())
    check = analysed("check", log)
    assert (check["equal"], check["total"]) == (1, 1)
    report = analysed("report", log)
    assert report["bound"] >= 7
    assert set(report["nodes"]) <= {f"node-{number}" for number in range(5)}
    lab.close()


def analysed(command: str, log: Path) -> dict[str, Any]:
    """What an analysis command says of a log."""
    answer = subprocess.run(
        [sys.executable, "-m", "schedtui", command, str(log), "--json"], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def test_scheduler_does_not_complain_about_the_lab(own_state: Path) -> None:
    lab = ensure_lab(run_scheduler=True)
    client = ApiClient(lab.endpoint)
    until(lambda: bound_pods(client))
    name = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
    assert "BEGIN CERTIFICATE" in client.get(name)["data"]["client-ca-file"]
    errors = [line for line in lab.logs["kube-scheduler"].read_text().splitlines() if line.startswith(("E", "W"))]
    # One that 1.36 writes whenever it starts.
    assert [line for line in errors if "The manifest file is empty" not in line] == []
    lab.close()


class TestHolders:
    """Two schedulers on one lab."""

    def start_other(self, lab: RunningLab) -> tuple[subprocess.Popen[str], int]:
        """Another schedtui that is about to start a scheduler in the lab; returns it and the scheduler's port."""
        code = (
            "import sys\n"
            "from schedtui.lab.running import find_running_lab\n"
            "lab = find_running_lab(name=sys.argv[1])\n"
            "(port,) = (word for word in lab.scheduler_arguments(5) if word.startswith('--secure-port='))\n"
            "print(port.partition('=')[2], flush=True)\n"
            "sys.stdin.read()\n"
            "lab.close()\n"
        )
        other = subprocess.Popen(
            [sys.executable, "-c", code, lab.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        return other, int(other.stdout.readline())

    def test_another_schedtui_is_told_as_long_as_it_is_there(self, own_state: Path) -> None:
        lab = ensure_lab(scenario="")
        told: queue.Queue[tuple[str, ...]] = queue.Queue()
        lab.watch(lambda _: None, told.put)
        own = next(word for word in lab.scheduler_arguments(5) if word.startswith("--cert-dir="))
        other, port = self.start_other(lab)
        assert told.get(timeout=DEADLINE_SECONDS) == (
            f"the scheduler on port {port} of the schedtui with pid {other.pid}",
        )
        assert report_on(instance(lab.name)).schedulers == lab.other_schedulers()
        other.communicate()
        assert told.get(timeout=DEADLINE_SECONDS) == ()
        # It took its directory along, and left ours.
        assert [str(path) for path in lab.directory.glob("scheduler-*")] == [own.partition("=")[2]]
        lab.close()

    def test_a_scheduler_left_running_keeps_its_directory_until_it_ends(self, own_state: Path) -> None:
        lab = ensure_lab(scenario="")
        other, port = self.start_other(lab)
        directory = lab.directory / f"scheduler-{port}"
        code = "print('here', flush=True); import time; time.sleep(600)"
        left = subprocess.Popen(
            [sys.executable, "-c", code, f"--cert-dir={directory}"], stdout=subprocess.PIPE, text=True
        )
        assert left.stdout is not None
        assert left.stdout.readline() == "here\n"
        other.kill()
        other.communicate()
        lab.scheduler_arguments(5)
        assert directory.exists()
        assert lab.other_schedulers() == (f"a scheduler that was left running on port {port}",)
        left.kill()
        left.communicate()
        lab.scheduler_arguments(5)
        assert not directory.exists()
        assert lab.other_schedulers() == ()
        lab.close()

    def test_a_scheduler_that_is_come_back_to_is_no_other(self, own_state: Path) -> None:
        lab = ensure_lab(scenario="")
        other, port = self.start_other(lab)
        other.kill()
        other.communicate()
        lab.take_over(port)
        lab.take_over(1)
        assert [path.name for path in lab.directory.glob("scheduler-*")] == [f"scheduler-{port}"]
        code = "print('here', flush=True); import time; time.sleep(600)"
        flag = f"--cert-dir={lab.directory / f'scheduler-{port}'}"
        left = subprocess.Popen([sys.executable, "-c", code, flag], stdout=subprocess.PIPE, text=True)
        assert left.stdout is not None
        assert left.stdout.readline() == "here\n"
        assert lab.other_schedulers() == ()
        left.kill()
        left.communicate()
        lab.close()

    def test_the_labs_own_scheduler_counts_and_its_directory_goes_with_it(self, own_state: Path) -> None:
        lab = ensure_lab(run_scheduler=True)
        scheduler = lab.state().part("kube-scheduler")
        assert scheduler is not None
        assert lab.other_schedulers() == (f"the lab's own scheduler, pid {scheduler.pid} ('lab up --scheduler')",)
        os.kill(scheduler.pid, signal.SIGKILL)
        until(lambda: not (lab.directory / f"scheduler-{scheduler.port}").exists())
        until(lambda: lab.other_schedulers() == ())
        lab.close()
