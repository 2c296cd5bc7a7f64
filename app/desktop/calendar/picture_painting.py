"""Paints pictures of files, and their placeholders, into cards and rows."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QPainter, QPainterPath, QPixmap, QTransform

from app.contract.enums import PostType
from app.desktop.calendar.looks import SMALL_TILE
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded

KIND_ICONS = {PostType.IMAGE: "image", PostType.VIDEO: "play"}

_FADED = 0.6
"""Opacity of the picture of a faded post."""

_LARGEST_ICON = 16


def paint_tile(painter: QPainter, tile: QRectF, kind: PostType, *, flush: bool = False) -> None:
    """Paint the placeholder of a picture, the icon of the post's type; ``flush`` fits it into a card."""
    colors = theme.current()
    if flush:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(_shape(tile, colors.metrics.radius_card - 1, flush=True), colors.color("sunken"))
    else:
        rounded(painter, tile, 3 if tile.width() < SMALL_TILE else 4, fill="sunken", line="line2")
    edge = min(_LARGEST_ICON, tile.height() - 4, tile.width() - 4)
    icon = QRectF(0, 0, edge, edge)
    icon.moveCenter(tile.center())
    draw_icon(painter, icon, KIND_ICONS[kind], "text3")


def paint_picture(
    painter: QPainter, tile: QRectF, picture: QPixmap, radius: float, *, faded: bool, flush: bool = False
) -> None:
    """Paint the middle of a picture into a tile; ``flush`` rounds only the corners at a card's edge."""
    size = picture.deviceIndependentSize()
    scale = max(tile.width() / size.width(), tile.height() / size.height())
    middle, pixel = tile.center(), scale / picture.devicePixelRatio()
    place = QTransform.fromTranslate(
        middle.x() - size.width() * scale / 2, middle.y() - size.height() * scale / 2
    )
    brush = QBrush(picture)
    brush.setTransform(place.scale(pixel, pixel))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setOpacity(_FADED if faded else 1)
    painter.fillPath(_shape(tile, radius, flush=flush), brush)
    painter.setOpacity(1)


def _shape(tile: QRectF, radius: float, *, flush: bool) -> QPainterPath:
    shape = QPainterPath()
    if not flush:
        shape.addRoundedRect(tile, radius, radius)
        return shape
    shape.moveTo(tile.topLeft())
    shape.lineTo(tile.right() - radius, tile.top())
    shape.quadTo(tile.right(), tile.top(), tile.right(), tile.top() + radius)
    shape.lineTo(tile.right(), tile.bottom() - radius)
    shape.quadTo(tile.right(), tile.bottom(), tile.right() - radius, tile.bottom())
    shape.lineTo(tile.bottomLeft())
    return shape
