"""The zoom between a month and one of its weeks or days: the row opens, and its cards move to their hours."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Final, NamedTuple

from PySide6.QtCore import QPoint, QRect, QRectF, QSizeF
from PySide6.QtGui import QPainter, QPixmap, QRegion
from PySide6.QtWidgets import QWidget

from app.desktop import motion, week
from app.desktop.calendar.days import Span
from app.desktop.calendar.geometry import Geometry
from app.desktop.calendar.view import CalendarView
from app.desktop.motion import tokens

_MOST_CARDS: Final = 40
"""Maximum number of cards that move; the others appear in place."""

_ZOOMED: Final = frozenset({Span.MONTH, Span.WEEK, Span.DAY})


class Scene(NamedTuple):
    """A picture of the grid, and where cards are on it, by post."""

    picture: QPixmap
    cards: Mapping[str, QRect]


Period = tuple[Span, int]
"""A span, and the first day of the shown period."""


@contextmanager
def zooming(
    grid: QWidget, view: CalendarView, period: Callable[[], Period], outline: Callable[[], QRegion]
) -> Iterator[None]:
    """Zoom from the visible period to the one that is visible after this block.

    Args:
        grid: The area to cover: the view with its header and its ruler.
        view: The view of the days.
        period: Returns the visible period.
        outline: Returns the part of the grid within its border.
    """
    before, day = period()
    if before not in _ZOOMED or not motion.answers() or not grid.isVisible():
        yield
        return
    start, row_of = _scene(grid, view), _rows(grid, view)
    yield
    after, opened = period()
    opens = before is Span.MONTH
    if after not in _ZOOMED or opens == (after is Span.MONTH):
        return
    end = _scene(grid, view)
    month, hours = (start, end) if opens else (end, start)
    row = row_of(week.first_of(opened)) if opens else _rows(grid, view)(week.first_of(day))
    zoom = _Zoom(month, hours, row, opens=opens)
    motion.cover(grid, grid.rect(), tokens.ZOOM, zoom.paint, outline=outline())


def _scene(grid: QWidget, view: CalendarView) -> Scene:
    corner = view.viewport().mapTo(grid, QPoint())
    shown = view.viewport().rect()
    cards = {}
    for box, card in view.page.cards_in(view.visible):
        if shown.contains(place := view.on_viewport(box)):
            cards[card.post.key] = place.translated(corner)
    return Scene(grid.grab(), cards)


def _rows(grid: QWidget, view: CalendarView) -> Callable[[int], QRect]:
    """Return a function that finds the current row of a week in the month, by its first day."""
    corner = view.viewport().mapTo(grid, QPoint()) - view.offset
    return partial(_row, view.page.geometry, corner, grid.rect())


def _row(geometry: Geometry, corner: QPoint, whole: QRect, first: int) -> QRect:
    """Return a week's row on the grid; a line in the middle if it isn't visible."""
    cell = geometry.cell(first)
    row = QRect(whole.x(), cell.y + corner.y(), whole.width(), cell.height)
    if not whole.contains(row):
        return QRect(whole.x(), whole.center().y(), whole.width(), 1)
    return row


def _emptied(scene: Scene, keys: Iterable[str]) -> QPixmap:
    """Return a scene's picture without some cards, which move separately."""
    picture, ratio = QPixmap(scene.picture), scene.picture.devicePixelRatio()
    image, painter = scene.picture.toImage(), QPainter(picture)
    for key in keys:
        card = scene.cards[key]
        beside = QPoint(max(0, card.left() - 2), card.center().y()) * ratio
        painter.fillRect(card, image.pixelColor(beside))
    painter.end()
    return picture


class _Zoom:
    """The frames between a month and hours; ``row`` is the row of the month that opens."""

    def __init__(self, month: Scene, hours: Scene, row: QRect, *, opens: bool) -> None:
        self._scenes, self._row, self._opens = (month, hours), row, opens
        self._both = [key for key in month.cards if key in hours.cards][:_MOST_CARDS]
        self._grounds = _emptied(month, self._both), _emptied(hours, self._both)

    def paint(self, painter: QPainter, progress: float) -> None:
        """Paint a moment: at a share of 0 the month, at 1 the hours."""
        share = progress if self._opens else 1 - progress
        (month, _), row = self._scenes, self._row
        size = month.picture.deviceIndependentSize().toSize()
        width, height, foot = size.width(), size.height(), row.y() + row.height()
        top, bottom = round(row.y() * (1 - share)), round(foot + (height - foot) * share)
        painter.setClipRect(0, top, width, bottom - top)
        painter.drawPixmap(0, 0, self._grounds[1])
        painter.setClipRect(row)
        painter.setOpacity(1 - share)
        painter.drawPixmap(0, 0, self._grounds[0])
        painter.setOpacity(1)
        painter.setClipRect(0, 0, width, top)
        painter.drawPixmap(0, top - row.y(), month.picture)
        painter.setClipRect(0, bottom, width, height - bottom)
        painter.drawPixmap(0, bottom - foot, month.picture)
        painter.setClipRect(0, top, width, bottom - top)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for key in self._both:
            _paint_card(painter, self._scenes, key, share)


def _paint_card(painter: QPainter, scenes: tuple[Scene, Scene], key: str, share: float) -> None:
    """Paint a moving card, blending its looks in the month and in the hours."""
    start, end = (QRectF(scene.cards[key]) for scene in scenes)
    corner = start.topLeft() + (end.topLeft() - start.topLeft()) * share
    width = start.width() + (end.width() - start.width()) * share
    place = QRectF(corner, QSizeF(width, start.height() + (end.height() - start.height()) * share))
    for scene, source, opacity in zip(scenes, (start, end), (1.0, share), strict=True):
        ratio = scene.picture.devicePixelRatio()
        painter.setOpacity(opacity)
        painter.drawPixmap(place, scene.picture, QRectF(source.topLeft() * ratio, source.size() * ratio))
