"""One look at an API server with the credentials of a kubeconfig.

Owns the few requests that doctor and the exit causes need: does it answer, which release is it, does it take the
credentials, may they list, who holds the scheduler's lease. It changes nothing and keeps no connection.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import ssl
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedtui.toolchain.kubeconfig import Kubeconfig

PROBE_SECONDS = 4.0
"""How long the server may take to answer each request."""

ANSWER_LIMIT = 1_000_000
"""Bytes of an answer that are read."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds the scheduler's lease."""

    holder: str = ""
    """Empty: nobody, or the lease does not exist."""
    live: bool = False
    """Renewed within its duration."""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What the server said; ``problem`` is empty when all is well."""

    problem: str = ""
    advice: str = ""
    release: str = ""
    """The server's ``gitVersion``; empty when it did not say, or was built without a version."""
    lease: Lease | None = None
    """None when it was not asked or may not be read."""


def probe_server(config: Kubeconfig, lease: tuple[str, str] | None = None) -> ServerAnswer:
    """Ask the server of ``config``; problems are values, nothing is raised.

    Args:
        config: A kubeconfig without a problem of its own.
        lease: Namespace and name of the lease to look at.
    """
    try:
        with _connection(config) as ask:
            return _questions(ask, config, lease)
    except ssl.SSLCertVerificationError as error:
        return _certificate_problem(error, config)
    except ssl.SSLError as error:
        reason = str(error.reason or error).replace("_", " ").lower()
        return ServerAnswer(
            f"{config.server} does not speak TLS as expected: {reason}", "Is the port the right one?"
        )
    except socket.gaierror:
        return ServerAnswer(
            f"the name in {config.server} cannot be found", f"Check 'server:' in {config.path}, VPN and DNS."
        )
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return ServerAnswer(
            f"{config.server} does not answer: {reason.lower()}",
            "Start the cluster, or use 'schedtui lab' for a private one.",
        )


class _Asker:
    """One connection, GET only."""

    def __init__(self, connection: http.client.HTTPConnection, prefix: str, token: str) -> None:
        self._connection = connection
        self._prefix = prefix
        self._headers = {"Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        """Status and JSON object of an answer; an empty object when it is none."""
        self._connection.request("GET", self._prefix + path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read(ANSWER_LIMIT)
        if len(body) == ANSWER_LIMIT:
            # The rest of a cut answer would be taken for the next one.
            self._connection.close()
        try:
            document = json.loads(body)
        except ValueError:
            document = None
        return response.status, document if isinstance(document, dict) else {}


class _NamedTlsConnection(http.client.HTTPConnection):
    """TLS to one address with the certificate of another name, which ``http.client`` alone cannot do."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext, name: str) -> None:
        super().__init__(host, port, timeout=PROBE_SECONDS)
        self._context = context
        self._name = name

    def connect(self) -> None:
        """Connect and shake hands."""
        super().connect()
        self.sock = self._context.wrap_socket(self.sock, server_hostname=self._name)


@contextlib.contextmanager
def _connection(config: Kubeconfig) -> Iterator[_Asker]:
    address = urlsplit(config.server if "://" in config.server else f"https://{config.server}")
    host = address.hostname or ""
    connection: http.client.HTTPConnection
    if address.scheme == "http":
        connection = http.client.HTTPConnection(host, address.port or 80, timeout=PROBE_SECONDS)
    else:
        name = config.tls_server_name or host
        connection = _NamedTlsConnection(host, address.port or 443, _tls_context(config), name)
    try:
        yield _Asker(connection, address.path.rstrip("/"), config.token)
    finally:
        connection.close()


def _tls_context(config: Kubeconfig) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if config.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif config.authority is not None:
        context = ssl.create_default_context(cadata=config.authority.decode("ascii", "replace"))
    if config.certificate is not None and config.key is not None:
        # Python's ssl reads these from files only; the file is private and gone at once.
        with tempfile.NamedTemporaryFile(prefix="schedtui-", suffix=".pem") as pem:
            pem.write(config.certificate + b"\n" + config.key)
            pem.flush()
            context.load_cert_chain(pem.name)
    return context


def _questions(ask: _Asker, config: Kubeconfig, lease: tuple[str, str] | None) -> ServerAnswer:
    status, document = ask.get("/version")
    version = str(document.get("gitVersion") or "")
    # A plain "go build" leaves this placeholder; it says nothing about the release.
    release = "" if version.startswith("v0.") else version
    if not version and status not in (401, 403):
        return ServerAnswer(
            f"{config.server} is no API server: it answers /version with status {status}",
            f"Check 'server:' in {config.path}.",
        )
    if not config.credential_command:
        # What a credential plugin would give is not asked for here: it may open a browser.
        status, document = ask.get("/api/v1/nodes?limit=1")
        problem = _credential_problem(status, document, config)
        if problem is not None:
            return ServerAnswer(*problem, release=release)
    held = _read_lease(ask, lease) if lease is not None and not config.credential_command else None
    return ServerAnswer(release=release, lease=held)


def _credential_problem(status: int, document: dict[str, Any], config: Kubeconfig) -> tuple[str, str] | None:
    if status == 401:
        return (
            f"{config.server} does not accept the credentials of the context {config.context}",
            "Fetch the kubeconfig again: its token or certificate is not (or no longer) known there.",
        )
    if status == 403:
        user = re.search(r'User "([^"]+)"', str(document.get("message") or ""))
        name = user[1] if user else "the user"
        return (
            f"RBAC: {name} may not list nodes, and a scheduler must",
            "kubectl create clusterrolebinding schedtui-scheduler --clusterrole=system:kube-scheduler"
            f" --user={name}",
        )
    return None


def _read_lease(ask: _Asker, lease: tuple[str, str]) -> Lease | None:
    namespace, name = lease
    status, document = ask.get(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}")
    if status == 404:
        return Lease()
    inner = document.get("spec")
    if status != 200 or not isinstance(inner, dict):
        return None
    holder = str(inner.get("holderIdentity") or "")
    renewed = _time(str(inner.get("renewTime") or ""))
    seconds = inner.get("leaseDurationSeconds")
    duration = timedelta(seconds=seconds if isinstance(seconds, int) else 15)
    live = bool(holder) and renewed is not None and renewed + duration > datetime.now(UTC)
    return Lease(holder, live)


def _time(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _certificate_problem(error: ssl.SSLCertVerificationError, config: Kubeconfig) -> ServerAnswer:
    reason = error.verify_message or str(error.reason)
    if "expired" in reason or "not yet valid" in reason:
        advice = "Renew the API server's certificate, and look at this machine's clock: date -u"
    elif "match" in reason.lower():
        advice = (
            f"Use a name that the certificate holds as 'server:' in {config.path}, or set tls-server-name there."
        )
    else:
        advice = "The kubeconfig belongs to another cluster, or the cluster was made anew: fetch it again."
    return ServerAnswer(f"the certificate of {config.server} is not good: {reason}", advice)
