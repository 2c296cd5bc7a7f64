"""A proxy's response byte by byte: nothing is lost, and nothing mistaken for the destination's data."""

import pytest

from app.network import Fault, ProxyError, tunnel
from app.network.proxy import Proxy

CONNECTED = b"HTTP/1.1 200 OK\r\nVia: office\r\n\r\n"
SIGNED_IN = bytes((5, 2, 1, 0))
REACHED = bytes((5, 0, 0, 1)) + bytes(6)


class ByteLine:
    """A connection that delivers one byte at a time."""

    def __init__(self, answers: bytes) -> None:
        self._left = list(answers)

    @property
    def left(self) -> bytes:
        return bytes(self._left)

    async def send(self, data: bytes) -> None:
        """Accept everything."""

    async def receive(self, most: int = 1) -> bytes:
        """Return the next byte. Raises ProxyError after the last one."""
        if not self._left or most < 1:
            raise ProxyError(Fault.NO_PROXY)
        return bytes((self._left.pop(0),))


async def test_an_answer_over_http_is_read_to_its_end_and_no_further() -> None:
    line = ByteLine(CONNECTED + b"220 host")
    await tunnel.connect_by_http(line, Proxy.typed("http://proxy:8080"), "host.example", 25)
    assert line.left == b"220 host"


async def test_an_answer_over_socks_is_read_to_its_end_and_no_further() -> None:
    line = ByteLine(SIGNED_IN + REACHED + b"220 host")
    await tunnel.connect_by_socks(line, Proxy.typed("socks5://proxy:1080", "ada", "wörd"), "host.example", 25)
    assert line.left == b"220 host"


@pytest.mark.parametrize("length", range(len(CONNECTED)))
async def test_half_an_answer_over_http_is_none(length: int) -> None:
    with pytest.raises(ProxyError) as told:
        await tunnel.connect_by_http(
            ByteLine(CONNECTED[:length]), Proxy.typed("http://proxy:8080"), "host", 25
        )
    assert told.value.fault is Fault.NO_PROXY


@pytest.mark.parametrize("length", range(len(SIGNED_IN + REACHED)))
async def test_half_an_answer_over_socks_is_none(length: int) -> None:
    proxy = Proxy.typed("socks5://proxy:1080", "ada", "wörd")
    with pytest.raises(ProxyError) as told:
        await tunnel.connect_by_socks(ByteLine((SIGNED_IN + REACHED)[:length]), proxy, "host", 25)
    assert told.value.fault is Fault.NO_PROXY
