"""The boards of a Pinterest account, and what the caller is told when they cannot be read."""

from datetime import timedelta
from uuid import uuid4

import httpx
import pytest

from app.contract.errors import ReauthorizationNeeded
from app.platforms.base import Board, BoardPage, FailureKind, PlatformError, TokenGrant
from tests.service.connections.browsing import (
    callback,
    connect,
    listed,
    mark_unavailable,
    stored,
    told,
)
from tests.service.platforms import ScriptedPinterest
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import envelope, fields

HOME = Board("549755885175", "Home", "Rooms", "PUBLIC", 12)
SECRET = Board("549755885176", "Gifts", None, None, None)


@pytest.fixture
def account(caller: Caller, pinterest: ScriptedPinterest, browser: httpx.Client) -> str:
    """A connected Pinterest account; gives its id."""
    assert pinterest.people
    return connect(caller, browser, "pinterest")


def boards(caller: Caller, connection_id: str, **query: object) -> httpx.Response:
    asked = {name: str(value) for name, value in query.items()}
    return caller.http.get(f"/connections/{connection_id}/boards", params=asked)


def failing(kind: FailureKind) -> PlatformError:
    return PlatformError(kind, "code", "words of Pinterest")


def test_a_page_and_the_one_after_it(caller: Caller, account: str, pinterest: ScriptedPinterest) -> None:
    pinterest.pages = [BoardPage([HOME, SECRET], "b&=/ä"), BoardPage([], None)]

    first = boards(caller, account).json()
    second = boards(caller, account, page_size=2, bookmark=first["bookmark"]).json()

    home = {
        "id": "549755885175",
        "name": "Home",
        "description": "Rooms",
        "privacy": "PUBLIC",
        "pin_count": 12,
    }
    nothing = dict.fromkeys(("description", "privacy", "pin_count"))
    assert first == {"data": [home, {"id": "549755885176", "name": "Gifts", **nothing}], "bookmark": "b&=/ä"}
    assert second == {"data": [], "bookmark": None}
    assert pinterest.asked_for == [("access-1", 25, None), ("access-1", 2, "b&=/ä")]


@pytest.mark.parametrize("size", [0, 101, -1, "x", "2.5"])
def test_a_page_has_1_to_100_boards(caller: Caller, account: str, size: object) -> None:
    assert set(fields(boards(caller, account, page_size=size))) == {"page_size"}


@pytest.mark.parametrize("size", [1, 100])
def test_the_bounds_are_taken(caller: Caller, account: str, pinterest: ScriptedPinterest, size: int) -> None:
    assert boards(caller, account, page_size=size).status_code == 200
    assert pinterest.asked_for[-1][1] == size


@pytest.mark.usefixtures("linkedin")
def test_other_platforms_have_none(caller: Caller, browser: httpx.Client) -> None:
    assert fields(boards(caller, connect(caller, browser))) == {"id": "not_pinterest"}


def test_only_own_accounts_are_asked(
    service: RunningService, caller: Caller, account: str, pinterest: ScriptedPinterest
) -> None:
    for stranger, connection_id in ((service.new_caller(), account), (caller, str(uuid4()))):
        assert envelope(boards(stranger, connection_id)).error.code == "not_found"
    assert pinterest.asked_for == []


def test_a_refused_token_is_renewed(caller: Caller, account: str, pinterest: ScriptedPinterest) -> None:
    pinterest.pages = [failing(FailureKind.AUTH_EXPIRED), BoardPage([HOME], None)]
    pinterest.grant = TokenGrant("access-2", "refresh-2", None)

    assert boards(caller, account).status_code == 200
    assert [token for token, *_ in pinterest.asked_for] == ["access-1", "access-2"]
    assert pinterest.refreshes == ["refresh-1"]
    assert told(caller) == ["connection.connected"]


def needs_consent(caller: Caller, connection_id: str) -> ReauthorizationNeeded:
    answer = boards(caller, connection_id)
    assert answer.status_code == 401
    assert set(answer.json()) == {"error", "request_id", "reauth_url"}
    needed = ReauthorizationNeeded.model_validate(answer.json())
    assert needed.error.code == "unauthorized"
    assert needed.request_id == answer.headers["X-Request-Id"]
    return needed


