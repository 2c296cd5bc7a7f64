"""The calendar's posts, as a flat list sorted by time and by day; and the selection."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from math import inf
from operator import attrgetter

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView

from app.contract.enums import PostType
from app.desktop import words
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.desktop.calendar.planner import Planner
from app.desktop.warnings.wording import spoken
from app.language import tr
from app.workspace.posts.planned import PlannedPost

Describe = Callable[[PlannedPost], str]
_NO_PARENT = QModelIndex()
_FILES = {PostType.IMAGE: tr("1 image"), PostType.VIDEO: tr("1 video")}


_order: Callable[[PlannedPost], tuple[int, str]] = attrgetter("at", "key")


class PostListModel(QAbstractListModel):
    """Rows for Qt (accessibility, selection) and days for the painter, which change together.

    A post that moves is removed and inserted, because Qt would treat a moved row as a reset.
    """

    days_changing = Signal(set)
    """Ordinals of days whose layouts are no longer valid; the rows' signals follow."""
    days_changed = Signal(set)
    """The same days, once all rows are in place and can be read."""

    def __init__(self, days: LocalDays, describe: Describe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._days = days
        self._describe = describe
        self._rows: list[PlannedPost] = []
        self._by_key: dict[str, PlannedPost] = {}
        self._by_day: dict[int, list[PlannedPost]] = {}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        """Return the number of posts; a post has no child rows."""
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
            return self._describe(self._rows[index.row()])
        return None

    def post_at(self, row: int) -> PlannedPost:
        return self._rows[row]

    def get(self, key: str) -> PlannedPost | None:
        return self._by_key.get(key)

    def row_of(self, key: str) -> int:
        """Return the row of a post. Raises KeyError."""
        return self._position(self._by_key[key])

    def nearest(self, gone: PlannedPost) -> PlannedPost | None:
        """Return the post that takes the place of a removed one: the next one, or the last."""
        return self._rows[min(self._position(gone), len(self._rows) - 1)] if self._rows else None

    def first_row_from(self, at: int) -> int:
        """Return the first row at or after a moment; the number of rows if there is none."""
        return bisect_left(self._rows, (at, ""), key=_order)

    def on_day(self, day: int) -> Sequence[PlannedPost]:
        """Return a day's posts, sorted by time."""
        return self._by_day.get(day, ())

    def all(self) -> list[PlannedPost]:
        """Return all posts, sorted by time."""
        return list(self._rows)

    def described(self, post: PlannedPost) -> str:
        """Return the description of a card."""
        return self._describe(post)

    def days(self) -> list[int]:
        """Return the days with posts, in order."""
        return sorted(self._by_day)

    def reset(self, posts: Iterable[PlannedPost]) -> None:
        """Replace all posts."""
        self.beginResetModel()
        self._rows = sorted(posts, key=_order)
        self._by_key = {post.key: post for post in self._rows}
        self._by_day = {}
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
        leaving = {key: old for key in removed if (old := self._by_key.get(key)) is not None}
        arriving: list[PlannedPost] = []
        altered: list[PlannedPost] = []
        for post in changed:
            old = None if post.key in leaving else self._by_key.get(post.key)
            if old is not None and old.at == post.at:
                altered += [post] if old != post else []
                continue
            if old is not None:
                leaving[post.key] = old
            arriving.append(post)
        day_of = self._days.day_of
        days = {day_of(post.at) for post in (*leaving.values(), *arriving, *altered)}
        if days:
            self.days_changing.emit(days)
            self._alter(altered)
            self._remove(leaving.values())
            self._insert(arriving)
            self.days_changed.emit(days)

    def touch(self, keys: Iterable[str]) -> None:
        """Repaint posts that look different although they didn't change."""
        posts = [post for key in keys if (post := self._by_key.get(key)) is not None]
        days = {self._days.day_of(post.at) for post in posts}
        if days:
            self.days_changing.emit(days)
            self._alter(posts)
            self.days_changed.emit(days)

    def _alter(self, posts: Iterable[PlannedPost]) -> None:
        """Replace posts whose time didn't change."""
        for new in posts:
            row = self._position(new)
            self._rows[row] = self._by_key[new.key] = new
            there = self._by_day[self._days.day_of(new.at)]
            there[bisect_left(there, _order(new), key=_order)] = new
            index = self.index(row)
            self.dataChanged.emit(index, index)

    def _remove(self, posts: Iterable[PlannedPost]) -> None:
        """Remove rows from the last one on, so that earlier rows keep their numbers."""
        for rows in reversed(list(runs(sorted(map(self._position, posts))))):
            self.beginRemoveRows(_NO_PARENT, rows.start, rows.stop - 1)
            gone = self._rows[rows.start : rows.stop]
            del self._rows[rows.start : rows.stop]
            for post in gone:
                self._forget(post)
            self.endRemoveRows()

    def _forget(self, post: PlannedPost) -> None:
        del self._by_key[post.key]
        day = self._days.day_of(post.at)
        there = self._by_day[day]
        del there[bisect_left(there, _order(post), key=_order)]
        if not there:
            del self._by_day[day]

    def _insert(self, posts: Iterable[PlannedPost]) -> None:
        """Insert rows, adjacent ones together."""
        waiting = sorted(posts, key=_order)
        while waiting:
            row = self._position(waiting[0])
            following = self._rows[row : row + 1]
            end = bisect_left(waiting, _order(following[0]), key=_order) if following else len(waiting)
            together, waiting = waiting[:end], waiting[end:]
            self.beginInsertRows(_NO_PARENT, row, row + end - 1)
            self._rows[row:row] = together
            for post in together:
                self._by_key[post.key] = post
                insort(self._by_day.setdefault(self._days.day_of(post.at), []), post, key=_order)
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


_MOST_MIRRORED = 200
"""Maximum number of selected posts mirrored to Qt's selection."""


class Selection(QObject):
    """Keys of selected posts. The view paints them and mirrors them to Qt's selection for screen readers."""

    changed = Signal(object)
    """The keys whose look changed, as a frozenset."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.keys: frozenset[str] = frozenset()
        self.current: str | None = None
        self.day: int | None = None
        """The day without posts that the keyboard is on, as an ordinal."""

    def go_to_day(self, day: int) -> None:
        """Deselect all posts, and go to a day without any."""
        before = self.keys | ({self.current} if self.current else frozenset())
        self.keys, self.current, self.day = frozenset(), None, day
        self.changed.emit(before)

    def choose(self, keys: Iterable[str], current: str | None = None) -> None:
        """Select exactly these; ``current`` is one of them, or None."""
        chosen = frozenset(keys)
        before = self.keys | ({self.current} if self.current else frozenset())
        if chosen == self.keys and current == self.current and (self.day is None or current is None):
            return
        self.day = None if current is not None else self.day
        after = chosen | ({current} if current else frozenset())
        self.keys, self.current = chosen, current
        self.changed.emit(before | after)

    def toggle(self, key: str) -> None:
        """Select or deselect a post."""
        self.choose(self.keys ^ {key}, key)

    def keep_only(self, existing: Iterable[str]) -> None:
        """Deselect posts that no longer exist."""
        there = set(existing)
        current = self.current if self.current in there else None
        self.choose(self.keys & there, current)


def mirror_selection(view: QAbstractItemView, posts: PostListModel, selection: Selection) -> None:
    """Copy our selection to Qt's, for screen readers."""
    chosen = QItemSelection()
    there = [key for key in sorted(selection.keys)[:_MOST_MIRRORED] if posts.get(key) is not None]
    for rows in runs(sorted(map(posts.row_of, there))):
        chosen.select(posts.index(rows.start), posts.index(rows.stop - 1))
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().select(chosen, flags.ClearAndSelect)
    current = selection.current
    if selection.day is not None:
        view.selectionModel().clearCurrentIndex()
    elif current is not None and posts.get(current) is not None:
        view.selectionModel().setCurrentIndex(posts.index(posts.row_of(current)), flags.NoUpdate)


class CardWords:
    """Describes cards. ``clock`` returns the time in ms since 1970 UTC."""

    def __init__(self, workspace: Planner, days: LocalDays, clock: Callable[[], int]) -> None:
        self._workspace = workspace
        self._days = days
        self._clock = clock

    def describe(self, post: PlannedPost) -> str:
        """Return the description of a card."""
        moment = datetime.fromtimestamp(post.at / 1_000, self._days.zone)
        account = self._workspace.accounts.get(post.account_key)
        platform = words.platform_name(post.platform)
        platform = words.marked(platform, account) if account is not None else platform
        named = account and tr("{account} on {platform}", account=account.name, platform=platform)
        facts = [
            post.headline or tr("No text"),
            f"{words.day_long(moment)} {self._days.clock(post.at)}",
            named or platform,
            STATUS_WORDS[look_of(post, self._clock())],
            _FILES.get(post.post_type, ""),
            post.reason,
            spoken(self._workspace.warnings.about(post.key)),
        ]
        return ", ".join(fact for fact in facts if fact)
