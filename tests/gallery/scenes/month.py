"""The month in all its states."""

from PySide6.QtCore import QPoint

from app.desktop.calendar import CalendarPane
from app.desktop.calendar.day_sheet import DaySheet
from app.desktop.calendar.days import Span
from app.desktop.shell.house import House
from app.workspace.clock import Pace, wall_clock
from tests.gallery.hands import button, card, carry, choose, click, day, ordinal, pictures, pull, the
from tests.gallery.samples import (
    WAITING,
    dense_studio,
    empty_studio,
    full_studio,
    odd_texts,
)
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage

SCREEN = Screen()
_WOOL = "Wool, three weights"
_QUESTIONS, _RETURNS = "Five questions before you cut", "Returns, honestly: what came back and why"
_DAY_MS = 86_400_000
_QUICK = Pace(tick=0.01, poll_active=0.02)


@SCREEN.scene("month", has_mockup=True)
async def dragging(stage: Stage) -> None:
    """As in the mock-up: two posts are carried to another day, one change is on its way to the service."""
    house = await _with_a_change_on_its_way(stage)
    _carry_two(stage, house.calendar, days=4)


@SCREEN.scene("month-resting")
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
    house = await _month(stage, dense_studio())
    view = house.calendar.grid.view
    top = view.page.geometry.cell(ordinal(1)).y
    view.verticalScrollBar().setValue(top - view.viewport().height() * 3 // 4)
    _list_tomorrow(house)


@SCREEN.scene("month-day-list-drag")
async def day_list_drag(stage: Stage) -> None:
    """A post is dragged out of the sheet, which steps aside."""
    house = await _month(stage, dense_studio())
    _list_tomorrow(house)
    rows = the(DaySheet, house.calendar).list
    start = rows.visualItemRect(rows.item(5)).topLeft() + QPoint(60, 14)
    end = rows.viewport().mapFromGlobal(
        house.calendar.grid.view.viewport().mapToGlobal(day(house.calendar, 3))
    )
    pull(stage, rows, start, end)


@SCREEN.scene("month-filtered")
async def filtered(stage: Stage) -> None:
    house = await _month(stage, full_studio())
    click(button("Maya Okafor", house.calendar.filters))


@SCREEN.scene("month-selected")
async def selected(stage: Stage) -> None:
    pane = (await _month(stage, with_files(full_studio()))).calendar
    choose(pane, *(card(pane, headline) for headline in (_WOOL, _RETURNS, _QUESTIONS)))


@SCREEN.scene("month-drag-refused")
async def drag_refused(stage: Stage) -> None:
    house = await _month(stage, full_studio())
    _carry_two(stage, house.calendar, days=-3)


@SCREEN.scene("month-offline")
async def offline(stage: Stage) -> None:
    service = full_studio()
    house = await _month(stage, service)
    service.online = False
    _move(house, _QUESTIONS, _DAY_MS)
    _move(house, _RETURNS, _DAY_MS)
    await stage.until(lambda: not house.workspace.sync.connected)


@SCREEN.scene("month-key-refused")
async def key_refused(stage: Stage) -> None:
    service = full_studio()
    house = await _month(stage, service, pace=_QUICK)
    service.key_is_good = False
    await stage.until(lambda: house.workspace.sync.problem)


@SCREEN.scene("month-message")
async def message(stage: Stage) -> None:
    """The service refuses a move, and the person looks at the details."""
    service = full_studio()
    house = await _month(stage, service)
    service.faults.append(("PATCH", "refuse"))
    _move(house, _QUESTIONS, _DAY_MS)
    await stage.until(house.window.messages.texts)
    await stage.settle()
    click(button("Details", house.window.messages))


@SCREEN.scene("month-odd-texts")
async def odd(stage: Stage) -> None:
    await _month(stage, odd_texts())


@SCREEN.scene("rail-menu")
async def rail_menu(stage: Stage) -> None:
    house = await _month(stage, full_studio())
    click(button("Appearance", house.window.rail))


def _list_tomorrow(house: House) -> None:
    view = house.calendar.grid.view
    box = view.page.geometry.cell(ordinal(1))
    rows = range(box.height - 1, 0, -2)
    low = next(y for y in rows if view.page.more_at(box.x + 20, box.y + y) is not None)
    click(view.viewport(), view.on_viewport(box).topLeft() + QPoint(20, low))


async def _month(
    stage: Stage, service: StudioService, name: str = "Okafor Studio", pace: Pace | None = None
) -> House:
    house = await stage.house(service, name, pace)
    house.window.go("calendar")
    house.calendar.show_span(Span.MONTH, ordinal(0))
    await pictures(stage, house.calendar)
    await stage.settle()
    return house


async def _with_a_change_on_its_way(stage: Stage) -> House:
    service = with_files(full_studio())
    service.held.add("PATCH")
    house = await _month(stage, service)
    _move(house, WAITING, 15 * 60_000)
    await stage.until(lambda: house.workspace.sync.waiting == 1)
    return house


def _carry_two(stage: Stage, pane: CalendarPane, days: int) -> None:
    start = card(pane, _WOOL, "instagram")
    choose(pane, start, card(pane, _WOOL, "pinterest"))
    carry(stage, pane, start, day(pane, days))


def _move(house: House, headline: str, by: int) -> None:
    post = next(post for post in house.workspace.posts.all() if post.headline == headline)
    house.workspace.move({post.key: post.at + by})
