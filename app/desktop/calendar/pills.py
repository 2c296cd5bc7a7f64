"""Says in the week what lies above and below the hours that show: "1 later, 22:30"."""

from collections.abc import Iterator

from PySide6.QtCore import QObject, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.desktop.calendar.placement import Box, PlacedCard
from app.desktop.calendar.view import CalendarView
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus

_HEIGHT = 22
_MARGIN = 6
_PADDING = 8
_ICON = 12


class Pill(QAbstractButton):
    """A small pill that leads to what it counts."""

    def __init__(self, icon: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = icon
        self.hide()
        theme.follow(self._restyle)

    def say(self, text: str, short: str, room: int) -> None:
        """Shows the text, or the short one where it has no room; screen readers hear all of it."""
        self.setAccessibleName(text)
        self.setText(text)
        if self.sizeHint().width() > room:
            self.setText(short)
            self.setToolTip(text)

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self.font()).horizontalAdvance(self.text())
        return QSize(words + _ICON + 2 * _PADDING + 4, _HEIGHT)

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

    def _restyle(self) -> None:
        self.setFont(theme.current().font("small"))
        self.update()


class EdgePills(QObject):
    """Two pills for each column of the view, shown where posts lie beyond the edge."""

    def __init__(self, view: CalendarView, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self._earlier = [Pill("chevron-up", parent) for _ in range(7)]
        self._later = [Pill("chevron-down", parent) for _ in range(7)]
        self._goals: dict[Pill, int] = {}
        for pill in (*self._earlier, *self._later):
            pill.clicked.connect(lambda _checked=False, pill=pill: self._go(pill))

    def show_for(self, monday: int | None) -> None:
        """Counts anew for the week that shows; None hides all."""
        for column in range(7):
            above: list[tuple[Box, PlacedCard]] = []
            below: list[tuple[Box, PlacedCard]] = []
            if monday is not None:
                above, below = self._beyond(monday + column)
            self._show(self._earlier[column], "earlier", above, above[-1:], column)
            self._show(self._later[column], "later", below, below[:1], column)

    def _beyond(self, day: int) -> tuple[list[tuple[Box, PlacedCard]], list[tuple[Box, PlacedCard]]]:
        """The day's cards that lie wholly above and wholly below the view, in the order of time."""
        cards = sorted(self._cards(day), key=lambda found: (found[0].y, found[0].x))
        top = self._view.verticalOffset()
        bottom = top + self._view.viewport().height()
        above = [found for found in cards if found[0].y + found[0].height <= top]
        return above, [found for found in cards if found[0].y >= bottom]

    def _cards(self, day: int) -> Iterator[tuple[Box, PlacedCard]]:
        cell = self._view.page.geometry.cell(day)
        for card in self._view.page.cells.layout(day).cards:
            yield card.box.moved(cell.x, cell.y), card

    def _show(
        self,
        pill: Pill,
        where: str,
        found: list[tuple[Box, PlacedCard]],
        nearest: list[tuple[Box, PlacedCard]],
        column: int,
    ) -> None:
        pill.setVisible(bool(found))
        if not found:
            return
        box, card = nearest[0]
        time = self._view.page.cards.time(card.post)
        pill.say(f"{len(found)} {where}, {time}", time, room=self._view.width() // 7 - 4)
        self._goals[pill] = box.y
        self._place(pill, column, at_top=where == "earlier")

    def _place(self, pill: Pill, column: int, *, at_top: bool) -> None:
        view = self._view
        left, right = column * view.width() // 7, (column + 1) * view.width() // 7
        width = min(pill.sizeHint().width(), right - left - 4)
        x = left + (right - left - width) // 2
        y = _MARGIN if at_top else view.height() - _HEIGHT - _MARGIN
        pill.setGeometry(x + view.x(), y + view.y(), width, _HEIGHT)
        pill.raise_()

    def _go(self, pill: Pill) -> None:
        middle = self._view.viewport().height() // 2
        self._view.verticalScrollBar().setValue(self._goals[pill] - middle)
        self._view.setFocus()
