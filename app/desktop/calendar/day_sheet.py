"""All posts of one day, where its place on the calendar has no room for them."""

from datetime import date
from typing import Protocol

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QHideEvent, QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QListWidgetItem, QVBoxLayout, QWidget

from app.desktop import words
from app.desktop.calendar.agenda_rows import RowPainter
from app.desktop.calendar.day_rows import POST_KEY, ROW_GAP, DayRows, Offer, Press
from app.desktop.calendar.model import PostListModel
from app.desktop.theme import theme
from app.desktop.widgets import Label
from app.desktop.widgets.painting import rounded, shadow
from app.language import tr, trn

_WIDTH = 400
_PADDING = 12
_SHADOW = 32
"""Room around the sheet, in which its shadow lies."""
_MARGINS = QMargins(20, 12, 20, 16)
"""The least room between the sheet and the edges of what it floats over: those of the pane."""
_ROW = 36
_MOST_ROWS = 12


class Carrier(Protocol):
    """Drags posts over the days. Points are those of the screen."""

    def lift(self, key: str, grip: QPoint, pointer: QPoint) -> bool: ...

    def carry(self, pointer: QPoint, modifiers: Qt.KeyboardModifier) -> None: ...

    def put_down(self) -> bool: ...

    def cancel(self) -> bool: ...


