"""What floats during a drag: the cards, the words beside them, the ring around the day."""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.desktop.calendar.cards import Line, Ring
from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box, CardStyle
from app.desktop.calendar.text import TextFitter
from app.desktop.theme import theme
from app.desktop.theme.theme import Theme
from app.desktop.widgets.painting import rounded, shadow
from app.workspace.posts.planned import PlannedPost

_SPREAD = 32
"""Room for the shadow around the cards."""

_STACK_X, _STACK_Y = 6, 14
"""How far each card of a stack stands out below the one above it: its time can be read."""

_MOST_IN_STACK = 3
_TIP_PADDING = 9
_TIP_HEIGHT = 26
_TIP_LINE = 17
_MOST_GROUNDS = 64


class Ghost:
    """The dragged cards: one picture of all that stays, and the time of the grabbed one, which changes."""

    def __init__(self, picture: QPixmap, drop: int, time: Line | None, times: Sequence[str]) -> None:
        """``drop`` is how far the stack reaches below the grabbed card; ``time`` is that one's, if any.

        ``times`` are those that it may have to show.
        """
        self.drop = drop
        self._picture = picture
        self._size = picture.deviceIndependentSize().toSize()
        self._time = time
        if time is not None:
            time.writer.rehearse(time.left, times)

    def tell(self, clock: str) -> None:
        """From now on it shows the time of the grabbed post as it would be."""
        if self._time is not None:
            self._time = self._time._replace(text=clock)

    def place(self, x: int, y: int) -> QRect:
        """Where the picture is, shadow included, when the grabbed card's corner is at a point."""
        return QRect(QPoint(x - _SPREAD, y - _SPREAD), self._size)

    def paint(self, painter: QPainter, x: int, y: int) -> None:
        """Paints everything with the corner of the picture at a point."""
        painter.drawPixmap(x, y, self._picture)
        if self._time is not None:
            self._time.write(painter, x, y)


def paint_ghost(page: Page, posts: list[PlannedPost], box: Box, style: CardStyle) -> Ghost:
    """Paints the grabbed card (first of ``posts``) with its shadow, and others below it as a stack."""
    ratio = page.ratio
    depth = min(len(posts), _MOST_IN_STACK) - 1
    width = box.width + 2 * _SPREAD + depth * _STACK_X
    height = box.height + 2 * _SPREAD + depth * _STACK_Y
    picture = QPixmap(round(width * ratio), round(height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    shadow(painter, QRectF(_SPREAD, _SPREAD, box.width, box.height), theme.current().metrics.radius_card)
    top = paint_stack(painter, page, posts[: depth + 1], box, style)
    painter.end()
    return Ghost(picture, depth * _STACK_Y, page.time_line(posts[0], top, style), page.times_on_the_way)


def paint_stack(
    painter: QPainter, page: Page, posts: Sequence[PlannedPost], box: Box, style: CardStyle
) -> Box:
    """Paints cards of the size of ``box``, the first on top and without its time; gives the place of that."""
    for level in range(len(posts) - 1, 0, -1):
        place = Box(_SPREAD + level * _STACK_X, _SPREAD + level * _STACK_Y, box.width, box.height)
        _paint_card(painter, page, posts[level], place, style)
    top = box._replace(x=_SPREAD, y=_SPREAD)
    _paint_card(painter, page, posts[0], top, style, timed=False)
    return top


def _paint_card(
    painter: QPainter, page: Page, post: PlannedPost, place: Box, style: CardStyle, *, timed: bool = True
) -> None:
    page.paint_card(painter, post, place, style, timed=timed)
    page.paint_ring(painter, post, place, Ring("accent"))


class TipPainter:
    """Paints the words beside the ghost.

    Their ground is kept: words change, their sizes come again. Words that are painted a second time are kept
    as a picture; made for each, it would cost as much as the rest of a move.
    """

    def __init__(self) -> None:
        self._look: Theme | None = None
        self._writer = TextFitter(theme.current().font("clock"))
        self._grounds: dict[tuple[int, int, bool, float], QPixmap] = {}
        self._measured = "", QSize()
        self._last: tuple[str, bool, float] | None = None
        self._picture: QPixmap | None = None

    def size(self, words: str) -> QSize:
        """How much room words take."""
        if self._look is not theme.current():
            self._restyle()
        if words != self._measured[0]:
            lines = words.split("\n")
            width, grown = ceil(max(map(self._writer.width, lines))) + 2 * _TIP_PADDING, theme.current().grown
            self._measured = words, QSize(width, grown(_TIP_HEIGHT) + (len(lines) - 1) * grown(_TIP_LINE))
        return self._measured[1]

    def paint(self, painter: QPainter, corner: QPoint, words: str, *, refused: bool, ratio: float) -> None:
        """Writes words on the tooltip's ground, or on red where the drop would be refused."""
        ground = self._ground(self.size(words), refused, ratio)
        if (words, refused, ratio) != self._last:
            self._last, self._picture = (words, refused, ratio), None
            painter.drawPixmap(corner, ground)
            self._write(painter, corner, words, refused)
            return
        if self._picture is None:
            self._picture = QPixmap(ground)
            on_picture = QPainter(self._picture)
            self._write(on_picture, QPoint(), words, refused)
            on_picture.end()
        painter.drawPixmap(corner, self._picture)

    def _write(self, painter: QPainter, corner: QPoint, words: str, refused: bool) -> None:
        painter.setPen(theme.current().color("surface" if refused else "on_tooltip"))
        writer, left, grown = self._writer, corner.x() + _TIP_PADDING, theme.current().grown
        for number, line in enumerate(words.split("\n")):
            baseline = writer.middle(corner.y() + number * grown(_TIP_LINE), grown(_TIP_HEIGHT))
            writer.write_words(painter, left, baseline, line)

    def _restyle(self) -> None:
        self._look = theme.current()
        self._writer = TextFitter(self._look.font("clock"))
        self._measured, self._last = ("", QSize()), None
        self._grounds.clear()

    def _ground(self, size: QSize, refused: bool, ratio: float) -> QPixmap:
        key = size.width(), size.height(), refused, ratio
        known = self._grounds.get(key)
        if known is None:
            if len(self._grounds) >= _MOST_GROUNDS:
                self._grounds.clear()
            known = self._grounds[key] = QPixmap(size * ratio)
            known.setDevicePixelRatio(ratio)
            known.fill(Qt.GlobalColor.transparent)
            painter = QPainter(known)
            rounded(painter, QRectF(QPointF(), size), 6, fill="bad" if refused else "tooltip")
            painter.end()
        return known


def tip_place(left: int, top: int, bottom: int, tip: QSize, viewport: QSize) -> QRect:
    """Below what begins at ``left`` and reaches from ``top`` to ``bottom``, moved so that it can be read."""
    width, height = tip.width(), tip.height()
    y = bottom + 6 if bottom + 6 + height <= viewport.height() else top - 5 - height
    return QRect(max(4, min(left, viewport.width() - width - 5)), y, width, height)
