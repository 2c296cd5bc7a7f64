"""What meets in a flow: reloads, two browsers, other platforms, late answers, and restarts."""

import asyncio
import concurrent.futures
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Profile
from app.service.settings import RunOptions
from app.service.store.tables import connection_flows
from tests.service.connections.browsing import callback, initiate, listed, told
from tests.service.platforms import ScriptedAdapter, robin
from tests.service.running import Caller, run_service

LINKEDIN = ConnectionPlatform.LINKEDIN


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
        pages = [pool.submit(httpx.get, address, trust_env=False, timeout=30) for _ in range(4)]
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


def paused(caller: Caller, linkedin: ScriptedAdapter) -> asyncio.Event:
    """Lets exchanges wait; gives what tells that one has begun."""
    linkedin.pause = caller.service.await_(new_event)
    linkedin.asked = caller.service.await_(new_event)
    return linkedin.asked


def go_on(caller: Caller, linkedin: ScriptedAdapter) -> None:
    assert linkedin.pause is not None
    caller.service.loop.call_soon_threadsafe(linkedin.pause.set)


def test_a_denial_after_consent_changes_nothing(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    asked, started = paused(caller, linkedin), initiate(caller)
    allowed = callback(started["connect_url"], code="c")
    denied = callback(started["connect_url"], error="access_denied")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first = pool.submit(httpx.get, allowed, trust_env=False, timeout=30)
        caller.service.await_(asked.wait)
        second = pool.submit(httpx.get, denied, trust_env=False, timeout=30)
        go_on(caller, linkedin)
        texts = first.result().text, second.result().text, browser.get(denied).text

    assert all("is connected" in text for text in texts)
    assert len(listed(caller)) == 1


def test_the_wrong_platform_gets_nothing_of_an_exchange_under_way(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    asked = paused(caller, linkedin)
    address = callback(initiate(caller)["connect_url"], code="c")

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        coming = pool.submit(httpx.get, address, trust_env=False, timeout=30)
        caller.service.await_(asked.wait)
        stranger = browser.get(address.replace("/callback/linkedin", "/callback/x"))
        go_on(caller, linkedin)
        assert "is connected" in coming.result().text

    assert stranger.status_code == 404
    assert "Robin" not in stranger.text


def test_both_listeners_share_an_exchange(caller: Caller, linkedin: ScriptedAdapter) -> None:
    asked, service = paused(caller, linkedin), caller.service
    address = callback(initiate(caller)["connect_url"], code="c")
    other = address.replace(service.callback_url, service.base_url)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first = pool.submit(httpx.get, address, trust_env=False, timeout=30)
        service.await_(asked.wait)
        second = pool.submit(httpx.get, other, verify=service.trust, trust_env=False, timeout=30)
        go_on(caller, linkedin)
        assert "is connected" in first.result().text
        assert "is connected" in second.result().text

    assert len(linkedin.exchanges) == 1


def test_who_came_in_time_is_connected_however_long_the_platform_takes(
    caller: Caller, linkedin: ScriptedAdapter
) -> None:
    asked = paused(caller, linkedin)
    address = callback(initiate(caller)["connect_url"], code="c")

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        coming = pool.submit(httpx.get, address, trust_env=False, timeout=30)
        caller.service.await_(asked.wait)
        caller.service.clock.ahead = timedelta(minutes=16)
        go_on(caller, linkedin)
        assert "is connected" in coming.result().text


def test_a_flow_that_was_ended_meanwhile_stores_nothing(caller: Caller, linkedin: ScriptedAdapter) -> None:
    """As another process would, to which the exchange looked cut off."""
    asked, started = paused(caller, linkedin), initiate(caller)
    ended = connection_flows.update().where(
        connection_flows.c.connection_id == UUID(started["connection_id"])
    )

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        coming = pool.submit(
            httpx.get, callback(started["connect_url"], code="c"), trust_env=False, timeout=30
        )
        caller.service.await_(asked.wait)
        caller.service.database.write_now(
            lambda rows: rows.execute(ended.values(stage="failed", outcome_words="It was cut off."))
        )
        go_on(caller, linkedin)
        assert "It was cut off." in coming.result().text

    assert listed(caller) == []
    assert told(caller) == []


def test_a_reload_waits_for_the_exchange_in_another_process(tmp_path: Path) -> None:
    several = RunOptions(practice_url="http://practice.invalid", alone=False)
    with run_service(tmp_path, {LINKEDIN: ScriptedAdapter(LINKEDIN)}, several) as service:
        started = initiate(service.new_caller())
        flow = connection_flows.update().where(
            connection_flows.c.connection_id == UUID(started["connection_id"])
        )
        service.database.write_now(lambda rows: rows.execute(flow.values(stage="exchanging")))
        connected = flow.values(stage="connected", outcome_words="Robin is connected.")

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            reloaded = pool.submit(
                httpx.get, callback(started["connect_url"], code="c"), trust_env=False, timeout=30
            )
            with pytest.raises(TimeoutError):
                reloaded.result(timeout=1)
            service.database.write_now(lambda rows: rows.execute(connected))
            assert "Robin is connected." in reloaded.result().text
        service.forget_callers()


def test_flows_outlive_a_restart(tmp_path: Path, browser: httpx.Client) -> None:
    adapter = ScriptedAdapter(LINKEDIN, people=[robin(), Profile("other", "Sam")])

    with run_service(tmp_path, {LINKEDIN: adapter}) as service:
        before = service.new_caller()
        waiting = callback(initiate(before)["connect_url"], code="c")
        choosing = browser.get(callback(initiate(before)["connect_url"], code="c")).headers["Location"]
        service.forget_callers()
    with run_service(tmp_path, {LINKEDIN: adapter}) as service:
        after = Caller(service, before.account_id, before.key)
        chosen = browser.post(service.callback_url + choosing, data={"account": "1"})
        assert "Sam on LinkedIn is connected." in chosen.text
        adapter.people = [robin()]
        page = browser.get(f"{service.callback_url}/callback/linkedin?{urlsplit(waiting).query}")
        assert "Robin Marsh on LinkedIn is connected." in page.text
        assert len(listed(after)) == 2
        after.http.close()
