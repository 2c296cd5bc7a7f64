"""Why a platform refused a post, as a headline in the user's language."""

from collections.abc import Mapping
from typing import Final

from app.contract.companion import Attempt, AttemptOutcome
from app.language import tr

_SIGNED_OUT: Final = tr("{platform} ended access to this account.")
_DENIED: Final = tr("{platform} doesn't let this account publish this.")
_COPY: Final = tr("{platform} already has a post like this one.")
_LIMIT: Final = tr("This account has reached {platform}'s limit.")
_RESTRICTED: Final = tr("{platform} has restricted this account.")
_SPAM: Final = tr("{platform} took this post for spam.")
_FILE: Final = tr("{platform} couldn't use the file.")
_LONG: Final = tr("The text is too long for {platform}.")
_REFUSED: Final = tr("{platform} refused this post.")
_OUT_OF_REACH: Final = tr("{platform} couldn't be reached in time.")
_UNTOLD: Final = tr("This post wasn't published.")

_BY_CODE: Final[Mapping[str, str]] = {
    # HTTP, LinkedIn
    "http_401": _SIGNED_OUT,
    "http_403": _DENIED,
    "http_429": _LIMIT,
    "ACCESS_DENIED": _DENIED,
    # X
    "187": _COPY,
    # Graph API: Facebook, Instagram, Threads
    "102": _SIGNED_OUT,
    "190": _SIGNED_OUT,
    "10": _DENIED,
    "200": _DENIED,
    "4": _LIMIT,
    "17": _LIMIT,
    "32": _LIMIT,
    "613": _LIMIT,
    "25": _RESTRICTED,
    "368": _RESTRICTED,
    "506": _COPY,
    "352": _FILE,
    "36000": _FILE,
    "36001": _FILE,
    "36003": _FILE,
    "36004": _LONG,
    # TikTok
    "access_token_invalid": _SIGNED_OUT,
    "auth_removed": _SIGNED_OUT,
    "scope_not_authorized": _DENIED,
    "rate_limit_exceeded": _LIMIT,
    "spam_risk_too_many_posts": _LIMIT,
    "spam_risk_user_banned_from_posting": _RESTRICTED,
    "spam_risk": _SPAM,
    "spam_risk_text": _SPAM,
    "file_format_check_failed": _FILE,
    "duration_check_failed": _FILE,
    "picture_size_check_failed": _FILE,
}
"""By the platform's own code; a subcode after a slash is ignored."""


def headline(last: Attempt | None, platform: str) -> str:
    """Return what happened in one sentence, from the last attempt; ``platform`` is a name."""
    if last is None:
        return _UNTOLD
    code = (last.platform_code or "").partition("/")[0]
    usual = _OUT_OF_REACH if last.outcome is AttemptOutcome.TRANSIENT else _REFUSED
    if not last.platform_code and not last.platform_message:
        usual = _UNTOLD
    return _BY_CODE.get(code, usual).format(platform=platform)
