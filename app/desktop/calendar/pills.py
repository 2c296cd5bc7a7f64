"""Says of days with hours what lies above and below those that show: "1 later, 22:30"."""

from collections.abc import Iterable
from math import ceil

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.desktop.calendar.placement import PlacedCard
from app.desktop.calendar.text import TextFitter
from app.desktop.calendar.view import CalendarView
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus

_HEIGHT = 22
_MARGIN = 6
_PADDING = 8
_ICON = 12
_NARROWEST = 80
"""Columns that are nearly scrolled away have no room for one."""


class Pill(QAbstractButton):
    """A small pill that leads to what it counts."""

    def __init__(self, icon: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = icon
        self._fitter = TextFitter(self.font())
        self.hide()
        theme.follow(self._restyle)

    def say(self, text: str, short: str, room: int) -> None:
        """Shows the text, or the short one where it has no room; screen readers hear all of it."""
        is_short = self._width(text) > room
        self.setAccessibleName(text)
        self.setText(short if is_short else text)
        self.setToolTip(text if is_short else "")

    def sizeHint(self) -> QSize:
        return QSize(self._width(self.text()), _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        has_ring = shows_focus(self)
        line = "accent" if has_ring else "line"
        fill = "sunken" if self.underMouse() else "surface"
        rounded(painter, box, _HEIGHT / 2, fill=fill, line=line, width=2 if has_ring else 1)
        draw_icon(painter, QRectF(_PADDING - 2, (_HEIGHT - _ICON) / 2, _ICON, _ICON), self._icon, "text3")
        painter.setPen(theme.current().color("text2"))
        words = box.adjusted(_PADDING + _ICON, 0, -_PADDING + 2, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, self.text())

    def _width(self, text: str) -> int:
        return ceil(self._fitter.width(text)) + _ICON + 2 * _PADDING + 4

    def _restyle(self) -> None:
        self.setFont(theme.current().font("small"))
        self._fitter = TextFitter(self.font())
        self.update()


class EdgePills(QObject):
    """Two pills for each column of the view, shown where posts lie beyond the edge."""

    def __init__(self, view: CalendarView, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self._parent = parent
        self._pairs: list[tuple[Pill, Pill]] = []
        self._goals: dict[Pill, int] = {}

    def show_for(self, days: Iterable[int]) -> None:
        """Counts anew for the days that show."""
        used = 0
        for used, day in enumerate(days, 1):
            above, below = self._beyond(day)
            earlier, later = self._pair(used - 1)
            self._show(earlier, "earlier", above, above[-1:], day)
            self._show(later, "later", below, below[:1], day)
        for pair in self._pairs[used:]:
            for pill in pair:
                pill.hide()

    def _pair(self, column: int) -> tuple[Pill, Pill]:
        while len(self._pairs) <= column:
            self._pairs.append((self._make("chevron-up"), self._make("chevron-down")))
        return self._pairs[column]

    def _make(self, icon: str) -> Pill:
        pill = Pill(icon, self._parent)
        pill.clicked.connect(lambda _checked=False: self._go(pill))
        return pill

    def _beyond(self, day: int) -> tuple[list[PlacedCard], list[PlacedCard]]:
        """The day's cards that lie wholly above and wholly below the view, in the order of time."""
        page, shown = self._view.page, self._view.visible
        top = shown.y - page.geometry.cell(day).y
        cards = sorted(page.cells.layout(day).cards, key=lambda card: (card.box.y, card.box.x))
        above = [card for card in cards if card.box.y + card.box.height <= top]
        return above, [card for card in cards if card.box.y >= top + shown.height]

    def _show(
        self, pill: Pill, where: str, found: list[PlacedCard], nearest: list[PlacedCard], day: int
    ) -> None:
        cell = self._view.page.geometry.cell(day)
        column = self._view.on_viewport(cell).intersected(self._view.viewport().rect())
        shows = bool(found) and column.width() > _NARROWEST
        pill.setVisible(shows)
        if not shows:
            return
        time = self._view.page.cards.time(nearest[0].post)
        pill.say(f"{len(found)} {where}, {time}", time, room=column.width() - 4)
        self._goals[pill] = nearest[0].box.y + cell.y
        self._place(pill, column, at_top=where == "earlier")

    def _place(self, pill: Pill, column: QRect, *, at_top: bool) -> None:
        view = self._view
        width = min(pill.sizeHint().width(), column.width() - 4)
        x = column.x() + (column.width() - width) // 2
        y = _MARGIN if at_top else view.height() - _HEIGHT - _MARGIN
        pill.setGeometry(x + view.x(), y + view.y(), width, _HEIGHT)
        pill.raise_()

    def _go(self, pill: Pill) -> None:
        middle = self._view.viewport().height() // 2
        self._view.verticalScrollBar().setValue(self._goals[pill] - middle)
        self._view.setFocus()
