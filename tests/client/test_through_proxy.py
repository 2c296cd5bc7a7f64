"""The client through a real proxy, with real TLS to the service behind it."""

import asyncio
import contextlib
import io
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.client import ProxyFailed, RetryPolicy, ServiceClient
from app.client.wire import Wire
from app.network import Fault, ProxySettings, ProxyUse, Scheme, Way
from tests.network.small_proxy import PASSWORD, USER, SmallProxy, running
from tests.service.outbound.network import certificates

HOST = "service.example"
BASE = f"https://{HOST}"
KEY = "stp_rest_" + "0" * 64
QUICK = RetryPolicy(attempts=3, wait_initial=0, wait_max=0, reconnect_max=0)
USAGE = {
    "plan": "local", "status": "active", "current_period_end": None, "period": "2026-11", "actions": {},
    "storage": {"used_bytes": 0, "cap_bytes": 1, "used_human": "0 B", "cap_human": "1 B"},
}  # fmt: skip
EVENT = "id: {}\nevent: reset\ndata: {{}}\n\n"


@dataclass
class Behind:
    """A service that's only reachable through the proxy; ``heard`` has its request lines and bodies."""

    trust: ssl.SSLContext
    port: int = 0
    heard: list[tuple[str, bytes]] = field(default_factory=list)
    streams: int = 0


@contextlib.asynccontextmanager
async def behind(folder: Path) -> AsyncIterator[Behind]:
    context, authority = certificates(folder, HOST)
    service = Behind(ssl.create_default_context(cafile=str(authority)))
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = [line for line in head.lower().split("\r\n") if line.startswith("content-length:")]
                if "100-continue" in head.lower():
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                body = await reader.readexactly(int(length[0].split(":")[1]) if length else 0)
                service.heard.append((head.partition("\r\n")[0], body))
                if "text/event-stream" in head:
                    service.streams += 1
                    first = EVENT.format(service.streams)
                    writer.write(
                        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + first.encode()
                    )
                else:
                    text = json.dumps(USAGE)
                    kind = "Content-Type: application/json"
                    writer.write(
                        f"HTTP/1.1 200 OK\r\n{kind}\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()
                    )
                await writer.drain()
        writer.transport.abort()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(serve(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.05)  # in which what TLS still has to say is over


def _client(service: Behind, way: Way) -> ServiceClient:
    return ServiceClient(BASE, KEY, ssl_context=service.trust, way=way, retries=QUICK)


@pytest.mark.parametrize("scheme", Scheme)
async def test_calls_and_files_go_through_it_and_it_sees_nothing_of_them(
    scheme: Scheme, tmp_path: Path
) -> None:
    film = tmp_path / "film.mp4"
    film.write_bytes(b"film" * 500_000)
    (tmp_path / "proxy").mkdir()

    context, authority = certificates(tmp_path / "proxy", "127.0.0.1")
    inside = context if scheme is Scheme.HTTPS else None
    trust = ssl.create_default_context(cafile=str(authority))
    async with behind(tmp_path) as service:
        places = {f"{HOST}:443": service.port}
        async with running(SmallProxy(scheme, places, (USER, PASSWORD)), inside) as proxy:
            client = _client(service, proxy.way(trust=trust))
            assert (await client.usage()).plan == "local"
            wire = Wire(BASE, KEY, ssl_context=service.trust, way=proxy.way(trust=trust))
            put = await wire.send_file(f"{BASE}/up", film, content_type="video/mp4")
            got = await wire.fetch(f"{BASE}/file", io.BytesIO(), 10_000)
            await client.close()
            await wire.close()

    assert (put.status, got.status) == (200, 200)
    assert set(proxy.asked) == {f"{HOST}:443"}
    assert [line.split(" ")[0] for line, _ in service.heard] == ["GET", "PUT", "GET"]
    assert service.heard[1][1] == film.read_bytes()
    assert KEY.encode() not in proxy.carried
    assert PASSWORD.encode() not in b"".join(body for _, body in service.heard)


async def test_the_stream_of_events_goes_another_way_when_one_is_chosen(tmp_path: Path) -> None:
    async with behind(tmp_path) as service:
        places = {f"{HOST}:443": service.port}
        async with (
            running(SmallProxy(places=places)) as first,
            running(SmallProxy(places=places)) as second,
        ):
            way = first.way()
            client = _client(service, way)
            async with aclosing(client.events()) as events:
                await anext(events)
                way.use(second.way().settings)
                client.go_another_way()
                await anext(events)
            await client.close()
    assert (first.connections, second.connections) == (1, 1)


@pytest.mark.parametrize(
    ("proxy", "password", "fault", "tries"),
    [
        (SmallProxy(wants=(USER, PASSWORD)), "a wrong one", Fault.REFUSED, 1),
        (SmallProxy(), "", Fault.NOT_BEHIND, 3),
        (SmallProxy(refuses=403), "", Fault.FORBIDDEN, 3),
    ],
)
def test_the_client_says_what_the_proxy_did(
    proxy: SmallProxy, password: str, fault: Fault, tries: int, tmp_path: Path
) -> None:
    async def run() -> ProxyFailed:
        async with behind(tmp_path) as service, running(proxy):
            client = _client(service, proxy.way(password))
            with pytest.raises(ProxyFailed) as caught:
                await client.usage()
            await client.close()
        assert not service.heard
        return caught.value

    before = proxy.connections
    error = asyncio.run(run())

    assert error.fault is fault
    assert proxy.connections - before == tries
    assert "wrong" not in str(error)


async def test_files_say_what_the_proxy_did(tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    film.write_bytes(b"film")

    async with behind(tmp_path) as service, running(SmallProxy()) as proxy:
        wire = Wire(BASE, KEY, ssl_context=service.trust, way=proxy.way())
        with pytest.raises(ProxyFailed) as caught:
            await wire.send_file(f"{BASE}/up", film, content_type="video/mp4")
        await wire.close()
    assert caught.value.fault is Fault.NOT_BEHIND


async def test_a_service_on_this_computer_is_never_behind_it(tmp_path: Path) -> None:
    context, authority = certificates(tmp_path, "127.0.0.1")
    seen: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    nowhere = Way(ProxySettings(use=ProxyUse.OWN, address="http://127.0.0.1:9"))
    trust = ssl.create_default_context(cafile=str(authority))
    client = ServiceClient(f"https://127.0.0.1:{port}", KEY, ssl_context=trust, way=nowhere)
    assert await client.visit(f"https://127.0.0.1:{port}/x") == 204
    await client.close()
    server.close()
    await asyncio.sleep(0.05)
    assert len(seen) == 1
