"""Explanations of failed attempts: what happened, and what the user can do."""

import re
from dataclasses import dataclass
from typing import Final

from app.contract.enums import PostingPlatform
from app.platforms.base import FailureKind, PlatformError
from app.platforms.cards import name_of
from app.service.publishing.sentences import CAUSES, FINAL, KINDS

_SIGN_IN_AHEAD = (
    "{platform} no longer accepts this account's sign-in, so the file couldn't be uploaded yet. "
    "Connect the account again before the post is due."
)
_PASSING_AHEAD = (
    "The file couldn't be uploaded to {platform} ahead of time. "
    "The upload is retried automatically, for the last time when the post is due."
)
_REFUSED_AHEAD = "This was found ahead of time. The post is tried once more when it's due."
_EXHAUSTED = (
    "{platform} didn't accept the post after several tries. "
    "Check {platform} and your connection, then schedule the post again."
)
_MAY_BE_LIVE = (
    "{platform}'s answer was lost, and Kalends couldn't find out whether the post is live. "
    "Check the account on {platform}, and schedule the post again only if it isn't there."
)
_COPIED = (
    "{platform} refused a second copy of this post, because the first is live. There's nothing left to do."
)
_ABSENT = "The post isn't on {platform}, so this attempt didn't publish it."
_MISSED = (
    "The computer was off when the post was due, and now it's too late to publish it automatically. "
    "Schedule it again."
)
_NOT_RECONNECTED = (
    "{platform} no longer accepted this account's sign-in, and the account wasn't connected again in time. "
    "Connect the account again, then schedule the post again."
)
_RESTORED = (
    "The post came from a backup and was already due when it was restored, so it may be live. "
    "Check the account on {platform}, and schedule the post again only if it isn't there."
)
INTERRUPTED: Final = (
    "Publishing was interrupted before the platform answered. "
    "Kalends checks the account there before it sends anything again."
)
"""Advice for a call whose process died before the platform answered."""

SENT_BEFORE_RESTORE: Final = (
    "The database was replaced by an older copy that doesn't have this call. "
    "Kalends checks the account on the platform before it sends anything again."
)
"""Advice for a call that only the journal knows about."""

DELETED: Final = (
    "The post was deleted while the platform's answer was still unknown. "
    "Check the account there if the post must not be live."
)
"""Advice for a lost call that can't be looked up any more, because the post and its text are deleted."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The platform's error code and message, and our advice."""

    code: str | None
    message: str | None
    advice: str


def explain(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """Explain an error of the platform."""
    item = f" ({error.existing.content_id})" if error.existing else ""
    by_cause = CAUSES[error.cause] if error.cause and error.kind in FINAL else None
    advice = (by_cause or KINDS[error.kind]).format(platform=name_of(platform), item=item)
    return Explanation(error.code, error.message, advice)


def ahead(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """Explain a failure while preparing a post, which the publisher may still make up for."""
    match error.kind:
        case FailureKind.AUTH_EXPIRED:
            words = _SIGN_IN_AHEAD.format(platform=name_of(platform))
        case FailureKind.TRANSIENT | FailureKind.RATE_LIMITED | FailureKind.AMBIGUOUS | FailureKind.QUOTA:
            words = _PASSING_AHEAD.format(platform=name_of(platform))
        case _:
            words = f"{explain(error, platform).advice} {_REFUSED_AHEAD}"
    return Explanation(error.code, error.message, words)


def exhausted(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """Explain a transient failure after the last retry."""
    advice = KINDS[FailureKind.QUOTA] if error.kind is FailureKind.RATE_LIMITED else _EXHAUSTED
    if error.cause:
        advice = CAUSES[error.cause]
    return Explanation(error.code, error.message, advice.format(platform=name_of(platform)))


def may_be_live(why: Explanation | None, platform: PostingPlatform) -> Explanation:
    """Explain an outcome that couldn't be determined. ``why`` has the platform's last error."""
    code, message = (why.code, why.message) if why else (None, None)
    return Explanation(code, message, _MAY_BE_LIVE.format(platform=name_of(platform)))


def copied(why: Explanation, platform: PostingPlatform) -> Explanation:
    """Explain a repeat that was refused as a copy, because the first call had published."""
    return Explanation(why.code, why.message, _COPIED.format(platform=name_of(platform)))


def absent(platform: PostingPlatform) -> Explanation:
    """Explain a call that demonstrably published nothing."""
    return Explanation(None, None, _ABSENT.format(platform=name_of(platform)))


def missed() -> Explanation:
    """Explain a post that is past its grace period."""
    return Explanation(None, None, _MISSED)


def not_reconnected(platform: PostingPlatform) -> Explanation:
    """Explain a post whose account wasn't reconnected in time."""
    return Explanation(None, None, _NOT_RECONNECTED.format(platform=name_of(platform)))


def restored(platform: PostingPlatform) -> Explanation:
    """Explain a post that was due before the backup it came from was restored."""
    return Explanation(None, None, _RESTORED.format(platform=name_of(platform)))


def in_words(why: Explanation, platform: PostingPlatform) -> str:
    """Return the advice, followed by the platform's message or error code, if any."""
    said, name = why.message or why.code, name_of(platform)
    if not said:
        return why.advice
    names_itself = re.search(rf"\b{name}\b", said) is not None
    return f"{why.advice} {said}" if names_itself else f"{why.advice} {name} said: {said}"
