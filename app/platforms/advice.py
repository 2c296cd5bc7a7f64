"""Advice after failed attempts: what happened, and what the user can do.

The service writes it in English, and the app says it in its own language.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.language import gettext_noop
from app.platforms.base import Cause, FailureKind

KINDS: Final[Mapping[FailureKind, str]] = MappingProxyType(
    {
        FailureKind.AUTH_EXPIRED: gettext_noop(
            "{platform} no longer accepts this account's sign-in. "
            "Connect the account again: the post waits and is then published, unless it's too late."
        ),
        FailureKind.PERMISSION: gettext_noop(
            "{platform} doesn't let this account publish this. "
            "Check the account's role and permissions, then schedule the post again."
        ),
        FailureKind.RATE_LIMITED: gettext_noop(
            "{platform} asked to slow down. The post is retried automatically."
        ),
        FailureKind.QUOTA: gettext_noop(
            "This account has used up what {platform} allows for now. Schedule the post for a later time."
        ),
        FailureKind.INVALID: gettext_noop(
            "{platform} refused the content. Change what its message names, then schedule the post again."
        ),
        FailureKind.DUPLICATE: gettext_noop(
            "{platform} says that the same content is already there{item}. "
            "Change the text to publish it again."
        ),
        FailureKind.TRANSIENT: gettext_noop(
            "{platform} couldn't be reached or had a problem. The post is retried automatically."
        ),
        FailureKind.AMBIGUOUS: gettext_noop(
            "The connection was lost before {platform} answered. "
            "Kalends checks the account there before it sends anything again."
        ),
    }
)
"""Advice by kind of failure. ``{item}`` names the original of a copy."""

CAUSES: Final[Mapping[Cause, str]] = MappingProxyType(
    {
        Cause.PROGRAM: gettext_noop(
            "{platform} didn't understand what Kalends sent. "
            "Update Kalends, then schedule the post again. If that doesn't help, report {platform}'s message."
        ),
        Cause.OUTDATED: gettext_noop(
            "{platform} no longer supports the API version that Kalends uses. "
            "Update Kalends, then schedule the post again."
        ),
        Cause.APP: gettext_noop(
            "{platform} doesn't accept the app that Kalends uses there, or the app lacks a product. "
            "Check the app on {platform} and its keys in Kalends, then schedule the post again."
        ),
        Cause.APP_UNREVIEWED: gettext_noop(
            "{platform} hasn't reviewed the app that Kalends uses, so it only publishes "
            "for private accounts. Send the account's posts to your inbox there, make the account private, "
            "or have the app reviewed. Then schedule the post again."
        ),
        Cause.TRIAL: gettext_noop(
            "The app that Kalends uses on {platform} has trial access, which can't publish. "
            "Request standard access on {platform}'s page for developers, then schedule the post again."
        ),
        Cause.APP_QUOTA: gettext_noop(
            "The app that Kalends uses has used up its calls to {platform} for today. "
            "Schedule the post for tomorrow."
        ),
        Cause.CREDITS: gettext_noop(
            "The app that Kalends uses has no credits left on {platform}. "
            "Buy credits there, then schedule the post again."
        ),
        Cause.INBOX_FULL: gettext_noop(
            "As many posts as {platform} allows wait in your inbox there. "
            "Publish or delete some in {platform}'s app, then schedule the post again."
        ),
        Cause.RENEWAL: gettext_noop(
            "{platform} didn't renew this account's sign-in. "
            "If this keeps happening, connect the account again, then schedule the post again."
        ),
        Cause.SCOPE: gettext_noop(
            "The account didn't grant every permission that publishing on {platform} needs. "
            "Connect the account again and allow everything, then schedule the post again."
        ),
        Cause.RESTRICTED: gettext_noop(
            "{platform} has restricted this account. "
            "Resolve this on {platform}, then schedule the post again."
        ),
        Cause.SPAM: gettext_noop(
            "{platform} considers the post spam, or there were too many posts. "
            "Change it or wait a day, then schedule the post again."
        ),
        Cause.PRIVACY: gettext_noop(
            "{platform} doesn't offer this account the chosen audience. "
            "Check the account's privacy settings on {platform}, then schedule the post again."
        ),
        Cause.UNDECIDED: gettext_noop(
            "Choose who can see it on {platform}, in the composer or for the account. "
            "Then schedule the post again."
        ),
        Cause.NO_CHANNEL: gettext_noop(
            "The account has no channel on {platform}. "
            "Create one there, connect the account again, then schedule the post again."
        ),
        Cause.FILE: gettext_noop(
            "{platform} couldn't use the file. "
            "Export it again, pictures as JPEG and videos as MP4 with H.264, then schedule the post again."
        ),
        Cause.FILE_SIZE: gettext_noop(
            "The file is too large or too small for {platform}. "
            "Export it in another size, then schedule the post again."
        ),
        Cause.FILE_LENGTH: gettext_noop(
            "The video is too long or too short for {platform}. "
            "Change its length, then schedule the post again."
        ),
        Cause.FILE_SHAPE: gettext_noop(
            "{platform} doesn't accept the file's shape, resolution or frame rate. "
            "Crop it or export it again, then schedule the post again."
        ),
        Cause.FILE_COPY: gettext_noop(
            "The account already has this file on {platform}. "
            "Leave it at that, or schedule the post again with another file."
        ),
        Cause.FILE_GONE: gettext_noop(
            "{platform} no longer has the file that was uploaded ahead of time. "
            "Schedule the post again to upload the file again."
        ),
        Cause.FILE_ADDRESS: gettext_noop(
            "{platform} couldn't fetch the file from its public address. "
            "Check the public address for files in the settings, then schedule the post again."
        ),
        Cause.TEXT: gettext_noop(
            "{platform} doesn't accept something in the text, such as a tag or a character. "
            "Change the text, then schedule the post again."
        ),
        Cause.TEXT_LENGTH: gettext_noop(
            "The text is too long for {platform}. Shorten it, then schedule the post again."
        ),
        Cause.TITLE: gettext_noop(
            "{platform} doesn't accept the title. Change it, then schedule the post again."
        ),
        Cause.LINK: gettext_noop(
            "{platform} doesn't accept a link in the post. Change or remove it, then schedule the post again."
        ),
        Cause.BOARD: gettext_noop(
            "The board is no longer on {platform}, or the account can't use it. "
            "Choose another board, then schedule the post again."
        ),
        Cause.POLICY: gettext_noop(
            "{platform} says that the post breaks its rules. Change it, then schedule the post again."
        ),
        Cause.CALLED_OFF: gettext_noop(
            "The post was cancelled on {platform}. Schedule it again if it should be published."
        ),
    }
)
"""Advice by cause, if the platform gives one, for failures that end a post."""


SIGN_IN_AHEAD: Final = gettext_noop(
    "{platform} no longer accepts this account's sign-in, so the file couldn't be uploaded yet. "
    "Connect the account again before the post is due."
)
PASSING_AHEAD: Final = gettext_noop(
    "The file couldn't be uploaded to {platform} ahead of time. "
    "The upload is retried automatically, for the last time when the post is due."
)
REFUSED_AHEAD: Final = gettext_noop(
    "This was found ahead of time. The post is tried once more when it's due."
)
EXHAUSTED: Final = gettext_noop(
    "{platform} didn't accept the post after several tries. "
    "Check {platform} and your connection, then schedule the post again."
)
MAY_BE_LIVE: Final = gettext_noop(
    "{platform}'s answer was lost, and Kalends couldn't find out whether the post is live. "
    "Check the account on {platform}, and schedule the post again only if it isn't there."
)
COPIED: Final = gettext_noop(
    "{platform} refused a second copy of this post, because the first is live. There's nothing left to do."
)
ABSENT: Final = gettext_noop("The post isn't on {platform}, so this attempt didn't publish it.")
NOT_STORED: Final = gettext_noop(
    "Kalends couldn't store this attempt, so it sent nothing to {platform}. "
    "The post is retried automatically."
)
PUBLISHED_BY_ANOTHER: Final = gettext_noop("Another attempt published this post, so this one didn't.")
MISSED: Final = gettext_noop(
    "The computer was off when the post was due, and now it's too late to publish it automatically. "
    "Schedule it again."
)
NOT_RECONNECTED: Final = gettext_noop(
    "{platform} no longer accepted this account's sign-in, and the account wasn't connected again in time. "
    "Connect the account again, then schedule the post again."
)
RESTORED: Final = gettext_noop(
    "The post came from a backup and was already due when it was restored, so it may be live. "
    "Check the account on {platform}, and schedule the post again only if it isn't there."
)
NOT_FINISHED: Final = gettext_noop(
    "Nobody marked this post as published on {platform} in time. If it's there, mark it as done. "
    "If it isn't, schedule it again."
)
NOT_HANDED_OVER: Final = gettext_noop(
    "The computer was off when the post was due, and nobody could be asked to publish it in time. "
    "Schedule it again."
)
IN_INBOX: Final = gettext_noop("The post is in your {platform} inbox. Finish it in {platform}'s app.")
LEFT_IN_INBOX: Final = gettext_noop(
    "Nobody published this post from the {platform} inbox in time. "
    "Check the account on {platform}, and schedule the post again only if it isn't there."
)
HANDED_OVER: Final = gettext_noop(
    "Kalends asked you to publish this post yourself. Mark it as done when it's there."
)
"""Advice for a post that the user publishes by hand."""

INTERRUPTED: Final = gettext_noop(
    "Publishing was interrupted before the platform answered. "
    "Kalends checks the account there before it sends anything again."
)
"""Advice for a call whose process died before the platform answered."""

SENT_BEFORE_RESTORE: Final = gettext_noop(
    "The database was replaced by an older copy that doesn't have this call. "
    "Kalends checks the account on the platform before it sends anything again."
)
"""Advice for a call that only the journal knows about."""

DELETED: Final = gettext_noop(
    "The post was deleted while the platform's answer was still unknown. "
    "Check the account there if the post must not be live."
)
"""Advice for a lost call that can't be looked up any more, because the post and its text are deleted."""

