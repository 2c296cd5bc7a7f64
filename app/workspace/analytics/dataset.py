"""Everything the dashboard shows, laid out by source and day, so that each view is a slice and a sum."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, NamedTuple

from app.workspace.time.wall import DAY_MS, WallClock

Values = Sequence[int | None]
"""A row of numbers; None where not reported."""
_HOUR: Final = 60
_EPOCH: Final = date(1970, 1, 1).toordinal()


class Figure(StrEnum):
    """A number that is shown over time, in the order of columns and tiles."""

    VIEWS = "views"
    LIKES = "likes"
    COMMENTS = "comments"
    SHARES = "shares"
    FOLLOWERS = "followers"

    @property
    def place(self) -> int:
        """Its place among them all."""
        return _PLACES[self]


_PLACES = {figure: place for place, figure in enumerate(Figure)}
COUNTED = (Figure.VIEWS, Figure.LIKES, Figure.COMMENTS, Figure.SHARES)
"""Figures of a post; followers are an account's."""


@dataclass(frozen=True, slots=True)
class Source:
    """An account whose posts were sampled.

    Attributes:
        key: Key of the account; for items without a known account, the platform and a colon.
        platform: Its name in the contract.
        name: Display name; empty if the account is unknown.
        handle: Handle without an at sign; may be empty.
        color_index: Its place in the row of account colours.
    """

    key: str
    platform: str
    name: str = ""
    handle: str = ""
    color_index: int = 7

    @property
    def is_known(self) -> bool:
        """Whether it's a known account."""
        return not self.key.endswith(":")


class Item(NamedTuple):
    """A published item, or one that is only known from its samples.

    Attributes:
        platform: Its name in the contract.
        content_id: The platform's ID.
        source: The key of its source.
        post_key: Key of its post; None if unknown.
        published_at: In ms since 1970 UTC; None if unknown.
        headline: Its first words; may be empty.
    """

    platform: str
    content_id: str
    source: str
    post_key: str | None = None
    published_at: int | None = None
    headline: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Days from ``first`` to ``last``, both of them included; days are ordinals."""

    first: int
    last: int

    @property
    def days(self) -> int:
        """How many."""
        return self.last - self.first + 1

    @property
    def before(self) -> "Span":
        """As many days, ending the day before."""
        return Span(self.first - self.days, self.first - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Everything the dashboard shows, in one time zone. Days on axes count from ``first_day``.

    Attributes:
        sources: Accounts, and items without an account.
        items: Published items.
        places: The place of each source, by its key.
        first_day: The ordinal of the first day.
        today: The ordinal of the last one.
        complete: The ordinal of the last day that no later sample will change.
        asked_at: Time of the last request, in ms; 0 for never.
        last_sample_at: Time of the last sample, in ms; 0 for none.
        first_sampled: The ordinal of the first day with a sample; None without samples.
        gains: Gains by figure of posts, source and day; None on days without a sample.
        levels: Followers by source and day, as last reported; None before the first report.
        reported: By source and figure: whether the platform ever reported a number above 0.
        item_source: By item: the place of its source.
        item_day: By item: the ordinal of the day on which it was published; 0 if unknown.
        item_hour: By item: the hour of the week from Monday 0:00 on, 0 to 167.
        item_age: By item: its rank among all items, the newest first.
        published: By source: the places of its items, oldest first.
        totals: By figure of posts and item: the count of the last sample; None if not reported.
        interactions: By item: likes, comments and shares of the last sample; None if none is reported.
    """

    sources: Sequence[Source]
    items: Sequence[Item]
    places: dict[str, int]
    first_day: int
    today: int
    complete: int
    asked_at: int
    last_sample_at: int
    first_sampled: int | None
    gains: Sequence[Sequence[Values]]
    levels: Sequence[Values]
    reported: Sequence[Sequence[bool]]
    item_source: Sequence[int]
    item_day: Sequence[int]
    item_hour: Sequence[int]
    item_age: Sequence[int]
    published: Sequence[Sequence[int]]
    totals: Sequence[Values]
    interactions: Values


class Known(NamedTuple):
    """The sampled items, and when they were requested: ``now`` and ``asked_at`` are in ms."""

    sources: Sequence[Source]
    items: Sequence[Item]
    now: int
    asked_at: int
    first_day: int


class Published(NamedTuple):
    """When and by whom items were published; see the attributes of Dataset with these names."""

    item_source: Sequence[int]
    item_day: Sequence[int]
    item_hour: Sequence[int]
    item_age: Sequence[int]
    published: Sequence[Sequence[int]]


def published(items: Sequence[Item], places: dict[str, int], clock: WallClock) -> Published:
    """Lay out items by source and by the time at which they were published."""
    source = array("q", (places[item.source] for item in items))
    moments = [(0, 0) if one.published_at is None else clock.place(one.published_at) for one in items]
    day = array("q", (day for day, _ in moments))
    # Day 1 was a Monday.
    hour = array("q", ((day - 1) % 7 * 24 + minute // _HOUR if day else 0 for day, minute in moments))
    moment = [day * 24 + minute // _HOUR for day, minute in moments]
    age = array("q", bytes(8 * len(items)))
    for rank, place in enumerate(sorted(range(len(items)), key=moment.__getitem__, reverse=True)):
        age[place] = rank
    own: list[list[int]] = [[] for _ in places]
    for place in sorted(range(len(items)), key=moment.__getitem__):
        own[source[place]].append(place)
    return Published(source, day, hour, age, own)


def local_days(service_day: int, made_at: Sequence[int], clock: WallClock) -> int | Sequence[int]:
    """Return the day of each sample of a day of the service; one number if all are of the same day."""
    start = (service_day - _EPOCH) * DAY_MS
    end = start + DAY_MS
    offset = clock.offset_ms(start)
    if offset != clock.offset_ms(end):
        return [clock.day_of(at) if start <= at < end else service_day for at in made_at]
    first, last = min(made_at), max(made_at)
    if start <= first and last < end:
        day = (first + offset) // DAY_MS + _EPOCH
        if day == (last + offset) // DAY_MS + _EPOCH:
            return day
    return [(at + offset) // DAY_MS + _EPOCH if start <= at < end else service_day for at in made_at]
