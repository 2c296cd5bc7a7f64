"""The look of a card: that of the post's state, and the layout of its parts."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from app.contract.enums import PostStatus
from app.desktop.calendar.placement import SHORT_HEIGHT, STACKED_BELOW, TALL_HEIGHT, Box, CardStyle
from app.language import tr, trc
from app.platforms.cards import own_name
from app.workspace.advice import brief_reason_of
from app.workspace.posts.planned import PlannedPost, SyncState


class Look(Enum):
    """The looks of a card, of which the most urgent state wins."""

    __hash__ = object.__hash__  # members are singletons; Enum's hash runs in Python, for every card

    PLANNED = "planned"
    GOING_OUT = "going out"
    BY_HAND = "planned by hand"
    FOR_USER = "waiting for you"
    WAITING = "waiting to sync"
    CONFLICT = "changed elsewhere"
    PUBLISHED = "published"
    FAILED = "failed"
    MAY_BE_LIVE = "may be live"
    CANCELLED = "cancelled"
    AT_RISK = "at risk"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class Dress:
    """Colour roles of a look; ``glyph`` is an icon's name or empty."""

    fill: str
    line: str
    text: str
    quiet: str
    glyph: str = ""
    glyph_color: str = "text3"
    faded: bool = False
    struck: bool = False
    dashed: bool = False


DRESSES = {
    Look.PLANNED: Dress("raised", "line", "text", "text2"),
    Look.GOING_OUT: Dress("raised", "line", "text", "text2", "send", "accent"),
    Look.BY_HAND: Dress("raised", "line", "text", "text2", "bell", "text3"),
    Look.FOR_USER: Dress("warn_soft", "warn_line", "text", "text2", "bell", "warn"),
    Look.AT_RISK: Dress("raised", "line", "text", "text2", "triangle-alert", "warn"),
    Look.WAITING: Dress("raised", "line", "text", "text2", "refresh-cw", "text3"),
    Look.CONFLICT: Dress("warn_soft", "warn_line", "text", "text2", "circle-alert", "warn"),
    Look.PUBLISHED: Dress("bg", "line2", "text3", "text3", "check", "text3", faded=True),
    Look.FAILED: Dress("bad_soft", "bad_line", "text", "text2", "triangle-alert", "bad"),
    Look.MAY_BE_LIVE: Dress("warn_soft", "warn_line", "text", "text2", "circle-help", "warn"),
    Look.CANCELLED: Dress("raised", "line", "text3", "text3", struck=True, dashed=True, faded=True),
    Look.PAST: Dress("bg", "line2", "text3", "text3", "clock", "text3", faded=True),
}

STATUS_WORDS = {
    Look.PLANNED: tr("scheduled"),
    Look.AT_RISK: tr("scheduled, check it"),
    Look.GOING_OUT: tr("being published"),
    Look.BY_HAND: tr("scheduled, to publish by hand"),
    Look.FOR_USER: tr("waiting for you"),
    Look.WAITING: tr("waiting to sync"),
    Look.CONFLICT: tr("changed elsewhere, needs your choice"),
    Look.PUBLISHED: tr("published"),
    Look.FAILED: tr("failed"),
    Look.MAY_BE_LIVE: tr("possibly published, check on the platform"),
    Look.CANCELLED: tr("cancelled"),
    Look.PAST: tr("due"),
}
_MAY_BE_LIVE = tr("Is it live? Check")
_CHANGED_ELSEWHERE = tr("Changed elsewhere")
_WAITING = tr("Waiting to sync")
_FOR_USER = tr("Waiting for you")


def look_of(post: PlannedPost, now: int, *, at_risk: bool = False) -> Look:
    """Return the look of a post at an instant (ms); unknown states look scheduled.

    ``at_risk``: there is a warning about it.
    """
    if post.may_be_live:
        return Look.MAY_BE_LIVE
    if post.status is PostStatus.FAILED:
        return Look.FAILED
    if post.status is PostStatus.CANCELLED:
        return Look.CANCELLED
    if post.published or post.status is PostStatus.POSTED:
        return Look.PUBLISHED
    if post.sync is SyncState.CONFLICT:
        return Look.CONFLICT
    if at_risk and post.at >= now:
        return Look.AT_RISK
    if post.sync is not SyncState.SYNCED:
        return Look.WAITING
    if post.waits_for_user or post.is_in_inbox:
        return Look.FOR_USER
    if post.status in (PostStatus.QUEUED, PostStatus.PROCESSING):
        return Look.GOING_OUT
    if post.at < now:
        return Look.PAST
    return Look.BY_HAND if post.is_by_hand else Look.PLANNED


