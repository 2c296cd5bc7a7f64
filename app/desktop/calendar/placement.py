"""Where cards go within a day of the month, and what is placed on any day. Pure arithmetic.

All lengths are logical pixels; rectangles are relative to the day's own corner. Posts that are being written
are placed, too: as a dashed card on their day, which can't be selected or dragged.
"""

from array import array
from bisect import insort
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from typing import NamedTuple, overload

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.language import tr, trn
from app.workspace.posts.planned import PlannedPost

DAY_HEAD = 27
"""Height of the line with the day's number."""

INSET = 5
_NARROW = 26
"""Width of a day in the month below which its cards nearly reach its edges, so that their icons fit."""

GAP = 3
LINE_HEIGHT = 22
MORE_HEIGHT = 14
PILL_WIDTH, PILL_HEIGHT = 34, 18
"""Size of "+n" among hours."""

FOOT = 3
_SPACE_BELOW = 4
"""Between the last card of a week that is as high as it needs and the space at the foot of each cell."""

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
STACKED_BELOW = 64
"""Width below which a card has its time on a separate line."""

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
        box = Box(self.right - INSET - PILL_WIDTH, self.tops(place), PILL_WIDTH, SHORT_HEIGHT)
        return PlacedCard(self.posts[place], box.scaled(self.scale), CardStyle.TIMED)

    def without(self, key: str) -> "HiddenCards":
        """Return the cards without those of a post."""
        places = array("I", (place for place in self.places if self.posts[place].key != key))
        return replace(self, places=places)


class DayLayout(NamedTuple):
    """A day's cards, and how many posts don't fit."""

    cards: tuple[PlacedCard, ...]
    hidden: int
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


EMPTY_DAY = DayLayout((), 0, None)


def none_quiet(_post: PlannedPost) -> bool:
    """Return False: every post has a card."""
    return False


def place_in_month(
    posts: Collection[PlannedPost],
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
            return DayLayout(_stack(posts, heights, styles, width), 0, None)
    return _overfull(posts, width, height, least, is_quiet, urgent)


def height_in_month(
    posts: Collection[PlannedPost], width: int, most: int, text_lines: TextLines, is_quiet: IsQuiet
) -> int:
    """Return the height of a cell of the month that shows all of a day's posts in full, at most ``most``."""
    needed = DAY_HEAD + FOOT + _SPACE_BELOW - GAP
    for post in posts:
        if needed >= most:
            return most
        style = CardStyle.QUIET if is_quiet(post) else CardStyle.TALL
        needed += _height(style, post, width, text_lines) + GAP
    return min(needed, most)


def _ways_to_show(
    posts: Collection[PlannedPost], least: CardStyle, is_quiet: IsQuiet, urgent: Collection[str]
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
    posts: Collection[PlannedPost],
    width: int,
    height: int,
    least: CardStyle,
    is_quiet: IsQuiet,
    urgent: Collection[str],
) -> DayLayout:
    """Return as many cards as fit above the line that counts the others, without looking at those."""
    room = height - DAY_HEAD - MORE_HEIGHT
    first = [(place, post) for place, post in enumerate(posts) if post.key in urgent] if urgent else []
    others = ((place, post) for place, post in enumerate(posts) if post.key not in urgent)
    shown: dict[int, tuple[PlannedPost, CardStyle]] = {}
    for place, post in chain(first, others):
        style = CardStyle.QUIET if is_quiet(post) else least
        if style is CardStyle.MEDIUM and room < MEDIUM_HEIGHT + GAP:
            style = CardStyle.LINE
        room -= _LEAST_HEIGHTS[style] + GAP
        if room < 0:
            break
        shown[place] = post, style
    in_order = [shown[place] for place in sorted(shown)]
    styles = [style for _, style in in_order]
    heights = [_LEAST_HEIGHTS[style] for style in styles]
    cards = _stack([post for post, _ in in_order], heights, styles, width)
    top = DAY_HEAD + sum(heights) + GAP * len(heights)
    return DayLayout(cards, len(posts) - len(cards), _across(width, top, MORE_HEIGHT))


def _inset(width: int) -> int:
    return INSET if width >= _NARROW else 1


def _across(width: int, top: int, height: int) -> Box:
    """Return a box as wide as the cards of a day in the month."""
    inset = _inset(width)
    return Box(inset, top, width - 2 * inset, height)


def _stack(
    posts: Collection[PlannedPost], heights: Sequence[int], styles: Sequence[CardStyle], width: int
) -> tuple[PlacedCard, ...]:
    cards: list[PlacedCard] = []
    top = DAY_HEAD
    for post, height, style in zip(posts, heights, styles, strict=True):
        cards.append(PlacedCard(post, _across(width, top, height), style))
        top += height + GAP
    return tuple(cards)


_KEY = ""
"""No post has this key."""


@dataclass(frozen=True, slots=True)
class Composing:
    """New posts being written: how many, for which day (ordinal) and time (ms since 1970 UTC)."""

    day: int
    at: int
    count: int

    def among(self, posts: Collection[PlannedPost]) -> Sequence[PlannedPost]:
        """Return a day's posts with a stand-in for the new ones at their time, so that they get a place."""
        together = list(posts)
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
            headline=trn("{n} new post", "{n} new posts", self.count) if self.count > 1 else tr("New post"),
        )


def set_apart(layout: DayLayout) -> DayLayout:
    """Separate the card of the new posts, which a layout shows or hides, from those of other posts."""
    placed: dict[bool, list[PlacedCard]] = {True: [], False: []}
    for card in layout.cards:
        placed[card.post.key == _KEY].append(card)
    new = placed[True][0] if placed[True] else None
    hidden = layout.hidden if new else layout.hidden - 1
    behind = tuple(found for part in layout.behind if (found := part.without(_KEY)))
    return DayLayout(tuple(placed[False]), hidden, layout.more if hidden else None, new, behind)
