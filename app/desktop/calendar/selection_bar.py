"""A bar over the days with the number of selected posts, and actions for all of them."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from app.desktop.commands import Command
from app.desktop.theme import theme
from app.desktop.widgets import Button, Label, Menu
from app.desktop.widgets.painting import rounded, shadow
from app.desktop.widgets.screen_reader import spoken_as
from app.language import number, tr

_SHADOW = 24
"""Room around the bar for its shadow."""

_ABOVE_EDGE = 16
_LEAST = 2
"""Number of selected posts from which on the bar is shown."""

Offer = Callable[[], Iterable[Command]]


@spoken_as(QAccessible.Role.ToolBar)
class SelectionBar(QWidget):
    """Floats at the bottom of its parent while several posts are selected.

    Args:
        move_commands: returns the commands in the menu of "Move".
        days: gets the focus back when the bar disappears.
        parent: the widget the bar floats over, and stays within.
    """

    duplicated = Signal()
    cancelled = Signal()
    cleared = Signal()

    def __init__(self, move_commands: Offer, days: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._move_commands, self._days, self._host = move_commands, days, parent
        self._count, self._is_dragging = 0, False
        self.setAccessibleName(tr("Selected posts"))
        self._label = Label("", "text", weight=QFont.Weight.Medium)
        self.move_button = Button("", "quiet", icon="calendar-clock", size="small")
        self.duplicate_button = Button("", "quiet", icon="copy", size="small")
        self.cancel_button = Button("", "quiet", icon="ban", size="small")
        self.clear_button = Button("", "quiet", icon="x", key_hint="Esc", size="small")
        self.clear_button.setAccessibleName(tr("Clear the selection"))
        self._names = {
            self.move_button: tr("Move"),
            self.duplicate_button: tr("Duplicate"),
            self.cancel_button: tr("Cancel posts"),
        }
        self.setContentsMargins(_SHADOW, _SHADOW, _SHADOW, _SHADOW)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 5, 6, 5)
        row.setSpacing(4)
        row.addWidget(self._label)
        row.addSpacing(8)
        for button in (*self._names, self.clear_button):
            row.addWidget(button)
        self.move_button.clicked.connect(self._open_menu)
        self.duplicate_button.clicked.connect(self.duplicated)
        self.cancel_button.clicked.connect(self.cancelled)
        self.clear_button.clicked.connect(self.cleared)
        parent.installEventFilter(self)
        theme.notifier().changed.connect(self._fit)
        self.hide()

    def show_count(self, count: int) -> bool:
        """Show how many posts are selected, if several; return whether the number changed."""
        if count == self._count:
            return False
        self._count = count
        self._fit()
        return count >= _LEAST

    def step_aside(self, *, dragging: bool) -> None:
        """Hide during a drag, because posts can be dropped on the days below."""
        if dragging != self._is_dragging:
            self._is_dragging = dragging
            self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the bottom of the days."""
        if event.type() is QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc clears the selection."""
        if event.key() == Qt.Key.Key_Escape:
            self.cleared.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame = QRectF(self.contentsRect())
        radius = theme.current().metrics.radius_panel
        shadow(painter, frame, radius)
        rounded(painter, frame, radius, fill="raised", line="line")

    def _open_menu(self) -> None:
        menu = Menu(self.move_button)
        menu.add_commands(self._move_commands())
        menu.aboutToHide.connect(menu.deleteLater)
        above = QPoint(0, -menu.sizeHint().height() - 4)
        menu.popup(self.move_button.mapToGlobal(above))

    def _fit(self) -> None:
        """Show as much as fits: everything, icons instead of labels, or also only the number."""
        if self._count < _LEAST or self._is_dragging:
            if self.isAncestorOf(QApplication.focusWidget() or self._host):
                self._days.setFocus()
            self.hide()
            return
        count = number(self._count)
        self._label.setText(tr("{n} selected", n=count))
        self._name_buttons(shown=True)
        if self._is_too_wide():
            self._name_buttons(shown=False)
        if self._is_too_wide():
            self._label.setText(count)
            self._name_buttons(shown=False)
        self.resize(self.sizeHint())
        foot = self._host.height() - self.height() + _SHADOW - _ABOVE_EDGE
        self.move((self._host.width() - self.width()) // 2, foot)
        self.show()
        self.raise_()

    def _is_too_wide(self) -> bool:
        return self.sizeHint().width() - 2 * _SHADOW > self._host.width()

    def _name_buttons(self, *, shown: bool) -> None:
        for button, name in self._names.items():
            button.setText(name if shown else "")
            if button.accessibleName() != name:
                button.setAccessibleName(name)
        layout = self.layout()
        if layout is not None:
            layout.activate()
