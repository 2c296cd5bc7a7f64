"""A picture with the part of it that is kept: dragged with the mouse, moved with the arrow keys."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import PausedAnnouncer
from app.desktop.widgets.painting import rounded
from app.language import tr
from app.media.recipe import Crop

_HEIGHT = 300
_STEP = 0.02
_ARROWS = {
    Qt.Key.Key_Left: (-_STEP, 0.0),
    Qt.Key.Key_Right: (_STEP, 0.0),
    Qt.Key.Key_Up: (0.0, -_STEP),
    Qt.Key.Key_Down: (0.0, _STEP),
}


class CropView(QWidget):
    """Shows where the kept part lies: 0 is as far left (or up) as it goes, 1 as far right (or down).

    Args:
        whole: width and height of the whole picture in pixels.
        crop: the part; its size stays, its place can be changed.
    """

    moved = Signal()

    def __init__(self, whole: tuple[int, int], crop: Crop, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole, self._crop = whole, crop
        self._picture = QImage()
        self._dragged: QPointF | None = None
        self.across = _share(crop.left, whole[0] - crop.width)
        self.down = _share(crop.top, whole[1] - crop.height)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        self.setAccessibleName(tr("Area to keep"))
        self._announcer = PausedAnnouncer(self)
        self._tell()

    def set_picture(self, picture: QImage) -> None:
        """Show the picture, in whatever size."""
        self._picture = picture
        self.update()

    def kept(self) -> QRectF:
        """Return where the kept part stands in the widget."""
        area, (width, height) = self._area(), self._whole
        scale = area.width() / width
        left = self.across * (width - self._crop.width) * scale
        top = self.down * (height - self._crop.height) * scale
        size = self._crop.width * scale, self._crop.height * scale
        return QRectF(area.left() + left, area.top() + top, *size)

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _ARROWS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._move(*step)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._dragged = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            by = event.position() - self._dragged
            self._dragged = event.position()
            free = self._area().size() - self.kept().size()
            across = by.x() / free.width() if free.width() >= 1 else 0.0
            self._move(across, by.y() / free.height() if free.height() >= 1 else 0.0)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragged = None

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area, kept = self._area(), self.kept()
        painter.fillRect(area, theme.current().color("sunken"))
        if not self._picture.isNull():
            painter.drawImage(area, self._picture)
        painter.save()
        painter.setClipRect(area)
        painter.setOpacity(0.65)
        for outside in _around(area, kept):
            painter.fillRect(outside, theme.current().color("raised"))
        painter.restore()
        rounded(painter, kept, 2, line="accent" if self.hasFocus() else "text2", width=2)

    def _area(self) -> QRectF:
        width, height = self._whole
        scale = min(self.width() / width, self.height() / height)
        size = width * scale, height * scale
        return QRectF((self.width() - size[0]) / 2, (self.height() - size[1]) / 2, *size)

    def _move(self, across: float, down: float) -> None:
        self.across = min(1.0, max(0.0, self.across + across))
        self.down = min(1.0, max(0.0, self.down + down))
        self._announcer.tell(self._tell())
        self.update()
        self.moved.emit()

    def _tell(self) -> str:
        across, down = round(self.across * 100), round(self.down * 100)
        where = tr("{across}% across, {down}% down", across=across, down=down)
        self.setAccessibleDescription(tr("{where}. Move it with the arrow keys.", where=where))
        return where


def _share(distance: int, free: int) -> float:
    return distance / free if free > 0 else 0.5


def _around(area: QRectF, kept: QRectF) -> tuple[QRectF, ...]:
    """Return what lies above, below, left and right of the kept part."""
    above = QRectF(area.left(), area.top(), area.width(), kept.top() - area.top())
    below = QRectF(area.left(), kept.bottom(), area.width(), area.bottom() - kept.bottom())
    left = QRectF(area.left(), kept.top(), kept.left() - area.left(), kept.height())
    right = QRectF(kept.right(), kept.top(), area.right() - kept.right(), kept.height())
    return above, below, left, right
