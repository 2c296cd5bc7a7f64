"""TikTok's error codes, and its reasons for failed posts."""

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel

from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.http import Answer, plain_words
from app.platforms.rest import kind_of, retry_after

_MINUTE: Final = 60.0
_K: Final = FailureKind
_MEANINGS: Final[Mapping[str, tuple[FailureKind, Cause | None]]] = {
    "access_token_invalid": (_K.AUTH_EXPIRED, None),
    "auth_removed": (_K.AUTH_EXPIRED, None),
    "scope_not_authorized": (_K.PERMISSION, Cause.SCOPE),
    "scope_permission_missed": (_K.PERMISSION, Cause.SCOPE),
    "rate_limit_exceeded": (_K.RATE_LIMITED, None),
    "spam_risk_too_many_posts": (_K.QUOTA, None),
    "spam_risk_too_many_pending_share": (_K.QUOTA, None),
    "reached_active_user_cap": (_K.QUOTA, Cause.APP_QUOTA),
    "spam_risk_user_banned_from_posting": (_K.PERMISSION, Cause.RESTRICTED),
    "spam_risk": (_K.PERMISSION, Cause.SPAM),
    "spam_risk_text": (_K.PERMISSION, Cause.SPAM),
    "unaudited_client_can_only_post_to_private_accounts": (_K.PERMISSION, Cause.APP_UNREVIEWED),
    "privacy_level_option_mismatch": (_K.PERMISSION, Cause.PRIVACY),
    "url_ownership_unverified": (_K.PERMISSION, Cause.FILE_ADDRESS),
    "invalid_param": (_K.INVALID, None),
    "invalid_params": (_K.INVALID, None),
    "app_version_check_failed": (_K.INVALID, Cause.PROGRAM),
    "file_format_check_failed": (_K.INVALID, Cause.FILE),
    "duration_check_failed": (_K.INVALID, Cause.FILE_LENGTH),
    "frame_rate_check_failed": (_K.INVALID, Cause.FILE_SHAPE),
    "picture_size_check_failed": (_K.INVALID, Cause.FILE_SHAPE),
    "video_pull_failed": (_K.TRANSIENT, Cause.FILE_ADDRESS),
    "photo_pull_failed": (_K.TRANSIENT, Cause.FILE_ADDRESS),
    "publish_cancelled": (_K.INVALID, Cause.CALLED_OFF),
    "internal": (_K.TRANSIENT, None),
}


class _Error(BaseModel):
    code: str
    message: str = ""


class Refusal(BaseModel):
    """Part of every response of the API; the code is ``ok`` after a success."""

    error: _Error


def refused(answer: Answer, refusal: Refusal | None) -> PlatformError:
    """Convert an error response, which may have a success status."""
    code = refusal.error.code if refusal else f"http_{answer.status}"
    message = (refusal.error.message if refusal else "") or f"TikTok answered {answer.status}: {code}."
    by_status = FailureKind.INVALID if answer.is_success else kind_of(answer)
    kind, cause = _MEANINGS.get(code, (by_status, None))
    if by_status is FailureKind.AMBIGUOUS:
        kind = by_status  # whatever the code, it may have been published
    wait = retry_after(answer)
    if kind is FailureKind.RATE_LIMITED and wait is None:
        wait = _MINUTE  # its windows last a minute, and it sends no time
    return PlatformError(kind, answer.words(code), answer.words(message), retry_after=wait, cause=cause)


def failed(fail_reason: str | None) -> PlatformError:
    """Return the error for a post that failed on TikTok, without being published."""
    reason = plain_words(fail_reason or "failed")
    kind, cause = _MEANINGS.get(reason, (FailureKind.INVALID, Cause.FILE))
    return PlatformError(kind, reason, f"TikTok couldn't publish it: {reason}.", cause=cause)
