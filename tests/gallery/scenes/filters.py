"""A filtered calendar says so, and leads back."""

from dataclasses import replace

from app.desktop.calendar.filters import Filter
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import account_id
from tests.gallery.stage import Stage

SCREEN = Screen()


@SCREEN.scene("filtered")
async def filtered(stage: Stage) -> None:
    """By account, kind and words."""
    service = full_studio()
    for post in list(service.posts.values())[:6]:
        post["batch_id"] = "autumn"
    controller = await stage.controller(service)
    controller.window.go("calendar")
    bar = controller.calendar.filters
    bar.choose(replace(bar.filter.with_account(account_id("instagram")), text="wool"))
    await stage.until(lambda: controller.calendar.model.rowCount() < 3)
    await stage.settle()


@SCREEN.scene("filtered-nothing")
async def nothing(stage: Stage) -> None:
    """With an open panel, which leaves little room."""
    controller = await stage.controller(full_studio())
    controller.window.go("calendar")
    controller.panels.show_steps()
    controller.calendar.filters.choose(Filter(text="nobody wrote this"))
    await stage.until(lambda: not controller.calendar.model.rowCount())
    await stage.settle()


@SCREEN.scene("filter-panel")
async def panel(stage: Stage) -> None:
    """The panel, with a filter on."""
    service = full_studio()
    for post in list(service.posts.values())[:6]:
        post["batch_id"] = "autumn"
    controller = await stage.controller(service)
    controller.window.go("calendar")
    bar = controller.calendar.filters
    bar.choose(bar.filter.with_account(account_id("instagram")))
    await stage.settle()
    bar.open_panel()
    await stage.settle()
