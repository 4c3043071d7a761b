"""A kubeconfig file: what it points to, and why it would not work.

Owns parsing and the checks that need no network: kind, context, cluster, user, files, certificate dates. Talking
to the server belongs to ``api_probe``. Secrets are kept out of every message.
"""

from __future__ import annotations

import base64
import binascii
import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from cryptography import x509

from schedtui.config.directories import home
from schedtui.config.yaml_files import yaml_document
from schedtui.toolchain.scheduler_config import yaml_place

if TYPE_CHECKING:
    from collections.abc import Mapping

SOON_DAYS = 3
"""A certificate that ends within so many days is worth a word."""


@dataclass(frozen=True, slots=True)
class Kubeconfig:
    """What the current context of a kubeconfig says."""

    path: Path
    problem: str = ""
    """Why a scheduler could not use it; empty when it can."""
    advice: str = ""
    note: str = ""
    """What is worth knowing though it works."""
    context: str = ""
    server: str = ""
    """``https://host:port``."""
    tls_server_name: str = ""
    insecure: bool = False
    """The server's certificate is not looked at."""
    authority: bytes | None = None
    """PEM of the certificate authority; None: the system's."""
    certificate: bytes | None = None
    """PEM of the client certificate."""
    key: bytes | None = None
    """PEM of its key. Secret."""
    token: str = ""
    """Bearer token. Secret."""
    credential_command: str = ""
    """A credential plugin's program, when one gives the credentials."""


