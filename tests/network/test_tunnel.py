"""Requests to a proxy, its responses, and the results."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.network import Fault, Proxy, ProxyError, Scheme, Way, connected
from app.network.tunnel import open_tunnel
from tests.network.small_proxy import PASSWORD, USER, SmallProxy, running
from tests.service.outbound.network import certificates

HOST = "echo.example"


@contextlib.asynccontextmanager
async def echo() -> AsyncIterator[int]:
    """Echo in capitals until the other side closes; yields the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(64 * 1024):
            writer.write(data.upper())
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _said_back(way: Way, words: bytes) -> bytes:
    line = await connected(way, HOST, 7)
    reader, writer = await asyncio.open_connection(sock=line)
    writer.write(words)
    await writer.drain()
    answer = await reader.readexactly(len(words))
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("wants", [None, (USER, PASSWORD)])
async def test_every_kind_of_proxy_leads_on(
    scheme: Scheme, wants: tuple[str, str] | None, tmp_path: Path
) -> None:
    context, authority = certificates(tmp_path, "127.0.0.1")
    inside = context if scheme is Scheme.HTTPS else None
    words = b"hello " * 40_000
    async with echo() as port, running(SmallProxy(scheme, {f"{HOST}:7": port}, wants), inside) as proxy:
        way = proxy.way(trust=ssl.create_default_context(cafile=str(authority)))
        assert await _said_back(way, words) == words.upper()
        await asyncio.sleep(0.05)  # until both sides have closed

    assert proxy.connections == 1
    assert proxy.asked == [f"{HOST}:7"]
    assert bytes(proxy.carried) == words


@pytest.mark.parametrize("scheme", [Scheme.HTTP, Scheme.SOCKS5])
@pytest.mark.parametrize(("user", "password"), [("", ""), (USER, "wrong"), ("else", PASSWORD)])
async def test_a_wrong_password_is_told_from_all_else(scheme: Scheme, user: str, password: str) -> None:
    async with running(SmallProxy(scheme, wants=(USER, PASSWORD))) as proxy:
        told = await _fault(Proxy.typed(proxy.address, user, password))

    assert told.fault is Fault.REFUSED
    assert not proxy.asked
    assert PASSWORD not in str(told)


async def test_a_proxy_that_wants_ntlm_is_told_from_a_wrong_password() -> None:
    async with running(SmallProxy(wants=(USER, PASSWORD), sign_in="NTLM")) as proxy:
        told = await _fault(Proxy.typed(proxy.address))

    assert (told.fault, told.said) == (Fault.SIGN_IN_UNKNOWN, "407")


@pytest.mark.parametrize(
    ("scheme", "refuses", "fault"),
    [
        (Scheme.HTTP, 0, Fault.NOT_BEHIND),
        (Scheme.HTTP, 504, Fault.NOT_BEHIND),
        (Scheme.HTTP, 403, Fault.FORBIDDEN),
        (Scheme.HTTP, 302, Fault.FORBIDDEN),
        (Scheme.SOCKS5, 0, Fault.NOT_BEHIND),
        (Scheme.SOCKS5, 2, Fault.FORBIDDEN),
    ],
)
async def test_a_refusal_says_whose_it_is(scheme: Scheme, refuses: int, fault: Fault) -> None:
    async with running(SmallProxy(scheme, refuses=refuses)) as proxy:
        assert (await _fault(proxy.proxy)).fault is fault


@pytest.mark.parametrize("scheme", [Scheme.HTTP, Scheme.SOCKS5])
@pytest.mark.parametrize(
    "said", [b"220 mail.example ESMTP\r\n", b"\x15\x03\x01\x00\x02", b"HTTP/1.1 200\r\n"]
)
async def test_what_is_no_proxy_is_called_so(scheme: Scheme, said: bytes) -> None:
    async with running(SmallProxy(scheme, said=said)) as proxy:
        assert (await _fault(proxy.proxy)).fault is Fault.NO_PROXY


async def test_a_proxy_that_speaks_first_is_not_believed() -> None:
    async with running(SmallProxy(said=b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\nfalse")) as proxy:
        assert (await _fault(proxy.proxy)).fault is Fault.NO_PROXY


async def test_nobody_there_is_told_from_all_else() -> None:
    async with running(SmallProxy()) as proxy:
        gone = proxy.proxy
    assert (await _fault(gone)).fault is Fault.UNREACHED


async def test_a_proxy_inside_of_tls_must_have_a_trusted_certificate(tmp_path: Path) -> None:
    context, _ = certificates(tmp_path, "127.0.0.1")
    async with running(SmallProxy(Scheme.HTTPS), context) as proxy:
        assert (await _fault(proxy.proxy)).fault is Fault.UNTRUSTED


async def _fault(proxy: Proxy) -> ProxyError:
    with pytest.raises(ProxyError) as caught:
        await open_tunnel(proxy, HOST, 7)
    return caught.value
