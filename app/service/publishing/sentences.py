"""What a person reads of each failure: what happened, then what they can do. Nothing else is decided here."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.platforms.base import Cause, FailureKind

KINDS: Final[Mapping[FailureKind, str]] = MappingProxyType(
    {
        FailureKind.AUTH_EXPIRED: "{platform} no longer accepts the sign-in of this account. "
        "Connect the account again: the post waits for that and is then published, unless it is too late.",
        FailureKind.PERMISSION: "{platform} does not let this account publish this. "
        "Check the account's role and what it allowed when it was connected, then plan the post anew.",
        FailureKind.RATE_LIMITED: "{platform} asked to slow down. The post is tried again by itself.",
        FailureKind.QUOTA: "This account has used up what {platform} allows for now. "
        "Plan the post for a later time.",
        FailureKind.INVALID: "{platform} refused the content. "
        "Change what its answer names, then plan the post anew.",
        FailureKind.DUPLICATE: "{platform} says that the same content is already there{item}. "
        "Change the text if it shall appear once more.",
        FailureKind.TRANSIENT: "{platform} could not be reached or had trouble of its own. "
        "The post is tried again by itself.",
        FailureKind.AMBIGUOUS: "The connection was lost before {platform} answered. "
        "The account is checked there before anything is sent again.",
    }
)
"""By what the failure means for the next step. ``{item}`` names the original of a copy."""

CAUSES: Final[Mapping[Cause, str]] = MappingProxyType(
    {
        Cause.PROGRAM: "{platform} did not understand what Kalends sent. "
        "Update Kalends, then plan the post anew. If that does not help, report what {platform} said.",
        Cause.OUTDATED: "{platform} has ended the version of its interface that this Kalends speaks. "
        "Update Kalends, then plan the post anew.",
        Cause.APP: "{platform} does not accept the app that Kalends uses there, or the app lacks a product. "
        "Check the app at {platform} and its keys in Kalends, then plan the post anew.",
        Cause.APP_UNREVIEWED: "Until {platform} has checked the app that Kalends uses, it publishes for "
        "private accounts alone. Make the account private or have the app checked, then plan the post anew.",
        Cause.APP_QUOTA: "The app that Kalends uses has used up its calls to {platform} for today. "
        "Plan the post for tomorrow.",
        Cause.CREDITS: "The app that Kalends uses has no credits left at {platform}. "
        "Buy credits there, then plan the post anew.",
        Cause.RENEWAL: "{platform} did not renew the sign-in of this account. "
        "If it stays so, connect the account again, then plan the post anew.",
        Cause.SCOPE: "The account did not allow all that publishing on {platform} needs. "
        "Connect the account again and allow everything, then plan the post anew.",
        Cause.RESTRICTED: "{platform} has restricted this account. "
        "Settle what it asks for at {platform}, then plan the post anew.",
        Cause.SPAM: "{platform} holds the post for spam, or finds too many of them. "
        "Change it, or wait a day, then plan the post anew.",
        Cause.PRIVACY: "{platform} does not offer this account the audience that was asked for. "
        "Look at the account's privacy at {platform}, then plan the post anew.",
        Cause.UNDECIDED: "Choose who can see it on {platform}, in the composer or for the account. "
        "Then schedule the post again.",
        Cause.NO_CHANNEL: "The account has no channel at {platform}. "
        "Make one there, connect the account again, then plan the post anew.",
        Cause.FILE: "{platform} could not use the file. "
        "Export it once more, a picture as JPEG and a video as MP4 with H.264, then plan the post anew.",
        Cause.FILE_SIZE: "The file has too many or too few bytes for {platform}. "
        "Export it in another size, then plan the post anew.",
        Cause.FILE_LENGTH: "The video is too long or too short for {platform}. "
        "Cut it, then plan the post anew.",
        Cause.FILE_SHAPE: "{platform} does not take the file's shape, pixels or frame rate. "
        "Crop it or export it anew, then plan the post anew.",
        Cause.FILE_COPY: "The account has this very file on {platform} already. "
        "Leave it at that, or plan the post anew with another file.",
        Cause.FILE_GONE: "{platform} no longer has the file that was sent ahead. "
        "Plan the post anew, and the file is sent once more.",
        Cause.FILE_ADDRESS: "{platform} could not fetch the file from its public address. "
        "Check the public address for files in the settings, then plan the post anew.",
        Cause.TEXT: "{platform} does not take something in the text, such as its tags or a sign. "
        "Change the text, then plan the post anew.",
        Cause.TEXT_LENGTH: "The text is too long for {platform}. Shorten it, then plan the post anew.",
        Cause.TITLE: "{platform} does not take the title. Change it, then plan the post anew.",
        Cause.LINK: "{platform} does not take a link in the post. "
        "Change it or take it out, then plan the post anew.",
        Cause.BOARD: "The board is not on {platform} any more, or the account may not use it. "
        "Choose another board, then plan the post anew.",
        Cause.POLICY: "{platform} holds that the post breaks its rules. Change it, then plan the post anew.",
        Cause.CALLED_OFF: "The post was called off at {platform}. Plan it anew if it shall appear.",
    }
)
"""By what is behind the failure, where the platform tells, for failures that end a post."""

FINAL: Final = frozenset(
    {FailureKind.PERMISSION, FailureKind.QUOTA, FailureKind.INVALID, FailureKind.AUTH_EXPIRED}
)
"""Kinds after which nothing is tried again by itself: only their sentences may tell a person to act."""
