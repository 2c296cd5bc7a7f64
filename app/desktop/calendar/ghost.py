"""What floats during a drag: the cards, the words beside them, the ring around the day."""

from math import ceil

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
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


class Ghost:
    """The dragged cards: one picture of all that stays, and the time of the grabbed one, which changes."""

    def __init__(self, page: Page, card: Box, style: CardStyle, picture: QPixmap, drop: int) -> None:
        """``card`` is the grabbed one in the picture, ``drop`` how far the stack reaches below it."""
        self.drop = drop
        self._page = page
        self._card = card
        self._style = style
        self._picture = picture
        self._size = picture.deviceIndependentSize().toSize()
        self._time: Line | None = None

    def tell(self, grabbed: PlannedPost) -> None:
        """From now on it shows the time of the grabbed post as it would be."""
        self._time = self._page.time_line(grabbed, self._card, self._style)

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
    for level in range(depth, 0, -1):
        place = Box(_SPREAD + level * _STACK_X, _SPREAD + level * _STACK_Y, box.width, box.height)
        _paint_card(painter, page, posts[level], place, style)
    top = box._replace(x=_SPREAD, y=_SPREAD)
    _paint_card(painter, page, posts[0], top, style, timed=False)
    painter.end()
    ghost = Ghost(page, top, style, picture, depth * _STACK_Y)
    ghost.tell(posts[0])
    return ghost


def _paint_card(
    painter: QPainter, page: Page, post: PlannedPost, place: Box, style: CardStyle, *, timed: bool = True
) -> None:
    page.paint_card(painter, post, place, style, timed=timed)
    page.paint_ring(painter, post, place, Ring("accent"))


class TipPainter:
    """Paints the words beside the ghost; the picture is kept until the words change."""

    def __init__(self) -> None:
        self._shown: tuple[str, bool, float, Theme] | None = None
        self._picture: QPixmap | None = None
        self._writer: TextFitter | None = None

    def picture(self, words: str, *, refused: bool, ratio: float) -> QPixmap:
        """The words on the tooltip's ground, or on red where the drop would be refused."""
        shown = (words, refused, ratio, theme.current())
        if self._picture is None or shown != self._shown:
            if self._writer is None or self._shown is None or shown[-1] is not self._shown[-1]:
                self._writer = TextFitter(theme.current().font("clock"))
            self._shown, self._picture = shown, _paint_tip(*shown, self._writer)
        return self._picture


def _paint_tip(words: str, refused: bool, ratio: float, look: Theme, writer: TextFitter) -> QPixmap:
    lines = words.split("\n")
    width = ceil(max(map(writer.width, lines))) + 2 * _TIP_PADDING
    height = _TIP_HEIGHT + (len(lines) - 1) * _TIP_LINE
    picture = QPixmap(round(width * ratio), round(height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    rounded(painter, QRectF(0, 0, width, height), 6, fill="bad" if refused else "tooltip")
    painter.setPen(look.color("surface" if refused else "on_tooltip"))
    for number, line in enumerate(lines):
        baseline = writer.middle(number * _TIP_LINE, _TIP_HEIGHT)
        writer.write_words(painter, _TIP_PADDING, baseline, line)
    painter.end()
    return picture


def tip_place(left: int, top: int, bottom: int, tip: QSize, viewport: QSize) -> QRect:
    """Below what begins at ``left`` and reaches from ``top`` to ``bottom``, moved so that it can be read."""
    width, height = tip.width(), tip.height()
    y = bottom + 6 if bottom + 6 + height <= viewport.height() else top - 5 - height
    return QRect(max(4, min(left, viewport.width() - width - 5)), y, width, height)
