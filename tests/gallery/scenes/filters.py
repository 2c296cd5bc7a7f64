"""A filtered calendar says so, and leads back."""

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
    house = await stage.house(service)
    house.window.go("calendar")
    bar = house.calendar.filters
    bar.choose(bar.filter.with_account(account_id("instagram")))
    bar.words.setText("wool")
    bar.words.returnPressed.emit()
    await stage.until(lambda: house.calendar.model.rowCount() < 3)
    await stage.settle()


@SCREEN.scene("filtered-nothing")
async def nothing(stage: Stage) -> None:
    """Beside a panel, where there is little room."""
    house = await stage.house(full_studio())
    house.window.go("calendar")
    house.show_steps()
    house.calendar.filters.words.setText("nobody wrote this")
    house.calendar.filters.words.returnPressed.emit()
    await stage.until(lambda: not house.calendar.model.rowCount())
    await stage.settle()
