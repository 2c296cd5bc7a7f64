"""Each platform's requirements for registered apps, from their documentation of 2026-11."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType
from typing import Final

from app.contract.enums import ConnectionPlatform


class Loopback(Enum):
    """Whether a platform redirects to ``http://127.0.0.1:PORT``; ``UNSURE``: its documentation is unclear."""

    TAKEN = auto()
    REFUSED = auto()
    UNSURE = auto()


@dataclass(frozen=True, slots=True)
class Registration:
    """A platform's requirements.

    Attributes:
        loopback: Whether it redirects to a program on the user's computer.
        portal: Where to register an app.
        steps: How to register it.
        secret: Whether tokens require the app's secret.
        remarks: What to know before scheduling anything.
    """

    loopback: Loopback
    portal: str
    steps: tuple[str, ...]
    secret: bool = True
    remarks: tuple[str, ...] = ()


_HTTPS_ONLY: Final = (
    "{name} redirects only to https addresses. Use this service's public address, "
    "or register any https address you own and paste the address the browser "
    "ends at."
)
_META_PORTAL: Final = "https://developers.facebook.com/apps"
_META_STEPS: Final = (
    "Create a Business app and add Facebook Login.",
    "Enter the redirect address under “Valid OAuth redirect URIs”.",
    "Copy the App ID and App secret from the basic settings.",
)
_META: Final = (
    ("While the app is in development mode, only people with a role in it can connect."),
    _HTTPS_ONLY,
)

REGISTRATIONS: Final[Mapping[ConnectionPlatform, Registration]] = MappingProxyType(
    {
        ConnectionPlatform.LINKEDIN: Registration(
            Loopback.UNSURE,
            "https://www.linkedin.com/developers/apps",
            (
                "Create an app. LinkedIn requires a company page it belongs to.",
                "Add the products “Share on LinkedIn” and “Sign In with LinkedIn using OpenID Connect”.",
                ("Enter the redirect address under Auth, then copy the Client ID and Client Secret."),
            ),
            remarks=(
                ("LinkedIn lets few apps renew access, so most accounts must be reconnected every 60 days."),
            ),
        ),
        ConnectionPlatform.TIKTOK: Registration(
            Loopback.TAKEN,
            "https://developers.tiktok.com/apps",
            (
                ("Create an app and add the products Login Kit (for desktop) and Content Posting API."),
                ("Enter the redirect address under Login Kit, then copy the Client key and Client secret."),
            ),
            remarks=(
                "Register the app for desktop: for web, TikTok accepts only https addresses.",
                "Until TikTok has audited the app, only the author can see posts.",
            ),
        ),
        ConnectionPlatform.PINTEREST: Registration(
            Loopback.TAKEN,
            "https://developers.pinterest.com/apps",
            (
                "Connect an app and request trial access.",
                "Enter the redirect address, then copy the App ID and App secret key.",
            ),
            remarks=("While the app has trial access, only the author can see its pins.",),
        ),
        ConnectionPlatform.INSTAGRAM: Registration(
            Loopback.REFUSED,
            _META_PORTAL,
            _META_STEPS,
            remarks=("Only professional accounts linked to a Facebook Page can be connected.", *_META),
        ),
        ConnectionPlatform.YOUTUBE: Registration(
            Loopback.TAKEN,
            "https://console.cloud.google.com/apis/credentials",
            (
                ("Create a project and enable the YouTube Data API v3 and the YouTube Analytics API."),
                ("Create an OAuth client for a desktop app. For a web app, also enter the redirect address."),
                "Copy the Client ID and Client secret.",
            ),
            remarks=("While Google's consent screen is in testing, access expires after 7 days.",),
        ),
        ConnectionPlatform.X: Registration(
            Loopback.TAKEN,
            "https://developer.x.com/en/portal/dashboard",
            (
                "Create an app and set up user authentication with Read and write permission.",
                (
                    "Enter the redirect address as the callback URL. A native app has no secret; "
                    "a web app has one."
                ),
                "Copy the OAuth 2.0 Client ID, and the Client Secret if there is one.",
            ),
            secret=False,
            remarks=("X charges the app's owner for each call.",),
        ),
        ConnectionPlatform.FACEBOOK: Registration(
            Loopback.REFUSED,
            _META_PORTAL,
            _META_STEPS,
            remarks=("You can post to Pages, not to profiles.", *_META),
        ),
        ConnectionPlatform.THREADS: Registration(
            Loopback.REFUSED,
            _META_PORTAL,
            (
                "Create an app with the Threads use case.",
                ("Enter the redirect address in its settings, then copy the Threads app ID and secret."),
            ),
            remarks=(
                "Connect accounts on the integrations page. Nothing is posted to Threads.",
                _HTTPS_ONLY,
            ),
        ),
    }
)
"""The requirements of every platform."""
