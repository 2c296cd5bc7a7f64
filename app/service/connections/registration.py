"""What each platform asks of an app that is registered with it, from their documentation of 2026-11."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType
from typing import Final

from app.contract.enums import ConnectionPlatform


class Loopback(Enum):
    """Whether a platform sends browsers back to ``http://127.0.0.1:PORT``; ``UNSURE``: its pages differ."""

    TAKEN = auto()
    REFUSED = auto()
    UNSURE = auto()


@dataclass(frozen=True, slots=True)
class Registration:
    """One platform's terms.

    Attributes:
        loopback: Whether a program on one's own computer can be come back to.
        portal: Where an app is registered.
        steps: What to do there.
        secret: Whether a token is given only against the app's secret.
        remarks: What to know before anything is scheduled.
    """

    loopback: Loopback
    portal: str
    steps: tuple[str, ...]
    secret: bool = True
    remarks: tuple[str, ...] = ()


_HTTPS_ONLY: Final = (
    "{name} sends browsers back to https addresses alone: use this service's public address, or register any"
    " https address of yours and paste the address at which the browser ends."
)
_META_PORTAL: Final = "https://developers.facebook.com/apps"
_META_STEPS: Final = (
    "Create an app of the type Business and add Facebook Login to it.",
    "Enter the redirect address under “Valid OAuth redirect URIs”.",
    "Copy App ID and App secret from the basic settings.",
)
_META: Final = (
    "While the app is in development, only people with a role in it can be connected.",
    _HTTPS_ONLY,
)

REGISTRATIONS: Final[Mapping[ConnectionPlatform, Registration]] = MappingProxyType(
    {
        ConnectionPlatform.LINKEDIN: Registration(
            Loopback.UNSURE,
            "https://www.linkedin.com/developers/apps",
            (
                "Create an app. LinkedIn asks for a company page that it belongs to.",
                "Add the products “Share on LinkedIn” and “Sign In with LinkedIn using OpenID Connect”.",
                "Enter the redirect address under Auth, and copy Client ID and Client Secret from there.",
            ),
            remarks=(
                "LinkedIn lets few apps renew access: most accounts must be connected again every 60 days.",
            ),
        ),
        ConnectionPlatform.TIKTOK: Registration(
            Loopback.TAKEN,
            "https://developers.tiktok.com/apps",
            (
                "Create an app and add the products Login Kit, for desktop, and Content Posting API.",
                "Enter the redirect address under Login Kit, and copy Client key and Client secret.",
            ),
            remarks=(
                "Register the app for desktop; for the web TikTok takes https addresses alone.",
                "Until TikTok has audited the app, posts can be seen by their author alone.",
            ),
        ),
        ConnectionPlatform.PINTEREST: Registration(
            Loopback.TAKEN,
            "https://developers.pinterest.com/apps",
            (
                "Connect an app, and ask for trial access.",
                "Enter the redirect address, and copy App ID and App secret key.",
            ),
            remarks=("While the app has trial access, pins can be seen by their author alone.",),
        ),
        ConnectionPlatform.INSTAGRAM: Registration(
            Loopback.REFUSED,
            _META_PORTAL,
            _META_STEPS,
            remarks=("Only professional accounts that belong to a Facebook Page can be connected.", *_META),
        ),
        ConnectionPlatform.YOUTUBE: Registration(
            Loopback.TAKEN,
            "https://console.cloud.google.com/apis/credentials",
            (
                "Create a project, and enable YouTube Data API v3 and YouTube Analytics API in it.",
                "Create an OAuth client for a desktop app; a web app needs the redirect address entered.",
                "Copy Client ID and Client secret.",
            ),
            remarks=("While Google's consent screen is in testing, access ends after 7 days.",),
        ),
        ConnectionPlatform.X: Registration(
            Loopback.TAKEN,
            "https://developer.x.com/en/portal/dashboard",
            (
                "Create an app and set up user authentication with the permission Read and write.",
                "Enter the redirect address as callback. A native app has no secret, a web app has one.",
                "Copy the Client ID of OAuth 2.0, and the Client Secret where there is one.",
            ),
            secret=False,
            remarks=("X charges the app's owner for each call.",),
        ),
        ConnectionPlatform.FACEBOOK: Registration(
            Loopback.REFUSED,
            _META_PORTAL,
            _META_STEPS,
            remarks=("Only Pages can be posted to, not profiles.", *_META),
        ),
        ConnectionPlatform.THREADS: Registration(
            Loopback.REFUSED,
            _META_PORTAL,
            (
                "Create an app with the use case for Threads.",
                "Enter the redirect address in its settings, and copy the Threads app ID and secret.",
            ),
            remarks=(
                "Accounts are connected on the integrations page; nothing is posted there.",
                _HTTPS_ONLY,
            ),
        ),
    }
)
"""The terms of every platform."""
