"""Pills above and below the visible hours that count the hidden posts: "1 later, 22:30".

The pills are painted with the days: as widgets above the view, they would keep Qt from moving the pixels when
it scrolls, and each step would cost as much as a whole week (11 ms instead of 4). For the keyboard and screen
readers they have buttons (`buttons`).
"""

import textwrap
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QLinearGradient,
    QPainter,
    QPixmap,
    QRegion,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from app.desktop.calendar.page_view import PageView
from app.desktop.calendar.placement import Box, DayLayout, HiddenCards, PlacedCard
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded, translucent
from app.desktop.widgets.text import TextFitter
from app.language import number, tr

_HEIGHT = 22
_MARGIN = 6
_PADDING = 8
_ICON = 12
_VEIL = 44
"""Height of the area at the end of a column in which cards fade out."""
_SOLID = 0.7
"""Share of it in which they are almost invisible."""
_MOST_PICTURES = 256
_MOST_VEILS = 32
_MOST_WIDTHS = 4_096
_MOST_DAYS = 64


PillKey = tuple[int, str]
"""A day's ordinal and the icon: no day has two pills with the same icon."""


class Pill(NamedTuple):
    """A pill on the viewport that scrolls to a height of the canvas."""

    place: QRect
    icon: str
    text: str
    whole: str
    """The full form of ``text``."""
    goal: int
    day: int
    """Its ordinal."""
    veil: QRect
    """Area in which cards that the pill would cut through fade out; empty without such cards."""

    area: QRect
    """The area that it's painted on."""

    @property
    def key(self) -> PillKey:
        """What identifies it among the visible ones."""
        return self.day, self.icon

    def moved(self, dx: int, dy: int) -> "Pill":
        """Return it at another place on the viewport."""
        place, veil = self.place.translated(dx, dy), self.veil.translated(dx, dy)
        return self._replace(place=place, veil=veil, area=self.area.translated(dx, dy))


class _Counted(NamedTuple):
    """The pills for the cards outside a part of a day, and that part's position on the viewport."""

    layout: DayLayout
    part: Box
    corner: tuple[int, int]
    pills: list[Pill]


@dataclass(frozen=True, slots=True)
class _Beyond:
    """Cards and hidden posts beyond an edge of the visible part of a day."""

    cards: list[PlacedCard]
    hidden: list[HiddenCards]

    def __bool__(self) -> bool:
        return bool(self.cards or self.hidden)

    @property
    def ends(self) -> Iterator[PlacedCard]:
        """The cards of which one is the nearest to the edge."""
        return chain(self.cards, (card for some in self.hidden for card in (some[0], some[-1])))


