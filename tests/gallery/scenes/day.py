"""One day with its hours, and the agenda."""

from datetime import date
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint

from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.geometry import HOUR_HEIGHT
from app.desktop.shell.main_controller import MainController
from app.workspace.time.wall import monday_of
from tests.gallery.hands import card, carry, ordinal, pictures
from tests.gallery.samples import (
    ZONE,
    dense_studio,
    empty_studio,
    full_studio,
    odd_texts,
    this_monday,
    week_studio,
)
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage

SCREEN = Screen()
_THURSDAY = 10


@SCREEN.scene("day")
async def dragging(stage: Stage) -> None:
    """A post of next Thursday is carried to a later hour."""
    controller = await _show(stage, with_files(week_studio(week=1)), Span.DAY, _THURSDAY)
    start = card(controller.calendar, "A year of one pattern")
    carry(stage, controller.calendar, start, start + QPoint(30, round(1.3 * HOUR_HEIGHT)))


@SCREEN.scene("day-dense")
async def dense(stage: Stage) -> None:
    await _show(stage, dense_studio(), Span.DAY, 0)


@SCREEN.scene("day-same-time")
async def same_time(stage: Stage) -> None:
    await _show(stage, week_studio(week=1, clock="12:00"), Span.DAY, _THURSDAY + 1)


@SCREEN.scene("week-between")
async def between(stage: Stage) -> None:
    """Scrolled to the side, before the columns come to rest."""
    controller = await _show(stage, week_studio(week=1), Span.WEEK, 7)
    bar = controller.calendar.grid.view.horizontalScrollBar()
    bar.setValue(bar.value() + 230)


@SCREEN.scene("agenda")
async def agenda(stage: Stage) -> None:
    await _show(stage, with_files(full_studio()), Span.AGENDA, 0)


@SCREEN.scene("agenda-empty")
async def agenda_empty(stage: Stage) -> None:
    await _show(stage, empty_studio(), Span.AGENDA, 0)


@SCREEN.scene("agenda-odd-texts")
async def agenda_odd(stage: Stage) -> None:
    await _show(stage, odd_texts(), Span.AGENDA, 0)


@SCREEN.scene("agenda-drag")
async def agenda_drag(stage: Stage) -> None:
    """A post is carried to a free day."""
    controller = await _show(stage, week_studio(week=1), Span.AGENDA, 7)
    start = card(controller.calendar, "A year of one pattern")
    carry(stage, controller.calendar, start, start - QPoint(-40, 260))


@SCREEN.scene("week-two-zones")
async def two_zones(stage: Stage) -> None:
    controller = await _show(stage, week_studio(week=1), Span.WEEK, 7)
    controller.calendar.grid.set_second_zone(ZoneInfo("America/New_York"))


@SCREEN.scene("week-choose-zone")
async def choose_zone(stage: Stage) -> None:
    controller = await _show(stage, week_studio(week=1), Span.WEEK, 7)
    controller.calendar.grid.zone_corner.click()


@SCREEN.scene("month-go-to-date")
async def go_to_date(stage: Stage) -> None:
    controller = await _show(stage, full_studio(), Span.MONTH, 0)
    controller.calendar.toolbar.go_to.click()


@SCREEN.scene("week-clock-change")
async def clock_change(stage: Stage) -> None:
    """The week in which the clock is put back, with a post in each of the two hours."""
    service = full_studio()
    autumn = date(date.today().year + 1, 10, 31)  # noqa: DTZ011  any year's will do
    day = monday_of(autumn.toordinal() + 1) - 1  # the last Sunday of October
    midnight = LocalDays(ZONE).day(day).start
    for hours, text in ((1.5, "Before the clock is put back"), (2.5, "An hour later"), (5, "In the morning")):
        service.plan(midnight + round(hours * 3_600_000), "linkedin", text)
    controller = await stage.controller(service)
    controller.window.go("calendar")
    controller.calendar.show_span(Span.WEEK, day)
    controller.calendar.grid.view.verticalScrollBar().setValue(0)
    await stage.settle()


async def _show(stage: Stage, service: StudioService, span: Span, days: int) -> MainController:
    """Shows a span from so many days after this Monday on."""
    controller = await stage.controller(service)
    controller.window.go("calendar")
    controller.calendar.show_span(span, ordinal(this_monday() + days))
    await pictures(stage, controller.calendar)
    await stage.settle()
    return controller
