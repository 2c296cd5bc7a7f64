"""A picture in a frame: fitted into it, or larger and moved by hand."""

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded
from app.language import tr

STEP = 1.25
"""What a notch of the wheel or a key makes it larger by."""
_MOST = 8.0
_MARGIN = 24


class Canvas(QWidget):
    """A picture that fits, or larger than its frame and moved by hand. ``height`` is what it asks for."""

    zoomed = Signal()
    resized = Signal()

    def __init__(self, height: int) -> None:
        super().__init__()
        self._wanted = height
        self._picture = QPixmap()
        self._natural = QSize()
        self._words = ""
        self._zoom = 1.0
        self._offset = QPointF()
        self._held: QPoint | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Picture"))

    def sizeHint(self) -> QSize:
        return QSize(600, self._wanted)

    @property
    def room(self) -> QSize:
        """Pixels of the screen that a picture which fits has at most."""
        return (self.size() - QSize(_MARGIN, _MARGIN)) * self.devicePixelRatioF()

    @property
    def share(self) -> float:
        """Pixels on the screen for each of the picture's; 0 without a picture."""
        if self._picture.isNull():
            return 0.0
        return self._place().width() * self.devicePixelRatioF() / self._natural.width()

    def set_picture(self, picture: QImage, size: QSize = QSize()) -> None:  # noqa: B008  it is not changed
        """Show another picture, or a better one of the same file, as large as the file is.

        A null one takes it away.
        """
        self._picture, self._words = QPixmap.fromImage(picture), ""
        self._natural = picture.size() if size.isEmpty() else size
        if picture.isNull():
            self._zoom, self._offset = 1.0, QPointF()
        self.update()
        self.zoomed.emit()

    def say(self, words: str) -> None:
        """Show words in place of a picture."""
        self._words = words
        self.update()

    def fit(self) -> None:
        """Show all of the picture again."""
        self.zoom(1 / self._zoom)

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Make it larger or smaller, so that a point stays where it is."""
        if self._picture.isNull():
            return
        before = self._zoom
        self._zoom = min(_MOST, max(1.0, before * factor))
        point = (around or self._middle()) - self._middle()
        self._offset = point - (point - self._offset) * (self._zoom / before)
        self._hold_inside()
        self.update()
        self.zoomed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(STEP ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = event.position().toPoint()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            now = event.position().toPoint()
            self._offset += QPointF(now - self._held)
            self._held = now
            self._hold_inside()
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.zoom(1 / self._zoom if self._zoom > 1 else 2.0, event.position())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rounded(painter, QRectF(self.rect()), 0, fill="sunken")
        if self._words:
            painter.setFont(theme.current().font("text"))
            painter.setPen(theme.current().color("text2"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._words)
        if not self._picture.isNull():
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(self._place(), self._picture, QRectF(self._picture.rect()))

    def _place(self) -> QRectF:
        room = self.size() - QSize(_MARGIN, _MARGIN)
        fitted = self._natural
        if fitted.width() > room.width() or fitted.height() > room.height():
            fitted = fitted.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(0, 0, fitted.width() * self._zoom, fitted.height() * self._zoom)
        place.moveCenter(self._middle() + self._offset)
        return place

    def _hold_inside(self) -> None:
        """Keep the picture in its frame: it moves only as far as it is larger."""
        place = self._place()
        most = QPointF(
            max(0.0, place.width() - self.width()) / 2, max(0.0, place.height() - self.height()) / 2
        )
        self._offset = QPointF(
            min(most.x(), max(-most.x(), self._offset.x())), min(most.y(), max(-most.y(), self._offset.y()))
        )

    def _middle(self) -> QPointF:
        return QRectF(self.rect()).center()
