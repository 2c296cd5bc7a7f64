"""A drag in progress: the dragged posts, the position, what a drop would do, and the drag preview."""

from collections.abc import Callable, Sequence
from math import ceil, pi, sin

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.desktop.calendar import moves
from app.desktop.calendar.cards import Line, Ring
from app.desktop.calendar.days import day_name
from app.desktop.calendar.motion import Flight, Path
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box, CardStyle
from app.desktop.calendar.planner import Planner
from app.desktop.motion import tokens
from app.desktop.theme import theme
from app.desktop.theme.theme import Theme
from app.desktop.widgets.painting import rounded, shadow, translucent
from app.desktop.widgets.text import TextFitter
from app.language import tr, trn
from app.workspace.posts.planned import PlannedPost

_SPREAD = 32
"""Space around the cards for the shadow."""

_STACK_X, _STACK_Y = 6, 14
"""Offset between the cards of a stack, enough to read each time."""

_MOST_IN_STACK = 3
_PALE = 0.18
"""Opacity of the veil over cards where they can't land: text on them keeps a contrast of 4.5:1."""

WIDEST = 420
"""Maximum width of a dragged card, in pixels at 100 %; a row of the agenda would cover the days."""

_TIP_PADDING = 9
_TIP_HEIGHT = 26
_TIP_LINE = 17
_MOST_GROUNDS = 64


class DragPreview:
    """The dragged cards: one picture of everything that stays, and the time of the grabbed card."""

    def __init__(
        self,
        paint_cards: Callable[[bool], QPixmap],
        card: QRectF,
        drop: int,
        time: Line | None,
        times: Sequence[str],
    ) -> None:
        """``paint_cards`` paints the cards; its argument is whether they can't land here.

        ``card`` is the grabbed card's place in that picture, ``drop`` is how far the stack extends below it;
        ``time`` is the grabbed card's, if any, and ``times`` are all times that it may have to show.
        """
        self.drop = drop
        self._paint_cards, self._card = paint_cards, card
        self._bare = paint_cards(False)
        picture = self._picture = self._shaded(self._bare)
        self._refused: QPixmap | None = None
        self._size = picture.deviceIndependentSize().toSize()
        self._time = time
        if time is not None:
            time.writer.rehearse(time.left, times)

    def tell(self, clock: str) -> None:
        """Show another time on the grabbed card."""
        if self._time is not None:
            self._time = self._time._replace(text=clock)

    def place(self, x: int, y: int) -> QRect:
        """Return the picture's rectangle, including the shadow, for a corner of the grabbed card."""
        return QRect(QPoint(x - _SPREAD, y - _SPREAD), self._size)

    def paint(self, painter: QPainter, x: int, y: int, lifted: float = 1.0, *, refused: bool = False) -> None:
        """Paint everything with the picture's corner at a point; below 1 it's still being lifted."""
        if refused:
            painter.drawPixmap(x, y, self._refused_picture())
            self._write_time(painter, x, y)
        elif lifted < 1:
            self._paint_rising(painter, x, y, lifted)
        else:
            painter.drawPixmap(x, y, self._picture)
            self._write_time(painter, x, y)

    def flat_picture(self, *, refused: bool = False) -> QPixmap:
        """Return the picture with its time."""
        picture = QPixmap(self._refused_picture() if refused else self._picture)
        painter = QPainter(picture)
        self._write_time(painter, 0, 0)
        painter.end()
        return picture

    def _refused_picture(self) -> QPixmap:
        """Return the picture of the cards where they can't land, painted when first needed."""
        if self._refused is None:
            self._refused = self._shaded(self._paint_cards(True))
        return self._refused

    def _shaded(self, cards: QPixmap) -> QPixmap:
        picture = QPixmap(cards.size())
        picture.setDevicePixelRatio(cards.devicePixelRatio())
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        shadow(painter, self._card, theme.current().metrics.radius_card)
        painter.drawPixmap(0, 0, cards)
        painter.end()
        return picture

    def _write_time(self, painter: QPainter, x: int, y: int) -> None:
        if self._time is not None:
            self._time.write(painter, x, y)

    def _paint_rising(self, painter: QPainter, x: int, y: int, lifted: float) -> None:
        """Paint the cards a little larger while their shadow appears."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        middle, scale = QRect(QPoint(x, y), self._size).center(), 1 + tokens.LIFT_SCALE * sin(pi * lifted)
        painter.translate(middle)
        painter.scale(scale, scale)
        painter.translate(-middle)
        painter.drawPixmap(x, y, self._bare)
        painter.setOpacity(lifted)
        painter.drawPixmap(x, y, self._picture)
        painter.setOpacity(1)
        self._write_time(painter, x, y)
        painter.restore()


def paint_preview(page: Page, posts: list[PlannedPost], box: Box, style: CardStyle) -> DragPreview:
    """Paint the grabbed card (first of ``posts``) with its shadow, and a stack of the others."""
    ratio = page.ratio
    depth = min(len(posts), _MOST_IN_STACK) - 1
    width = box.width + 2 * _SPREAD + depth * _STACK_X
    height = box.height + 2 * _SPREAD + depth * _STACK_Y

    def paint_cards(refused: bool) -> QPixmap:
        picture = QPixmap(round(width * ratio), round(height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        paint_stack(painter, page, posts[: depth + 1], box, style, refused=refused)
        painter.end()
        return picture

    top = box._replace(x=_SPREAD, y=_SPREAD)
    time = page.time_line(posts[0], top, style)
    return DragPreview(paint_cards, QRectF(*top), depth * _STACK_Y, time, page.times_on_the_way)


def paint_stack(
    painter: QPainter,
    page: Page,
    posts: Sequence[PlannedPost],
    box: Box,
    style: CardStyle,
    *,
    refused: bool = False,
) -> None:
    """Paint cards of the size of ``box``, the first on top without its time; pale where they can't land."""
    for level in range(len(posts) - 1, 0, -1):
        place = Box(_SPREAD + level * _STACK_X, _SPREAD + level * _STACK_Y, box.width, box.height)
        page.paint_card(painter, posts[level], place, style)
        _paint_edge(painter, page, posts[level], place, refused=refused)
    top = box._replace(x=_SPREAD, y=_SPREAD)
    page.paint_card(painter, posts[0], top, style, timed=False)
    _paint_edge(painter, page, posts[0], top, refused=refused)


