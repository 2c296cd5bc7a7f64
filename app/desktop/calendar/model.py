"""The posts of the calendar as one flat list in the order of time, and by day."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.desktop.calendar.days import LocalDays
from app.workspace.posts.planned import PlannedPost

Describe = Callable[[PlannedPost], str]
_NO_PARENT = QModelIndex()


def _order(post: PlannedPost) -> tuple[int, str]:
    return post.at, post.key


class PostListModel(QAbstractListModel):
    """Rows for Qt (accessibility, selection) and days for the painter; both change together.

    A post that moves is removed and inserted: Qt would take a moved row for a reset of everything.
    """

    days_changed = Signal(set)
    """The ordinals of days that look different now; emitted before the rows' own signals."""

    def __init__(self, days: LocalDays, describe: Describe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._days = days
        self._describe = describe
        self._rows: list[PlannedPost] = []
        self._by_key: dict[str, PlannedPost] = {}
        self._by_day: dict[int, list[PlannedPost]] = {}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        """How many posts there are; a post has no rows of its own."""
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The headline, and for screen readers the whole card in words."""
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
        """The row of a post that is there. Raises KeyError."""
        return self._position(self._by_key[key])

    def first_row_from(self, at: int) -> int:
        """The first row at or after an instant; the number of rows when there is none."""
        return bisect_left(self._rows, (at, ""), key=_order)

    def on_day(self, day: int) -> Sequence[PlannedPost]:
        """A day's posts in the order of time."""
        return self._by_day.get(day, ())

    def all(self) -> list[PlannedPost]:
        """Every post in the order of time."""
        return list(self._rows)

    def described(self, post: PlannedPost) -> str:
        """The whole card in words."""
        return self._describe(post)

    def days(self) -> list[int]:
        """The days that have posts, in order."""
        return sorted(self._by_day)

    def reset(self, posts: Iterable[PlannedPost]) -> None:
        """Shows other posts altogether."""
        self.beginResetModel()
        self._rows = sorted(posts, key=_order)
        self._by_key = {post.key: post for post in self._rows}
        self._by_day = {}
        place = self._days.place
        for post in self._rows:
            self._by_day.setdefault(place(post.at).day, []).append(post)
        self.endResetModel()

    def apply(self, changed: Iterable[PlannedPost], removed: Iterable[str]) -> None:
        """Takes over single changes: only the rows and days concerned."""
        for key in removed:
            if (old := self._by_key.get(key)) is not None:
                self._remove(old)
        for post in changed:
            old = self._by_key.get(post.key)
            if old is None:
                self._insert(post)
            elif old.at == post.at:
                self._replace(old, post)
            elif old != post:
                self._remove(old)
                self._insert(post)

    def _replace(self, old: PlannedPost, new: PlannedPost) -> None:
        if old == new:
            return
        row = self._position(old)
        self._rows[row] = self._by_key[new.key] = new
        day = self._days.place(new.at).day
        posts = self._by_day[day]
        posts[bisect_left(posts, _order(old), key=_order)] = new
        self.days_changed.emit({day})
        index = self.index(row)
        self.dataChanged.emit(index, index)

    def _remove(self, post: PlannedPost) -> None:
        row = self._position(post)
        day = self._days.place(post.at).day
        self.days_changed.emit({day})
        self.beginRemoveRows(_NO_PARENT, row, row)
        del self._rows[row]
        del self._by_key[post.key]
        posts = self._by_day[day]
        del posts[bisect_left(posts, _order(post), key=_order)]
        if not posts:
            del self._by_day[day]
        self.endRemoveRows()

    def _insert(self, post: PlannedPost) -> None:
        row = bisect_left(self._rows, _order(post), key=_order)
        day = self._days.place(post.at).day
        self.days_changed.emit({day})
        self.beginInsertRows(_NO_PARENT, row, row)
        self._rows.insert(row, post)
        self._by_key[post.key] = post
        insort(self._by_day.setdefault(day, []), post, key=_order)
        self.endInsertRows()

    def _position(self, post: PlannedPost) -> int:
        return bisect_left(self._rows, _order(post), key=_order)
