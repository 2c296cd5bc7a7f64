"""Weekly posting times: on the days, and where they are changed."""

from app.desktop.calendar.spans import Span
from app.desktop.shell.house import House
from app.workspace.slots.slots import Slot
from tests.gallery.hands import ordinal
from tests.gallery.samples import empty_studio, this_monday, week_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, account_id
from tests.gallery.stage import Stage

SCREEN = Screen()
_TIMES = {"instagram": (735,), "linkedin": (540, 1_020), "x": (540,), "pinterest": (1_020,)}
"""Minutes of the day."""


@SCREEN.scene("slots-week")
async def in_week(stage: Stage) -> None:
    await _house(stage, week_studio(week=1))


@SCREEN.scene("slots-day")
async def in_day(stage: Stage) -> None:
    house = await _house(stage, week_studio(week=1))
    house.calendar.show_span(Span.DAY, ordinal(this_monday() + 7 + 5))


@SCREEN.scene("slots-panel")
async def panel(stage: Stage) -> None:
    """Changing them beside the week."""
    house = await _house(stage, week_studio(week=1))
    house.show_slots()
    await stage.settle()


@SCREEN.scene("slots-composer")
async def composer(stage: Stage) -> None:
    """A click on a free slot."""
    house = await _house(stage, empty_studio())
    house.calendar.to_slots.begin(())
    await stage.until(lambda: house.window.side is not None)
    await stage.settle()


async def _house(stage: Stage, service: StudioService) -> House:
    house = await stage.house(service)
    house.window.go("calendar")
    house.calendar.show_span(Span.WEEK, ordinal(this_monday() + 7))
    for platform, minutes in _TIMES.items():
        key = account_id(platform)
        days = range(7) if platform != "pinterest" else range(5)
        await house.workspace.slots.set(key, [Slot(key, day, minute) for day in days for minute in minutes])
    await stage.settle()
    return house
