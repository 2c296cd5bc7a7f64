"""Connecting accounts: the browser flow from its beginning to each of its ends, and the list."""

import asyncio
import base64
import concurrent.futures
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import httpx
import pytest

from app.contract.connections import Connection
from app.contract.enums import ConnectionPlatform
from app.platforms.base import FailureKind, PlatformError, Profile, TokenGrant
from app.service.connections.words import PLATFORM_NAMES
from app.service.store.tables import connection_flows, connections
from tests.service.platforms import ScriptedAdapter, robin
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import fields

IN_AN_HOUR = datetime(2031, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def browser() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False) as browser:
        yield browser


def initiate(caller: Caller, platform: str = "linkedin", **body: str) -> dict[str, Any]:
    answer = caller.http.post("/connections/initiate", json={"platform": platform, **body})
    assert answer.status_code == 201, answer.text
    started: dict[str, Any] = answer.json()
    return started


def callback(started: dict[str, Any], **answer: str) -> str:
    """Where the platform sends the browser."""
    asked = parse_qs(urlsplit(started["connect_url"]).query)
    return str(httpx.URL(asked["redirect_uri"][0], params={"state": asked["state"][0], **answer}))


def listed(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.http.get("/connections", params=query).json()["data"]
    return found


def test_an_account_appears_when_the_person_allows_it(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.grant = TokenGrant("access-1", "refresh-1", IN_AN_HOUR)
    started = initiate(caller)
    assert listed(caller) == []

    page = browser.get(callback(started, code="code-1"))

    assert page.status_code == 200
    assert "Robin Marsh on LinkedIn is connected." in page.text
    account = caller.http.get(f"/connections/{started['connection_id']}").json()
    assert set(account) == set(Connection.model_fields)
    assert listed(caller) == [account]
    assert account["is_available"] is True
    assert account["token_expires_at"] == "2031-01-01T12:00:00.000Z"
    assert (account["username"], account["follower_count"], account["is_verified"]) == (
        "robin-marsh",
        1204,
        True,
    )


def test_what_initiation_answers(caller: Caller, linkedin: ScriptedAdapter) -> None:
    before = caller.service.clock()

    started = initiate(caller)

    assert set(started) == {"connect_url", "state", "expires_at", "connection_id"}
    lifetime = datetime.fromisoformat(started["expires_at"]) - before
    assert timedelta(minutes=15) <= lifetime < timedelta(minutes=15, seconds=5)
    asked = parse_qs(urlsplit(started["connect_url"]).query)
    assert asked["state"] == [started["state"]]
    assert asked["redirect_uri"] == [f"{caller.service.callback_url}/callback/linkedin"]
    assert linkedin.exchanges == []


def test_the_verifier_fits_the_challenge_and_the_state_is_not_stored(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    started = initiate(caller)
    flow = caller.service.database.read_now(
        lambda rows: rows.execute(
            connection_flows.select().where(
                connection_flows.c.connection_id == UUID(started["connection_id"])
            )
        ).one()
    )
    assert started["state"] not in str(flow)

    browser.get(callback(started, code="code-1"))

    [exchange] = linkedin.exchanges
    assert exchange["verifier"].encode() not in flow.code_verifier
    digest = hashlib.sha256(exchange["verifier"].encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert parse_qs(urlsplit(started["connect_url"]).query)["code_challenge"] == [challenge]


def test_a_pending_account_is_not_there_yet(caller: Caller) -> None:
    started = initiate(caller)

    assert caller.http.get(f"/connections/{started['connection_id']}").status_code == 404
    assert listed(caller, include_unavailable="true") == []


def test_the_same_account_again_is_refreshed_and_keeps_its_id(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    first = initiate(caller)["connection_id"]
    browser.get(callback(initiate(caller), code="c"))
    [account] = listed(caller)
    assert account["id"] != first
    mark_unavailable(caller, account["id"])
    linkedin.people = [Profile("urn:li:person:robin", display_name="Robin M.")]
    again = initiate(caller, redirect_url="http://127.0.0.1:9/done")

    back = browser.get(callback(again, code="c2"))

    assert parse_qs(urlsplit(back.headers["Location"]).query)["connection_id"] == [account["id"]]
    assert caller.http.get(f"/connections/{again['connection_id']}").status_code == 404
    [refreshed] = listed(caller)
    assert (refreshed["id"], refreshed["is_available"], refreshed["display_name"]) == (
        account["id"],
        True,
        "Robin M.",
    )


def mark_unavailable(caller: Caller, connection_id: str) -> None:
    caller.service.database.write_now(
        lambda rows: rows.execute(
            connections.update().where(connections.c.id == UUID(connection_id)).values(is_available=False)
        )
    )


@pytest.mark.usefixtures("linkedin")
def test_one_person_in_two_accounts_is_two_connections(
    service: RunningService, caller: Caller, browser: httpx.Client
) -> None:
    other = service.new_caller()
    browser.get(callback(initiate(caller), code="c"))
    browser.get(callback(initiate(other), code="c"))

    assert listed(caller)[0]["id"] != listed(other)[0]["id"]
    assert other.http.get(f"/connections/{listed(caller)[0]['id']}").status_code == 404


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"code": "c"}, "connected"),
        ({"error": "access_denied"}, "denied"),
        ({"error": "user_cancelled_login"}, "denied"),
        ({"error": "server_error"}, "failed"),
    ],
)
@pytest.mark.usefixtures("linkedin")
def test_the_browser_goes_where_it_was_asked_to(
    caller: Caller, browser: httpx.Client, answer: dict[str, str], status: str
) -> None:
    started = initiate(caller, redirect_url="http://127.0.0.1:9/done?tab=1&x=%26#end")

    back = browser.get(callback(started, **answer))

    assert back.status_code == 303
    target = urlsplit(back.headers["Location"])
    assert (target.netloc, target.path) == ("127.0.0.1:9", "/done")
    assert parse_qs(target.query) == {
        "tab": ["1"],
        "x": ["&"],
        "connection_id": [started["connection_id"]],
        "status": [status],
    }
    assert back.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://x/y",
        "//x/y",
        "x",
        "",
        "http://",
        "http://x/\r\nA: b",
    ],
)
def test_a_redirect_address_must_be_http(caller: Caller, address: str) -> None:
    answer = caller.http.post("/connections/initiate", json={"platform": "linkedin", "redirect_url": address})

    assert set(fields(answer)) == {"redirect_url"}


