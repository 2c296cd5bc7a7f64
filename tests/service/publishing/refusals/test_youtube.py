"""YouTube: what its errors mean, and what a person reads."""

from typing import Final

import httpx
import pytest

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import FailureKind as K
from tests.platforms.scripted import json_answer
from tests.service.publishing.refusals.reading import Told, check, check_renewal, publication

YOUTUBE: Final = PostingPlatform.YOUTUBE
POST: Final = publication(YOUTUBE, "UC1", PostType.VIDEO)
SIGN_IN: Final = "YouTube no longer accepts this account's sign-in. Connect the account again"
PERMISSION: Final = "YouTube doesn't let this account publish this. Check the account's role"
APP: Final = (
    "YouTube doesn't accept the app that Kalends uses there, or the app lacks a product. Check the app"
)
PROGRAM: Final = "YouTube didn't understand what Kalends sent. Update Kalends"
TEXT: Final = "YouTube doesn't accept something in the text, such as a tag or a character. Change the text"
SLOW: Final = "YouTube asked to slow down. The post is retried"
RESTRICTED: Final = "YouTube has restricted this account. Resolve this on"
TROUBLE: Final = "YouTube couldn't be reached or had a problem. The post is retried"


def _told(reason: str, status: int, kind: K, reads: str) -> Told:
    details = [{"reason": reason, "domain": "youtube.video", "message": "Words."}] if reason else []
    body = {"error": {"code": status, "message": "Words.", "errors": details}}
    return Told(f"{reason} {status}", (status, body), kind, reason or f"http_{status}", reads)


ERRORS: Final = [
    _told("authError", 401, K.AUTH_EXPIRED, SIGN_IN),
    _told("", 401, K.AUTH_EXPIRED, SIGN_IN),
    _told(
        "insufficientPermissions",
        403,
        K.PERMISSION,
        "The account didn't grant every permission that publishing on YouTube needs. Connect",
    ),
    _told("forbidden", 403, K.PERMISSION, PERMISSION),
    _told("accessNotConfigured", 403, K.PERMISSION, APP),
    _told(
        "quotaExceeded",
        403,
        K.QUOTA,
        "The app that Kalends uses has used up its calls to YouTube for today. Schedule the post",
    ),
    _told(
        "uploadLimitExceeded",
        400,
        K.QUOTA,
        "This account has used up what YouTube allows for now. Schedule the post for a later time",
    ),
    _told("rateLimitExceeded", 403, K.RATE_LIMITED, SLOW),
    _told("userRateLimitExceeded", 403, K.RATE_LIMITED, SLOW),
    _told("", 429, K.RATE_LIMITED, SLOW),
    _told("invalidTitle", 400, K.INVALID, "YouTube doesn't accept the title. Change it"),
    _told("invalidDescription", 400, K.INVALID, TEXT),
    _told("invalidTags", 400, K.INVALID, TEXT),
    _told("invalidVideoMetadata", 400, K.INVALID, TEXT),
    _told("invalidCategoryId", 400, K.INVALID, PROGRAM),
    _told("mediaBodyRequired", 400, K.INVALID, PROGRAM),
    _told(
        "youtubeSignupRequired",
        401,
        K.PERMISSION,
        "The account has no channel on YouTube. Create one there",
    ),
    _told("channelClosed", 403, K.PERMISSION, RESTRICTED),
    _told("channelSuspended", 403, K.PERMISSION, RESTRICTED),
    *(_told("backendError", status, K.TRANSIENT, TROUBLE) for status in (500, 502, 503, 504)),
    _told("brandNew", 400, K.INVALID, "YouTube refused the content. Change what its message names"),
]


@pytest.mark.parametrize("told", ERRORS, ids=str)
def test_a_refused_upload(told: Told) -> None:
    check(YOUTUBE, told, POST)


@pytest.mark.parametrize(
    ("error", "status", "kind", "reads"),
    [
        ("invalid_grant", 400, K.AUTH_EXPIRED, SIGN_IN),
        ("invalid_client", 401, K.PERMISSION, APP),
    ],
)
def test_refused_tokens(error: str, status: int, kind: K, reads: str) -> None:
    body = {"error": error, "error_description": "Words."}

    check_renewal(YOUTUBE, Told("", (status, body), kind, error, reads))


FILE: Final = "YouTube couldn't use the file. Export it again"
POLICY: Final = "YouTube says that the post breaks its rules. Change it"
FINDINGS: Final = [
    (
        "rejected",
        "rejectionReason",
        "duplicate",
        K.INVALID,
        "The account already has this file on YouTube. Leave",
    ),
    ("rejected", "rejectionReason", "length", K.INVALID, "The video is too long or too short for YouTube"),
    ("rejected", "rejectionReason", "copyright", K.INVALID, POLICY),
    ("rejected", "rejectionReason", "termsOfUse", K.INVALID, POLICY),
    ("failed", "failureReason", "codec", K.INVALID, FILE),
    ("failed", "failureReason", "invalidFile", K.INVALID, FILE),
    ("failed", "failureReason", "emptyFile", K.INVALID, FILE),
    ("failed", "failureReason", "tooSmall", K.INVALID, "The file is too large or too small for YouTube"),
    ("rejected", "rejectionReason", "uploaderAccountSuspended", K.INVALID, RESTRICTED),
    ("rejected", "rejectionReason", "brandNew", K.INVALID, FILE),
]


@pytest.mark.parametrize(("status", "field", "reason", "kind", "reads"), FINDINGS)
def test_a_video_that_youtube_does_not_keep(
    status: str, field: str, reason: str, kind: K, reads: str
) -> None:
    opened = httpx.Response(200, headers={"location": "https://www.googleapis.com/upload/1"})
    before = [opened, httpx.Response(308), json_answer(200, {"id": "v1"})]
    found = {"items": [{"id": "v1", "status": {"uploadStatus": status, field: reason}}]}

    check(YOUTUBE, Told("", (200, found), kind, reason, reads, said=None), POST, before)
