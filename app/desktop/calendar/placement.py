"""Where cards go: within a day of the month, and into lanes within a day of the week. Pure arithmetic.

All lengths are logical pixels; rectangles are relative to the day's own corner. Posts that are being written
are placed, too: as a dashed card on their day, which can't be selected or dragged.
"""

from bisect import insort
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.language import trn
from app.workspace.posts.planned import PlannedPost

DAY_HEAD = 27
"""Height of the line with the day's number."""

INSET = 5
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


class DayLayout(NamedTuple):
    """A day's cards, and the posts that don't fit (sorted by time)."""

    cards: tuple[PlacedCard, ...]
    hidden: tuple[PlannedPost, ...]
    more: Box | None
    """The place of "+n more" when something is hidden."""
    new: PlacedCard | None = None
    """The card of posts that are being written."""
    behind: tuple[PlacedCard, ...] = ()
    """Among hours: the hidden posts that "+n more" counts, at their own times."""

    def scaled(self, scale: float) -> "DayLayout":
        """Return the day for another text size, a factor."""
        if scale == 1:
            return self
        cards, behind = (tuple(card.scaled(scale) for card in some) for some in (self.cards, self.behind))
        return self._replace(cards=cards, behind=behind, more=self.more and self.more.scaled(scale))


class FreeSlot(NamedTuple):
    """A time (ms since 1970 UTC) at which accounts usually post and have nothing scheduled."""

    at: int
    minute: int
    account_keys: tuple[str, ...]


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
) -> DayLayout:
    """Place a day's posts (sorted by time) in a cell of the month.

    Posts that are over take a quiet line. One or two others get tall cards if they fit. More than that take
    one line each in wide cells, else two, and the posts that need action stay tall as long as they fit. Posts
    that don't fit are counted.
    """
    if not posts:
        return EMPTY_DAY
    room = height - DAY_HEAD - FOOT
    least = _least_style(width, height)
    for styles in _ways_to_show(posts, least, is_quiet):
        heights = [_height(style, post, width, text_lines) for post, style in zip(posts, styles, strict=True)]
        if sum(heights) + GAP * (len(posts) - 1) <= room:
            return DayLayout(_stack(posts, heights, styles, width), (), None)
    return _overfull(posts, width, height, styles)


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
    posts: Sequence[PlannedPost], least: CardStyle, is_quiet: IsQuiet
) -> Iterator[list[CardStyle]]:
    """Yield the styles of a day's cards, from the largest to the smallest."""
    quiet = [is_quiet(post) for post in posts]

    def styles(of: Callable[[PlannedPost], CardStyle]) -> list[CardStyle]:
        return [CardStyle.QUIET if over else of(post) for post, over in zip(posts, quiet, strict=True)]

    if quiet.count(False) <= _MOST_TALL:
        yield styles(lambda _post: CardStyle.TALL)
        yield styles(lambda _post: CardStyle.MEDIUM)
    elif any(map(_needs_you, posts)):
        yield styles(lambda post: CardStyle.TALL if _needs_you(post) else least)
    yield styles(lambda _post: least)


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
    lines = text_lines(post, width - 2 * INSET, NOTED_HEIGHT)
    return (SHORT_HEIGHT, TALL_HEIGHT, NOTED_HEIGHT)[lines - 1]


def _overfull(
    posts: Sequence[PlannedPost], width: int, height: int, styles: Sequence[CardStyle]
) -> DayLayout:
    """Return as many cards as fit above the line that counts the others."""
    room = height - DAY_HEAD - MORE_HEIGHT
    shown: list[int] = []
    for place in sorted(range(len(posts)), key=lambda place: (not _needs_you(posts[place]), place)):
        room -= _LEAST_HEIGHTS[styles[place]] + GAP
        if room < 0:
            break
        shown.append(place)
    shown.sort()
    some = [styles[place] for place in shown]
    heights = [_LEAST_HEIGHTS[style] for style in some]
    cards = _stack([posts[place] for place in shown], heights, some, width)
    there = set(shown)
    hidden = tuple(post for place, post in enumerate(posts) if place not in there)
    top = DAY_HEAD + sum(heights) + GAP * len(heights)
    return DayLayout(cards, hidden, Box(INSET, top, width - 2 * INSET, MORE_HEIGHT))


def _needs_you(post: PlannedPost) -> bool:
    """Whether a post failed or may be live, so that it's never merely counted while others are shown."""
    return post.status is PostStatus.FAILED or post.may_be_live


def _stack(
    posts: Sequence[PlannedPost], heights: Sequence[int], styles: Sequence[CardStyle], width: int
) -> tuple[PlacedCard, ...]:
    cards: list[PlacedCard] = []
    top = DAY_HEAD
    for post, height, style in zip(posts, heights, styles, strict=True):
        cards.append(PlacedCard(post, Box(INSET, top, width - 2 * INSET, height), style))
        top += height + GAP
    return tuple(cards)


