"""Tests a proxy with one real request."""

import asyncio
import ssl
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from app.client import CertificateRejected, ClientError, ProxyFailed, RetryPolicy, ServiceClient
from app.language import tr
from app.network import Proxy, ProxyError, Way
from app.workspace.homes.certificates import ssl_context
from app.workspace.homes.registry import Home
from app.workspace.network.words import FAULTS, words_of

_ABROAD: Final = "https://graph.facebook.com"
"""A platform's host that answers requests without credentials."""
_NO_KEY: Final = "none"
"""The page is requested without a key."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a test."""

    kind: Literal["info", "bad"]
    text: str


async def try_out(way: Way, home: Home | None) -> Trial:
    """Request a page of the home's service, or of a platform if the service is on this computer."""
    elsewhere = home is not None and not home.is_embedded
    base_url = home.base_url if home is not None and elsewhere else _ABROAD
    place = urlsplit(base_url).netloc
    try:
        proxy = await way.proxy_for(urlsplit(base_url).hostname or "", secure=True)
    except ProxyError as error:
        return Trial("bad", FAULTS[error.fault])
    trust = await asyncio.to_thread(ssl_context, home) if home is not None and elsewhere else None
    return await _asked(way, base_url, trust, place, proxy)


async def _asked(
    way: Way, base_url: str, trust: ssl.SSLContext | None, place: str, proxy: Proxy | None
) -> Trial:
    once = RetryPolicy(attempts=1)
    client = ServiceClient(base_url, _NO_KEY, ssl_context=trust, way=way, retries=once)
    try:
        await client.visit(f"{base_url}/")
    except ProxyFailed as error:
        return Trial("bad", words_of(error.fault, error.said))
    except CertificateRejected:
        return Trial(
            "bad",
            tr(
                "{place} presented a certificate this computer doesn't trust. The proxy "
                "may inspect traffic: ask its administrator for the certificate to install.",
                place=place,
            ),
        )
    except ClientError:
        return Trial("bad", _silent(place, proxy))
    finally:
        await client.close()
    return Trial("info", _reached(place, proxy))


def _silent(place: str, proxy: Proxy | None) -> str:
    if proxy is None:
        return tr("{place} didn't answer. Kalends connected directly, without a proxy.", place=place)
    return tr("The proxy works, but {place} didn't respond through it.", place=place)


def _reached(place: str, proxy: Proxy | None) -> str:
    if proxy is None:
        return tr("{place} responded directly, without a proxy.", place=place)
    return tr("{place} responded through the proxy {proxy}.", place=place, proxy=f"{proxy.host}:{proxy.port}")
