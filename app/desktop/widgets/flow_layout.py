"""A layout that sets widgets in lines, like words."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget

from app.desktop.widgets.label import Divider


class FlowLayout(QLayout):
    """Lines of widgets in reading direction, `gap` pixels apart; the lines, too, or `line_gap`.

    A divider takes no room at the end of a line: what it divides stands on two lines there.
    """

    def __init__(self, parent: QWidget, gap: int = 8, line_gap: int | None = None) -> None:
        """``parent``: a widget of its own. Within another layout Qt asks for items that Python let go."""
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap, self._line_gap = gap, gap if line_gap is None else line_gap
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802 - Qt's
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), place=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, place=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802 - Qt's
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size.grownBy(margins)

    def _arrange(self, rect: QRect, *, place: bool) -> int:
        """Return the height that the lines need in the width of `rect`, and set them there when `place`."""
        area = rect.marginsRemoved(self.contentsMargins())
        corner, line_height = area.topLeft(), 0
        for number, item in enumerate(self._items):
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if isinstance(item.widget(), Divider) and not self._has_room_behind(number, corner.x(), area):
                item.setGeometry(QRect(QPoint(-size.width(), -size.height()), size))  # out of sight
                continue
            if corner.x() > area.x() and corner.x() + size.width() > area.right() + 1:
                corner = QPoint(area.x(), corner.y() + line_height + self._line_gap)
                line_height = 0
            if place:
                owner = self.parentWidget()
                direction = owner.layoutDirection() if owner else Qt.LayoutDirection.LeftToRight
                item.setGeometry(QStyle.visualRect(direction, area, QRect(corner, size)))
            corner += QPoint(size.width() + self._gap, 0)
            line_height = max(line_height, size.height())
        return corner.y() + line_height - rect.y() + self.contentsMargins().bottom()

    def _has_room_behind(self, number: int, x: int, area: QRect) -> bool:
        """Whether the item after one that begins at `x` stands on the same line."""
        following = next((item for item in self._items[number + 1 :] if not item.isEmpty()), None)
        if following is None or x == area.x():
            return False
        width = self._items[number].sizeHint().width() + self._gap + following.sizeHint().width()
        return x + width <= area.right() + 1
