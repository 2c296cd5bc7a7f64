"""What the pages and messages of a browser flow say."""

from types import MappingProxyType
from typing import Final

from app.contract.enums import ConnectionPlatform

PLATFORM_NAMES: Final = MappingProxyType(
    {
        ConnectionPlatform.LINKEDIN: "LinkedIn",
        ConnectionPlatform.TIKTOK: "TikTok",
        ConnectionPlatform.PINTEREST: "Pinterest",
        ConnectionPlatform.INSTAGRAM: "Instagram",
        ConnectionPlatform.FACEBOOK: "Facebook",
        ConnectionPlatform.THREADS: "Threads",
        ConnectionPlatform.YOUTUBE: "YouTube",
        ConnectionPlatform.X: "X",
    }
)

DENIED: Final = "Access was not allowed, so nothing was connected. You can start again at any time."
EXPIRED: Final = "This took longer than 15 minutes, so nothing was connected. Start again."
INTERRUPTED: Final = "The service was restarted in the middle of this, so nothing was connected. Start again."
BROKEN: Final = "Something went wrong inside the service, so nothing was connected. Start again."
UNKNOWN: Final = "This address does not belong to a connection that is under way. Start again."
INCOMPLETE: Final = "This address is incomplete. Copy it again, whole, or start again."
NO_ACCOUNT: Final = "There is no account here that could be connected."
SEVERAL_ACCOUNTS: Final = "Several accounts were offered, and this version cannot ask which one to connect."

_LONGEST_QUOTE = 300


def refused(platform: ConnectionPlatform, reason: str) -> str:
    """What a platform gave as its reason, in its own words."""
    return f"{PLATFORM_NAMES[platform]} refused: {reason[:_LONGEST_QUOTE]}"


def connected(name: str, platform: ConnectionPlatform) -> str:
    return f"{name} on {PLATFORM_NAMES[platform]} is connected."
