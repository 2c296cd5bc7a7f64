"""Consent addresses, codes and accounts of the platforms, by their documented forms."""

import base64
import hashlib
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.adapters import Adapter, BoardAdapter, ConsentAdapter
from app.platforms.base import Board, BoardPage, Profile, TokenGrant
from tests.platforms.scripted import TOKEN, Script, json_answer
from tests.platforms.world import APP, REDIRECT

VERIFIER = "v" * 64
DIGEST = hashlib.sha256(VERIFIER.encode()).digest()
CHALLENGE = base64.urlsafe_b64encode(DIGEST).rstrip(b"=").decode()
GOOGLE = "https://www.googleapis.com/auth/"
META_CODE = {"access_token": "short-token", "token_type": "bearer", "expires_in": 5000}
PERMISSIONS = {
    "data": [
        {"permission": "pages_show_list", "status": "granted"},
        {"permission": "pages_manage_posts", "status": "declined"},
    ]
}
"""As in Meta's reference of /me/permissions."""
META_LONG = {"access_token": TOKEN, "token_type": "bearer", "expires_in": 5_183_944}


@pytest.mark.parametrize(
    ("platform", "address", "own"),
    [
        (
            P.TIKTOK,
            "https://www.tiktok.com/v2/auth/authorize/",
            {
                "client_key": "practice-app",
                "scope": "user.info.basic,user.info.profile,user.info.stats,video.publish,video.upload,"
                "video.list",
                "code_challenge": DIGEST.hex(),
                "code_challenge_method": "S256",
            },
        ),
        (
            P.PINTEREST,
            "https://www.pinterest.com/oauth/",
            {
                "client_id": "practice-app",
                "scope": "user_accounts:read,boards:read,boards:write,pins:read,pins:write",
            },
        ),
        (
            P.YOUTUBE,
            "https://accounts.google.com/o/oauth2/v2/auth",
            {
                "client_id": "practice-app",
                "scope": f"{GOOGLE}youtube.upload {GOOGLE}youtube.readonly {GOOGLE}yt-analytics.readonly",
                "access_type": "offline",
                "prompt": "consent",
                "code_challenge": CHALLENGE,
                "code_challenge_method": "S256",
            },
        ),
        (
            P.FACEBOOK,
            "https://www.facebook.com/v25.0/dialog/oauth",
            {
                "client_id": "practice-app",
                "scope": "pages_show_list,pages_manage_posts,pages_read_engagement,read_insights,"
                "business_management",
            },
        ),
        (
            P.THREADS,
            "https://www.threads.net/oauth/authorize",
            {"client_id": "practice-app", "scope": "threads_basic"},
        ),
    ],
)
def test_consent_addresses(platform: P, address: str, own: dict[str, str]) -> None:
    async def work(adapter: ConsentAdapter) -> str:
        return adapter.authorization_url(APP, redirect_uri=REDIRECT, state="s", code_challenge=CHALLENGE)

    parts = urlsplit(Script().run(platform, work))
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == address
    base = {"redirect_uri": REDIRECT, "response_type": "code", "state": "s"}
    assert dict(parse_qsl(parts.query)) == base | own


def exchanged(script: Script, platform: P) -> TokenGrant:
    grant: TokenGrant = script.run(
        platform,
        lambda adapter: adapter.exchange_code(
            APP, redirect_uri=REDIRECT, code="the-code", code_verifier=VERIFIER
        ),
    )
    return grant