class DaySheet(QWidget):
    """The day's posts in rows, as in the agenda. Enter opens one; every key for chosen posts works.

    It is a part of its parent and lies within it. It goes with Esc, with a click beside it, and with the
    focus; posts are dragged out of it onto other days.

    Args:
        day: its ordinal.
        posts: the calendar's posts; the sheet follows them, and goes when the day has none left.
        rows: paints a post.
        now: tells past from future, in milliseconds since 1970 UTC.
        carrier: drags what is pulled out of the sheet.
        parent: what it floats over.
    """

    opened = Signal(str)
    """The key of a post."""
    chosen = Signal(list, str)
    """The keys of the chosen posts, and of the one that the keyboard is at."""

    def __init__(
        self, day: int, posts: PostListModel, rows: RowPainter, now: int, carrier: Carrier, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._day = day
        self._posts = posts
        self._host = parent
        self._carrier = carrier
        self._place = QPoint()
        self._is_away = False
        self.title = Label("", "card", "text2", weight=QFont.Weight.Medium)
        self.list = DayRows(posts, rows, now)
        self.list.itemActivated.connect(self._open)
        self.list.itemSelectionChanged.connect(self._tell_chosen)
        self.list.pulled.connect(self._lift)
        self.list.moved.connect(carrier.carry)
        self.list.released.connect(self._put_down)
        self.list.left.connect(self.close)
        column = QVBoxLayout(self)
        around = _SHADOW + _PADDING
        column.setContentsMargins(around, around, around, around)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.list)
        self.hide()
        self._fill()
        posts.days_changed.connect(self._follow)
        posts.modelReset.connect(self._fill)
        theme.notifier().changed.connect(self.close)  # its rows are painted and laid out for the look before

    def use(self, press: Press, offer: Offer) -> None:
        """Says what does the keys that the list has no use for, and what the menu of a post offers."""
        self.list.press, self.list.offer = press, offer

    def open_at(self, place: QPoint, current: str | None = None) -> None:
        """Opens with its corner at a point of its parent, or near it, so that it lies within.

        ``current`` is the key of the post that the keyboard is at, else the first one.
        """
        keys = self.listed()
        self.list.setCurrentRow(keys.index(current) if current in keys else 0)
        self._tell_chosen()
        self._place = place
        self._fit()
        self.show()
        self.raise_()
        self.list.setFocus()

    @property
    def panel(self) -> QRect:
        """The sheet without its shadow, in its parent."""
        return self.geometry().adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)

    def listed(self) -> list[str]:
        """The posts that are listed."""
        return [str(self.list.item(row).data(POST_KEY)) for row in range(self.list.count())]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stays within the parent, and goes when something beside it is pressed or scrolled."""
        kind = event.type()
        if kind is QEvent.Type.Resize and watched is self._host:
            self._fit()
        elif kind in (QEvent.Type.MouseButtonPress, QEvent.Type.Wheel) and self._is_beside(watched):
            self.close()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """Watches what goes on around it."""
        super().showEvent(event)
        if (app := QApplication.instance()) is not None:
            app.installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Ends a drag whose mouse would no longer be told of, and gives the focus back."""
        super().hideEvent(event)
        if self._is_away:
            self._carrier.cancel()
        if (app := QApplication.instance()) is not None:
            app.removeEventFilter(self)
        if self.list.hasFocus():
            self._host.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc ends a drag, else it closes the sheet."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self._is_away:
            self._carrier.cancel()
            self._come_back()
        else:
            self.close()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame = QRectF(self.rect()).adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)
        radius = theme.current().metrics.radius_panel
        shadow(painter, frame, radius)
        rounded(painter, frame, radius, fill="raised", line="line")

    def _is_beside(self, watched: QObject) -> bool:
        """Whether something is another part of the window; a menu is a window of its own."""
        return (
            isinstance(watched, QWidget)
            and watched.window() is self.window()
            and watched is not self
            and not self.isAncestorOf(watched)
        )

    def _fit(self) -> None:
        """Takes as much of its parent's room as it needs, and lies within."""
        if self._is_away:
            return
        room = self._host.rect() - _MARGINS
        chrome = 2 * _PADDING + 8 + self.title.sizeHint().height()
        rows = min(self.list.count(), _MOST_ROWS) * (theme.current().grown(_ROW) + ROW_GAP)
        width, height = min(theme.current().grown(_WIDTH), room.width()), min(chrome + rows, room.height())
        left = max(room.left(), min(self._place.x(), room.right() + 1 - width))
        top = max(room.top(), min(self._place.y(), room.bottom() + 1 - height))
        self.setGeometry(QRect(left, top, width, height).adjusted(-_SHADOW, -_SHADOW, _SHADOW, _SHADOW))

    def _lift(self, key: str, grip: QPoint, pointer: QPoint) -> None:
        """Steps aside for the drag; hidden it would no longer be told how the mouse moves."""
        if self._carrier.lift(key, grip, pointer):
            self._is_away = True
            self.move(-2 * self.width(), -2 * self.height())

    def _put_down(self) -> None:
        if self._carrier.put_down():
            self.close()
        else:
            self._come_back()

    def _come_back(self) -> None:
        if self._is_away:
            self._is_away = False
            self._fit()

    def _follow(self, days: set[int]) -> None:
        if self._day in days:
            self._fill()

    def _fill(self) -> None:
        """Lists what the day has now; the keyboard stays where it was."""
        posts, row = self._posts.on_day(self._day), max(0, self.list.currentRow())
        on = date.fromordinal(self._day)
        count = trn("{n} post", "{n} posts", len(posts))
        self.title.setText(f"{words.day_long(on)} · {count}")
        self.setAccessibleName(self.title.text())
        self.list.blockSignals(True)
        self.list.clear()
        for post in posts:
            item = QListWidgetItem(post.headline or tr("No text"))
            item.setData(POST_KEY, post.key)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, self._posts.described(post))
            item.setSizeHint(QSize(0, theme.current().grown(_ROW) + ROW_GAP))
            self.list.addItem(item)
        self.list.setCurrentRow(min(row, len(posts) - 1))
        self.list.blockSignals(False)
        self._fit()
        if posts:
            self._tell_chosen()
        else:
            self.close()

    def _open(self, item: QListWidgetItem) -> None:
        key = str(item.data(POST_KEY))
        self.close()
        self.opened.emit(key)

    def _tell_chosen(self) -> None:
        current = self.list.currentItem()
        keys = [str(item.data(POST_KEY)) for item in self.list.selectedItems()]
        if current is not None:
            self.chosen.emit(keys, str(current.data(POST_KEY)))
