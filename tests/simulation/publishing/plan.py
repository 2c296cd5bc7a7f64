"""What people want: posts, and changes of mind. Drawn from the seed, or played again from a list."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from app.contract.enums import PostingPlatform, PostType
from app.platforms.cards import offers_by_hand
from app.service.store.reach import Reach
from tests.simulation.publishing.ground import (
    ACCOUNTS,
    BLUESKY,
    BY_HAND,
    DIRECT_ACCOUNTS,
    LONG_VIDEO,
    MASTODON,
    PHOTO,
    PICTURE,
    VIDEO,
    inbox_video,
)

SECONDS_PER_POST: Final = 0.15
_SHORTEST_S: Final = 120.0
_KINDS: Final[Mapping[PostingPlatform, Sequence[PostType]]] = {
    PostingPlatform.X: (*[PostType.TEXT] * 6, PostType.IMAGE, PostType.VIDEO),
    PostingPlatform.LINKEDIN: (*[PostType.TEXT] * 4, PostType.IMAGE, PostType.VIDEO),
    PostingPlatform.FACEBOOK: (*[PostType.TEXT] * 6, PostType.IMAGE, PostType.VIDEO),
    PostingPlatform.PINTEREST: (*[PostType.IMAGE] * 6, PostType.VIDEO),
    PostingPlatform.INSTAGRAM: (PostType.IMAGE, PostType.VIDEO),
    PostingPlatform.TIKTOK: (PostType.VIDEO,),
    PostingPlatform.YOUTUBE: (PostType.VIDEO,),
    BLUESKY: (*[PostType.TEXT] * 6, PostType.IMAGE),
    MASTODON: (*[PostType.TEXT] * 6, PostType.IMAGE, PostType.VIDEO),
    **dict.fromkeys(BY_HAND, (*[PostType.TEXT] * 3, PostType.IMAGE)),
}
_SHARES: Final[Mapping[PostingPlatform, int]] = {
    PostingPlatform.X: 6,
    PostingPlatform.LINKEDIN: 3,
    PostingPlatform.FACEBOOK: 6,
    PostingPlatform.PINTEREST: 5,
    PostingPlatform.INSTAGRAM: 2,
    PostingPlatform.TIKTOK: 1,
    PostingPlatform.YOUTUBE: 1,
    BLUESKY: 2,
    MASTODON: 3,
    **dict.fromkeys(BY_HAND, 1),
}
"""How many of each: where a file goes first, a post takes several times as long to play."""
_IN_CHUNKS: Final = (PostingPlatform.LINKEDIN, PostingPlatform.TIKTOK, PostingPlatform.YOUTUBE)
_LONG: Final = 0.1
"""The share of videos that these platforms are sent in several chunks."""
_BURST: Final = 0.1
"""The share of posts that are due at the same moment."""
_BULK: Final = 0.03
"""How often a bulk call follows a post."""
_LARGEST_BATCH: Final = 8
HAND_OVER_S: Final = 240.0
"""How long a user has to publish a post by hand."""
_CHOSEN: Final = 0.04
"""The share of posts on connected accounts that their users publish by hand, and of those they change so."""
_LEFT: Final = 0.2
"""The share of posts in an inbox that their users leave there."""
_DISCARDED: Final = 0.1
"""The share that they delete there."""
_UNDO_S: Final = 600.0
"""How long the report that it's live can be undone."""


class Verb(StrEnum):
    """A change of mind."""

    MOVE = "move"
    CANCEL = "cancel"
    DELETE = "delete"
    FINISH = "finish"
    UNDO = "undo"
    BY_HAND = "by_hand"
    BY_KALENDS = "by_kalends"


@dataclass(frozen=True, slots=True)
class Change:
    """At a moment of the world, in seconds; ``to_s`` is the new time of a move, which also resumes."""

    at_s: float
    verb: Verb
    to_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Wish:
    """A post as a user plans it.

    Attributes:
        due_s: When it's due; None: immediately.
        batch: Those with the same one are created by one call.
        by_hand: Its user publishes it, although its account is connected.
        finishes_s: After how long in the user's inbox they publish it there; None: they don't.
        discards: They delete it there instead.
    """

    number: int
    platform: PostingPlatform
    account: int
    created_s: float
    due_s: float | None
    kind: PostType = PostType.TEXT
    file: str | None = None
    changes: tuple[Change, ...] = ()
    batch: int | None = None
    by_hand: bool = False
    finishes_s: float | None = None
    discards: bool = False

    @property
    def marker(self) -> str:
        """What its text is known by on the platform."""
        return f"Sim{self.number:06d}"

    @property
    def reach(self) -> Reach:
        """Whose calls create and change it."""
        if not self.platform.is_known:
            return Reach.COMPANION
        return Reach.ALL if self.is_by_hand else Reach.SPECIFIED

    @property
    def is_by_hand(self) -> bool:
        """Whether its user publishes it, or may choose to."""
        return self.is_by_hand_at_first or any(one.verb is Verb.BY_HAND for one in self.changes)

    @property
    def is_by_hand_at_first(self) -> bool:
        """Whether it's planned as one that its user publishes."""
        return self.by_hand or self.platform in BY_HAND

    @property
    def is_to_inbox(self) -> bool:
        """Whether it goes to its user's inbox on the platform."""
        return self.platform is PostingPlatform.TIKTOK and self.account >= DIRECT_ACCOUNTS


