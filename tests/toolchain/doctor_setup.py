"""A sane set-up for doctor, made of files, scripts and a small HTTPS server; tests break it in one place each."""

from __future__ import annotations

import functools
import json
import os
import shutil
import ssl
import stat
import subprocess
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from schedtui.toolchain.doctor import Subject
from schedtui.toolchain.doctor.model import TerminalFacts
from schedtui.toolchain.go import GoTool, find_go

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

RELEASE = "v1.36.3"

STAGING = ("api", "apimachinery", "apiserver", "client-go", "component-base", "klog/v2")


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def fake_go(path: Path, version: str, settings: dict[str, str]) -> None:
    """A program that answers 'go version' and 'go env -json' and nothing else."""
    answer = json.dumps(settings)
    says = f"echo 'go version {version} linux/amd64'"
    script(
        path,
        f"case $1 in\nversion) {says};;\nenv) echo '{answer}';;\n*) exit 2;;\nesac",
    )


def fake_dlv(path: Path, version: str) -> None:
    script(path, f"echo 'Delve Debugger'\necho 'Version: {version}'\necho 'Build: $Id$'")


def kubernetes_tree(root: Path) -> Path:
    """A directory shaped like a Kubernetes checkout, tagged in git, that builds without a network."""
    files = {
        "go.mod": "module k8s.io/kubernetes\n\ngo 1.24\n",
        "cmd/kube-scheduler/scheduler.go": "package main\n\nfunc main() { println(`I am here`) }\n",
        "pkg/scheduler/schedule_one.go": "package scheduler\n\nfunc ScheduleOne() {}\n",
    }
    for name in STAGING:
        files[f"staging/src/k8s.io/{name}/go.mod"] = f"module k8s.io/{name}\n"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Make it")
    git(root, "tag", RELEASE)
    return root


def git(root: Path, *words: str) -> None:
    environment = {
        **os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
    }  # fmt: skip
    program = shutil.which("git") or "git"
    subprocess.run([program, "-C", str(root), *words], check=True, env=environment, capture_output=True)


@functools.cache
def real_go() -> GoTool:
    """The machine's own Go; asked first before any set-up changes PATH."""
    return find_go()


def build_program(tree: Path, output: Path, *flags: str) -> None:
    go = real_go()
    environment = {**go.environment(), "GOFLAGS": "-buildvcs=false", "GOWORK": "off", "GOTOOLCHAIN": "local"}
    subprocess.run(
        [str(go.path), "build", *flags, "-o", str(output), "./cmd/kube-scheduler"],
        cwd=tree, env=environment, check=True, capture_output=True,
    )  # fmt: skip


@dataclass(frozen=True)
class Certificates:
    """PEM texts of a private authority, a server for 127.0.0.1 and clients."""

    authority: bytes
    server: bytes
    client: bytes
    client_key: bytes
    expired: bytes
    """A client certificate with the same key, out of date."""


def make_certificates() -> Certificates:
    now = datetime.now(UTC)
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("authority", authority_key, authority_key, "authority", now, authority=True)
    server_key, client_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    server = _certificate("server", server_key, authority_key, "authority", now)
    client = _certificate("dev", client_key, authority_key, "authority", now)
    expired = _certificate("dev", client_key, authority_key, "authority", now - timedelta(days=400))
    return Certificates(
        _pem(authority), _pem(server) + _key(server_key), _pem(client), _key(client_key), _pem(expired)
    )


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    issuer: str,
    start: datetime,
    *,
    authority: bool = False,
) -> x509.Certificate:
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start - timedelta(days=1))
        .not_valid_after(start + timedelta(days=365))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if authority:
        usage = x509.KeyUsage(
            digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
            key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
        )  # fmt: skip
        builder = builder.add_extension(usage, critical=True)
    return builder.sign(signer, hashes.SHA256())


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


