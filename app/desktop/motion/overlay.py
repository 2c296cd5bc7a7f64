"""Pictures that move over a window, whose end state is already in place below them."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QRegion
from PySide6.QtWidgets import QWidget

from app.desktop.motion import switch
from app.desktop.motion.animation import Run, play
from app.desktop.motion.tokens import Timing

Paint = Callable[[QPainter, float], None]
"""Paints a moment of a motion: 0 is the start, 1 the end."""


class Overlay(QWidget):
    """Covers an area of ``host`` with opaque painting. It's transparent to the mouse and screen readers."""

    def __init__(self, host: QWidget, area: QRect, paint: Paint) -> None:
        super().__init__(host)
        self._paint, self._progress = paint, 0.0
        self.run: Run | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setGeometry(area)
        host.installEventFilter(self)

    def step(self, progress: float) -> None:
        """Show a frame."""
        self._progress = progress
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._paint(painter, self._progress)
        painter.end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End when the host is resized, because the pictures no longer fit."""
        if event.type() == QEvent.Type.Resize and self.run is not None:
            self.run.finish()
        return super().eventFilter(watched, event)

    def leave(self) -> None:
        """Uncover the host."""
        self.run = None
        self.hide()
        self.deleteLater()


def cover(
    host: QWidget, area: QRect, timing: Timing, paint: Paint, *, outline: QRegion | None = None
) -> Run | None:
    """Play an animation over an area of a widget; None without motion.

    ``outline`` limits it to a part of the area.
    """
    if not switch.answers() or not host.isVisible():
        return None
    overlay = Overlay(host, area, paint)
    if outline is not None:
        overlay.setMask(outline)
    overlay.show()
    overlay.raise_()
    overlay.run = play(overlay, timing, overlay.step, overlay.leave)
    return overlay.run


def slide(
    host: QWidget,
    area: QRect,
    timing: Timing,
    ground: QPixmap,
    piece: QPixmap,
    shift: QPoint,
    *,
    leaves: bool = False,
) -> Run | None:
    """Slide a piece into place over a background while fading it in, or out of place while fading it out.

    Args:
        host: The widget to cover.
        area: The part of it to cover.
        timing: Duration and curve.
        ground: A picture of the area without the piece.
        piece: A picture of the area with only the piece.
        shift: Where the piece starts, relative to its place.
        leaves: Whether it goes there instead.
    """

    def paint(painter: QPainter, progress: float) -> None:
        share = 1 - progress if leaves else progress
        painter.drawPixmap(0, 0, ground)
        painter.setOpacity(share)
        painter.drawPixmap(QPointF(shift) * (1 - share), piece)

    return cover(host, area, timing, paint)


def picture_of(
    widget: QWidget, reach: int = 0, below: Callable[[QPainter, QRectF], None] | None = None
) -> QPixmap:
    """Return a picture of a widget with its own outline.

    Args:
        widget: What to paint.
        reach: Margin around it, in logical pixels.
        below: Paints below it, such as a shadow; it gets the widget's place in the picture.
    """
    ratio, place = widget.devicePixelRatioF(), QRect(QPoint(reach, reach), widget.size())
    size = place.adjusted(-reach, -reach, reach, reach).size()
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    if below is not None:
        below(painter, QRectF(place))
    flags = QWidget.RenderFlag.DrawWindowBackground | QWidget.RenderFlag.DrawChildren
    widget.render(painter, place.topLeft(), QRegion(), flags)
    painter.end()
    return picture
