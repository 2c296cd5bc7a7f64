"""What floats during a drag: the cards, the words beside them, the ring around the day."""

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.desktop.calendar.cards import Ring
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


@dataclass(slots=True)
class Ghost:
    """The dragged cards as one picture; the time on the grabbed one changes."""

    page: Page
    box: Box
    """The grabbed card in the picture."""
    style: CardStyle
    untimed: QPixmap
    """The picture without that time."""
    depth: int
    """Cards below the grabbed one."""
    picture: QPixmap

    @property
    def drop(self) -> int:
        """How far the stack reaches below the grabbed card."""
        return self.depth * _STACK_Y

    def place(self, x: int, y: int) -> QRect:
        """Where the picture is, shadow included, when the grabbed card's corner is at a point."""
        box, depth = self.box, self.depth
        width, height = box.width + depth * _STACK_X, box.height + depth * _STACK_Y
        return QRect(x - _SPREAD, y - _SPREAD, width + 2 * _SPREAD, height + 2 * _SPREAD)

    def tell(self, grabbed: PlannedPost) -> None:
        """Writes the time that the grabbed post would have."""
        card, ratio = QRectF(*self.box), self.untimed.devicePixelRatio()
        source = QRectF(card.topLeft() * ratio, card.size() * ratio)
        painter = QPainter(self.picture)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.drawPixmap(card, self.untimed, source)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        self.page.write_time(painter, grabbed, self.box, self.style)
        painter.end()


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
    ghost = Ghost(page, top, style, picture, depth, picture.copy())
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


def tip_place(ghost: QRect, tip: QPixmap, viewport: QRect) -> QRect:
    """Below the ghost, moved so that it can be read whole."""
    size = tip.deviceIndependentSize().toSize()
    place = QRect(ghost.topLeft() + QPoint(0, ghost.height() + 6), size)
    if place.bottom() > viewport.bottom():
        place.moveBottom(ghost.top() - 6)
    place.moveLeft(max(4, min(place.left(), viewport.right() - size.width() - 4)))
    return place
