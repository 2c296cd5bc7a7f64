"""The calendar's cards, as a flat list sorted by time and by day."""

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import compress, islice
from operator import attrgetter, eq
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.rows import CardRows
from app.workspace.posts.ideas import Idea, by_idea
from app.workspace.posts.planned import PlannedPost, Timeline, TimelineReader
from app.workspace.time.wall import DAY_MS, MINUTES_PER_DAY

Describe = Callable[[Idea], str]
"""Describes the posts of one card."""
_NO_PARENT = QModelIndex()
_MOST_DAYS = 1_024
"""Maximum number of days whose positions are cached."""

_MOST_MOMENTS = 4_096
"""Maximum number of times whose ideas are cached."""

_order: Callable[[PlannedPost], tuple[int, str]] = attrgetter("at", "key")
_at: Callable[[PlannedPost], int] = attrgetter("at")


class PostListModel(QAbstractListModel):
    """Cards as rows for Qt (accessibility, selection) and as days for the painter, which change together.

    A card shows a post, or the posts of one idea; the most urgent of those is the card's post. A card that
    moves is removed and inserted, because Qt would treat a moved row as a reset.

    Only the posts in order and a flag per post are in memory: a million posts take 9 MB. Days and ideas are
    computed when they're shown.
    """

    days_changing = Signal(set)
    """Ordinals of days whose layouts are no longer valid; the rows' signals follow."""
    days_changed = Signal(set)
    """The same days, once all rows are up to date."""

    def __init__(self, days: LocalDays, describe: Describe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._days = days
        self._describe = describe
        self._groups_ideas = True
        self._known = TimelineReader(Timeline())
        self._posts: list[PlannedPost] = []
        """All posts, including those that share a card."""
        self._rows = CardRows()
        self._urgent: list[PlannedPost] = []
        """The posts that need action."""
        self._apart: frozenset[str] = frozenset()
        """Keys of posts that have a card for themselves although they belong to an idea."""
        self._ranges: dict[int, _Range] = {}
        self._ideas: OrderedDict[int, dict[str, Idea]] = OrderedDict()
        """The ideas of several posts at a time, by the key of each post."""

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        """Return the number of cards; a card has no child rows."""
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the headline, and for screen readers the description of the card."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.post_at(index.row()).headline
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.described(self.post_at(index.row()))
        return None

    def post_at(self, row: int) -> PlannedPost:
        """Return a card's post."""
        return self._posts[self._rows.position(row)]

    def get(self, key: str) -> PlannedPost | None:
        """Return a post, also if it shares a card."""
        known = self._known.get(key)
        if known is None:
            return None
        position = self._position(known)
        there = self._posts[position] if position < len(self._posts) else None
        return there if there is not None and there.key == key else None

    def members(self, post: PlannedPost) -> Idea:
        """Return the posts that share a post's card, the card's own post first; often it's alone."""
        return self._ideas_at(post.at).get(post.key) or (post,)

    def lead(self, post: PlannedPost) -> PlannedPost:
        """Return the post of the card that shows a post."""
        return self.members(post)[0]

    def leads(self, posts: Iterable[PlannedPost]) -> list[PlannedPost]:
        """Return the posts of the cards that show some posts, each once."""
        return list({lead.key: lead for lead in map(self.lead, posts)}.values())

    def sharing(self, key: str) -> tuple[str, ...]:
        """Return the keys of the posts that share a card, the card's own post first."""
        post = self.get(key)
        return (key,) if post is None else tuple(one.key for one in self.members(post))

    def row_of(self, key: str) -> int:
        """Return the row of a post's card. Raises KeyError."""
        post = self.get(key)
        if post is None:
            raise KeyError(key)
        return self._row(self.lead(post))

    def nearest(self, gone: PlannedPost) -> PlannedPost | None:
        """Return the post that takes the place of a removed one: the next one, or the last."""
        count = len(self._rows)
        return self.post_at(min(self._row(gone), count - 1)) if count else None

    def first_row_from(self, at: int) -> int:
        """Return the first row at or after a moment; the number of rows without one."""
        return self._rows.row(self._first_from(at))

    def on_day(self, day: int) -> list[PlannedPost]:
        """Return the posts of a day's cards, sorted by time."""
        start, end, may_return = self._range_of(day)
        cards = compress(self._posts[start:end], self._rows.between(start, end))
        if not may_return:
            return list(cards)
        return [post for post in cards if self._days.day_of(post.at) == day]

    def glance(self, day: int) -> Collection[PlannedPost]:
        """Return the same posts, to be used before anything changes.

        A day may have thousands of posts. Their number and the first few of them are found without the rest.
        """
        start, end, may_return = self._range_of(day)
        return self.on_day(day) if may_return else _Glance(self._posts, self._rows, start, end)

    def count(self, cards: Iterable[PlannedPost]) -> int:
        """Return the number of posts that cards show."""
        return sum(len(self.members(post)) for post in cards)

    def count_between(self, start: int, end: int) -> int:
        """Return the number of posts of a half-open range, in ms."""
        return self._first_from(end) - self._first_from(start)

    def count_on(self, day: int) -> int:
        """Return the number of a day's posts."""
        start, end, may_return = self._range_of(day)
        if not may_return:
            return end - start
        return sum(self._days.day_of(post.at) == day for post in self._posts[start:end])

    def urgent_on(self, day: int) -> frozenset[str]:
        """Return the keys of a day's posts that need action."""
        start, end = self._days.day(day)
        first, last = (bisect_left(self._urgent, at, key=_at) for at in (start, end))
        return frozenset(post.key for post in self._urgent[first:last])

    def all(self) -> list[PlannedPost]:
        """Return all posts, sorted by time."""
        return self._posts.copy()

    @property
    def post_count(self) -> int:
        """Number of posts."""
        return len(self._posts)

    def described(self, post: PlannedPost) -> str:
        """Return the description of a card."""
        return self._describe(self.members(post))

    def days(self) -> list[int]:
        """Return the days with posts, in order."""
        found: set[int] = set()
        position = 0
        while position < len(self._posts):
            day, until = self._days.spell(self._posts[position].at)
            found.add(day)  # a day can appear again if the clock is set back across midnight
            position = bisect_left(self._posts, until, lo=position, key=_at)
        return sorted(found)

    def reset(self, posts: list[PlannedPost], known: TimelineReader) -> None:
        """Replace all posts by a list of them, sorted by time, which belongs to the model from now on.

        ``known`` has them as they are now.
        """
        self.beginResetModel()
        self._known = known
        self._posts = posts
        self._forget()
        self._apart = frozenset(key for key in self._apart if self.get(key) is not None)
        self._rows = CardRows(self._flags(self._posts))
        self._urgent = [post for post in self._posts if post.needs_action]
        self.endResetModel()

    def apply(self, changed: Iterable[PlannedPost], removed: Iterable[str]) -> None:
        """Apply changes to the affected rows and days, and notify of all days together."""
        removed, latest = set(removed), {post.key: post for post in changed}
        gone = {key: old for key in removed if (old := self.get(key)) is not None}
        new = {key: post for key, post in latest.items() if key in gone or self.get(key) != post}
        gone |= {key: old for key in new if (old := self.get(key)) is not None}
        self._rearrange(gone.values(), new.values(), caught_up=removed | latest.keys())

    def touch(self, keys: Iterable[str]) -> None:
        """Repaint posts that look different although they didn't change."""
        posts = self.leads(post for key in keys if (post := self.get(key)) is not None)
        days = {self._days.day_of(post.at) for post in posts}
        if days:
            self.days_changing.emit(days)
            self._tell_altered(posts)
            self.days_changed.emit(days)

    def group_ideas(self, on: bool) -> None:
        """Show the posts of one idea as one card, or each post on its own."""
        if on != self._groups_ideas:
            self._groups_ideas, self._apart = on, frozenset()
            self.reset(self._posts, self._known)

    def can_set_apart(self, post: PlannedPost) -> bool:
        """Whether a post shares its card."""
        return len(self.members(post)) > 1

    def is_apart(self, post: PlannedPost) -> bool:
        """Whether a post has a card for itself although it belongs to an idea."""
        return post.key in self._apart

    def set_apart(self, *posts: PlannedPost) -> None:
        """Give each post of some posts' ideas its own card, until `bring_together`."""
        if posts:
            self._regroup(posts, self._apart.union(*(self.sharing(post.key) for post in posts)))

    def bring_together(self, post: PlannedPost) -> None:
        """Show the posts of an idea that were set apart as one card again."""
        self._regroup([post], self._apart.difference(one.key for one in self._posts_at(post.at)))

    def _regroup(self, posts: Sequence[PlannedPost], apart: frozenset[str]) -> None:
        """Change which posts are set apart at the times of some posts."""
        before = self._cards_at({post.at for post in posts})
        self._apart = apart
        self._change_cards(before, posts, posts)

    def _flags(self, posts: Sequence[PlannedPost]) -> bytearray:
        """Return for each of some posts, sorted by time, whether it leads a card."""
        flags = bytearray(b"\1") * len(posts)
        if self._groups_ideas:
            ties = map(eq, map(_at, posts), islice(map(_at, posts), 1, None))
            for tie in runs(compress(range(len(posts)), ties)):
                moment = posts[tie.start : tie.stop + 1]
                leads = {idea[0].key for idea in self._grouped(moment)}
                if len(leads) < len(moment):
                    flags[tie.start : tie.stop + 1] = bytes(post.key in leads for post in moment)
        return flags

    def _grouped(self, moment: Sequence[PlannedPost]) -> list[Idea]:
        """Return the cards of the posts of one time."""
        apart = [post for post in moment if post.key in self._apart] if self._apart else []
        together = [post for post in moment if post.key not in self._apart] if apart else moment
        return [*by_idea(together), *((post,) for post in apart)]

    def _ideas_at(self, at: int) -> dict[str, Idea]:
        known = self._ideas.get(at)
        if known is None:
            while len(self._ideas) >= _MOST_MOMENTS:
                self._ideas.popitem(last=False)
            moment = self._posts_at(at) if self._groups_ideas else []
            ideas = self._grouped(moment) if len(moment) > 1 else []
            known = {post.key: idea for idea in ideas if len(idea) > 1 for post in idea}
            self._ideas[at] = known
        return known

    def _rearrange(
        self, gone: Collection[PlannedPost], new: Collection[PlannedPost], *, caught_up: Iterable[str]
    ) -> None:
        """Replace posts (as they are now) by others."""
        before = self._cards_at({post.at for post in (*gone, *new)})
        self._known.catch_up(caught_up)
        if gone or new:
            self._change_cards(before, gone, new)

    def _change_cards(
        self, before: dict[str, Idea], gone: Collection[PlannedPost], new: Collection[PlannedPost]
    ) -> None:
        """Replace posts, and change the cards of the moments concerned. ``before`` are those cards."""
        days = {self._days.day_of(post.at) for post in (*gone, *new)}
        moments = {post.at for post in (*gone, *new)}
        self.days_changing.emit(days)
        after = self._cards_with(moments, before, gone, new)

        def stays(lead: PlannedPost) -> bool:
            return (
                lead.key in before and lead.key in after and before[lead.key][0].at == after[lead.key][0].at
            )

        self._remove(idea[0] for idea in before.values() if not stays(idea[0]))
        self._replace(gone, new)
        self._forget(moments)
        self._insert(idea[0] for idea in after.values() if not stays(idea[0]))
        self._tell_altered(idea[0] for key, idea in after.items() if stays(idea[0]) and idea != before[key])
        self.days_changed.emit(days)

    def _cards_at(self, moments: Iterable[int]) -> dict[str, Idea]:
        """Return the cards of some times, by the key of each card's post."""
        return {
            post.key: self.members(post)
            for at in moments
            for post, leads in zip(self._posts_at(at), self._rows.between(*self._span(at)), strict=True)
            if leads
        }

    def _cards_with(
        self,
        moments: Iterable[int],
        before: dict[str, Idea],
        gone: Collection[PlannedPost],
        new: Collection[PlannedPost],
    ) -> dict[str, Idea]:
        """Return the cards that those of some times will be after a change, by the key of their posts."""
        posts = {post.key: post for idea in before.values() for post in idea}
        for post in gone:
            del posts[post.key]
        posts |= {post.key: post for post in new}
        by_time: dict[int, list[PlannedPost]] = {at: [] for at in moments}
        for post in sorted(posts.values(), key=_order):
            by_time[post.at].append(post)
        if not self._groups_ideas:
            return {post.key: (post,) for post in posts.values()}
        return {idea[0].key: idea for moment in by_time.values() for idea in self._grouped(moment)}

    def _replace(self, gone: Collection[PlannedPost], new: Collection[PlannedPost]) -> None:
        """Remove posts and insert others; those that stay in place only change."""
        for post in gone:
            if post.needs_action:
                self._urgent.remove(post)
        for post in new:
            if post.needs_action:
                insort(self._urgent, post, key=_order)
        added = {_order(post): post for post in new}
        for post in gone:
            position = self._position(post)
            if (same := added.pop(_order(post), None)) is not None:
                self._posts[position] = same
            else:
                del self._posts[position]
                self._rows.remove(position)
        for order, post in added.items():
            position = bisect_left(self._posts, order, key=_order)
            self._posts.insert(position, post)
            self._rows.insert(position)

    def _remove(self, cards: Iterable[PlannedPost]) -> None:
        """Remove rows from the last one on, so that earlier rows keep their numbers."""
        positions = {self._rows.row(place): place for place in map(self._position, cards)}
        for rows in reversed(list(runs(sorted(positions)))):
            self.beginRemoveRows(_NO_PARENT, rows.start, rows.stop - 1)
            self._rows.mark(positions[rows.start], positions[rows.stop - 1] + 1, leads=False)
            self.endRemoveRows()

    def _insert(self, cards: Iterable[PlannedPost]) -> None:
        """Insert rows, adjacent ones together."""
        waiting = sorted(map(self._position, cards))
        while waiting:
            row = self._rows.row(waiting[0])
            together = [place for place in waiting if self._rows.row(place) == row]
            del waiting[: len(together)]
            self.beginInsertRows(_NO_PARENT, row, row + len(together) - 1)
            for position in together:
                self._rows.mark(position, position + 1, leads=True)
            self.endInsertRows()

    def _tell_altered(self, cards: Iterable[PlannedPost]) -> None:
        for card in cards:
            index = self.index(self._row(card))
            self.dataChanged.emit(index, index)

    def _forget(self, moments: Iterable[int] | None = None) -> None:
        """Discard what is cached of positions, and of some times or of all."""
        self._ranges.clear()
        if moments is None:
            self._ideas.clear()
            return
        for at in moments:
            self._ideas.pop(at, None)

    def _range_of(self, day: int) -> "_Range":
        """Return the positions of a day's posts; if it may return, with some of its neighbours'."""
        known = self._ranges.get(day)
        if known is None:
            if len(self._ranges) >= _MOST_DAYS:
                self._ranges.clear()
            start, end = self._days.day(day)
            may_return = self._may_return(day)
            margin = DAY_MS if may_return else 0
            first, last = self._first_from(start - margin), self._first_from(end + margin)
            known = self._ranges[day] = _Range(first, last, may_return)
        return known

    def _may_return(self, day: int) -> bool:
        """Whether the clock is set back across a midnight of the day or of a neighbour."""
        changes = map(self._days.change_on, (day - 1, day, day + 1))
        return any(one and one.twice and (not one.start or one.end == MINUTES_PER_DAY) for one in changes)

    def _posts_at(self, at: int) -> list[PlannedPost]:
        start, end = self._span(at)
        return self._posts[start:end]

    def _span(self, at: int) -> tuple[int, int]:
        return self._first_from(at), self._first_from(at + 1)

    def _first_from(self, at: int) -> int:
        return bisect_left(self._posts, at, key=_at)

    def _position(self, post: PlannedPost) -> int:
        return bisect_left(self._posts, _order(post), key=_order)

    def _row(self, post: PlannedPost) -> int:
        return self._rows.row(self._position(post))


class _Range(NamedTuple):
    """The positions of a day's posts from ``start`` to before ``end``; the day may return at midnight."""

    start: int
    end: int
    may_return: bool


class _Glance(Collection[PlannedPost]):
    """The posts that lead a card among the positions from ``start`` to before ``end``."""

    def __init__(self, posts: Sequence[PlannedPost], rows: CardRows, start: int, end: int) -> None:
        self._posts, self._rows = posts, rows
        self._start, self._end = start, end

    def __len__(self) -> int:
        return self._rows.count(self._start, self._end)

    def __iter__(self) -> Iterator[PlannedPost]:
        return map(self._posts.__getitem__, self._rows.leads(self._start, self._end))

    def __contains__(self, post: object) -> bool:
        return any(one == post for one in self)


def runs(numbers: Iterable[int]) -> Iterator[range]:
    """Yield ascending numbers as contiguous ranges."""
    # Reads one number at a time: a list of all would leave 16 MB unused at a million posts.
    start = end = None
    for number in numbers:
        if start is None or number != end:
            if start is not None and end is not None:
                yield range(start, end)
            start = number
        end = number + 1
    if start is not None and end is not None:
        yield range(start, end)