class _Unusable(Exception):
    """Carries a problem and its advice out of the depths of the file."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.advice = advice


def default_kubeconfig(environment: Mapping[str, str] | None = None) -> Path | None:
    """The kubeconfig that is used when none is named: the first of ``$KUBECONFIG``, else ``~/.kube/config``.

    None when there is neither. A ``$KUBECONFIG`` that names a missing file is returned: that is a mistake to tell.
    """
    variables = os.environ if environment is None else environment
    named = [Path(part) for part in variables.get("KUBECONFIG", "").split(os.pathsep) if part]
    if named:
        return next((path for path in named if path.exists()), named[0])
    usual = Path(variables.get("HOME") or str(home())) / ".kube" / "config"
    return usual if usual.exists() else None


def read_kubeconfig(path: Path, now: datetime | None = None) -> Kubeconfig:
    """Read and check a kubeconfig; problems are values, nothing is raised."""
    try:
        document = _document(path)
        return _current(path, document, now or datetime.now(UTC))
    except _Unusable as unusable:
        return Kubeconfig(path, problem=unusable.problem, advice=unusable.advice)


def _document(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _Unusable(
            f"there is no {path}", "Name another with --kubeconfig, or start 'schedtui lab'."
        ) from None
    except OSError as error:
        raise _Unusable(
            f"cannot read {path}: {error.strerror}",
            f"Make a copy of your own: sudo install -m 600 -o $USER {path} ~/kubeconfig",
        ) from None
    except UnicodeDecodeError:
        raise _Unusable(f"{path} is not UTF-8 text", "Is it the right file?") from None
    try:
        document = yaml_document(text)
    except yaml.YAMLError as error:
        raise _Unusable(f"{path} is not valid YAML: {yaml_place(error)}", "Correct that line.") from None
    if document is None:
        raise _Unusable(f"{path} is empty", "Fetch it from the cluster again.")
    if not isinstance(document, dict):
        raise _Unusable(f"{path} is not a YAML object", "It must have apiVersion: v1, kind: Config.")
    kind = document.get("kind", "Config")
    if kind == "KubeSchedulerConfiguration":
        raise _Unusable(f"{path} is a scheduler configuration, not a kubeconfig", f"Give it with --config {path}")
    if kind != "Config":
        raise _Unusable(f"{path} is a {kind}, not a kubeconfig", "A kubeconfig has apiVersion: v1, kind: Config.")
    return document


def _current(path: Path, document: dict[str, Any], now: datetime) -> Kubeconfig:
    names = [str(entry.get("name")) for entry in _entries(document, "contexts")]
    current = str(document.get("current-context") or "")
    known = f"It holds: {', '.join(names)}."
    choose = f"kubectl config use-context NAME --kubeconfig {path}"
    if not names:
        raise _Unusable(f"{path} names no cluster: it holds no context at all", "Name another with --kubeconfig.")
    if not current:
        raise _Unusable(f"{path} has no current context. {known}", choose)
    context = _named(document, "contexts", "context", current)
    if context is None:
        raise _Unusable(f"{path} names the context {current}, which it does not hold. {known}", choose)
    cluster_name, user_name = str(context.get("cluster") or ""), str(context.get("user") or "")
    cluster = _named(document, "clusters", "cluster", cluster_name)
    if cluster is None:
        raise _Unusable(f"the context {current} names the cluster {cluster_name!r}, which is not there", choose)
    server = str(cluster.get("server") or "")
    if not server:
        raise _Unusable(f"the cluster {cluster_name} has no server", f"Add 'server:' to it in {path}.")
    user = _named(document, "users", "user", user_name) if user_name else {}
    if user is None:
        raise _Unusable(f"the context {current} names the user {user_name!r}, which is not there", choose)
    base = path.parent
    certificate = _pem(base, user, "client-certificate", "the client certificate")
    authority = _pem(base, cluster, "certificate-authority", "the certificate authority")
    notes = []
    for what, pem in (("client certificate", certificate), ("certificate authority", authority)):
        if pem is not None:
            notes.append(_check_dates(what, pem, now))
    command = _credential_command(base, user)
    return Kubeconfig(
        path=path, context=current, server=server, tls_server_name=str(cluster.get("tls-server-name") or ""),
        insecure=bool(cluster.get("insecure-skip-tls-verify")), authority=authority, certificate=certificate,
        key=_pem(base, user, "client-key", "the client key"), token=_token(base, user), credential_command=command,
        note=" ".join(note for note in notes if note),
    )  # fmt: skip


def _entries(document: dict[str, Any], plural: str) -> list[dict[str, Any]]:
    entries = document.get(plural)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _named(document: dict[str, Any], plural: str, singular: str, name: str) -> dict[str, Any] | None:
    for entry in _entries(document, plural):
        if entry.get("name") == name:
            inner = entry.get(singular)
            return inner if isinstance(inner, dict) else {}
    return None


def _pem(base: Path, table: dict[str, Any], key: str, what: str) -> bytes | None:
    """The bytes of ``key-data`` (base64) or of the file that ``key`` names, relative to the kubeconfig."""
    data = table.get(f"{key}-data")
    if data:
        try:
            return base64.b64decode(str(data), validate=True)
        except (binascii.Error, ValueError):
            raise _Unusable(f"{what} ({key}-data) is not base64", "Fetch the kubeconfig again.") from None
    named = table.get(key)
    if not named:
        return None
    path = base / str(named)
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name, which no file has.
        raise _Unusable(
            f"{what} {path} cannot be read: {getattr(error, 'strerror', error)}",
            "Paths in a kubeconfig are relative to its own directory; copy the file there.",
        ) from None


def _check_dates(what: str, pem: bytes, now: datetime) -> str:
    """Refuse certificates out of their time; a note when the end is near."""
    try:
        certificates = x509.load_pem_x509_certificates(pem)
    except ValueError:
        raise _Unusable(f"the {what} is not a PEM certificate", "Fetch the kubeconfig again.") from None
    first = certificates[0]
    starts, ends = first.not_valid_before_utc, first.not_valid_after_utc
    renew = "Renew it where it was made (kubeadm: kubeadm certs renew all), or fetch the kubeconfig again."
    if now > ends:
        raise _Unusable(f"the {what} expired on {ends:%Y-%m-%d %H:%M} UTC", renew)
    if now < starts:
        raise _Unusable(
            f"the {what} is valid only from {starts:%Y-%m-%d %H:%M} UTC on",
            "Is this machine's clock right? date -u",
        )
    return f"The {what} expires on {ends:%Y-%m-%d %H:%M} UTC." if (ends - now).days < SOON_DAYS else ""


def _token(base: Path, user: dict[str, Any]) -> str:
    named = user.get("tokenFile")
    if not named:
        return str(user.get("token") or "")
    path = base / str(named)
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text"
        raise _Unusable(f"the token file {path} cannot be read: {reason}", "Fetch the kubeconfig again.") from None


def _credential_command(base: Path, user: dict[str, Any]) -> str:
    plugin = user.get("exec")
    command = str(plugin.get("command") or "") if isinstance(plugin, dict) else ""
    if not command:
        return ""
    # Like client-go: a name with a slash is relative to the kubeconfig, one without is looked up in PATH.
    found = shutil.which(str(base / command)) if "/" in command else shutil.which(command)
    if found is None:
        raise _Unusable(
            f"the credential plugin {command} of the kubeconfig is not installed",
            f"Install {command}, or mend PATH.",
        )
    return command
