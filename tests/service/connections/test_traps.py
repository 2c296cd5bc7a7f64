"""The traps of setting up an app: each platform's own answer, and the sentence with the next click.

The answers are those that the platforms document, or that users of other programs reported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import Connection as Rows

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostingPlatform, PostType
from app.contract.platform_setup import Check, CheckOutcome, PlatformSelfTest
from app.platforms.base import PlatformError, TokenGrant
from app.platforms.cards import CARDS
from app.platforms.registry import build_adapters
from app.service.connections.account_checks import AccountChecks
from app.service.connections.apps import Addresses
from app.service.connections.flow_steps import missing_permissions
from app.service.connections.platforms import Platforms
from app.service.connections.set_up import SetUps
from app.service.publishing.advice import explain
from app.service.store.tables import attempts, connections, posts
from tests.platforms.httpx_wire import HttpxWire
from tests.platforms.scripted import NOW, Script, json_answer
from tests.platforms.world import APP
from tests.service.connections.test_account_checks import OneToken
from tests.service.contents import publish
from tests.service.publishing.refusals.reading import publication
from tests.service.running import Caller

GOOGLE: Final = "https://www.googleapis.com/auth/"
META: Final = "https://developers.facebook.com/apps"
DAY: Final = 86_400


@dataclass(frozen=True)
class Consent:
    """A token answer of a consent that allows too little.

    Attributes:
        trap: Its name, for the report.
        answer: Of the token endpoint.
        missing: The permission that the closing page names.
        reads: The next click.
    """

    trap: str
    platform: P
    answer: Mapping[str, Any]
    missing: str
    reads: str

    def __str__(self) -> str:
        return self.trap


CONSENTS: Final = [
    Consent(
        "LinkedIn drops permissions of products that the app lacks, without an error",
        P.LINKEDIN,
        {"access_token": "a", "expires_in": 5_184_000, "scope": "openid,profile"},
        "w_member_social",
        "Add the product “Share on LinkedIn” to the app",
    ),
    Consent(
        "the box for uploads isn't ticked on Google's page",
        P.YOUTUBE,
        {"access_token": "a", "expires_in": 3_599, "scope": f"{GOOGLE}youtube.readonly"},
        f"{GOOGLE}youtube.upload",
        "Tick every box on Google's page",
    ),
    Consent(
        "an app of X is set to Read",
        P.X,
        {"access_token": "a", "expires_in": 7_200, "scope": "users.read tweet.read offline.access"},
        "tweet.write",
        "Set the app's permission to Read and write",
    ),
    Consent(
        "the user denies a permission on Pinterest's page",
        P.PINTEREST,
        {"access_token": "a", "expires_in": 2_592_000, "scope": "user_accounts:read,boards:read,pins:read"},
        "pins:write",
        "Allow everything on Pinterest's page",
    ),
    Consent(
        "TikTok grants neither Direct Post nor the inbox",
        P.TIKTOK,
        {"access_token": "a", "expires_in": 86_400, "scope": "user.info.basic,video.list"},
        "video.publish",
        "Start again and allow it, or allow video.upload",
    ),
]


def needed(platform: P) -> frozenset[str]:
    return CARDS[platform].registration.publishing


def exchanged(platform: P, answer: Mapping[str, Any]) -> TokenGrant:
    grant: TokenGrant = Script(json_answer(200, answer)).run(
        platform,
        lambda adapter: adapter.exchange_code(
            APP, redirect_uri="http://127.0.0.1:17217/callback", code="code", code_verifier="verifier"
        ),
    )
    return grant


@pytest.mark.parametrize("consent", CONSENTS, ids=str)
def test_a_consent_that_allows_too_little_is_named(consent: Consent) -> None:
    grant = exchanged(consent.platform, consent.answer)
    words = missing_permissions(consent.platform, grant.scopes, needed(consent.platform))
    assert f"didn't grant {consent.missing}, so nothing was connected." in words
    assert consent.reads in words


def test_an_app_without_direct_post_is_connected_for_the_inbox() -> None:
    answer = {"access_token": "a", "expires_in": DAY, "scope": "user.info.basic,video.upload"}
    assert missing_permissions(P.TIKTOK, exchanged(P.TIKTOK, answer).scopes, needed(P.TIKTOK)) == ""


def checked(caller: Caller, platform: P, *answers: httpx.Response) -> list[Check]:
    """What the guide says about an account, for these answers of its platform."""
    script = Script(*answers)

    async def work() -> list[Check]:
        wire = HttpxWire(httpx.MockTransport(script))
        async with build_adapters(wire=wire, clock=lambda: NOW) as adapters:
            platforms = Platforms({platform: adapters[platform]}, {platform: APP})
            looking = AccountChecks(caller.service.database, platforms, OneToken())
            return await looking.of(platform, caller.account_id)

    return caller.service.await_(work)


def test_an_app_of_meta_made_for_another_use_case_is_named(caller: Caller) -> None:
    caller.connect("facebook")
    asked = {"data": {"is_valid": True, "scopes": ["email", "public_profile"]}}
    [check] = checked(caller, P.FACEBOOK, json_answer(200, asked))
    assert (check.outcome, check.link) == (CheckOutcome.FAILED, META)
    assert check.message.startswith("Facebook didn't grant pages_manage_posts.")
    assert "create one with the use case “Other” and the type “Business”" in check.message


def test_a_video_of_an_unaudited_project_is_named(caller: Caller) -> None:
    publish(caller, caller.connect("youtube"), "v-1", platform="youtube", post_id=uuid4())
    [permissions, seen] = checked(
        caller,
        P.YOUTUBE,
        json_answer(200, {"scope": f"{GOOGLE}youtube.upload {GOOGLE}youtube.readonly"}),
        json_answer(200, {"items": [{"id": "v-1", "status": {"privacyStatus": "private"}}]}),
    )
    assert permissions.outcome is CheckOutcome.PASSED
    assert (seen.outcome, seen.link) == (
        CheckOutcome.FAILED,
        "https://support.google.com/youtube/contact/yt_api_form",
    )
    assert "hasn't audited your project: ask for an audit." in seen.message


async def self_test(platform: P, script: Script) -> PlatformSelfTest:
    wire = HttpxWire(httpx.MockTransport(script))
    async with build_adapters(wire=wire, clock=lambda: NOW) as adapters:
        platforms = Platforms({platform: adapters[platform]}, {platform: APP})
        addresses = Addresses("http://127.0.0.1:17217")
        return await SetUps(platforms, addresses, {}, practice=False, unreachable={}).test(platform)


SIGN_IN: Final = "https://accounts.google.com/v3/signin/identifier?opparams=%253F&client_id=1"
ERROR: Final = "https://accounts.google.com/signin/oauth/error?authError="


@pytest.mark.parametrize(
    ("location", "outcome", "reads"),
    [
        (SIGN_IN, CheckOutcome.PASSED, "is registered with YouTube."),
        (
            f"{ERROR}ChVyZWRpcmVjdF91cmlfbWlzbWF0Y2gSsAEKWW91IGNhbid0IHNpZ24gaW4gdG8gdGhpcyBhcHA",
            CheckOutcome.FAILED,
            "isn't registered with YouTube. Enter exactly this address in the app's settings there.",
        ),
        (f"{ERROR}Cg5pbnZhbGlkX2NsaWVudA", CheckOutcome.UNKNOWN, "Connecting the first account will show"),
        ("https://accounts.google.com/somewhere/new", CheckOutcome.UNKNOWN, "Connecting the first account"),
    ],
)
async def test_a_redirect_address_that_google_doesnt_know_is_named(
    location: str, outcome: CheckOutcome, reads: str
) -> None:
    """Google redirects to its sign-in or to its error page before anybody signs in."""
    script = Script(
        httpx.Response(302, headers={"location": location}), json_answer(400, {"error": "invalid_grant"})
    )
    tested = await self_test(P.YOUTUBE, script)
    [address] = [check for check in tested.checks if check.name == "redirect_uri"]
    assert (address.outcome, reads in address.message) == (outcome, True)
    asked = script.requests[0].url
    assert (asked.host, asked.params["redirect_uri"]) == (
        "accounts.google.com",
        "http://127.0.0.1:17217/callback/youtube",
    )


def test_a_consent_screen_in_testing_is_named(caller: Caller) -> None:
    """Google's answer says how long the refresh token lasts; the screen's state isn't told otherwise."""
    week = {"access_token": "a", "refresh_token": "r", "expires_in": 3_599}
    grant = exchanged(P.YOUTUBE, week | {"refresh_token_expires_in": 604_799})
    assert grant.ends_at == NOW + timedelta(seconds=604_799)
    assert exchanged(P.YOUTUBE, week).ends_at is None

    scopes = json_answer(200, {"scope": f"{GOOGLE}youtube.upload"})
    caller.connect("youtube", sign_in_by=grant.ends_at)
    [permissions, testing] = checked(caller, P.YOUTUBE, scopes)
    assert permissions.outcome is CheckOutcome.PASSED
    assert (testing.name, testing.outcome) == ("testing", CheckOutcome.FAILED)
    assert "because the consent screen is in testing. Publish the app on Google's page" in testing.message
    assert testing.link == "https://console.cloud.google.com/auth/audience"
    published = connections.update().values(sign_in_by=None)
    caller.service.database.write_now(lambda rows: rows.execute(published))
    again = json_answer(200, {"scope": f"{GOOGLE}youtube.upload"})
    assert [one.name for one in checked(caller, P.YOUTUBE, again)] == ["permissions"]


