"""The app's own client on the stream of a real service."""

import asyncio
import gc
from contextlib import aclosing

import pytest

from app.client import RetryPolicy, ServiceClient, Unauthorized
from app.contract.changes import ConnectionChanged, PostChanged, Reset
from app.service.accounts.accounts import authenticate, revoke_key
from tests.service.running import Caller


async def test_it_hears_goes_on_after_a_cut_and_stops_with_its_key(caller: Caller) -> None:
    service = caller.service

    async def in_a_thread(work: object, *arguments: object) -> object:
        return await asyncio.to_thread(work, *arguments)  # type: ignore[arg-type]

    async def anext_post(events: object, caller: Caller, connection_id: str) -> str:
        created = await asyncio.to_thread(caller.create, connection_id)
        event = await anext(events)  # type: ignore[call-overload]
        assert isinstance(event.data, PostChanged)
        assert event.data.post is not None
        assert str(event.data.post.id) == created["id"]
        return str(event.id)

    client = ServiceClient(
        service.base_url, caller.key, ssl_context=service.trust, retries=RetryPolicy(wait_initial=0.01)
    )
    heard: list[bool] = []
    async with aclosing(client.events("", heard.append)) as events:
        assert isinstance((await anext(events)).data, Reset)
        connection_id = str(await in_a_thread(caller.connect))
        connected = (await anext(events)).data
        assert isinstance(connected, ConnectionChanged)
        assert str(connected.id) == connection_id
        last = await anext_post(events, caller, connection_id)
    async with aclosing(client.events(last)) as events:
        await anext_post(events, caller, connection_id)
        now = service.clock()
        key_id = service.database.read_now(lambda rows: authenticate(rows, caller.key, now)).key_id
        await in_a_thread(service.database.write_now, lambda rows: revoke_key(rows, key_id, now))
        with pytest.raises(Unauthorized):
            await anext(events)
    assert heard == [True, False]
    await client.close()


async def test_giving_up_leaves_no_connection_behind(caller: Caller) -> None:
    """Also when the program ends right after it: what is left open would be warned of, and fail the test."""

    client = ServiceClient(caller.service.base_url, caller.key, ssl_context=caller.service.trust)
    begun = asyncio.Event()

    async def listen() -> None:
        async for _ in client.events():
            begun.set()

    listening = asyncio.create_task(listen())
    await begun.wait()
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await client.close()
    gc.collect()
