"""Every ending of a flow shows a page that says what happened, and what to do."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest
from markupsafe import escape

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Cause, FailureKind, PlatformError, Profile, TokenGrant
from app.service.connections.flow_rows import no_account
from tests.service.connections.browsing import (
    callback,
    connect,
    initiate,
    listed,
    mark_unavailable,
    reauthorize,
)
from tests.service.platforms import ScriptedAdapter, robin
from tests.service.running import Caller

End = Callable[[Caller, ScriptedAdapter, httpx.Client], httpx.Response]


def denied(caller: Caller, _: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    return browser.get(callback(initiate(caller)["connect_url"], error="access_denied"))


def expired(caller: Caller, _: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    started = initiate(caller)
    caller.service.clock.ahead = timedelta(minutes=16)
    return browser.get(callback(started["connect_url"], code="c"))


def replayed(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    """The state of a flow that has ended, with another code: it changes nothing and tells the end."""
    linkedin.people = PlatformError(FailureKind.INVALID, "no", "Not today.")
    started = initiate(caller)
    browser.get(callback(started["connect_url"], code="c"))
    linkedin.people = [robin()]
    return browser.get(callback(started["connect_url"], code="another"))


def forged(caller: Caller, _: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    started = initiate(caller)
    return browser.get(callback(started["connect_url"], code="c").replace(started["state"], "made-up"))


def of_another_platform(caller: Caller, _: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    address = callback(initiate(caller)["connect_url"], code="c")
    return browser.get(address.replace("/callback/linkedin", "/callback/x"))


def incomplete(caller: Caller, _: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    return browser.get(callback(initiate(caller)["connect_url"]))


def another_person(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    account = connect(caller, browser)
    mark_unavailable(caller, account)
    linkedin.people = [Profile("urn:li:person:kei", "Kei Tanaka")]
    return browser.get(callback(reauthorize(caller, account), code="c"))


def refused_by_the_page(caller: Caller, _: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    words = "The scope is not allowed."
    address = callback(
        initiate(caller)["connect_url"], error="unauthorized_scope_error", error_description=words
    )
    return browser.get(address)


def half_allowed(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    """LinkedIn leaves out a permission of a product that the app lacks, without an error."""
    linkedin.people = [robin()]
    linkedin.grant = TokenGrant("access-1", None, None, scopes=frozenset({"openid", "profile"}))
    return browser.get(callback(initiate(caller)["connect_url"], code="c"))


def failing(error: PlatformError) -> End:
    def end(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
        linkedin.grant = error
        return browser.get(callback(initiate(caller)["connect_url"], code="c"))

    return end


def nothing_opened(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    linkedin.people = []
    return browser.get(callback(initiate(caller)["connect_url"], code="c"))


def called_off(caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client) -> httpx.Response:
    """The page with several accounts, left by its second button."""
    linkedin.people = [robin(), Profile("urn:li:organization:1", "Marsh Ceramics")]
    due = browser.get(callback(initiate(caller)["connect_url"], code="c")).headers["Location"]
    choice = httpx.URL(caller.service.callback_url).join(due)
    return browser.post(choice, data={"decision": "cancel"})


DOWN = PlatformError(FailureKind.TRANSIENT, "unreachable", "LinkedIn could not be reached (ConnectError).")
BUSY = PlatformError(FailureKind.RATE_LIMITED, "429", "Too many requests.")
OLD_CODE = PlatformError(FailureKind.AUTH_EXPIRED, "invalid_request", "The code has expired.")
NO_APP = PlatformError(FailureKind.PERMISSION, "invalid_client", "Unknown client.", cause=Cause.APP)
LATER = "Nothing was connected. Start again in a few minutes."
NOT_ROBIN = (
    "LinkedIn gave access to Kei Tanaka instead of Robin Marsh. Nothing was changed."
    " Sign in to LinkedIn as Robin Marsh, then start again."
)
APP_REFUSED = (
    "LinkedIn rejected the app that Kalends uses there, so nothing was connected."
    " Check the app's keys in Kalends, then start again. LinkedIn said: Unknown client."
)
NOT_GRANTED = (
    "LinkedIn didn't grant w_member_social, so nothing was connected."
    " Add the product “Share on LinkedIn” to the app, then start again."
)
SCOPE_REFUSED = (
    "LinkedIn refused: The scope is not allowed. Nothing was connected."
    " Add the product “Share on LinkedIn” to the app, then start again."
)
ENDINGS: list[tuple[End, int, str]] = [
    (
        denied,
        200,
        "You didn't allow access, so nothing was connected. You can start again at any time.",
    ),
    (expired, 200, "This took longer than 15 minutes, so nothing was connected. Start again."),
    (replayed, 200, "LinkedIn refused: Not today. Nothing was connected. Start again."),
    (forged, 404, "This address doesn't belong to a connection in progress. Start again."),
    (
        of_another_platform,
        404,
        "This address doesn't belong to a connection in progress. Start again.",
    ),
    (incomplete, 404, "This address is incomplete. Copy the whole address, or start again."),
    (another_person, 200, NOT_ROBIN),
    (
        refused_by_the_page,
        200,
        SCOPE_REFUSED,
    ),
    (failing(DOWN), 200, f"LinkedIn could not be reached (ConnectError). {LATER}"),
    (failing(BUSY), 200, f"LinkedIn said: Too many requests. {LATER}"),
    (failing(OLD_CODE), 200, "LinkedIn refused: The code has expired. Nothing was connected. Start again."),
    (failing(NO_APP), 200, APP_REFUSED),
    (half_allowed, 200, NOT_GRANTED),
    (
        nothing_opened,
        200,
        "LinkedIn didn't give Kalends access to any account. Start again and choose an account.",
    ),
    (
        called_off,
        200,
        "You didn't choose an account, so nothing was connected. You can start again at any time.",
    ),
]


@pytest.mark.parametrize(
    ("end", "status", "told"), ENDINGS, ids=lambda value: getattr(value, "__name__", None)
)
def test_the_page_says_what_happened(
    caller: Caller,
    linkedin: ScriptedAdapter,
    browser: httpx.Client,
    end: End,
    status: int,
    told: str,
) -> None:
    page = end(caller, linkedin, browser)

    assert page.status_code == status
    assert f"<p>{escape(told)}</p>" in page.text
    assert "<h1>Not connected</h1>" in page.text
    assert "return to Kalends" in page.text
    assert "<script" not in page.text
    assert listed(caller) == []


def test_the_page_of_an_account_that_is_connected(
    caller: Caller, linkedin: ScriptedAdapter, browser: httpx.Client
) -> None:
    del linkedin
    address = callback(initiate(caller)["connect_url"], code="c")

    page, reloaded = browser.get(address), browser.get(address)

    assert "<h1>Connected</h1>" in page.text
    assert "<p>Robin Marsh on LinkedIn is connected.</p>" in page.text
    assert "<p>Robin Marsh on LinkedIn is connected.</p>" in reloaded.text


@pytest.mark.parametrize(
    ("platform", "wanted"),
    [
        (ConnectionPlatform.FACEBOOK, "a Page that you may post for."),
        (ConnectionPlatform.INSTAGRAM, "a professional account that belongs to a Page of yours."),
        (ConnectionPlatform.YOUTUBE, "an account that has a channel."),
        (ConnectionPlatform.X, "an account."),
    ],
)
def test_a_person_is_told_what_was_missing(platform: ConnectionPlatform, wanted: str) -> None:
    assert no_account(platform).endswith(f"access to any account. Start again and choose {wanted}")
