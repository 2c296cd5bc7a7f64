"""The meaning of a server's error responses: a status, and words for people."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from pydantic import BaseModel

from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.http import Answer
from app.platforms.rest import kind_of, retry_after

_K: Final = FailureKind
_TOO_MANY: Final = 429
_LONGEST_WAIT_S: Final = 86_400.0
_Meaning = tuple[FailureKind, Cause | None]
_WORDS: Final[Sequence[tuple[int, str, _Meaning]]] = (
    (403, r"outside the authorized scopes|insufficient_scope", (_K.PERMISSION, Cause.SCOPE)),
    (403, r"disabled|suspended|pending|confirmed|moved", (_K.PERMISSION, Cause.RESTRICTED)),
    (422, r"finished processing|not.*processed", (_K.TRANSIENT, None)),
    (422, r"character limit|too long", (_K.INVALID, Cause.TEXT_LENGTH)),
    (422, r"media.*not found|not found.*media|media_ids", (_K.INVALID, Cause.FILE_GONE)),
    (422, r"file size|too large|must be less than", (_K.INVALID, Cause.FILE_SIZE)),
    (422, r"dimensions|resolution|frame rate", (_K.INVALID, Cause.FILE_SHAPE)),
    (422, r"file|media|image|video|attach", (_K.INVALID, Cause.FILE)),
    (422, r"text|status|blank", (_K.INVALID, Cause.TEXT)),
    (413, r"", (_K.INVALID, Cause.FILE_SIZE)),
)
"""Statuses, and words in English, which servers use in their API unless their owners changed it."""


class _Refusal(BaseModel):
    error: str = ""
    error_description: str | None = None


def refused(answer: Answer, now: datetime) -> PlatformError:
    """Return the error for a response at ``now``."""
    refusal = answer.read(_Refusal) or _Refusal()
    message = refusal.error_description or refusal.error or f"The server answered {answer.status}."
    kind, cause = _meaning(answer, answer.words(f"{refusal.error} {refusal.error_description or ''}"))
    return PlatformError(
        kind,
        f"http_{answer.status}",
        answer.words(message),
        retry_after=_until_reset(answer, now),
        cause=cause,
    )


def _meaning(answer: Answer, words: str) -> _Meaning:
    for status, pattern, meaning in _WORDS:
        if answer.status == status and re.search(pattern, words, re.IGNORECASE):
            return meaning
    return kind_of(answer), None


def _until_reset(answer: Answer, now: datetime) -> float | None:
    """Seconds until calls are accepted again, by the standard header or the server's own."""
    asked = retry_after(answer)
    until = _moment(answer.headers.get("x-ratelimit-reset", ""))
    if asked is not None or until is None or answer.status != _TOO_MANY:
        return asked
    return min(max(0.0, (until - now).total_seconds()), _LONGEST_WAIT_S)


def _moment(written: str) -> datetime | None:
    """Read a time: ISO 8601 from Mastodon, a Unix time from others."""
    try:
        if written.isdigit() and len(written) < 12:
            return datetime.fromtimestamp(int(written), UTC)
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
