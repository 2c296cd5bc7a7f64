"""Certificates: creating the authority and signing the service's certificate."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_LIFETIME: Final = timedelta(days=3650)
LEAF_LIFETIME: Final = timedelta(days=397)
RENEW_BEFORE: Final = timedelta(days=30)
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_CLOCK_SKEW = timedelta(hours=1)


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
            raise ValueError("the key does not belong to the certificate")
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
