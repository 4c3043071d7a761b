"""The running scheduler's own port: its verbosity and its metrics.

Owns the two requests that schedtui makes there and where the credentials for them come from. The port is on
loopback and its certificate is made by the scheduler itself at each start, so it is not verified; no other host is
spoken to.
"""

from __future__ import annotations

import base64
import binascii
import http.client
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from schedtui.config.files import private_directory, write_private
from schedtui.core.errors import ClusterUnreachable, UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def credentials_from_kubeconfig(kubeconfig: Path, private: Path) -> EndpointCredentials:
    """The current user's token or client certificate.

    Args:
        kubeconfig: The file.
        private: A 0700 directory where inline certificates are written (Python's TLS reads files only).

    Raises:
        UnreadableInput: The file cannot be read, or is no kubeconfig.
    """
    try:
        document = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UnreadableInput("cannot read the kubeconfig", where=f"{kubeconfig}: {error}") from error
    if not isinstance(document, dict):
        raise UnreadableInput("this is no kubeconfig", where=str(kubeconfig))
    user = _current_user(document)
    if user.get("token"):
        return EndpointCredentials(token=str(user["token"]))
    if user.get("tokenFile"):
        try:
            return EndpointCredentials(token=_beside(kubeconfig, user["tokenFile"]).read_text().strip())
        except OSError as error:
            raise UnreadableInput("cannot read the token file", where=str(user["tokenFile"])) from error
    certificate = _material(user, "client-certificate", kubeconfig, private)
    key = _material(user, "client-key", kubeconfig, private)
    return EndpointCredentials(certificate_file=certificate, key_file=key)


def _current_user(document: dict[str, Any]) -> dict[str, Any]:
    def named(kind: str, name: object) -> dict[str, Any]:
        entries = document.get(kind + "s")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("name") == name:
                value = entry.get(kind)
                return value if isinstance(value, dict) else {}
        return {}

    context = named("context", document.get("current-context"))
    return named("user", context.get("user"))


def _beside(kubeconfig: Path, name: object) -> Path:
    path = Path(str(name))
    return path if path.is_absolute() else kubeconfig.parent / path


def _material(user: dict[str, Any], key: str, kubeconfig: Path, private: Path) -> str:
    inline = user.get(f"{key}-data")
    if inline:
        try:
            content = base64.b64decode(str(inline), validate=False)
        except (binascii.Error, ValueError) as error:
            raise UnreadableInput(f"{key}-data is not base64", where=str(kubeconfig)) from error
        target = private_directory(private) / f"{key}.pem"
        write_private(target, content)
        return str(target)
    return str(_beside(kubeconfig, user[key])) if user.get(key) else ""
