"""Connecting: finding servers, registering apps, tokens, and what servers say about themselves."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.contract.places import PlaceLimits
from app.platforms.base import AppCredentials, FailureKind, PlatformError, Profile, TokenGrant
from app.platforms.mastodon.servers import Access, host_of, read_server
from tests.platforms.mastodon.people import ACCOUNT, APP, PLATFORM, SERVER, access, member_of
from tests.platforms.scripted import NOW, TOKEN, Script, Step, json_answer
from tests.platforms.world import Practice

CONFIGURATION: dict[str, Any] = {
    "statuses": {
        "max_characters": 1234,
        "max_media_attachments": 6,
        "characters_reserved_per_url": 25,
    },
    "media_attachments": {
        "description_limit": 800,
        "supported_mime_types": ["image/png", "video/mp4", "audio/ogg"],
        "image_size_limit": 1000,
        "image_matrix_limit": 2000,
        "video_size_limit": 3000,
        "video_frame_rate_limit": 60,
    },
}


def described(version: str = "4.5.2", **more: object) -> httpx.Response:
    return json_answer(200, {"version": version, "configuration": CONFIGURATION, **more})


# What people enter


@pytest.mark.parametrize(
    ("written", "server", "account"),
    [
        ("mastodon.social", "https://mastodon.social", None),
        (" \u202a@Robin@Mastodon.Social\u202c ", "https://mastodon.social", "Robin"),
        ("robin@mastodon.social", "https://mastodon.social", "robin"),
        ("https://mastodon.social/@robin/109", "https://mastodon.social", None),
        ("mastodon.social/@robin", "https://mastodon.social", None),
        ("http://mastodon.social", "https://mastodon.social", None),
        ("https://mastodon.social:443", "https://mastodon.social", None),
        ("mastodon.social:8443", "https://mastodon.social:8443", None),
        ("münster.im", "https://xn--mnster-3ya.im", None),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000", None),
    ],
)
def test_a_server_is_read_from_what_people_enter(written: str, server: str, account: str | None) -> None:
    assert read_server(written) == (server, account)


@pytest.mark.parametrize(
    "written",
    [
        *("", "nowhere", "a b", "https://", "mastodon.social:x", "-.example", "\u2028"),
        *("10.0.0.1", "[::1]", "169.254.169.254", "ftp://a.example", "javascript://a.example"),
    ],
)
def test_what_is_not_the_name_of_a_server(written: str) -> None:
    with pytest.raises(PlatformError) as caught:
        read_server(written)
    assert (caught.value.kind, caught.value.code) == (FailureKind.INVALID, "not_a_server")


def test_a_redirect_leads_to_the_server() -> None:
    moved = httpx.Response(301, headers={"Location": "https://wool.example/api/v1/instance"})
    script = Script(moved, described())
    assert script.run(PLATFORM, lambda adapter: adapter.server_of("www.wool.example")) == SERVER
    assert [str(one.url) for one in script.requests] == [
        "https://www.wool.example/api/v1/instance",
        "https://wool.example/api/v1/instance",
    ]


def test_redirects_end() -> None:
    moved = httpx.Response(302, headers={"Location": "https://wool.example/api/v1/instance"})
    error = Script(*[moved] * 4).fail(PLATFORM, lambda adapter: adapter.server_of("wool.example"))
    assert error.code == "not_mastodon"


@pytest.mark.parametrize("target", ["file:///etc/passwd", "https://10.0.0.1/", "//nowhere", ""])
def test_a_redirect_to_no_server_is_not_followed(target: str) -> None:
    moved = httpx.Response(302, headers={"Location": target})
    script = Script(moved, *([moved] * 3 if not target else []))
    error = script.fail(PLATFORM, lambda adapter: adapter.server_of("wool.example"))
    assert error.kind is FailureKind.INVALID


def test_an_address_in_another_domain_than_its_server() -> None:
    finger = {"links": [{"rel": "self", "href": "https://social.wool.example/users/robin"}]}
    script = Script(json_answer(404, {}), json_answer(200, finger), described())
    found = script.run(PLATFORM, lambda adapter: adapter.server_of("@robin@wool.example"))
    assert found == "https://social.wool.example"
    asked = script.requests[1].url
    assert (asked.path, asked.params["resource"]) == ("/.well-known/webfinger", "acct:robin@wool.example")


@pytest.mark.parametrize("answer", [json_answer(404, {}), httpx.Response(200, text="<html>")])
def test_a_server_with_another_api(answer: httpx.Response) -> None:
    error = Script(answer).fail(PLATFORM, lambda adapter: adapter.server_of("wool.example"))
    assert (error.kind, error.code) == (FailureKind.INVALID, "not_mastodon")
    assert "wool.example" in error.message


def test_a_server_with_a_problem_is_no_other_server() -> None:
    error = Script(json_answer(503, {})).fail(PLATFORM, lambda adapter: adapter.server_of("wool.example"))
    assert error.kind is FailureKind.TRANSIENT


# Apps and tokens


@pytest.mark.parametrize(
    ("version", "scopes"),
    [
        ("4.5.2", "read:accounts read:statuses write:media write:statuses"),
        ("2.7.2 (compatible; Akkoma 3.15)", "read:accounts read:statuses write:media write:statuses"),
        ("3.5.3 (compatible; Pixelfed 0.12.4)", "read write"),
    ],
)
def test_an_app_is_registered_with_the_scopes_that_the_server_has(version: str, scopes: str) -> None:
    answer = json_answer(200, {"client_id": "client-1234", "client_secret": "secret-1234"})
    script = Script(described(version), answer)
    app = script.run(PLATFORM, lambda adapter: adapter.register(SERVER, "http://127.0.0.1:9/cb"))
    assert app == AppCredentials("client-1234", "secret-1234", tuple(scopes.split()), SERVER)
    form = parse_qs(script.requests[1].content.decode())
    assert form == {
        "client_name": ["Kalends"],
        "redirect_uris": ["http://127.0.0.1:9/cb"],
        "scopes": [scopes],
    }


@pytest.mark.parametrize(
    ("answer", "is_known"),
    [
        (json_answer(200, {"access_token": "app-token"}), True),
        (json_answer(401, {"error": "invalid_client"}), False),
        (json_answer(400, {"error": "unsupported_grant_type"}), True),
        (json_answer(503, {}), True),
        (httpx.ConnectTimeout("late"), True),
    ],
)
def test_only_a_server_that_forgot_an_app_gets_another(answer: Step, is_known: bool) -> None:
    assert Script(answer).run(PLATFORM, lambda adapter: adapter.knows(APP)) is is_known


def test_the_consent_page_is_the_servers_own() -> None:
    async def address(adapter: Any) -> str:
        return str(
            adapter.authorization_url(
                APP, redirect_uri="http://127.0.0.1:9/cb", state="s", code_challenge="c"
            )
        )

    asked = urlsplit(Script().run(PLATFORM, address))
    assert f"{asked.scheme}://{asked.netloc}{asked.path}" == f"{SERVER}/oauth/authorize"
    assert parse_qs(asked.query) == {
        "response_type": ["code"],
        "client_id": ["client-1234"],
        "redirect_uri": ["http://127.0.0.1:9/cb"],
        "scope": ["read write"],
        "state": ["s"],
        "code_challenge": ["c"],
        "code_challenge_method": ["S256"],
    }


def exchanged(*steps: Step) -> tuple[TokenGrant, Script]:
    script = Script(*steps)
    grant: TokenGrant = script.run(
        PLATFORM,
        lambda adapter: adapter.exchange_code(
            APP, redirect_uri="http://127.0.0.1:9/cb", code="code-1234", code_verifier="v" * 43
        ),
    )
    return grant, script


@pytest.mark.parametrize(
    ("version", "keeps_keys"),
    [
        ("4.5.2", True),
        ("4.4.0+glitch", True),
        ("10.0.1", True),
        ("2.7.2 (compatible; Akkoma 3.15.2)", True),
        ("2.7.2 (compatible; Pleroma 2.9.1)", True),
        ("3.5.3 (compatible; Pixelfed 0.12.4)", False),
        ("2.8.0 (compatible; Friendica 2024.12)", False),
        ("0.19.1+git-5b2c1a7", False),
        ("", False),
    ],
)
def test_the_token_is_for_one_server_and_says_whether_keys_count(version: str, keeps_keys: bool) -> None:
    grant, script = exchanged(described(version), json_answer(200, {"access_token": TOKEN}))
    assert (grant.refresh_token, grant.expires_at) == (None, None)
    given = Access.read(grant.access_token)
    assert (given.server, given.token, given.app.client_secret) == (SERVER, TOKEN, "secret-1234")
    assert given.keeps_keys is keeps_keys
    form = parse_qs(script.requests[1].content.decode())
    assert (form["code"], form["code_verifier"]) == (["code-1234"], ["v" * 43])


def test_a_server_that_does_not_describe_itself_still_gives_access() -> None:
    grant, _ = exchanged(json_answer(500, {}), json_answer(200, {"access_token": TOKEN}))
    assert not Access.read(grant.access_token).keeps_keys


def test_tokens_that_end_are_renewed() -> None:
    answer = {"access_token": TOKEN, "refresh_token": "refresh-1234", "expires_in": 3600}
    grant, _ = exchanged(described(), json_answer(200, answer))
    assert grant.expires_at == NOW + timedelta(hours=1)
    again = Script(json_answer(200, {"access_token": "next-token"}))
    old = grant.refresh_token or ""
    renewed: TokenGrant = again.run(PLATFORM, lambda adapter: adapter.refresh(AppCredentials(""), old))
    assert Access.read(renewed.access_token).token == "next-token"
    [request] = again.requests
    assert str(request.url) == f"{SERVER}/oauth/token"
    assert parse_qs(request.content.decode())["refresh_token"] == ["refresh-1234"]


def test_signing_out_revokes_the_token() -> None:
    script = Script(json_answer(200, {}))
    script.run(PLATFORM, lambda adapter: adapter.sign_out(TokenGrant(access(), None, None)))
    [request] = script.requests
    assert str(request.url) == f"{SERVER}/oauth/revoke"
    assert parse_qs(request.content.decode()) == {
        "client_id": ["client-1234"],
        "client_secret": ["secret-1234"],
        "token": [TOKEN],
    }


@pytest.mark.parametrize("stored", ["", TOKEN, "{}", json.dumps({"server": "javascript:x", "token": TOKEN})])
def test_access_that_names_no_server_has_ended(stored: str) -> None:
    error = Script().fail(PLATFORM, lambda adapter: adapter.profiles(stored))
    assert (error.kind, error.code) == (FailureKind.AUTH_EXPIRED, "unreadable_access")


def test_an_account_names_its_server() -> None:
    shown = {
        "id": "109",
        "username": "robin",
        "display_name": "",
        "avatar": "javascript:x",
        "followers_count": 3,
    }
    script = Script(json_answer(200, shown))
    profiles = script.run(PLATFORM, lambda adapter: adapter.profiles(access()))
    assert profiles == [
        Profile(ACCOUNT, display_name="robin", username="robin@wool.example", follower_count=3)
    ]
    assert script.requests[0].headers["authorization"] == f"Bearer {TOKEN}"


# Limits


def test_limits_are_read_from_the_server() -> None:
    found = Script(described()).run(PLATFORM, lambda adapter: adapter.limits(access()))
    assert found == PlaceLimits(
        text_max=1234,
        link_length=25,
        alt_text_max=800,
        content_types=["image/png", "video/mp4"],
        image_bytes_max=1000,
        image_pixels_max=2000,
        video_bytes_max=3000,
        video_frame_rate_max=60,
        files_max=6,
        read_at=NOW,
    )


def test_limits_of_servers_that_have_only_the_first_version() -> None:
    old = json_answer(200, {"version": "2.7.2 (compatible; Pleroma 2.4)", "max_toot_chars": 5000})
    script = Script(json_answer(404, {}), old)
    found = script.run(PLATFORM, lambda adapter: adapter.limits(access()))
    assert found == PlaceLimits(text_max=5000, read_at=NOW)
    assert [one.url.path for one in script.requests] == ["/api/v2/instance", "/api/v1/instance"]


@pytest.mark.parametrize(
    "configuration",
    [
        *(None, [], "x", {"statuses": None}, {"media_attachments": {"supported_mime_types": [1, 2]}}),
        *({"statuses": {"max_characters": limit}} for limit in ("many", -1, 10**30)),
    ],
)
def test_a_strange_answer_has_no_limits(configuration: object) -> None:
    answer = json_answer(200, {"version": 7, "configuration": configuration})
    found = Script(answer).run(PLATFORM, lambda adapter: adapter.limits(access()))
    assert found == PlaceLimits(read_at=NOW)


@pytest.mark.parametrize(
    ("server", "text_max"), [("wool.example", 500), ("gotosocial.example", 5000), ("akkoma.example", 5000)]
)
def test_limits_of_the_stand_ins_servers(practice: Practice, server: str, text_max: int) -> None:
    member = member_of(practice, server)
    assert host_of(Access.read(member.grant.access_token).server) == server
    limits: PlaceLimits = practice.run(PLATFORM, lambda adapter: adapter.limits(member.grant.access_token))
    assert limits.text_max == text_max
