"""Above and beside the days: weekdays, dates and hours."""

from collections.abc import Callable
from datetime import date, datetime

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.desktop import words
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import HOUR_HEIGHT, HOURS_TOP, HoursGeometry
from app.desktop.calendar.placement import Box
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded

_HIDES_HOUR = 22
"""Minutes around a mark in which it would cover the name of an hour."""

MONTH_HEADER = 30
HOURS_HEADER = 44
RULER = 56

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class DayHeader(QWidget):
    """Names of the weekdays; above hours with dates and the number of posts of each day."""

    def __init__(self, days: LocalDays, count_of: Callable[[int], int]) -> None:
        super().__init__()
        self._days = days
        self._count_of = count_of
        self._hours: HoursGeometry | None = None
        self._offset = 0
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        theme.notifier().changed.connect(self.update)

    def show_weekdays(self) -> None:
        """Shows names only."""
        self._hours = None
        self.update()

    def show_days(self, hours: HoursGeometry, offset: int) -> None:
        """Shows the dates of the days that lie below, scrolled so far to the side."""
        if (hours, offset) != (self._hours, self._offset):
            self._hours, self._offset = hours, offset
            self.update()

    def count_anew(self, days: set[int]) -> None:
        """Posts of these days come, go or change."""
        if self._hours is not None and not days.isdisjoint(self._hours.days_in(self._shown(self._hours))):
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), look.color("surface"))
        if self._hours is None:
            self._paint_names(painter)
        else:
            self._paint_days(painter, self._hours)
        painter.fillRect(0, self.height() - 1, self.width(), 1, look.color("line"))

    def _shown(self, hours: HoursGeometry) -> Box:
        return Box(self._offset, 0, hours.width, 1)

    def _paint_names(self, painter: QPainter) -> None:
        for column in range(7):
            left, right = column * self.width() // 7, (column + 1) * self.width() // 7
            box = QRectF(left, 0, right - left, self.height())
            self._paint_name(painter, box, column)
            if column < 6:
                self._paint_edge(painter, box)

    def _paint_days(self, painter: QPainter, hours: HoursGeometry) -> None:
        left = self.width() - hours.width
        self._paint_zone(painter, QRectF(0, 0, left - 9, self.height() - 7))
        painter.setClipRect(left, 0, hours.width, self.height())
        for day in hours.days_in(self._shown(hours)):
            cell = hours.cell(day)
            box = QRectF(left + cell.x - self._offset, 0, cell.width, self.height())
            self._paint_day(painter, box, day)
            self._paint_edge(painter, box)
        painter.setClipping(False)

    def _paint_edge(self, painter: QPainter, box: QRectF) -> None:
        edge = QRectF(box.right() - 1, 0, 1, self.height())
        painter.fillRect(edge, theme.current().color("line2"))

    def _paint_zone(self, painter: QPainter, box: QRectF) -> None:
        """The city that the hours below are counted for."""
        look = theme.current()
        painter.setFont(look.font("small", QFont.Weight.DemiBold))
        painter.setPen(look.color("text2"))
        city = (self._days.zone.key or "").rpartition("/")[2].replace("_", " ")
        shown = painter.fontMetrics().elidedText(city, Qt.TextElideMode.ElideRight, round(box.width()) - 4)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, shown)

    def _paint_name(self, painter: QPainter, box: QRectF, column: int) -> None:
        look = theme.current()
        painter.setFont(look.font("card", QFont.Weight.Medium))
        painter.setPen(look.color("text2"))
        name = f"{date.fromordinal(1 + column):%a}"  # the first day of the first year was a Monday
        painter.drawText(box.adjusted(10, 0, 0, 0), _LEFT, name)

    def _paint_day(self, painter: QPainter, box: QRectF, day: int) -> None:
        look = theme.current()
        date_ = date.fromordinal(day)
        is_today = day == self._days.today()
        painter.setFont(look.font("card", QFont.Weight.Medium))
        painter.setPen(look.color("text2"))
        name = f"{date_:%a}"
        painter.drawText(box.adjusted(10, 0, 0, 0), _LEFT, name)
        left = box.left() + 10 + painter.fontMetrics().horizontalAdvance(name) + 7
        painter.setFont(look.font("section"))
        number = QRectF(
            left, (box.height() - 22) / 2, painter.fontMetrics().horizontalAdvance(str(date_.day)), 22
        )
        if is_today:
            number.setWidth(number.width() + 14)
            rounded(painter, number, 11, fill="rubric")
        painter.setPen(look.color("on_rubric" if is_today else "text"))
        painter.drawText(number, Qt.AlignmentFlag.AlignCenter, str(date_.day))
        self._paint_facts(
            painter, QRectF(number.right() + 6, 0, box.right() - number.right() - 14, box.height()), day
        )

    def _paint_facts(self, painter: QPainter, box: QRectF, day: int) -> None:
        look = theme.current()
        count = self._count_of(day)
        hours = self._days.length_minutes(day) / 60
        facts = [f"{hours:g} h"] if hours != 24 else []
        facts += [words.counted(count, "post")] if count else []
        text = " · ".join(facts)
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        if painter.fontMetrics().horizontalAdvance(text) > box.width():
            text = str(count) if count else ""
        if painter.fontMetrics().horizontalAdvance(text) > box.width():
            return
        painter.drawText(box, _RIGHT, text)


class HourRuler(QWidget):
    """The hours of the day, the current time, and during a drag the time it would take."""

    def __init__(self, days: LocalDays) -> None:
        super().__init__()
        self._days = days
        self._scroll = 0
        self._shows_now = False
        self._drag_minute: int | None = None
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        theme.notifier().changed.connect(self.update)

    def show_hours(self, scroll: int, *, shows_now: bool) -> None:
        """Follows the view's scrolling; ``shows_now`` when today is in the week."""
        self._scroll, self._shows_now = scroll, shows_now
        self.update()

    @property
    def drag_minute(self) -> int | None:
        """The minute of the day that is marked for a drag."""
        return self._drag_minute

    def show_drag(self, minute: int | None) -> None:
        """Marks a minute of the day, or nothing."""
        if minute != self._drag_minute:
            self._drag_minute = minute
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), look.color("surface"))
        painter.setFont(look.font("small"))
        moment = datetime.now(self._days.zone)
        now = moment.hour * 60 + moment.minute if self._shows_now else None
        marks = [minute for minute in (now, self._drag_minute) if minute is not None]
        painter.setPen(look.color("text3"))
        for hour in range(24):
            if all(abs(hour * 60 - mark) > _HIDES_HOUR for mark in marks):
                painter.drawText(self._line(hour * 60), _RIGHT, f"{hour:02}:00")
        if now is not None:
            self._paint_mark(painter, now, "rubric", "on_rubric")
        if self._drag_minute is not None:
            self._paint_mark(painter, self._drag_minute, "accent", "on_accent")
        painter.fillRect(self.width() - 1, 0, 1, self.height(), look.color("line"))

    def _line(self, minute: int) -> QRectF:
        middle = HOURS_TOP + minute * HOUR_HEIGHT / 60 - self._scroll
        return QRectF(0, middle - 9, self.width() - 9, 18)

    def _paint_mark(self, painter: QPainter, minute: int, fill: str, ink: str) -> None:
        look = theme.current()
        line = self._line(minute)
        box = QRectF(line.right() - 38, line.top(), 42, 18)
        rounded(painter, box, 5, fill=fill)
        painter.setPen(look.color(ink))
        painter.setFont(look.font("small", QFont.Weight.DemiBold))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{minute // 60:02}:{minute % 60:02}")
        painter.setFont(look.font("small"))
