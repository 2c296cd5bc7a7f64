"""Token endpoints: what ends an account's access, and what does not."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import ConsentAdapter
from app.platforms.base import AppCredentials, Cause, FailureKind, PlatformError
from app.platforms.cards import CARDS
from tests.platforms.scripted import NOW, Script, Step, json_answer

APP = AppCredentials("my-app", "app-secret-1")
# Meta refuses in its own form.
META = {ConnectionPlatform.INSTAGRAM, ConnectionPlatform.FACEBOOK, ConnectionPlatform.THREADS}
PLATFORMS = [platform for platform in ConnectionPlatform if platform not in META]


def refresh(platform: ConnectionPlatform, *steps: Step) -> PlatformError:
    return Script(*steps).fail(platform, lambda adapter: adapter.refresh(APP, "refresh-token-1"))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, "invalid_grant", FailureKind.AUTH_EXPIRED),
        (400, "invalid_request", FailureKind.AUTH_EXPIRED),
        (401, "invalid_token", FailureKind.AUTH_EXPIRED),
        (400, "invalid_client", FailureKind.PERMISSION),
        (401, "invalid_client", FailureKind.PERMISSION),
        (401, "unauthorized_client", FailureKind.PERMISSION),
        (400, "unsupported_grant_type", FailureKind.PERMISSION),
        (429, "slow_down", FailureKind.RATE_LIMITED),
        (500, "server_error", FailureKind.TRANSIENT),
        (503, "temporarily_unavailable", FailureKind.TRANSIENT),
        (503, "invalid_request", FailureKind.TRANSIENT),
    ],
)
def test_refused_refreshes(platform: ConnectionPlatform, status: int, error: str, kind: FailureKind) -> None:
    raised = refresh(platform, json_answer(status, {"error": error, "error_description": "Words."}))
    assert (raised.kind, raised.code, raised.message) == (kind, error, "Words.")


@pytest.mark.parametrize("platform", ConnectionPlatform)
@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (httpx.Response(401), FailureKind.TRANSIENT),
        (httpx.Response(403, text="<html>"), FailureKind.TRANSIENT),
        (httpx.Response(502, text="<html>"), FailureKind.TRANSIENT),
        (httpx.ConnectError("down"), FailureKind.TRANSIENT),
        (httpx.ReadTimeout("slow"), FailureKind.TRANSIENT),
        (httpx.Response(200, text="hello"), FailureKind.TRANSIENT),
        (json_answer(200, {"access_token": ""}), FailureKind.TRANSIENT),
        (json_answer(200, {"access_token": "two words"}), FailureKind.TRANSIENT),
        (json_answer(200, {"access_token": "a\r\nX-Evil: 1"}), FailureKind.TRANSIENT),
        (json_answer(200, {"access_token": "good", "expires_in": 10**12}), FailureKind.TRANSIENT),
    ],
)
def test_trouble_is_not_the_end_of_an_account(
    platform: ConnectionPlatform, step: Step, kind: FailureKind
) -> None:
    assert refresh(platform, step).kind is kind


@pytest.mark.parametrize("platform", META)
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, 190, FailureKind.AUTH_EXPIRED),
        (400, 100, FailureKind.AUTH_EXPIRED),
        (400, 1, FailureKind.PERMISSION),
        (400, 101, FailureKind.PERMISSION),
        (499, 1, FailureKind.PERMISSION),
        (400, 4, FailureKind.RATE_LIMITED),
        (500, 1, FailureKind.TRANSIENT),
        (503, 2, FailureKind.TRANSIENT),
    ],
)
def test_refused_refreshes_of_meta(
    platform: ConnectionPlatform, status: int, code: int, kind: FailureKind
) -> None:
    raised = refresh(platform, json_answer(status, {"error": {"message": "Words.", "code": code}}))
    assert (raised.kind, raised.code, raised.message) == (kind, str(code), "Words.")


@pytest.mark.parametrize("platform", META)
@pytest.mark.parametrize(
    ("error", "kind", "cause"),
    [
        ({"code": 1}, FailureKind.PERMISSION, Cause.APP),
        ({"code": 101}, FailureKind.PERMISSION, Cause.APP),
        ({"code": 100, "error_subcode": 2207052}, FailureKind.AUTH_EXPIRED, None),
        ({"code": 10, "error_subcode": 2207050}, FailureKind.PERMISSION, Cause.RESTRICTED),
        ({"code": 2}, FailureKind.TRANSIENT, None),
    ],
)
def test_why_meta_refuses_a_refresh(
    platform: ConnectionPlatform, error: dict[str, int], kind: FailureKind, cause: Cause | None
) -> None:
    raised = refresh(platform, json_answer(400, {"error": error}))
    assert (raised.kind, raised.cause) == (kind, cause)


@pytest.mark.parametrize("platform", META)
def test_a_token_of_meta_may_have_no_end(platform: ConnectionPlatform) -> None:
    script = Script(json_answer(200, {"access_token": "next"}))
    grant = script.run(platform, lambda adapter: adapter.refresh(APP, "refresh-token-1"))
    assert (grant.access_token, grant.expires_at) == ("next", None)


@pytest.mark.parametrize("platform", META)
def test_a_token_of_meta_is_what_it_is_renewed_with(platform: ConnectionPlatform) -> None:
    script = Script(json_answer(200, {"access_token": "next", "expires_in": 60}))
    grant = script.run(platform, lambda adapter: adapter.refresh(APP, "refresh-token-1"))
    assert (grant.access_token, grant.refresh_token) == ("next", "next")
    assert grant.expires_at == NOW + timedelta(minutes=1)


@pytest.mark.parametrize(
    "platform", [one for one in ConnectionPlatform if one is not ConnectionPlatform.X], ids=str
)
def test_a_code_is_worth_nothing_without_the_apps_secret(platform: ConnectionPlatform) -> None:
    error = Script().fail(
        platform,
        lambda adapter: adapter.exchange_code(
            AppCredentials("my-app"), redirect_uri="http://127.0.0.1:1/", code="c", code_verifier="v"
        ),
    )
    assert (error.kind, error.code) == (FailureKind.PERMISSION, "client_secret")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_token_may_have_no_end(platform: ConnectionPlatform) -> None:
    script = Script(json_answer(200, {"access_token": "good"}))
    grant = script.run(platform, lambda adapter: adapter.refresh(APP, "refresh-token-1"))
    assert (grant.access_token, grant.refresh_token, grant.expires_at) == ("good", None, None)


@pytest.mark.parametrize(
    ("scope", "granted"),
    [
        ("openid,profile,w_member_social", {"openid", "profile", "w_member_social"}),
        ("tweet.read tweet.write", {"tweet.read", "tweet.write"}),
        (" pins:read, pins:write ", {"pins:read", "pins:write"}),
        ("", None),
        (None, None),
        (7, None),
        (["tweet.write"], None),
    ],
)
def test_the_granted_scopes_are_read_in_either_form(scope: object, granted: set[str] | None) -> None:
    """Commas as LinkedIn, Pinterest and TikTok document them, spaces as in RFC 6749."""
    script = Script(json_answer(200, {"access_token": "good", "scope": scope}))
    grant = script.run(ConnectionPlatform.X, lambda adapter: adapter.refresh(APP, "refresh-token-1"))
    assert grant.scopes == granted


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_scope_that_publishing_needs_is_requested(platform: ConnectionPlatform) -> None:
    registration = CARDS[platform].registration
    assert bool(registration.publishing) == bool(registration.permission_advice)

    async def consent_url(adapter: ConsentAdapter) -> str:
        challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # that of RFC 7636
        redirect_uri = "http://127.0.0.1:1/"
        return adapter.authorization_url(APP, redirect_uri=redirect_uri, state="s", code_challenge=challenge)

    url = Script().run(platform, consent_url)
    asked = set(re.split(r"[ ,]", parse_qs(urlsplit(url).query)["scope"][0]))
    assert registration.publishing <= asked
    assert registration.publishing


META_BAD_SECRET = {
    "error": {"message": "Error validating client secret.", "type": "OAuthException", "code": 1}
}
TIKTOK_BAD_SECRET = {"error": "invalid_client", "error_description": "Client secret is incorrect."}


@pytest.mark.parametrize(
    ("platform", "token", "refusal"),
    [
        (
            ConnectionPlatform.FACEBOOK,
            {"access_token": "my-app|abc", "token_type": "bearer"},
            json_answer(400, META_BAD_SECRET),
        ),
        (
            ConnectionPlatform.INSTAGRAM,
            {"access_token": "my-app|abc", "token_type": "bearer"},
            json_answer(400, META_BAD_SECRET),
        ),
        (
            ConnectionPlatform.TIKTOK,
            {"access_token": "clt.abc", "expires_in": 7200, "token_type": "Bearer"},
            json_answer(200, TIKTOK_BAD_SECRET),
        ),
    ],
)
def test_an_app_signs_in_without_a_user(
    platform: ConnectionPlatform, token: object, refusal: httpx.Response
) -> None:
    """The answers are those of Meta's and TikTok's documentation of client credentials."""
    accepted = Script(json_answer(200, token))
    accepted.run(platform, lambda adapter: adapter.check_app(APP))
    [request] = accepted.requests
    told = f"{request.url}&{request.content.decode()}"
    assert "grant_type=client_credentials" in told
    assert "app-secret-1" in told
    error = Script(refusal).fail(platform, lambda adapter: adapter.check_app(APP))
    assert error.kind is FailureKind.PERMISSION