def test_a_denial_says_so_and_stays(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> None:
    started = initiate(caller)

    page = browser.get(callback(started, error="access_denied"))
    late = browser.get(callback(started, code="c"))

    assert page.text.count("Access was not allowed") == late.text.count("Access was not allowed") == 1
    assert linkedin.exchanges == []
    assert listed(caller) == []


def test_a_reload_shows_the_same_and_the_code_is_used_once(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    address = callback(initiate(caller), code="c")

    first, again = browser.get(address), browser.get(address)

    assert [page.status_code for page in (first, again)] == [200, 200]
    assert "is connected" in first.text
    assert "is connected" in again.text
    assert len(linkedin.exchanges) == 1


def test_two_browsers_at_once_use_the_code_once(caller: Caller, linkedin: ScriptedAdapter) -> None:
    linkedin.pause = caller.service.await_(new_event)
    address = callback(initiate(caller), code="c")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        pages = [pool.submit(httpx.get, address, trust_env=False) for _ in range(4)]
        caller.service.loop.call_soon_threadsafe(linkedin.pause.set)
        texts = [page.result().text for page in pages]

    assert all("is connected" in text for text in texts)
    assert len(linkedin.exchanges) == 1


async def new_event() -> asyncio.Event:
    return asyncio.Event()


def test_a_flow_expires(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> None:
    started = initiate(caller)
    caller.service.clock.ahead = timedelta(minutes=15, seconds=1)

    page = browser.get(callback(started, code="c"))

    assert "longer than 15 minutes" in page.text
    assert linkedin.exchanges == []


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

    assert "restarted" in browser.get(callback(started, code="c")).text
    assert linkedin.exchanges == []


def test_the_platforms_refusal_is_quoted_harmlessly(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.grant = PlatformError(FailureKind.INVALID, "invalid_grant", "<script>alert(1)</script>")

    page = browser.get(callback(initiate(caller), code="c"))

    assert "LinkedIn refused: &lt;script&gt;" in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert listed(caller) == []


@pytest.mark.logs_error("connecting failed")
def test_an_unforeseen_failure_is_told_without_its_insides(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.people = RuntimeError("secret detail")

    page = browser.get(callback(initiate(caller), code="c"))

    assert "inside the service" in page.text
    assert "secret detail" not in page.text


def test_without_any_account_nothing_is_connected(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.people = []

    assert "Not connected" in browser.get(callback(initiate(caller), code="c")).text
    assert listed(caller) == []


@pytest.mark.usefixtures("linkedin")
def test_an_incomplete_address_ends_nothing(caller: Caller, browser: httpx.Client) -> None:
    started = initiate(caller)

    assert "incomplete" in browser.get(callback(started)).text
    assert "is connected" in browser.get(callback(started, code="c")).text


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/callback",
        "/callback/linkedin",
        "/callback/linkedin?state=guess&code=c",
        "/callback/nowhere?state=guess&code=c",
        "/api/v1/posts",
        "/favicon.ico",
        "/callback/linkedin/more",
    ],
)
def test_the_listener_serves_nothing_else(service: RunningService, browser: httpx.Client, path: str) -> None:
    page = browser.get(service.callback_url + path)

    assert page.status_code == 404
    assert page.headers["Content-Type"].startswith("text/html")
    assert page.headers["Cache-Control"] == "no-store"


def test_a_state_is_good_for_its_platform_only(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    address = callback(initiate(caller), code="c")

    assert browser.get(address.replace("/callback/linkedin", "/callback/x")).status_code == 404
    assert browser.head(address).status_code == 404
    assert linkedin.exchanges == []


@pytest.mark.parametrize("platform", ["threads", "myspace", None, ""])
def test_only_posting_platforms_are_initiated(caller: Caller, platform: str | None) -> None:
    answer = caller.http.post("/connections/initiate", json={"platform": platform})

    assert set(fields(answer)) == {"platform"}


def test_a_platform_without_adapter_is_refused(caller: Caller) -> None:
    answer = caller.http.post("/connections/initiate", json={"platform": "tiktok"})

    assert fields(answer) == {"platform": "unsupported"}


def test_the_list_shows_unavailable_accounts_on_request_alone(caller: Caller) -> None:
    available, ended = caller.connect(), caller.connect("x", is_available=False)

    assert [one["id"] for one in listed(caller)] == [available]
    assert {one["id"] for one in listed(caller, include_unavailable="true")} == {available, ended}
    assert [one["id"] for one in listed(caller, include_unavailable="true", platform="x")] == [ended]
    assert listed(caller, platform="threads") == []


def test_no_token_is_in_any_answer_nor_readable_in_the_store(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.grant = TokenGrant("TOKEN-needle-access", "TOKEN-needle-refresh", None)
    started = initiate(caller)
    page = browser.get(callback(started, code="CODE-needle"))
    answers = page.text + caller.http.get("/connections").text + str(started)

    assert "needle" not in answers
    for file in caller.service.folder.root.glob("service.db*"):
        content = file.read_bytes()
        assert b"needle" not in content
        assert started["state"].encode() not in content


def test_platform_names_are_all_known() -> None:
    assert set(PLATFORM_NAMES) == set(ConnectionPlatform)
