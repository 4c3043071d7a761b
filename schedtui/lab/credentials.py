"""The lab's own certificate authority, keys, token and kubeconfig.

Owns what makes the lab private: everything is random, made anew for each lab, 0600 in a 0700 directory, and
valid for loopback only.
"""

from __future__ import annotations

import base64
import datetime
import ipaddress
import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from schedtui.config.files import private_directory, write_private

if TYPE_CHECKING:
    from pathlib import Path

VALID_DAYS = 3650
"""A lab that was left up for years should fail for another reason."""

ADMINISTRATOR = "schedtui-lab"
"""The one user of the lab, in the group that may do everything."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Where the files are, and the token itself."""

    authority: str
    """The authority's certificate, PEM."""
    authority_file: Path
    """The same, as a file."""
    server_certificate: Path
    server_key: Path
    service_account_key: Path
    token_file: Path
    token: str


def make_credentials(directory: Path) -> Credentials:
    """Make an authority, a server certificate, a service-account key and a token under ``directory``."""
    private_directory(directory)
    authority_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("schedtui lab authority", authority_key, None, None)
    server = _certificate("kube-apiserver", server_key, authority, authority_key)
    token = secrets.token_urlsafe(32)
    made = Credentials(
        authority=authority.public_bytes(serialization.Encoding.PEM).decode("ascii"),
        authority_file=directory / "authority.crt",
        server_certificate=directory / "apiserver.crt",
        server_key=directory / "apiserver.key",
        service_account_key=directory / "service-account.key",
        token_file=directory / "tokens.csv",
        token=token,
    )
    write_private(made.authority_file, made.authority.encode("ascii"))
    write_private(made.server_certificate, server.public_bytes(serialization.Encoding.PEM))
    write_private(made.server_key, _private(server_key))
    write_private(made.service_account_key, _private(ec.generate_private_key(ec.SECP256R1())))
    write_private(made.token_file, f'{token},{ADMINISTRATOR},{ADMINISTRATOR},"system:masters"\n'.encode())
    return made


def kubeconfig_text(name: str, url: str, authority: str, token: str) -> str:
    """A kubeconfig for kubectl and the scheduler; JSON, which every YAML reader takes."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": name,
                "cluster": {
                    "server": url,
                    "certificate-authority-data": base64.b64encode(authority.encode()).decode("ascii"),
                },
            }
        ],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": "default"}}],
        "current-context": name,
    }
    return json.dumps(document, indent=2) + "\n"


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The key in the form that kube-apiserver takes for service accounts ("EC PRIVATE KEY", not PKCS 8)."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def _certificate(
    common_name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Certificate | None,
    issuer_key: ec.EllipticCurvePrivateKey | None,
) -> x509.Certificate:
    """An authority's certificate when there is no issuer, else a server's for loopback."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    # A day early: containers' and guests' clocks are off now and then.
    start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer.subject if issuer else name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=VALID_DAYS))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key((issuer_key or key).public_key()), critical=False
        )
        .add_extension(_key_usage(signing=issuer is None), critical=True)
    )
    if issuer is not None:
        loopback = x509.SubjectAlternativeName(
            [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
        )
        builder = builder.add_extension(loopback, critical=False).add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
        )
    return builder.sign(issuer_key or key, hashes.SHA256())


def _key_usage(*, signing: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signing,
        crl_sign=signing,
        encipher_only=False,
        decipher_only=False,
    )
