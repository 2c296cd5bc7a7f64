"""The choice of days: 7, 30, 90, or some of one's own within the last 90."""

from datetime import date
from typing import Final

from PySide6.QtCore import QDate, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from app.desktop.widgets import DateField, IconButton, Label, Popover, Segmented, primary
from app.language import tr, trc
from app.workspace.analytics.dataset import Span

FARTHEST: Final = 90
_OWN: Final = "own"
_USUAL: Final = 30


class SpanChoice(QWidget):
    """Usual spans end today; one's own ends where one likes."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._own: Span | None = None
        self._today = date.today().toordinal()  # noqa: DTZ011  until a dataset says which day it is
        options = [(str(days), tr("{days} days", days=days)) for days in (7, _USUAL, FARTHEST)]
        self.usual = Segmented([*options, (_OWN, trc("days", "Custom"))], tr("Days"))
        self.own_button = IconButton("calendar-days", tr("Choose a date range"), "secondary")
        self.usual.set_value(str(_USUAL))
        self.usual.selected.connect(self._take)
        self.own_button.clicked.connect(self.ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.usual)
        row.addWidget(self.own_button)

    def span(self, today: int) -> Span:
        """What is chosen, on a day."""
        self._today = today
        if self.usual.value() == _OWN and self._own is not None:
            first = max(self._own.first, today - FARTHEST + 1)
            return Span(min(first, today), min(max(self._own.last, first), today))
        days = int(self.usual.value()) if self.usual.value() != _OWN else _USUAL
        return Span(today - days + 1, today)

    def choose(self, span: Span) -> None:
        """Look at these days."""
        self._own = span
        if self.usual.value() == _OWN:
            self.changed.emit()
        else:
            self.usual.set_value(_OWN)

    def ask(self) -> Popover:
        """Ask for the first and the last day."""
        popover = Popover(self.own_button)
        shown = self.span(self._today)
        first, last = self._field(shown.first, tr("First day")), self._field(shown.last, tr("Last day"))
        done = primary(tr("Apply"), size="small")
        grid = QGridLayout()
        for row, (name, field) in enumerate(((trc("days", "From"), first), (trc("days", "To"), last))):
            grid.addWidget(Label(name, "card", "text2"), row, 0)
            grid.addWidget(field, row, 1)
        popover.body.addLayout(grid)
        popover.body.addWidget(
            Label(tr("Any range within the last {days} days.", days=FARTHEST), "small", "text3")
        )
        popover.body.addWidget(done)

        def take() -> None:
            for field in (first, last):
                if field.problem():
                    field.setFocus()
                    return
            days = sorted(_ordinal(field.date()) for field in (first, last))
            popover.close()
            self.choose(Span(days[0], days[1]))

        done.clicked.connect(take)
        popover.open_below(self.own_button)
        first.setFocus()
        return popover

    def _field(self, day: int, name: str) -> DateField:
        field = DateField()
        field.setAccessibleName(name)
        field.setDateRange(_qdate(self._today - FARTHEST + 1), _qdate(self._today))
        field.setDate(_qdate(day))
        return field

    def _take(self, key: str) -> None:
        if key == _OWN and self._own is None:
            self._own = Span(self._today - _USUAL + 1, self._today)
            self.ask()
        self.changed.emit()


def _qdate(ordinal: int) -> QDate:
    day = date.fromordinal(ordinal)
    return QDate(day.year, day.month, day.day)


def _ordinal(day: QDate) -> int:
    return date(day.year(), day.month(), day.day()).toordinal()
