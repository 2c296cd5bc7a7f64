"""What meets in a flow: reloads, two browsers, other platforms, late answers, and restarts."""

import asyncio
import concurrent.futures
from uuid import UUID

import httpx

from app.service.store.tables import connection_flows
from tests.service.connections.browsing import callback, initiate
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller


def test_a_reload_shows_the_same_and_the_code_is_used_once(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    address = callback(initiate(caller)["connect_url"], code="c")

    first, again = browser.get(address), browser.get(address)

    assert [page.status_code for page in (first, again)] == [200, 200]
    assert "is connected" in first.text
    assert "is connected" in again.text
    assert len(linkedin.exchanges) == 1


def test_two_browsers_at_once_use_the_code_once(caller: Caller, linkedin: ScriptedAdapter) -> None:
    linkedin.pause = caller.service.await_(new_event)
    address = callback(initiate(caller)["connect_url"], code="c")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        pages = [pool.submit(httpx.get, address, trust_env=False) for _ in range(4)]
        caller.service.loop.call_soon_threadsafe(linkedin.pause.set)
        texts = [page.result().text for page in pages]

    assert all("is connected" in text for text in texts)
    assert len(linkedin.exchanges) == 1


async def new_event() -> asyncio.Event:
    return asyncio.Event()


def test_a_flow_that_a_restart_cut_off_says_so(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    started = initiate(caller)
    caller.service.database.write_now(
        lambda rows: rows.execute(
            connection_flows.update()
            .where(connection_flows.c.connection_id == UUID(started["connection_id"]))
            .values(stage="exchanging")
        )
    )

    assert "restarted" in browser.get(callback(started["connect_url"], code="c")).text
    assert linkedin.exchanges == []


def test_a_state_is_good_for_its_platform_only(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    address = callback(initiate(caller)["connect_url"], code="c")

    assert browser.get(address.replace("/callback/linkedin", "/callback/x")).status_code == 404
    assert browser.head(address).status_code == 404
    assert linkedin.exchanges == []
