"""A small picture of a file, or the sign of its kind."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from app.contract.enums import PostType
from app.desktop.widgets.painting import draw_cover, draw_icon, rounded

_RADIUS = 4
ICONS = {PostType.IMAGE: "image", PostType.VIDEO: "play"}


class Thumb(QWidget):
    """A square of ``edge`` logical pixels."""

    def __init__(self, edge: int) -> None:
        super().__init__()
        self._kind = PostType.IMAGE
        self._picture = QPixmap()
        self.setFixedSize(edge, edge)

    def set_kind(self, kind: PostType) -> None:
        """Show the sign of a kind where there is no picture."""
        self._kind = kind
        self.update()

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
        rounded(painter, box, _RADIUS, fill="sunken", line="line")
        if self._picture.isNull():
            edge = self.width() / 4
            draw_icon(
                painter, box.adjusted(edge, edge, -edge, -edge), ICONS.get(self._kind, "image"), "text3"
            )
            return
        shape = QPainterPath()
        shape.addRoundedRect(box, _RADIUS, _RADIUS)
        painter.setClipPath(shape)
        draw_cover(painter, box, self._picture)
