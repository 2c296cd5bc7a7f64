"""What floats over an empty calendar: why it is empty, and what to do."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from app.desktop.widgets import Button, Label, Panel, Skeleton

_INSETS = (16, 10, 10, 10)
_SPACING = 12
_AROUND = 8
_DOWN = QBoxLayout.Direction.TopToBottom


class Notice(Panel):
    """One sentence and one action in the middle of its parent; the days around it stay usable."""

    acted = Signal(str)
    """The button was pressed; which one, as given to `show_action`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self._verb = ""
        self._label = Label("", "text", "text2")
        self._button = Button("", "secondary")
        self._skeleton = Skeleton(2)
        self._skeleton.setFixedWidth(240)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(*_INSETS)
        self._row.setSpacing(_SPACING)
        for part in (self._skeleton, self._label, self._button):
            self._row.addWidget(part)
        self._ground = parent
        self._button.clicked.connect(lambda: self.acted.emit(self._verb))
        parent.installEventFilter(self)
        self.hide()

    def show_action(self, text: str, action: str, verb: str) -> None:
        """Shows a sentence and a button that emits ``verb``."""
        self._verb = verb
        self._label.setText(text)
        self._button.setText(action)
        self._show_parts(is_loading=False)

    def show_loading(self) -> None:
        """Shows quiet bars, after a moment."""
        self._show_parts(is_loading=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the panel, which would say too early that something is loading."""
        if not self._skeleton.isVisible():
            super().paintEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stays in the middle of its parent."""
        if event.type() is QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Takes the room of its words, also when they become larger."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)

    def _show_parts(self, *, is_loading: bool) -> None:
        self._skeleton.setVisible(is_loading)
        self._label.setVisible(not is_loading)
        self._button.setVisible(not is_loading)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, is_loading)
        self.show()
        self.raise_()
        self._place()

    def _place(self) -> None:
        """Puts the button below the words where there is no room beside them."""
        room = self._ground.width() - 2 * _AROUND
        words, left, right = self._label.fontMetrics(), _INSETS[0], _INSETS[2]
        beside = words.horizontalAdvance(self._label.text()) + _SPACING + self._button.sizeHint().width()
        is_narrow = self._label.isVisibleTo(self) and left + beside + right >= room
        if is_narrow != self._label.wordWrap():
            self._label.setWordWrap(is_narrow)
            self._row.setDirection(_DOWN if is_narrow else QBoxLayout.Direction.LeftToRight)
        if is_narrow:
            self.resize(room, self._row.totalHeightForWidth(room))
        else:
            self.adjustSize()
        free = self._ground.size() - self.size()
        self.move(free.width() // 2, free.height() // 2)