@dataclass
class Known:
    """What users know about a post so far; times are true.

    Attributes:
        dues: The times at which it may be published according to the requests, the confirmed one first.
        gone_at: When a cancellation or deletion was confirmed that found nothing under way.
        removed: Somebody asked to cancel or delete it, and didn't resume it since.
        published_at: When the platform took it, each time.
        is_left_to_user: Its user publishes it, as far as the service has confirmed; None if nobody knows.
        finished_at: When its user published it from their inbox.
        is_discarded: Its user deleted it there.
        failed_at: When the service gave it up.
        copied_at: When the copy was made that was put back since; people lose what came after it.
        is_done: Its user published it by hand and reported it; None if nobody knows what the service took in.
        asked_for: The times for which its user was asked to publish it by hand.
        refused: Reports that the service refused without a reason.
    """

    wish: Wish
    is_stored: bool = False
    dues: list[datetime] = field(default_factory=list)
    gone_at: datetime | None = None
    removed: bool = False
    published_at: list[datetime] = field(default_factory=list)
    is_left_to_user: bool | None = False
    finished_at: datetime | None = None
    is_discarded: bool = False
    failed_at: datetime | None = None
    copied_at: datetime | None = None
    is_done: bool | None = False
    asked_for: list[datetime] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    _every_due: list[datetime] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.is_left_to_user = self.wish.is_by_hand_at_first

    def plan(self, *dues: datetime) -> None:
        """Set the times at which it may be published from now on."""
        self.dues = [*dues]
        self._every_due += dues

    def forget_since(self, at: datetime) -> None:
        """The store is as it was then: any time that was ever confirmed may count again."""
        self.copied_at = min(self.copied_at or at, at)
        self.is_done, self.is_left_to_user, self.asked_for = None, None, []
        self.dues = [*self.dues, *self._every_due]
        if self.gone_at is not None and self.gone_at >= at:
            self.gone_at = None


def draw(seed: int, count: int) -> Sequence[Wish]:
    """The wishes of a seed."""
    chance = random.Random(f"{seed} wishes")  # noqa: S311  chance, no secret
    length = max(count * SECONDS_PER_POST, _SHORTEST_S)
    together = round(chance.uniform(0.3, 0.9) * length)
    wishes = [_wish(number, length, together, chance) for number in range(count)]
    chance_of_users = random.Random(f"{seed} users")  # noqa: S311  chance, no secret
    wishes = [_left_to_user(wish, length, chance_of_users) for wish in wishes]
    return [*_batched(wishes, random.Random(f"{seed} batches"))]  # noqa: S311  chance, no secret


def simpler(wish: Wish) -> Iterator[Wish]:
    """The same post alone, and with fewer changes of mind."""
    yield replace(wish, changes=(), batch=None)
    yield replace(wish, batch=None)
    yield replace(wish, changes=())
    yield replace(wish, changes=wish.changes[:1])


def _batched(wishes: Sequence[Wish], chance: random.Random) -> Iterator[Wish]:
    """The same posts, some of which are created together, when the first of them would have been."""
    while wishes:
        size = chance.randint(2, _LARGEST_BATCH) if chance.random() < _BULK else 1
        group, wishes = wishes[:size], wishes[size:]
        together = [one for one in group if one.reach is Reach.SPECIFIED]  # networks have no bulk call
        yield from (one for one in group if one not in together)
        if len(together) < 2:
            yield from together
            continue
        created = min(one.created_s for one in together)
        for one in together:
            yield replace(one, created_s=created, batch=together[0].number)


def _wish(number: int, length: float, together: float, chance: random.Random) -> Wish:
    created = round(chance.uniform(0, length * 0.7), 3)
    due: float | None = round(created + chance.uniform(3, max(10, length - created)), 3)
    roll = chance.random()
    if roll < _BURST and together > created + 3:
        due = together
    elif roll < 2 * _BURST:
        due = None
    platform = chance.choices(tuple(_SHARES), tuple(_SHARES.values()))[0]
    kind = chance.choice(_KINDS[platform])
    is_long = platform in _IN_CHUNKS and chance.random() < _LONG
    picture = PHOTO if platform is PostingPlatform.INSTAGRAM else PICTURE
    files = {PostType.IMAGE: picture, PostType.VIDEO: LONG_VIDEO if is_long else VIDEO}
    changes = _by_hand if platform in BY_HAND else _changes
    is_changed = chance.random() < (0.9 if platform in BY_HAND else 0.3)
    return Wish(
        number,
        platform,
        chance.randrange(ACCOUNTS),
        created,
        due,
        kind,
        files.get(kind),
        tuple(changes(created, due, length, chance)) if is_changed else (),
    )


