"""What TikTok lets an account choose, and what the caller is told when TikTok can't be asked."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest

from app.contract.errors import ReauthorizationNeeded
from app.contract.tiktok import TikTokCreator, TikTokPrivacy
from app.platforms.base import FailureKind, PlatformError, TokenGrant
from tests.service.connections.browsing import connect, stored
from tests.service.connections.conftest import browser
from tests.service.platforms import ScriptedTikTok
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import envelope, fields

__all__ = ["browser"]

CREATOR = TikTokCreator(
    nickname="Robin",
    username="robin",
    privacy_levels=[TikTokPrivacy.FOLLOWERS, TikTokPrivacy.ONLY_ME, TikTokPrivacy("A_NEW_ONE")],
    duet_disabled=True,
    max_video_seconds=300,
)


@pytest.fixture
def account(caller: Caller, tiktok: ScriptedTikTok, browser: httpx.Client) -> str:
    """A connected TikTok account; gives its id."""
    assert tiktok.people
    return connect(caller, browser, "tiktok")


def creator(caller: Caller, connection_id: str) -> httpx.Response:
    url = f"{caller.service.base_url}/companion/v1/connections/{connection_id}/tiktok/creator"
    return caller.http.get(url)


def failing(kind: FailureKind) -> PlatformError:
    return PlatformError(kind, "code", "words of TikTok")


def test_tiktok_is_asked_once_a_minute(caller: Caller, account: str, tiktok: ScriptedTikTok) -> None:
    tiktok.creators = [CREATOR]
    told: list[dict[str, Any]] = [creator(caller, account).json() for _ in range(3)]
    assert (
        told
        == [
            {
                "nickname": "Robin",
                "username": "robin",
                "privacy_levels": ["FOLLOWER_OF_CREATOR", "SELF_ONLY", "A_NEW_ONE"],
                "comments_disabled": False,
                "duet_disabled": True,
                "stitch_disabled": False,
                "max_video_seconds": 300,
            }
        ]
        * 3
    )
    assert tiktok.asked_as == ["access-1"]


def test_callers_share_one_question(
    service: RunningService, caller: Caller, account: str, tiktok: ScriptedTikTok
) -> None:
    tiktok.pause = asyncio.Event()
    with ThreadPoolExecutor(4) as threads:
        asking = [threads.submit(creator, caller, account) for _ in range(4)]
        while not tiktok.asked_as:
            pass
        service.loop.call_soon_threadsafe(tiktok.pause.set)
        assert [one.result().status_code for one in asking] == [200] * 4
    assert tiktok.asked_as == ["access-1"]


def test_trouble_is_not_remembered(caller: Caller, account: str, tiktok: ScriptedTikTok) -> None:
    tiktok.creators = [failing(FailureKind.TRANSIENT), CREATOR]
    assert envelope(creator(caller, account)).error.code == "internal_error"
    assert creator(caller, account).status_code == 200


def test_a_refused_token_is_renewed(caller: Caller, account: str, tiktok: ScriptedTikTok) -> None:
    tiktok.creators = [failing(FailureKind.AUTH_EXPIRED), CREATOR]
    tiktok.grant = TokenGrant("access-2", "refresh-2", None)
    assert creator(caller, account).status_code == 200
    assert tiktok.asked_as == ["access-1", "access-2"]


def test_a_token_beyond_renewal_leads_to_a_new_consent(
    caller: Caller, account: str, tiktok: ScriptedTikTok
) -> None:
    tiktok.creators = [failing(FailureKind.AUTH_EXPIRED)]
    tiktok.grant = tiktok.people = failing(FailureKind.AUTH_EXPIRED)
    answer = creator(caller, account)
    assert answer.status_code == 401
    assert ReauthorizationNeeded.model_validate(answer.json()).reauth_url.startswith("https://tiktok.example")
    assert not stored(caller, account).is_available


@pytest.mark.parametrize("kind", [FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.QUOTA])
def test_passing_trouble_is_a_500_that_says_so(
    caller: Caller, account: str, tiktok: ScriptedTikTok, kind: FailureKind
) -> None:
    tiktok.creators = [failing(kind)]
    refused = envelope(creator(caller, account)).error
    assert refused.code == "internal_error"
    assert refused.message.endswith((".",))
    assert "TikTok" in refused.message
    assert stored(caller, account).is_available


@pytest.mark.parametrize("kind", [FailureKind.PERMISSION, FailureKind.INVALID])
def test_what_tiktok_says_against_the_account(
    caller: Caller, account: str, tiktok: ScriptedTikTok, kind: FailureKind
) -> None:
    tiktok.creators = [failing(kind)]
    answer = creator(caller, account)
    assert fields(answer) == {"id": "permission"}
    assert "words of TikTok" in answer.text


def test_only_own_accounts_on_tiktok_are_asked(
    service: RunningService, caller: Caller, account: str, tiktok: ScriptedTikTok
) -> None:
    for stranger, connection_id in ((service.new_caller(), account), (caller, str(uuid4()))):
        assert envelope(creator(stranger, connection_id)).error.code == "not_found"
    assert fields(creator(caller, caller.connect("pinterest"))) == {"id": "not_tiktok"}
    assert tiktok.asked_as == []
