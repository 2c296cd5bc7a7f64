"""The reasons in YouTube's error responses."""

import html
import re
from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel

from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.http import Answer
from app.platforms.rest import kind_of, retry_after

_K: Final = FailureKind
_TAG: Final = re.compile(r"</?[a-z][^<>]*>")
_MEANINGS: Final[Mapping[str, tuple[FailureKind, Cause | None]]] = {
    "quotaExceeded": (_K.QUOTA, Cause.APP_QUOTA),
    "dailyLimitExceeded": (_K.QUOTA, Cause.APP_QUOTA),
    "uploadLimitExceeded": (_K.QUOTA, None),
    "rateLimitExceeded": (_K.RATE_LIMITED, None),
    "userRateLimitExceeded": (_K.RATE_LIMITED, None),
    "insufficientPermissions": (_K.PERMISSION, Cause.SCOPE),
    "accessNotConfigured": (_K.PERMISSION, Cause.APP),
    # A 401 that no new token fixes: the account has no channel.
    "youtubeSignupRequired": (_K.PERMISSION, Cause.NO_CHANNEL),
    "channelClosed": (_K.PERMISSION, Cause.RESTRICTED),
    "channelSuspended": (_K.PERMISSION, Cause.RESTRICTED),
    "invalidTitle": (_K.INVALID, Cause.TITLE),
    "invalidDescription": (_K.INVALID, Cause.TEXT),
    "invalidTags": (_K.INVALID, Cause.TEXT),
    "invalidVideoMetadata": (_K.INVALID, Cause.TEXT),
    "invalidCategoryId": (_K.INVALID, Cause.PROGRAM),
    "mediaBodyRequired": (_K.INVALID, Cause.PROGRAM),
}
_FINDINGS: Final = {
    "duplicate": Cause.FILE_COPY,
    "length": Cause.FILE_LENGTH,
    "tooSmall": Cause.FILE_SIZE,
    "uploaderAccountClosed": Cause.RESTRICTED,
    "uploaderAccountSuspended": Cause.RESTRICTED,
}
_AGAINST_RULES: Final = frozenset({"claim", "copyright", "inappropriate", "legal", "termsOfUse", "trademark"})


class _Reason(BaseModel):
    reason: str = ""


class _Error(BaseModel):
    message: str = ""
    errors: list[_Reason] = []


class _Refusal(BaseModel):
    error: _Error


def refused(answer: Answer) -> PlatformError:
    """Convert an error response."""
    refusal = answer.read(_Refusal)
    reason = next((error.reason for error in refusal.error.errors if error.reason), "") if refusal else ""
    message = _plain(refusal.error.message if refusal else "") or f"YouTube answered {answer.status}."
    by_status = kind_of(answer)
    kind, cause = _MEANINGS.get(reason, (by_status, None))
    if by_status is FailureKind.AMBIGUOUS:
        kind = by_status  # whatever the reason, it may have been published
    return PlatformError(
        kind,
        answer.words(reason or f"http_{answer.status}"),
        answer.words(message),
        retry_after=retry_after(answer),
        cause=cause,
    )


def _plain(words: str) -> str:
    """Remove the links that Google puts into its messages."""
    return html.unescape(_TAG.sub("", words))


def unusable(reason: str) -> PlatformError:
    """Return the error for a video that YouTube accepted but doesn't show, with its reason."""
    cause = Cause.POLICY if reason in _AGAINST_RULES else _FINDINGS.get(reason, Cause.FILE)
    return PlatformError(_K.INVALID, reason, f"YouTube doesn't show the video: {reason}.", cause=cause)