@pytest.mark.parametrize(
    ("platform", "address", "own"),
    [
        (
            P.TIKTOK,
            "https://open.tiktokapis.com/v2/oauth/token/",
            {"client_key": "practice-app", "client_secret": "practice-secret", "code_verifier": VERIFIER},
        ),
        (P.PINTEREST, "https://api.pinterest.com/v5/oauth/token", {"continuous_refresh": "true"}),
        (
            P.YOUTUBE,
            "https://oauth2.googleapis.com/token",
            {"client_id": "practice-app", "client_secret": "practice-secret", "code_verifier": VERIFIER},
        ),
    ],
)
def test_codes_become_tokens(platform: P, address: str, own: dict[str, str]) -> None:
    script = Script(json_answer(200, {"access_token": TOKEN, "refresh_token": "next", "expires_in": 60}))
    grant = exchanged(script, platform)
    assert (grant.access_token, grant.refresh_token) == (TOKEN, "next")
    [request] = script.requests
    assert str(request.url) == address
    form = {name: value for name, [value] in parse_qs(request.content.decode()).items()}
    base = {"grant_type": "authorization_code", "code": "the-code", "redirect_uri": REDIRECT}
    assert form == base | own
    basic = "Basic " + base64.b64encode(b"practice-app:practice-secret").decode()
    assert request.headers.get("Authorization") == (basic if platform is P.PINTEREST else None)


@pytest.mark.parametrize("platform", [P.FACEBOOK, P.INSTAGRAM], ids=str)
def test_a_code_of_facebook_login_becomes_a_token_for_sixty_days(platform: P) -> None:
    script = Script(json_answer(200, META_CODE), json_answer(200, META_LONG), json_answer(200, PERMISSIONS))
    grant = exchanged(script, platform)
    assert (grant.access_token, grant.refresh_token) == (TOKEN, TOKEN)
    assert grant.scopes == frozenset({"pages_show_list"})
    first, second, third = script.requests
    assert third.url.path == "/v25.0/me/permissions"
    for request in (first, second):
        assert str(request.url).startswith("https://graph.facebook.com/v25.0/oauth/access_token?")
    app = {"client_id": "practice-app", "client_secret": "practice-secret"}
    assert dict(first.url.params) == app | {"redirect_uri": REDIRECT, "code": "the-code"}
    exchange = {"grant_type": "fb_exchange_token", "fb_exchange_token": "short-token"}
    assert dict(second.url.params) == app | exchange


@pytest.mark.parametrize(
    "answer", [json_answer(500, {}), json_answer(200, {"data": []}), json_answer(200, [])]
)
def test_a_sign_in_succeeds_although_meta_names_no_permissions(answer: httpx.Response) -> None:
    script = Script(json_answer(200, META_CODE), json_answer(200, META_LONG), answer)
    assert exchanged(script, P.FACEBOOK).scopes is None


def test_a_code_of_threads_becomes_a_token_for_sixty_days() -> None:
    script = Script(
        json_answer(200, {"access_token": "short-token", "user_id": 1}), json_answer(200, META_LONG)
    )
    assert exchanged(script, P.THREADS).access_token == TOKEN
    first, second = script.requests
    assert (first.method, str(first.url)) == ("POST", "https://graph.threads.net/oauth/access_token")
    assert (second.method, second.url.path) == ("GET", "/access_token")
    assert second.headers["Authorization"] == "Bearer short-token"
    assert dict(second.url.params) == {
        "grant_type": "th_exchange_token",
        "client_secret": "practice-secret",
    }


PAGE = {"id": "10", "name": "Studio", "access_token": "page-token", "tasks": ["CREATE_CONTENT"]}
PAGE_GRANT = TokenGrant("page-token", None, None)


