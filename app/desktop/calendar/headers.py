"""Headers of the days: weekdays and dates above them, and a ruler of hours in one or two time zones."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPixmap, QRegion
from PySide6.QtWidgets import QWidget

from app.desktop import week, words
from app.desktop.calendar.days import LocalDays, weekday_name
from app.desktop.calendar.geometry import HOURS_TOP, HoursGeometry, hour_height
from app.desktop.calendar.pages import TIMES_ON_THE_WAY
from app.desktop.calendar.paint import FramePacer, areas_to_paint
from app.desktop.calendar.placement import Box
from app.desktop.theme import theme
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import rounded, shows_focus
from app.desktop.widgets.text import TextFitter
from app.language import city, tr, trn
from app.workspace.time.wall import weekday

MONTH_HEADER = 30
HOURS_HEADER = 44

_MARGIN = 10
_NARROW_MARGIN = 4
_BEFORE_FACTS, _AFTER_FACTS = 6, 8
_MANY = 10
"""A number of posts that is as wide as most; columns too narrow for it show none."""

_MOST_PICTURES = 64


class DayHeader(QWidget):
    """The names of the weekdays; above hours with the date and number of posts of each day."""

    def __init__(self, days: LocalDays, count_of: Callable[[int], int]) -> None:
        super().__init__()
        self._days = days
        self._count_of = count_of
        self._hours: HoursGeometry | None = None
        self._offset = 0
        self._pictures: dict[tuple[int, int, int, int, int, int, float], QPixmap] = {}
        """Of days, by what they depend on."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        theme.follow(self._restyle)

    def show_weekdays(self) -> None:
        """Show only names."""
        if self._hours is not None:
            self._hours = None
            self.update()

    def show_days(self, hours: HoursGeometry, offset: int) -> None:
        """Show the dates of the days below, with their horizontal scroll offset."""
        if (hours, offset) != (self._hours, self._offset):
            self._hours, self._offset = hours, offset
            self.update()

    def recount(self, days: set[int]) -> None:
        """Update after posts of these days were added, removed or changed."""
        if self._hours is not None and not days.isdisjoint(self._hours.days_in(self._shown(self._hours))):
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # a painter starts with the app's direction
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
        """Return a day as it was last painted, unless something about it has changed."""
        ratio = self.devicePixelRatioF()
        key = (
            day,
            width,
            self._narrowest(width),
            self.height(),
            self._count_of(day),
            self._days.today(),
            ratio,
        )
        known = self._pictures.get(key)
        if known is None:
            if len(self._pictures) >= _MOST_PICTURES:
                self._pictures.clear()
            known = self._pictures[key] = self._render(day, width)
        return known

    def _narrowest(self, width: int) -> int:
        """Return the width of the narrowest column, which decides the layout; columns differ by a pixel."""
        if self._hours is not None:
            return self._hours.width // self._hours.columns
        return min(width, self.width() // 7)

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
        if margin + self._longest > self._narrowest(int(box.width())):  # large text next to a panel
            name, margin = name[:1], _NARROW_MARGIN
        self._write_name(painter, box, box.left() + margin, name)

    def _write_name(self, painter: QPainter, line: QRectF, left: float, name: str) -> None:
        painter.setPen(theme.current().color("text2"))
        self._names.write(painter, left, self._names.middle(line.top(), line.height()), name)

    def _paint_day(self, painter: QPainter, box: QRectF, day: int) -> None:
        """Paint weekday, number and facts in a line, or only the number below its weekday."""
        name, number = weekday_name(day), str(date.fromordinal(day).day)
        is_today = day == self._days.today()
        width = self._numbers.width(number) + (14 if is_today else 0)
        left = box.left() + _MARGIN + self._names.width(name) + 7
        narrowest = self._narrowest(int(box.width()))
        if narrowest >= self._side_by_side:
            self._paint_name(painter, box, weekday(day))
            self._paint_number(painter, left, box, number, is_today=is_today)
            self._paint_facts(
                painter, left + width + _BEFORE_FACTS, box.right() - _AFTER_FACTS, day, narrowest
            )
            return
        upper = QRectF(box.left(), box.top() + 2, box.width(), box.height() * 0.45)
        lower = QRectF(box.left(), upper.bottom(), box.width(), box.bottom() - upper.bottom() - 1)
        left = box.left() + _NARROW_MARGIN
        self._write_name(painter, upper, left, name)
        self._paint_number(painter, left, lower, number, is_today=is_today)

    def _paint_number(
        self, painter: QPainter, left: float, line: QRectF, number: str, *, is_today: bool
    ) -> None:
        """Write a day's number in a line; today's is in a pill."""
        if is_today:
            height = min(theme.current().grown(22), line.height())
            top = line.top() + (line.height() - height) / 2
            pill = QRectF(left, top, self._numbers.width(number) + 14, height)
            rounded(painter, pill, height / 2, fill="rubric")
        painter.setPen(theme.current().color("on_rubric" if is_today else "text"))
        baseline = self._numbers.middle(line.top(), line.height())
        self._numbers.write(painter, left + (7 if is_today else 0), baseline, number)

    def _paint_facts(self, painter: QPainter, left: float, right: float, day: int, narrowest: int) -> None:
        """Write the day's length if it's unusual, and the number of posts if it fits in all columns."""
        count, facts = self._count_of(day), self._facts
        room = narrowest - self._side_by_side - _BEFORE_FACTS - _AFTER_FACTS
        has_change = self._days.change_on(day) is not None
        length = [words.hours(self._days.length_minutes(day))] if has_change else []
        bare = [str(count)] if count and facts.width(str(_MANY)) <= room else []
        has_words = facts.width(trn("{n} post", "{n} posts", _MANY)) <= room
        counted = [trn("{n} post", "{n} posts", count)] if count and has_words else bare
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


_COLUMN = 56
_SECOND_COLUMN = 58
_AFTER_CITY = 9
"""Distance of a city's name from the right edge of its column, in px."""
_EDGE = 3
"""Smallest distance of a city's name from the edges of its column, in px."""
_MARK_WIDTH = 42
_HIDES_HOUR = 22
"""Distance of a mark from an hour below which it would cover the hour's label, in minutes."""

_LINE = 18

_ABOVE = 4
"""How far a large label of an hour extends beyond its line."""

_MARK_HEIGHT = 18


class HourRuler(QWidget):
    """The hours of the day, the current time, and the target time of a drag."""

    def __init__(self, days: LocalDays) -> None:
        super().__init__()
        self._days = days
        self._second: LocalDays | None = None
        self._scroll = 0
        self._day = days.today()
        self._shows_now = False
        self._drag_minute: int | None = None
        self._is_refused = False
        self._picture: QPixmap | None = None
        """All hours, without marks."""
        self._repaint: Callable[[QWidget, QRegion], None] = QWidget.update
        self._mark_grounds: dict[tuple[str, float], QPixmap] = {}
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        theme.follow(self._restyle)

    def pace(self, frames: FramePacer) -> None:
        """Repaint marks of a drag at the pace of what repaints the days."""
        self._repaint = frames.update

    @property
    def room(self) -> int:
        """The width that it needs."""
        return _column() + (_second_column() if self._second is not None else 0)

    def set_second_zone(self, zone: ZoneInfo | None) -> None:
        """Show the hours of another zone as well, or not."""
        self._second = LocalDays(zone) if zone is not None else None
        self._picture = None
        self.update()

    def show_hours(self, scroll: int, day: int, *, shows_now: bool) -> None:
        """Follow the view's scrolling; ``day`` is the first visible one, ``shows_now`` is true with today."""
        is_other, moved_now = scroll != self._scroll, shows_now != self._shows_now
        if day != self._day and self._second is not None:  # the second zone's hours may differ
            is_other, self._picture = True, None
        self._scroll, self._day, self._shows_now = scroll, day, shows_now
        if is_other:
            self.update()
        elif moved_now:
            self.update(self._around(self._now()))

    @property
    def drag_minute(self) -> int | None:
        """The minute of the day that is marked for a drag."""
        return self._drag_minute

    def show_drag(self, minute: int | None, *, refused: bool = False) -> None:
        """Mark a minute of the day, or none; ``refused`` if nothing can land there."""
        if (minute, refused) != (self._drag_minute, self._is_refused):
            if self._drag_minute is None:
                self._marks.rehearse(self._mark_left(TIMES_ON_THE_WAY[0]), TIMES_ON_THE_WAY)
            changed = QRegion(self._around(self._drag_minute)) | self._around(minute)
            self._drag_minute, self._is_refused = minute, refused
            self._repaint(self, changed)

    def second_time(self, minute: int) -> str:
        """Return the time in the second zone at a minute of the first visible day."""
        if self._second is None:
            return ""
        return _clock(self._second.place(self._days.instant(self._day, minute)).minute)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for area in areas_to_paint(event.region()):
            painter.setClipRect(area)
            self._paint(painter, area)

    def _paint(self, painter: QPainter, area: QRect) -> None:
        painter.drawPixmap(0, -self._scroll, self._all_hours())
        marks = self._marks_in(area)
        for cut in self._cut_hours():
            painter.fillRect(cut, theme.current().color("surface"))
        for minute, _, _ in marks:
            if (hour := _hidden_by(minute)) is not None:
                hidden = self._line(hour * 60).adjusted(0, -_ABOVE, 0, _ABOVE)
                painter.fillRect(hidden, theme.current().color("surface"))
        for minute, fill, ink in marks:
            self._paint_mark(painter, minute, fill, ink)

    def _marks_in(self, area: QRect) -> list[tuple[int, str, str]]:
        """Return the marked minutes in an area, each with the colours and the label of its mark."""
        marks: list[tuple[int, str, str]] = []
        if self._shows_now and self._has_room(self._now()):
            marks.append((self._now(), "rubric", "on_rubric"))
        if self._drag_minute is not None:
            colors = ("bad", "surface") if self._is_refused else ("accent", "on_accent")
            marks.append((self._drag_minute, *colors))
        return [mark for mark in marks if self._around(mark[0]).intersects(area)]

    def _has_room(self, minute: int) -> bool:
        """Whether more than half of the label at a minute is visible."""
        return 0 <= HOURS_TOP + minute * _hour() / 60 - self._scroll <= self.height()

    def _cut_hours(self) -> Iterator[QRectF]:
        """Yield the places of hours of which less than half is visible at an edge."""
        around = self.rect().toRectF().adjusted(0, 0, -1, 0)  # without the line on the right
        for hour in range(24):
            line = self._line(hour * 60).adjusted(0, -_ABOVE, 0, _ABOVE)
            line.setRight(around.right())
            if line.intersects(around) and not self._has_room(hour * 60):
                yield line.intersected(around)

    def _now(self) -> int:
        return self._days.minute_now()

    def _around(self, minute: int | None) -> QRect:
        """Return the area that looks different when a minute is marked."""
        if minute is None:
            return QRect()
        middle = HOURS_TOP + minute * _hour() // 60 - self._scroll
        reach = _HIDES_HOUR * _hour() // 60 + theme.current().grown(_LINE)
        return QRect(0, middle - reach, self.width(), 2 * reach)

    def _all_hours(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            look, size = theme.current(), QSize(self.room, HOURS_TOP + 24 * _hour())
            self._picture = QPixmap(size * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(look.color("surface"))
            painter = QPainter(self._picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_hours(painter, range(24))
            painter.fillRect(size.width() - 1, 0, 1, size.height(), look.color("line"))
            painter.end()
        return self._picture

    def _paint_hours(self, painter: QPainter, hours: Iterable[int]) -> None:
        """Write the labels of the hours at their places on the whole ruler."""
        painter.translate(0, self._scroll)  # lines are in widget coordinates
        for hour in hours:
            self._paint_hour(painter, hour)
        painter.translate(0, -self._scroll)

    def _paint_hour(self, painter: QPainter, hour: int) -> None:
        look, line = theme.current(), self._line(hour * 60)
        painter.setPen(look.color("text2" if self._second else "text3"))
        self._write(painter, line.right(), line, f"{hour:02}:00")
        if self._second is not None:
            painter.setPen(look.color("text3"))
            self._write(painter, line.right() + _second_column(), line, self.second_time(hour * 60))

    def _write(self, painter: QPainter, right: float, line: QRectF, text: str) -> None:
        hours = self._hours
        hours.write(painter, right - hours.width(text), hours.middle(line.top(), line.height()), text)

    def _line(self, minute: int) -> QRectF:
        middle, height = HOURS_TOP + minute * _hour() / 60 - self._scroll, theme.current().grown(_LINE)
        return QRectF(0, middle - height / 2, _column() - 9, height)

    def _paint_mark(self, painter: QPainter, minute: int, fill: str, ink: str) -> None:
        line, text, marks = self._line(minute), _clock(minute), self._marks
        painter.drawPixmap(QPointF(line.right() + 4 - self._mark_width, line.top()), self._mark_ground(fill))
        painter.setPen(theme.current().color(ink))
        baseline = marks.middle(line.top(), theme.current().grown(_MARK_HEIGHT))
        marks.write(painter, self._mark_left(text), baseline, text)

    def _mark_left(self, text: str) -> float:
        """Return where the label of a mark begins."""
        return _column() - 5 - (self._mark_width + self._marks.width(text)) / 2

    def _mark_ground(self, fill: str) -> QPixmap:
        """Return the cached background of a mark's label."""
        ratio = self.devicePixelRatioF()
        known = self._mark_grounds.get((fill, ratio))
        if known is None:
            size = QSize(self._mark_width, theme.current().grown(_MARK_HEIGHT))
            known = self._mark_grounds[fill, ratio] = QPixmap(size * ratio)
            known.setDevicePixelRatio(ratio)
            known.fill(theme.current().color("surface"))
            painter = QPainter(known)
            rounded(painter, QRectF(0, 0, size.width(), size.height()), 5, fill=fill)
            painter.end()
        return known

    def _restyle(self) -> None:
        look = theme.current()
        self._hours = TextFitter(look.font("figures"))
        self._marks = TextFitter(look.font("figures", QFont.Weight.DemiBold))
        self._mark_width = max(_MARK_WIDTH, round(self._marks.width("00:00")) + 8)
        self._picture = None
        self._mark_grounds.clear()
        self.update()


class ZoneCorner(EnterPresses):
    """The cities whose time zones the ruler shows; a click opens the choice of the second one."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self._zones = [zone]
        self.setToolTip(tr("Choose a second time zone"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._name()
        theme.notifier().changed.connect(self.update)

    def set_second_zone(self, zone: ZoneInfo | None) -> None:
        self._zones = [self._zones[0], *([zone] if zone is not None else [])]
        self._name()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_column() + _second_column() * (len(self._zones) - 1), 24)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # a painter starts with the app's direction
        painter.fillRect(self.rect(), look.color("surface"))
        if self.underMouse() or shows_focus(self):
            edge = "accent" if shows_focus(self) else None
            rounded(painter, self.rect().adjusted(3, 14, -3, -3).toRectF(), 4, fill="sunken", line=edge)
        left = 0
        for zone, width, role in zip(
            self._zones, (_column(), _second_column()), ("text2", "text3"), strict=False
        ):
            weight = QFont.Weight.DemiBold if role == "text2" else QFont.Weight.Normal
            painter.setFont(look.font("small", weight))
            painter.setPen(look.color(role))
            # Long names extend beyond the hours, which they are otherwise aligned with.
            is_long = painter.fontMetrics().horizontalAdvance(city(zone)) > width - _AFTER_CITY - _EDGE
            right = left + width - (_EDGE if is_long else _AFTER_CITY)
            box = QRectF(left + _EDGE, 0, right - left - _EDGE, self.height() - 7)
            shown = painter.fontMetrics().elidedText(
                city(zone), Qt.TextElideMode.ElideRight, int(box.width())
            )
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, shown)
            left += width
        painter.fillRect(0, self.height() - 1, self.width(), 1, look.color("line"))

    def _name(self) -> None:
        named = words.joined([city(zone) for zone in self._zones])
        self.setAccessibleName(tr("Time zones: {cities}. Choose a second time zone", cities=named))


def _hidden_by(minute: int) -> int | None:
    """Return the hour whose label a mark covers."""
    hour = (minute + 30) // 60
    return hour if abs(hour * 60 - minute) <= _HIDES_HOUR else None


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def _hour() -> int:
    return hour_height(theme.current().scale)


def _column() -> int:
    return round(_COLUMN * theme.current().scale)


def _second_column() -> int:
    return round(_SECOND_COLUMN * theme.current().scale)
