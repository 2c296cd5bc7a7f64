"""Placeholder of a pane that consists of cards."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.desktop.theme import theme
from app.desktop.widgets import Skeleton
from app.desktop.widgets.painting import mirrored, rounded

_GAP = 12
_INSET = 16
_TITLE, _BAR, _PITCH = 12, 8, 28
_WIDTHS = (0.8, 0.55, 0.7)


class CardRow(NamedTuple):
    """Cards next to each other.

    Attributes:
        height: In logical pixels at 100 %.
        widths: The width of each card, as parts of the row's.
    """

    height: int
    widths: tuple[int, ...]


class CardSkeleton(Skeleton):
    """Cards with bars for titles and facts, in the places of those that are loading."""

    def __init__(self, rows: Sequence[CardRow]) -> None:
        super().__init__()
        self._rows = tuple(rows)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def boxes(self) -> list[QRect]:
        """Return the rectangles of the cards that are in view, from left to right."""
        found, top = [], 0
        for row in self._rows:
            height = theme.current().grown(row.height)
            room = self.width() - _GAP * (len(row.widths) - 1)
            left, total = 0, sum(row.widths)
            for part in row.widths:
                width = room * part // total
                found.append(QRect(left, top, width, height))
                left += width + _GAP
            top += height + _GAP
        return [box for box in found if box.top() < self.height()]

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_ripe():
            return
        painter = QPainter(self)
        for box in self.boxes():
            place = QRectF(mirrored(self, box))
            rounded(painter, place, theme.current().metrics.radius_panel, fill="surface", line="line")
            self._paint_bars(painter, box)

    def _paint_bars(self, painter: QPainter, box: QRect) -> None:
        look = theme.current()
        room, pitch = box.width() - 2 * _INSET, look.grown(_PITCH)
        left, top, bar = box.left() + _INSET, box.top() + _INSET, look.grown(_BAR)
        title = QRect(left, top, round(room * 0.4), look.grown(_TITLE))
        lines = range((box.height() - 2 * _INSET) // pitch - 1)
        bars = [
            QRect(left, top + pitch * (line + 1), round(room * _WIDTHS[line % len(_WIDTHS)]), bar)
            for line in lines
        ]
        for one in (title, *bars):
            rounded(painter, QRectF(mirrored(self, one)), one.height() / 2, fill="line2")
