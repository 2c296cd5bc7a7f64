"""Numbers, days and names as text."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.desktop.words import clock, date_short, date_with_year, day, handle, joined, platform_name
from app.language import number as written
from app.language import percent, tr, trc, weekday_short
from app.workspace.analytics.dataset import Figure, Item, Source, Span

DASH: Final = "–"  # noqa: RUF001  as wide as a figure
NAMES: Final = {
    Figure.VIEWS: tr("Views"),
    Figure.LIKES: tr("Likes"),
    Figure.COMMENTS: tr("Comments"),
    Figure.SHARES: tr("Shares"),
    Figure.FOLLOWERS: tr("Followers"),
}
WEEKDAYS: Final = tuple(weekday_short(date.fromordinal(monday_first)) for monday_first in range(1, 8))


def number(value: int | None) -> str:
    """Return ``12,345``; a dash if unknown."""
    return DASH if value is None else written(value).replace("-", "−")  # noqa: RUF001  a true minus


def change(total: int | None, before: int | None) -> tuple[str, float]:
    """Return the change as text, and its direction: up (1), down (-1) or none (0)."""
    if total is None or not before:
        return "", 0
    share = (total - before) / abs(before) * 100
    words = percent(abs(share), 1) if abs(share) < 1_000 else tr("over {percent}", percent=percent(1_000))
    return words, (share > 0) - (share < 0)


def change_spoken(words: str, way: float) -> str:
    """Return a change of `change` with its direction, which is shown as an arrow: ``up 115.3%``."""
    if not words or not way:
        return words
    return tr("up {percent}", percent=words) if way > 0 else tr("down {percent}", percent=words)


def day_words(ordinal: int) -> str:
    """Return ``Fri 6 Nov``."""
    return day(date.fromordinal(ordinal))


def short_day(ordinal: int) -> str:
    """Return ``6 Nov``."""
    return date_short(date.fromordinal(ordinal))


def span_words(span: Span) -> str:
    """Return ``23 Oct to 21 Nov``, as a range."""
    first, last = date.fromordinal(span.first), date.fromordinal(span.last)
    if first.year != last.year:
        return f"{date_with_year(first)} – {date_with_year(last)}"  # noqa: RUF001  a range
    is_same = first.month == last.month
    begins = trc("day of a month", "{day}", day=first.day) if is_same else date_short(first)
    return f"{begins} – {date_short(last)}"  # noqa: RUF001  a range


def source_name(source: Source) -> str:
    """Return ``@maya.makes``, ``Okafor Studio``, ``Other posts on LinkedIn``."""
    if not source.is_known:
        return tr("Other posts on {platform}", platform=platform_name(source.platform))
    return source.name or handle(source.handle, source.platform) or platform_name(source.platform)


def source_with_platform(source: Source) -> str:
    """Return ``Okafor Studio on X``, because accounts can have the same name on several platforms."""
    name, platform = source_name(source), platform_name(source.platform)
    return tr("{account} on {platform}", account=name, platform=platform) if source.is_known else name


def silent_words(platforms: Sequence[str]) -> str:
    """Return which platforms don't report a figure."""
    names = [platform_name(platform) for platform in platforms]
    if not names:
        return ""
    if len(names) <= 2:
        return tr("not reported by {platforms}", platforms=joined(names))
    return tr("not reported by {platform} and {count} others", platform=names[0], count=len(names) - 1)


def headline(item: Item) -> str:
    """Return the first words of a post."""
    return item.headline or tr("No text")


def published(item: Item, zone: ZoneInfo, *, year: bool = False) -> str:
    """Return ``Thu 5 Nov 18:30``."""
    if item.published_at is None:
        return DASH
    moment = datetime.fromtimestamp(item.published_at / 1_000, zone)
    told = f" {moment.year}" if year else ""
    return f"{day(moment)}{told} {clock(moment)}"


def sampled(at: int, now: int, zone: ZoneInfo) -> str:
    """Return when the last sample was taken."""
    if not at:
        return tr("No samples yet")
    moment, today = (datetime.fromtimestamp(one / 1_000, zone) for one in (at, now))
    if moment.date() == today.date():
        return tr("Last sample {time} today", time=clock(moment))
    if moment.date() == today.date() - timedelta(days=1):
        return tr("Last sample {time} yesterday", time=clock(moment))
    return tr("Last sample {day} {time}", day=date_short(moment), time=clock(moment))


def hour_words(hour_of_week: int) -> str:
    """Return ``Tue 12`` to ``13``, as a range."""
    weekday, hour = divmod(hour_of_week, 24)
    return f"{WEEKDAYS[weekday]} {hour:02}–{(hour + 1) % 24:02}"  # noqa: RUF001  a range
