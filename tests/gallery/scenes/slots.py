"""Weekly posting times: on the days, and where they are changed."""

from PySide6.QtCore import Qt

from app.desktop.calendar.days import LocalDays, Span
from app.desktop.shell.main_controller import MainController
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
    await _controller(stage, week_studio(week=1))


@SCREEN.scene("slots-day")
async def in_day(stage: Stage) -> None:
    controller = await _controller(stage, week_studio(week=1))
    controller.calendar.show_span(Span.DAY, ordinal(this_monday() + 7 + 5))


@SCREEN.scene("slots-keyboard")
async def by_keyboard(stage: Stage) -> None:
    """Tab has led to the free slots, and an arrow to the second."""
    controller = await _controller(stage, week_studio(week=1))
    buttons = controller.calendar.grid.slot_buttons
    await stage.until(lambda: any(len(slot.account_keys) > 1 for slot in buttons.shown))
    first = next(iter(buttons.shown))
    buttons.focus(first)
    buttons.walk(first, Qt.Key.Key_Down)
    await stage.settle()


@SCREEN.scene("day-half-hour")
async def half_hour(stage: Stage) -> None:
    """The arrow keys have stopped at an empty half hour, in which a posting time is free."""
    controller = await _controller(stage, week_studio(week=1))
    day = ordinal(this_monday() + 7 + 5)
    controller.calendar.show_span(Span.DAY, day)
    view = controller.calendar.grid.view
    view.setFocus(Qt.FocusReason.TabFocusReason)
    view.selection.go_to_day(day, LocalDays(ZONE).instant(day, 12 * 60))
    await stage.settle()


@SCREEN.scene("slots-panel")
async def panel(stage: Stage) -> None:
    """Changing them next to the week."""
    controller = await _controller(stage, week_studio(week=1))
    controller.panels.show_slots()
    await stage.settle()


@SCREEN.scene("slots-best-times")
async def best_times(stage: Stage) -> None:
    """What the accounts' own numbers say: some, too few, none reported, and none that stands out."""
    service = week_studio(week=1)
    tell_numbers(service)
    controller = await _controller(stage, service)
    panel = await _open_panel(stage, controller)
    await stage.until(lambda: panel.suggestions(account_id("instagram")).rows)
    panel.suggestions(account_id("instagram")).rows[0].add.setFocus(Qt.FocusReason.TabFocusReason)
    await stage.settle()


@SCREEN.scene("slots-loading")
async def loading(stage: Stage) -> None:
    service = week_studio(week=1)
    controller = await _controller(stage, service)
    service.held.add("GET")
    await _open_panel(stage, controller)


@SCREEN.scene("slots-failed")
async def failed(stage: Stage) -> None:
    service = week_studio(week=1)
    tell_numbers(service, fails=True)
    controller = await _controller(stage, service)
    panel = await _open_panel(stage, controller)
    await stage.until(panel.strip.isVisible)
    await stage.settle()


@SCREEN.scene("slots-offline")
async def offline(stage: Stage) -> None:
    """The numbers are those of the last time."""
    service = week_studio(week=1)
    tell_numbers(service)
    controller = await _controller(stage, service)
    await controller.workspace.analytics.refresh()
    service.online = False
    await stage.until(lambda: not controller.workspace.sync.connected)
    panel = await _open_panel(stage, controller)
    await stage.until(lambda: panel.suggestions(account_id("instagram")).rows)
    await stage.settle()


@SCREEN.scene("slots-composer")
async def composer(stage: Stage) -> None:
    """A click on a free slot."""
    controller = await _controller(stage, empty_studio())
    controller.calendar.to_slots.begin(())
    await stage.until(lambda: controller.window.side is not None)
    await stage.settle()


@SCREEN.scene("slots-composer-best-time")
async def composer_best_time(stage: Stage) -> None:
    """The next free slot is one of the account's best times."""
    service = empty_studio()
    tell_numbers(service)
    controller = await stage.controller(service)
    controller.window.go("calendar")
    key = account_id("facebook")
    await controller.workspace.slots.set(key, [Slot(key, 2, 15 * 60)])
    await controller.workspace.analytics.refresh()
    controller.workspace.save_composer(ComposerDraft("Made to last", (key,), zone=ZONE.key))
    composer = controller.panels.compose()
    await stage.until(composer.times.next_free.accessibleDescription)
    await stage.settle()


async def _open_panel(stage: Stage, controller: MainController) -> SlotPanel:
    controller.panels.show_slots()
    await stage.settle()
    panel = controller.window.side
    assert isinstance(panel, SlotPanel)
    return panel


async def _controller(stage: Stage, service: StudioService) -> MainController:
    controller = await stage.controller(service)
    controller.window.go("calendar")
    controller.calendar.show_span(Span.WEEK, ordinal(this_monday() + 7))
    for platform, minutes in _TIMES.items():
        key = account_id(platform)
        days = range(7) if platform != "pinterest" else range(5)
        await controller.workspace.slots.set(
            key, [Slot(key, day, minute) for day in days for minute in minutes]
        )
    await stage.settle()
    return controller
