"""Numbers, days and names in a person's words."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.desktop.words import clock, handle, joined, platform_name
from app.workspace.analytics.figures import Figure, Item, Source, Span

DASH: Final = "–"  # noqa: RUF001  as wide as a figure
NAMES: Final = {
    Figure.VIEWS: "Views",
    Figure.LIKES: "Likes",
    Figure.COMMENTS: "Comments",
    Figure.SHARES: "Shares",
    Figure.FOLLOWERS: "Followers",
}
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_UNITS: Final = ((1_000_000_000, "bn"), (1_000_000, "m"), (1_000, "k"))


def number(value: int | None) -> str:
    """``12,345``; a dash for what nobody told."""
    return DASH if value is None else f"{value:,}".replace("-", "−")  # noqa: RUF001  a true minus


def short_number(value: float) -> str:
    """``12k``, ``1.5m``: for axes."""
    for unit, letter in _UNITS:
        if abs(value) >= unit:
            return f"{value / unit:.1f}".removesuffix(".0") + letter
    return f"{value:g}"


def change(total: int | None, before: int | None) -> tuple[str, float]:
    """The change in words, and whether it is one up (1), down (-1) or none (0)."""
    if total is None or not before:
        return "", 0
    share = (total - before) / abs(before) * 100
    words = f"{abs(share):.1f} %" if abs(share) < 1_000 else "over 1,000 %"
    return words, (share > 0) - (share < 0)


def day_words(ordinal: int) -> str:
    """``Fri 6 Nov``."""
    day = date.fromordinal(ordinal)
    return f"{day:%a} {day.day} {day:%b}"


def short_day(ordinal: int) -> str:
    """``6 Nov``."""
    day = date.fromordinal(ordinal)
    return f"{day.day} {day:%b}"


def span_words(span: Span) -> str:
    """``23 Oct to 21 Nov``, as a range."""
    first, last = date.fromordinal(span.first), date.fromordinal(span.last)
    year = f" {first.year}" if first.year != last.year else ""
    begins = f"{first.day}" if (first.month, year) == (last.month, "") else f"{first.day} {first:%b}{year}"
    return f"{begins} – {last.day} {last:%b}{f' {last.year}' if year else ''}"  # noqa: RUF001  a range


def source_name(source: Source) -> str:
    """``@maya.makes``, ``Okafor Studio``, ``Other posts on LinkedIn``."""
    if not source.is_known:
        return f"Other posts on {platform_name(source.platform)}"
    return source.name or handle(source.handle, source.platform) or platform_name(source.platform)


def silent_words(platforms: Sequence[str]) -> str:
    """Which platforms tell no such number."""
    names = [platform_name(platform) for platform in platforms]
    if not names:
        return ""
    shown = joined(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1} others"
    return f"not reported by {shown}"


def headline(item: Item) -> str:
    """The first words of a post."""
    return item.headline or "Without words"


def published(item: Item, zone: ZoneInfo, *, year: bool = False) -> str:
    """``Thu 5 Nov 18:30``."""
    if item.published_at is None:
        return DASH
    moment = datetime.fromtimestamp(item.published_at / 1_000, zone)
    told = f" {moment.year}" if year else ""
    return f"{moment:%a} {moment.day} {moment:%b}{told} {clock(moment)}"


def sampled(at: int, now: int, zone: ZoneInfo) -> str:
    """When the last sample was taken."""
    if not at:
        return "No samples yet"
    moment, today = (datetime.fromtimestamp(one / 1_000, zone) for one in (at, now))
    if moment.date() == today.date():
        return f"Last sample {clock(moment)} today"
    if moment.date() == today.date() - timedelta(days=1):
        return f"Last sample {clock(moment)} yesterday"
    return f"Last sample {moment.day} {moment:%b} {clock(moment)}"


def hour_words(hour_of_week: int) -> str:
    """``Tue 12`` to ``13``, as a range."""
    day, hour = divmod(hour_of_week, 24)
    return f"{WEEKDAYS[day]} {hour:02}–{(hour + 1) % 24:02}"  # noqa: RUF001  a range
