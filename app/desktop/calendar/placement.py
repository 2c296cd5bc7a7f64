"""Where cards go: within a day of the month, and into lanes within a day of the week. Pure arithmetic.

All lengths are logical pixels; rectangles are relative to the day's own corner. Posts that are being written
are placed, too: as a dashed card on their day, which can't be selected or dragged.
"""

from array import array
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain, compress
from operator import attrgetter
from typing import NamedTuple, overload

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.language import trn
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTE_MS

DAY_HEAD = 27
"""Height of the line with the day's number."""

INSET = 5
_NARROW = 26
"""Width of a day in the month below which its cards nearly reach its edges, so that their icons fit."""

GAP = 3
LINE_HEIGHT = 22
MORE_HEIGHT = 14
_PILL_WIDTH, _PILL_HEIGHT = 34, 18
"""Size of "+n" among hours."""

_PILL_GAP = 2
"""Distance between "+n" and the card below it."""

FOOT = 3
_MOST_TALL = 2
"""Maximum number of a day's posts, without those that are over, for all of them to get tall cards."""

WIDE = 128
"""Minimum width of a day for time and text in one line."""

QUIET_HEIGHT = 19
"""Height of a line without a card, for a post that is over."""

NOTED_HEIGHT = 69
"""Height of a tall card with two lines of text above its note."""

TALL_HEIGHT = 54
SHORT_HEIGHT = 40
"""Height of a tall card with one line of text."""

MEDIUM_HEIGHT = 36
STACKED_HEIGHT = 66
"""Height of a card in three lanes, with the time on a separate line."""

STACKED_BELOW = 64
"""Width below which a card has its time on a separate line."""

MAX_LANES = 3
"""Maximum number of lanes per day in a week; a single day has as many as have this width:"""

ROOMY_LANE = 190
LANE_WIDTH = 46
"""Minimum width of a lane, for a time to fit."""

WIDEST_LANE = 720
"""Maximum width of a lane; wider cards would only have more empty space."""

TextLines = Callable[[PlannedPost, int, int], int]
"""Returns how many lines (1 to 3, with its note) a post's text takes in a card of a width and height."""

IsQuiet = Callable[[PlannedPost], bool]
"""Returns whether a post is over and needs no action, so that a line without a card is enough."""


class CardStyle(Enum):
    """How much a card shows, most first."""

    TALL = "tall"
    TIMED = "timed"
    """Tall, in the week."""
    MEDIUM = "medium"
    LINE = "line"
    QUIET = "quiet"
    """A line without a card."""


