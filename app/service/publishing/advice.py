"""Explanations of failed attempts, from the texts in `app.platforms.advice`."""

import re
from dataclasses import dataclass
from typing import Final

from app.contract.enums import PostingPlatform
from app.platforms import advice as texts
from app.platforms.base import FailureKind, PlatformError
from app.platforms.cards import name_of
from app.service.publishing.history import NO_CALL

FINAL: Final = frozenset(
    {FailureKind.PERMISSION, FailureKind.QUOTA, FailureKind.INVALID, FailureKind.AUTH_EXPIRED}
)
"""Kinds that aren't retried automatically, so their advice may ask the user to act."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The platform's error code and message, and our advice."""

    code: str | None
    message: str | None
    advice: str


def explain(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """Explain an error of the platform."""
    item = f" ({error.existing.content_id})" if error.existing else ""
    by_cause = texts.CAUSES[error.cause] if error.cause and error.kind in FINAL else None
    advice = (by_cause or texts.KINDS[error.kind]).format(platform=name_of(platform), item=item)
    return Explanation(error.code, error.message, advice)


def ahead(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """Explain a failure while preparing a post, which the publisher may still make up for."""
    match error.kind:
        case FailureKind.AUTH_EXPIRED:
            words = texts.SIGN_IN_AHEAD.format(platform=name_of(platform))
        case FailureKind.TRANSIENT | FailureKind.RATE_LIMITED | FailureKind.AMBIGUOUS | FailureKind.QUOTA:
            words = texts.PASSING_AHEAD.format(platform=name_of(platform))
        case _:
            words = f"{explain(error, platform).advice} {texts.REFUSED_AHEAD}"
    return Explanation(error.code, error.message, words)


def exhausted(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """Explain a transient failure after the last retry."""
    advice = texts.KINDS[FailureKind.QUOTA] if error.kind is FailureKind.RATE_LIMITED else texts.EXHAUSTED
    if error.cause:
        advice = texts.CAUSES[error.cause]
    return Explanation(error.code, error.message, advice.format(platform=name_of(platform)))


def may_be_live(why: Explanation | None, platform: PostingPlatform) -> Explanation:
    """Explain an outcome that couldn't be determined. ``why`` has the platform's last error."""
    code, message = (why.code, why.message) if why else (None, None)
    return Explanation(code, message, texts.MAY_BE_LIVE.format(platform=name_of(platform)))


def copied(why: Explanation, platform: PostingPlatform) -> Explanation:
    """Explain a repeat that was refused as a copy, because the first call had published."""
    return Explanation(why.code, why.message, texts.COPIED.format(platform=name_of(platform)))


def absent(platform: PostingPlatform) -> Explanation:
    """Explain a call that demonstrably published nothing."""
    return Explanation(None, None, texts.ABSENT.format(platform=name_of(platform)))


def not_stored(platform: PostingPlatform) -> Explanation:
    """Explain an attempt without a call, because it wasn't certain that it was stored."""
    return Explanation(NO_CALL, None, texts.NOT_STORED.format(platform=name_of(platform)))


def published_by_another() -> Explanation:
    """Explain a call that published nothing, because another attempt had published the post."""
    return Explanation(None, None, texts.PUBLISHED_BY_ANOTHER)


def missed() -> Explanation:
    """Explain a post that is past its grace period."""
    return Explanation(None, None, texts.MISSED)


def not_finished(platform: PostingPlatform, *, was_handed_over: bool) -> Explanation:
    """Explain a post that the user didn't publish by hand in time."""
    advice = texts.NOT_FINISHED if was_handed_over else texts.NOT_HANDED_OVER
    return Explanation(None, None, advice.format(platform=name_of(platform)))


def in_inbox(platform: PostingPlatform) -> Explanation:
    """Explain an attempt that put the item into the user's inbox."""
    return Explanation(None, None, texts.IN_INBOX.format(platform=name_of(platform)))


def left_in_inbox(platform: PostingPlatform) -> Explanation:
    """Explain a post that the user didn't publish from their inbox in time."""
    return Explanation(None, None, texts.LEFT_IN_INBOX.format(platform=name_of(platform)))


def not_reconnected(platform: PostingPlatform) -> Explanation:
    """Explain a post whose account wasn't reconnected in time."""
    return Explanation(None, None, texts.NOT_RECONNECTED.format(platform=name_of(platform)))


def restored(platform: PostingPlatform) -> Explanation:
    """Explain a post that was due before the backup it came from was restored."""
    return Explanation(None, None, texts.RESTORED.format(platform=name_of(platform)))


def in_words(why: Explanation, platform: PostingPlatform) -> str:
    """Return the advice, followed by the platform's message or error code, if any."""
    said, name = why.message or why.code, name_of(platform)
    if not said:
        return why.advice
    names_itself = re.search(rf"\b{name}\b", said) is not None
    return f"{why.advice} {said}" if names_itself else f"{why.advice} {name} said: {said}"
