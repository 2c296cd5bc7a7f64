"""Outgoing connections, direct or through a proxy.

Code that connects asks a ``Way`` for a connected socket, or uses the ``ProxiedConnector`` in
``app.network.connector``, which needs aiohttp.
"""

from app.network.proxy import (
    AddressFault,
    BadAddressError,
    BadExceptionError,
    Exceptions,
    Fault,
    PrivateAddressError,
    Proxy,
    ProxyError,
    ProxySettings,
    ProxyUse,
    Scheme,
    Way,
)
from app.network.tunnel import abort, connected

__all__ = [
    "AddressFault",
    "BadAddressError",
    "BadExceptionError",
    "Exceptions",
    "Fault",
    "PrivateAddressError",
    "Proxy",
    "ProxyError",
    "ProxySettings",
    "ProxyUse",
    "Scheme",
    "Way",
    "abort",
    "connected",
]
