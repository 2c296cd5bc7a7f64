"""X: what its errors mean, and what a person reads."""

from dataclasses import replace
from typing import Any, Final

import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.base import FailureKind as K
from tests.platforms.scripted import NOW, Script, json_answer
from tests.service.publishing.refusals.reading import Told, check, check_renewal, publication

X: Final = PostingPlatform.X
POST: Final = publication(X, "1", PostType.TEXT)
PROBLEMS: Final = "https://api.twitter.com/2/problems"
APP_REFUSED: Final = (
    "X doesn't accept the app that Kalends uses there, or the app lacks a product. Check the app"
)
SIGN_IN: Final = "X no longer accepts this account's sign-in. Connect the account again"


def problem(status: int, title: str, detail: str = "Words.", kind: str = "about:blank") -> tuple[int, Any]:
    return status, {"title": title, "detail": detail, "type": kind, "status": status}


def listed(status: int, message: str) -> tuple[int, Any]:
    general = "One or more parameters to your request was invalid."
    more = {"detail": general, "type": f"{PROBLEMS}/invalid-request"}
    return status, {"errors": [{"message": message}], "title": "Invalid Request", **more}


def _invalid(what: str, message: str, reads: str, status: int = 400) -> Told:
    return Told(what, listed(status, message), K.INVALID, "Invalid Request", reads, said=message)


SCHEMA: Final = "$.when: is not defined in the schema and the schema does not allow additional properties"
TEXT_TOO_LONG: Final = "Your Tweet text is too long."
COPY: Final = "You are not allowed to create a Tweet with duplicate content."
ERRORS: Final = [
    Told("token", problem(401, "Unauthorized"), K.AUTH_EXPIRED, "Unauthorized", SIGN_IN),
    Told(
        "wrong kind of sign-in",
        problem(403, "Unsupported Authentication", kind=f"{PROBLEMS}/unsupported-authentication"),
        K.PERMISSION,
        "Unsupported Authentication",
        APP_REFUSED,
    ),
    Told(
        "no credits",
        problem(402, "CreditsDepleted"),
        K.QUOTA,
        "CreditsDepleted",
        "The app that Kalends uses has no credits left on X. Buy credits there",
    ),
    Told(
        "not permitted",
        problem(403, "Forbidden", "You are not permitted to perform this action."),
        K.PERMISSION,
        "Forbidden",
        "X doesn't let this account publish this. Check the account's role",
        said="You are not permitted to perform this action.",
    ),
    Told(
        "app not enrolled",
        problem(403, "Client Forbidden", kind=f"{PROBLEMS}/client-forbidden"),
        K.PERMISSION,
        "Client Forbidden",
        APP_REFUSED,
    ),
    Told(
        "app not enrolled, by reason",
        (403, {"title": "Forbidden", "detail": "Words.", "reason": "client-not-enrolled"}),
        K.PERMISSION,
        "Forbidden",
        APP_REFUSED,
    ),
    Told(
        "app not enrolled, by title",
        (403, {"title": "Client Forbidden"}),
        K.PERMISSION,
        "Client Forbidden",
        APP_REFUSED,
        said="Client Forbidden",
    ),
    Told(
        "duplicate",
        problem(403, "Forbidden", COPY),
        K.DUPLICATE,
        "Forbidden",
        "X says that the same content is already there. Change the text",
        said=COPY,
    ),
    _invalid("text too long", TEXT_TOO_LONG, "The text is too long for X. Shorten it"),
    _invalid("text too long, forbidden", TEXT_TOO_LONG, "The text is too long for X. Shorten it", 403),
    _invalid(
        "invalid URL", "Invalid URL in text", "X doesn't accept a link in the post. Change or remove it"
    ),
    _invalid("cashtags", "Only one cashtag is allowed", "X doesn't accept something in the text"),
    _invalid("media", "Your media IDs are invalid.", "X no longer has the file that was uploaded"),
    _invalid(
        "long video", "The video is longer than 140 s", "The video is too long or too short for X. Change"
    ),
    _invalid("unknown field", SCHEMA, "X didn't understand what Kalends sent. Update Kalends"),
    Told(
        "errors with details only",
        (400, {"errors": [{"detail": "Only one cashtag is allowed"}], "title": "Invalid Request"}),
        K.INVALID,
        "Invalid Request",
        "X doesn't accept something in the text",
        said="Only one cashtag is allowed",
    ),
    Told("not JSON", (403, "<html>"), K.PERMISSION, "http_403", "X doesn't let", said="X answered 403."),
    Told("too large a request", problem(413, "Too long"), K.INVALID, "Too long", "X refused the content"),
    _invalid("something new", "Brand new", "X refused the content. Change what its message names"),
    Told(
        "rate limit",
        problem(429, "Too Many Requests"),
        K.RATE_LIMITED,
        "Too Many Requests",
        "X asked to slow down. The post is retried",
        headers={"x_rate_limit_reset": str(int(NOW.timestamp()) + 90), "x_rate_limit_remaining": "0"},
        wait=90,
    ),
    Told(
        "monthly cap",
        problem(429, "UsageCapExceeded", kind=f"{PROBLEMS}/usage-capped"),
        K.QUOTA,
        "UsageCapExceeded",
        "The app that Kalends uses has used up its calls to X for today. Schedule the post for tomorrow",
    ),
    *(
        Told(
            f"trouble {status}",
            problem(status, "Service Unavailable"),
            K.AMBIGUOUS,
            "Service Unavailable",
            "The connection was lost before X answered. Kalends checks the account there",
        )
        for status in (500, 502, 503, 504)
    ),
    Told(
        "code and message",
        (403, {"code": 64, "title": "Forbidden", "message": "Words."}),
        K.PERMISSION,
        "64",
        "X doesn't let",
    ),
]


