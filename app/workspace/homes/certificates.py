"""Which certificates to trust: the system's authorities, our own authority, or one pinned certificate."""

import asyncio
import hashlib
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from app.language import tr
from app.network import Way, abort, connected
from app.workspace.homes.registry import Home
from app.workspace.messages import Problem

_PATIENCE_S = 10.0
_NO_CHECK_TIME = ssl.VerifyFlags(0x200000)
"""X509_V_FLAG_NO_CHECK_TIME of OpenSSL 1.1 and newer, for which Python has no name."""


@dataclass(frozen=True, slots=True)
class PresentedCertificate:
    """The certificate of a server; not trusted yet."""

    pem: str
    fingerprint: str  # SHA-256, as pairs of hexadecimal digits


def ssl_context(home: Home) -> ssl.SSLContext:
    """Return TLS rules for a home: its pinned certificate, or its authority, or the system's. Blocking."""
    if home.pinned_certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # the certificate itself is the trust anchor
        context.load_verify_locations(cadata=home.pinned_certificate)
        return context
    try:
        context = ssl.create_default_context(cafile=home.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise Problem(
            tr(
                "Couldn't read the certificate file {ca_file}. Check the path, or connect again.",
                ca_file=home.ca_file,
            ),
            details=str(error),
        ) from error
    if home.is_embedded:
        # Its authority is our own file, which is proof enough even if this computer's clock is wrong.
        context.verify_flags |= _NO_CHECK_TIME
    return context


def is_loopback(base_url: str) -> bool:
    """Whether a URL can only be this computer."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def presented_certificate(base_url: str, way: Way | None = None) -> PresentedCertificate:
    """Request a server's certificate without trusting it. Raises Problem if it doesn't respond."""
    parts = urlsplit(base_url)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        async with asyncio.timeout(_PATIENCE_S):
            host = parts.hostname or ""
            line = await connected(way or Way(), host, parts.port or 443)
            _, writer = await asyncio.open_connection(sock=line, ssl=context, server_hostname=host)
    except (OSError, TimeoutError) as error:
        raise Problem(
            tr(
                "No response from {base_url}. Check the address and whether the service is running.",
                base_url=base_url,
            ),
            details=str(error),
        ) from error
    der = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    abort(writer.transport)  # closing would wait up to 30 s for the server's end of TLS
    digest = hashlib.sha256(der).hexdigest().upper()
    pairs = ":".join(digest[i : i + 2] for i in range(0, len(digest), 2))
    return PresentedCertificate(pem=ssl.DER_cert_to_PEM_cert(der), fingerprint=pairs)
