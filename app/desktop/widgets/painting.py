"""Shapes, shadows and pictures for custom painting. Rectangles are in logical pixels."""

from statistics import NormalDist

from PySide6.QtCore import QMargins, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBitmap, QColor, QGuiApplication, QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QWidget

from app.desktop.theme import icons, theme

_HAIRLINE = 1.001
"""Lines of 1.0 and less are drawn pixel by pixel in Qt, which takes ten times as long around a panel."""
_SHADOW_STEPS = 16
_SHADOW_DROP = 8.0
_BLUR = NormalDist(sigma=11)
_SHADOW_SPREADS = tuple(_BLUR.inv_cdf((step + 0.5) / _SHADOW_STEPS) for step in range(_SHADOW_STEPS))
"""How far each layer reaches beyond the shape: equal layers at these quantiles add up to a blurred edge."""


def rounded(
    painter: QPainter,
    rect: QRectF,
    radius: float,
    *,
    fill: str | None = None,
    line: str | None = None,
    width: float = 1.0,
    dashed: bool = False,
) -> None:
    """Draw a rounded rectangle with its outline inside `rect`.

    `fill` and `line` are colour roles or `#RRGGBB`; None omits that part.
    """
    colors = theme.current()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(colors.color(fill) if fill else Qt.BrushStyle.NoBrush)
    painter.setPen(Qt.PenStyle.NoPen)
    if line:
        inset = width / 2
        rect = rect.adjusted(inset, inset, -inset, -inset)
        style = Qt.PenStyle.CustomDashLine if dashed else Qt.PenStyle.SolidLine
        pen = QPen(colors.color(line), width if dashed else max(width, _HAIRLINE), style)
        if dashed:
            pen.setDashPattern([3 / width, 2 / width])
        painter.setPen(pen)
        radius = max(0.0, radius - inset)
    painter.drawRoundedRect(rect, radius, radius)


def shadow(painter: QPainter, rect: QRectF, radius: float) -> None:
    """Draw the app's shadow below `rect`, for floating things: sheets, menus, the drag preview."""
    color = theme.current().color("shadow")
    layer = QColor(color)
    layer.setAlphaF(color.alphaF() / _SHADOW_STEPS)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(layer)
    for spread in _SHADOW_SPREADS:
        shape = rect.adjusted(-spread, -spread, spread, spread).translated(0, _SHADOW_DROP)
        corner = max(0.0, radius + spread)
        painter.drawRoundedRect(shape, corner, corner)


def translucent(color: QColor, share: float) -> QColor:
    """Return a colour with an opacity from 0 to 1."""
    thinned = QColor(color)
    thinned.setAlphaF(share)
    return thinned


def insets(start: int, top: int, end: int, bottom: int) -> QMargins:
    """Return margins of a layout whose sides differ: Qt mirrors its widgets, but not its margins."""
    is_mirrored = QGuiApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft
    return QMargins(end, top, start, bottom) if is_mirrored else QMargins(start, top, end, bottom)


_ROTATED_RATIO = 3
"""How much larger than usual the picture of an icon is that is drawn at an angle."""


def draw_icon(painter: QPainter, rect: QRectF, name: str, color: str) -> None:
    """Draw an icon (see `icons.pixmap`) as a square in the middle of `rect`, as large as its shorter side."""
    size = round(min(rect.width(), rect.height()))
    ratio = painter.device().devicePixelRatio()
    if painter.worldTransform().isRotating():  # from a larger picture, or lines would break
        ratio *= _ROTATED_RATIO
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    image = icons.pixmap(name, color, size, ratio)
    corner = rect.center() - QPointF(size / 2, size / 2)
    painter.drawPixmap(QPointF(round(corner.x()), round(corner.y())), image)


def draw_cover(painter: QPainter, rect: QRectF, image: QPixmap) -> None:
    """Draw an image so that it covers `rect`, cropped evenly along its longer side."""
    ratio = rect.width() / rect.height()
    width, height = float(image.width()), float(image.height())
    cut = QRectF(0, 0, min(width, height * ratio), min(height, width / ratio))
    cut.moveCenter(QPointF(width / 2, height / 2))
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawPixmap(rect, image, cut)


def cut_corners(popup: QWidget, radius: float) -> None:
    """Cut off the corners of a translucent window: under X11 without a compositor they would be black.

    Pixels that the rounded edge covers partly stay, so that it's smooth with a compositor. Elsewhere windows
    are always composited, and the offscreen platform has no masks.
    """
    if QGuiApplication.platformName() != "xcb":
        return
    image = QImage(popup.size(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(theme.current().color("text"))  # any ink; with a line, so that half covered is covered
    painter.drawRoundedRect(popup.rect(), radius, radius)
    painter.end()
    popup.setMask(QBitmap.fromImage(image.createAlphaMask()))


def mirrored(widget: QWidget, area: QRect) -> QRect:
    """Return an area of a widget, mirrored in right-to-left languages."""
    return QStyle.visualRect(widget.layoutDirection(), widget.rect(), area)


def shows_focus(widget: QWidget) -> bool:
    """Return whether a widget has the focus and should show its ring."""
    return widget.hasFocus() and widget.isEnabled()


def decoded(content: bytes, size: QSize) -> QImage:
    """Decode a picture, scaled down to just cover ``size``. Blocking."""
    picture = QImage.fromData(content)
    cover = picture.size().scaled(size, Qt.AspectRatioMode.KeepAspectRatioByExpanding)
    if picture.isNull() or cover.width() >= picture.width():
        return picture
    smooth = Qt.TransformationMode.SmoothTransformation
    return picture.scaled(cover, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