def _paint_edge(painter: QPainter, page: Page, post: PlannedPost, place: Box, *, refused: bool) -> None:
    if refused:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(translucent(page.color("surface"), _PALE))
        radius = theme.current().metrics.radius_card
        painter.drawRoundedRect(QRectF(*place), radius, radius)
    page.paint_ring(painter, post, place, Ring("bad" if refused else "accent"))


class TipPainter:
    """Paints the tooltip of the preview.

    Backgrounds are cached by size, because texts change but sizes recur. A text is cached as a picture when
    it's painted a second time; for every text, that would cost as much as the rest of a move.
    """

    def __init__(self) -> None:
        self._look: Theme | None = None
        self._writer = TextFitter(theme.current().font("clock"))
        self._grounds: dict[tuple[int, int, bool, float], QPixmap] = {}
        self._measured = "", QSize()
        self._last: tuple[str, bool, float] | None = None
        self._picture: QPixmap | None = None

    def size(self, words: str) -> QSize:
        """Return the size of the tooltip for a text."""
        if self._look is not theme.current():
            self._restyle()
        if words != self._measured[0]:
            lines = words.split("\n")
            width, grown = ceil(max(map(self._writer.width, lines))) + 2 * _TIP_PADDING, theme.current().grown
            self._measured = words, QSize(width, grown(_TIP_HEIGHT) + (len(lines) - 1) * grown(_TIP_LINE))
        return self._measured[1]

    def paint(self, painter: QPainter, corner: QPoint, words: str, *, refused: bool, ratio: float) -> None:
        """Paint a text on the tooltip's background, or on red if the drop would be refused."""
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
    """Return a tooltip's place below the preview, or above it if it doesn't fit, within the viewport."""
    width, height = tip.width(), tip.height()
    y = bottom + 6 if bottom + 6 + height <= viewport.height() else top - 5 - height
    return QRect(max(4, min(left, viewport.width() - width - 5)), y, width, height)


_BELOW_LINE = 6
"""Distance of the preview below the line of its time in days with hours."""