BRIEF: Final[Mapping[str, str]] = MappingProxyType(
    {
        KINDS[FailureKind.AUTH_EXPIRED]: gettext_noop("Reconnect the account"),
        KINDS[FailureKind.PERMISSION]: gettext_noop("No permission"),
        KINDS[FailureKind.RATE_LIMITED]: gettext_noop("Retried automatically"),
        KINDS[FailureKind.QUOTA]: gettext_noop("Limit reached"),
        KINDS[FailureKind.INVALID]: gettext_noop("Content refused"),
        KINDS[FailureKind.DUPLICATE]: gettext_noop("Same content already there"),
        KINDS[FailureKind.TRANSIENT]: gettext_noop("Retried automatically"),
        KINDS[FailureKind.AMBIGUOUS]: gettext_noop("Answer lost"),
        CAUSES[Cause.PROGRAM]: gettext_noop("Update Kalends"),
        CAUSES[Cause.OUTDATED]: gettext_noop("Update Kalends"),
        CAUSES[Cause.APP]: gettext_noop("App not accepted"),
        CAUSES[Cause.APP_UNREVIEWED]: gettext_noop("App not reviewed"),
        CAUSES[Cause.TRIAL]: gettext_noop("App has trial access"),
        CAUSES[Cause.APP_QUOTA]: gettext_noop("App's limit reached"),
        CAUSES[Cause.CREDITS]: gettext_noop("No credits left"),
        CAUSES[Cause.INBOX_FULL]: gettext_noop("Inbox full"),
        CAUSES[Cause.RENEWAL]: gettext_noop("Sign-in not renewed"),
        CAUSES[Cause.SCOPE]: gettext_noop("Permission missing"),
        CAUSES[Cause.RESTRICTED]: gettext_noop("Account restricted"),
        CAUSES[Cause.SPAM]: gettext_noop("Considered spam"),
        CAUSES[Cause.PRIVACY]: gettext_noop("Audience not available"),
        CAUSES[Cause.UNDECIDED]: gettext_noop("Choose the audience"),
        CAUSES[Cause.NO_CHANNEL]: gettext_noop("No channel"),
        CAUSES[Cause.FILE]: gettext_noop("File not accepted"),
        CAUSES[Cause.FILE_SIZE]: gettext_noop("Wrong file size"),
        CAUSES[Cause.FILE_LENGTH]: gettext_noop("Wrong video length"),
        CAUSES[Cause.FILE_SHAPE]: gettext_noop("File format not accepted"),
        CAUSES[Cause.FILE_COPY]: gettext_noop("File already there"),
        CAUSES[Cause.FILE_GONE]: gettext_noop("Uploaded file expired"),
        CAUSES[Cause.FILE_ADDRESS]: gettext_noop("File not reachable"),
        CAUSES[Cause.TEXT]: gettext_noop("Text not accepted"),
        CAUSES[Cause.TEXT_LENGTH]: gettext_noop("Text too long"),
        CAUSES[Cause.TITLE]: gettext_noop("Title not accepted"),
        CAUSES[Cause.LINK]: gettext_noop("Link not accepted"),
        CAUSES[Cause.BOARD]: gettext_noop("Board not available"),
        CAUSES[Cause.POLICY]: gettext_noop("Against the rules"),
        CAUSES[Cause.CALLED_OFF]: gettext_noop("Cancelled on the platform"),
        EXHAUSTED: gettext_noop("No success after retries"),
        COPIED: gettext_noop("Already live"),
        ABSENT: gettext_noop("Not on the platform"),
        PUBLISHED_BY_ANOTHER: gettext_noop("Already live"),
        MISSED: gettext_noop("Computer was off"),
        NOT_RECONNECTED: gettext_noop("Account not reconnected"),
        RESTORED: gettext_noop("Restored from a backup"),
        NOT_FINISHED: gettext_noop("Not marked as done"),
        NOT_HANDED_OVER: gettext_noop("Computer was off"),
        LEFT_IN_INBOX: gettext_noop("Left in the inbox"),
    }
)
"""The same in a few words, for cards, by the advice for posts that failed."""
