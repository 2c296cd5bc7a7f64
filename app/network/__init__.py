"""The way out of this computer: straight, or through a proxy.

What connects to somewhere asks a ``Way`` and is given a connected socket, or uses the
``ProxiedConnector`` of ``app.network.connector``, which brings aiohttp with it.
"""

from app.network.errors import Fault, ProxyError
from app.network.exceptions import BadExceptionError, Exceptions
from app.network.proxy import AddressFault, BadAddressError, Proxy, Scheme
from app.network.sockets import abort, connected
from app.network.way import ProxySettings, ProxyUse, Way

__all__ = [
    "AddressFault",
    "BadAddressError",
    "BadExceptionError",
    "Exceptions",
    "Fault",
    "Proxy",
    "ProxyError",
    "ProxySettings",
    "ProxyUse",
    "Scheme",
    "Way",
    "abort",
    "connected",
]
