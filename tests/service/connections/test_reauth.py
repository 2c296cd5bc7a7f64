"""Authorizing an account again: the same one comes back, another one changes nothing."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest

from app.contract.connections import Connection
from app.platforms.base import Profile, TokenGrant
from tests.service.connections.browsing import (
    callback,
    connect,
    listed,
    mark_unavailable,
    reauthorize,
    stored,
    told,
)
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import envelope, fields

LATER = datetime(2031, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def ended(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> str:
    """An account whose access has ended; gives its id."""
    connection_id = connect(caller, browser)
    mark_unavailable(caller, connection_id)
    linkedin.exchanges.clear()
    return connection_id


def test_what_it_answers(caller: Caller, ended: str) -> None:
    answer = caller.http.post(f"/connections/{ended}/reauth")

    assert answer.status_code == 200
    assert set(answer.json()) == {"reauth_url", "account"}
    account = answer.json()["account"]
    assert set(account) == set(Connection.model_fields)
    assert (account["id"], account["is_available"]) == (ended, False)
    asked = parse_qs(urlsplit(answer.json()["reauth_url"]).query)
    assert asked["redirect_uri"] == [f"{caller.service.callback_url}/callback/linkedin"]


def test_the_same_account_is_refreshed(
    caller: Caller, ended: str, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    before = stored(caller, ended)
    linkedin.grant = TokenGrant("access-2", "refresh-2", LATER)

    page = browser.get(callback(reauthorize(caller, ended), code="c"))

    assert "Robin Marsh on LinkedIn is connected." in page.text
    [account] = listed(caller)
    assert (account["id"], account["is_available"]) == (ended, True)
    assert account["token_expires_at"] == "2031-01-01T12:00:00.000Z"
    after = stored(caller, ended)
    assert after.created_at == before.created_at
    assert caller.service.await_(lambda: caller.service.parts.tokens.access_token(after.id)) == "access-2"
    assert told(caller) == ["connection.connected", "connection.connected"]


def test_another_account_changes_nothing(
    caller: Caller, ended: str, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    before = stored(caller, ended)
    linkedin.people = [Profile("urn:li:person:sam", display_name="Sam Reed")]
    linkedin.grant = TokenGrant("access-2", "refresh-2", None)

    page = browser.get(callback(reauthorize(caller, ended), code="c"))

    assert "LinkedIn gave access to Sam Reed instead of Robin Marsh." in page.text
    assert stored(caller, ended) == before
    assert [one["id"] for one in listed(caller, include_unavailable="true")] == [ended]
    assert told(caller) == ["connection.connected"]


def test_among_several_accounts_the_expected_one_is_taken_without_asking(
    caller: Caller, ended: str, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    own = TokenGrant("access-page", None, None)
    linkedin.people = [
        Profile("other", display_name="Sam"),
        Profile("urn:li:person:robin", display_name="Robin M.", grant=own),
    ]

    page = browser.get(callback(reauthorize(caller, ended), code="c"))

    assert "Robin M. on LinkedIn is connected." in page.text
    [account] = listed(caller)
    assert (account["id"], account["display_name"]) == (ended, "Robin M.")
    row = stored(caller, ended)
    assert caller.service.await_(lambda: caller.service.parts.tokens.access_token(row.id)) == "access-page"


def test_a_consent_without_any_account_names_the_expected_one(
    caller: Caller, ended: str, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    linkedin.people = []

    page = browser.get(callback(reauthorize(caller, ended), code="c"))

    assert "give access to Robin Marsh." in page.text


@pytest.mark.usefixtures("linkedin")
def test_an_available_account_is_not_authorized_again(caller: Caller, browser: httpx.Client) -> None:
    answer = caller.http.post(f"/connections/{connect(caller, browser)}/reauth")

    assert fields(answer) == {"id": "available"}


def test_only_own_accounts_are(service: RunningService, caller: Caller, ended: str) -> None:
    other = service.new_caller()

    for stranger, connection_id in ((other, ended), (caller, str(uuid4())), (caller, "x")):
        answer = stranger.http.post(f"/connections/{connection_id}/reauth")
        assert envelope(answer).error.code == "not_found"


def test_a_denial_leaves_the_account_as_it_was(caller: Caller, ended: str, browser: httpx.Client) -> None:
    before = stored(caller, ended)

    assert "allow access" in browser.get(callback(reauthorize(caller, ended), error="access_denied")).text
    assert stored(caller, ended) == before


def test_it_expires_and_is_good_once(
    caller: Caller, ended: str, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    first, second = (
        callback(reauthorize(caller, ended), code="c"),
        callback(reauthorize(caller, ended), code="c"),
    )
    browser.get(first)
    browser.get(first)
    assert len(linkedin.exchanges) == 1

    caller.service.clock.ahead = timedelta(minutes=15, seconds=1)
    assert "longer than 15 minutes" in browser.get(second).text
    assert len(linkedin.exchanges) == 1


def test_an_account_that_was_connected_anew_meanwhile_is_refreshed_once_more(
    caller: Caller, ended: str, browser: httpx.Client
) -> None:
    waiting = callback(reauthorize(caller, ended), code="c")
    assert connect(caller, browser) == ended

    assert "Robin Marsh on LinkedIn is connected." in browser.get(waiting).text
    assert [one["id"] for one in listed(caller)] == [ended]


def companion(caller: Caller, path: str) -> str:
    return f"{caller.service.base_url}/companion/v1/connections/{path}"


def test_a_known_account_is_connected_again_before_its_access_ends(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    connection_id = connect(caller, browser)
    linkedin.grant = TokenGrant("access-2", "refresh-2", LATER)
    back = {"redirect_url": "http://127.0.0.1:9/landing"}

    begun = caller.http.post(companion(caller, f"{connection_id}/reconnect"), json=back)

    assert begun.status_code == 201
    attempt = companion(caller, f"attempts/{begun.json()['connection_id']}")
    assert caller.http.get(attempt).json()["stage"] == "waiting"
    url = f"{caller.service.callback_url}/callback/linkedin"
    there = browser.get(url, params={"state": begun.json()["state"], "code": "c"}).headers["location"]
    assert parse_qs(urlsplit(there).query) == {"connection_id": [connection_id], "status": ["connected"]}
    assert caller.http.get(attempt).json()["connection_id"] == connection_id
    assert listed(caller)[0]["token_expires_at"] == "2031-01-01T12:00:00.000Z"


def test_an_attempt_tells_why_another_account_will_not_do(
    caller: Caller, ended: str, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    begun = caller.http.post(companion(caller, f"{ended}/reconnect"), json={}).json()
    linkedin.people = [Profile("other", display_name="Kei Tanaka")]

    url = f"{caller.service.callback_url}/callback/linkedin"
    browser.get(url, params={"state": begun["state"], "code": "c"})

    told = caller.http.get(companion(caller, f"attempts/{begun['connection_id']}")).json()
    assert told["stage"] == "failed"
    assert "LinkedIn gave access to Kei Tanaka instead of Robin Marsh." in told["message"]
    assert len(listed(caller, include_unavailable=True)) == 1


def test_nobody_asks_after_the_attempts_and_accounts_of_others(
    service: RunningService, caller: Caller, ended: str
) -> None:
    begun = caller.http.post(companion(caller, f"{ended}/reconnect"), json={}).json()
    other = service.new_caller()

    for answer in (
        other.http.get(companion(other, f"attempts/{begun['connection_id']}")),
        other.http.post(companion(other, f"{ended}/reconnect"), json={}),
    ):
        assert envelope(answer).error.code == "not_found"
