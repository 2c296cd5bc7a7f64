"""Tables of what the dashboard shows. A missing number is an empty cell, never 0."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.workspace.analytics.dashboard import Choice, lines, posting_days
from app.workspace.analytics.dataset import Dataset, Values
from app.workspace.analytics.figures import Figure

_DAYS: Final = ("Day", "Platform", "Account", "Views", "Likes", "Comments", "Shares", "Followers", "Posts")
_POSTS: Final = (
    "Published at",
    "Platform",
    "Account",
    "Post",
    "Content id",
    "Views",
    "Likes",
    "Comments",
    "Shares",
)

Rows = list[tuple[str, ...]]


def day_rows(data: Dataset, choice: Choice) -> tuple[Sequence[str], Rows]:
    """Return a row for each day of the span and each account, up to the last complete day."""
    told = {
        (line.source.key, figure): line.values for figure in Figure for line in lines(data, choice, figure)
    }
    keys = {key for key, _ in told}
    sources = [source for source in data.sources if source.key in keys]
    days = posting_days(data, choice)
    last = max((len(values) for values in told.values()), default=0)
    rows = []
    for place in range(last):
        day = choice.span.first + place
        for source in sources:
            found = [told.get((source.key, figure)) for figure in Figure]
            numbers = [_told(values, place) for values in found]
            posts = days.get(source.key, []).count(day)
            name = source.name if source.is_known else ""
            rows.append((date.fromordinal(day).isoformat(), source.platform, name, *numbers, str(posts)))
    return _DAYS, rows


def post_rows(data: Dataset, places: Sequence[int], zone: ZoneInfo) -> tuple[Sequence[str], Rows]:
    """Return a row for each item, with the counts of its last sample."""
    rows = []
    for place in places:
        item, source = data.items[place], data.sources[data.item_source[place]]
        moment = (
            datetime.fromtimestamp(item.published_at / 1_000, UTC).astimezone(zone).isoformat("T", "seconds")
            if item.published_at is not None
            else ""
        )
        counts = ["" if (count := column[place]) is None else str(count) for column in data.totals]
        name = source.name if source.is_known else ""
        rows.append((moment, item.platform, name, item.headline, item.content_id, *counts))
    return _POSTS, rows


def _told(values: Values | None, place: int) -> str:
    value = values[place] if values is not None and place < len(values) else None
    return "" if value is None else str(value)
