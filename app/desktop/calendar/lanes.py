"""Where cards go among the hours of a day: at their times, in lanes that overlapping cards share.

Pure arithmetic. All lengths are logical pixels; rectangles are relative to the day's own corner.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import overload

from app.desktop.calendar.placement import (
    GAP,
    INSET,
    PILL_HEIGHT,
    PILL_WIDTH,
    SHORT_HEIGHT,
    STACKED_BELOW,
    TALL_HEIGHT,
    WIDEST_LANE,
    Box,
    CardStyle,
    DayLayout,
    HiddenCards,
    PlacedCard,
    TextLines,
)
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTE_MS

_PILL_GAP = 2
"""Distance between "+n" and the card below it."""

STACKED_HEIGHT = 66
"""Height of a card in three lanes, with the time on a separate line."""

MAX_LANES = 3
"""Maximum number of lanes per day in a week; a single day has as many as have this width:"""

ROOMY_LANE = 190
LANE_WIDTH = 46
"""Minimum width of a lane, for a time to fit."""

_at: Callable[[PlannedPost], int] = attrgetter("at")


@dataclass(frozen=True, slots=True)
class Minutes(Sequence[int]):
    """The minutes of the day of posts, on a day without a clock change; ``start`` is its midnight, in ms."""

    posts: Sequence[PlannedPost]
    start: int

    def __len__(self) -> int:
        return len(self.posts)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return replace(self, posts=self.posts[index])
        return (self.posts[index].at - self.start) // MINUTE_MS

    def first_from(self, minute: int, low: int, high: int) -> int:
        """Return the first index in a range at or after a minute."""
        return bisect_left(self.posts, self.start + minute * MINUTE_MS, low, high, key=_at)


@dataclass(frozen=True, slots=True)
class _Tops:
    """The upper edges of posts among hours, each computed when it's needed; ``last`` is the lowest."""

    minutes: Sequence[int]
    minute_height: float
    last: int

    def __call__(self, place: int) -> int:
        return min(round(self.minutes[place] * self.minute_height), self.last)

    def first_from(self, top: int, places: Sequence[int], start: int) -> int:
        """Return the index, at least ``start``, of the first of some places at or below a height."""
        if not isinstance(places, range) or not isinstance(self.minutes, Minutes):
            return bisect_left(places, top, lo=start, key=self)
        if top > self.last:
            return len(places)
        minute = max(0, int((top - 1) / self.minute_height))
        while round(minute * self.minute_height) < top:
            minute += 1
        return self.minutes.first_from(minute, places[0] + start, places.stop) - places[0]


def place_in_hours(
    posts: Sequence[PlannedPost],
    minutes: Sequence[int],
    width: int,
    minute_height: float,
    day_height: int,
    text_lines: TextLines,
    again: Collection[str] = (),
) -> DayLayout:
    """Place a day's posts by time (``minutes`` of the day, ascending); overlapping cards share lanes.

    There are at most three lanes, or as many as have ample space, and only as many as can show a time. Posts
    that need another lane are hidden and counted next to the first such group; no card is created for them.
    Posts in ``again``, by their keys, are in the right half of the day, and those they overlap are in the
    left half.
    """
    cards: list[PlacedCard] = []
    hidden: dict[int, array[int]] = {}
    more: Box | None = None
    tops = _Tops(minutes, minute_height, day_height - TALL_HEIGHT)
    groups = list(_overlapping(len(posts), tops))
    bottoms = [*(tops(group.start) for group in groups[1:]), day_height]
    for whole, bottom in zip(groups, bottoms, strict=False):
        for group, left, right in _halves(posts, whole, width, again):
            lanes, left_over = _lanes(group, tops, _most_lanes(right - left))
            for index, lane in enumerate(lanes):
                place = _lane_box(index, len(lanes), right - left).moved(left, 0)
                cards += _in_lane([(posts[one], tops(one)) for one in lane], place, bottom, text_lines)
            if left_over:
                hidden.setdefault(right, array("I")).extend(left_over)
                more = more or _more_box(tops(lanes[-1][0]), tops(group[0]), right)
    if more is not None:
        cards = [_clear_of(more, card) for card in cards]
        more = _below_cards(more, cards)
    behind = tuple(HiddenCards(posts, tops, places, right) for right, places in hidden.items())
    return DayLayout(tuple(cards), sum(map(len, behind)), more, behind=behind)


