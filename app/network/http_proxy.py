"""Connecting through an HTTP proxy: CONNECT, RFC 9110 section 9.3.6."""

from base64 import b64encode
from typing import Final

import h11

from app.network.errors import Fault, ProxyError
from app.network.lines import Line
from app.network.proxy import Proxy

_FAULTS: Final = {502: Fault.NOT_BEHIND, 503: Fault.NOT_BEHIND, 504: Fault.NOT_BEHIND}
_SIGN_IN: Final = 407


async def ask(line: Line, proxy: Proxy, host: str, port: int) -> None:
    """Connect the line to the host. Raises ProxyError, or OSError if the connection breaks."""
    http = h11.Connection(h11.CLIENT)
    try:
        await line.send(_request(http, proxy, host, port))
        answer = await _answer(http, line)
    except h11.ProtocolError:
        raise ProxyError(Fault.NO_PROXY) from None
    if 200 <= answer.status_code < 300:
        if http.trailing_data[0]:  # the destination must not send anything first
            raise ProxyError(Fault.NO_PROXY)
        return
    raise ProxyError(_fault(answer), str(answer.status_code))


def _request(http: h11.Connection, proxy: Proxy, host: str, port: int) -> bytes:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    headers = [("Host", place), ("User-Agent", "Kalends")]
    if proxy.user:
        known = b64encode(f"{proxy.user}:{proxy.password}".encode()).decode()
        headers.append(("Proxy-Authorization", f"Basic {known}"))
    request = http.send(h11.Request(method="CONNECT", target=place, headers=headers)) or b""
    return request + (http.send(h11.EndOfMessage()) or b"")


async def _answer(http: h11.Connection, line: Line) -> h11.Response:
    while True:
        event = http.next_event()
        if isinstance(event, h11.Response):
            return event
        if event is h11.NEED_DATA:
            http.receive_data(await line.receive())


def _fault(answer: h11.Response) -> Fault:
    if answer.status_code != _SIGN_IN:
        return _FAULTS.get(answer.status_code, Fault.FORBIDDEN)
    ways = [value.lower().split(b" ")[0] for name, value in answer.headers if name == b"proxy-authenticate"]
    return Fault.SIGN_IN_UNKNOWN if ways and b"basic" not in ways else Fault.REFUSED
