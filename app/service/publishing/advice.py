"""What a person is told when a post did not simply go out: what happened, and what they can do."""

import re
from dataclasses import dataclass
from typing import Final

from app.contract.enums import PostingPlatform
from app.platforms.base import FailureKind, PlatformError
from app.platforms.cards import name_of
from app.service.publishing.sentences import CAUSES, FINAL, KINDS

_SIGN_IN_AHEAD = (
    "{platform} no longer accepts the sign-in of this account, so the file could not be brought there yet. "
    "Connect the account again before the post is due."
)
_PASSING_AHEAD = (
    "The file could not be brought to {platform} ahead of time. That is tried again by itself, "
    "for the last time when the post is due."
)
_REFUSED_AHEAD = "This was found out ahead of time; the post is tried once more when it is due."
_EXHAUSTED = (
    "{platform} could not take the post, however often it was tried. "
    "Check {platform} and your connection, then plan the post anew."
)
_MAY_BE_LIVE = (
    "The answer of {platform} was lost, and it could not be found out whether the post is live. "
    "Look at the account on {platform}, and plan the post anew only if it is not there."
)
_COPIED = (
    "{platform} refused this second copy and named the first, which is this post. Nothing is left to do."
)
_ABSENT = "Nothing of it was found on {platform}, so it was not published by this attempt."
_MISSED = (
    "The post was missed while this computer was off, and is too late now to go out by itself. Plan it anew."
)
_NOT_RECONNECTED = (
    "{platform} no longer accepted the sign-in of this account, and it was not connected again in time. "
    "Connect the account again, then schedule the post again."
)
_RESTORED = (
    "The post came back from a backup, and its time had passed then: it may be live already. "
    "Look at the account on {platform}, and plan the post anew only if it is not there."
)
INTERRUPTED: Final = (
    "Publishing was interrupted before the platform answered. "
    "The account is checked there before anything is sent again."
)
"""A call whose program ended before the answer."""

SENT_BEFORE_RESTORE: Final = (
    "The database was replaced by an older copy that doesn't have this call. "
    "The account is checked on the platform before anything is sent again."
)
"""A call of which only the journal tells."""

DELETED: Final = (
    "The post was deleted while the platform's answer was still unknown. "
    "Look at the account there if the post must not be live."
)
"""A call that nobody can look for, since the post and its text are gone."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The platform's own code and words, and our advice."""

    code: str | None
    message: str | None
    advice: str


def explain(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """What an error of the platform means for a person."""
    item = f" ({error.existing.content_id})" if error.existing else ""
    told = CAUSES[error.cause] if error.cause and error.kind in FINAL else None
    advice = (told or KINDS[error.kind]).format(platform=name_of(platform), item=item)
    return Explanation(error.code, error.message, advice)


def ahead(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """A failure some time before the post is due, which ends nothing yet."""
    match error.kind:
        case FailureKind.AUTH_EXPIRED:
            words = _SIGN_IN_AHEAD.format(platform=name_of(platform))
        case FailureKind.TRANSIENT | FailureKind.RATE_LIMITED | FailureKind.AMBIGUOUS | FailureKind.QUOTA:
            words = _PASSING_AHEAD.format(platform=name_of(platform))
        case _:
            words = f"{explain(error, platform).advice} {_REFUSED_AHEAD}"
    return Explanation(error.code, error.message, words)


def exhausted(error: PlatformError, platform: PostingPlatform) -> Explanation:
    """A passing failure that did not pass."""
    advice = KINDS[FailureKind.QUOTA] if error.kind is FailureKind.RATE_LIMITED else _EXHAUSTED
    if error.cause:
        advice = CAUSES[error.cause]
    return Explanation(error.code, error.message, advice.format(platform=name_of(platform)))


def may_be_live(why: Explanation | None, platform: PostingPlatform) -> Explanation:
    """An outcome that could not be found out; ``why`` keeps the platform's last words."""
    code, message = (why.code, why.message) if why else (None, None)
    return Explanation(code, message, _MAY_BE_LIVE.format(platform=name_of(platform)))


def copied(why: Explanation, platform: PostingPlatform) -> Explanation:
    """A repeat that was refused because the first call had published: ``why`` is the platform's refusal."""
    return Explanation(why.code, why.message, _COPIED.format(platform=name_of(platform)))


def absent(platform: PostingPlatform) -> Explanation:
    """A call that was proved to have published nothing."""
    return Explanation(None, None, _ABSENT.format(platform=name_of(platform)))


def missed() -> Explanation:
    """A post whose time passed long ago."""
    return Explanation(None, None, _MISSED)


def not_reconnected(platform: PostingPlatform) -> Explanation:
    """A post whose account needed a new consent and did not get it in time."""
    return Explanation(None, None, _NOT_RECONNECTED.format(platform=name_of(platform)))


def restored(platform: PostingPlatform) -> Explanation:
    """A post of a backup that was due before the backup was restored."""
    return Explanation(None, None, _RESTORED.format(platform=name_of(platform)))


def in_words(why: Explanation, platform: PostingPlatform) -> str:
    """The advice, and after it what the platform said, if it said anything, or what is known instead."""
    said, name = why.message or why.code, name_of(platform)
    if not said:
        return why.advice
    names_itself = re.search(rf"\b{name}\b", said) is not None
    return f"{why.advice} {said}" if names_itself else f"{why.advice} {name} said: {said}"
