"""Parts in columns, or one below the other where text is too large for columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

_SLACK = 12
"""What columns want beyond their least to come back: else a scroll bar would drive them out again."""


@dataclass(frozen=True, slots=True)
class _Part:
    widget: QWidget
    row: int
    column: int
    rows: int

    def is_beside(self, other: "_Part") -> bool:
        """Whether another part stands in one of its rows."""
        return other is not self and self.row < other.row + other.rows and other.row < self.row + self.rows


class Reflow(QWidget):
    """A grid while its columns have the room that they need; else one column, in the order of adding.

    In the grid a part that is alone in its row takes all of it.

    Args:
        shares: how the columns divide the width.
        row_shares: how the rows divide the height; in one column the last part takes what is left.
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

    def add(self, widget: QWidget, row: int, column: int, rows: int = 1) -> None:
        """Adds a part, at its place in the grid."""
        self._parts.append(_Part(widget, row, column, rows))
        self._place()

    @property
    def is_stacked(self) -> bool:
        """Whether the parts stand below each other."""
        return self._is_stacked

    def minimumSizeHint(self) -> QSize:
        """As narrow as its widest part, as high as it is now."""
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
                self._grid.addWidget(one.widget, one.row, one.column, one.rows, columns)
        self._share(shown)

    def _share(self, shown: list[_Part]) -> None:
        """A column of which nothing shows gets nothing; in one column the last part takes what is left."""
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


def line_of(*parts: QWidget | None, gap: int = 8, least: int = 0) -> QWidget:
    """Parts beside each other, as one part; None takes the room that is left. ``least``: how high it is."""
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