class Box(NamedTuple):
    """A rectangle in logical pixels."""

    x: int
    y: int
    width: int
    height: int

    def contains(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def moved(self, dx: int, dy: int) -> "Box":
        return Box(self.x + dx, self.y + dy, self.width, self.height)

    def scaled(self, scale: float) -> "Box":
        """Return the rectangle for another text size, a factor; adjacent rectangles stay adjacent."""
        left, top = round(self.x * scale), round(self.y * scale)
        right, bottom = round((self.x + self.width) * scale), round((self.y + self.height) * scale)
        return Box(left, top, right - left, bottom - top)

    def intersects(self, other: "Box") -> bool:
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


class PlacedCard(NamedTuple):
    """A post and the rectangle of its card within the day."""

    post: PlannedPost
    box: Box
    style: CardStyle

    def scaled(self, scale: float) -> "PlacedCard":
        """Return the card for another text size, a factor."""
        return self._replace(box=self.box.scaled(scale))


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


@dataclass(frozen=True, slots=True)
class HiddenCards(Sequence[PlacedCard]):
    """Hidden posts at their own times, from top to bottom: cards that are created when they're asked for.

    ``places`` are their indices in the day's ``posts``.
    """

    posts: Sequence[PlannedPost]
    tops: Callable[[int], int]
    places: "array[int]"
    right: int
    scale: float = 1

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> PlacedCard: ...
    @overload
    def __getitem__(self, index: slice) -> "HiddenCards": ...
    def __getitem__(self, index: int | slice) -> "PlacedCard | HiddenCards":
        """Return a card, which is as high as the smallest one."""
        if isinstance(index, slice):
            return replace(self, places=self.places[index])
        place = self.places[index]
        box = Box(self.right - INSET - _PILL_WIDTH, self.tops(place), _PILL_WIDTH, SHORT_HEIGHT)
        return PlacedCard(self.posts[place], box.scaled(self.scale), CardStyle.TIMED)

    def without(self, key: str) -> "HiddenCards":
        """Return the cards without those of a post."""
        places = array("I", (place for place in self.places if self.posts[place].key != key))
        return replace(self, places=places)


class DayLayout(NamedTuple):
    """A day's cards, and the posts that don't fit (sorted by time)."""

    cards: tuple[PlacedCard, ...]
    hidden: tuple[PlannedPost, ...]
    more: Box | None
    """The place of "+n more" when something is hidden."""
    new: PlacedCard | None = None
    """The card of posts that are being written."""
    behind: tuple[HiddenCards, ...] = ()
    """Among hours: the hidden posts that "+n more" counts; several parts only in a repeated hour."""

    def scaled(self, scale: float) -> "DayLayout":
        """Return the day for another text size, a factor."""
        if scale == 1:
            return self
        cards = tuple(card.scaled(scale) for card in self.cards)
        behind = tuple(replace(part, scale=scale) for part in self.behind)
        return self._replace(cards=cards, behind=behind, more=self.more and self.more.scaled(scale))


class FreeSlot(NamedTuple):
    """A time (ms since 1970 UTC) at which accounts usually post and have nothing scheduled."""

    at: int
    minute: int
    account_keys: tuple[str, ...]


_at: Callable[[PlannedPost], int] = attrgetter("at")
EMPTY_DAY = DayLayout((), (), None)


def none_quiet(_post: PlannedPost) -> bool:
    """Return False: every post has a card."""
    return False


def place_in_month(
    posts: Sequence[PlannedPost],
    width: int,
    height: int,
    text_lines: TextLines,
    is_quiet: IsQuiet = none_quiet,
    urgent: Collection[str] = (),
) -> DayLayout:
    """Place a day's posts (sorted by time) in a cell of the month. ``urgent`` are those that need action.

    Posts that are over take a quiet line. One or two others get tall cards if they fit. More than that take
    one line each in wide cells, else two, and the posts that need action stay tall as long as they fit. Posts
    that don't fit are counted.
    """
    if not posts:
        return EMPTY_DAY
    room = height - DAY_HEAD - FOOT
    least = _least_style(width, height)
    may_fit = len(posts) * (QUIET_HEIGHT + GAP) <= room + GAP
    for styles in _ways_to_show(posts, least, is_quiet, urgent) if may_fit else ():
        heights = [_height(style, post, width, text_lines) for post, style in zip(posts, styles, strict=True)]
        if sum(heights) + GAP * (len(posts) - 1) <= room:
            return DayLayout(_stack(posts, heights, styles, width), (), None)
    return _overfull(posts, width, height, least, is_quiet, urgent)


def height_in_month(
    posts: Sequence[PlannedPost], width: int, most: int, text_lines: TextLines, is_quiet: IsQuiet
) -> int:
    """Return the height of a cell of the month that shows all of a day's posts in full, at most ``most``."""
    needed = DAY_HEAD + FOOT - GAP
    for post in posts:
        if needed >= most:
            return most
        style = CardStyle.QUIET if is_quiet(post) else CardStyle.TALL
        needed += _height(style, post, width, text_lines) + GAP
    return min(needed, most)


def _ways_to_show(
    posts: Sequence[PlannedPost], least: CardStyle, is_quiet: IsQuiet, urgent: Collection[str]
) -> Iterator[list[CardStyle]]:
    """Yield the styles of a day's cards, from the largest to the smallest."""
    quiet = [is_quiet(post) for post in posts]

    def styles(of: Callable[[PlannedPost], CardStyle]) -> list[CardStyle]:
        return [CardStyle.QUIET if over else of(post) for post, over in zip(posts, quiet, strict=True)]

    if quiet.count(False) <= _MOST_TALL:
        yield styles(lambda _post: CardStyle.TALL)
        yield styles(lambda _post: CardStyle.MEDIUM)
    elif urgent:
        yield styles(lambda post: CardStyle.TALL if post.key in urgent else least)
    yield styles(lambda _post: least)
    if least is CardStyle.MEDIUM:  # a line that only shows its time says more than a count
        full = styles(lambda _post: least)
        for place in reversed([place for place, over in enumerate(quiet) if not over]):
            full = [*full[:place], CardStyle.LINE, *full[place + 1 :]]
            yield full


def _least_style(width: int, height: int) -> CardStyle:
    """Return the smallest style: two lines in narrow cells that fit two such cards, else one.

    A narrow line only shows the time, without text.
    """
    has_room = height - DAY_HEAD - MORE_HEIGHT >= 2 * (MEDIUM_HEIGHT + GAP)
    return CardStyle.MEDIUM if width < WIDE and has_room else CardStyle.LINE


_LEAST_HEIGHTS = {
    CardStyle.QUIET: QUIET_HEIGHT,
    CardStyle.LINE: LINE_HEIGHT,
    CardStyle.MEDIUM: MEDIUM_HEIGHT,
}


def _height(style: CardStyle, post: PlannedPost, width: int, text_lines: TextLines) -> int:
    if style in _LEAST_HEIGHTS:
        return _LEAST_HEIGHTS[style]
    lines = text_lines(post, width - 2 * _inset(width), NOTED_HEIGHT)
    return (SHORT_HEIGHT, TALL_HEIGHT, NOTED_HEIGHT)[lines - 1]


def _overfull(
    posts: Sequence[PlannedPost],
    width: int,
    height: int,
    least: CardStyle,
    is_quiet: IsQuiet,
    urgent: Collection[str],
) -> DayLayout:
    """Return as many cards as fit above the line that counts the others, without looking at those."""
    room = height - DAY_HEAD - MORE_HEIGHT
    first = [place for place, post in enumerate(posts) if post.key in urgent] if urgent else []
    others = (place for place in range(len(posts)) if posts[place].key not in urgent)
    shown: dict[int, CardStyle] = {}
    for place in chain(first, others):
        style = CardStyle.QUIET if is_quiet(posts[place]) else least
        if style is CardStyle.MEDIUM and room < MEDIUM_HEIGHT + GAP:
            style = CardStyle.LINE
        room -= _LEAST_HEIGHTS[style] + GAP
        if room < 0:
            break
        shown[place] = style
    styles = [shown[place] for place in sorted(shown)]
    heights = [_LEAST_HEIGHTS[style] for style in styles]
    cards = _stack([posts[place] for place in sorted(shown)], heights, styles, width)
    is_hidden = bytearray(b"\1") * len(posts)
    for place in shown:
        is_hidden[place] = 0
    top = DAY_HEAD + sum(heights) + GAP * len(heights)
    more = _across(width, top, MORE_HEIGHT)
    return DayLayout(cards, tuple(compress(posts, is_hidden)), more)


def _inset(width: int) -> int:
    return INSET if width >= _NARROW else 1


def _across(width: int, top: int, height: int) -> Box:
    """Return a box as wide as the cards of a day in the month."""
    inset = _inset(width)
    return Box(inset, top, width - 2 * inset, height)


def _stack(
    posts: Sequence[PlannedPost], heights: Sequence[int], styles: Sequence[CardStyle], width: int
) -> tuple[PlacedCard, ...]:
    cards: list[PlacedCard] = []
    top = DAY_HEAD
    for post, height, style in zip(posts, heights, styles, strict=True):
        cards.append(PlacedCard(post, _across(width, top, height), style))
        top += height + GAP
    return tuple(cards)


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
    found = sorted((posts[place] for part in behind for place in part.places), key=attrgetter("at"))
    return DayLayout(tuple(cards), tuple(found), more, behind=behind)


_Topped = tuple[PlannedPost, int]


def _more_box(last_lane: int, top: int, right: int) -> Box:
    """Return the place of "+n": above its group, or at the top below the first card of the last lane."""
    left, above = right - INSET - _PILL_WIDTH, top - _PILL_GAP - _PILL_HEIGHT
    if above < 0:
        return Box(left, last_lane + SHORT_HEIGHT, _PILL_WIDTH, TALL_HEIGHT - SHORT_HEIGHT)
    return Box(left, above, _PILL_WIDTH, _PILL_HEIGHT)


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


_KEY = ""
"""No post has this key."""


@dataclass(frozen=True, slots=True)
class Composing:
    """New posts being written: how many, for which day (ordinal) and time (ms since 1970 UTC)."""

    day: int
    at: int
    count: int

    def among(self, posts: Sequence[PlannedPost]) -> Sequence[PlannedPost]:
        """Return a day's posts with a stand-in for the new ones at their time, so that they get a place."""
        together = list(posts)
        if self.count:
            insort(together, self._stand_in(), key=lambda post: (post.at, post.key))
        return together

    def _stand_in(self) -> PlannedPost:
        return PlannedPost(
            key=_KEY,
            at=self.at,
            account_key="",
            platform=PostingPlatform.X,
            post_type=PostType.TEXT,
            status=PostStatus.SCHEDULED,
            headline=trn("{n} new post", "{n} new posts", self.count),
        )


def set_apart(layout: DayLayout) -> DayLayout:
    """Separate the card of the new posts from those of other posts."""
    placed: dict[bool, list[PlacedCard]] = {True: [], False: []}
    for card in layout.cards:
        placed[card.post.key == _KEY].append(card)
    hidden = tuple(post for post in layout.hidden if post.key != _KEY)
    new = placed[True][0] if placed[True] else None
    behind = tuple(found for part in layout.behind if (found := part.without(_KEY)))
    return DayLayout(tuple(placed[False]), hidden, layout.more if hidden else None, new, behind)
