"""What there is to say about an account's access, in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import Literal

from app.contract.enums import ConnectionPlatform
from app.desktop.words import counted, platform_name
from app.workspace.accounts.account import RENEWED, Account
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost

Urgency = Literal["ended", "soon", "fine"]

_SOON_DAYS = 7
_DAY_S, _HOUR_S = 86_400, 3_600


@dataclass(frozen=True, slots=True)
class Standing:
    """How urgent an account is, an icon, a line about its access, and one about its posts ("" for none)."""

    urgency: Urgency
    icon: str
    text: str
    posts: str = ""


def standing(account: Account, scheduled: Iterable[PlannedPost], now: datetime | None = None) -> Standing:
    """Return what to say about an account with these scheduled posts."""
    times = [post.at for post in scheduled]
    ends = account.token_expires_at
    if not account.is_available:
        return Standing("ended", "unplug", _ended(ends, now or datetime.now(UTC)), _will_fail(len(times)))
    if account.practice:
        return Standing("fine", "flask-conical", "Posts never leave this computer")
    if account.platform is ConnectionPlatform.THREADS:
        return Standing("fine", "user", f"Profile only: {platform_name('threads')} takes no posts")
    if account.platform in RENEWED:
        return Standing("fine", "refresh-cw", "Renews by itself")
    if ends is None:
        return Standing("fine", "timer", "No end of its access is known")
    left = (ends - (now or datetime.now(UTC))).total_seconds()
    text = f"Access ends in {_left(left)}"
    if left > _SOON_DAYS * _DAY_S:
        return Standing("fine", "timer", text)
    return Standing("soon", "timer", text, _later(times, to_millis(ends)))


def _left(seconds: float) -> str:
    """Days; on the last day hours, and in the last hour minutes."""
    if seconds > _DAY_S:
        return counted(ceil(seconds / _DAY_S), "day")
    if seconds > _HOUR_S:
        return counted(ceil(seconds / _HOUR_S), "hour")
    return counted(max(1, ceil(seconds / 60)), "minute")


def _ended(ends: datetime | None, now: datetime) -> str:
    if ends is None or ends > now:
        return "Access ended"
    here = ends.astimezone()
    return f"Access ended on {here.day} {here:%b}"


def _will_fail(count: int) -> str:
    return f"{counted(count, 'scheduled post')} will fail" if count else "Nothing is scheduled for it"


def _later(times: list[int], ends: int) -> str:
    later = sum(time > ends for time in times)
    return (
        f"{later} of its {counted(len(times), 'post')} {'comes' if later == 1 else 'come'} later"
        if later
        else ""
    )
