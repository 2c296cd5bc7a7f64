"""TLS on loopback: a certificate authority per installation, which clients pin, and its certificate."""

import ssl
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Self

import structlog
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from app.disk import private_folder, write_private
from app.service.clock import Clock

AUTHORITY_LIFETIME: Final = timedelta(days=3650)
LEAF_LIFETIME: Final = timedelta(days=397)
RENEW_BEFORE: Final = timedelta(days=30)
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_CLOCK_SKEW = timedelta(hours=1)

_log = structlog.get_logger(__name__)

_UNSPECIFIED = frozenset({"0.0.0.0", "::", ""})  # noqa: S104  addresses to listen on that aren't host names


@dataclass(frozen=True)
class Identity:
    """A certificate and its private key. ``repr`` hides the key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def __repr__(self) -> str:
        return f"Identity({self.certificate.subject.rfc4514_string()})"

    @classmethod
    def from_pem(cls, certificate: bytes, key: bytes) -> Self:
        """Load both. Raises ValueError if either isn't valid PEM, or they don't match."""
        loaded = serialization.load_pem_private_key(key, password=None)
        identity = x509.load_pem_x509_certificate(certificate)
        if not isinstance(loaded, ec.EllipticCurvePrivateKey) or identity.public_key() != loaded.public_key():
            raise ValueError("the key doesn't match the certificate")
        return cls(identity, loaded)

    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def key_pem(self) -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )


def make_authority(now: datetime) -> Identity:
    """Create a certificate authority for one installation."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("Kalends local authority")
    certificate = (
        _builder(name, name, key, now, AUTHORITY_LIFETIME)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Identity(certificate, key)


def issue(authority: Identity, names: Collection[str], now: datetime) -> Identity:
    """Issue a server certificate for host names and addresses."""
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = authority.certificate
    certificate = (
        _builder(_name("Kalends service"), issuer.subject, key, now, LEAF_LIFETIME)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.SubjectAlternativeName([_general_name(one) for one in sorted(names)]), critical=False
        )
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), critical=False
        )
        .sign(authority.key, hashes.SHA256())
    )
    return Identity(certificate, key)


def serves(leaf: Identity, authority: Identity, names: Collection[str], now: datetime) -> bool:
    """Whether a certificate is signed by the authority, covers all names, and is valid for long enough."""
    try:
        leaf.certificate.verify_directly_issued_by(authority.certificate)
    except Exception:  # noqa: BLE001  replace it, whatever the problem
        return False
    covered = leaf.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    wanted = {_general_name(name) for name in names}
    return wanted <= set(covered) and has_begun(leaf, now) and not_over(leaf, now + RENEW_BEFORE)


def has_begun(identity: Identity, now: datetime) -> bool:
    """Whether it's already valid; one created while the clock was ahead isn't."""
    return identity.certificate.not_valid_before_utc <= now


def not_over(identity: Identity, moment: datetime) -> bool:
    """Whether it's still valid at a moment."""
    return identity.certificate.not_valid_after_utc > moment


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    now: datetime,
    lifetime: timedelta,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + lifetime)
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class Certificates:
    """Stores an authority and a server certificate in ``folder``; creates and renews them when needed."""

    def __init__(self, folder: Path, host: str, clock: Clock) -> None:
        """``host`` is the address to listen on. The certificate also covers the loopback names."""
        self._folder = folder
        self._names: Collection[str] = {*LOOPBACK_NAMES, host} - _UNSPECIFIED
        self._clock = clock

    @property
    def authority_file(self) -> Path:
        """The certificate that clients pin, as PEM."""
        return self._folder / "ca.pem"

    @property
    def _server_files(self) -> tuple[Path, Path]:
        return self._folder / "server.pem", self._folder / "server.key"

    def context(self) -> ssl.SSLContext:
        """Return a server context with TLS 1.2 or later and a valid certificate. Blocking. Raises OSError."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        self.renew(context)
        return context

    def renew(self, context: ssl.SSLContext) -> None:
        """Create or renew certificates; new connections use them immediately. Blocking. Raises OSError."""
        private_folder(self._folder)
        authority = self._authority()
        certificate_file, key_file = self._server_files
        leaf = _load(certificate_file, key_file)
        if leaf is None or not serves(leaf, authority, self._names, self._clock()):
            leaf = issue(authority, self._names, self._clock())
            _store(leaf, certificate_file, key_file)
            _log.info("made a server certificate", until=leaf.certificate.not_valid_after_utc.isoformat())
        context.load_cert_chain(certificate_file, key_file)

    def ends(self) -> datetime | None:
        """Return when the stored server certificate ends; None if there is none. Blocking. Raises OSError."""
        leaf = _load(*self._server_files)
        return leaf.certificate.not_valid_after_utc if leaf else None

    def _authority(self) -> Identity:
        key_file = self._folder / "ca.key"
        authority = _load(self.authority_file, key_file)
        now = self._clock()
        if authority is None or not (has_begun(authority, now) and not_over(authority, now + LEAF_LIFETIME)):
            authority = make_authority(now)
            _store(authority, self.authority_file, key_file)
            _log.info("made a certificate authority", file=str(self.authority_file))
        return authority


def _load(certificate_file: Path, key_file: Path) -> Identity | None:
    try:
        return Identity.from_pem(certificate_file.read_bytes(), key_file.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _store(identity: Identity, certificate_file: Path, key_file: Path) -> None:
    write_private(key_file, identity.key_pem())
    write_private(certificate_file, identity.certificate_pem())