def is_quiet(post: PlannedPost, look: Look, now: int) -> bool:
    """Whether a post is over at an instant (ms) and needs no action: a line without a card is enough."""
    return look is Look.PUBLISHED or look is Look.PAST or (look is Look.CANCELLED and post.at < now)


_SHORT_NOTES = {
    Look.MAY_BE_LIVE: trc("on a narrow card", "Check"),
    Look.CONFLICT: trc("on a narrow card", "Changed"),
    Look.FOR_USER: trc("on a narrow card", "For you"),
    Look.FAILED: trc("on a narrow card", "Failed"),
    Look.WAITING: trc("on a narrow card", "Waiting"),
}


def short_note_of(look: Look) -> str:
    """Return what a card says whose second line has no room for the note, or "" if it never has one."""
    return _SHORT_NOTES.get(look, "")


def note_of(post: PlannedPost, look: Look, style: CardStyle) -> str:
    """Return the second line of a card whose state needs text; waiting has one only if every card is tall."""
    if look is Look.MAY_BE_LIVE:
        return _MAY_BE_LIVE
    if look is Look.CONFLICT:
        return _CHANGED_ELSEWHERE
    if look is Look.FOR_USER and post.is_in_inbox:
        return tr("In your {platform} inbox", platform=own_name(post.platform))
    if look is Look.FOR_USER:
        return _FOR_USER
    if look is Look.FAILED:
        return brief_reason_of(post)
    return _WAITING if look is Look.WAITING and style is CardStyle.TIMED else ""


LINE_PITCH = 15
"""Distance between lines of text."""

_LEFT = 9
_STACKED_LEFT = 7
_RIGHT = 7
_GLYPH = 12
_CIRCLE = 16
CIRCLE_STEP = 13
"""Distance of the overlapping circles of several accounts."""

_STATE = 12
SMALL_TILE = 24
TILE = 44
"""Widths of pictures, which extend from the top to the bottom of their card, and to its right edge."""

WIDE_TILE = 64
_WIDE_FROM = 300
"""Minimum width of cards with a wide picture and the account's name."""

_MARK_TILE = 14
"""Size of the icon of the post's type, shown if a picture doesn't fit."""

_GAP = 5
_HEAD = 12
"""Middle of the first line."""

_FIRST_TEXT = 21
_FOOT = 3
_TILE_FROM = 4.2
"""Cards narrower than this many times of day have an icon in the first line instead of the picture,
which would leave too little room for long words."""

_KIND_FROM = 150
"""Narrower lines omit the picture of a post, because its text is more important."""

_FEWEST_WORDS = 44
"""Minimum width of a line's text; below, the state's icon is omitted, and its colour is used for the time."""

_LEAST_WORDS = 28
"""Width of a line's text below which it's only an ellipsis, and is omitted."""

TIGHT_WORDS = 60
"""Width of a quiet line's text below which an ellipsis would take the room of most letters."""

_QUIET_EDGE = 4
"""Edge of a quiet line, chosen so that its icon is below the day's number."""

_MOST_CIRCLES = ((210, 4), (150, 3), (110, 2), (0, 1))
"""Minimum widths of a line with text, with how many accounts fit; a single circle counts them."""

_MOST_ACCOUNTS = 4
"""Maximum number of circles in a line without text."""

_TIGHT_BELOW = 100
_TIGHT_RIGHT = 3
"""Narrower cards put their marks closer to the edge, so that one fits next to the time."""

_TIGHT_LEFT = 5
"""Left edge of a time that would otherwise not fit into a line of its own."""


class Sizes(NamedTuple):
    """Widths of texts that depend on the font."""

    time: int
    tag: int
    letter: int = 0
    """Width of the letter after a repeated time of day."""


