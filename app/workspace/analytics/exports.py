"""Tables of what the dashboard shows. What nobody told is an empty cell, never a 0."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np

from app.workspace.analytics.dashboard import Choice, lines, posting_days
from app.workspace.analytics.dataset import NONE, Dataset, Whole
from app.workspace.analytics.figures import COUNTED, Figure

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
    """A row for each day of the span and each account, up to the last complete day."""
    told = {
        (line.source.key, figure): line.values for figure in Figure for line in lines(data, choice, figure)
    }
    keys = {key for key, _ in told}
    sources = [source for source in data.sources if source.key in keys]
    days = posting_days(data, choice)
    last = max((values.size for values in told.values()), default=0)
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


def post_rows(data: Dataset, places: Whole, zone: ZoneInfo) -> tuple[Sequence[str], Rows]:
    """A row for each item, with what its last sample counted."""
    rows = []
    for place in places.tolist():
        item, source = data.items[place], data.sources[int(data.item_source[place])]
        moment = (
            datetime.fromtimestamp(item.published_at / 1_000, UTC).astimezone(zone).isoformat("T", "seconds")
            if item.published_at is not None
            else ""
        )
        counts = [
            str(int(count)) if count != NONE and data.reported[data.item_source[place], figure] else ""
            for figure, count in enumerate(data.totals[:, place])
        ]
        name = source.name if source.is_known else ""
        rows.append((moment, item.platform, name, item.headline, item.content_id, *counts[: len(COUNTED)]))
    return _POSTS, rows


def _told(values: "np.ndarray[tuple[int], np.dtype[np.float64]] | None", place: int) -> str:
    if values is None or place >= values.size or np.isnan(values[place]):
        return ""
    return str(round(float(values[place])))