def test_a_token_beyond_renewal_leads_to_a_new_consent_that_works(
    caller: Caller, account: str, pinterest: ScriptedPinterest, browser: httpx.Client
) -> None:
    people, pinterest.pages = pinterest.people, [failing(FailureKind.AUTH_EXPIRED)]
    pinterest.grant = pinterest.people = failing(FailureKind.AUTH_EXPIRED)

    needed = needs_consent(caller, account)

    assert not stored(caller, account).is_available
    assert told(caller) == ["connection.connected", "connection.expired"]
    again = needs_consent(caller, account)
    assert told(caller) == ["connection.connected", "connection.expired"]
    pinterest.pages, pinterest.grant = [BoardPage([HOME], None)], TokenGrant("access-3", None, None)
    pinterest.people = people
    assert again.reauth_url != needed.reauth_url
    assert "is connected" in browser.get(callback(needed.reauth_url, code="c")).text
    assert [one["id"] for one in listed(caller)] == [account]
    assert boards(caller, account).status_code == 200
    assert pinterest.asked_for[-1][0] == "access-3"


def test_a_token_that_is_refused_right_after_its_renewal_may_work_later(
    caller: Caller, account: str, pinterest: ScriptedPinterest
) -> None:
    pinterest.pages = [failing(FailureKind.AUTH_EXPIRED)]
    pinterest.grant = TokenGrant("access-2", "refresh-2", None)

    assert envelope(boards(caller, account)).error.code == "internal_error"

    assert stored(caller, account).is_available
    assert told(caller) == ["connection.connected"]
    pinterest.pages = [BoardPage([HOME], None)]
    assert boards(caller, account).status_code == 200


def test_a_token_that_ended_without_means_to_renew_it(
    caller: Caller, pinterest: ScriptedPinterest, browser: httpx.Client
) -> None:
    pinterest.grant = TokenGrant("access-1", None, caller.service.clock() + timedelta(hours=1))
    account = connect(caller, browser, "pinterest")
    caller.service.clock.ahead = timedelta(hours=2)
    pinterest.people = failing(FailureKind.AUTH_EXPIRED)

    needs_consent(caller, account)

    assert pinterest.asked_for == []


def test_an_account_that_ended_before_is_not_asked(
    caller: Caller, account: str, pinterest: ScriptedPinterest
) -> None:
    mark_unavailable(caller, account)
    caller.service.parts.tokens.forget(stored(caller, account).id)

    needs_consent(caller, account)

    assert pinterest.asked_for == []


@pytest.mark.parametrize(
    "kind", [FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.QUOTA, FailureKind.INVALID]
)
def test_trouble_at_pinterest_is_a_500_that_says_so_and_ends_nothing(
    caller: Caller, account: str, pinterest: ScriptedPinterest, kind: FailureKind
) -> None:
    pinterest.pages = [failing(kind)]

    refusal = envelope(boards(caller, account)).error

    assert refusal.code == "internal_error"
    assert refusal.message.startswith("Pinterest ")
    assert stored(caller, account).is_available


def test_a_bookmark_that_pinterest_does_not_know(
    caller: Caller, account: str, pinterest: ScriptedPinterest
) -> None:
    pinterest.pages = [failing(FailureKind.INVALID)]

    assert fields(boards(caller, account, bookmark="nonsense")) == {"bookmark": "bookmark"}


def test_what_pinterest_does_not_let_the_account_see(
    caller: Caller, account: str, pinterest: ScriptedPinterest
) -> None:
    pinterest.pages = [failing(FailureKind.PERMISSION)]

    assert fields(boards(caller, account)) == {"id": "permission"}


def test_a_network_failure_during_the_renewal_ends_nothing(
    caller: Caller, account: str, pinterest: ScriptedPinterest
) -> None:
    pinterest.pages = [failing(FailureKind.AUTH_EXPIRED)]
    pinterest.grant = failing(FailureKind.TRANSIENT)

    assert envelope(boards(caller, account)).error.code == "internal_error"
    assert stored(caller, account).is_available
