"""The rows of the sheet of a day's posts."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.desktop.calendar.agenda_rows import RowPainter
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.placement import Box
from app.desktop.commands import Command, key_caps
from app.desktop.widgets import Menu
from app.desktop.widgets.item_view import ListWidget
from app.language import tr

POST_KEY = Qt.ItemDataRole.UserRole
ROW_GAP = 3
_PASSING = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)
"""Reasons for which the focus goes and comes back."""

Press = Callable[[QKeyEvent], bool]
Offer = Callable[[], Iterable[Command]]


class DayRows(ListWidget):
    """The list; what it does not understand goes to the calendar's commands."""

    pulled = Signal(str, QPoint, QPoint)
    """A post is dragged: its key, where in its row it is held, and where the pointer is on the screen."""
    moved = Signal(QPoint, Qt.KeyboardModifier)
    """The pointer of a drag on the screen, and what is held down on the keyboard."""
    released = Signal()
    """The end of a drag."""
    left = Signal()
    """The focus has gone elsewhere for good."""

    def __init__(self, posts: PostListModel, rows: RowPainter, now: int) -> None:
        super().__init__()
        self.press: Press = lambda _event: False
        self.offer: Offer = tuple
        self._pressed = QPoint()
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

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tells when the person has turned to something else."""
        super().focusOutEvent(event)
        if event.reason() not in _PASSING:
            self.left.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remembers where a drag would begin."""
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def startDrag(self, actions: Qt.DropAction) -> None:  # noqa: N802 - Qt's
        """Has the calendar drag the post, which shows its time; Qt would only carry a picture."""
        del actions
        item = self.itemAt(self._pressed)
        if item is not None:
            self._pulls = True
            grip = self._pressed - self.visualItemRect(item).topLeft()
            self.pulled.emit(str(item.data(POST_KEY)), grip, self.viewport().mapToGlobal(self._pressed))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tells of a drag."""
        if self._pulls:
            self.moved.emit(event.globalPosition().toPoint(), event.modifiers())
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ends a drag where the button was let go: a quick hand is not seen to move there."""
        if self._pulls:
            self._pulls = False
            self.moved.emit(event.globalPosition().toPoint(), event.modifiers())
            self.released.emit()
        else:
            super().mouseReleaseEvent(event)


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
        post = self._posts.get(str(index.data(POST_KEY)))
        if post is None:
            return
        area = option.rect.adjusted(1, 1, -1, -ROW_GAP)
        box = Box(area.x(), area.y(), area.width(), area.height())
        self._rows.paint(painter, post, box, self._now)
        if option.state & QStyle.StateFlag.State_Selected:
            self._rows.paint_ring(painter, post, box, self._now)
