"""What the app tells the person: strips that float above the foot of the panes, in one place."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import MessageStrip, announce
from app.desktop.widgets.painting import rounded, shadow
from app.workspace.messages import Message, MessageAction

_WIDTH = 600
_SHADOW = 24
"""Room around the strips, in which their shadow lies."""

_FOOT = 16
_MOST = 4
_INFO_STAYS_MS = 6_000

ActionHandler = Callable[[MessageAction], None]


class MessageArea(QWidget):
    """Shows messages over the foot of ``host``; the same one again is counted, information goes by itself."""

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self._host = host
        self._on_action: ActionHandler | None = None
        self._shown: dict[Message, MessageStrip] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(_SHADOW, _SHADOW, _SHADOW, _FOOT)
        self._column.setSpacing(8)
        host.installEventFilter(self)
        self.hide()

    def tell(self, message: Message) -> None:
        """Shows a message, newest lowest."""
        if message in self._shown:
            self._shown[message].fold()
            return
        while len(self._shown) >= _MOST:
            self._remove(next(iter(self._shown)))
        action = message.action.label if message.action else ""
        strip = MessageStrip(message.kind, message.text, message.details, action)
        strip.dismissed.connect(lambda: self._remove(message))
        strip.acted.connect(lambda: self._act(message))
        self._shown[message] = strip
        self._column.addWidget(strip)
        announce(strip, message.text, urgent=message.kind == "error")
        if message.kind == "info":
            QTimer.singleShot(_INFO_STAYS_MS, self, lambda: self._remove(message))
        self._fit()

    def set_handler(self, on_action: ActionHandler) -> None:
        """Says who carries out the buttons of messages."""
        self._on_action = on_action

    def texts(self) -> list[str]:
        """What is being said now, oldest first."""
        return [message.text for message in self._shown]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stays at the foot when the host changes size."""
        if watched is self._host and event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Fits again when a strip shows its details."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return handled

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paints shadow and opaque ground below the strips."""
        painter = QPainter(self)
        radius = theme.current().metrics.radius
        for strip in self._shown.values():
            shadow(painter, QRectF(strip.geometry()), radius)
            rounded(painter, QRectF(strip.geometry()), radius, fill="surface")

    def _act(self, message: Message) -> None:
        self._remove(message)
        if message.action is not None and self._on_action is not None:
            self._on_action(message.action)

    def _remove(self, message: Message) -> None:
        if message not in self._shown:
            return
        strip = self._shown.pop(message)
        self._column.removeWidget(strip)
        strip.hide()
        strip.deleteLater()
        self._fit()

    def _fit(self) -> None:
        self.setVisible(bool(self._shown))
        width = min(_WIDTH, self._host.width() - 24) + 2 * _SHADOW
        height = (
            self._column.heightForWidth(width)
            if self._column.hasHeightForWidth()
            else self.sizeHint().height()
        )
        self.setGeometry((self._host.width() - width) // 2, self._host.height() - height, width, height)
        self.raise_()
