"""The server of the API, without connections and with them."""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from app.service import http_server
from app.service.http_server import Server, listen

_WHILE_S = 0.2


class Counted(Server):
    ticks = 0

    async def on_tick(self, counter: int) -> bool:
        self.ticks += 1
        return await super().on_tick(counter)


async def answer(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("here")


@contextlib.asynccontextmanager
async def serving() -> Any:
    listener = listen("127.0.0.1", 0)
    server = Counted(Starlette(routes=[Route("/", answer)]), listener)
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