class Drag:
    """State of one drag. Positions are viewport coordinates unless they say canvas."""

    def __init__(
        self,
        page: Page,
        posts: list[PlannedPost],
        grip: QPoint,
        preview: DragPreview,
        card_size: tuple[int, int],
    ) -> None:
        """The first of ``posts`` is the grabbed one; ``grip`` is the pointer's position in its card."""
        self.page = page
        self.posts = posts
        self.grip = grip
        self.preview = preview
        self.card_size = card_size
        self.pointer = QPoint()
        self.target: Target | None = None
        self.landings: moves.Landings = {}
        self.times: dict[str, int] = {}
        self.refusal: str | None = None
        self.tip = ""
        self.minute: int | None = None
        """Minute of the day where the grabbed post would land, in days with hours."""
        self._scroll = 0, 0
        self._clock_before = self._shown_clock = self._clock(self.grabbed.at)

    def dress(self, preview: DragPreview, grip: QPoint, card_size: tuple[int, int]) -> None:
        """Replace the preview after theme or text size changed."""
        preview.tell(self._shown_clock)
        self.preview, self.grip, self.card_size = preview, grip, card_size

    @property
    def grabbed(self) -> PlannedPost:
        """The post under the pointer when the drag started."""
        return self.posts[0]

    def turn_to(self, page: Page) -> None:
        """Continue on another page; the next move computes the target."""
        self.page = page
        self._aim(None)

    def scroll_to(self, corner: QPoint) -> None:
        """Note which point of the canvas is at the viewport's corner."""
        self._scroll = corner.x(), corner.y()

    def move(
        self,
        pointer: QPoint,
        planner: Planner,
        *,
        inside: bool = True,
        fine: bool = False,
        keep_time: bool = False,
    ) -> None:
        """Move the drag to a point and compute what a drop there would do; nothing unless ``inside``."""
        self.pointer = pointer
        x, y = self._scroll
        y += self.page.time_height(pointer.y(), self.grip.y())
        target = self.page.target(pointer.x() + x, y, fine=fine, keep_time=keep_time) if inside else None
        if target == self.target:
            return
        self._aim(target)
        self.refusal = self._refused(planner)
        self._show_time()
        self.tip = "\n".join(filter(None, (self._words(), self._remark())))

    def _aim(self, target: Target | None) -> None:
        self.target = target
        self.landings = self.page.moves(self.posts, self.grabbed, target) if target else {}
        self.times = moves.times(self.landings)
        self.refusal, self.tip = None, ""
        shows_minute = target is not None and target.minute is not None
        self.minute = self.page.days.place(self.times[self.grabbed.key]).minute if shows_minute else None

    def _show_time(self) -> None:
        """Show the time that the post would have on the preview."""
        clock = self._clock(self.times.get(self.grabbed.key, self.grabbed.at))
        if clock != self._shown_clock:
            self._shown_clock = clock
            self.preview.tell(clock)

    @property
    def is_worth_dropping(self) -> bool:
        """Whether a drop would change anything and be accepted."""
        return self.refusal is None and any(
            self.times[post.key] != post.at for post in self.posts if self.times
        )

    def preview_rect(self) -> QRect:
        """Return the rectangle of the grabbed card's picture."""
        return QRect(*self.preview_corner(), *self.card_size)

    def flight(self, path: Path, timing: tokens.Timing) -> Flight:
        """Return the grabbed card's picture for an animation."""
        place = QRect(QPoint(_SPREAD, _SPREAD), QSize(*self.card_size))
        picture = self.preview.flat_picture(refused=self.refusal is not None)
        return Flight(picture, path, place, timing)

    def preview_corner(self) -> tuple[int, int]:
        """Return the corner of the grabbed card's picture."""
        x, y = self.pointer.x() - self.grip.x(), self.pointer.y() - self.grip.y()
        snapped = self.page.line_height(self.target)
        return x, y if snapped is None else snapped - self._scroll[1] + _BELOW_LINE

    def _refused(self, planner: Planner) -> str | None:
        return None if self.target is None else moves.refusal(planner, self.posts, self.times)

    def _words(self) -> str:
        if self.target is None:
            return ""
        if self.refusal is not None:
            return self.refusal
        on = day_name(self.target.day)
        count = len(self.posts)
        if self.target.minute is None:
            kept = tr("times kept") if count > 1 else tr("{time} kept", time=self._clock_before)
            told = f"{on} · {kept}"
        else:
            told = f"{self._clock_before} → {self._shown_clock} · {on}"
        return " · ".join((trn("{n} post", "{n} posts", count), told)) if count > 1 else told

    def _remark(self) -> str | None:
        """Return which posts stay behind, or what a clock change does to the first affected post."""
        if self.refusal is not None or self.target is None:
            return None
        if left := len(moves.staying(self.posts)):
            return trn("{n} cancelled post won't move", "{n} cancelled posts won't move", left)
        remarks = (moves.remark(self.page.days, landing) for landing in self.landings.values())
        return next((remark for remark in remarks if remark), None)

    def _clock(self, at: int) -> str:
        return self.page.days.clock(at)
