"""The first minutes: the ways to a first account, and the sample week."""

from app.desktop.calendar.days import Span
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import wall_clock
from tests.gallery.hands import click
from tests.gallery.scene import SUNDAY, Screen
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage
from tests.workspace.model_places import keep_places

SCREEN = Screen()


@SCREEN.scene("first-account")
async def first_account(stage: Stage) -> None:
    await _first_account(stage)


@SCREEN.scene("first-account-networks")
async def networks(stage: Stage) -> None:
    """The networks that need no developer app."""
    controller = await _first_account(stage)
    assert controller.connections.first is not None
    click(controller.connections.first.network)
    await stage.settle()


@SCREEN.scene("first-account-samples", at=SUNDAY)
async def samples(stage: Stage) -> None:
    controller = await _samples(stage)
    controller.calendar.show_span(Span.WEEK)
    await stage.settle()


@SCREEN.scene("first-account-samples-month", at=SUNDAY)
async def samples_by_month(stage: Stage) -> None:
    await _samples(stage)


@SCREEN.scene("first-account-samples-agenda", at=SUNDAY)
async def samples_as_list(stage: Stage) -> None:
    """A sample was opened, and the notice says what it is."""
    controller = await _samples(stage)
    controller.calendar.show_span(Span.AGENDA)
    controller.panels.inspect("sample-2")
    await stage.settle()


@SCREEN.scene("first-account-calendar")
async def empty_calendar(stage: Stage) -> None:
    controller = await _first_account(stage)
    controller.window.go("calendar")
    await stage.settle()


async def _samples(stage: Stage) -> MainController:
    controller = await _first_account(stage)
    assert controller.connections.first is not None
    click(controller.connections.first.samples)
    await stage.settle()
    return controller


async def _first_account(stage: Stage) -> MainController:
    service = StudioService(wall_clock, attempts={})
    keep_places(service)
    service.offers = (*service.offers, "servers", "platforms")
    controller = await stage.controller(service, "My calendar")
    controller.window.go("connections")
    await stage.until(lambda: controller.connections.first)
    await stage.settle()
    return controller
