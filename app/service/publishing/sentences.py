"""Advice for each kind and cause of failure: what happened, then what to do."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.platforms.base import Cause, FailureKind

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
