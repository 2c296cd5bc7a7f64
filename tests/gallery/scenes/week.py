"""The week in all its states."""

from datetime import datetime

from PySide6.QtCore import QPoint

from app.desktop.calendar.days import Span
from app.desktop.calendar.geometry import HOUR_HEIGHT
from app.desktop.shell.main_controller import MainController
from tests.gallery.hands import card, carry, click, day, ordinal, pictures
from tests.gallery.samples import ZONE, dense_studio, empty_studio, odd_texts, this_monday, week_studio
from tests.gallery.scene import SUNDAY, Screen
from tests.gallery.service import StudioService, at
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage

SCREEN = Screen()
_GRABBED = "A year of one pattern"


@SCREEN.scene("week", has_mockup=True, at=SUNDAY)
async def dragging(stage: Stage) -> None:
    """As in the mock-up: a post of next Thursday is carried to 16:30."""
    controller = await _week(stage, with_files(week_studio(week=1)), week=1)
    start = card(controller.calendar, _GRABBED)
    carry(stage, controller.calendar, start, start + QPoint(8, round(1.3 * HOUR_HEIGHT)))


@SCREEN.scene("week-today")
async def this_week(stage: Stage) -> None:
    """Scrolled so that the line of now shows."""
    view = (await _week(stage, with_files(week_studio()))).calendar.grid.view
    hours = datetime.now(ZONE).hour - 4
    view.verticalScrollBar().setValue(hours * HOUR_HEIGHT)


@SCREEN.scene("week-empty")
async def empty(stage: Stage) -> None:
    await _week(stage, empty_studio())


@SCREEN.scene("week-dense")
async def dense(stage: Stage) -> None:
    await _week(stage, dense_studio())


@SCREEN.scene("week-same-time")
async def same_time(stage: Stage) -> None:
    """Up to six posts of a day at one time."""
    await _week(stage, week_studio(week=1, clock="12:00"), week=1)


@SCREEN.scene("week-day-list")
async def day_list(stage: Stage) -> None:
    """The sheet behind "+n" of a day with six posts at one time."""
    controller = await _week(stage, week_studio(week=1, clock="12:00"), week=1)
    view = controller.calendar.grid.view
    full = next(day for day in view.page.geometry.days_in(view.visible) if view.page.cells.layout(day).more)
    more = view.page.cells.layout(full).more
    assert more is not None
    click(
        view.viewport(),
        view.on_viewport(view.page.geometry.cell(full)).topLeft() + QPoint(more.x + 8, more.y + 6),
    )


@SCREEN.scene("week-drag-refused")
async def drag_refused(stage: Stage) -> None:
    """A post of today is carried to a time that has passed."""
    service = week_studio()
    service.plan(at(0, "23:30", ZONE), "linkedin", _GRABBED + ", again")
    controller = await _week(stage, service)
    pane = controller.calendar
    pane.grid.view.verticalScrollBar().setValue(pane.grid.view.verticalScrollBar().maximum())
    start = card(pane, _GRABBED + ", again")
    yesterday = day(pane, -1).x() - day(pane, 0).x()
    across = yesterday if this_monday() else 0
    carry(stage, pane, start, start + QPoint(across, -4 * HOUR_HEIGHT))


@SCREEN.scene("week-odd-texts")
async def odd(stage: Stage) -> None:
    await _week(stage, odd_texts(), week=1)


async def _week(stage: Stage, service: StudioService, week: int = 0) -> MainController:
    controller = await stage.controller(service)
    controller.window.go("calendar")
    controller.calendar.show_span(Span.WEEK, ordinal(this_monday() + 7 * week))
    await pictures(stage, controller.calendar)
    await stage.settle()
    return controller
