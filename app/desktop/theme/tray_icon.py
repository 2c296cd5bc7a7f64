"""The icon in the tray: a page with today's number, and a dot while a post is due today."""

import sys
from functools import lru_cache
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap

from app.desktop.theme.fonts import font
from app.desktop.theme.tokens import LIGHT

_EDGES: Final = (16, 22, 24, 32, 44, 48, 64)
"""Sizes that trays ask for, at 100 and 200 %."""
_NUMBER: Final = 9
"""Height of the number's font, in sixteenths of the icon."""


@lru_cache(maxsize=4)
def tray_icon(day: int, *, is_due: bool, is_template: bool = sys.platform == "darwin") -> QIcon:
    """Return the icon.

    Args:
        day: the number on the page.
        is_due: whether a post is still due today.
        is_template: whether the system wants a shape that it colours itself, as macOS does in its menu bar.
    """
    result = QIcon()
    for edge in _EDGES:
        result.addPixmap(_page(edge, str(day), is_due=is_due, is_template=is_template))
    result.setIsMask(is_template)
    return result


def _page(edge: int, number: str, *, is_due: bool, is_template: bool) -> QPixmap:
    pixmap = QPixmap(edge, edge)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(edge / 16, edge / 16)
    ink = QColor(LIGHT.text)
    # The tray's own colour isn't known. Paper with an ink edge can be seen on any.
    painter.setPen(QPen(ink, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush if is_template else QColor(LIGHT.surface))
    painter.drawRoundedRect(QRectF(0.5, 1.5, 14, 14), 3, 3)
    painter.setFont(font("strong", _NUMBER / 13))
    painter.drawText(QRectF(0, 1.5, 15, 14.5), Qt.AlignmentFlag.AlignCenter, number)
    if is_due:
        _paint_dot(painter, ink if is_template else QColor(LIGHT.rubric))
    painter.end()
    return pixmap


def _paint_dot(painter: QPainter, color: QColor) -> None:
    """Paint the dot onto the page's corner, with a gap around it."""
    corner = QPointF(13, 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.drawEllipse(corner, 3.75, 3.75)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    painter.setBrush(color)
    painter.drawEllipse(corner, 3, 3)