class Wanted(NamedTuple):
    """What a card has to show besides platform, time and text; ``note``: a second line in another style.

    ``letter``: the time of day is repeated, and has a letter that tells its two passes apart.
    """

    tile: bool
    state: bool
    practice: bool
    note: bool
    letter: bool = False
    result: int = 0
    """Width of the result of a quiet line; 0 for none."""
    accounts: int = 1


class Parts(NamedTuple):
    """The rectangles of a card; None for parts that aren't wanted or don't fit."""

    glyph: Box
    """Of the platform, or the place of all circles."""
    time: Box
    text: Box
    """As high as the lines that fit."""
    tile: Box | None = None
    state: Box | None = None
    tag: Box | None = None
    result: Box | None = None
    name: Box | None = None
    """Of the account, in wide cards."""
    is_framed: bool = False
    """Whether the tile reaches to the card's edge, so that it can show a picture."""
    circles: tuple[Box, ...] = ()
    """Of several accounts, as many as fit."""

    @property
    def lines(self) -> int:
        """Number of lines of text that fit, before scaling."""
        return max(1, self.text.height // LINE_PITCH)

    def scaled(self, scale: float) -> "Parts":
        """Return the parts for another text size, a factor."""
        if scale == 1:
            return self
        glyph, time, text = (box.scaled(scale) for box in (self.glyph, self.time, self.text))
        marks = (self.tile, self.state, self.tag, self.result, self.name)
        tile, state, tag, result, name = (box and box.scaled(scale) for box in marks)
        circles = tuple(box.scaled(scale) for box in self.circles)
        return Parts(glyph, time, text, tile, state, tag, result, name, self.is_framed, circles)


@lru_cache(maxsize=1_024)
def arrange(width: int, height: int, wanted: Wanted, sizes: Sizes) -> Parts:
    """Lay out a card of a size, for text at 100 %."""
    if wanted.letter:
        sizes = sizes._replace(time=sizes.time + sizes.letter)
    if height < 2 * LINE_PITCH:
        return _one_line(width, height, wanted, sizes)
    if width < STACKED_BELOW and height >= TALL_HEIGHT:
        return _stacked(width, height, wanted, sizes)
    return _roomy(width, height, wanted, sizes)


@lru_cache(maxsize=1_024)
def arrange_quiet(width: int, height: int, wanted: Wanted, sizes: Sizes) -> Parts:
    """Lay out a line without a card, for text at 100 %."""
    middle, clock = height // 2, sizes.time + (sizes.letter if wanted.letter else 0)
    glyph, circles = _accounts(_QUIET_EDGE, middle, wanted.accounts, width)
    left, right = glyph.x + glyph.width + 4, width - _QUIET_EDGE
    time = Box(left, middle - 8, clock if left + clock <= right else 0, LINE_PITCH)
    text_left = time.x + time.width + 6
    result = state = tag = None
    room = right - text_left - wanted.result - _GAP
    if wanted.result and (room >= _LEAST_WORDS or (room >= 0 and right - text_left < _LEAST_WORDS)):
        result = Box(right - wanted.result, middle - 8, wanted.result, LINE_PITCH)
        right = result.x - _GAP
    elif wanted.state and right - _STATE >= text_left:
        state = _mark(right, middle, _STATE)
        has_words = state.x - _GAP - text_left >= _FEWEST_WORDS
        if has_words or right - text_left < _LEAST_WORDS:  # text says more than a tick
            right = state.x - _GAP
        else:
            state = None
    if wanted.practice and (tag := _tag(right, text_left, middle, 0)) is not None:
        right = tag.x - _GAP
    room = right - text_left
    if _LEAST_WORDS <= room < TIGHT_WORDS:  # a few letters need the gaps around them
        text_left -= 2
        room = right - text_left + (_QUIET_EDGE - 1 if right == width - _QUIET_EDGE else 0)
    text = Box(text_left, middle - 8, room if room >= _LEAST_WORDS else 0, LINE_PITCH)
    return Parts(glyph, time, text, state=state, tag=tag, result=result, circles=circles)


def _one_line(width: int, height: int, wanted: Wanted, sizes: Sizes) -> Parts:
    middle = height // 2
    tile = _at_the_edge(width, height, SMALL_TILE) if wanted.tile and width >= _KIND_FROM else None
    edge = tile.x if tile else width
    glyph, circles = _accounts(_LEFT, middle, wanted.accounts, edge)
    time = _time_beside(glyph, sizes, edge)
    text_left = time.x + time.width + 6
    state, _, tag, right = _marks(edge, text_left, middle, wanted._replace(tile=False))
    if state is not None and right - text_left < _FEWEST_WORDS:
        other = _marks(edge, text_left, middle, wanted._replace(tile=False, state=False))
        if other[-1] - text_left >= _LEAST_WORDS:  # else there's no text that needs the icon's place
            state, _, tag, right = other
    room = right - text_left
    text = Box(text_left, middle - 8, room if room >= _LEAST_WORDS else 0, LINE_PITCH)
    return Parts(glyph, time, text, tile, state, tag, is_framed=tile is not None, circles=circles)


def _roomy(width: int, height: int, wanted: Wanted, sizes: Sizes) -> Parts:
    head, first_text = (_HEAD, _FIRST_TEXT) if height >= SHORT_HEIGHT else (_HEAD - 1, _FIRST_TEXT - 2)
    is_wide = width >= _WIDE_FROM
    has_large = wanted.tile and not wanted.note and width >= _TILE_FROM * sizes.time
    large = _at_the_edge(width, height, WIDE_TILE if is_wide else TILE) if has_large else None
    right = large.x if large else width
    glyph, circles = _accounts_above_text(head, wanted, right, sizes.time + 4)
    time = _time_beside(glyph, sizes, right)
    first_line = wanted._replace(tile=wanted.tile and large is None)
    marks_from = time.x + time.width + (4 if width >= _TIGHT_BELOW else 2)
    state, tile, tag, free = _marks(right, marks_from, head, first_line, tag_width=sizes.tag)
    text = _text(right - (_GAP if large else _RIGHT), first_text, height)
    if wanted.practice and tag is None:
        tag, text = _tag_after_text(text, height)
    if text.width < _LEAST_WORDS and not time.width and not wanted.practice:
        time, text = _time_below(width, text.y, sizes), text._replace(width=0)
    name = Box(marks_from + 4, time.y, max(0, free - marks_from - 8), LINE_PITCH) if is_wide else None
    is_framed = large is not None
    return Parts(glyph, time, text, large or tile, state, tag, None, name, is_framed, circles)


def _at_the_edge(width: int, height: int, tile: int) -> Box:
    """Return the place of a picture: the full height of a card within its outline, at its right edge."""
    return Box(width - 1 - tile, 1, tile, height - 2)


def _tag_after_text(text: Box, height: int) -> tuple[Box, Box]:
    """Return the place of the practice icon at the end of the last line, and the text shortened for it."""
    right, bottom = text.x + text.width, min(text.y + text.height - 1, height)
    tag = Box(right - _GLYPH, bottom - _GLYPH, _GLYPH, _GLYPH)
    return tag, text._replace(width=max(0, text.width - _GLYPH - 2))


def _stacked(width: int, height: int, wanted: Wanted, sizes: Sizes) -> Parts:
    above_time = _HEAD if wanted.accounts == 1 else _HEAD - 1
    glyph, circles = _accounts_above_text(above_time, wanted, width, 0)
    state, tile, tag, _ = _marks(width, glyph.x + glyph.width + 4, _HEAD, wanted)
    time = _time_below(width, _HEAD + 7, sizes)  # without room, its position in the day has to show it
    text = _text(width - 1, _FIRST_TEXT + 12, height)
    return Parts(glyph, time, text._replace(x=_STACKED_LEFT), tile, state, tag, circles=circles)


def _time_below(width: int, top: int, sizes: Sizes) -> Box:
    """Return the place of the time in a line of its own; without width if it doesn't fit."""
    left = _STACKED_LEFT if _STACKED_LEFT + sizes.time <= width else _TIGHT_LEFT
    return Box(left, top, sizes.time if left + sizes.time <= width else 0, LINE_PITCH - 1)


def _marks(
    right: int, left: int, middle: int, wanted: Wanted, *, tag_width: int = 0
) -> tuple[Box | None, Box | None, Box | None, int]:
    """Return state, tile and tag from the right as far as they fit, and the remaining edge for text."""
    right -= _RIGHT - 1 if right >= _TIGHT_BELOW else _TIGHT_RIGHT
    practice = _GLYPH + _GAP if wanted.practice else 0
    has_state = wanted.state and right - _STATE >= left
    right_of_tile = right - (_STATE + _GAP if has_state else 0)
    # The practice tag is more important than the post's type.
    has_tile = wanted.tile and right_of_tile - _MARK_TILE - practice >= left
    right_of_tag = right_of_tile - (_MARK_TILE + _GAP if has_tile else 0)
    state = _mark(right, middle, _STATE) if has_state else None
    tile = _mark(right_of_tile, middle, _MARK_TILE) if has_tile else None
    tag = _tag(right_of_tag, left, middle, tag_width) if wanted.practice else None
    return state, tile, tag, tag.x - _GAP if tag else right_of_tag


def _mark(right: int, middle: int, size: int) -> Box:
    return Box(right - size, middle - (size + 1) // 2, size, size)


def _tag(right: int, left: int, middle: int, word_width: int) -> Box | None:
    """Return the place of the tag's text if it fits, else of its icon, else None."""
    if word_width and right - word_width >= left:
        return Box(right - word_width, middle - 7, word_width, 14)
    fits = right - _GLYPH >= left
    return Box(right - _GLYPH, middle - _GLYPH // 2, _GLYPH, _GLYPH) if fits else None


def _accounts(left: int, middle: int, count: int, width: int) -> tuple[Box, tuple[Box, ...]]:
    """Return the place of the accounts in a line of a width, and the circles of several."""
    most = next(circles for least, circles in _MOST_CIRCLES if width >= least)
    return account_boxes(_inside(left, count, width), middle, count, most)


def _accounts_above_text(middle: int, wanted: Wanted, width: int, time: int) -> tuple[Box, tuple[Box, ...]]:
    """Return the same for the first line of a card, with space for the time and the state."""
    state = _STATE + _RIGHT if wanted.state else 0
    room = width - _TIGHT_RIGHT - _LEFT - _CIRCLE - time - state
    most = max(1, min(_MOST_ACCOUNTS, room // CIRCLE_STEP + 1))
    return account_boxes(_inside(_LEFT, wanted.accounts, width), middle, wanted.accounts, most)


def _inside(left: int, count: int, width: int) -> int:
    """Return where accounts begin, further left in a card that would cut them: large text leaves 15 px."""
    least, size = (0, _GLYPH) if count == 1 else (1, _CIRCLE - 1)  # circles begin a pixel earlier
    return max(least, min(left, width - size))


def account_boxes(
    left: int, middle: int, count: int, most: int, glyph: int = _GLYPH
) -> tuple[Box, tuple[Box, ...]]:
    """Return the place of accounts, and at most ``most`` circles of several; one has a glyph of a size."""
    if count == 1:
        return Box(left, middle - glyph // 2, glyph, glyph), ()
    first = Box(left - 1, middle - _CIRCLE // 2, _CIRCLE, _CIRCLE)
    circles = tuple(first.moved(place * CIRCLE_STEP, 0) for place in range(min(count, most)))
    return first._replace(width=_CIRCLE + (len(circles) - 1) * CIRCLE_STEP), circles


def _time_beside(glyph: Box, sizes: Sizes, width: int) -> Box:
    """Return the place of the time; its width is 0 if it doesn't fit, so the position has to show it."""
    left, middle = glyph.x + glyph.width + 4, glyph.y + glyph.height // 2
    return Box(left, middle - 8, sizes.time if left + sizes.time <= width else 0, LINE_PITCH)


def _text(right: int, top: int, height: int) -> Box:
    lines = max(1, (height - top - _FOOT) // LINE_PITCH)
    return Box(_LEFT, top, max(0, right - _LEFT), lines * LINE_PITCH)
