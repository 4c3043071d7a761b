"""What each part of the lab's control plane is started with.

Owns the argument lists of etcd, kube-apiserver and kube-scheduler, as data made from ports and paths, and the
choice of free ports. It starts nothing: ``supervisor`` does.
"""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from schedtui.lab.credentials import Credentials

SCHEDULER_LOG = "kube-scheduler.log"
"""The log file of a scheduler that the lab itself runs, inside its ``logs``."""

API_SERVER_VERBOSITY = 1
"""Enough for its own troubles; requests are logged from V3 on."""

SCHEDULER_REQUESTS_PER_SECOND = 1000
"""What the lab's scheduler may ask of the API server in the long run (``clientConnection.qps``).

Its own limit, 50, is made for clusters of many clients. Here it is the only one, and what a scenario sets off
(bindings, events, status patches) would fill the log with ``Waited before sending request``.
"""

SCHEDULER_REQUEST_BURST = 2000
"""The same for a moment (``clientConnection.burst``); the scheduler's own is 100."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The lab's ports on 127.0.0.1."""

    etcd_client: int
    etcd_peer: int
    apiserver: int
    scheduler: int


def free_ports() -> Ports:
    """Four ports that nobody listens on now. They are held together while they are chosen, so all differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(4)]
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return Ports(*(listener.getsockname()[1] for listener in sockets))


def free_port() -> int:
    """One port on loopback that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def etcd_arguments(directory: Path, ports: Ports) -> list[str]:
    """For etcd: one member, loopback, nothing forced to disk (a lab's data need not outlive a crash)."""
    client, peer = f"http://127.0.0.1:{ports.etcd_client}", f"http://127.0.0.1:{ports.etcd_peer}"
    return [
        "--name=lab",
        f"--data-dir={directory / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=lab={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
        "--logger=zap",
        # 5 000 pods that are rewritten many times: the default of 2 GB fills in an afternoon without this.
        "--auto-compaction-mode=revision",
        "--auto-compaction-retention=1000",
        "--quota-backend-bytes=4294967296",
    ]


def apiserver_arguments(directory: Path, ports: Ports, credentials: Credentials) -> list[str]:
    """For kube-apiserver: token and RBAC, loopback, without what needs other controllers.

    Without these three admission plugins pods need no service account (no controller makes one), new nodes get no
    ``not-ready`` taint (no controller would take it away), and nodes are plain objects.
    """
    return [
        f"--etcd-servers=http://127.0.0.1:{ports.etcd_client}",
        "--bind-address=127.0.0.1",
        f"--secure-port={ports.apiserver}",
        "--advertise-address=127.0.0.1",
        # Its Service would need an address that is not loopback.
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={credentials.server_certificate}",
        f"--tls-private-key-file={credentials.server_key}",
        f"--cert-dir={directory / 'pki'}",
        f"--token-auth-file={credentials.token_file}",
        # Nobody has a client certificate of it. But with these two the server makes the configmap
        # extension-apiserver-authentication, for whose absence a scheduler logs an error every few seconds.
        f"--client-ca-file={credentials.authority_file}",
        f"--requestheader-client-ca-file={credentials.authority_file}",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={credentials.service_account_key}",
        f"--service-account-signing-key-file={credentials.service_account_key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,NodeRestriction",
        f"--v={API_SERVER_VERBOSITY}",
    ]


def scheduler_arguments(
    kubeconfig: Path,
    certificate_directory: Path,
    *,
    verbosity: int,
    port: int,
    config: Path | None = None,
) -> list[str]:
    """For kube-scheduler: alone (no lease), on loopback, its own port guarded by the lab's API server.

    Args:
        kubeconfig: The lab's.
        certificate_directory: Where it may put the certificate that it makes for itself.
        verbosity: ``-v``.
        port: Its secure port; health, metrics and ``/debug/flags/v`` are there.
        config: A KubeSchedulerConfiguration that names ``kubeconfig`` itself and says how often the scheduler may
            ask (these flags are ignored beside it); without it the lab's limits hold.
    """
    own = [
        f"--kubeconfig={kubeconfig}",
        f"--kube-api-qps={SCHEDULER_REQUESTS_PER_SECOND}",
        f"--kube-api-burst={SCHEDULER_REQUEST_BURST}",
    ]
    return [
        *([f"--config={config}"] if config else own),
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={certificate_directory}",
        "--leader-elect=false",
        f"-v={verbosity}",
    ]
