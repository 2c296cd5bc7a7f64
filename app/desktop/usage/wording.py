"""Usage in a person's words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from app.contract.companion import Quota
from app.contract.enums import SubscriptionStatus
from app.desktop.widgets.badge import TagTone
from app.desktop.words import clock, counted, day

_AREAS: Final = {
    "posts": ("Posts", "calendar-days"),
    "connections": ("Connections", "plug"),
    "media": ("Media", "image"),
    "webhooks": ("Webhooks", "webhook"),
    "analytics": ("Analytics", "chart-line"),
}
_SAME_AREA: Final = {"history": "analytics", "usage": "analytics"}
_ACTIONS: Final = {
    "posts.create": "Create",
    "posts.bulk": "Create in bulk",
    "posts.reschedule": "Reschedule",
    "posts.delete": "Cancel or delete",
    "posts.list": "List",
    "posts.get": "Look at one",
    "posts.analytics": "Numbers of one post",
    "connections.initiate": "Connect",
    "connections.reauth": "Reconnect",
    "connections.list": "List",
    "connections.get": "Look at one",
    "connections.boards": "Pinterest boards",
    "media.upload_url": "Upload",
    "media.attach": "Import from a URL",
    "media.view": "View",
    "media.delete": "Delete",
    "webhooks.create": "Create",
    "webhooks.list": "List",
    "webhooks.get": "Look at one",
    "webhooks.update": "Change",
    "webhooks.delete": "Delete",
    "webhooks.test": "Test",
    "webhooks.deliveries": "Deliveries",
    "webhooks.replay": "Replay",
    "analytics.list": "Samples",
    "history.list": "History",
    "usage.get": "Usage",
}
"""In the order in which they are listed."""
_ORDER: Final = {name: place for place, name in enumerate(_ACTIONS)}
_STATUS: Final[dict[SubscriptionStatus, tuple[str, TagTone]]] = {
    SubscriptionStatus.ACTIVE: ("active", "ok"),
    SubscriptionStatus.PAST_DUE: ("past due", "warn"),
    SubscriptionStatus.INACTIVE: ("inactive", "bad"),
}
_NEARLY_USED_UP: Final = 0.2


@dataclass(frozen=True, slots=True)
class ActionRow:
    """A counted action. ``pace`` is what the service allows, and ``is_low`` that little of it is left now."""

    action: str
    area: str
    icon: str
    name: str
    count: int
    pace: str = ""
    is_low: bool = False
    is_first: bool = False
    """Of its area."""

    @property
    def spoken(self) -> str:
        """Everything that the row shows."""
        pace = f", {self.pace}" if self.pace else ""
        return f"{self.area}, {self.name}: {counted(self.count, 'call')}{pace}"


def action_rows(actions: Mapping[str, int], quotas: Iterable[Quota]) -> list[ActionRow]:
    """What was counted, by area; what this version does not know comes last, under its own name."""
    allowed = {quota.action.value: quota for quota in quotas}
    keys = sorted(actions, key=_place)
    rows: list[ActionRow] = []
    for key in keys:
        area, icon, name = _named(key)
        pace, is_low = _pace(allowed.get(key))
        is_first = not rows or rows[-1].area != area
        rows.append(ActionRow(key, area, icon, name, actions[key], pace, is_low, is_first))
    return rows


def status_words(status: SubscriptionStatus) -> tuple[str, TagTone]:
    """A word for the state of a subscription, and its tone."""
    return _STATUS.get(status, (status.value.replace("_", " "), "neutral"))


def subscription_words(status: SubscriptionStatus) -> str:
    """What to do about a subscription; empty where all is well."""
    if status is SubscriptionStatus.PAST_DUE:
        return (
            "Renew the subscription at the service: when it lapses, the key is refused and no post goes out."
        )
    if status is SubscriptionStatus.INACTIVE:
        return "The subscription has lapsed. Renew it at the service, so that posts go out again."
    return ""


def ends_words(ends: date, today: date) -> str:
    """``9 days left``, ``ends today``, ``ended``."""
    left = (ends - today).days
    if left < 0:
        return "ended"
    return f"{counted(left, 'day')} left" if left else "ends today"


def long_day(when: date) -> str:
    """``30 Nov 2026``."""
    return f"{when.day} {when:%b %Y}"


def short_day(when: date) -> str:
    """``30 Nov``."""
    return f"{when.day} {when:%b}"


def age(read: datetime, now: datetime) -> str:
    """``just now``, ``2 min ago``, ``at 09:30``, ``on Wed 25 Nov 09:30``."""
    minutes = int((now - read).total_seconds() // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    return f"at {clock(read)}" if read.date() == now.date() else f"on {day(read)} {clock(read)}"


def low_words(rows: Sequence[ActionRow]) -> str:
    """Where little is left of what is allowed; empty where there is enough."""
    low = [f"{row.area}, {row.name.lower()}: {row.pace}" for row in rows if row.is_low]
    return low[0] if len(low) == 1 else f"{counted(len(low), 'action')} near the limit" if low else ""


def _place(action: str) -> tuple[int, str]:
    return _ORDER.get(action.removeprefix("rest."), len(_ORDER)), action


def _named(action: str) -> tuple[str, str, str]:
    """Area, icon and name of an action."""
    key = action.removeprefix("rest.")
    area, _, verb = key.partition(".")
    if key in _ACTIONS:
        return *_AREAS[_SAME_AREA.get(area, area)], _ACTIONS[key]
    if not verb:
        return "Other", "server", action
    title = _AREAS[area][0] if area in _AREAS else _plain(area)
    return title, _AREAS[area][1] if area in _AREAS else "server", _plain(verb)


def _plain(word: str) -> str:
    text = word.replace("_", " ").replace(".", " ").strip()
    return text[:1].upper() + text[1:]


def _pace(quota: Quota | None) -> tuple[str, bool]:
    if quota is None or quota.limit is None:
        return "", False
    each = "a minute" if quota.window_seconds == 60 else f"in {quota.window_seconds:,} s"
    if quota.remaining is not None and quota.remaining < quota.limit * _NEARLY_USED_UP:
        return f"{quota.remaining:,} of {quota.limit:,} left now", True
    return f"{quota.limit:,} {each}", False
