"""Posts of one idea on several accounts, as one card in every view of the calendar."""

from PySide6.QtCore import QPoint

from app.desktop.calendar.days import Span
from app.desktop.shell.main_controller import MainController
from tests.gallery.hands import card, carry, choose, ordinal, pictures
from tests.gallery.samples import ZONE, empty_studio, this_monday
from tests.gallery.scene import SUNDAY, Screen
from tests.gallery.service import StudioService, at
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage

SCREEN = Screen()
_SALE = "Studio sale opens at nine"
_EVERYWHERE = ("instagram", "linkedin", "x", "pinterest", "tiktok", "youtube", "facebook")

# days from this Monday, time, words, kind, platforms
_IDEAS = (
    (-11, "09:00", "Autumn cardigans, back in stock", "text", ("linkedin", "x", "facebook")),
    (-4, "12:15", "Swatch day", "image", ("instagram", "pinterest")),
    (-4, "18:30", "Behind the steam press", "text", ("linkedin",)),
    (0, "12:15", "Fitting notes for the long coat", "image", ("instagram", "pinterest")),
    (8, "09:00", "Five questions before you cut", "text", ("linkedin", "x")),
    (9, "12:15", "Wool, three weights", "image", ("instagram", "pinterest")),
    (9, "15:00", "Gift guide: ten things under 80", "text", ("facebook",)),
    (9, "18:30", "Packing orders with the radio on", "video", ("tiktok", "youtube")),
    (10, "09:00", "Returns, honestly: what came back and why", "text", ("linkedin",)),
    (11, "08:30", "Small batch maths: what 24 pieces cost", "text", ("x", "facebook", "linkedin")),
    (12, "08:00", _SALE, "image", ("facebook", "instagram", "x", "linkedin")),
    (12, "10:15", "Studio sale board", "image", ("pinterest",)),
    (13, "11:00", "We moved! New address in the profile", "text", _EVERYWHERE),
)


def ideas_studio() -> StudioService:
    """Ideas for one to seven accounts; one failed on Instagram only."""
    service = empty_studio()
    for day, clock, words, kind, platforms in _IDEAS:
        for platform in platforms:
            service.plan(at(this_monday() + day, clock, ZONE), platform, words, kind=kind)
    moment = at(this_monday() - 2, "17:00", ZONE)
    for platform, status in (("facebook", "posted"), ("instagram", "failed"), ("x", "posted")):
        key = service.plan(moment, platform, "Open studio this Saturday", status=status)
        if status == "failed":
            service.fail(key, "Permission missing")
    return service


@SCREEN.scene("ideas-month", has_mockup=True, at=SUNDAY)
async def month(stage: Stage) -> None:
    await _show(stage, Span.MONTH)


@SCREEN.scene("ideas-month-drag", at=SUNDAY)
async def month_drag(stage: Stage) -> None:
    """One idea is carried to another day, with all its accounts."""
    controller = await _show(stage, Span.MONTH)
    start = card(controller.calendar, _SALE)
    carry(stage, controller.calendar, start, start + QPoint(-250, 30))


@SCREEN.scene("ideas-apart", at=SUNDAY)
async def apart(stage: Stage) -> None:
    """The card is opened: each account has its own."""
    controller = await _show(stage, Span.MONTH)
    choose(controller.calendar, card(controller.calendar, _SALE))
    controller.calendar.keys.splitting()[0].run()
    await stage.settle()


@SCREEN.scene("ideas-week", at=SUNDAY)
async def week(stage: Stage) -> None:
    await _show(stage, Span.WEEK, days=7)


@SCREEN.scene("ideas-day", at=SUNDAY)
async def day(stage: Stage) -> None:
    await _show(stage, Span.DAY, days=12)


@SCREEN.scene("ideas-agenda", at=SUNDAY)
async def agenda(stage: Stage) -> None:
    await _show(stage, Span.AGENDA)


@SCREEN.scene("ideas-larger-text", at=SUNDAY)
async def larger(stage: Stage) -> None:
    await _show(stage, Span.MONTH, steps=2)


async def _show(stage: Stage, span: Span, *, days: int = 0, steps: int = 0) -> MainController:
    """Show a span from so many days after this Monday on, in text so many steps larger."""
    controller = await stage.controller(with_files(ideas_studio()))
    for _ in range(steps):
        controller.window.change_text_size(1)
    controller.window.go("calendar")
    controller.calendar.show_span(span, ordinal(this_monday() + days))
    await pictures(stage, controller.calendar)
    await stage.settle()
    return controller