@pytest.mark.parametrize(
    ("platform", "answer", "profiles"),
    [
        (
            P.TIKTOK,
            {
                "data": {
                    "user": {
                        "open_id": "-000a",
                        "display_name": "Robin",
                        "username": "robin",
                        "avatar_url": "https://p16.tiktokcdn.com/a.jpg",
                        "is_verified": True,
                        "follower_count": 7,
                    }
                },
                "error": {"code": "ok", "message": ""},
            },
            [Profile("-000a", "Robin", "robin", "https://p16.tiktokcdn.com/a.jpg", True, 7)],
        ),
        (
            P.PINTEREST,
            {
                "id": "123",
                "username": "robin",
                "business_name": None,
                "profile_image": "x",
                "follower_count": 7,
            },
            [Profile("123", "robin", "robin", None, None, 7)],
        ),
        (
            P.YOUTUBE,
            {
                "items": [
                    {
                        "id": "UCa",
                        "snippet": {
                            "title": "Robin",
                            "customUrl": "@robin",
                            "thumbnails": {"default": {"url": "https://yt3.ggpht.com/a"}},
                        },
                        "statistics": {"subscriberCount": "7", "hiddenSubscriberCount": False},
                    }
                ]
            },
            [Profile("UCa", "Robin", "robin", "https://yt3.ggpht.com/a", None, 7)],
        ),
        (P.YOUTUBE, {"kind": "youtube#channelListResponse"}, []),
        (
            P.THREADS,
            {"id": "5", "username": "robin", "name": "Robin", "is_verified": False},
            [Profile("5", "Robin", "robin", None, False)],
        ),
        (
            P.FACEBOOK,
            {
                "data": [
                    PAGE
                    | {
                        "username": "studio",
                        "picture": {"data": {"url": "https://scontent.xx.fbcdn.net/a"}},
                        "followers_count": 7,
                        "verification_status": "blue_verified",
                    },
                    {**PAGE, "id": "11", "tasks": ["ANALYZE"]},
                    {"id": "12", "name": "No token", "tasks": ["CREATE_CONTENT"]},
                ]
            },
            [Profile("10", "Studio", "studio", "https://scontent.xx.fbcdn.net/a", True, 7, PAGE_GRANT)],
        ),
        (
            P.INSTAGRAM,
            {
                "data": [
                    PAGE | {"instagram_business_account": {"id": "178", "username": "studio"}},
                    {**PAGE, "id": "11"},
                ]
            },
            [Profile("178", "studio", "studio", None, None, None, PAGE_GRANT)],
        ),
    ],
)
def test_accounts(platform: P, answer: dict[str, Any], profiles: list[Profile]) -> None:
    script = Script(json_answer(200, answer))
    assert script.run(platform, lambda adapter: adapter.profiles(TOKEN)) == profiles
    assert script.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"
    assert TOKEN not in str(script.requests[0].url)


@pytest.mark.parametrize("platform", list(P), ids=str)
@pytest.mark.parametrize("body", [[], "text", {"id": "../1", "sub": "a/b", "data": {"id": "x"}, "items": 5}])
def test_an_account_that_makes_no_sense_is_an_error(platform: P, body: object) -> None:
    error = Script(json_answer(200, body)).fail(platform, lambda adapter: adapter.profiles(TOKEN))
    assert error.code == "unexpected_answer"


def test_every_part_of_the_list_of_pages_is_read() -> None:
    next_part = {"cursors": {"after": "abc"}, "next": "https://graph.facebook.com/v25.0/next"}
    script = Script(
        json_answer(200, {"data": [PAGE], "paging": next_part}),
        json_answer(200, {"data": [{**PAGE, "id": "11"}], "paging": {"cursors": {"after": "def"}}}),
    )
    pages = script.run(P.FACEBOOK, lambda adapter: adapter.profiles(TOKEN))
    assert [page.account_identifier for page in pages] == ["10", "11"]
    assert script.requests[1].url.params["after"] == "abc"


def test_boards() -> None:
    body = {
        "items": [
            {"id": "1", "name": "Studio", "description": "", "privacy": "PUBLIC", "pin_count": 3},
            {"id": "2", "name": "Trails"},
        ],
        "bookmark": "next",
    }
    script = Script(json_answer(200, body))

    async def work(adapter: Adapter) -> BoardPage:
        assert isinstance(adapter, BoardAdapter)
        return await adapter.boards(TOKEN, page_size=2, bookmark="this")

    page = script.run(P.PINTEREST, work)
    assert page == BoardPage(
        [Board("1", "Studio", None, "PUBLIC", 3), Board("2", "Trails", None, None, None)], "next"
    )
    [request] = script.requests
    assert str(request.url) == "https://api.pinterest.com/v5/boards?page_size=2&bookmark=this"
