"""TikTok: what its errors mean, and what a person reads."""

from typing import Any, Final

import httpx
import pytest

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import FailureKind as K
from tests.platforms.scripted import json_answer
from tests.service.publishing.refusals.reading import Told, check, check_renewal, publication

TIKTOK: Final = PostingPlatform.TIKTOK
POST: Final = publication(TIKTOK, "a", PostType.VIDEO)
OK: Final = {"error": {"code": "ok", "message": ""}}
SIGN_IN: Final = "TikTok no longer accepts this account's sign-in. Connect the account again"
SCOPE: Final = "The account didn't grant every permission that publishing on TikTok needs. Connect"
USED_UP: Final = "This account has used up what TikTok allows for now. Schedule the post for a later time"
SPAM: Final = "TikTok considers the post spam, or there were too many posts. Change it"
BANNED: Final = "TikTok has restricted this account. Resolve this on"
TROUBLE: Final = "TikTok couldn't be reached or had a problem. The post is retried"
CONTENT: Final = "TikTok refused the content. Change what its message names"
SHAPE: Final = "TikTok doesn't accept the file's shape, resolution or frame rate. Crop it"


def _told(code: str, status: int, kind: K, reads: str, wait: float | None = None) -> Told:
    answer = {"data": {}, "error": {"code": code, "message": "Words.", "log_id": "1"}}
    return Told(f"{code} {status}", (status, answer), kind, code, reads, wait=wait)


ERRORS: Final = [
    _told("access_token_invalid", 401, K.AUTH_EXPIRED, SIGN_IN),
    _told("scope_not_authorized", 401, K.PERMISSION, SCOPE),
    _told("scope_permission_missed", 400, K.PERMISSION, SCOPE),
    _told(
        "rate_limit_exceeded",
        429,
        K.RATE_LIMITED,
        "TikTok asked to slow down. The post is retried",
        wait=60,
    ),
    _told("spam_risk_too_many_posts", 403, K.QUOTA, USED_UP),
    _told(
        "spam_risk_too_many_pending_share",
        403,
        K.QUOTA,
        "As many posts as TikTok allows wait in your inbox there. Publish or delete some in TikTok's app, "
        "then schedule the post again.",
    ),
    _told(
        "reached_active_user_cap",
        403,
        K.QUOTA,
        "The app that Kalends uses has used up its calls to TikTok for today. Schedule the post for tomorrow",
    ),
    _told("spam_risk_user_banned_from_posting", 403, K.PERMISSION, BANNED),
    _told("spam_risk", 403, K.PERMISSION, SPAM),
    _told("spam_risk_text", 403, K.PERMISSION, SPAM),
    _told(
        "unaudited_client_can_only_post_to_private_accounts",
        403,
        K.PERMISSION,
        "TikTok hasn't reviewed the app that Kalends uses, so it only publishes for private accounts. Send",
    ),
    _told(
        "privacy_level_option_mismatch",
        403,
        K.PERMISSION,
        "TikTok doesn't offer this account the chosen audience. Check the account's privacy",
    ),
    _told(
        "url_ownership_unverified",
        403,
        K.PERMISSION,
        "TikTok couldn't fetch the file from its public address. Check the public address",
    ),
    _told("invalid_param", 400, K.INVALID, CONTENT),
    _told("invalid_params", 400, K.INVALID, CONTENT),
    _told("invalid_params", 200, K.INVALID, CONTENT),
    _told(
        "app_version_check_failed",
        400,
        K.INVALID,
        "TikTok didn't understand what Kalends sent. Update Kalends",
    ),
    _told("internal", 500, K.TRANSIENT, TROUBLE),
    _told("internal_error", 500, K.TRANSIENT, TROUBLE),
    _told("brand_new", 400, K.INVALID, CONTENT),
]


@pytest.mark.parametrize("told", ERRORS, ids=str)
def test_a_refused_announcement(told: Told) -> None:
    creator = {"data": {"privacy_level_options": ["SELF_ONLY"]}, **OK}

    check(TIKTOK, told, POST, [json_answer(200, creator)])


FAILURES: Final = [
    ("file_format_check_failed", K.INVALID, "TikTok couldn't use the file. Export it again"),
    ("duration_check_failed", K.INVALID, "The video is too long or too short for TikTok. Change its length"),
    ("frame_rate_check_failed", K.INVALID, SHAPE),
    ("picture_size_check_failed", K.INVALID, SHAPE),
    ("spam_risk", K.PERMISSION, SPAM),
    ("spam_risk_text", K.PERMISSION, SPAM),
    ("spam_risk_user_banned_from_posting", K.PERMISSION, BANNED),
    ("spam_risk_too_many_posts", K.QUOTA, USED_UP),
    ("video_pull_failed", K.TRANSIENT, TROUBLE),
    ("photo_pull_failed", K.TRANSIENT, TROUBLE),
    ("internal", K.TRANSIENT, TROUBLE),
    ("auth_removed", K.AUTH_EXPIRED, SIGN_IN),
    ("publish_cancelled", K.INVALID, "The post was cancelled on TikTok. Schedule it again"),
    ("brand_new", K.INVALID, "TikTok couldn't use the file. Export it again"),
]


def _announced() -> list[httpx.Response]:
    creator: dict[str, Any] = {"data": {"privacy_level_options": ["SELF_ONLY"]}, **OK}
    target = {"data": {"publish_id": "v.1", "upload_url": "https://open.tiktokapis.com/up"}, **OK}
    return [json_answer(200, creator), json_answer(200, target)]


@pytest.mark.parametrize(("reason", "kind", "reads"), FAILURES)
def test_a_video_that_tiktok_gives_up(reason: str, kind: K, reads: str) -> None:
    state = {"data": {"status": "FAILED", "fail_reason": reason}, **OK}
    told = Told("", (200, state), kind, reason, reads, said=f"TikTok couldn't publish it: {reason}.")

    check(TIKTOK, told, POST, [*_announced(), httpx.Response(201)])


@pytest.mark.parametrize("status", [403, 416])
def test_an_address_that_takes_no_more(status: int) -> None:
    told = Told("", (status, ""), K.TRANSIENT, f"http_{status}", TROUBLE, said=None)

    nothing_there = json_answer(200, {"data": {"status": "PROCESSING_UPLOAD", "uploaded_bytes": 0}, **OK})

    check(TIKTOK, told, POST, _announced(), [nothing_there])


@pytest.mark.parametrize(
    ("error", "status", "kind", "reads"),
    [
        ("invalid_grant", 400, K.AUTH_EXPIRED, SIGN_IN),
        ("invalid_grant", 200, K.AUTH_EXPIRED, SIGN_IN),
        ("invalid_request", 400, K.AUTH_EXPIRED, SIGN_IN),
        ("invalid_client", 401, K.PERMISSION, "TikTok doesn't accept the app that Kalends uses there"),
        ("invalid_scope", 400, K.PERMISSION, "TikTok doesn't accept the app that Kalends uses there"),
        (
            "access_denied",
            400,
            K.INVALID,
            "TikTok didn't renew this account's sign-in. If this keeps",
        ),
        ("server_error", 400, K.TRANSIENT, TROUBLE),
        ("temporarily_unavailable", 200, K.TRANSIENT, TROUBLE),
    ],
)
def test_refused_tokens(error: str, status: int, kind: K, reads: str) -> None:
    body = {"error": error, "error_description": "Words.", "log_id": "1"}

    check_renewal(TIKTOK, Told("", (status, body), kind, error, reads))