@dataclass
class ApiServer:
    """Answers like an API server; tests change what it says."""

    certificates: Certificates
    directory: Path
    release: str = RELEASE
    status: int = 200
    """Of every request but /version."""
    lease: dict[str, Any] | None = None
    requests: list[str] = field(default_factory=list)
    address: str = ""

    def __post_init__(self) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.requests.append(self.path)
                status, document = outer.answer(self.path)
                body = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        pem = self.directory / "server.pem"
        pem.write_bytes(self.certificates.server)
        context.load_cert_chain(pem)
        context.load_verify_locations(cadata=self.certificates.authority.decode())
        context.verify_mode = ssl.CERT_OPTIONAL
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.address = f"https://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def answer(self, path: str) -> tuple[int, dict[str, Any]]:
        if path == "/version":
            return 200, {"gitVersion": self.release}
        if self.status != 200:
            return self.status, {"message": 'nodes is forbidden: User "bob" cannot list resource "nodes"'}
        if "/leases/" in path:
            return (404, {}) if self.lease is None else (200, {"spec": self.lease})
        return 200, {"items": []}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class SaneSetup:
    """Everything that doctor looks at, in order; ``subject()`` makes the set-up to check."""

    home: Path
    tree: Path
    binary: Path
    server: ApiServer
    certificates: Certificates
    port: int
    programs: Path
    """The same program built in other ways."""
    setenv: Callable[[str, str], None]
    options: dict[str, Any] = field(default_factory=dict)
    held: list[socket.socket] = field(default_factory=list)
    """Sockets that keep a port taken; closed with the set-up."""

    @property
    def bin(self) -> Path:
        return self.home / "go" / "bin"

    @property
    def kubeconfig(self) -> Path:
        return self.home / "kubeconfig"

    @property
    def config(self) -> Path:
        return self.home / "scheduler.yaml"

    @property
    def proc(self) -> Path:
        return self.home / "proc"

    def go_settings(self, **changes: str) -> dict[str, str]:
        return {
            "GOROOT": str(self.home / "goroot"), "GOPATH": str(self.home / "go"), "GOPROXY": "https://proxy.example",
            "GOFLAGS": "", "GOWORK": "", "GOCACHE": str(self.home / "cache"), "GOTOOLCHAIN": "auto",
            "GOMODCACHE": str(self.home / "go" / "pkg" / "mod"), "GO111MODULE": "", **changes,
        }  # fmt: skip

    def close(self) -> None:
        self.server.close()
        for taken in self.held:
            taken.close()

    def write_go(self, version: str = "go1.26.8", **changes: str) -> None:
        fake_go(self.bin / "go", version, self.go_settings(**changes))

    def write_kubeconfig(self, **changes: object) -> None:
        """Files beside it, as kubeadm writes them."""
        (self.home / "ca.crt").write_bytes(self.certificates.authority)
        certificate = changes.pop("certificate", self.certificates.client)
        assert isinstance(certificate, bytes)
        (self.home / "client.crt").write_bytes(certificate)
        (self.home / "client.key").write_bytes(self.certificates.client_key)
        document = {
            "apiVersion": "v1", "kind": "Config", "current-context": "dev",
            "contexts": [{"name": "dev", "context": {"cluster": "local", "user": "dev"}}],
            "clusters": [
                {"name": "local", "cluster": {"server": self.server.address, "certificate-authority": "ca.crt"}}
            ],
            "users": [{"name": "dev", "user": {"client-certificate": "client.crt", "client-key": "client.key"}}],
            **changes,
        }  # fmt: skip
        self.kubeconfig.write_text(yaml.safe_dump(document))

    def write_config(self, **changes: object) -> None:
        document = {
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": True}, "profiles": [{"schedulerName": "mine"}], **changes,
        }  # fmt: skip
        self.config.write_text(yaml.safe_dump(document))

    def write_process(self, pid: int | str, **fields: str) -> None:
        directory = self.proc / str(pid)
        directory.mkdir(parents=True, exist_ok=True)
        uid = os.geteuid()
        status = {"Name": "x", "TracerPid": "0", "Uid": f"{uid} {uid}", "CapEff": "0000000000000000", **fields}
        (directory / "status").write_text("".join(f"{name}:\t{value}\n" for name, value in status.items()))

    def write_yama(self, scope: int) -> None:
        file = self.proc / "sys" / "kernel" / "yama" / "ptrace_scope"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{scope}\n")

    def subject(self) -> Subject:
        options: dict[str, Any] = {
            "source": self.tree, "kubeconfig": self.kubeconfig, "config": self.config, "binary": self.binary,
            "port": self.port, "verbosity": 5, "proc": self.proc, "terminal": TerminalFacts(True, 120, 40),
            "free_bytes": lambda _: 100 * 10**9,
        }  # fmt: skip
        return Subject(**{**options, **self.options})


def make_sane(
    home: Path, programs: Path, certificates: Certificates, port: int, setenv: Callable[[str, str], None]
) -> SaneSetup:
    """Lay everything out below ``home`` and point the process's environment there."""
    # A copy: making it anew would start git four times for each test. Times are kept, so git finds it clean.
    tree = Path(shutil.copytree(programs / "sound", home / "kubernetes", symlinks=True))
    binary = home / "kube-scheduler"
    shutil.copy2(programs / "debug", binary)
    binary.chmod(stat.S_IRWXU)
    os.utime(binary)
    setup = SaneSetup(home, tree, binary, ApiServer(certificates, home), certificates, port, programs, setenv)
    (home / "goroot" / "bin").mkdir(parents=True)
    setup.write_go()
    fake_dlv(setup.bin / "dlv", "1.27.2")
    program = shutil.which("git")
    if program:
        (setup.bin / "git").symlink_to(program)
    setup.write_kubeconfig()
    setup.write_config()
    setup.write_yama(1)
    setup.write_process("self")
    for name, value in {
        "HOME": str(home), "PATH": str(setup.bin), "SCHEDTUI_CACHE": str(home / "schedtui-cache"),
        "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
    }.items():  # fmt: skip
        setenv(name, value)
    return setup
