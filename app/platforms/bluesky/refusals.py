"""What refusals of a Bluesky server mean. Each has a name, which says more than its status."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from pydantic import BaseModel

from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.http import Answer
from app.platforms.rest import kind_of, until_reset

_K: Final = FailureKind
_NAMES: Final[Mapping[str, tuple[FailureKind, Cause | None]]] = {
    "ExpiredToken": (_K.AUTH_EXPIRED, None),
    "InvalidToken": (_K.AUTH_EXPIRED, None),
    "AuthMissing": (_K.AUTH_EXPIRED, None),
    "AuthenticationRequired": (_K.AUTH_EXPIRED, None),
    "AccountTakedown": (_K.PERMISSION, Cause.RESTRICTED),
    "AccountSuspended": (_K.PERMISSION, Cause.RESTRICTED),
    "AccountDeactivated": (_K.PERMISSION, Cause.RESTRICTED),
    "RepoTakendown": (_K.PERMISSION, Cause.RESTRICTED),
    "RepoSuspended": (_K.PERMISSION, Cause.RESTRICTED),
    "RepoDeactivated": (_K.PERMISSION, Cause.RESTRICTED),
    "InvalidSwap": (_K.DUPLICATE, None),
    "BlobNotFound": (_K.INVALID, Cause.FILE_GONE),
    "BlobTooLarge": (_K.INVALID, Cause.FILE_SIZE),
    "InvalidMimeType": (_K.INVALID, Cause.FILE),
    "PayloadTooLarge": (_K.INVALID, Cause.FILE_SIZE),
}
_WORDS: Final[Mapping[str, Cause]] = {
    r"too big .* at \$\.record\.text": Cause.TEXT_LENGTH,
    r"uri": Cause.LINK,
    r"blob|image|mime": Cause.FILE,
}
"""What the message says of an invalid record, the more special first."""


class Refusal(BaseModel):
    """The body of a refusal: its name, and words for people."""

    error: str = ""
    message: str | None = None


def refused(answer: Answer, now: datetime) -> PlatformError:
    """What a refusal means at ``now``."""
    refusal = answer.read(Refusal) or Refusal()
    message = answer.words(refusal.message or refusal.error or f"Bluesky answered {answer.status}.")
    kind, cause = _meaning(answer, refusal, message)
    return PlatformError(
        kind,
        answer.words(refusal.error or f"http_{answer.status}"),
        message,
        retry_after=until_reset(answer, "ratelimit-reset", now),
        cause=cause,
    )


def _meaning(answer: Answer, refusal: Refusal, message: str) -> tuple[FailureKind, Cause | None]:
    if 400 <= answer.status < 500 and refusal.error in _NAMES:
        return _NAMES[refusal.error]
    kind = kind_of(answer)
    if kind is not FailureKind.INVALID:
        return kind, None
    causes = (cause for words, cause in _WORDS.items() if re.search(words, message, re.IGNORECASE))
    return kind, next(causes, None)
