"""The side panel slides in and out at the window's edge, while everything else is already in its place."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QLayout, QStyle, QWidget

from app.desktop import motion
from app.desktop.motion import tokens


@contextmanager
def sliding_in(host: QWidget, row: QLayout, panel: QWidget) -> Iterator[None]:
    """Slide in the panel that is put at the end of a row of ``host`` in this block."""
    area = _edge(host, row, panel.minimumWidth())
    ground = host.grab(area) if motion.answers() and host.isVisible() else None
    yield
    if ground is None:
        return
    _lay_out(host)
    if _place(host, panel) == area:
        motion.slide(host, area, tokens.PANEL, ground, motion.picture_of(panel), _shift(host))


@contextmanager
def sliding_out(host: QWidget, panel: QWidget) -> Iterator[None]:
    """Slide out the panel that is taken from ``host`` in this block."""
    area = _place(host, panel)
    piece = motion.picture_of(panel) if motion.answers() and panel.isVisible() else None
    yield
    if piece is None:
        return
    _lay_out(host)
    motion.slide(host, area, tokens.PANEL, host.grab(area), piece, _shift(host), leaves=True)


def _lay_out(host: QWidget) -> None:
    """Lay out now instead of with the next event, so that the pictures show the end."""
    if (layout := host.layout()) is not None:
        layout.activate()


def _edge(host: QWidget, row: QLayout, width: int) -> QRect:
    whole = row.geometry()
    end = QRect(whole.right() + 1 - width, whole.y(), width, whole.height())
    return QStyle.visualRect(host.layoutDirection(), whole, end)


def _place(host: QWidget, panel: QWidget) -> QRect:
    return QRect(panel.mapTo(host, QPoint()), panel.size())


def _shift(host: QWidget) -> QPoint:
    return QPoint(-tokens.PANEL_PX if host.isRightToLeft() else tokens.PANEL_PX, 0)
