"""The calendar's cards, as a flat list sorted by time and by day."""

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from math import inf
from operator import attrgetter, eq

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.desktop.calendar.days import LocalDays
from app.workspace.posts.ideas import Idea, by_idea
from app.workspace.posts.planned import PlannedPost

Describe = Callable[[Idea], str]
"""Describes the posts of one card."""
_NO_PARENT = QModelIndex()

_order: Callable[[PlannedPost], tuple[int, str]] = attrgetter("at", "key")


class PostListModel(QAbstractListModel):
    """Cards as rows for Qt (accessibility, selection) and as days for the painter, which change together.

    A card shows a post, or the posts of one idea; the most urgent of those is the card's post. A card that
    moves is removed and inserted, because Qt would treat a moved row as a reset.
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
        self._rows: list[PlannedPost] = []
        self._by_key: dict[str, PlannedPost] = {}
        """All posts, including those that share a card."""
        self._ideas: dict[str, Idea] = {}
        """The posts of cards that show several, by the key of each."""
        self._apart: frozenset[str] = frozenset()
        """Keys of posts that have a card for themselves although they belong to an idea."""
        self._by_day: dict[int, list[PlannedPost]] = {}
        self._counts: dict[int, int] = {}
        """Numbers of posts on days that were asked for; hundreds a day take longer to count than to paint."""

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
            return self._rows[index.row()].headline
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.described(self._rows[index.row()])
        return None

    def post_at(self, row: int) -> PlannedPost:
        """Return a card's post."""
        return self._rows[row]

    def get(self, key: str) -> PlannedPost | None:
        """Return a post, also if it shares a card."""
        return self._by_key.get(key)

    def members(self, post: PlannedPost) -> Idea:
        """Return the posts that share a post's card, the card's own post first; often it's alone."""
        return self._ideas.get(post.key) or (post,)

    def lead(self, post: PlannedPost) -> PlannedPost:
        """Return the post of the card that shows a post."""
        return self.members(post)[0]

    def leads(self, posts: Iterable[PlannedPost]) -> list[PlannedPost]:
        """Return the posts of the cards that show some posts, each once."""
        return list({lead.key: lead for lead in map(self.lead, posts)}.values())

    def sharing(self, key: str) -> tuple[str, ...]:
        """Return the keys of the posts that share a card, the card's own post first."""
        idea = self._ideas.get(key)
        return (key,) if idea is None else tuple(one.key for one in idea)

    def row_of(self, key: str) -> int:
        """Return the row of a post's card. Raises KeyError."""
        return self._position(self.lead(self._by_key[key]))

    def nearest(self, gone: PlannedPost) -> PlannedPost | None:
        """Return the post that takes the place of a removed one: the next one, or the last."""
        return self._rows[min(self._position(gone), len(self._rows) - 1)] if self._rows else None

    def first_row_from(self, at: int) -> int:
        """Return the first row at or after a moment; the number of rows without one."""
        return bisect_left(self._rows, (at, ""), key=_order)

    def on_day(self, day: int) -> Sequence[PlannedPost]:
        """Return the posts of a day's cards, sorted by time."""
        return self._by_day.get(day, ())

    def count(self, cards: Iterable[PlannedPost]) -> int:
        """Return the number of posts that cards show."""
        return sum(len(self.members(post)) for post in cards)

    def count_on(self, day: int) -> int:
        """Return the number of a day's posts."""
        known = self._counts.get(day)
        if known is None:
            known = self._counts[day] = self.count(self.on_day(day))
        return known

    def all(self) -> list[PlannedPost]:
        """Return all posts, sorted by time."""
        return sorted(self._by_key.values(), key=_order)

    @property
    def post_count(self) -> int:
        """Number of posts."""
        return len(self._by_key)

    def described(self, post: PlannedPost) -> str:
        """Return the description of a card."""
        return self._describe(self.members(post))

    def days(self) -> list[int]:
        """Return the days with posts, in order."""
        return sorted(self._by_day)

    def reset(self, posts: Iterable[PlannedPost]) -> None:
        """Replace all posts."""
        self.beginResetModel()
        in_order = sorted(posts, key=_order)
        self._by_key = {post.key: post for post in in_order}
        self._ideas = {}
        self._apart &= self._by_key.keys()
        self._rows = self._cards(in_order)
        self._by_day, self._counts = {}, {}
        until = -inf
        there: list[PlannedPost] = []
        for post in self._rows:
            if post.at >= until:  # a day can appear again if the clock is set back across midnight
                day, until = self._days.spell(post.at)
                there = self._by_day.setdefault(day, [])
            there.append(post)
        self.endResetModel()

    def apply(self, changed: Iterable[PlannedPost], removed: Iterable[str]) -> None:
        """Apply changes to the affected rows and days, and notify of all days together."""
        gone = {key: old for key in removed if (old := self._by_key.get(key)) is not None}
        latest = {post.key: post for post in changed}
        new = {key: post for key, post in latest.items() if key in gone or self._by_key.get(key) != post}
        gone |= {key: old for key in new if (old := self._by_key.get(key)) is not None}
        if gone or new:
            self._rearrange(gone.values(), new.values())

    def touch(self, keys: Iterable[str]) -> None:
        """Repaint posts that look different although they didn't change."""
        posts = self.leads(post for key in keys if (post := self._by_key.get(key)) is not None)
        days = {self._days.day_of(post.at) for post in posts}
        if days:
            self.days_changing.emit(days)
            self._alter(posts)
            self.days_changed.emit(days)

    def group_ideas(self, on: bool) -> None:
        """Show the posts of one idea as one card, or each post on its own."""
        if on != self._groups_ideas:
            self._groups_ideas, self._apart = on, frozenset()
            self.reset(self._by_key.values())

    def can_set_apart(self, post: PlannedPost) -> bool:
        """Whether a post shares its card."""
        return post.key in self._ideas

    def is_apart(self, post: PlannedPost) -> bool:
        """Whether a post has a card for itself although it belongs to an idea."""
        return post.key in self._apart

    def set_apart(self, *posts: PlannedPost) -> None:
        """Give each post of some posts' ideas its own card, until `bring_together`."""
        if posts:
            self._apart |= {key for post in posts for key in self.sharing(post.key)}
            self._rearrange(posts, posts)

    def bring_together(self, post: PlannedPost) -> None:
        """Show the posts of an idea that were set apart as one card again."""
        there = self._cards_at(post.at)
        self._apart -= {one.key for card in there for one in self.members(card)}
        self._rearrange([post], [post])

    def _cards(self, posts: Sequence[PlannedPost]) -> list[PlannedPost]:
        """Return the posts of the cards for some posts, both sorted by time, and note who shares a card."""
        if not self._groups_ideas:
            return list(posts)
        moments = [post.at for post in posts]
        ties = [place for place, is_tie in enumerate(map(eq, moments, islice(moments, 1, None))) if is_tie]
        cards: list[PlannedPost] = []
        done = 0
        for tie in runs(ties):
            cards += posts[done : tie.start]
            cards += self._grouped(posts[tie.start : tie.stop + 1])
            done = tie.stop + 1
        cards += posts[done:]
        return cards

    def _grouped(self, moment: Sequence[PlannedPost]) -> Sequence[PlannedPost]:
        cards = [post for post in moment if post.key in self._apart]
        together = [post for post in moment if post.key not in self._apart] if cards else moment
        ideas = by_idea(together)
        if len(ideas) == len(moment):
            return moment
        for idea in ideas:
            cards.append(idea[0])
            if len(idea) > 1:
                self._ideas |= dict.fromkeys((post.key for post in idea), idea)
        return sorted(cards, key=_order)

    def _rearrange(self, gone: Collection[PlannedPost], new: Collection[PlannedPost]) -> None:
        """Replace posts (as they are now) by others, and change the cards of the moments concerned."""
        days = {self._days.day_of(post.at) for post in (*gone, *new)}
        self.days_changing.emit(days)
        moments = {post.at for post in (*gone, *new)}
        before = {card.key: card for at in moments for card in self._cards_at(at)}
        shared = {key: self.members(card) for key, card in before.items()}
        posts = {post.key: post for card in before.values() for post in self.members(card)}
        for post in posts.values():
            self._ideas.pop(post.key, None)
        for post in gone:
            del posts[post.key], self._by_key[post.key]
        for post in new:
            posts[post.key] = self._by_key[post.key] = post
        after = {card.key: card for card in self._cards(sorted(posts.values(), key=_order))}

        def stays(card: PlannedPost) -> bool:
            return card.key in before and card.key in after and before[card.key].at == after[card.key].at

        self._alter(
            card
            for key, card in after.items()
            if stays(card) and (card != before[key] or self.members(card) != shared[key])
        )
        self._remove(card for card in before.values() if not stays(card))
        self._insert(card for card in after.values() if not stays(card))
        for day in days:
            self._counts.pop(day, None)
        self.days_changed.emit(days)

    def _cards_at(self, at: int) -> Sequence[PlannedPost]:
        return self._rows[self.first_row_from(at) : self.first_row_from(at + 1)]

    def _alter(self, cards: Iterable[PlannedPost]) -> None:
        """Replace cards whose time didn't change."""
        for new in cards:
            row = self._position(new)
            self._rows[row] = new
            there = self._by_day[self._days.day_of(new.at)]
            there[bisect_left(there, _order(new), key=_order)] = new
            index = self.index(row)
            self.dataChanged.emit(index, index)

    def _remove(self, cards: Iterable[PlannedPost]) -> None:
        """Remove rows from the last one on, so that earlier rows keep their numbers."""
        for rows in reversed(list(runs(sorted(map(self._position, cards))))):
            self.beginRemoveRows(_NO_PARENT, rows.start, rows.stop - 1)
            gone = self._rows[rows.start : rows.stop]
            del self._rows[rows.start : rows.stop]
            for card in gone:
                self._forget(card)
            self.endRemoveRows()

    def _forget(self, card: PlannedPost) -> None:
        day = self._days.day_of(card.at)
        there = self._by_day[day]
        del there[bisect_left(there, _order(card), key=_order)]
        if not there:
            del self._by_day[day]

    def _insert(self, cards: Iterable[PlannedPost]) -> None:
        """Insert rows, adjacent ones together."""
        waiting = sorted(cards, key=_order)
        while waiting:
            row = self._position(waiting[0])
            following = self._rows[row : row + 1]
            end = bisect_left(waiting, _order(following[0]), key=_order) if following else len(waiting)
            together, waiting = waiting[:end], waiting[end:]
            self.beginInsertRows(_NO_PARENT, row, row + end - 1)
            self._rows[row:row] = together
            for card in together:
                insort(self._by_day.setdefault(self._days.day_of(card.at), []), card, key=_order)
            self.endInsertRows()

    def _position(self, post: PlannedPost) -> int:
        return bisect_left(self._rows, _order(post), key=_order)


def runs(numbers: Sequence[int]) -> Iterator[range]:
    """Yield ascending numbers as contiguous ranges."""
    start = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            yield range(numbers[start], numbers[end - 1] + 1)
            start = end
