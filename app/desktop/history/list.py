"""The list of published content, with the names of its columns above."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QWidget

from app.desktop.commands import CommandSet
from app.desktop.history.model import HistoryModel
from app.desktop.history.row import INSET, NAMES, columns, name_font
from app.desktop.theme import theme
from app.desktop.widgets import RowList
from app.language import tr

_HEAD: Final = 34
_OPENS: Final = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class ColumnNames(QWidget):
    """The names of the columns; a screen reader has them with each number.

    ``section`` says whose days the first visible rows are, once their heading is scrolled away.
    """

    def __init__(self, parent: QWidget, section: Callable[[], str]) -> None:
        super().__init__(parent)
        self._section = section

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        places = columns(self.rect())
        painter.setFont(name_font())
        painter.setPen(look.color("text2"))
        middle = Qt.AlignmentFlag.AlignVCenter
        leading = middle | Qt.AlignmentFlag.AlignLeading
        painter.drawText(self._place(places.title), leading, tr("Post"))
        room = QRect(INSET, 0, places.title.left() - INSET - 4, self.height())
        shown = painter.fontMetrics().elidedText(self._section(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(self._place(room), leading, shown)
        for name, box in places.numbers.items():
            painter.drawText(self._place(box), middle | Qt.AlignmentFlag.AlignTrailing, NAMES[name])
        line = QRectF(0, self.height() - 1, self.width(), 1)
        painter.fillRect(line, look.color("line"))

    def _place(self, box: QRect) -> QRect:
        return QStyle.visualRect(self.layoutDirection(), self.rect(), box)


class RecordList(RowList):
    """Rows below headings. Enter opens the post, the menu key what else can be done."""

    opened = Signal()
    menu_wanted = Signal(object)
    """Where a menu is wanted, a QPoint on the screen."""

    def __init__(self, model: HistoryModel) -> None:
        self._names: ColumnNames | None = None  # Qt asks for the geometry before there are any
        super().__init__(model, tr("Published posts, newest first"))
        self._model = model
        self.commands = CommandSet(self, "history")
        self._names = ColumnNames(self, self._scrolled_section)
        self.verticalScrollBar().valueChanged.connect(self._names.update)
        model.modelReset.connect(self._names.update)
        self.setMouseTracking(True)
        theme.follow(self._make_room)

    def choose(self, row: int) -> None:
        """Choose a row; if it's a heading, the next one."""
        while row < self._model.rowCount() and self._model.is_heading(row):
            row += 1
        if row < self._model.rowCount():
            self.setCurrentIndex(self._model.index(row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Enter and the keys of commands; arrows are Qt's."""
        if self.commands.press(event):
            return
        if event.key() in _OPENS and self.currentIndex().isValid():
            self.opened.emit()
            return
        super().keyPressEvent(event)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Home goes to the first record: the first row is a heading."""
        if action == QAbstractItemView.CursorAction.MoveHome and self._model.rowCount() > 1:
            self.scrollToTop()
            return self._model.index(1)
        return super().moveCursor(action, modifiers)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the chosen row."""
        index = self.currentIndex()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
        if index.isValid() and not self._model.is_heading(index.row()):
            self.setCurrentIndex(index)
            is_by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
            below = self.viewport().mapToGlobal(self.visualRect(index).center())
            self.menu_wanted.emit(event.globalPos() if is_by_mouse else below)

    def updateGeometries(self) -> None:
        """Keep the names above the rows, without the scroll bar."""
        super().updateGeometries()
        if self._names is not None:
            area, height = self.viewport().geometry(), theme.current().grown(_HEAD)
            self._names.setGeometry(area.left(), area.top() - height, area.width(), height)

    def _scrolled_section(self) -> str:
        """Return the title of the first visible row's section; empty while its heading shows."""
        row = self.indexAt(QPoint(1, 1)).row()
        return "" if row < 0 or self._model.is_heading(row) else self._model.section(row).title

    def _make_room(self) -> None:
        self.setViewportMargins(0, theme.current().grown(_HEAD), 0, 0)
        self.doItemsLayout()
