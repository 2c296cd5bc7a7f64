"""A sheet with all posts of one day, for days that can't show all of theirs."""

from collections.abc import Callable, Iterable
from datetime import date
from typing import Protocol

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QMargins,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.desktop import words
from app.desktop.calendar.agenda import RowPainter
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.placement import Box
from app.desktop.commands import Command
from app.desktop.theme import theme
from app.desktop.widgets import Label, Menu
from app.desktop.widgets.keyed_list import KEY, KeyedList
from app.desktop.widgets.painting import shadow
from app.language import tr, trn
from app.workspace.posts.planned import PlannedPost

ROW_GAP = 3
_PASSING = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)
"""Reasons of a focus change after which the focus returns."""

Press = Callable[[QKeyEvent], bool]
Offer = Callable[[], Iterable[Command]]


class DayRows(KeyedList):
    """The list; it passes unknown keys to the calendar's commands."""

    pulled = Signal(str, QPoint, QPoint)
    """A drag has started: the post's key, the grip in its row, and the pointer on the screen."""
    moved = Signal(QPoint, Qt.KeyboardModifier)
    """The pointer of a drag on the screen, and the pressed modifier keys."""
    released = Signal()
    """The end of a drag."""
    left = Signal()
    """The focus has moved elsewhere."""

    def __init__(self, posts: PostListModel, rows: RowPainter, now: int) -> None:
        super().__init__()
        self.press: Press = lambda _event: False
        self.offer: Offer = tuple
        self._pressed_key, self._pressed, self._grip = "", QPoint(), QPoint()
        self._pulls = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setAccessibleName(tr("Posts of the day"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragEnabled(True)
        self.setItemDelegate(_RowDelegate(self, posts, rows, now))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the list navigate and open; other keys act like in the calendar."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        own = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self.itemActivated.emit(self.currentItem())
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right) and plain:
            event.accept()  # a list has nothing on its sides
        elif (event.key() in own and plain) or not self.press(event):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu of the selected posts."""
        menu = Menu(self)
        menu.add_commands(self.offer())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Emit that the focus has moved elsewhere."""
        super().focusOutEvent(event)
        if event.reason() not in _PASSING:
            self.left.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember what a drag would begin with: the rows may change before it does."""
        self._pressed = event.position().toPoint()
        item = self.itemAt(self._pressed)
        self._pressed_key = str(item.data(KEY)) if item is not None else ""
        self._grip = self._pressed - self.visualItemRect(item).topLeft() if item is not None else QPoint()
        super().mousePressEvent(event)

    def startDrag(self, actions: Qt.DropAction) -> None:  # noqa: N802 - Qt's
        """Let the calendar drag the post, which shows its time; Qt's own drag only shows a picture."""
        del actions
        if self._pressed_key in self.listed():
            self._pulls = True
            self.pulled.emit(self._pressed_key, self._grip, self.viewport().mapToGlobal(self._pressed))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report a drag's moves."""
        if self._pulls:
            self.moved.emit(event.globalPosition().toPoint(), event.modifiers())
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag where the button was released: a fast drag may cause no move event there."""
        if self._pulls:
            self._pulls = False
            self.moved.emit(event.globalPosition().toPoint(), event.modifiers())
            self.released.emit()
        else:
            super().mouseReleaseEvent(event)


class _RowDelegate(QStyledItemDelegate):
    """Paints posts like the agenda does, with a ring around selected ones."""

    def __init__(self, parent: QWidget, posts: PostListModel, rows: RowPainter, now: int) -> None:
        super().__init__(parent)
        self._posts, self._rows, self._now = posts, rows, now

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one row."""
        post = self._posts.get(str(index.data(KEY)))
        if post is None:
            return
        area = option.rect.adjusted(1, 1, -1, -ROW_GAP)
        box = Box(area.x(), area.y(), area.width(), area.height())
        self._rows.paint(painter, post, box, self._now)
        if option.state & QStyle.StateFlag.State_Selected:
            self._rows.paint_ring(painter, post, box, self._now)


_WIDTH = 320
_PADDING = 12
_NIB = 8
"""Length of the nib that points at the day, and half its width."""
_SHADOW = 32
"""Space around the sheet for its shadow."""
_MARGINS = QMargins(20, 12, 20, 16)
"""Minimum distance between the sheet and the edges of the pane it floats over."""
_ROW = 36
_MOST_ROWS = 12


class Carrier(Protocol):
    """Drags posts over the days. Points are in screen coordinates."""

    def lift(self, key: str, grip: QPoint, pointer: QPoint) -> bool: ...

    def carry(self, pointer: QPoint, modifiers: Qt.KeyboardModifier) -> None: ...

    def put_down(self) -> bool: ...

    def cancel(self) -> bool: ...


class DaySheet(QWidget):
    """The day's posts in rows, as in the agenda. Enter opens one; all shortcuts for selected posts work.

    It floats inside its parent. Esc, a click outside and a loss of focus close it. Posts can be dragged from
    it onto other days.

    Args:
        day: its ordinal.
        posts: the calendar's posts; the sheet follows them, and closes when the day has none left.
        rows: paints a post.
        now: separates past and future, in ms since 1970 UTC.
        carrier: drags posts out of the sheet.
        parent: the widget it floats over.
    """

    opened = Signal(str)
    """The key of a post."""
    chosen = Signal(list, str)
    """The keys of the selected posts, and of the current one."""

    def __init__(
        self, day: int, posts: PostListModel, rows: RowPainter, now: int, carrier: Carrier, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._day = day
        self._posts = posts
        self._host = parent
        self._carrier = carrier
        self._anchor = QRect()
        self._nib: QPoint | None = None
        """The tip of the nib, in the parent; None where the sheet covers the day."""
        self._is_away = False
        self.title = Label("", "heading")
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
        theme.notifier().changed.connect(self.close)  # its rows are laid out for the previous theme

    def use(self, press: Press, offer: Offer) -> None:
        """Set the handler of keys that the list doesn't use, and the menu of posts."""
        self.list.press, self.list.offer = press, offer

    def open_by(self, anchor: QRect, current: str | None = None) -> None:
        """Open next to a rectangle of its parent, within the parent; over it if it doesn't fit.

        ``current`` is the key of the post to make current, by default the first one.
        """
        keys = self.listed()
        self.list.setCurrentRow(keys.index(current) if current in keys else 0)
        self._tell_chosen()
        self._anchor = anchor
        self._fit()
        self.show()
        self.raise_()
        self.list.setFocus()

    @property
    def panel(self) -> QRect:
        """The sheet's rectangle without its shadow, in its parent."""
        return self.geometry().adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)

    def listed(self) -> list[str]:
        """The listed posts."""
        return self.list.listed()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay within the parent, and close when something outside is pressed or scrolled."""
        kind = event.type()
        if kind is QEvent.Type.Resize and watched is self._host:
            self._fit()
        elif kind in (QEvent.Type.MouseButtonPress, QEvent.Type.Wheel) and self._is_beside(watched):
            self.close()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """Watch for events around it."""
        super().showEvent(event)
        if (app := QApplication.instance()) is not None:
            app.installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """End a drag, because its mouse events would no longer arrive, and return the focus."""
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
        outline = QPainterPath()
        outline.addRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        if self._nib is not None:
            tip = QPointF(self._nib - self.pos())
            base = frame.left() + 1 if tip.x() < frame.left() else frame.right() - 1
            corners = QPointF(base, tip.y() - _NIB), QPointF(base, tip.y() + _NIB)
            nib = QPainterPath()
            nib.addPolygon(QPolygonF([tip, *corners, tip]))
            outline = outline.united(nib)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.current().color("line")))
        painter.setBrush(theme.current().color("raised"))
        painter.drawPath(outline)

    def _is_beside(self, watched: QObject) -> bool:
        """Whether a widget is another part of the window; a menu is a separate window."""
        return (
            isinstance(watched, QWidget)
            and watched.window() is self.window()
            and watched is not self
            and not self.isAncestorOf(watched)
        )

    def _fit(self) -> None:
        """Take the space it needs within its parent."""
        if self._is_away:
            return
        room = self._host.rect() - _MARGINS
        chrome = 2 * _PADDING + 8 + self.title.sizeHint().height()
        rows = min(self.list.count(), _MOST_ROWS) * (theme.current().grown(_ROW) + ROW_GAP)
        width, height = min(theme.current().grown(_WIDTH), room.width()), min(chrome + rows, room.height())
        left, tip = self._beside_anchor(width, room)
        around, middle = theme.current().metrics.radius_panel + _NIB, self._anchor.center().y()
        top = min(self._anchor.top(), middle - around)
        top = max(room.top(), min(top, room.bottom() + 1 - height))
        panel = QRect(left, top, width, height)
        points_at = max(panel.top() + around, min(middle, panel.bottom() - around))
        self._nib = None if tip is None else QPoint(tip, points_at)
        self.setGeometry(panel.adjusted(-_SHADOW, -_SHADOW, _SHADOW, _SHADOW))
        self.update()

    def _beside_anchor(self, width: int, room: QRect) -> tuple[int, int | None]:
        """Return the left edge and the tip of the nib; None if the sheet has to cover the anchor."""
        right, left = self._anchor.right() + 1, self._anchor.left()
        if room.left() <= right and right + _NIB + width <= room.right() + 1:
            return right + _NIB, right
        if left <= room.right() + 1 and left - _NIB - width >= room.left():
            return left - _NIB - width, left
        return max(room.left(), min(left, room.right() + 1 - width)), None

    def _lift(self, key: str, grip: QPoint, pointer: QPoint) -> None:
        """Move out of the way of the drag. Hidden, it would get no more mouse events."""
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
        """List the day's posts, and keep the current one, or else its row."""
        posts = self._posts.on_day(self._day)
        on, current, row = date.fromordinal(self._day), self.list.current_key(), self.list.currentRow()
        count = trn("{n} post", "{n} posts", self._posts.count(posts))
        self.title.setText(f"{words.day_long(on)} · {count}")
        self.setAccessibleName(self.title.text())
        with QSignalBlocker(self.list):
            self.list.list_items({post.key: post for post in posts}, self._show)
            if current not in self.listed():
                near, only_go = min(max(0, row), len(posts) - 1), QItemSelectionModel.SelectionFlag.NoUpdate
                self.list.setCurrentRow(near, only_go)  # commands don't change what the user hasn't chosen
        self._fit()
        if posts:
            self._tell_chosen()
        else:
            self.close()

    def _show(self, item: QListWidgetItem, post: PlannedPost) -> None:
        item.setSizeHint(QSize(0, theme.current().grown(_ROW) + ROW_GAP))
        item.setText(post.headline or tr("No text"))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, self._posts.described(post))

    def _open(self, item: QListWidgetItem) -> None:
        key = str(item.data(KEY))
        self.close()
        self.opened.emit(key)

    def _tell_chosen(self) -> None:
        current = self.list.currentItem()
        keys = [str(item.data(KEY)) for item in self.list.selectedItems()]
        if current is not None:
            self.chosen.emit(keys, str(current.data(KEY)))
