"""What platforms are called."""

from app.contract.enums import ConnectionPlatform, PostingPlatform

_NAMES = {"linkedin": "LinkedIn", "tiktok": "TikTok", "youtube": "YouTube", "x": "X"}


def platform_name(platform: ConnectionPlatform | PostingPlatform) -> str:
    """The platform's own spelling; an unknown one as the service writes it."""
    return _NAMES.get(platform.value, platform.value.capitalize())
