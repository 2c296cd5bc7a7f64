"""Texts about usage."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from app.contract.companion import Quota
from app.contract.enums import SubscriptionStatus
from app.desktop.widgets.badge import TagTone
from app.desktop.words import clock, date_short, date_with_year, day, foreign
from app.language import mid_sentence, number, tr, trc, trn

_AREAS: Final = {
    "posts": (tr("Posts"), "calendar-days"),
    "connections": (tr("Connections"), "plug"),
    "media": (tr("Media"), "image"),
    "webhooks": (tr("Webhooks"), "webhook"),
    "analytics": (tr("Analytics"), "chart-line"),
}
_SAME_AREA: Final = {"history": "analytics", "usage": "analytics"}
_ACTIONS: Final = {
    "posts.create": trc("counted action", "Create"),
    "posts.bulk": trc("counted action", "Create in bulk"),
    "posts.reschedule": trc("counted action", "Reschedule"),
    "posts.delete": trc("counted action", "Cancel or delete"),
    "posts.list": trc("counted action", "List"),
    "posts.get": trc("counted action", "View one"),
    "posts.analytics": trc("counted action", "Post analytics"),
    "connections.initiate": trc("counted action", "Connect"),
    "connections.reauth": trc("counted action", "Reconnect"),
    "connections.list": trc("counted action", "List"),
    "connections.get": trc("counted action", "View one"),
    "connections.boards": trc("counted action", "Pinterest boards"),
    "media.upload_url": trc("counted action", "Upload"),
    "media.attach": trc("counted action", "Import from a URL"),
    "media.view": trc("counted action", "View"),
    "media.delete": trc("counted action", "Delete"),
    "webhooks.create": trc("counted action", "Create"),
    "webhooks.list": trc("counted action", "List"),
    "webhooks.get": trc("counted action", "View one"),
    "webhooks.update": trc("counted action", "Change"),
    "webhooks.delete": trc("counted action", "Delete"),
    "webhooks.test": trc("counted action", "Test"),
    "webhooks.deliveries": trc("counted action", "Deliveries"),
    "webhooks.replay": trc("counted action", "Replay"),
    "analytics.list": trc("counted action", "Metrics"),
    "history.list": trc("counted action", "History"),
    "usage.get": trc("counted action", "Usage"),
}
"""In the order in which they are listed."""
_ORDER: Final = {name: place for place, name in enumerate(_ACTIONS)}
_STATUS: Final[dict[SubscriptionStatus, tuple[str, TagTone]]] = {
    SubscriptionStatus.ACTIVE: (tr("active"), "ok"),
    SubscriptionStatus.PAST_DUE: (tr("past due"), "warn"),
    SubscriptionStatus.INACTIVE: (tr("inactive"), "bad"),
}
_NEARLY_USED_UP: Final = 0.2


@dataclass(frozen=True, slots=True)
class ActionRow:
    """A counted action. ``pace`` is the service's limit; ``is_low``: little of it is left."""

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
        """Return a row's content for screen readers."""
        calls = trn("{n} call", "{n} calls", self.count)
        return f"{self.area}, {self.name}: {calls}" + (f", {self.pace}" if self.pace else "")


def action_rows(actions: Mapping[str, int], quotas: Iterable[Quota]) -> list[ActionRow]:
    """Return the counted actions by area; unknown ones come last, under the service's own names."""
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
    """Return a subscription's status in a word, and its colour role."""
    return _STATUS.get(status, (tr("unknown"), "neutral"))


def subscription_words(status: SubscriptionStatus) -> str:
    """Return what to do about a subscription; empty if nothing."""
    if status is SubscriptionStatus.PAST_DUE:
        return tr(
            "Renew the subscription with the service. When it lapses, the API key stops "
            "working and nothing is published."
        )
    if status is SubscriptionStatus.INACTIVE:
        return tr("The subscription has lapsed. Renew it with the service to publish again.")
    return ""


def plan_name(plan: str | None) -> str:
    """Return the name of a plan; a self-hosted service has one plan, "local"."""
    if not plan:
        return tr("No plan")
    return tr("On this computer") if plan == "local" else plan[0].upper() + plan[1:]


def ends_words(ends: date, today: date) -> str:
    """Return ``9 days left``, ``ends today`` or ``ended``."""
    left = (ends - today).days
    if left < 0:
        return tr("ended")
    return trn("{n} day left", "{n} days left", left) if left else tr("ends today")


def long_day(when: date) -> str:
    """Return ``30 Nov 2026``."""
    return date_with_year(when)


def short_day(when: date) -> str:
    """Return ``30 Nov``."""
    return date_short(when)


def age(read: datetime, now: datetime) -> str:
    """Return ``just now``, ``2 min ago``, ``at 09:30`` or ``on Wed 25 Nov 09:30``."""
    minutes = int((now - read).total_seconds() // 60)
    if minutes < 1:
        return tr("just now")
    if minutes < 60:
        return tr("{minutes} min ago", minutes=minutes)
    return (
        tr("at {time}", time=clock(read))
        if read.date() == now.date()
        else tr("on {day} {time}", day=day(read), time=clock(read))
    )


def low_words(rows: Sequence[ActionRow]) -> str:
    """Return a text if little of a limit is left; empty otherwise."""
    low = [f"{row.area}, {mid_sentence(row.name)}: {row.pace}" for row in rows if row.is_low]
    return (
        low[0]
        if len(low) == 1
        else trn("{n} action near the limit", "{n} actions near the limit", len(low))
        if low
        else ""
    )


def _place(action: str) -> tuple[int, str]:
    return _ORDER.get(action.removeprefix("rest."), len(_ORDER)), action


def _named(action: str) -> tuple[str, str, str]:
    """Return an action's area, icon and name."""
    key = action.removeprefix("rest.")
    area, _, verb = key.partition(".")
    if key in _ACTIONS:
        return *_AREAS[_SAME_AREA.get(area, area)], _ACTIONS[key]
    if area in _AREAS and verb:
        return *_AREAS[area], foreign(verb)
    return tr("Other"), "server", foreign(key)


def _pace(quota: Quota | None) -> tuple[str, bool]:
    if quota is None or quota.limit is None:
        return "", False
    if quota.remaining is not None and quota.remaining < quota.limit * _NEARLY_USED_UP:
        left, most = number(quota.remaining), number(quota.limit)
        if quota.window_seconds == 60:
            return tr("{left} of {limit} left this minute", left=left, limit=most), True
        return tr("{left} of {limit} left", left=left, limit=most), True
    limit = number(quota.limit)
    if quota.window_seconds == 60:
        return tr("{limit} per minute", limit=limit), False
    return tr("{limit} in {seconds} s", limit=limit, seconds=number(quota.window_seconds)), False