@dataclass(frozen=True)
class Refusal:
    """A refused post. ``before`` are the answers until then, ``reads`` is the next click."""

    trap: str
    platform: P
    kind: str
    answer: httpx.Response
    reads: str
    before: tuple[httpx.Response, ...] = field(default=())

    def __str__(self) -> str:
        return self.trap


CREATOR: Final = {
    "data": {"privacy_level_options": ["PUBLIC_TO_EVERYONE", "SELF_ONLY"]},
    "error": {"code": "ok", "message": ""},
}


def refusals() -> list[Refusal]:
    unaudited = {"code": "unaudited_client_can_only_post_to_private_accounts", "message": "Review it."}
    lacking = {"code": "scope_not_authorized", "message": "The user did not authorize the scope."}
    disabled = {"reason": "accessNotConfigured", "domain": "usageLimits", "message": "It is disabled."}
    return [
        Refusal(
            "TikTok hasn't audited the app",
            P.TIKTOK,
            "video",
            json_answer(403, {"error": unaudited}),
            "Send the account's posts to your inbox there, make the account private, or have the app",
            (json_answer(200, CREATOR),),
        ),
        Refusal(
            "TikTok's Direct Post was turned off later",
            P.TIKTOK,
            "video",
            json_answer(401, {"error": lacking}),
            "Connect the account again and allow everything",
        ),
        Refusal(
            "X has no credits",
            P.X,
            "text",
            json_answer(402, {"title": "CreditsDepleted", "detail": "No credits.", "status": 402}),
            "Buy credits there",
        ),
        Refusal(
            "Pinterest gave the app trial access",
            P.PINTEREST,
            "image",
            json_answer(403, {"code": 29, "message": "Apps with Trial access may not create Pins"}),
            "Request standard access on Pinterest's page for developers",
        ),
        Refusal(
            "YouTube's API isn't enabled in the project",
            P.YOUTUBE,
            "video",
            json_answer(403, {"error": {"code": 403, "message": "Disabled.", "errors": [disabled]}}),
            "Check the app on YouTube",
        ),
        Refusal(
            "Meta wants the page's publishing authorization",
            P.FACEBOOK,
            "text",
            json_answer(400, {"error": {"message": "Do it.", "code": 10, "error_subcode": 1404078}}),
            "Facebook",
        ),
    ]


