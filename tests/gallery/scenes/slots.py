"""Weekly posting times: on the days, and where they are changed."""

from PySide6.QtCore import Qt

from app.desktop.calendar.days import Span
from app.desktop.shell.house import House
from app.desktop.slots import SlotPanel
from app.workspace.editing.draft import ComposerDraft
from app.workspace.slots.slots import Slot
from tests.gallery.hands import ordinal
from tests.gallery.numbers import tell_numbers
from tests.gallery.samples import ZONE, empty_studio, this_monday, week_studio
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


@SCREEN.scene("slots-keyboard")
async def by_keyboard(stage: Stage) -> None:
    """Tab has led to the free slots, and an arrow to the second."""
    house = await _house(stage, week_studio(week=1))
    buttons = house.calendar.grid.slot_buttons
    await stage.until(lambda: any(len(slot.account_keys) > 1 for slot in buttons.shown))
    first = next(iter(buttons.shown))
    buttons.focus(first)
    buttons.walk(first, Qt.Key.Key_Down)
    await stage.settle()


@SCREEN.scene("slots-panel")
async def panel(stage: Stage) -> None:
    """Changing them beside the week."""
    house = await _house(stage, week_studio(week=1))
    house.show_slots()
    await stage.settle()


@SCREEN.scene("slots-best-times")
async def best_times(stage: Stage) -> None:
    """What the accounts' own numbers say: some, too few, none reported, and none that stands out."""
    service = week_studio(week=1)
    tell_numbers(service)
    house = await _house(stage, service)
    panel = await _open_panel(stage, house)
    await stage.until(lambda: panel.suggestions(account_id("instagram")).rows)
    panel.suggestions(account_id("instagram")).rows[0].add.setFocus(Qt.FocusReason.TabFocusReason)
    await stage.settle()


@SCREEN.scene("slots-loading")
async def loading(stage: Stage) -> None:
    service = week_studio(week=1)
    house = await _house(stage, service)
    service.held.add("GET")
    await _open_panel(stage, house)


@SCREEN.scene("slots-failed")
async def failed(stage: Stage) -> None:
    service = week_studio(week=1)
    tell_numbers(service, fails=True)
    house = await _house(stage, service)
    panel = await _open_panel(stage, house)
    await stage.until(panel.strip.isVisible)
    await stage.settle()


@SCREEN.scene("slots-offline")
async def offline(stage: Stage) -> None:
    """The numbers are those of the last time."""
    service = week_studio(week=1)
    tell_numbers(service)
    house = await _house(stage, service)
    await house.workspace.analytics.refresh()
    service.online = False
    await stage.until(lambda: not house.workspace.sync.connected)
    panel = await _open_panel(stage, house)
    await stage.until(lambda: panel.suggestions(account_id("instagram")).rows)
    await stage.settle()


@SCREEN.scene("slots-composer")
async def composer(stage: Stage) -> None:
    """A click on a free slot."""
    house = await _house(stage, empty_studio())
    house.calendar.to_slots.begin(())
    await stage.until(lambda: house.window.side is not None)
    await stage.settle()


@SCREEN.scene("slots-composer-best-time")
async def composer_best_time(stage: Stage) -> None:
    """The next free slot is one of the account's best times."""
    service = empty_studio()
    tell_numbers(service)
    house = await stage.house(service)
    house.window.go("calendar")
    key = account_id("facebook")
    await house.workspace.slots.set(key, [Slot(key, 2, 15 * 60)])
    await house.workspace.analytics.refresh()
    house.workspace.save_composer(ComposerDraft("Made to last", (key,), zone=ZONE.key))
    composer = house.compose()
    await stage.until(composer.next_slot.note.text)
    await stage.settle()


async def _open_panel(stage: Stage, house: House) -> SlotPanel:
    house.show_slots()
    await stage.settle()
    panel = house.window.side
    assert isinstance(panel, SlotPanel)
    return panel


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