_Topped = tuple[PlannedPost, int]


def _more_box(last_lane: int, top: int, right: int) -> Box:
    """Return the place of "+n": above its group, or at the top below the first card of the last lane."""
    left, above = right - INSET - PILL_WIDTH, top - _PILL_GAP - PILL_HEIGHT
    if above < 0:
        return Box(left, last_lane + SHORT_HEIGHT, PILL_WIDTH, TALL_HEIGHT - SHORT_HEIGHT)
    return Box(left, above, PILL_WIDTH, PILL_HEIGHT)


def _below_cards(more: Box, cards: Iterable[PlacedCard]) -> Box:
    """Return the place of "+n", lower between two groups that nearly touch."""
    ends = (card.box.y + card.box.height for card in cards if card.box.intersects(more))
    top = max(ends, default=more.y)
    return more._replace(y=top, height=more.y + more.height + _PILL_GAP - top) if top > more.y else more


def _clear_of(more: Box, card: PlacedCard) -> PlacedCard:
    """Return the card, with one line of text less if it would overlap "+n"."""
    if not card.box.intersects(more):
        return card
    room = more.y - card.box.y
    height = TALL_HEIGHT if room >= TALL_HEIGHT else SHORT_HEIGHT
    return card._replace(box=card.box._replace(height=height))


def _halves(
    posts: Sequence[PlannedPost], group: range, width: int, again: Collection[str]
) -> list[tuple[Sequence[int], int, int]]:
    """Return parts of a group with their left and right edges: one with the full width, or two halves."""
    second = [place for place in group if posts[place].key in again] if again else []
    if not second:
        return [(group, 0, width)]
    first = [place for place in group if posts[place].key not in again]
    halves = [(first, 0, width // 2), (second, width // 2, width)]
    return [half for half in halves if half[0]]


def _most_lanes(width: int) -> int:
    with_time = (width - 2 * INSET + GAP) // (LANE_WIDTH + GAP)
    return max(1, min(max(MAX_LANES, width // ROOMY_LANE), with_time))


def _lane_box(index: int, count: int, width: int) -> Box:
    lane_width = min(WIDEST_LANE, (width - 2 * INSET - GAP * (count - 1)) // count)
    return Box(INSET + index * (lane_width + GAP), 0, lane_width, 0)


def _in_lane(lane: Sequence[_Topped], place: Box, bottom: int, text_lines: TextLines) -> Iterator[PlacedCard]:
    """Return the cards of a lane, as high as their text needs and the next card allows."""
    tops = [top for _, top in lane[1:]] + [bottom]
    for (post, top), following in zip(lane, tops, strict=True):
        is_stacked = place.width < STACKED_BELOW
        # No heights in between: no other line would fit, and each needs another background.
        height = STACKED_HEIGHT if is_stacked and following - GAP - top >= STACKED_HEIGHT else TALL_HEIGHT
        if not is_stacked and text_lines(post, place.width, height) < 2:
            height = SHORT_HEIGHT
        yield PlacedCard(post, Box(place.x, top, place.width, height), CardStyle.TIMED)


def _overlapping(count: int, tops: _Tops) -> Iterator[range]:
    """Yield the groups of posts whose cards overlap, directly or through others.

    A group ends at the first gap of a card's height. Such a gap isn't within one card's height of a post, so
    most posts needn't be looked at.
    """
    start = place = 0
    while place < count:
        following = tops.first_from(tops(place) + TALL_HEIGHT, range(count), place + 1)
        if following == count or tops(following) >= tops(following - 1) + TALL_HEIGHT:
            yield range(start, following)
            start = place = following
        else:
            place = following - 1


def _lanes(group: Sequence[int], tops: _Tops, most: int) -> tuple[list[list[int]], list[int]]:
    """Put each card into the first lane that is free at its time; return the others, too."""
    lanes: list[list[int]] = []
    bottoms: list[int] = []
    left_over: list[int] = []
    number = 0
    while number < len(group):
        top = tops(group[number])
        free = next((lane for lane, bottom in enumerate(bottoms) if bottom <= top), len(lanes))
        if free == most:
            following = tops.first_from(min(bottoms), group, number + 1)
            left_over += group[number:following]
            number = following
            continue
        if free == len(lanes):
            lanes.append([])
            bottoms.append(0)
        lanes[free].append(group[number])
        bottoms[free] = top + TALL_HEIGHT
        number += 1
    return lanes, left_over
