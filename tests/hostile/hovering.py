"""Hovering over everything, to find tooltips that would load files or URLs."""

from collections.abc import Iterator

from PySide6.QtCore import QAbstractListModel, QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QToolTip, QWidget
from shiboken6 import isValid

from app.desktop.widgets import IconButton

_ITEMS_MOST = 40


def guessing(part: QWidget) -> list[str]:
    """Return labels and tooltips that interpret text as rich text if it looks like markup."""
    labels = [one for one in part.findChildren(QLabel) if one.isVisible()]
    return [one.text() for one in [*labels, *_tooltips(part)] if one.textFormat() != Qt.TextFormat.PlainText]


def hover(widget: QWidget, place: QPoint) -> QLabel | None:
    """Hover over a position and return the visible tooltip."""
    event = QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    shown = [one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel") and one.isVisible()]
    return shown[-1] if shown and isinstance(shown[-1], QLabel) else None


def _tooltips(part: QWidget) -> Iterator[QLabel]:
    for widget in [part, *part.findChildren(QWidget)]:
        if not isValid(widget) or not widget.isVisible():
            continue
        for place in _places(widget):
            if (tooltip := hover(_surface(widget), place)) is not None:
                yield tooltip
    QToolTip.hideText()


def _surface(widget: QWidget) -> QWidget:
    return widget.viewport() if isinstance(widget, QAbstractItemView) else widget


def _places(widget: QWidget) -> Iterator[QPoint]:
    if isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
        for row in range(min(model.rowCount(), _ITEMS_MOST)):
            for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount()):
                place = widget.visualRect(model.index(row, column)).center()
                if widget.viewport().rect().contains(place):
                    yield place
    elif widget.toolTip() or isinstance(widget, IconButton):
        yield widget.rect().center()
