"""Popovers of the calendar: go to a date, and the choice of a second time zone."""

from collections.abc import Callable
from datetime import date
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDate, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from app.desktop.theme.theme import grow
from app.desktop.widgets import Label, MonthCalendar, Popover, ZonePicker, quiet
from app.desktop.words import day_and_year
from app.language import tr, trn


class GoToDate(Popover):
    """A month to choose a day from; a date can be typed, and Enter goes there."""

    chosen = Signal(int)
    """The day's ordinal."""

    def __init__(self, day: int, parent: QWidget, count: Callable[[int], int]) -> None:
        """``count`` returns the number of posts of a day, by its ordinal."""
        super().__init__(parent)
        shown = date.fromordinal(day)

        def describe(day: date) -> str:
            posts = count(day.toordinal())
            return f"{day_and_year(day)}, {trn('{n} post', '{n} posts', posts)}"

        self.setAccessibleName(tr("Go to date"))
        self.month = MonthCalendar(describe=describe)
        self.month.setAccessibleName(tr("Go to date"))
        self.month.setSelectedDate(QDate(shown.year, shown.month, shown.day))
        self.month.clicked.connect(self._go)
        self.month.activated.connect(self._go)
        self.body.addWidget(Label(tr("Go to date"), "card", "text2", weight=QFont.Weight.Medium))
        self.body.addWidget(self.month)
        self.month.setFocus()

    def _go(self, day: QDate) -> None:
        self.chosen.emit(date(day.year(), day.month(), day.day()).toordinal())
        self.close()


class ChooseSecondZone(Popover):
    """Asks for a second time zone, shown next to the calendar's."""

    chosen = Signal(object)
    """A ZoneInfo, or None for no second zone."""

    def __init__(self, own: ZoneInfo, second: ZoneInfo | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.picker = ZonePicker(own)
        grow(self.picker, QWidget.setMinimumWidth, 220)
        if second is not None:
            self.picker.set_zone(second)
        else:
            self.picker.ask(tr("Choose a zone"))
        self.picker.zone_changed.connect(self._choose)
        none = quiet(tr("Show one zone only"))
        none.setEnabled(second is not None)
        none.clicked.connect(self._choose_none)
        self.body.addWidget(Label(tr("Second time zone"), "card", "text2", weight=QFont.Weight.Medium))
        self.body.addWidget(self.picker)
        self.body.addWidget(none)
        self._own = own
        self.picker.setFocus()

    def _choose(self) -> None:
        zone = self.picker.zone()
        self.chosen.emit(zone if zone.key != self._own.key else None)
        self.close()

    def _choose_none(self) -> None:
        self.chosen.emit(None)
        self.close()
