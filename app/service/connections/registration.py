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
        secret: Whether a token is given only against the app's secret.
        remarks: What to know before anything is scheduled.
    """

    loopback: Loopback
    secret: bool = True
    remarks: tuple[str, ...] = ()


_HTTPS_ONLY: Final = (
    "{name} sends browsers back to https addresses alone: use this service's public address, or register any"
    " https address of yours and paste the address at which the browser ends."
)
_META: Final = (
    "While the app is in development, only people with a role in it can be connected.",
    _HTTPS_ONLY,
)

REGISTRATIONS: Final[Mapping[ConnectionPlatform, Registration]] = MappingProxyType(
    {
        ConnectionPlatform.LINKEDIN: Registration(
            Loopback.UNSURE,
            remarks=(
                "LinkedIn lets few apps renew access: most accounts must be connected again every 60 days.",
            ),
        ),
        ConnectionPlatform.TIKTOK: Registration(
            Loopback.TAKEN,
            remarks=(
                "Register the app for desktop; for the web TikTok takes https addresses alone.",
                "Until TikTok has audited the app, posts can be seen by their author alone.",
            ),
        ),
        ConnectionPlatform.PINTEREST: Registration(
            Loopback.TAKEN,
            remarks=("While the app has trial access, pins can be seen by their author alone.",),
        ),
        ConnectionPlatform.INSTAGRAM: Registration(
            Loopback.REFUSED,
            remarks=("Only professional accounts that belong to a Facebook Page can be connected.", *_META),
        ),
        ConnectionPlatform.YOUTUBE: Registration(
            Loopback.TAKEN,
            remarks=("While Google's consent screen is in testing, access ends after 7 days.",),
        ),
        ConnectionPlatform.X: Registration(
            Loopback.TAKEN, secret=False, remarks=("X charges the app's owner for each call.",)
        ),
        ConnectionPlatform.FACEBOOK: Registration(
            Loopback.REFUSED, remarks=("Only Pages can be posted to, not profiles.", *_META)
        ),
        ConnectionPlatform.THREADS: Registration(
            Loopback.REFUSED,
            remarks=(
                "Accounts are connected on the integrations page; nothing is posted there.",
                _HTTPS_ONLY,
            ),
        ),
    }
)
"""The terms of every platform."""