@pytest.mark.parametrize("told", ERRORS, ids=str)
def test_a_refused_post(told: Told) -> None:
    check(X, told, POST)


@pytest.mark.parametrize("status", [408, 500, 503])
@pytest.mark.parametrize("told", ERRORS, ids=str)
def test_whatever_the_words_only_a_refusing_status_proves_that_nothing_was_posted(
    told: Told, status: int
) -> None:
    _, body = told.answer
    again = replace(told, answer=(status, body), headers={})
    error = Script(again.response).fail(ConnectionPlatform.X, lambda adapter: adapter.publish(POST))
    assert error.kind is K.AMBIGUOUS


@pytest.mark.parametrize("name", ["usage-capped", "client-forbidden", "client-not-enrolled"])
def test_a_token_that_has_ended_says_so_whatever_the_problem_is_called(name: str) -> None:
    told = Told(
        "", problem(401, "Unauthorized", kind=f"{PROBLEMS}/{name}"), K.AUTH_EXPIRED, "Unauthorized", SIGN_IN
    )
    check(X, told, POST)


@pytest.mark.parametrize(
    ("message", "reads"),
    [
        ("Unsupported file format", "X couldn't use the file. Export it again"),
        ("The video duration is not allowed", "The video is too long or too short for X. Change its length"),
    ],
)
def test_a_video_that_x_gives_up(message: str, reads: str) -> None:
    working = {"data": {"id": "5", "processing_info": {"state": "pending", "check_after_secs": 1}}}
    before = [json_answer(200, {"data": {"id": "5"}}), json_answer(200, {}), json_answer(200, working)]
    error = {"code": 1, "name": "InvalidMedia", "message": message}
    state = {"data": {"id": "5", "processing_info": {"state": "failed", "error": error}}}

    told = Told("", (200, state), K.INVALID, "InvalidMedia", reads, said=message)
    check(X, told, publication(X, "1", PostType.VIDEO), before)


RENEWALS: Final = [
    Told(
        "used or unknown",
        (
            400,
            {"error": "invalid_request", "error_description": "Value passed for the token was invalid."},
        ),
        K.AUTH_EXPIRED,
        "invalid_request",
        SIGN_IN,
        said="Value passed for the token was invalid.",
    ),
    Told("withdrawn", (400, {"error": "invalid_grant"}), K.AUTH_EXPIRED, "invalid_grant", SIGN_IN, said=None),
    Told(
        "app not known",
        (401, {"error": "unauthorized_client", "error_description": "Words."}),
        K.PERMISSION,
        "unauthorized_client",
        APP_REFUSED,
    ),
    Told(
        "trouble",
        (503, "busy"),
        K.TRANSIENT,
        "http_503",
        "X couldn't be reached or had a problem. The post is retried",
        said="X answered 503 when asked for access.",
    ),
]


@pytest.mark.parametrize("told", RENEWALS, ids=str)
def test_refused_tokens(told: Told) -> None:
    check_renewal(X, told)
