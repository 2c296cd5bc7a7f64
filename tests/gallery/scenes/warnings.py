"""What will fail of what is planned."""

from app.desktop.calendar.spans import Span
from app.desktop.shell.house import House
from tests.gallery.hands import ordinal
from tests.gallery.samples import LONG_TEXT, ZONE, empty_studio, this_monday, week_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService, at
from tests.gallery.stage import Stage

SCREEN = Screen()


@SCREEN.scene("warnings")
async def listed(stage: Stage) -> None:
    """Of every kind, beside the week that they are in."""
    house = await _week(stage, _troubled())
    house.show_warnings()
    await stage.settle()


@SCREEN.scene("warnings-month")
async def month(stage: Stage) -> None:
    """The signs on the cards of a month."""
    house = await _week(stage, _troubled())
    house.calendar.show_span(Span.MONTH)


@SCREEN.scene("warnings-none")
async def nothing(stage: Stage) -> None:
    house = await stage.house(empty_studio())
    house.window.go("calendar")
    house.show_warnings()
    await stage.settle()


def _troubled() -> StudioService:
    service = week_studio(week=1)
    monday = this_monday() + 7
    service.plan(at(monday, "10:50", ZONE), "x", "Small batch maths, continued")
    service.plan(at(monday + 2, "15:30", ZONE), "x", LONG_TEXT)
    service.plan(at(monday + 3, "18:00", ZONE), "linkedin", "Five questions before you cut")
    return service


async def _week(stage: Stage, service: StudioService) -> House:
    house = await stage.house(service)
    house.window.go("calendar")
    house.calendar.show_span(Span.WEEK, ordinal(this_monday() + 7))
    await stage.until(lambda: house.workspace.warnings.by_key)
    await stage.settle()
    return house
