"""All posts of one day, where its place on the calendar has no room for them."""

from collections.abc import Callable, Iterable
from datetime import date

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.desktop import words
from app.desktop.calendar.agenda_rows import RowPainter
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.placement import Box
from app.desktop.commands import Command, key_caps
from app.desktop.theme import theme
from app.desktop.widgets import Label, Menu, Popover
from app.desktop.widgets.painting import rounded

_WIDTH = 400
_ROW = 36
_GAP = 3
_MOST_ROWS = 12
_KEY = Qt.ItemDataRole.UserRole

Press = Callable[[QKeyEvent], bool]
Offer = Callable[[], Iterable[Command]]


class DaySheet(Popover):
    """The day's posts in rows, as in the agenda. Enter opens one; every key for chosen posts works.

    Args:
        day: its ordinal.
        posts: the calendar's posts; the sheet follows them, and goes when the day has none left.
        rows: paints a post.
        now: tells past from future, in milliseconds since 1970 UTC.
        parent: what it floats over.
    """

    opened = Signal(str)
    """The key of a post."""
    chosen = Signal(list, str)
    """The keys of the chosen posts, and of the one that the keyboard is at."""

    def __init__(self, day: int, posts: PostListModel, rows: RowPainter, now: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._day = day
        self._posts = posts
        self.title = Label("", "card", "text2", weight=QFont.Weight.Medium)
        self.list = _Rows(posts, rows, now)
        self.list.itemActivated.connect(self._open)
        self.list.itemSelectionChanged.connect(self._tell_chosen)
        self.body.addWidget(self.title)
        self.body.addWidget(self.list)
        self.setFixedWidth(_WIDTH)
        self._fill()
        posts.days_changed.connect(self._follow)
        posts.modelReset.connect(self._fill)

    def use(self, press: Press, offer: Offer) -> None:
        """Says what does the keys that the list has no use for, and what the menu of a post offers."""
        self.list.press, self.list.offer = press, offer

    def open_at(self, place: QPoint, current: str | None = None) -> None:
        """Opens whole on the screen, with a post under the keyboard: that with a key, else the first."""
        keys = self.listed()
        self.list.setCurrentRow(keys.index(current) if current in keys else 0)
        self._tell_chosen()
        self.adjustSize()
        room = self.screen().availableGeometry()
        left = max(room.left(), min(place.x(), room.right() - self.width()))
        top = max(room.top(), min(place.y(), room.bottom() - self.height()))
        self.move(left, top)
        self.show()
        self.list.setFocus()

    def listed(self) -> list[str]:
        """The posts that are listed."""
        return [str(self.list.item(row).data(_KEY)) for row in range(self.list.count())]

    def _follow(self, days: set[int]) -> None:
        if self._day in days:
            self._fill()

    def _fill(self) -> None:
        """Lists what the day has now; the keyboard stays where it was."""
        posts, row = self._posts.on_day(self._day), max(0, self.list.currentRow())
        on = date.fromordinal(self._day)
        self.title.setText(f"{on:%A} {on.day} {on:%B} · {words.counted(len(posts), 'post')}")
        self.setAccessibleName(self.title.text())
        self.list.blockSignals(True)
        self.list.clear()
        for post in posts:
            item = QListWidgetItem(post.headline or "No text")
            item.setData(_KEY, post.key)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, self._posts.described(post))
            item.setSizeHint(QSize(0, _ROW + _GAP))
            self.list.addItem(item)
        self.list.setCurrentRow(min(row, len(posts) - 1))
        self.list.blockSignals(False)
        self.list.setFixedHeight(min(len(posts), _MOST_ROWS) * (_ROW + _GAP))
        if posts:
            self._tell_chosen()
        else:
            self.close()

    def _open(self, item: QListWidgetItem) -> None:
        key = str(item.data(_KEY))
        self.close()
        self.opened.emit(key)

    def _tell_chosen(self) -> None:
        current = self.list.currentItem()
        keys = [str(item.data(_KEY)) for item in self.list.selectedItems()]
        if current is not None:
            self.chosen.emit(keys, str(current.data(_KEY)))


class _Rows(QListWidget):
    """The list; what it does not understand goes to the calendar's commands."""

    def __init__(self, posts: PostListModel, rows: RowPainter, now: int) -> None:
        super().__init__()
        self.press: Press = lambda _event: False
        self.offer: Offer = tuple
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setAccessibleName("Posts of the day")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_RowDelegate(self, posts, rows, now))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Lets the list walk and open; other keys do what they do on the calendar."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        own = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self.itemActivated.emit(self.currentItem())
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right) and plain:
            event.accept()  # there is nothing to the sides
        elif (event.key() in own and plain) or not self.press(event):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offers what can be done with the chosen posts."""
        menu = Menu(self)
        for command in self.offer():
            keys = "+".join(key_caps(command.all_keys[0])) if command.all_keys else ""
            menu.add(f"{command.name}\t{keys}", command.run, enabled=command.enabled())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())


class _RowDelegate(QStyledItemDelegate):
    """Paints posts as the agenda does, and a ring around the chosen ones."""

    def __init__(self, parent: QWidget, posts: PostListModel, rows: RowPainter, now: int) -> None:
        super().__init__(parent)
        self._posts, self._rows, self._now = posts, rows, now

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paints one row."""
        post = self._posts.get(str(index.data(_KEY)))
        if post is None:
            return
        area = option.rect.adjusted(1, 1, -1, -_GAP)
        self._rows.paint(painter, post, Box(area.x(), area.y(), area.width(), area.height()), self._now)
        if option.state & QStyle.StateFlag.State_Selected:
            radius = theme.current().metrics.radius_card
            rounded(painter, QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), radius, line="accent", width=2)