class EdgePills(QObject):
    """Two pills for each column of the view, shown if there are posts beyond the edge."""

    changed = Signal()
    """The visible pills or their places have changed."""

    def __init__(self, view: PageView) -> None:
        super().__init__(view)
        self._view = view
        self._pictures: dict[tuple[str, str, bool, bool, float], QPixmap] = {}
        self._veils: dict[tuple[str, int, bool, float], QPixmap] = {}
        self._hovered: QRect | None = None
        self._focused: Pill | None = None
        self.shown: tuple[Pill, ...] = ()
        """From left to right, the upper one of a column first."""
        self._painted: tuple[Pill, ...] | None = None
        """The pills whose pixels are in the view, scrolled with its days; None while all is repainted."""
        self._counted: dict[int, _Counted] = {}
        theme.follow(self._restyle)

    def show_for(self, days: Iterable[int]) -> None:
        """Count again for the visible days."""
        shown = self._view.visible
        before, self.shown = self.shown, tuple(pill for day in days for pill in self._of(day, shown))
        painted, self._painted = self._painted, self.shown
        if painted is not None:
            self._view.viewport().update(_region(_unlike(painted, self.shown)))
        if before != self.shown:
            self.changed.emit()

    def restart(self) -> None:
        """Prepare for painting the whole view."""
        self._painted = None

    def follow(self, dx: int, dy: int) -> None:
        """Move the pills by an offset, because the view's pixels moved."""
        if self._painted is not None:
            self._painted = tuple(pill.moved(dx, dy) for pill in self._painted)

    def paint(self, painter: QPainter, area: QRect) -> None:
        """Paint the pills in an area of the viewport."""
        for pill in self.shown:
            if pill.area.intersects(area):
                self._paint_veil(painter, pill)
                painter.drawPixmap(pill.place.topLeft(), self._picture(pill))

    def _paint_veil(self, painter: QPainter, pill: Pill) -> None:
        """Fade out cards towards the edge of the view."""
        if pill.veil.isEmpty():
            return
        ratio, role = self._view.devicePixelRatioF(), self._view.page.ground(pill.day)
        key = role, pill.veil.width(), pill.veil.top() == 0, ratio
        known = self._veils.get(key)
        if known is None:
            if len(self._veils) >= _MOST_VEILS:
                self._veils.clear()
            known = self._veils[key] = _veil(self._view.page.color(role), *key[1:])
        painter.drawPixmap(pill.veil.topLeft(), known)

    def at(self, point: QPoint) -> Pill | None:
        """Return the pill at a point of the viewport."""
        return next((pill for pill in self.shown if pill.place.contains(point)), None)

    def hover(self, point: QPoint | None) -> bool:
        """Show which pill the pointer is on; return whether it's on one."""
        pill = self.at(point) if point is not None else None
        before, self._hovered = self._hovered, pill.place if pill is not None else None
        if before != self._hovered:
            self._view.viewport().update(QRegion(before or QRect()) | QRegion(self._hovered or QRect()))
        return pill is not None

    def press(self, point: QPoint) -> bool:
        """Go where the pill at a point leads; return whether there is one."""
        pill = self.at(point)
        if pill is not None:
            self.go_to(pill)
        return pill is not None

    def go_to(self, pill: Pill) -> None:
        """Scroll to a pill's target, and focus the days."""
        middle = self._view.viewport().height() // 2
        self._view.verticalScrollBar().setValue(pill.goal - middle)
        self._view.setFocus()

    def focus(self, pill: Pill | None) -> None:
        """Show which pill has the focus."""
        before, self._focused = self._focused, pill
        if before != pill:
            self._view.viewport().update(_region(one for one in (before, pill) if one is not None))

    def _of(self, day: int, shown: Box) -> list[Pill]:
        """Return the pills of a day on the viewport; cached relative to the day until the day changes."""
        page = self._view.page
        column, layout = page.geometry.cell(day), page.cells.layout(day)
        left, right = max(column.x, shown.x), min(column.x + column.width, shown.x + shown.width)
        if right - left < self._width("00") + 4:  # nearly scrolled away
            return []
        part = Box(left - column.x, shown.y - column.y, right - left, shown.height)
        corner = column.x - shown.x, column.y - shown.y
        known = self._counted.get(day)
        if known is None or known.layout is not layout or known.part != part:
            if len(self._counted) >= _MOST_DAYS:
                self._counted.clear()
            known = _Counted(layout, part, (0, 0), self._count(day, layout, part))
        if known.corner != corner:
            dx, dy = corner[0] - known.corner[0], corner[1] - known.corner[1]
            known = known._replace(corner=corner, pills=[pill.moved(dx, dy) for pill in known.pills])
        self._counted[day] = known
        return known.pills

    def _count(self, day: int, layout: DayLayout, part: Box) -> list[Pill]:
        above, below = _beyond(layout, part)
        found = [self._pill("earlier", above, max(above.ends, key=_place), day, part)] if above else []
        return found + ([self._pill("later", below, min(below.ends, key=_place), day, part)] if below else [])

    def _count_posts(self, day: int, found: _Beyond) -> int:
        """Return the number of posts beyond the edge of a day, without a look at each hidden one."""
        model, days = self._view.page.model, self._view.page.days
        count = model.count(card.post for card in found.cards)
        for part in found.hidden:
            if days.change_on(day) is not None:  # not sorted by time
                count += model.count(card.post for card in part)
                continue
            first, last = part[0].post.at, part[-1].post.at
            cards = self._view.page.cells.layout(day).cards
            among = (card.post for card in cards if first <= card.post.at <= last)
            count += model.count_between(first, last + 1) - model.count(among)
        return count

    def _pill(self, where: str, found: _Beyond, nearest: PlacedCard, day: int, part: Box) -> Pill:
        """Return the pill at the edge of the visible ``part`` of a day, in pixels of the day."""
        view, is_above = self._view, where == "earlier"
        time = view.page.cards.time(nearest.post)
        count = self._count_posts(day, found)
        whole = _told(count, time, is_above=is_above)
        room = part.width - 4
        choices = whole, time, number(count)
        text = next((choice for choice in choices if self._width(choice) <= room), choices[-1])
        width = min(self._width(text), room)
        y = _MARGIN if is_above else part.height - _height() - _MARGIN
        box = Box(part.x + (part.width - width) // 2, part.y + y, width, _height())
        veil = QRect()
        if any(card.box.intersects(box) for card in view.page.cells.layout(day).cards):
            # The end of the column, where cards lie below the pill.
            end = 0 if is_above else part.height - _VEIL
            veil = QRect(part.x, part.y + end, part.width - 1, _VEIL)
        icon = "chevron-up" if is_above else "chevron-down"
        goal = nearest.box.y + view.page.geometry.cell(day).y
        place = QRect(*box)
        return Pill(place, icon, text, whole, goal, day, veil, place | veil)

    def _picture(self, pill: Pill) -> QPixmap:
        ratio = self._view.devicePixelRatioF()
        is_focused = pill == self._focused
        key = (pill.icon, pill.text, pill.place == self._hovered, is_focused, ratio)
        known = self._pictures.get(key)
        if known is None:
            if len(self._pictures) >= _MOST_PICTURES:
                self._pictures.clear()
            fill = "sunken" if pill.place == self._hovered else "surface"
            line = "accent" if is_focused else "line"
            known = self._pictures[key] = self._paint(pill.icon, pill.text, fill, line, ratio)
        return known

    def _paint(self, icon: str, text: str, fill: str, line: str, ratio: float) -> QPixmap:
        width = self._width(text)
        picture = QPixmap(round(width * ratio), round(_height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        box = QRectF(0, 0, width, _height())
        rounded(painter, box, _height() / 2, fill=fill, line=line, width=2 if line == "accent" else 1)
        draw_icon(painter, QRectF(_PADDING - 2, (_height() - _ICON) / 2, _ICON, _ICON), icon, "text3")
        self._write(painter, text)
        painter.end()
        return picture

    def _write(self, painter: QPainter, text: str) -> None:
        painter.setPen(theme.current().color("text2"))
        self._fitter.write(painter, _PADDING + _ICON + 2, self._fitter.middle(0, _height()), text)

    def _measured(self, text: str) -> int:
        return ceil(self._fitter.width(text)) + _ICON + 2 * _PADDING + 4

    def _restyle(self) -> None:
        self._fitter = TextFitter(theme.current().font("small"))
        self._width = lru_cache(maxsize=_MOST_WIDTHS)(self._measured)
        self._pictures.clear()
        self._veils.clear()
        self._counted.clear()


def _told(count: int, time: str, *, is_above: bool) -> str:
    if is_above:
        return tr("{n} earlier, {time}", n=count, time=time)
    return tr("{n} later, {time}", n=count, time=time)


def _height() -> int:
    """Return the height of a pill; it grows with text."""
    return theme.current().grown(_HEIGHT)


def _veil(ground: QColor, width: int, is_above: bool, ratio: float) -> QPixmap:
    picture = QPixmap(round(width * ratio), round(_VEIL * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    fade = QLinearGradient(QPointF(0, 0), QPointF(0, _VEIL))
    for place, alpha in ((0.0, 1.0), (_SOLID, 0.92), (1.0, 0.0)):
        fade.setColorAt(place if is_above else 1 - place, translucent(ground, alpha))
    painter = QPainter(picture)
    painter.fillRect(QRect(0, 0, width, _VEIL), fade)
    painter.end()
    return picture


def _beyond(layout: DayLayout, part: Box) -> tuple[_Beyond, _Beyond]:
    """Return the cards and hidden posts above and below the visible part of a day.

    Cards of which only as much is visible as a pill covers are included.
    """
    first, last = part.y + _height() + _MARGIN, part.y + part.height - _height() - _MARGIN
    above = [card for card in layout.cards if _bottom(card) <= first]
    below = [card for card in layout.cards if card.box.y >= last]
    ends = [bisect_right(some, first, key=_bottom) for some in layout.behind]
    starts = [bisect_left(some, last, key=lambda card: card.box.y) for some in layout.behind]
    hidden_above = [some[:end] for some, end in zip(layout.behind, ends, strict=True) if end]
    hidden_below = [
        some[start:] for some, start in zip(layout.behind, starts, strict=True) if start < len(some)
    ]
    return _Beyond(above, hidden_above), _Beyond(below, hidden_below)


def _bottom(card: PlacedCard) -> int:
    return card.box.y + card.box.height


def _place(card: PlacedCard) -> tuple[int, int]:
    return card.box.y, card.box.x


def _unlike(before: Iterable[Pill], after: Iterable[Pill]) -> list[Pill]:
    """Return the pills that aren't in both."""
    old, new = ({pill.key: pill for pill in pills} for pills in (before, after))
    return [
        pill
        for key in old.keys() | new.keys()
        if old.get(key) != new.get(key)
        for pill in (old.get(key), new.get(key))
        if pill
    ]


def _region(pills: Iterable[Pill]) -> QRegion:
    region = QRegion()
    for pill in pills:
        region |= QRegion(pill.area)
    return region


_LINE = 60
"""Characters per line, because plain-text tooltips don't wrap automatically."""


class CardTips(QStyledItemDelegate):
    """Shows a card's description for screen readers as its tooltip.

    Qt asks an item's delegate. A filter of the view's events would see all of them, and make each mouse move
    a tenth slower.
    """

    def __init__(self, view: PageView, pills: EdgePills) -> None:
        super().__init__(view)
        self._pills = pills

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        """Show the tooltip of a card, of a pill, or of what is between them."""
        if event.type() is not QHelpEvent.Type.ToolTip:
            return super().helpEvent(event, view, option, index)
        pill = self._pills.at(event.pos())
        if pill is not None:
            words = pill.whole if pill.text != pill.whole else ""
            QToolTip.showText(event.globalPos(), words, view.viewport(), pill.place)
        elif index.isValid():
            words = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
            shown = "\n".join(textwrap.wrap(words, _LINE))
            QToolTip.showText(event.globalPos(), shown, view.viewport(), view.visualRect(index))
        else:
            QToolTip.hideText()
        return True
