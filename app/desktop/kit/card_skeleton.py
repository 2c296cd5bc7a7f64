"""Placeholder of a pane that consists of cards."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
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
        height: In logical pixels at 100 %; the least if it ``fills``.
        widths: The width of each card, as parts of the row's.
        is_joined: Whether the cards are parts of one, without gaps.
        fills: Whether the row takes the height that is left.
    """

    height: int
    widths: tuple[int, ...]
    is_joined: bool = False
    fills: bool = False


class CardSkeleton(Skeleton):
    """Cards with bars for titles and facts, in the places of those that are loading."""

    def __init__(
        self,
        rows: Sequence[CardRow],
        *,
        gap: int = _GAP,
        below: int = 0,
        side: tuple[int, int] | None = None,
    ) -> None:
        """``gap`` is between cards, ``below`` the least distance from the lower edge, in px.

        ``side``: the widths, as parts, of a card as high as the pane and of the rows next to it.
        """
        super().__init__()
        self._rows, self._gap, self._below, self._side = tuple(rows), gap, below, side
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def boxes(self) -> list[QRect]:
        """Return the rectangles of the cards that are in view, from left to right."""
        return [box for _, boxes in self._placed() for box in boxes]

    def _placed(self) -> Iterator[tuple[CardRow, list[QRect]]]:
        """Yield the rows that are in view, each with the rectangles of its cards."""
        top = left = 0
        if self._side is not None:
            card = CardRow(0, self._side, fills=True)
            beside = self._boxes_of(card, 0, self.height() - self._below)[:1]
            left = beside[0].right() + 1 + self._gap
            yield card, beside
        for row in self._rows:
            height = theme.current().grown(row.height)
            if row.fills:
                height = max(height, self.height() - self._below - top)
            if top < self.height():
                yield row, self._boxes_of(row, top, height, left)
            top += height + self._gap

    def _boxes_of(self, row: CardRow, top: int, height: int, left: int = 0) -> list[QRect]:
        gap = 0 if row.is_joined else self._gap
        room, total = self.width() - left - gap * (len(row.widths) - 1), sum(row.widths)
        ends = [room * part // total for part in accumulate(row.widths)]
        return [
            QRect(left + start + gap * place, top, end - start, height)
            for place, (start, end) in enumerate(pairwise((0, *ends)))
        ]

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_ripe():
            return
        painter = QPainter(self)
        for row, boxes in self._placed():
            for frame in [boxes[0].united(boxes[-1])] if row.is_joined else boxes:
                place = QRectF(mirrored(self, frame))
                rounded(painter, place, theme.current().metrics.radius_panel, fill="surface", line="line")
            for index, box in enumerate(boxes):
                if row.is_joined and index:
                    line = QRect(box.left(), box.top(), 1, box.height())
                    painter.fillRect(mirrored(self, line), theme.current().color("line"))
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
