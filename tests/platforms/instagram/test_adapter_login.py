"""Instagram Login: tokens and accounts without Pages, in the forms that answers have."""

from datetime import timedelta
from typing import Any

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import ConsentAdapter
from app.platforms.base import AppCredentials, FailureKind, PlatformError, Profile, TokenGrant
from tests.platforms.scripted import NOW, Script, json_answer

INSTAGRAM = ConnectionPlatform.INSTAGRAM
APP = AppCredentials("my-app", "app-secret-1")


@pytest.mark.parametrize("permissions", ["instagram_business_basic", ["instagram_business_basic"]])
@pytest.mark.parametrize("listed", [False, True])
def test_a_code_becomes_a_token_for_60_days(listed: bool, permissions: object) -> None:
    token = {
        "access_token": "IGshort",
        "user_id": 17841400000000001,
        "permissions": permissions,
    }
    script = Script(
        json_answer(200, {"data": [token]} if listed else token),
        json_answer(200, {"access_token": "IGlong", "token_type": "bearer", "expires_in": 5_184_000}),
    )
    grant: TokenGrant = script.run(
        INSTAGRAM,
        lambda adapter: adapter.exchange_code(
            APP, redirect_uri="https://plan.example/callback/instagram", code="AQ1#_", code_verifier="v"
        ),
        instagram_login=True,
    )

    assert (grant.access_token, grant.refresh_token) == ("IGlong", "IGlong")
    assert grant.scopes == frozenset({"instagram_business_basic"})
    assert grant.expires_at == NOW + timedelta(days=60)
    first, second = script.requests
    assert (first.method, str(first.url)) == ("POST", "https://api.instagram.com/oauth/access_token")
    assert b"code=AQ1&" in first.content + b"&"
    assert str(second.url).startswith("https://graph.instagram.com/access_token?grant_type=ig_exchange_token")
    assert second.headers["authorization"] == "Bearer IGshort"


def test_a_refused_code_is_explained_in_instagrams_words() -> None:
    words = "Matching code was not found or was already used"
    refused = json_answer(400, {"error_type": "OAuthException", "code": 400, "error_message": words})

    async def exchange(adapter: ConsentAdapter) -> None:
        with pytest.raises(PlatformError) as caught:
            await adapter.exchange_code(
                APP, redirect_uri="https://plan.example", code="AQ1", code_verifier=""
            )
        assert (caught.value.kind, caught.value.message) == (FailureKind.AUTH_EXPIRED, words)

    Script(refused).run(INSTAGRAM, exchange, instagram_login=True)


@pytest.mark.parametrize("written", [str, int])
def test_an_account_is_known_by_its_id(written: Any) -> None:
    user = {"id": "1", "user_id": written(17841400000000001), "username": "robin", "followers_count": 3}
    script = Script(json_answer(200, user))
    found = script.run(INSTAGRAM, lambda adapter: adapter.profiles("IGlong"), instagram_login=True)

    assert found == [Profile("17841400000000001", display_name="robin", username="robin", follower_count=3)]
