"""The month in all its states."""

from PySide6.QtCore import QPoint

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.day_sheet import DaySheet
from app.desktop.calendar.days import Span
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import Pace, wall_clock
from tests.gallery.hands import button, card, carry, choose, click, day, ordinal, pictures, pull, the
from tests.gallery.samples import (
    WAITING,
    dense_studio,
    empty_studio,
    full_studio,
    odd_texts,
)
from tests.gallery.scene import SUNDAY, Screen
from tests.gallery.scenes.history import published_studio
from tests.gallery.service import StudioService, account_id
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage

SCREEN = Screen()
_WOOL = "Wool, three weights"
_QUESTIONS, _RETURNS = "Five questions before you cut", "Returns, honestly: what came back and why"
_DAY_MS = 86_400_000
_QUICK = Pace(tick=0.01, poll_active=0.02)


@SCREEN.scene("month", has_mockup=True, at=SUNDAY)
async def dragging(stage: Stage) -> None:
    """As in the mock-up: two posts are carried to another day, one change is on its way to the service."""
    controller = await _with_a_change_on_its_way(stage)
    _carry_two(stage, controller.calendar, days=4)


@SCREEN.scene("month-resting", has_mockup=True, at=SUNDAY)
async def resting(stage: Stage) -> None:
    await _with_a_change_on_its_way(stage)


@SCREEN.scene("month-practice")
async def practice(stage: Stage) -> None:
    await _month(stage, full_studio(practice=True), name="Practice calendar")


@SCREEN.scene("month-empty")
async def empty(stage: Stage) -> None:
    await _month(stage, empty_studio())


@SCREEN.scene("month-no-accounts")
async def no_accounts(stage: Stage) -> None:
    await _month(stage, StudioService(wall_clock, attempts={}))


@SCREEN.scene("month-dense")
async def dense(stage: Stage) -> None:
    await _month(stage, dense_studio())


@SCREEN.scene("month-day-list")
async def day_list(stage: Stage) -> None:
    """The sheet behind "+n more" of tomorrow."""
    _list_tomorrow(await _month(stage, dense_studio()))


@SCREEN.scene("month-day-list-foot")
async def day_list_at_the_foot(stage: Stage) -> None:
    """Where the day is in the last week that shows, the sheet lies above it."""
    controller = await _month(stage, dense_studio())
    view = controller.calendar.grid.view
    top = view.page.geometry.cell(ordinal(1)).y
    view.verticalScrollBar().setValue(top - view.viewport().height() * 3 // 4)
    _list_tomorrow(controller)


@SCREEN.scene("month-day-list-drag")
async def day_list_drag(stage: Stage) -> None:
    """A post is dragged out of the sheet, which steps aside."""
    controller = await _month(stage, dense_studio())
    _list_tomorrow(controller)
    rows = the(DaySheet, controller.calendar).list
    start = rows.visualItemRect(rows.item(5)).topLeft() + QPoint(60, 14)
    end = rows.viewport().mapFromGlobal(
        controller.calendar.grid.view.viewport().mapToGlobal(day(controller.calendar, 3))
    )
    pull(stage, rows, start, end)


@SCREEN.scene("month-filtered")
async def filtered(stage: Stage) -> None:
    controller = await _month(stage, full_studio())
    bar = controller.calendar.filters
    bar.choose(bar.filter.with_account(account_id("instagram")))


@SCREEN.scene("month-selected")
async def selected(stage: Stage) -> None:
    pane = (await _month(stage, with_files(full_studio()))).calendar
    choose(pane, *(card(pane, headline) for headline in (_WOOL, _RETURNS, _QUESTIONS)))


@SCREEN.scene("month-selected-beside-panel")
async def listed(stage: Stage) -> None:
    """The panel of a post was open, and now lists what is selected."""
    controller = await _month(stage, with_files(full_studio()))
    pane = controller.calendar
    choose(pane, card(pane, _WOOL))
    await stage.until(lambda: controller.window.side)
    await stage.settle()
    for headline in (_RETURNS, _QUESTIONS):
        click(pane.grid.view.viewport(), card(pane, headline), ctrl=True)


@SCREEN.scene("month-drag-refused")
async def drag_refused(stage: Stage) -> None:
    controller = await _month(stage, full_studio())
    _carry_two(stage, controller.calendar, days=-3)


@SCREEN.scene("month-offline")
async def offline(stage: Stage) -> None:
    service = full_studio()
    controller = await _month(stage, service)
    service.online = False
    _move(controller, _QUESTIONS, _DAY_MS)
    _move(controller, _RETURNS, _DAY_MS)
    await stage.until(lambda: not controller.workspace.sync.connected)


@SCREEN.scene("month-key-refused")
async def key_refused(stage: Stage) -> None:
    service = full_studio()
    controller = await _month(stage, service, pace=_QUICK)
    service.key_is_good = False
    await stage.until(lambda: controller.workspace.sync.problem)


@SCREEN.scene("month-message")
async def message(stage: Stage) -> None:
    """The service refuses a move, and the person looks at the details."""
    service = full_studio()
    controller = await _month(stage, service)
    service.faults.append(("PATCH", "refuse"))
    _move(controller, _QUESTIONS, _DAY_MS)
    await stage.until(controller.window.messages.texts)
    await stage.settle()
    click(button("Details", controller.window.messages))


@SCREEN.scene("month-odd-texts")
async def odd(stage: Stage) -> None:
    await _month(stage, odd_texts())


def _list_tomorrow(controller: MainController) -> None:
    view = controller.calendar.grid.view
    box = view.page.geometry.cell(ordinal(1))
    rows = range(box.height - 1, 0, -2)
    low = next(y for y in rows if view.page.more_at(box.x + 20, box.y + y) is not None)
    click(view.viewport(), view.on_viewport(box).topLeft() + QPoint(20, low))


async def _month(
    stage: Stage, service: StudioService, name: str = "Okafor Studio", pace: Pace | None = None
) -> MainController:
    controller = await stage.controller(service, name, pace)
    controller.window.go("calendar")
    controller.calendar.show_span(Span.MONTH, ordinal(0))
    await pictures(stage, controller.calendar)
    await stage.settle()
    return controller


async def _with_a_change_on_its_way(stage: Stage) -> MainController:
    service = published_studio()
    service.held.add("PATCH")
    controller = await _month(stage, service)
    await controller.workspace.analytics.refresh()
    await stage.until(lambda: controller.calendar.results.is_at_rest)
    _move(controller, WAITING, 15 * 60_000)
    await stage.until(lambda: controller.workspace.sync.waiting == 1)
    return controller


def _carry_two(stage: Stage, pane: CalendarPane, days: int) -> None:
    start = card(pane, _WOOL, "instagram")
    choose(pane, start, card(pane, _WOOL, "pinterest"))
    carry(stage, pane, start, day(pane, days))


def _move(controller: MainController, headline: str, by: int) -> None:
    post = next(post for post in controller.workspace.posts.all() if post.headline == headline)
    controller.workspace.move({post.key: post.at + by})