@pytest.mark.parametrize("number", range(len(refusals())), ids=[one.trap for one in refusals()])
def test_the_guide_says_why_a_post_was_refused_and_what_to_do(caller: Caller, number: int) -> None:
    refusal = refusals()[number]
    posting = PostingPlatform(refusal.platform.value)
    post = publication(posting, "1", PostType(refusal.kind))
    error = Script(*refusal.before, refusal.answer).fail(refusal.platform, lambda one: one.publish(post))
    refused(caller, refusal.platform, error)

    found = checked(caller, refusal.platform, *scopes_of(refusal.platform))
    [check] = [one for one in found if one.name == "post"]
    assert check.outcome is CheckOutcome.FAILED
    assert refusal.reads in check.message
    assert error.message.rstrip(".") in check.message
    assert check.link.startswith("https://")


def scopes_of(platform: P) -> tuple[httpx.Response, ...]:
    """The answers to the question which permissions a token has, on platforms that are asked."""
    match platform:
        case P.YOUTUBE:
            return (json_answer(200, {"scope": f"{GOOGLE}youtube.upload"}),)
        case P.FACEBOOK:
            return (json_answer(200, {"data": {"is_valid": True, "scopes": ["pages_manage_posts"]}}),)
    return ()


def refused(caller: Caller, platform: P, error: PlatformError) -> None:
    """Store that the platform refused a post, as the publisher does."""
    why, now, post_id = explain(error, PostingPlatform(platform.value)), caller.service.clock(), uuid4()
    post = {
        "id": post_id,
        "account_id": caller.account_id,
        "connection_id": UUID(caller.connect(platform.value)),
        "platform": platform.value,
        "post_type": "video",
        "status": "failed",
        "media_storage_path": "",
        "scheduled_at": now,
        "created_via": "rest",
        "created_at": now,
    }
    attempt = {
        "id": uuid4(),
        "post_id": post_id,
        "account_id": caller.account_id,
        "step": "publish",
        "outcome": AttemptOutcome.REFUSED.value,
        "started_at": now,
        "finished_at": now,
        "platform_code": why.code,
        "platform_message": why.message,
        "advice": why.advice,
    }

    def work(rows: Rows) -> None:
        rows.execute(posts.insert().values(post))
        rows.execute(attempts.insert().values(attempt))

    caller.service.database.write_now(work)


