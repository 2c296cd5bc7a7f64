"""The server of the API, without connections and with them."""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from app.service import http_server
from app.service.gate import ListeningSettings
from app.service.http_server import Server, listen

_WHILE_S = 0.2


class Counted(Server):
    ticks = 0

    async def on_tick(self, counter: int) -> bool:
        self.ticks += 1
        return await super().on_tick(counter)


async def answer(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("here")


async def measure(request: Request) -> PlainTextResponse:
    """The lengths of the pieces in which the body came."""
    lengths = []
    with contextlib.suppress(ClientDisconnect):
        lengths = [str(len(piece)) async for piece in request.stream()]
    return PlainTextResponse(" ".join(lengths))


@contextlib.asynccontextmanager
async def serving(settings: ListeningSettings | None = None) -> Any:
    listener = listen("127.0.0.1", 0)
    routes = [Route("/", answer), Route("/measure", measure, methods=["POST"])]
    server = Counted(Starlette(routes=routes), listener, settings=settings)
    running = asyncio.create_task(server.run_until_stopped())
    await server.up.wait()
    try:
        yield server, listener.getsockname()[1]
    finally:
        server.stop()
        await asyncio.wait_for(running, 30)
        listener.close()


async def test_it_ticks_only_while_there_are_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "_TICK_S", 0.01)
    async with serving() as (server, port):
        await asyncio.sleep(_WHILE_S)
        before = server.ticks
        await asyncio.sleep(_WHILE_S)
        assert server.ticks == before
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(_WHILE_S)
        assert server.ticks > before + 2
        writer.close()
        await asyncio.sleep(_WHILE_S)
        before = server.ticks
        await asyncio.sleep(_WHILE_S)
        assert server.ticks == before


async def test_its_answers_contain_the_time_after_a_long_rest() -> None:
    async with serving() as (_, port):
        await asyncio.sleep(2.5)  # a Date has seconds
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        head = (await reader.read()).decode()
        writer.close()
        dates = [line.partition(": ")[2] for line in head.splitlines() if line.lower().startswith("date:")]
        assert datetime.now(UTC) - parsedate_to_datetime(dates[0]) < timedelta(seconds=2)


async def answers_to(request: bytes) -> list[str]:
    """The bodies of the answers on one connection to requests that are sent in one piece."""
    async with serving() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request + b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        answered = (await reader.read()).decode()
        writer.close()
    return [one.partition("\r\n\r\n")[2] for one in answered.split("HTTP/1.1 200 OK")[1:]]


_TO_MEASURE = b"POST /measure HTTP/1.1\r\nHost: here\r\n"


async def test_a_body_of_tiny_chunks_leaves_turns_to_others() -> None:
    count = 20_000
    body = b"1\r\nx\r\n" * count + b"0\r\n\r\n"
    pieces, after = await answers_to(_TO_MEASURE + b"Transfer-Encoding: chunked\r\n\r\n" + body)
    lengths = [int(length) for length in pieces.split()]
    assert sum(lengths) == count
    assert max(lengths) <= 2_000
    assert after == "here"


async def test_a_body_that_stops_is_waited_for_no_longer_than_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "_TICK_S", 0.01)
    monkeypatch.setattr(http_server, "_BODY_GRACE_S", _WHILE_S)
    async with serving(ListeningSettings(body_seconds=_WHILE_S)) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_TO_MEASURE + b"Content-Length: 100\r\n\r\n")
        for _ in range(5):  # each byte gains time
            await asyncio.sleep(_WHILE_S)
            writer.write(b"x")
        assert not reader.at_eof()
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), 20) == b""
        writer.close()


@pytest.mark.parametrize(
    "head", [b"Transfer-Encoding: chunked\r\n\r\n30d40\r\n", b"Content-Length: 200000\r\n\r\n"]
)
async def test_a_long_body_arrives_whole(head: bytes) -> None:
    end = b"\r\n0\r\n\r\n" if b"chunked" in head else b""
    pieces, after = await answers_to(_TO_MEASURE + head + b"x" * 200_000 + end)
    assert sum(map(int, pieces.split())) == 200_000
    assert after == "here"
