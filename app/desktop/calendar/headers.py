"""Above the days: weekdays and dates."""

from collections.abc import Callable
from datetime import date

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from app.desktop import week, words
from app.desktop.calendar.areas import areas_to_paint
from app.desktop.calendar.day_names import weekday_name
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import HoursGeometry
from app.desktop.calendar.placement import Box
from app.desktop.calendar.text import TextFitter
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded
from app.language import trn
from app.workspace.time.wall import weekday

MONTH_HEADER = 30
HOURS_HEADER = 44

_MARGIN = 10
_NARROW_MARGIN = 4
_MOST_PICTURES = 64


class DayHeader(QWidget):
    """Names of the weekdays; above hours with dates and the number of posts of each day."""

    def __init__(self, days: LocalDays, count_of: Callable[[int], int]) -> None:
        super().__init__()
        self._days = days
        self._count_of = count_of
        self._hours: HoursGeometry | None = None
        self._offset = 0
        self._pictures: dict[tuple[int, int, int, int, int, float], QPixmap] = {}
        """Of days, by what they depend on."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        theme.follow(self._restyle)

    def show_weekdays(self) -> None:
        """Shows names only."""
        if self._hours is not None:
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

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # a painter begins with the app's
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for area in areas_to_paint(event.region()):
            painter.setClipRect(area)
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        look = theme.current()
        if self._hours is None:
            painter.fillRect(self.rect(), look.color("surface"))
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
            self._paint_name(painter, box, (week.first_weekday() + column) % 7)
            if column < 6:
                self._paint_edge(painter, box)

    def _paint_days(self, painter: QPainter, hours: HoursGeometry) -> None:
        for day in hours.days_in(self._shown(hours)):
            cell = hours.cell(day)
            painter.drawPixmap(cell.x - self._offset, 0, self._picture(day, cell.width))

    def _picture(self, day: int, width: int) -> QPixmap:
        """A day as it was painted last, unless something about it has changed."""
        key = (day, width, self.height(), self._count_of(day), self._days.today(), self.devicePixelRatioF())
        known = self._pictures.get(key)
        if known is None:
            if len(self._pictures) >= _MOST_PICTURES:
                self._pictures.clear()
            known = self._pictures[key] = self._render(day, width)
        return known

    def _render(self, day: int, width: int) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(width * ratio), round(self.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(theme.current().color("surface"))
        painter = QPainter(picture)
        painter.setLayoutDirection(self.layoutDirection())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(0, 0, width, self.height())
        self._paint_day(painter, box, day)
        self._paint_edge(painter, box)
        painter.end()
        return picture

    def _paint_edge(self, painter: QPainter, box: QRectF) -> None:
        edge = QRectF(box.right() - 1, 0, 1, self.height())
        painter.fillRect(edge, theme.current().color("line2"))

    def _paint_name(self, painter: QPainter, box: QRectF, of_week: int) -> None:
        name = weekday_name(1 + of_week)  # the first day of the first year was a Monday
        margin = _MARGIN
        if margin + self._longest > box.width():  # large text beside a panel
            name, margin = name[:1], _NARROW_MARGIN
        self._write_name(painter, box, box.left() + margin, name)

    def _write_name(self, painter: QPainter, line: QRectF, left: float, name: str) -> None:
        painter.setPen(theme.current().color("text2"))
        self._names.write(painter, left, self._names.middle(line.top(), line.height()), name)

    def _paint_day(self, painter: QPainter, box: QRectF, day: int) -> None:
        """Paints weekday, number and facts beside each other, or the number alone below its weekday."""
        name, number = weekday_name(day), str(date.fromordinal(day).day)
        is_today = day == self._days.today()
        width = self._numbers.width(number) + (14 if is_today else 0)
        left = box.left() + _MARGIN + self._names.width(name) + 7
        if box.width() >= self._side_by_side:
            self._paint_name(painter, box, weekday(day))
            self._paint_number(painter, left, box, number, is_today=is_today)
            self._paint_facts(painter, left + width + 6, box.right() - 8, day)
            return
        upper = QRectF(box.left(), box.top() + 2, box.width(), box.height() * 0.45)
        lower = QRectF(box.left(), upper.bottom(), box.width(), box.bottom() - upper.bottom() - 1)
        left = box.left() + _NARROW_MARGIN
        self._write_name(painter, upper, left, name)
        self._paint_number(painter, left, lower, number, is_today=is_today)

    def _paint_number(
        self, painter: QPainter, left: float, line: QRectF, number: str, *, is_today: bool
    ) -> None:
        """Writes the number of a day in a line; that of today stands in a pill."""
        if is_today:
            height = min(theme.current().grown(22), line.height())
            top = line.top() + (line.height() - height) / 2
            pill = QRectF(left, top, self._numbers.width(number) + 14, height)
            rounded(painter, pill, height / 2, fill="rubric")
        painter.setPen(theme.current().color("on_rubric" if is_today else "text"))
        baseline = self._numbers.middle(line.top(), line.height())
        self._numbers.write(painter, left + (7 if is_today else 0), baseline, number)

    def _paint_facts(self, painter: QPainter, left: float, right: float, day: int) -> None:
        """How many posts the day has, and its length when it is unusual, as far as there is room."""
        count = self._count_of(day)
        has_change = self._days.change_on(day) is not None
        length = [words.hours(self._days.length_minutes(day))] if has_change else []
        counted = [trn("{n} post", "{n} posts", count)] if count else []
        bare = [str(count)] if count else []
        facts = self._facts
        choices = (" · ".join(some) for some in (length + counted, length + bare, length or bare))
        text = next((choice for choice in choices if facts.width(choice) <= right - left), "")
        painter.setPen(theme.current().color("text3"))
        facts.write(painter, right - facts.width(text), facts.middle(0, self.height()), text)

    def _restyle(self) -> None:
        look = theme.current()
        self._names = TextFitter(look.font("card", QFont.Weight.Medium))
        self._numbers = TextFitter(look.font("section"))
        self._facts = TextFitter(look.font("small"))
        self._longest = max(self._names.width(weekday_name(day)) for day in range(1, 8))
        self._side_by_side = _MARGIN + self._longest + 7 + self._numbers.width("00") + 14
        self._pictures.clear()
        self.update()