@pytest.mark.parametrize(
    ("platform", "status", "answer"),
    [
        (P.LINKEDIN, 401, {"error": "invalid_client", "error_description": "Client authentication failed"}),
        (P.YOUTUBE, 401, {"error": "invalid_client", "error_description": "The OAuth client was not found."}),
        (
            P.TIKTOK,
            200,
            {"error": "invalid_client", "error_description": "Client key is incorrect."},
        ),
        (
            P.X,
            401,
            {"error": "unauthorized_client", "error_description": "Missing valid header"},
        ),
        (P.FACEBOOK, 400, {"error": {"message": "Error validating client secret.", "code": 1}}),
    ],
)
async def test_wrong_keys_are_named(platform: P, status: int, answer: Mapping[str, Any]) -> None:
    unknown_app = httpx.Response(302, headers={"location": f"{ERROR}Cg5pbnZhbGlkX2NsaWVudA"})
    before = [unknown_app] if platform is P.YOUTUBE else []
    tested = await self_test(platform, Script(*before, json_answer(status, answer)))
    [check] = [one for one in tested.checks if one.name == "app"]
    assert check.outcome is CheckOutcome.FAILED
    assert " rejected the app: " in check.message
    assert check.message.endswith("Copy its ID and secret again.")


@pytest.mark.parametrize(
    ("platform", "words"),
    [
        (P.LINKEDIN, "LinkedIn requires a company page it belongs to."),
        (P.TIKTOK, "Register the app for desktop: for web, TikTok accepts only https addresses."),
        (P.TIKTOK, "Until it's approved, your posts can't be public."),
        (P.FACEBOOK, "choose “Other”, then the type “Business”"),
        (P.FACEBOOK, "Switch the app from Development to Live."),
        (P.X, "X has no free plan; without credits, no post is published."),
        (P.PINTEREST, "While the app has trial access, only the author can see its pins."),
    ],
)
async def test_what_a_platform_s_pages_ask_for_is_named_before(platform: P, words: str) -> None:
    """Nothing is asked of the platform: these traps are on its pages, before there is an app."""
    addresses = Addresses("http://127.0.0.1:17217")
    async with build_adapters(wire=HttpxWire(httpx.MockTransport(Script()))) as adapters:
        set_ups = SetUps(Platforms(adapters, {}), addresses, {}, practice=False, unreachable={})
        [told] = [one for one in set_ups.all() if one.platform == platform]
    assert any(words in sentence for sentence in (*told.steps, *told.remarks))
