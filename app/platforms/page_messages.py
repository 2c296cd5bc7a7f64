"""What a platform's consent page says when it doesn't return to Kalends, and what to do.

A platform that doesn't know the app or its redirect address shows an error page of its own instead of
returning, so only the user sees the message. Sources: the platforms' documentation, and messages that users
of other programs reported.
"""

import re
from base64 import urlsafe_b64decode
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from app.contract.enums import ConnectionPlatform as P
from app.language import gettext_noop, tr
from app.platforms.card import SignIn
from app.platforms.cards import CARDS

_META: Final = frozenset({P.FACEBOOK, P.INSTAGRAM, P.THREADS})
_ALL: Final = frozenset(P)
_GOOGLE_PAGES: Final = "accounts.google.com"


class _Message(NamedTuple):
    """Words of an error page, and advice with ``{name}`` for the platform's name."""

    platforms: frozenset[P]
    words: re.Pattern[str]
    advice: str


def _on(platforms: frozenset[P], words: str, advice: str) -> _Message:
    return _Message(platforms, re.compile(words, re.IGNORECASE), advice)


# The more specific ones first.
_MESSAGES: Final = (
    _on(
        frozenset({P.X}),
        r"able to give access to the app",
        gettext_noop(
            "X says this about several mistakes. Check on its page for developers that user authentication "
            "is set up, that the redirect address is exactly the one that Set up platforms shows, and that "
            "you copied the OAuth 2.0 Client ID, not the API key."
        ),
    ),
    _on(
        frozenset({P.TIKTOK}),
        r"redirect[ _]ur[il]",
        gettext_noop(
            "TikTok doesn't know this redirect address. Copy the one from Set up platforms to "
            "Login Kit for desktop: for web, TikTok accepts only https addresses."
        ),
    ),
    _on(
        _ALL,
        r"redirect[ _]ur[il]|url blocked|callback url not approved|domain of this url",
        gettext_noop(
            "{name} doesn't know this redirect address. Copy the one from Set up platforms to the "
            "app's settings on {name}, then open the page again."
        ),
    ),
    _on(
        frozenset({P.YOUTUBE}),
        r"verification process|approved testers|access_denied",
        gettext_noop(
            "The consent screen is in testing, and this Google account isn't a test user. Publish the app on "
            "Google's page, or add the account there."
        ),
    ),
    _on(
        frozenset({P.YOUTUBE}),
        r"org_internal",
        gettext_noop(
            "Only members of your organization can use the app. Choose External as its audience on Google's "
            "page."
        ),
    ),
    _on(
        _META,
        r"app (?:is )?not active|not (?:currently )?accessible|developer role|development mode",
        gettext_noop(
            "The app is in Development, and you have no role in it. Switch it to Live on Meta's page, or "
            "give yourself a role there."
        ),
    ),
    _on(
        _META,
        r"invalid scope",
        gettext_noop(
            "The app can't ask for the permissions that Kalends needs, because it was made for another use "
            "case. Create one with the use case “Other” and the type “Business”."
        ),
    ),
    _on(
        frozenset({P.LINKEDIN}),
        r"not authorized for your application|unauthorized_scope",
        gettext_noop(
            "The app lacks a product. Add “Share on LinkedIn” and “Sign In with LinkedIn using OpenID "
            "Connect” to it."
        ),
    ),
    _on(
        frozenset({P.TIKTOK}),
        r"\bscopes?\b",
        gettext_noop(
            "The app lacks a permission. Add every scope that Set up platforms lists to the app on TikTok."
        ),
    ),
    _on(
        frozenset({P.PINTEREST}),
        r"consumer type",
        gettext_noop(
            "Pinterest hasn't given the app trial access yet. Request it on Pinterest's page for developers."
        ),
    ),
    _on(
        _ALL,
        r"client[ _-]?(?:id|key)|invalid_client|oauth client|app id|application id|platform app",
        gettext_noop(
            "{name} doesn't know the app. Compare its ID on {name}'s developer page with Set up platforms."
        ),
    ),
)


def explain_page(platform: P, pasted: str) -> str:
    """Explain the message or address of an error page, in the app's language; "" if it isn't known.

    Addresses contain what the app sent, such as the redirect address, so only Google's are read: they have
    the message in them.
    """
    if CARDS[platform].sign_in is not SignIn.CONSENT:
        return ""
    said = _message_of(pasted.strip())
    found = (one for one in _MESSAGES if platform in one.platforms and one.words.search(said))
    message = next(found, None)
    return tr(message.advice, name=CARDS[platform].name) if message else ""


def _message_of(pasted: str) -> str:
    if any(letter.isspace() for letter in pasted):
        return pasted
    try:
        parts = urlsplit(pasted)
        if not parts.scheme and not parts.query:
            return pasted  # a code, such as redirect_uri_mismatch
    except ValueError:  # no address
        return ""
    return google_error(pasted)


def google_error(address: str) -> str:
    """Return what the address of an error page of Google says, such as "redirect_uri_mismatch…"; or ""."""
    try:
        parts = urlsplit(address)
        encoded = parse_qs(parts.query).get("authError", [""])[0] if parts.hostname == _GOOGLE_PAGES else ""
        return urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8", "ignore")
    except ValueError:  # no address, or no Base64
        return ""
