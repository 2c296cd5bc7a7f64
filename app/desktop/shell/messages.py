"""What the app tells the person: strips that float above the foot of the panes, in one place."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import MessageStrip
from app.desktop.widgets.painting import rounded, shadow
from app.workspace.messages import Message, MessageAction

_WIDTH = 600
_MARGIN = 12
_MOST = 4
_INFO_STAYS_MS = 6_000

ActionHandler = Callable[[MessageAction], None]


class _Float(QWidget):
    """A strip with the ground and the shadow of things that float."""

    def __init__(self, strip: MessageStrip, parent: QWidget) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 6, _MARGIN, 6)
        column.addWidget(strip)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paints shadow and opaque ground below the strip."""
        box = QRectF(self.rect()).adjusted(_MARGIN, 6, -_MARGIN, -6)
        painter = QPainter(self)
        shadow(painter, box, theme.current().metrics.radius)
        rounded(painter, box, theme.current().metrics.radius, fill="surface")


class MessageArea(QWidget):
    """Shows messages over the foot of ``host``; the same one again is counted, information goes by itself."""

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self._host = host
        self._on_action: ActionHandler | None = None
        self._shown: dict[Message, tuple[_Float, MessageStrip]] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 8)
        self._column.setSpacing(0)
        host.installEventFilter(self)
        self.hide()

    def tell(self, message: Message) -> None:
        """Shows a message, newest lowest."""
        if message in self._shown:
            self._shown[message][1].fold()
            return
        while len(self._shown) >= _MOST:
            self._remove(next(iter(self._shown)))
        action = message.action.label if message.action else ""
        strip = MessageStrip(message.kind, message.text, message.details, action)
        strip.dismissed.connect(lambda: self._remove(message))
        strip.acted.connect(lambda: self._act(message))
        float_ = _Float(strip, self)
        self._shown[message] = (float_, strip)
        self._column.addWidget(float_)
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

    def _act(self, message: Message) -> None:
        self._remove(message)
        if message.action is not None and self._on_action is not None:
            self._on_action(message.action)

    def _remove(self, message: Message) -> None:
        if message not in self._shown:
            return
        float_, _ = self._shown.pop(message)
        self._column.removeWidget(float_)
        float_.hide()
        float_.deleteLater()
        self._fit()

    def _fit(self) -> None:
        self.setVisible(bool(self._shown))
        width = min(_WIDTH, self._host.width() - 24)
        height = (
            self._column.heightForWidth(width)
            if self._column.hasHeightForWidth()
            else self.sizeHint().height()
        )
        self.setGeometry((self._host.width() - width) // 2, self._host.height() - height, width, height)
        self.raise_()
