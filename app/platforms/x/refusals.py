"""X's error responses, in three formats: a problem, a list of errors, or a code with a message."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from pydantic import BaseModel

from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.http import Answer
from app.platforms.rest import kind_of, until_reset

_K: Final = FailureKind
# Phrases in X's messages, for ambiguous statuses; the more specific ones come first.
_WORDS: Final[Mapping[str, tuple[FailureKind, Cause | None]]] = {
    r"duplicate content": (_K.DUPLICATE, None),
    r"too long": (_K.INVALID, Cause.TEXT_LENGTH),
    r"invalid url": (_K.INVALID, Cause.LINK),
    r"cashtag": (_K.INVALID, Cause.TEXT),
    r"media ids? (?:are|is) invalid": (_K.INVALID, Cause.FILE_GONE),
    r"longer than|video duration": (_K.INVALID, Cause.FILE_LENGTH),
    r"not defined in the schema": (_K.INVALID, Cause.PROGRAM),
}
# The last part of a problem's type.
_TYPES: Final[Mapping[str, tuple[FailureKind, Cause | None]]] = {
    "usage-capped": (_K.QUOTA, Cause.APP_QUOTA),
    "client-forbidden": (_K.PERMISSION, Cause.APP),
    "client-not-enrolled": (_K.PERMISSION, Cause.APP),
    "unsupported-authentication": (_K.PERMISSION, Cause.APP),
}


class _Reason(BaseModel):
    message: str | None = None
    detail: str | None = None


class _Refusal(BaseModel):
    title: str | None = None
    detail: str | None = None
    message: str | None = None
    code: str | int | None = None
    type: str | None = None
    reason: str | None = None
    errors: list[_Reason] = []

    @property
    def words(self) -> str | None:
        """X's message. For "one or more parameters was invalid", the reason is in the list."""
        listed = (error.message or error.detail for error in self.errors)
        return next(filter(None, [*listed, self.detail, self.message, self.title]), None)


def refused(answer: Answer, now: datetime) -> PlatformError:
    """Convert an error response received at ``now``."""
    refusal = answer.read(_Refusal) or _Refusal()
    message = answer.words(refusal.words or f"X answered {answer.status}.")
    kind, cause = _meaning(answer, refusal, message)
    return PlatformError(
        kind,
        answer.words(str(refusal.code or refusal.title or f"http_{answer.status}")),
        message,
        retry_after=until_reset(answer, "x-rate-limit-reset", now),
        cause=cause,
    )


def _meaning(answer: Answer, refusal: _Refusal, message: str) -> tuple[FailureKind, Cause | None]:
    if answer.status in {400, 403}:
        for words, meaning in _WORDS.items():
            if re.search(words, message, re.IGNORECASE):
                return meaning
    for name in ((refusal.type or "").rpartition("/")[2], refusal.reason or "", _dashed(refusal.title)):
        if name in _TYPES and answer.status in {403, 429}:
            return _TYPES[name]
    return kind_of(answer), Cause.CREDITS if answer.status == 402 else None


def _dashed(title: str | None) -> str:
    return (title or "").lower().replace(" ", "-")
