"""The browser that comes back: each end of a flow, and what its page says."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.contract.connections import Connection
from app.platforms.base import FailureKind, PlatformError, Profile, TokenGrant
from tests.service.connections.browsing import callback, initiate, listed, mark_unavailable
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller, RunningService

IN_AN_HOUR = datetime(2031, 1, 1, 12, tzinfo=UTC)


def test_an_account_appears_when_the_person_allows_it(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.grant = TokenGrant("access-1", "refresh-1", IN_AN_HOUR)
    started = initiate(caller)
    assert listed(caller) == []

    page = browser.get(callback(started["connect_url"], code="code-1"))

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


def test_the_same_account_again_is_refreshed_and_keeps_its_id(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    first = initiate(caller)["connection_id"]
    browser.get(callback(initiate(caller)["connect_url"], code="c"))
    [account] = listed(caller)
    assert account["id"] != first
    mark_unavailable(caller, account["id"])
    linkedin.people = [Profile("urn:li:person:robin", display_name="Robin M.")]
    again = initiate(caller, redirect_url="http://127.0.0.1:9/done")

    back = browser.get(callback(again["connect_url"], code="c2"))

    assert parse_qs(urlsplit(back.headers["Location"]).query)["connection_id"] == [account["id"]]
    assert caller.http.get(f"/connections/{again['connection_id']}").status_code == 404
    [refreshed] = listed(caller)
    assert (refreshed["id"], refreshed["is_available"], refreshed["display_name"]) == (
        account["id"],
        True,
        "Robin M.",
    )


@pytest.mark.usefixtures("linkedin")
def test_one_person_in_two_accounts_is_two_connections(
    service: RunningService, caller: Caller, browser: httpx.Client
) -> None:
    other = service.new_caller()
    browser.get(callback(initiate(caller)["connect_url"], code="c"))
    browser.get(callback(initiate(other)["connect_url"], code="c"))

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

    back = browser.get(callback(started["connect_url"], **answer))

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


def test_a_denial_says_so_and_stays(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> None:
    started = initiate(caller)

    page = browser.get(callback(started["connect_url"], error="access_denied"))
    late = browser.get(callback(started["connect_url"], code="c"))

    assert page.text.count("allow access") == late.text.count("allow access") == 1
    assert linkedin.exchanges == []
    assert listed(caller) == []


def test_a_flow_expires(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> None:
    started = initiate(caller)
    caller.service.clock.ahead = timedelta(minutes=15, seconds=1)

    page = browser.get(callback(started["connect_url"], code="c"))

    assert "longer than 15 minutes" in page.text
    assert linkedin.exchanges == []


def test_the_platforms_refusal_is_quoted_harmlessly(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.grant = PlatformError(FailureKind.INVALID, "invalid_grant", "<script>alert(1)</script>")

    page = browser.get(callback(initiate(caller)["connect_url"], code="c"))

    assert "LinkedIn refused: &lt;script&gt;" in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert listed(caller) == []


@pytest.mark.logs_error("connecting failed")
def test_an_unforeseen_failure_is_told_without_its_insides(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.people = RuntimeError("secret detail")

    page = browser.get(callback(initiate(caller)["connect_url"], code="c"))

    assert "in the service" in page.text
    assert "secret detail" not in page.text


def test_without_any_account_nothing_is_connected(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.people = []

    assert "Not connected" in browser.get(callback(initiate(caller)["connect_url"], code="c")).text
    assert listed(caller) == []


@pytest.mark.usefixtures("linkedin")
def test_an_incomplete_address_ends_nothing(caller: Caller, browser: httpx.Client) -> None:
    started = initiate(caller)

    assert "incomplete" in browser.get(callback(started["connect_url"])).text
    assert "is connected" in browser.get(callback(started["connect_url"], code="c")).text


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


def test_no_token_is_in_any_answer_nor_readable_in_the_store(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.grant = TokenGrant("TOKEN-needle-access", "TOKEN-needle-refresh", None)
    started = initiate(caller)
    page = browser.get(callback(started["connect_url"], code="CODE-needle"))
    answers = page.text + caller.http.get("/connections").text + str(started)

    assert "needle" not in answers
    for file in caller.service.folder.root.glob("service.db*"):
        content = file.read_bytes()
        assert b"needle" not in content
        assert started["state"].encode() not in content
