"""Texts about the state of an account's access."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import Literal

from app.desktop.local_time import local
from app.desktop.words import date_short, platform_name
from app.language import tr, trn
from app.platforms.card import Access
from app.platforms.cards import COMPANION_NETWORKS, is_by_hand
from app.workspace.accounts.account import Account
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost

Urgency = Literal["ended", "soon", "fine"]

_SOON_DAYS = 7
_SIGN_IN_SOON_DAYS = 3
"""The same for sessions that last only two weeks."""
_DAY_S, _HOUR_S = 86_400, 3_600


@dataclass(frozen=True, slots=True)
class Standing:
    """An account's urgency, an icon, a line about its access, and one about its posts ("" for none)."""

    urgency: Urgency
    icon: str
    text: str
    posts: str = ""


def standing(account: Account, scheduled: Iterable[PlannedPost], now: datetime | None = None) -> Standing:
    """Return the standing of an account with these scheduled posts."""
    times = [post.at for post in scheduled]
    ends = account.token_expires_at
    if not account.is_available:
        is_over = ends is None and account.platform in COMPANION_NETWORKS
        told = tr("Disconnected") if is_over else _ended(ends, now or datetime.now(UTC))
        return Standing("ended", "unplug", told, _will_fail(len(times)))
    if account.practice:
        return Standing("fine", "flask-conical", tr("Posts never leave this computer"))
    if not account.takes_posts:
        return Standing(
            "fine",
            "user",
            tr(
                "Profile only: can't publish to {platform} yet",
                platform=platform_name(account.platform),
            ),
        )
    if is_by_hand(account.platform):
        return Standing("fine", "bell", tr("You publish, Kalends reminds you"))
    if account.sign_in_by is not None:
        return _sign_in_again(account.sign_in_by, times, now or datetime.now(UTC))
    if account.access is Access.HOURS:
        return Standing("fine", "refresh-cw", tr("Renews automatically"))
    if ends is None:
        return Standing("fine", "timer", tr("No known expiry"))
    left = (ends - (now or datetime.now(UTC))).total_seconds()
    text = _ends_in(left)
    if left > _SOON_DAYS * _DAY_S:
        return Standing("fine", "timer", text)
    return Standing("soon", "timer", text, _later(times, to_millis(ends)))


def _sign_in_again(by: datetime, times: list[int], now: datetime) -> Standing:
    text = tr("Sign in again by {day}", day=date_short(local(by)))
    if (by - now).total_seconds() > _SIGN_IN_SOON_DAYS * _DAY_S:
        return Standing("fine", "timer", text)
    return Standing("soon", "timer", text, _later(times, to_millis(by)))


def _ends_in(seconds: float) -> str:
    """Return the remaining time in days, hours on the last day, and minutes in the last hour."""
    if seconds > _DAY_S:
        return trn("Access expires in {n} day", "Access expires in {n} days", ceil(seconds / _DAY_S))
    if seconds > _HOUR_S:
        return trn("Access expires in {n} hour", "Access expires in {n} hours", ceil(seconds / _HOUR_S))
    minutes = max(1, ceil(seconds / 60))
    return trn("Access expires in {n} minute", "Access expires in {n} minutes", minutes)


def _ended(ends: datetime | None, now: datetime) -> str:
    if ends is None or ends > now:
        return tr("Access expired")
    return tr("Access expired on {day}", day=date_short(local(ends)))


def _will_fail(count: int) -> str:
    if not count:
        return tr("Nothing scheduled")
    return trn("{n} scheduled post will fail", "{n} scheduled posts will fail", count)


def _later(times: list[int], ends: int) -> str:
    later = sum(time > ends for time in times)
    return (
        trn("{n} post is scheduled after that", "{n} posts are scheduled after that", later) if later else ""
    )
