"""Paints the rows of a list: background, text, icons and pictures, and small buttons at the end of a row."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_cover, draw_icon, rounded

Index = QModelIndex | QPersistentModelIndex

LEADING: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
TRAILING: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing
CENTER: Final = Qt.AlignmentFlag.AlignCenter

END: Final = Qt.TextElideMode.ElideRight
MIDDLE: Final = Qt.TextElideMode.ElideMiddle

_BAR: Final = 3
"""Width of the bar at the start of a selected row."""
_TILE_RADIUS: Final = 5
_BY_KEYS = frozenset(
    {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason}
)
_BOX: Final = 28
"""Width and height of a button, in logical pixels."""
_INSET: Final = 10
_PRESSES: Final = frozenset({QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick})


class Row:
    """A row while it's painted.

    Boxes are given in the view's coordinates, as in a left-to-right layout.
    """

    def __init__(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        state: QStyle.StateFlag = option.state
        self.painter, self.area, self.direction = painter, QRect(option.rect), option.direction
        self.is_selected = bool(state & QStyle.StateFlag.State_Selected)
        self.has_focus = bool(state & QStyle.StateFlag.State_HasFocus)
        self.is_hovered = bool(state & QStyle.StateFlag.State_MouseOver)

    def place(self, box: QRect) -> QRect:
        """Return a box, mirrored in right-to-left layouts."""
        return QStyle.visualRect(self.direction, self.area, box)

    def middle(self, left: int, width: int, height: int) -> QRect:
        """Return a box, centred vertically in the row."""
        return QRect(left, self.area.center().y() - height // 2 + 1, width, height)

    def ground(self, indent: int, inset: int) -> None:
        """Paint the background of a row: selection, focus ring, or a line below it from ``indent`` on."""
        look, area = theme.current(), self.area
        box = QRectF(area).adjusted(4, 2, -4, -2)
        if self.is_selected:
            rounded(self.painter, box, look.metrics.radius, fill="accent_soft")
        else:
            self.fill(QRect(area.left() + indent, area.bottom(), area.width() - indent - inset, 1), "line2")
        if self.has_focus:
            rounded(self.painter, box, look.metrics.radius, line="accent", width=look.metrics.ring)

    def band(self, *, line: bool) -> None:
        """Paint a row from edge to edge: selection, hover, and a ``line`` above it."""
        look, area = theme.current(), self.area
        if line:
            self.fill(QRect(area.left(), area.top(), area.width(), 1), "line2")
        if self.is_selected:
            self.fill(area, "accent_soft")
            self.fill(QRect(area.left(), area.top(), _BAR, area.height()), "accent")
        elif self.is_hovered:
            self.fill(area.adjusted(0, int(line), 0, 0), "bg")
        if self.has_focus:
            ring = QRectF(area).adjusted(1, 1, -1, -1)
            rounded(self.painter, ring, look.metrics.radius_card, line="accent", width=look.metrics.ring)

    def tile(self, box: QRect, picture: QPixmap | None, icon: str) -> None:
        """Paint a post's picture; without one an icon, or "Aa" for a post without a file ("")."""
        if picture is not None:
            self.picture(box, picture, _TILE_RADIUS)
            return
        rounded(self.painter, QRectF(self.place(box)), _TILE_RADIUS, fill="sunken")
        if icon:
            edge = theme.current().metrics.icon
            middle = QRect(0, 0, edge, edge)
            middle.moveCenter(box.center())
            self.icon(middle, icon, "text2")
        else:
            self.write(box, "Aa", theme.current().font("card", QFont.Weight.DemiBold), "text2", side=CENTER)

    def fill(self, box: QRect, color: str) -> None:
        self.painter.fillRect(self.place(box), theme.current().color(color))

    def write(
        self,
        box: QRect,
        words: str,
        font: QFont,
        color: str,
        *,
        side: Qt.AlignmentFlag = LEADING,
        elide: Qt.TextElideMode = END,
    ) -> None:
        """Paint a line of text, elided if it doesn't fit."""
        self.painter.setFont(font)
        self.painter.setPen(theme.current().color(color))
        shown = QFontMetrics(font).elidedText(words, elide, box.width())
        self.painter.drawText(self.place(box), side, shown)

    def icon(self, box: QRect, name: str, color: str) -> None:
        draw_icon(self.painter, QRectF(self.place(box)), name, color)

    def picture(self, box: QRect, picture: QPixmap, radius: float) -> None:
        """Paint a picture that covers a box with rounded corners."""
        place, shape = QRectF(self.place(box)), QPainterPath()
        shape.addRoundedRect(place, radius, radius)
        self.painter.save()
        self.painter.setClipPath(shape)
        draw_cover(self.painter, place, picture)
        self.painter.restore()


class RowDelegate(QStyledItemDelegate):
    """Paints rows through ``Row``, and restores the painter."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_row(Row(painter, option), index)
        painter.restore()

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint one row; overridden."""
        raise NotImplementedError


class KeyboardFocus(QObject):
    """Tracks whether a view is used by keyboard; after a click, the selection is enough, without a ring."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self.is_shown = False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Note whether the user uses the keyboard or the mouse."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress:
            self._show(True)
        elif kind == QEvent.Type.MouseButtonPress:
            self._show(False)
        elif isinstance(event, QFocusEvent) and event.gotFocus() and event.reason() in _BY_KEYS:
            self._show(True)
        return False

    def _show(self, is_shown: bool) -> None:
        if is_shown != self.is_shown:
            self.is_shown = is_shown
            self._view.viewport().update()


class RowAction(NamedTuple):
    """A button at the end of a row: its name and icon."""

    name: str
    icon: str
    tooltip: str


class ActingRow(RowDelegate):
    """Paints buttons at the end of rows, and emits which one was clicked."""

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
        """Handle clicks on buttons; a double click on one doesn't open the row."""
        if not isinstance(event, QMouseEvent) or event.button() != Qt.MouseButton.LeftButton:
            return False
        action = self._at(event.position().toPoint(), option, index)
        if action is not None and event.type() == QEvent.Type.MouseButtonRelease:
            self.acted.emit(index.row(), action.name)
        return action is not None and event.type() in {*_PRESSES, QEvent.Type.MouseButtonRelease}

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Show a tooltip with the name of the button below the pointer."""
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
    """Return the width of this many buttons at the end of a row, in logical pixels."""
    return _INSET + count * theme.current().grown(_BOX)
