"""Explanations of failed attempts: what happened, and what the user can do."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostingPlatform
from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.cards import name_of

KINDS: Final[Mapping[FailureKind, str]] = MappingProxyType(
    {
        FailureKind.AUTH_EXPIRED: "{platform} no longer accepts this account's sign-in. "
        "Connect the account again: the post waits and is then published, unless it's too late.",
        FailureKind.PERMISSION: "{platform} doesn't let this account publish this. "
        "Check the account's role and permissions, then schedule the post again.",
        FailureKind.RATE_LIMITED: "{platform} asked to slow down. The post is retried automatically.",
        FailureKind.QUOTA: "This account has used up what {platform} allows for now. "
        "Schedule the post for a later time.",
        FailureKind.INVALID: "{platform} refused the content. "
        "Change what its message names, then schedule the post again.",
        FailureKind.DUPLICATE: "{platform} says that the same content is already there{item}. "
        "Change the text to publish it again.",
        FailureKind.TRANSIENT: "{platform} couldn't be reached or had a problem. "
        "The post is retried automatically.",
        FailureKind.AMBIGUOUS: "The connection was lost before {platform} answered. "
        "Kalends checks the account there before it sends anything again.",
    }
)
"""Advice by kind of failure. ``{item}`` names the original of a copy."""

CAUSES: Final[Mapping[Cause, str]] = MappingProxyType(
    {
        Cause.PROGRAM: "{platform} didn't understand what Kalends sent. "
        "Update Kalends, then schedule the post again. If that doesn't help, report {platform}'s message.",
        Cause.OUTDATED: "{platform} no longer supports the API version that Kalends uses. "
        "Update Kalends, then schedule the post again.",
        Cause.APP: "{platform} doesn't accept the app that Kalends uses there, or the app lacks a product. "
        "Check the app on {platform} and its keys in Kalends, then schedule the post again.",
        Cause.APP_UNREVIEWED: "{platform} hasn't reviewed the app that Kalends uses, so it only publishes "
        "for private accounts. Make the account private or have the app reviewed, then schedule the "
        "post again.",
        Cause.TRIAL: "The app that Kalends uses on {platform} has trial access, which can't publish. "
        "Request standard access on {platform}'s page for developers, then schedule the post again.",
        Cause.APP_QUOTA: "The app that Kalends uses has used up its calls to {platform} for today. "
        "Schedule the post for tomorrow.",
        Cause.CREDITS: "The app that Kalends uses has no credits left on {platform}. "
        "Buy credits there, then schedule the post again.",
        Cause.RENEWAL: "{platform} didn't renew this account's sign-in. "
        "If this keeps happening, connect the account again, then schedule the post again.",
        Cause.SCOPE: "The account didn't grant every permission that publishing on {platform} needs. "
        "Connect the account again and allow everything, then schedule the post again.",
        Cause.RESTRICTED: "{platform} has restricted this account. "
        "Resolve this on {platform}, then schedule the post again.",
        Cause.SPAM: "{platform} considers the post spam, or there were too many posts. "
        "Change it or wait a day, then schedule the post again.",
        Cause.PRIVACY: "{platform} doesn't offer this account the chosen audience. "
        "Check the account's privacy settings on {platform}, then schedule the post again.",
        Cause.UNDECIDED: "Choose who can see it on {platform}, in the composer or for the account. "
        "Then schedule the post again.",
        Cause.NO_CHANNEL: "The account has no channel on {platform}. "
        "Create one there, connect the account again, then schedule the post again.",
        Cause.FILE: "{platform} couldn't use the file. "
        "Export it again, pictures as JPEG and videos as MP4 with H.264, then schedule the post again.",
        Cause.FILE_SIZE: "The file is too large or too small for {platform}. "
        "Export it in another size, then schedule the post again.",
        Cause.FILE_LENGTH: "The video is too long or too short for {platform}. "
        "Change its length, then schedule the post again.",
        Cause.FILE_SHAPE: "{platform} doesn't accept the file's shape, resolution or frame rate. "
        "Crop it or export it again, then schedule the post again.",
        Cause.FILE_COPY: "The account already has this file on {platform}. "
        "Leave it at that, or schedule the post again with another file.",
        Cause.FILE_GONE: "{platform} no longer has the file that was uploaded ahead of time. "
        "Schedule the post again to upload the file again.",
        Cause.FILE_ADDRESS: "{platform} couldn't fetch the file from its public address. "
        "Check the public address for files in the settings, then schedule the post again.",
        Cause.TEXT: "{platform} doesn't accept something in the text, such as a tag or a character. "
        "Change the text, then schedule the post again.",
        Cause.TEXT_LENGTH: "The text is too long for {platform}. Shorten it, then schedule the post again.",
        Cause.TITLE: "{platform} doesn't accept the title. Change it, then schedule the post again.",
        Cause.LINK: "{platform} doesn't accept a link in the post. "
        "Change or remove it, then schedule the post again.",
        Cause.BOARD: "The board is no longer on {platform}, or the account can't use it. "
        "Choose another board, then schedule the post again.",
        Cause.POLICY: "{platform} says that the post breaks its rules. "
        "Change it, then schedule the post again.",
        Cause.CALLED_OFF: "The post was cancelled on {platform}. "
        "Schedule it again if it should be published.",
    }
)
"""Advice by cause, if the platform gives one, for failures that end a post."""

FINAL: Final = frozenset(
    {FailureKind.PERMISSION, FailureKind.QUOTA, FailureKind.INVALID, FailureKind.AUTH_EXPIRED}
)
"""Kinds that aren't retried automatically, so their advice may ask the user to act."""


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
_PUBLISHED_BY_ANOTHER = "Another attempt published this post, so this one didn't."
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
_NOT_FINISHED = (
    "Nobody marked this post as published on {platform} in time. If it's there, mark it as done. "
    "If it isn't, schedule it again."
)
_NOT_HANDED_OVER = (
    "The computer was off when the post was due, and nobody could be asked to publish it in time. "
    "Schedule it again."
)
HANDED_OVER: Final = "Kalends asked you to publish this post yourself. Mark it as done when it's there."
"""Advice for a post that the user publishes by hand."""

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


def published_by_another() -> Explanation:
    """Explain a call that published nothing, because another attempt had published the post."""
    return Explanation(None, None, _PUBLISHED_BY_ANOTHER)


def missed() -> Explanation:
    """Explain a post that is past its grace period."""
    return Explanation(None, None, _MISSED)


def not_finished(platform: PostingPlatform, *, was_handed_over: bool) -> Explanation:
    """Explain a post that the user didn't publish by hand in time."""
    advice = _NOT_FINISHED if was_handed_over else _NOT_HANDED_OVER
    return Explanation(None, None, advice.format(platform=name_of(platform)))


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
