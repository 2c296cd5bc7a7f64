"""Connecting through a SOCKS 5 proxy: RFC 1928, with credentials by RFC 1929."""

from ipaddress import ip_address
from typing import Final

from app.network.errors import Fault, ProxyError
from app.network.lines import Line, exactly
from app.network.proxy import Proxy

_VERSION: Final = 5
_OPEN, _BY_PASSWORD, _NONE = 0, 2, 0xFF
_CONNECT: Final = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_RULES: Final = 2
_NOT_BEHIND: Final = frozenset({1, 3, 4, 5, 6})
_LONGEST: Final = 255


async def ask(line: Line, proxy: Proxy, host: str, port: int) -> None:
    """Connect the line to the host. Raises ProxyError, or OSError if the connection breaks."""
    await _sign_in(line, proxy)
    await line.send(bytes((_VERSION, _CONNECT, 0)) + _place(host) + port.to_bytes(2, "big"))
    version, reply, _, kind = await exactly(line, 4)
    if version != _VERSION:
        raise ProxyError(Fault.NO_PROXY)
    if reply:
        faults = {_RULES: Fault.FORBIDDEN} | dict.fromkeys(_NOT_BEHIND, Fault.NOT_BEHIND)
        raise ProxyError(faults.get(reply, Fault.FORBIDDEN), f"SOCKS {reply}")
    sizes = {_IPV4: 4, _IPV6: 16}
    size = sizes[kind] if kind in sizes else (await exactly(line, 1))[0]
    await exactly(line, size + 2)  # the proxy's own address and port


async def _sign_in(line: Line, proxy: Proxy) -> None:
    ways = bytes((_OPEN, _BY_PASSWORD)) if proxy.user else bytes((_OPEN,))
    await line.send(bytes((_VERSION, len(ways))) + ways)
    version, way = await exactly(line, 2)
    if version != _VERSION or way not in (*ways, _NONE):
        raise ProxyError(Fault.NO_PROXY)
    if way == _NONE:
        raise ProxyError(Fault.REFUSED)
    if way == _BY_PASSWORD:
        await line.send(b"\x01" + _counted(proxy.user) + _counted(proxy.password))
        if (await exactly(line, 2))[1] != 0:
            raise ProxyError(Fault.REFUSED)


def _place(host: str) -> bytes:
    try:
        address = ip_address(host)
    except ValueError:
        return bytes((_NAME,)) + _counted(host)
    return bytes((_IPV4 if address.version == 4 else _IPV6,)) + address.packed


def _counted(text: str) -> bytes:
    data = text.encode()
    if len(data) > _LONGEST:
        raise ProxyError(Fault.REFUSED)
    return bytes((len(data),)) + data
