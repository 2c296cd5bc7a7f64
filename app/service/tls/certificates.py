"""The certificates of one installation, on disk and in the server's context."""

import ssl
from collections.abc import Collection
from pathlib import Path

import structlog

from app.disk.private_files import private_folder, write_private
from app.service.clock import Clock
from app.service.tls.authority import (
    LEAF_LIFETIME,
    LOOPBACK_NAMES,
    Identity,
    has_begun,
    issue,
    make_authority,
    not_over,
    serves,
)

_log = structlog.get_logger(__name__)

_UNSPECIFIED = frozenset({"0.0.0.0", "::", ""})  # noqa: S104  addresses to listen on that aren't host names


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