def place_in_hours(
    posts: Sequence[tuple[PlannedPost, int]],
    width: int,
    minute_height: float,
    day_height: int,
    text_lines: TextLines,
    again: Collection[str] = (),
) -> DayLayout:
    """Place a day's posts (with their minutes of the day) by time; overlapping cards share lanes.

    There are at most three lanes, or as many as have ample space, and only as many as can show a time. Posts
    that need another lane are hidden and counted next to the first such group. Posts in ``again``, by their
    keys, are in the right half of the day, and those they overlap are in the left half.
    """
    cards: list[PlacedCard] = []
    behind: list[PlacedCard] = []
    more: Box | None = None
    groups = _overlapping(posts, minute_height, day_height)
    for number, whole in enumerate(groups):
        bottom = groups[number + 1][0][1] if number + 1 < len(groups) else day_height
        for group, left, right in _halves(whole, width, again):
            lanes, left_over = _lanes(group, _most_lanes(right - left))
            for index, lane in enumerate(lanes):
                place = _lane_box(index, len(lanes), right - left).moved(left, 0)
                cards += _in_lane(lane, place, bottom, text_lines)
            if left_over:
                behind += [_behind(post, top, right) for post, top in left_over]
                more = more or _more_box(lanes, group[0][1], right)
    if more is not None:
        cards = [_clear_of(more, card) for card in cards]
        more = _below_cards(more, cards)
    hidden = sorted((card.post for card in behind), key=lambda post: post.at)
    return DayLayout(tuple(cards), tuple(hidden), more, behind=tuple(behind))


_Topped = tuple[PlannedPost, int]


def _more_box(lanes: Sequence[Sequence[_Topped]], top: int, right: int) -> Box:
    """Return the place of "+n": above its group, or at the top below the first card of the last lane."""
    left, above = right - INSET - _PILL_WIDTH, top - _PILL_GAP - _PILL_HEIGHT
    if above < 0:
        return Box(left, lanes[-1][0][1] + SHORT_HEIGHT, _PILL_WIDTH, TALL_HEIGHT - SHORT_HEIGHT)
    return Box(left, above, _PILL_WIDTH, _PILL_HEIGHT)


def _below_cards(more: Box, cards: Iterable[PlacedCard]) -> Box:
    """Return the place of "+n", lower between two groups that nearly touch."""
    ends = (card.box.y + card.box.height for card in cards if card.box.intersects(more))
    top = max(ends, default=more.y)
    return more._replace(y=top, height=more.y + more.height + _PILL_GAP - top) if top > more.y else more


def _behind(post: PlannedPost, top: int, right: int) -> PlacedCard:
    """Return a hidden post as a card, at its time and as high as the smallest one."""
    return PlacedCard(post, Box(right - INSET - _PILL_WIDTH, top, _PILL_WIDTH, SHORT_HEIGHT), CardStyle.TIMED)


def _clear_of(more: Box, card: PlacedCard) -> PlacedCard:
    """Return the card, with one line of text less if it would overlap "+n"."""
    if not card.box.intersects(more):
        return card
    room = more.y - card.box.y
    height = TALL_HEIGHT if room >= TALL_HEIGHT else SHORT_HEIGHT
    return card._replace(box=card.box._replace(height=height))


def _halves(
    group: Sequence[_Topped], width: int, again: Collection[str]
) -> list[tuple[Sequence[_Topped], int, int]]:
    """Return parts of a group with their left and right edges: one with the full width, or two halves."""
    second = [one for one in group if one[0].key in again]
    if not second:
        return [(group, 0, width)]
    first = [one for one in group if one[0].key not in again]
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


def _overlapping(posts: Sequence[_Topped], minute_height: float, day_height: int) -> list[list[_Topped]]:
    groups: list[list[_Topped]] = []
    bottom = -1
    for post, minute in posts:
        top = min(round(minute * minute_height), day_height - TALL_HEIGHT)
        if not groups or top >= bottom:
            groups.append([])
        groups[-1].append((post, top))
        bottom = top + TALL_HEIGHT
    return groups


def _lanes(group: Sequence[_Topped], most: int) -> tuple[list[list[_Topped]], list[_Topped]]:
    """Put each card into the first lane that is free at its time."""
    lanes: list[list[_Topped]] = []
    left_over: list[_Topped] = []
    for post, top in group:
        free = next((lane for lane in lanes if lane[-1][1] + TALL_HEIGHT <= top), None)
        if free is not None:
            free.append((post, top))
        elif len(lanes) < most:
            lanes.append([(post, top)])
        else:
            left_over.append((post, top))
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
    behind = tuple(card for card in layout.behind if card.post.key != _KEY)
    return DayLayout(tuple(placed[False]), hidden, layout.more if hidden else None, new, behind)
