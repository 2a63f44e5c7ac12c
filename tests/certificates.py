"""Certificates for servers that tests run, and authorities that sign them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


def localhost_certificate(path: Path) -> Path:
    """Write a certificate for localhost that is its own authority, with its key, into one file."""
    key, name = _key(), _named("localhost")
    made = _begun(name, name, key).add_extension(_for("localhost"), critical=False).sign(key, hashes.SHA256())
    return _written(path, key, made)


@dataclass(frozen=True, slots=True)
class LocalAuthority:
    """An authority that nobody knows; `certificate` is the file by which it is trusted."""

    certificate: Path
    key: ec.EllipticCurvePrivateKey = field(repr=False)
    name: x509.Name

    def signed(self, path: Path, host: str, *, begins: timedelta = -DAY, ends: timedelta = DAY) -> Path:
        """Write a certificate for a host, with its key, into one file; its bounds are counted from now."""
        key = _key()
        made = _begun(_named(host), self.name, key, begins, ends).add_extension(_for(host), critical=False)
        return _written(path, key, made.sign(self.key, hashes.SHA256()))


def made_authority(path: Path) -> LocalAuthority:
    """Make an authority, and write its certificate into a file."""
    key, name = _key(), _named(f"An authority of the tests, {path.name}")
    bounds = x509.BasicConstraints(ca=True, path_length=None)
    made = _begun(name, name, key).add_extension(bounds, critical=True).sign(key, hashes.SHA256())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return LocalAuthority(path, key, name)


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _for(host: str) -> x509.SubjectAlternativeName:
    return x509.SubjectAlternativeName([x509.DNSName(host)])


def _begun(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    begins: timedelta = -DAY,
    ends: timedelta = DAY,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begins)
        .not_valid_after(now + ends)
    )


def _written(path: Path, key: ec.EllipticCurvePrivateKey, made: x509.Certificate) -> Path:
    pem = serialization.Encoding.PEM
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(pem, form, plain) + made.public_bytes(pem))
    return path
