"""Pinterest: what its errors mean, and what a person reads."""

from typing import Final

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import FailureKind as K
from tests.platforms.scripted import json_answer
from tests.service.publishing.refusals.reading import Told, check, check_renewal, publication

PINTEREST: Final = PostingPlatform.PINTEREST
POST: Final = publication(PINTEREST, "1", PostType.IMAGE)
SIGN_IN: Final = "Pinterest no longer accepts this account's sign-in. Connect the account again"
BOARD: Final = "The board is no longer on Pinterest, or the account can't use it. Choose another board"
FILE: Final = "Pinterest couldn't use the file. Export it again"
LOST: Final = "The connection was lost before Pinterest answered. Kalends checks the account there"


def _told(what: str, status: int, message: str, kind: K, reads: str, wait: float | None = None) -> Told:
    headers = {"x_ratelimit_reset": str(int(wait))} if wait is not None else {}
    body = {"code": 7, "message": message}
    return Told(what, (status, body), kind, "7", reads, said=message, headers=headers, wait=wait)


ERRORS: Final = [
    _told("token", 401, "Authentication failed.", K.AUTH_EXPIRED, SIGN_IN),
    _told(
        "scope or role",
        403,
        "You are not permitted to access that resource.",
        K.PERMISSION,
        "Pinterest doesn't let this account publish this. Check the account's role and permissions",
    ),
    # Reported for apps with trial access since 2025.
    _told(
        "trial access",
        403,
        "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API "
        "Sandbox https://api-sandbox.pinterest.com instead.",
        K.PERMISSION,
        "The app that Kalends uses on Pinterest has trial access, which can't publish. Request standard",
    ),
    # Reported for apps without trial access, with every account's token.
    _told(
        "app isn't approved",
        401,
        "Your application consumer type is not supported, please contact support",
        K.PERMISSION,
        "The app that Kalends uses on Pinterest has trial access, which can't publish. Request standard",
    ),
    _told("board gone", 404, "Board not found.", K.INVALID, BOARD),
    _told("board is no number", 400, "'board_id': 'x' does not match '^\\\\d+$'", K.INVALID, BOARD),
    _told("no cover", 400, "A cover image is required for a video pin.", K.INVALID, FILE),
    _told("picture", 400, "Sorry, we could not read this image.", K.INVALID, FILE),
    _told(
        "link",
        400,
        "The link is blocked.",
        K.INVALID,
        "Pinterest doesn't accept a link in the post. Change or remove it",
    ),
    _told("title", 400, "'title' is too long", K.INVALID, "Pinterest doesn't accept the title. Change it"),
    _told(
        "address of a picture",
        400,
        "Unable to reach the URL. Please check the URL and try again.",
        K.TRANSIENT,
        "Pinterest couldn't be reached or had a problem. The post is retried",
    ),
    _told(
        "something else",
        400,
        "Brand new.",
        K.INVALID,
        "Pinterest refused the content. Change what its message names",
    ),
    _told(
        "rate limit",
        429,
        "You have exceeded your rate limit.",
        K.RATE_LIMITED,
        "Pinterest asked to slow down. The post is retried",
        wait=12,
    ),
    _told(
        "spam",
        429,
        "This request was blocked as spam.",
        K.QUOTA,
        "Pinterest considers the post spam, or there were too many posts. Change it",
    ),
    _told("trouble 500", 500, "Something went wrong on our end.", K.AMBIGUOUS, LOST),
    _told("trouble 503", 503, "Busy.", K.AMBIGUOUS, LOST),
]


@pytest.mark.parametrize("told", ERRORS, ids=str)
def test_a_refused_pin(told: Told) -> None:
    check(PINTEREST, told, POST)


def test_a_video_that_pinterest_gives_up() -> None:
    target = {"media_id": "5", "upload_url": "https://api.pinterest.com/up", "upload_parameters": {}}
    before = [json_answer(201, target), json_answer(204, {})]
    told = Told(
        "",
        (200, {"media_id": "5", "status": "failed"}),
        K.INVALID,
        "failed",
        FILE,
        said="Pinterest couldn't process the video.",
    )

    check(PINTEREST, told, publication(PINTEREST, "1", PostType.VIDEO), before)


@pytest.mark.parametrize(
    ("status", "body", "kind", "code", "reads"),
    [
        (400, {"code": 283, "message": "Words."}, K.AUTH_EXPIRED, "283", SIGN_IN),
        (
            401,
            {"code": 2, "message": "Words."},
            K.PERMISSION,
            "2",
            "Pinterest doesn't accept the app that Kalends uses there",
        ),
        (
            400,
            {"error": "invalid_grant", "error_description": "Words."},
            K.AUTH_EXPIRED,
            "invalid_grant",
            SIGN_IN,
        ),
    ],
)
def test_refused_tokens(status: int, body: dict[str, object], kind: K, code: str, reads: str) -> None:
    check_renewal(PINTEREST, Told("", (status, body), kind, code, reads))
