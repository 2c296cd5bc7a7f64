"""The framed grid: header, ruler and view, showing a month or a week of one model."""

from datetime import date, datetime
from enum import Enum

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.desktop.calendar.cards import CardPainter, FindAccount
from app.desktop.calendar.composing import Composing
from app.desktop.calendar.days import LocalDays, monday_of
from app.desktop.calendar.geometry import WEEK_TOP, WeekGeometry
from app.desktop.calendar.headers import MONTH_HEADER, RULER, WEEK_HEADER, DayHeader, HourRuler
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.month import MonthPage, month_geometry
from app.desktop.calendar.page import Page
from app.desktop.calendar.pills import EdgePills
from app.desktop.calendar.view import CalendarView
from app.desktop.calendar.week import OPENS_AT_MINUTE, WeekPage
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded

_TICK_MS = 10_000


class Span(Enum):
    """How much time shows."""

    MONTH = "month"
    WEEK = "week"


class CalendarGrid(QWidget):
    """Keeps the right page in the view: by span, size, theme and time."""

    period_changed = Signal()
    """The month or week that shows is another one."""

    def __init__(self, model: PostListModel, days: LocalDays, find_account: FindAccount) -> None:
        super().__init__()
        self.span = Span.MONTH
        self.shown_day = days.today()
        self._model = model
        self._days = days
        self._find_account = find_account
        self._cards = CardPainter(days, find_account)
        self._header = DayHeader(days, lambda day: len(model.on_day(day)))
        self._ruler = HourRuler(days)
        self._scroll_in_week: int | None = None
        self._composing: Composing | None = None
        self._month_page = self._make_month(700, 500)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # time runs so, as on a ruler
        self._header.setParent(self)
        self._ruler.setParent(self)
        self.view = CalendarView(model, self._month_page, self)
        self._pills = EdgePills(self.view, self)
        self.view.scrolled.connect(self._scrolled)
        self.view.resized.connect(self._resized)
        model.days_changed.connect(self._header.count_anew)
        model.days_changed.connect(self._forget_days)
        model.modelReset.connect(self._forget_month)
        for settled in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            settled.connect(self._show_pills)
        model.modelReset.connect(self._header.update)
        theme.notifier().changed.connect(self._theme_changed)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._time_passed)
        self._tick.start()

    @property
    def ruler(self) -> HourRuler:
        """The hours beside a week."""
        return self._ruler

    def show_span(self, span: Span, day: int | None = None) -> None:
        """Shows the month or the week around a day."""
        if day is not None:
            self.shown_day = day
        self.span = span
        self._place_parts()
        self._make_page(jump=True)

    def turn(self, direction: int) -> None:
        """Shows the next (1) or previous (-1) month or week."""
        if self.span is Span.WEEK:
            self.show_span(Span.WEEK, self.shown_day + 7 * direction)
            return
        shown = date.fromordinal(self.shown_day)
        months = shown.year * 12 + shown.month - 1 + direction
        self.show_span(Span.MONTH, date(months // 12, months % 12 + 1, 1).toordinal())

    def show_day(self, day: int) -> None:
        """Turns to the week of a day; a month scrolls to it by itself."""
        if self.span is Span.WEEK and monday_of(day) != monday_of(self.shown_day):
            self.show_span(Span.WEEK, day)

    def title(self) -> tuple[str, str]:
        """The period's name, the part in bold and the part in quiet: ("November", "2026")."""
        if self.span is Span.MONTH:
            first = date.fromordinal(self.shown_day)
            return f"{first:%B}", str(first.year)
        monday = date.fromordinal(monday_of(self.shown_day))
        sunday = date.fromordinal(monday.toordinal() + 6)
        start = str(monday.day) if monday.month == sunday.month else f"{monday.day} {monday:%b}"
        return f"{start} – {sunday.day} {sunday:%B}", str(sunday.year)  # noqa: RUF001  a range takes the en dash

    def week_number(self) -> int | None:
        """The ISO week, while a week shows."""
        return date.fromordinal(self.shown_day).isocalendar().week if self.span is Span.WEEK else None

    def mark(self, composing: Composing | None) -> None:
        """Shows posts that are being written on their day, or no longer."""
        before, self._composing = self._composing, composing
        touched = {one.day for one in (before, composing) if one is not None}
        for page in {self._month_page, self.view.page} if composing != before else ():
            page.composing = composing
            page.cells.drop(touched)
        self.view.viewport().update()

    def shows(self, day: int) -> bool:
        """Whether a day is in view."""
        top = self.view.verticalOffset()
        return day in self.view.page.geometry.days_between(top, top + self.view.viewport().height())

    def refresh_accounts(self) -> None:
        """Accounts look different now: paints everything anew."""
        self._theme_changed()

    def event(self, event: QEvent) -> bool:
        """Paints anew on a screen with other pixels."""
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._make_page(jump=False)
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lays header, ruler and view out, and cuts the corners round."""
        del event
        self._place_parts()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The panel that shows at the hairline around the view."""
        rounded(QPainter(self), self.rect().toRectF(), self._radius, fill="surface", line="line")

    @property
    def _radius(self) -> int:
        return theme.current().metrics.radius_panel

    def _place_parts(self) -> None:
        inner = self.rect().adjusted(1, 1, -1, -1)
        is_week = self.span is Span.WEEK
        top = WEEK_HEADER if is_week else MONTH_HEADER
        left = RULER if is_week else 0
        self._header.setGeometry(inner.x(), inner.y(), inner.width(), top)
        self._ruler.setVisible(is_week)
        self._ruler.setGeometry(inner.x(), inner.y() + top, left, inner.height() - top)
        self.view.setGeometry(inner.x() + left, inner.y() + top, inner.width() - left, inner.height() - top)
        self._round_corners(inner)

    def _round_corners(self, inner: QRect) -> None:
        path = QPainterPath()
        path.addRoundedRect(inner.toRectF(), self._radius - 1, self._radius - 1)
        shape = QRegion(path.toFillPolygon().toPolygon())
        for part in (self._header, self._ruler, self.view):
            part.setMask(shape.translated(-part.pos()).intersected(QRegion(part.rect())))

    def _resized(self) -> None:
        self._make_page(jump=True)

    def _make_page(self, *, jump: bool) -> None:
        width, height = self.view.viewport().width(), self.view.viewport().height()
        page: Page
        if self.span is Span.MONTH:
            page, scroll = self._page_of_month(width, height)
            self._header.show_weekdays(width)
        else:
            page, scroll = self._page_of_week(width)
            self._header.show_week(monday_of(self.shown_day), width)
        page.now = _now_ms()
        page.composing = self._composing
        self.view.show_page(page, scroll if jump else self.view.verticalOffset())
        self._show_hours()
        self.period_changed.emit()

    def _make_month(self, width: int, height: int) -> MonthPage:
        geometry = month_geometry(width, height, self._days.today())
        return MonthPage(self._model, self._days, self._cards, geometry)

    def _page_of_month(self, width: int, height: int) -> tuple[MonthPage, int]:
        geometry = month_geometry(width, height, self._days.today())
        page = self._month_page
        if page.geometry != geometry or page.cards is not self._cards or page.today != self._days.today():
            page = self._month_page = MonthPage(self._model, self._days, self._cards, geometry)
        page.cells.drop({page.today})  # the time may have passed since it was painted
        first = date.fromordinal(self.shown_day).replace(day=1)
        self.shown_day = first.toordinal()
        page.month = (first.year, first.month)
        return page, geometry.cell(monday_of(self.shown_day)).y

    def _page_of_week(self, width: int) -> tuple[WeekPage, int]:
        geometry = WeekGeometry(max(70, width), monday_of(self.shown_day))
        scroll = self._scroll_in_week
        if scroll is None:
            scroll = geometry.y_of(OPENS_AT_MINUTE) - WEEK_TOP
        return WeekPage(self._model, self._days, self._cards, geometry), scroll

    def _scrolled(self) -> None:
        if self.span is Span.WEEK:
            self._scroll_in_week = self.view.verticalOffset()
            self._show_hours()
            return
        geometry = self._month_page.geometry
        half_a_row = geometry.height // geometry.rows // 2
        first = next(geometry.days_between(self.view.verticalOffset() + half_a_row, 0))
        middle = date.fromordinal(first + 10)
        if (middle.year, middle.month) != self._month_page.month:
            self._month_page.month = (middle.year, middle.month)
            self.shown_day = middle.replace(day=1).toordinal()
            self.view.viewport().update()
            self.period_changed.emit()

    def _show_hours(self) -> None:
        monday = monday_of(self.shown_day)
        self._ruler.show_hours(self.view.verticalOffset(), shows_now=monday == monday_of(self._days.today()))
        self._show_pills()

    def _show_pills(self) -> None:
        self._pills.show_for(monday_of(self.shown_day) if self.span is Span.WEEK else None)

    def _forget_days(self, days: set[int]) -> None:
        """The month must know what changes while a week shows."""
        self._month_page.cells.drop(days)

    def _forget_month(self) -> None:
        self._month_page.cells.clear()

    def _theme_changed(self) -> None:
        self._cards = CardPainter(self._days, self._find_account)
        self._make_page(jump=False)
        self.update()

    def _time_passed(self) -> None:
        """Moves the now-line and lets what is past become quiet."""
        page = self.view.page
        before, page.now = page.now, _now_ms()
        if page.today != self._days.today():
            self._make_page(jump=False)
        elif before // 60_000 != page.now // 60_000:
            page.cells.drop({page.today})
            self.view.viewport().update()
            self._show_hours()


def _now_ms() -> int:
    return round(datetime.now().timestamp() * 1_000)  # noqa: DTZ005  an instant, no wall clock
