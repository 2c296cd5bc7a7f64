"""Small buttons at the end of a row, painted by its delegate. Keys and menus do the same."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QAbstractItemModel, QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QToolTip

from app.desktop.kit.keyboard_focus import KeyboardFocus
from app.desktop.kit.row_delegate import Index, Row, RowDelegate
from app.desktop.theme import theme

_BOX: Final = 28
"""Width and height of a button, in logical pixels."""
_INSET: Final = 10
_PRESSES: Final = frozenset({QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick})


class RowAction(NamedTuple):
    """A button at the end of a row: what it is called, and its icon."""

    name: str
    icon: str
    tooltip: str


class ActingRow(RowDelegate):
    """Paints buttons at the end of rows, and says which one was clicked."""

    acted = Signal(int, str)
    """A row, and the name of its button."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._focus = KeyboardFocus(view)

    def actions(self, index: Index) -> Sequence[RowAction]:
        """Return a row's buttons from left to right; overridden."""
        raise NotImplementedError

    @property
    def shows_focus(self) -> bool:
        """Whether the focused row gets a ring."""
        return self._focus.is_shown

    def paint_actions(self, row: Row, index: Index, color: str) -> None:
        """Paint a row's buttons."""
        edge = theme.current().metrics.icon
        for action, box in self._boxes(row.area, index):
            place = QRect(0, 0, edge, edge)
            place.moveCenter(box.center())
            row.icon(place, action.icon, color)

    def editorEvent(
        self, event: QEvent, _model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Take clicks on buttons; a double click on one doesn't open the row."""
        if not isinstance(event, QMouseEvent) or event.button() != Qt.MouseButton.LeftButton:
            return False
        action = self._at(event.position().toPoint(), option, index)
        if action is not None and event.type() == QEvent.Type.MouseButtonRelease:
            self.acted.emit(index.row(), action.name)
        return action is not None and event.type() in {*_PRESSES, QEvent.Type.MouseButtonRelease}

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Name the button below the pointer."""
        action = self._at(event.pos(), option, index) if event.type() == QEvent.Type.ToolTip else None
        if action is None:
            return super().helpEvent(event, view, option, index)
        QToolTip.showText(event.globalPos(), action.tooltip, view)
        return True

    def _at(self, point: QPoint, option: QStyleOptionViewItem, index: Index) -> RowAction | None:
        area = QRect(option.rect)
        found = (
            action
            for action, box in self._boxes(area, index)
            if QStyle.visualRect(option.direction, area, box).contains(point)
        )
        return next(found, None)

    def _boxes(self, area: QRect, index: Index) -> Sequence[tuple[RowAction, QRect]]:
        actions, edge = self.actions(index), theme.current().grown(_BOX)
        left, top = area.right() + 1 - _INSET - len(actions) * edge, area.center().y() - edge // 2
        return [(action, QRect(left + at * edge, top, edge, edge)) for at, action in enumerate(actions)]


def width_of(count: int) -> int:
    """Return how much room so many buttons take at the end of a row, in logical pixels."""
    return _INSET + count * theme.current().grown(_BOX)
