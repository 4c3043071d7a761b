"""The running scheduler's own port: its verbosity and its metrics.

Owns the two requests that schedtui makes there and where the credentials for them come from. The port is on
loopback and its certificate is made by the scheduler itself at each start, so it is not verified; no other host is
spoken to.
"""

from __future__ import annotations

import http.client
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.config.files import private_directory, write_private
from schedtui.core.errors import ClusterUnreachable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from schedtui.toolchain.kubeconfig import Kubeconfig

TIMEOUT_SECONDS = 3.0
"""How long the scheduler may take to answer; a stopped one never does."""

DEFAULT_PORT = 10259
"""kube-scheduler's secure port when no ``--secure-port`` is given."""


@dataclass(frozen=True, slots=True)
class EndpointCredentials:
    """Who asks: a bearer token, or a client certificate."""

    token: str = ""
    certificate_file: str = ""
    key_file: str = ""


@dataclass(frozen=True, slots=True)
class SchedulerEndpoint:
    """One scheduler's secure port on loopback."""

    port: int
    credentials: EndpointCredentials

    def set_verbosity(self, v: int) -> str:
        """Set klog's verbosity of the running scheduler; returns its answer.

        Raises:
            ClusterUnreachable: It does not answer, or refuses.
        """
        return self._ask("PUT", "/debug/flags/v", str(v)).strip()

    def metrics(self) -> str:
        """The metrics as text.

        Raises:
            ClusterUnreachable: It does not answer, or refuses.
        """
        return self._ask("GET", "/metrics")

    def pending_pods(self) -> Mapping[str, int]:
        """``scheduler_pending_pods`` by queue: ``active``, ``backoff``, ``unschedulable``, ``gated``.

        Raises:
            ClusterUnreachable: It does not answer, or refuses.
        """
        return parse_pending_pods(self.metrics())

    def _ask(self, method: str, path: str, body: str | None = None) -> str:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        if self.credentials.certificate_file:
            context.load_cert_chain(self.credentials.certificate_file, self.credentials.key_file or None)
        headers = {"Authorization": f"Bearer {self.credentials.token}"} if self.credentials.token else {}
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS, context=context)
        where = f"https://127.0.0.1:{self.port}{path}"
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise ClusterUnreachable(
                f"the scheduler does not answer ({error or type(error).__name__})", where=where,
                hint="It answers only while it runs: continue it with c.",
            ) from error  # fmt: skip
        finally:
            connection.close()
        if answer.status >= 300:
            raise ClusterUnreachable(
                f"the scheduler refused ({answer.status})", where=where, details=tuple(text.splitlines()[:3]),
                hint="The user of the kubeconfig needs the right to this path, or the scheduler was started"
                " without --authorization-kubeconfig.",
            )  # fmt: skip
        return text


def parse_pending_pods(metrics: str) -> dict[str, int]:
    """``scheduler_pending_pods{queue="active"} 3`` lines as a table."""
    found: dict[str, int] = {}
    for line in metrics.splitlines():
        if line.startswith("scheduler_pending_pods{") and 'queue="' in line:
            queue = line.split('queue="', 1)[1].split('"', 1)[0]
            number = line.rsplit(" ", 1)[-1]
            try:
                found[queue] = int(float(number))
            except ValueError:
                continue
    return found


def credentials_of(kubeconfig: Kubeconfig, private: Path) -> EndpointCredentials:
    """What the current user of a kubeconfig shows.

    Args:
        kubeconfig: The file, read.
        private: A 0700 directory where a client certificate is written (Python's TLS reads files only).
    """
    if kubeconfig.token or kubeconfig.certificate is None or kubeconfig.key is None:
        return EndpointCredentials(token=kubeconfig.token)
    certificate, key = private_directory(private) / "client.crt", private / "client.key"
    write_private(certificate, kubeconfig.certificate)
    write_private(key, kubeconfig.key)
    return EndpointCredentials(certificate_file=str(certificate), key_file=str(key))
