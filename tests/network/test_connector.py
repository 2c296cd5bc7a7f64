"""Closing a connector leaves no connection behind, however slow the server is."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest

from app.network import Way
from app.network.connector import ProxiedConnector
from tests.network.deaf import deaf, left_open

Use = Callable[[aiohttp.ClientSession, str, Way], Awaitable[None]]


async def leave_early(session: aiohttp.ClientSession, url: str, _way: Way) -> None:
    """Close a response before its end."""
    async with session.get(url):
        pass


async def give_up(session: aiohttp.ClientSession, url: str, _way: Way) -> None:
    """Cancel a call while its response arrives."""
    async with session.get(url) as response:
        reading = asyncio.create_task(response.read())
        await asyncio.sleep(0)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def close_first(session: aiohttp.ClientSession, url: str, way: Way) -> None:
    """Close the session while a connection is being made."""
    let_go = way.hold()

    async def call() -> None:
        async with session.get(url):
            pass

    calling = asyncio.create_task(call())
    await asyncio.sleep(0)
    await session.close()
    let_go()
    with pytest.raises(aiohttp.ClientConnectionError):
        await calling


@pytest.mark.parametrize("use", [leave_early, give_up, close_first])
def test_no_connection_outlives_its_connector(tmp_path: Path, use: Use) -> None:
    with deaf(tmp_path) as (url, trust):

        async def story() -> None:
            way = Way()
            session = aiohttp.ClientSession(connector=ProxiedConnector(way, ssl=trust))
            await use(session, url, way)
            await session.close()

        assert left_open(story) == []
