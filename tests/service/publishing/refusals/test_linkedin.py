"""LinkedIn: what its errors mean, and what a person reads."""

from typing import Any, Final

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import FailureKind as K
from tests.platforms.scripted import json_answer
from tests.service.publishing.refusals.reading import Told, check, check_renewal, publication

LINKEDIN: Final = PostingPlatform.LINKEDIN
POST: Final = publication(LINKEDIN, "urn:li:person:a", PostType.TEXT)
CONTENT: Final = "LinkedIn refused the content. Change what its message names"
PROGRAM: Final = "LinkedIn didn't understand what Kalends sent. Update Kalends"
GONE: Final = "LinkedIn no longer has the file that was uploaded ahead of time. Schedule the post again"


def body(status: int, code: str | None, message: str = "Words.") -> tuple[int, Any]:
    more = {} if code is None else {"code": code}
    return status, {"status": status, "message": message, **more}


TOKEN_ENDED: Final = "LinkedIn no longer accepts this account's sign-in. Connect the account again"
TROUBLE: Final = "The connection was lost before LinkedIn answered. Kalends checks the account there"
ERRORS: Final = [
    Told(
        "expired token",
        (
            401,
            {
                "status": 401,
                "serviceErrorCode": 65602,
                "code": "EXPIRED_ACCESS_TOKEN",
                "message": "The token used in the request has expired",
            },
        ),
        K.AUTH_EXPIRED,
        "EXPIRED_ACCESS_TOKEN",
        TOKEN_ENDED,
        said="The token used in the request has expired",
    ),
    Told(
        "revoked token",
        body(401, "REVOKED_ACCESS_TOKEN"),
        K.AUTH_EXPIRED,
        "REVOKED_ACCESS_TOKEN",
        TOKEN_ENDED,
    ),
    Told(
        "missing role",
        body(403, "ACCESS_DENIED"),
        K.PERMISSION,
        "ACCESS_DENIED",
        "LinkedIn doesn't let this account publish this. Check the account's role",
    ),
    Told(
        "version sunset",
        body(426, "NONEXISTENT_VERSION", "Requested version 20240101 is not active"),
        K.PERMISSION,
        "NONEXISTENT_VERSION",
        "LinkedIn no longer supports the API version that Kalends uses. Update Kalends",
        said="Requested version 20240101 is not active",
    ),
    Told("version missing", body(400, "VERSION_MISSING"), K.INVALID, "VERSION_MISSING", PROGRAM),
    Told(
        "rate limit",
        body(429, "TOO_MANY_REQUESTS"),
        K.RATE_LIMITED,
        "TOO_MANY_REQUESTS",
        "LinkedIn asked to slow down. The post is retried",
    ),
    Told(
        "file not there yet",
        body(400, "MEDIA_ASSET_WAITING_UPLOAD"),
        K.TRANSIENT,
        "MEDIA_ASSET_WAITING_UPLOAD",
        "LinkedIn couldn't be reached or had a problem. The post is retried",
    ),
    Told(
        "file not understood",
        body(400, "MEDIA_ASSET_PROCESSING_FAILED"),
        K.INVALID,
        "MEDIA_ASSET_PROCESSING_FAILED",
        "LinkedIn couldn't use the file. Export it again",
    ),
    Told("picture lost", body(400, "INVALID_IMAGE_ID"), K.INVALID, "INVALID_IMAGE_ID", GONE),
    Told("video lost", body(400, "INVALID_VIDEO_ID"), K.INVALID, "INVALID_VIDEO_ID", GONE),
    Told(
        "upload address too old",
        body(400, "EXPIRED_UPLOAD_URL"),
        K.TRANSIENT,
        "EXPIRED_UPLOAD_URL",
        "LinkedIn couldn't be reached or had a problem. The post is retried",
    ),
    Told(
        "text too long",
        body(400, "FIELD_LENGTH_TOO_LONG"),
        K.INVALID,
        "FIELD_LENGTH_TOO_LONG",
        "The text is too long for LinkedIn. Shorten it",
    ),
    Told("bad value", body(400, "INVALID_VALUE_FOR_FIELD"), K.INVALID, "INVALID_VALUE_FOR_FIELD", CONTENT),
    Told(
        "blank text",
        body(400, "INVALID_VALUE_BLANK_FIELD"),
        K.INVALID,
        "INVALID_VALUE_BLANK_FIELD",
        "LinkedIn doesn't accept something in the text",
    ),
    Told("missing field", body(400, "MISSING_FIELD"), K.INVALID, "MISSING_FIELD", PROGRAM),
    Told("bad URN", body(400, "INVALID_URN_ID"), K.INVALID, "INVALID_URN_ID", PROGRAM),
    Told("URN of another kind", body(400, "INVALID_URN_TYPE"), K.INVALID, "INVALID_URN_TYPE", PROGRAM),
    Told("unknown field", body(422, "UNPROCESSABLE_ENTITY"), K.INVALID, "UNPROCESSABLE_ENTITY", PROGRAM),
    *(
        Told(
            f"duplicate by {status}",
            body(status, "DUPLICATE_POST", "Content is a duplicate of urn:li:share:7"),
            K.DUPLICATE,
            "DUPLICATE_POST",
            "LinkedIn says that the same content is already there (urn:li:share:7). Change the text",
            said="Content is a duplicate of urn:li:share:7",
        )
        for status in (400, 409, 422)
    ),
    Told(
        "write conflict",
        body(409, "CONFLICT"),
        K.TRANSIENT,
        "CONFLICT",
        "LinkedIn couldn't be reached or had a problem. The post is retried",
    ),
    *(
        Told(f"trouble {status}", body(status, None), K.AMBIGUOUS, f"http_{status}", TROUBLE)
        for status in (500, 503, 504)
    ),
    Told("something new", body(400, "BRAND_NEW"), K.INVALID, "BRAND_NEW", CONTENT),
    Told("no JSON", (403, "<html>"), K.PERMISSION, "http_403", "LinkedIn doesn't let this", said=None),
]


@pytest.mark.parametrize("told", ERRORS, ids=str)
def test_a_refused_post(told: Told) -> None:
    check(LINKEDIN, told, POST)


def test_a_video_that_linkedin_gives_up() -> None:
    image = publication(LINKEDIN, "urn:li:person:a", PostType.IMAGE)
    target = {"uploadUrl": "https://api.linkedin.com/up", "image": "urn:li:image:1"}
    before = [json_answer(200, {"value": target}), json_answer(201, {})]
    state = {"status": "PROCESSING_FAILED", "processingFailureReason": "Unsupported codec"}
    told = Told(
        "", (200, state), K.INVALID, "PROCESSING_FAILED", "LinkedIn couldn't use", said="Unsupported codec"
    )

    check(LINKEDIN, told, image, before)


RENEWALS: Final = [
    Told(
        "refused refresh token",
        (400, {"error": "invalid_grant", "error_description": "Words."}),
        K.AUTH_EXPIRED,
        "invalid_grant",
        TOKEN_ENDED,
    ),
    Told(
        "bad, expired or used",
        (400, {"error": "invalid_request", "error_description": "Words."}),
        K.AUTH_EXPIRED,
        "invalid_request",
        TOKEN_ENDED,
    ),
    Told(
        "app not known",
        (401, {"error": "invalid_client", "error_description": "Words."}),
        K.PERMISSION,
        "invalid_client",
        "LinkedIn doesn't accept the app that Kalends uses there",
    ),
]


@pytest.mark.parametrize("told", RENEWALS, ids=str)
def test_refused_tokens(told: Told) -> None:
    check_renewal(LINKEDIN, told)