def _left_to_user(wish: Wish, length: float, chance: random.Random) -> Wish:
    """The same post, but if its user publishes it."""
    if wish.is_to_inbox:
        is_left, is_discarded = chance.random() < _LEFT, chance.random() < _DISCARDED
        after = round(chance.uniform(1, 1.2 * HAND_OVER_S), 3)
        file = inbox_video(wish.number)
        return replace(wish, file=file, finishes_s=None if is_left else after, discards=is_discarded)
    roll = chance.random()
    if not offers_by_hand(wish.platform) or roll >= 2 * _CHOSEN:
        return wish
    if roll < _CHOSEN or wish.due_s is None:
        return replace(wish, by_hand=True, changes=(*_by_hand(wish.created_s, wish.due_s, length, chance),))
    return replace(wish, changes=(*_choosing(wish.created_s, wish.due_s, length, chance),))


def _choosing(created: float, due: float, length: float, chance: random.Random) -> Iterator[Change]:
    """Users who decide later to publish a post by hand, and perhaps to leave it to Kalends after all."""
    near = chance.random() < 0.6
    first = due + chance.gauss(0, 0.4) if near else chance.uniform(created, due)
    first = round(max(first, created + 0.2), 3)
    yield Change(first, Verb.BY_HAND)
    if chance.random() < 0.4:
        second = round(first + abs(chance.gauss(0, 3)) + 0.1, 3)
        yield Change(second, Verb.BY_KALENDS)
        if chance.random() < 0.5:
            yield Change(round(second + abs(chance.gauss(0, 3)) + 0.1, 3), Verb.BY_HAND)
    else:
        yield from _by_hand(first, max(due, first), length, chance)


def _changes(created: float, due: float | None, length: float, chance: random.Random) -> Iterator[Change]:
    """A change of mind or two, many of them close to the moment at which the post is due."""
    at = due if due is not None else created + 1
    near = chance.random() < 0.6
    first = at + chance.gauss(0, 0.4) if near else chance.uniform(created + 1, max(at, created + 2))
    first = round(max(first, created + 0.2), 3)
    verb = chance.choice((Verb.MOVE, Verb.MOVE, Verb.CANCEL, Verb.CANCEL, Verb.DELETE))
    yield Change(first, verb, round(first + chance.uniform(2, length * 0.3), 3))
    if verb is not Verb.DELETE and chance.random() < 0.5:
        again = round(first + abs(chance.gauss(0, 3)), 3)
        verb = chance.choice((Verb.MOVE, Verb.CANCEL, Verb.DELETE))
        yield Change(again, verb, round(again + chance.uniform(2, length * 0.3), 3))


def _by_hand(created: float, due: float | None, length: float, chance: random.Random) -> Iterator[Change]:
    """What users do with posts by hand: publish them, put them off, skip them, undo that, or nothing."""
    at = due if due is not None else created + 1
    roll = chance.random()
    if roll < 0.1:
        first = chance.uniform(created, at)  # before its time
    elif roll < 0.2:
        first = at + HAND_OVER_S + chance.uniform(1, 30)  # after it failed
    else:
        first = at + abs(chance.gauss(0, 20))
    first = round(max(first, created + 0.2), 3)
    usual = (Verb.FINISH, Verb.FINISH, Verb.FINISH, Verb.FINISH, Verb.MOVE, Verb.CANCEL, Verb.DELETE)
    verb = chance.choice(usual)
    to = round(first + chance.uniform(2, length * 0.3), 3)
    yield Change(first, verb, to)
    if verb is Verb.FINISH and chance.random() < 0.4:
        is_late = chance.random() < 0.1
        second = round(first + (_UNDO_S if is_late else 0) + abs(chance.gauss(0, 30)) + 0.1, 3)
        yield Change(second, Verb.UNDO)
        if chance.random() < 0.6:
            verb = chance.choice((Verb.FINISH, Verb.FINISH, Verb.MOVE, Verb.CANCEL))
            third = round(second + chance.uniform(0.5, 60), 3)
            yield Change(third, verb, round(third + chance.uniform(2, length * 0.3), 3))
    elif verb in {Verb.MOVE, Verb.CANCEL} and chance.random() < 0.7:
        yield Change(round(to + chance.uniform(0.1, 30), 3), chance.choice((Verb.FINISH, Verb.MOVE)), to + 60)
