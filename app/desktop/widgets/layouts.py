"""Layouts: responsive columns, widgets that wrap like words, and emptying a layout."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLayout, QLayoutItem, QStyle, QWidget

from app.desktop.widgets.label import Divider

_SLACK = 12
"""What columns want beyond their least to come back: else a scroll bar would drive them out again."""


_UNBOUND = 16_777_215
"""Qt's maximum height of a widget."""


@dataclass(frozen=True, slots=True)
class _Part:
    widget: QWidget
    row: int
    column: int
    rows: int
    align: Qt.AlignmentFlag

    def is_beside(self, other: "_Part") -> bool:
        """Whether another part is in one of its rows."""
        return other is not self and self.row < other.row + other.rows and other.row < self.row + self.rows


class Reflow(QWidget):
    """A grid while its columns have enough space; otherwise a column, in the order of adding.

    In the grid, a part that is alone in its row spans it.

    Args:
        shares: how the columns divide the width.
        row_shares: how the rows divide the height; in one column the last part takes the rest.
        gap: between parts, in logical pixels.
    """

    def __init__(self, shares: Sequence[int], row_shares: Sequence[int] = (1,), gap: int = 12) -> None:
        super().__init__()
        self._shares, self._row_shares = shares, row_shares
        self._parts: list[_Part] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(gap)
        self._grid.setSizeConstraint(QGridLayout.SizeConstraint.SetNoConstraint)  # it may get narrower
        self._is_stacked = False
        self._placed: tuple[bool, list[_Part]] = (False, [])

    def add(
        self,
        widget: QWidget,
        row: int,
        column: int,
        rows: int = 1,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag(0),  # noqa: B008  a value, not a call
    ) -> None:
        """Add a part at its place in the grid; it fills its cell unless ``align`` places it there."""
        self._parts.append(_Part(widget, row, column, rows, align))
        self._place()

    @property
    def is_stacked(self) -> bool:
        """Whether the parts are below each other."""
        return self._is_stacked

    def minimumSizeHint(self) -> QSize:
        """As narrow as the widest part, and as high as now."""
        margins = self.contentsMargins()
        widest = max((_least_width(one.widget) for one in self._shown()), default=0)
        height = self._grid.totalMinimumSize().height()
        return QSize(widest + margins.left() + margins.right(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def _arrange(self) -> None:
        if not self.isVisible():  # what was never shown has no width of its own yet
            return
        wanted = self._least_for_columns() + (_SLACK if self._is_stacked else 0)
        self._is_stacked = self.contentsRect().width() < wanted
        if self._placed != (self._is_stacked, self._shown()):
            self._place()
            self._grid.activate()  # at once, not with the next event: nothing is to be painted in between
            self.updateGeometry()

    def _least_for_columns(self) -> int:
        widest = [0] * len(self._shares)
        for one in self._shown():
            widest[one.column] = max(widest[one.column], _least_width(one.widget))
        return sum(widest) + self._grid.horizontalSpacing() * (len(widest) - 1)

    def _place(self) -> None:
        shown = self._shown()
        self._placed = self._is_stacked, shown
        for one in self._parts:
            self._grid.removeWidget(one.widget)
        for number, one in enumerate(self._parts):
            if self._is_stacked:
                self._grid.addWidget(one.widget, number, 0)
            else:
                beside = any(one.is_beside(other) for other in shown)
                columns = 1 if beside else len(self._shares) - one.column
                self._grid.addWidget(one.widget, one.row, one.column, one.rows, columns, one.align)
        self._share(shown)

    def _share(self, shown: list[_Part]) -> None:
        """Divide the space: an empty column gets none; in one column the last part takes the rest."""
        columns = {0} if self._is_stacked else {one.column for one in shown}
        for column, share in enumerate(self._shares):
            self._grid.setColumnStretch(column, share if column in columns else 0)
        last = len(self._parts) - 1
        for row in range(max(last + 1, len(self._row_shares))):
            usual = self._row_shares[row] if row < len(self._row_shares) else 0
            self._grid.setRowStretch(row, int(row == last) if self._is_stacked else usual)

    def _shown(self) -> list[_Part]:
        return [one for one in self._parts if not one.widget.isHidden()]


def _least_width(widget: QWidget) -> int:
    return max(widget.minimumWidth(), widget.minimumSizeHint().width())


def keep_room(widget: QWidget, is_kept: bool) -> None:
    """Set whether a layout leaves the widget's room empty while it's hidden."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(is_kept)
    widget.setSizePolicy(policy)


def line_of(*parts: QWidget | None, gap: int = 8, least: int = 0) -> QWidget:
    """Return parts in a row as one part; None takes the remaining space. ``least``: the minimum height."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(gap)
    row.addStrut(least)
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    return holder


def ends_of(start: QWidget, *far: QWidget, gap: int = 8, always: bool = False) -> QWidget:
    """Return a part at the start of a row and others at its end; the others wrap if the row is too narrow.

    ``always``: they're at the end of the next line, too, as the buttons of a sheet or a panel are.
    """
    holder = QWidget()
    row = FlowLayout(holder, gap)
    row.addWidget(start)
    row.add_far(*far, always=always)
    return holder


class FlowLayout(QLayout):
    """Lines of widgets in reading direction, `gap` pixels apart, and `line_gap` between lines.

    A widget that is wider than a line gets the whole line. A divider takes no space at the end of a line:
    what it divides is on two lines there.
    """

    def __init__(self, parent: QWidget, gap: int = 8, line_gap: int | None = None) -> None:
        """``parent``: its own widget. Inside another layout, Qt would use items that Python has deleted."""
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap, self._line_gap = gap, gap if line_gap is None else line_gap
        self._far_from: int | None = None
        self._is_always_far = False
        self.setContentsMargins(0, 0, 0, 0)

    def add_far(self, *widgets: QWidget, always: bool = False) -> None:
        """Add widgets at the far end of the line; without room for all of them, they begin the next line.

        ``always``: they're at the far end of that line.
        """
        self._far_from, self._is_always_far = len(self._items), always
        for widget in widgets:
            self.addWidget(widget)

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
        """Return the height of the lines at the width of `rect`, and place them if `place`."""
        area = rect.marginsRemoved(self.contentsMargins())
        lines, top = self._lines(area.width()), area.y()
        if place:
            self._hide_dividers()
        for line in lines:
            height = max((item.sizeHint().height() for _x, item in line), default=0)
            if place:
                self._place(line, QRect(area.x(), top, area.width(), height))
            top += height + self._line_gap
        return top - self._line_gap - rect.y() + self.contentsMargins().bottom()

    def _place(self, line: list[tuple[int, QLayoutItem]], area: QRect) -> None:
        """Place the items of a line in its middle."""
        owner = self.parentWidget()
        direction = owner.layoutDirection() if owner else Qt.LayoutDirection.LeftToRight
        for x, item in line:
            size = item.sizeHint().boundedTo(QSize(area.width(), _UNBOUND))
            corner = QPoint(area.x() + x, area.y() + (area.height() - size.height()) // 2)
            item.setGeometry(QStyle.visualRect(direction, area, QRect(corner, size)))

    def _lines(self, width: int) -> list[list[tuple[int, QLayoutItem]]]:
        """Return the items of each line, with their distance from its start."""
        lines: list[list[tuple[int, QLayoutItem]]] = [[]]
        far, x = self._far(), 0
        for number, item in enumerate(self._items):
            size = item.sizeHint().width()
            if item.isEmpty() or self._is_at_an_end(number, x, width):
                continue
            begins_line = x > 0 and x + size > width
            start = 0
            if far and item is far[0] and x > 0:
                needed = sum(one.sizeHint().width() + self._gap for one in far) - self._gap
                begins_line, x = x + needed > width, width - needed
                start = max(0, x) if self._is_always_far else 0
            if begins_line:
                lines.append([])
                x = start
            lines[-1].append((x, item))
            x += size + self._gap
        return lines

    def _far(self) -> list[QLayoutItem]:
        """Return the visible items at the far end."""
        from_ = len(self._items) if self._far_from is None else self._far_from
        return [item for item in self._items[from_:] if not item.isEmpty()]

    def _hide_dividers(self) -> None:
        """Move dividers out of sight, until they have a place in a line."""
        for item in self._items:
            if isinstance(item.widget(), Divider):
                size = item.sizeHint()
                item.setGeometry(QRect(QPoint(-size.width(), -size.height()), size))

    def _is_at_an_end(self, number: int, x: int, width: int) -> bool:
        """Whether an item is a divider at the start or the end of a line."""
        item = self._items[number]
        if not isinstance(item.widget(), Divider):
            return False
        following = next((item for item in self._items[number + 1 :] if not item.isEmpty()), None)
        if following is None or x == 0:
            return True
        return x + item.sizeHint().width() + self._gap + following.sizeHint().width() > width


def clear(layout: QLayout) -> None:
    """Remove every widget from a layout, hide it immediately, and delete it."""
    while (entry := layout.takeAt(0)) is not None:
        if (widget := entry.widget()) is not None:
            widget.hide()
            widget.deleteLater()
