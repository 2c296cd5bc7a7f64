"""A picture of a file as large as there is room; pressed, it opens larger."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy

from app.contract.enums import PostType
from app.desktop.media.thumb import ICONS
from app.desktop.theme import theme
from app.desktop.widgets.enter import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.language import tr

_DISC = 44


class Picture(EnterPresses):
    """A button of ``size`` that shows all of a picture on a quiet ground."""

    def __init__(self, size: QSize) -> None:
        super().__init__()
        self._size = size
        self._kind = PostType.IMAGE
        self._picture = QPixmap()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_kind(PostType.IMAGE)

    def sizeHint(self) -> QSize:
        return self._size

    def set_kind(self, kind: PostType) -> None:
        """Show the sign of a kind until there is a picture; a video is played when it is pressed."""
        self._kind = kind
        words = tr("Play") if kind is PostType.VIDEO else tr("View larger")
        self.setAccessibleName(words)
        self.setToolTip(tr("{words} (Enter)", words=words))
        self.set_picture(QImage())

    def set_picture(self, picture: QImage) -> None:
        """Show a picture; a null one takes it away."""
        self._picture = QPixmap.fromImage(picture)
        self.update()

    @property
    def has_picture(self) -> bool:
        """Whether a picture shows."""
        return not self._picture.isNull()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, box = QPainter(self), QRectF(self.rect())
        radius = theme.current().metrics.radius
        rounded(painter, box, radius, fill="sunken")
        if self._picture.isNull():
            middle = QRectF(0, 0, 28, 28)
            middle.moveCenter(box.center())
            draw_icon(painter, middle, ICONS.get(self._kind, "image"), "text3")
        else:
            self._paint_picture(painter, box, radius)
            if self._kind is PostType.VIDEO:
                paint_play(painter, box)
        ring = shows_focus(self)
        rounded(painter, box, radius, line="accent" if ring else "line", width=2 if ring else 1)

    def _paint_picture(self, painter: QPainter, box: QRectF, radius: float) -> None:
        shape = QPainterPath()
        shape.addRoundedRect(box, radius, radius)
        fitted = self._picture.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(0, 0, fitted.width(), fitted.height())
        place.moveCenter(box.center())
        painter.save()
        painter.setClipPath(shape)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(place, self._picture, QRectF(self._picture.rect()))
        painter.restore()


def paint_play(painter: QPainter, box: QRectF) -> None:
    """Paint the sign of a video in the middle of its picture."""
    disc = QRectF(0, 0, _DISC, _DISC)
    disc.moveCenter(box.center())
    dark = theme.current().tokens.dark
    ground, ink = ("surface", "text") if dark else ("tooltip", "on_tooltip")  # dark in both
    rounded(painter, disc, _DISC / 2, fill=ground)
    draw_icon(painter, disc.adjusted(13, 12, -11, -12), "play", ink)
