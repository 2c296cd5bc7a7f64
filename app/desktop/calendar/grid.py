"""The framed grid: header, ruler and view, showing a span of one model."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from app.desktop import motion, week
from app.desktop.calendar.agenda import AgendaGeometry
from app.desktop.calendar.buttons import PillButtons, SlotButtons
from app.desktop.calendar.cards import (
    FindAccount,
    FindPicture,
    FindResult,
    IsAtRisk,
    never,
    no_picture,
    no_result,
)
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.geometry import HOURS_TOP, Geometry, HoursGeometry, past_weeks, within_weeks
from app.desktop.calendar.headers import HOURS_HEADER, MONTH_HEADER, DayHeader, HourRuler, ZoneCorner
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.pages import OPENS_AT_MINUTE, MonthPage, Pages
from app.desktop.calendar.placement import Box, Composing
from app.desktop.calendar.slots import FreeSlots
from app.desktop.calendar.view import CalendarView
from app.desktop.calendar.zoom import zooming
from app.desktop.motion import tokens
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded
from app.workspace.clock import wall_clock
from app.workspace.posts.planned import PlannedPost

_AFTER_MS = 160


class ColumnSnap(QObject):
    """Snaps a scroll bar to the nearest resting place, a moment after it was moved."""

    def __init__(self, bar: QScrollBar) -> None:
        super().__init__(bar)
        self._bar = bar
        self._goal: Callable[[int], int | None] | None = None
        self._is_moving = False
        self._run: motion.Run | None = None
        self._timer = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._timer.timeout.connect(self._come_to_rest)

    def begin(self, goal: Callable[[int], int | None]) -> None:
        """Wait until nothing moves; ``goal`` returns the resting place of a value, or None for not yet."""
        if not self._is_moving:
            self._goal = goal
            self._timer.start()

    def stop(self) -> None:
        """Cancel the snap, because the caller scrolls elsewhere."""
        if self._run is not None:
            self._run.finish()
        self._timer.stop()

    def _come_to_rest(self) -> None:
        start = self._bar.value()
        goal = self._goal(start) if self._goal is not None else start
        if goal is None:
            self._timer.start()
            return
        if goal == start:
            return
        self._is_moving = True
        self._run = motion.play(
            self,
            tokens.SNAP,
            lambda part: self._move(start + (goal - start) * part),
            lambda: self._rest(goal),
        )

    def _move(self, value: float) -> None:
        self._bar.setValue(round(value))

    def _rest(self, goal: int) -> None:
        self._move(goal)
        self._is_moving = False


_TICK_MS = 10_000
_HEADERS = {Span.MONTH: MONTH_HEADER, Span.WEEK: HOURS_HEADER, Span.DAY: HOURS_HEADER, Span.AGENDA: 0}


class CalendarGrid(QWidget):
    """Keeps the right page in the view, by span, size, theme and time.

    ``shown_day`` is the first day of the shown period.
    """

    period_changed = Signal()
    """The shown period has changed."""

    def __init__(
        self,
        model: PostListModel,
        days: LocalDays,
        find_account: FindAccount,
        is_at_risk: IsAtRisk = never,
        slots: FreeSlots | None = None,
        find_picture: FindPicture = no_picture,
        find_result: FindResult = no_result,
    ) -> None:
        super().__init__()
        self.span = Span.MONTH
        self.shown_day = Span.MONTH.first_day(days.today())
        self._days = days
        self._model = model
        self._pages = Pages(model, days, find_account, is_at_risk, slots, find_picture, find_result)
        self._header = DayHeader(days, model.count_on)
        self._ruler = HourRuler(days)
        self.zone_corner = ZoneCorner(days.zone)
        self.second_zone: ZoneInfo | None = None
        self._hours_scroll: int | None = None
        """The user's scroll position of the hours since this span opened."""
        self._is_turning = False
        """Whether the view is scrolling to the start of another page."""
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # time runs left to right, as on a ruler
        for part in (self._header, self._ruler, self.zone_corner):
            part.setParent(self)
        self.view = CalendarView(model, self._pages.page(self.span, self.shown_day, self.size()), self)
        self._ruler.pace(self.view.frames)
        self.pill_buttons = PillButtons(self.view, self.view.pills)
        self.slot_buttons = SlotButtons(
            self.view, find_account, self.view.marks.show_ring, self.pill_buttons.last
        )
        self._snap = ColumnSnap(self.view.horizontalScrollBar())
        self._regrow = QTimer(self, singleShot=True, interval=0)
        self._regrow.timeout.connect(self._refit)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._connect(model)
        self._tick.start()

    @property
    def ruler(self) -> HourRuler:
        """The ruler of hours next to the days."""
        return self._ruler

    def set_second_zone(self, zone: ZoneInfo | None) -> None:
        """Show the hours of a second zone next to the calendar's, or none."""
        self.second_zone = zone
        self._ruler.set_second_zone(zone)
        self.zone_corner.set_second_zone(zone)
        self._place_parts()

    def show_span(self, span: Span, day: int | None = None) -> None:
        """Show the period of a span around a day."""
        if day is not None:
            self.shown_day = span.first_day(within_weeks(day))
        self._snap.stop()
        if span is self.span:
            self._make_page(jump=True)
            return
        with zooming(self, self.view, lambda: (self.span, self.shown_day), self._outline):
            self.span = span
            self._hours_scroll = None
            self._place_parts()
            self._make_page(jump=True)

    def show_now(self) -> None:
        """Show the period of today; with hours, around the current time."""
        self._hours_scroll = None
        before = self.shown_day
        self.show_span(self.span, self._days.today())
        self._slide((self.shown_day > before) - (self.shown_day < before))

    def turn(self, direction: int) -> None:
        """Show the next (1) or previous (-1) period."""
        day, geometry = self.span.turned(self.shown_day, direction), self.view.page.geometry
        if isinstance(geometry, AgendaGeometry):
            day = geometry.nearest(day, direction)
        self.show_span(self.span, day)
        self._slide(direction)

    def _slide(self, direction: int) -> None:
        """Let the days of a later (1) or an earlier (-1) period slide in."""
        cell = self.view.page.geometry.cell(self.shown_day)
        if not direction or not self.isVisible():
            return
        if self.span.columns is None:
            self.view.motion.turn(QPoint(0, direction * min(cell.height, tokens.TURN_PX)))
        else:
            self.view.motion.turn(QPoint(direction * min(cell.width, tokens.TURN_PX), 0))

    def show_day(self, day: int) -> None:
        """Turn to a day whose hours aren't visible; months and the agenda scroll to it by themselves."""
        if self.span.columns and not self.shows(day):
            self.show_span(self.span, day)

    def title(self) -> tuple[str, str]:
        """The period's name, the bold part and the regular part: ("November", "2026")."""
        return self.span.title(self.shown_day)

    def unused_height(self) -> int:
        """Return how much lower than the view its days are; 0 if they fill it."""
        return max(0, self.view.viewport().height() - self.view.page.geometry.content_height)

    def short_title(self) -> str:
        """The period's name with short words."""
        return self.span.short_title(self.shown_day)

    def week_number(self) -> int | None:
        """The ISO week, in spans with hours."""
        return self.span.week_number(self.shown_day)

    def mark(self, composing: Composing | None) -> None:
        """Show posts that are being written on their day, or none."""
        self._pages.mark(composing)
        self._refit()
        self.view.viewport().update()

    def shows(self, day: int) -> bool:
        """Whether a day is in view."""
        return day in self.view.page.geometry.days_in(self.view.visible)

    def posts_around(self) -> Iterator[PlannedPost]:
        """Yield the posts of the visible days, then those of the days one screen away."""
        shown, geometry = self.view.visible, self.view.page.geometry
        width, height = shown.width, shown.height
        near = Box(shown.x - width, shown.y - height, 3 * width, 3 * height)
        days = dict.fromkeys([*geometry.days_in(shown), *geometry.days_in(near)])
        members, on_day = self._model.members, self._model.on_day
        return (post for day in days for card in on_day(day) for post in members(card))

    def repaint_cards(self, keys: Iterable[str]) -> None:
        """Repaint posts that look different but haven't moved."""
        for post in filter(None, map(self._model.get, keys)):
            self._pages.forget_card(post)
            self.view.update_card(post)

    def refresh_slots(self) -> None:
        """Update the free slots after they changed."""
        self._pages.forget_all()
        self._show_buttons()
        self.view.viewport().update()

    def refresh_accounts(self) -> None:
        """Repaint everything, because accounts look different."""
        self._theme_changed()

    def event(self, event: QEvent) -> bool:
        """Repaint on a screen with another pixel ratio."""
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._make_page(jump=False)
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out header, ruler and view, and round the corners."""
        del event
        self._place_parts()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the panel, which is visible as a hairline around the view."""
        rounded(QPainter(self), self.rect().toRectF(), self._radius, fill="surface", line="line")

    @property
    def _radius(self) -> int:
        return theme.current().metrics.radius_panel

    def _connect(self, model: PostListModel) -> None:
        self.view.scrolled.connect(self._scrolled)
        self.view.shifted.connect(self._show_header)
        self.view.resized.connect(lambda: self._make_page(jump=True))
        model.days_changing.connect(self._pages.forget_days)
        model.days_changed.connect(self._header.recount)
        model.days_changed.connect(self._days_changed)
        model.modelReset.connect(self._regrow.start)
        for rows in (model.rowsInserted, model.rowsRemoved):
            rows.connect(self._rows_changed)
        model.modelReset.connect(self._pages.forget_all)
        model.modelReset.connect(self._header.update)
        for settled in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            settled.connect(self._show_buttons)
        theme.notifier().changed.connect(self._theme_changed)
        self.slot_buttons.walked.connect(self.show_day)
        self._tick.timeout.connect(self._time_passed)

    def _place_parts(self) -> None:
        inner = self.rect().adjusted(1, 1, -1, -1)
        # The last column and the last row end in a hairline like all others, hidden by the panel's own.
        right, bottom = inner.width() + 1, inner.height() + 1
        has_hours = self.span.columns is not None
        top, left = theme.current().grown(_HEADERS[self.span]), self._ruler.room if has_hours else 0
        self._header.setGeometry(inner.x() + left, inner.y(), right - left, top)
        self.zone_corner.setGeometry(inner.x(), inner.y(), left, top)
        self.zone_corner.setVisible(has_hours)
        self._ruler.setVisible(has_hours)
        self._ruler.setGeometry(inner.x(), inner.y() + top, left, inner.height() - top)
        self.view.setGeometry(inner.x() + left, inner.y() + top, right - left, bottom - top)
        self._round_corners()

    def _outline(self) -> QRegion:
        """Return the part within the border, with round corners."""
        path = QPainterPath()
        path.addRoundedRect(self.rect().adjusted(1, 1, -1, -1).toRectF(), self._radius - 1, self._radius - 1)
        return QRegion(path.toFillPolygon().toPolygon())

    def _round_corners(self) -> None:
        shape = self._outline()
        for part in (self._header, self.zone_corner, self._ruler, self.view):
            part.setMask(shape.translated(-part.pos()).intersected(QRegion(part.rect())))

    def _make_page(self, *, jump: bool) -> None:
        page = self._pages.page(self.span, self.shown_day, self.view.viewport().size())
        page.pass_time(wall_clock())
        if isinstance(page.geometry, AgendaGeometry):
            self.shown_day = page.geometry.nearest(self.shown_day)
        self._is_turning = True
        corner = self._corner_of(page.geometry) if jump else self._same_corner(page.geometry)
        self.view.show_page(page, corner)
        self._is_turning = False
        self._show_edges()
        self.period_changed.emit()

    def _corner_of(self, geometry: Geometry) -> QPoint:
        """Return the point of the canvas at the viewport's corner when a period is opened."""
        if isinstance(geometry, HoursGeometry):
            top = self._opens_at(geometry) if self._hours_scroll is None else self._hours_scroll
            return QPoint(geometry.cell(self.shown_day).x, top)
        if self.span is not Span.MONTH:
            return QPoint(0, geometry.cell(self.shown_day).y)
        top = geometry.cell(week.first_of(self.shown_day)).y
        today = self._days.today()
        if self.shown_day != Span.MONTH.first_day(today):
            return QPoint(0, top)
        cell = geometry.cell(today)  # in a small view below the first weeks of the month
        return QPoint(0, max(top, cell.y + cell.height - self.view.viewport().height()))

    def _opens_at(self, geometry: HoursGeometry) -> int:
        """Return the initial height in a day: the morning, unless now or the first post is elsewhere."""
        top, height = geometry.y_of(OPENS_AT_MINUTE) - HOURS_TOP, self.view.viewport().height()
        minute = self._first_minute(range(self.shown_day, self.shown_day + geometry.columns))
        if minute is None:
            return top
        wanted = geometry.y_of(minute)
        if top + HOURS_TOP <= wanted <= top + height * 2 // 3:
            return top
        return max(0, min(wanted - height // 3, geometry.content_height - height))

    def _first_minute(self, days: range) -> int | None:
        """Return the minute to show: now if today is shown, else that of the earliest post of any day."""
        if self._days.today() in days:
            return self._days.minute_now()
        return min((self._days.place(posts[0].at).minute for posts in self._posts_of(days)), default=None)

    def _posts_of(self, days: range) -> Iterator[Sequence[PlannedPost]]:
        return filter(None, map(self._model.on_day, days))

    def _same_corner(self, geometry: Geometry) -> QPoint:
        """Return the point of another canvas that shows the same days: canvases begin with a week."""
        before = self.view.page.geometry
        first = next(before.days_in(self.view.visible), self.shown_day)
        was, goes = before.cell(first), geometry.cell(first)
        return self.view.offset + QPoint(goes.x - was.x, goes.y - was.y)

    def _scrolled(self) -> None:
        if self._is_turning:
            return
        geometry, offset = self.view.page.geometry, self.view.offset
        first = next(geometry.days_in(self.view.visible), self.shown_day)
        if isinstance(geometry, HoursGeometry):
            self._hours_scroll = offset.y()
            first = geometry.nearest_day(offset.x())
            self._snap.begin(self._resting_place)
        elif isinstance(self.view.page, MonthPage):
            first = self.view.page.middle_day(offset.y())
        self._show_edges()
        self._show_period(first)

    def _show_period(self, first: int) -> None:
        """Handle that another day is the first visible one."""
        before = self.title()
        self.shown_day = Span.MONTH.first_day(first) if self.span is Span.MONTH else first
        if self.title() != before:
            if isinstance(self.view.page, MonthPage):
                shown = date.fromordinal(self.shown_day)
                self.view.page.month = (shown.year, shown.month)
                self.view.viewport().update()
            self.period_changed.emit()

    def _resting_place(self, x: int) -> int | None:
        """Return the left edge of the nearest day; None during a drag."""
        geometry = self.view.page.geometry
        if self.view.drag is not None or not isinstance(geometry, HoursGeometry):
            return None
        return geometry.cell(geometry.nearest_day(x)).x

    def _show_edges(self) -> None:
        """Update header, ruler and pills to the visible area."""
        geometry = self.view.page.geometry
        self._show_header()
        if isinstance(geometry, HoursGeometry):
            shows_now = self.shows(self._days.today())
            self._ruler.show_hours(self.view.verticalOffset(), self.shown_day, shows_now=shows_now)
        self._show_buttons()

    def _show_header(self) -> None:
        """Show the names of the days above their columns, also while those slide."""
        geometry = self.view.page.geometry
        if isinstance(geometry, HoursGeometry):
            self._header.show_days(geometry, self.view.horizontalOffset() - self.view.motion.shift.x())
        else:
            self._header.show_weekdays()

    def _show_buttons(self) -> None:
        days = tuple(self.view.page.geometry.days_in(self.view.visible)) if self.span.columns else ()
        self.view.pills.show_for(days)
        self.slot_buttons.show_for(days)

    def _rows_changed(self) -> None:
        """Update the agenda, whose days are as long as their posts."""
        if self.span is Span.AGENDA:
            self._regrow.start()

    def _days_changed(self, days: set[int]) -> None:
        """Make past weeks of the month as high as they need; all others stay as they are."""
        if self.span is Span.MONTH and not days.isdisjoint(past_weeks(self._days.today())):
            self._regrow.start()

    def _refit(self) -> None:
        """Keep the visible area in place after days became longer or shorter."""
        if self.span.columns:
            return
        page = self._pages.page(self.span, self.shown_day, self.view.viewport().size())
        page.now = self.view.page.now
        if page is not self.view.page or self.span is Span.AGENDA:
            self.view.show_page(page, self._same_corner(page.geometry))

    def _theme_changed(self) -> None:
        self._pages.restyle()
        self._place_parts()
        self._make_page(jump=False)
        self.update()

    def _time_passed(self) -> None:
        """Move the now-line and mute what is past."""
        page = self.view.page
        has_passed = page.pass_time(wall_clock())
        if page.today != self._days.today():
            self._make_page(jump=False)
            self._header.update()
        elif has_passed:
            self.view.viewport().update()
            self._ruler.update()
            self._show_edges()
