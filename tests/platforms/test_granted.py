"""What platforms say about a token's permissions and an app's audit, by their documented answers."""

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.adapters import (
    Adapter,
    AppAdapter,
    AuditAdapter,
    FollowersAdapter,
    GrantedAdapter,
    publishing_scopes,
)
from app.platforms.base import FailureKind
from app.platforms.cards import CALLED_PLATFORMS, CARDS
from tests.platforms.scripted import TOKEN, Script, json_answer
from tests.platforms.world import APP

GOOGLE = "https://www.googleapis.com/auth/"
# learn.microsoft.com/linkedin/shared/authentication/token-introspection
INSPECTED = {
    "active": True,
    "client_id": "xxxxxxxx",
    "authorized_at": 1493055596,
    "created_at": 1493055596,
    "status": "active",
    "expires_at": 1497497620,
    "scope": "r_liteprofile,r_emailaddress,w_member_social",
    "auth_type": "3L",
}
# developers.google.com/identity/protocols/oauth2, and the answer of the endpoint itself
TOKEN_INFO = {
    "azp": "32555940559.apps.googleusercontent.com",
    "aud": "32555940559.apps.googleusercontent.com",
    "scope": f"{GOOGLE}youtube.readonly {GOOGLE}youtube.upload",
    "exp": "1650056632",
    "expires_in": "3488",
    "access_type": "offline",
}
# developers.facebook.com/docs/graph-api/reference/debug_token
DEBUGGED = {
    "data": {
        "app_id": "138483919580948",
        "type": "PAGE",
        "application": "Social Cafe",
        "expires_at": 1352419328,
        "is_valid": True,
        "issued_at": 1347235328,
        "scopes": ["pages_show_list", "pages_manage_posts"],
        "user_id": "1207059",
    }
}


def granted(script: Script, platform: P) -> frozenset[str] | None:
    async def ask(adapter: GrantedAdapter) -> frozenset[str] | None:
        assert isinstance(adapter, GrantedAdapter)
        return await adapter.granted(APP, TOKEN)

    return script.run(platform, ask)


@pytest.mark.parametrize(
    ("platform", "answer", "scopes"),
    [
        (P.LINKEDIN, INSPECTED, {"r_liteprofile", "r_emailaddress", "w_member_social"}),
        (P.YOUTUBE, TOKEN_INFO, {f"{GOOGLE}youtube.readonly", f"{GOOGLE}youtube.upload"}),
        (P.FACEBOOK, DEBUGGED, {"pages_show_list", "pages_manage_posts"}),
        (P.INSTAGRAM, DEBUGGED, {"pages_show_list", "pages_manage_posts"}),
        (P.LINKEDIN, {"active": True}, None),
    ],
)
def test_granted_scopes_are_read(platform: P, answer: object, scopes: set[str] | None) -> None:
    assert granted(Script(json_answer(200, answer)), platform) == scopes


def test_instagrams_own_login_is_not_asked_with_the_calls_of_pages() -> None:
    """They are Facebook's, and its apps aren't known there."""

    async def abilities(adapter: Adapter) -> list[bool]:
        return [isinstance(adapter, kind) for kind in (GrantedAdapter, AppAdapter, FollowersAdapter)]

    assert Script().run(P.INSTAGRAM, abilities, instagram_login=True) == [False, False, False]
    assert Script().run(P.INSTAGRAM, abilities) == [True, True, True]


@pytest.mark.parametrize(
    ("instagram_login", "scopes"),
    [
        (False, {"instagram_content_publish", "pages_manage_posts"}),
        (True, {"instagram_business_content_publish"}),
    ],
)
def test_each_login_of_instagram_needs_its_own_permissions(instagram_login: bool, scopes: set[str]) -> None:
    async def needed(adapter: Adapter) -> frozenset[str]:
        return publishing_scopes(CARDS[P.INSTAGRAM], adapter)

    assert Script().run(P.INSTAGRAM, needed, instagram_login=instagram_login) == scopes


async def _needs_scopes_that_it_requests(adapter: Adapter) -> None:
    wanted = publishing_scopes(CARDS[adapter.platform], adapter)
    assert bool(wanted) == bool(CARDS[adapter.platform].registration.publishing)


@pytest.mark.parametrize("platform", list(CALLED_PLATFORMS))
def test_every_platform_requests_what_publishing_needs(platform: str) -> None:
    Script().run(P(platform), _needs_scopes_that_it_requests)


@pytest.mark.parametrize(
    ("platform", "answer", "words"),
    [
        (P.LINKEDIN, {"active": False, "status": "revoked"}, "LinkedIn says that this access is revoked."),
        (P.FACEBOOK, {"data": {"is_valid": False}}, "Meta says that this access is no longer valid."),
    ],
)
def test_an_ended_access_is_noticed(platform: P, answer: object, words: str) -> None:
    async def ask(adapter: GrantedAdapter) -> object:
        return await adapter.granted(APP, TOKEN)

    error = Script(json_answer(200, answer)).fail(platform, ask)

    assert (error.kind, error.message) == (FailureKind.AUTH_EXPIRED, words)


def test_linkedin_is_asked_with_the_apps_own_keys() -> None:
    script = Script(json_answer(200, INSPECTED))
    granted(script, P.LINKEDIN)

    (request,) = script.requests
    assert str(request.url) == "https://www.linkedin.com/oauth/v2/introspectToken"
    form = dict(httpx.QueryParams(request.content.decode()))
    assert form == {"client_id": APP.client_id, "client_secret": APP.client_secret, "token": TOKEN}


def test_meta_is_asked_with_the_apps_own_token() -> None:
    script = Script(json_answer(200, DEBUGGED))
    granted(script, P.FACEBOOK)

    (request,) = script.requests
    assert request.url.path.endswith("/debug_token")
    assert request.headers["Authorization"] == f"Bearer {APP.client_id}|{APP.client_secret}"


# developers.google.com/youtube/v3/docs/videos: uploads of unaudited projects are restricted to private
@pytest.mark.parametrize(
    ("items", "locked"),
    [
        ([{"id": "v", "status": {"uploadStatus": "processed", "privacyStatus": "private"}}], True),
        ([{"id": "v", "status": {"uploadStatus": "processed", "privacyStatus": "public"}}], False),
        ([], None),
    ],
)
def test_youtube_says_whether_it_made_a_video_private(items: list[object], locked: bool | None) -> None:
    script = Script(json_answer(200, {"items": items}))

    async def ask(adapter: AuditAdapter) -> bool | None:
        return await adapter.is_locked(TOKEN, "v")

    assert script.run(P.YOUTUBE, ask) is locked
    assert dict(script.requests[0].url.params) == {"part": "status", "id": "v"}
