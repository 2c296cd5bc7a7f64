"""Every place named in `docs/places.md` exists, in a window on a real service."""

import asyncio
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from app.desktop.shell.main_controller import MainController
from tests.journeys.conftest import Play
from tests.journeys.test_backup import begun, controller_of
from tests.places import rows
from tests.workspace.opened import until

_PLACES: Final[dict[tuple[str, ...], Callable[[MainController], Any]]] = {
    ("Calendar", "days"): lambda controller: controller.calendar.grid.view,
    ("Calendar", "filters"): lambda controller: controller.calendar.filters,
    ("Media", "files"): lambda controller: controller.media.grid,
    ("Media", "details"): lambda controller: controller.media.details,
    ("Media", "Add files"): lambda controller: controller.media.toolbar.add_button,
    ("Media", "Import from URL"): lambda controller: controller.media.toolbar.import_button,
    ("Connections", "cards"): lambda controller: controller.connections,
    ("Connections", "Connect account"): lambda controller: controller.connections.connect_button,
    ("Connections", "Needs attention"): lambda controller: controller.connections.chips["ended"],
    ("Analytics", "charts"): lambda controller: controller.analytics,
    ("Analytics", "sources"): lambda controller: controller.analytics.sources,
    ("Analytics", "days"): lambda controller: controller.analytics.span,
    ("Analytics", "last sample"): lambda controller: controller.analytics.sampled,
    ("History", "list"): lambda controller: controller.history.list,
    ("History", "filters"): lambda controller: controller.history.toolbar.filter_button,
    ("History", "details"): lambda controller: controller.history.details,
    ("Usage", "plan"): lambda controller: controller.usage.plan,
    ("Usage", "storage"): lambda controller: controller.usage.storage,
    ("Usage", "actions"): lambda controller: controller.usage.actions_,
    ("Webhooks", "New webhook"): lambda controller: controller.webhooks.new_button,
    ("Webhooks", "subscriptions"): lambda controller: controller.webhooks.list,
    ("Webhooks", "subscription"): lambda controller: controller.webhooks.card,
    ("Webhooks", "Delete"): lambda controller: controller.webhooks.card.remove,
    ("Webhooks", "Send test"): lambda controller: controller.webhooks.card.test,
    ("Webhooks", "Enable again"): lambda controller: controller.webhooks.card.enable,
    ("Webhooks", "deliveries"): lambda controller: controller.webhooks.log.list,
    ("Webhooks", "delivery"): lambda controller: controller.webhooks.log.panel,
    ("Webhooks", "Replay"): lambda controller: controller.webhooks.log.panel.replay,
    ("Messages", "newest"): lambda controller: controller.window.messages,
}
_OF_THE_POST: Final = {
    "text": "preview",
    "title": "preview",
    "time": "time",
    "status": "head.status",
    "origin": "head.more",
    "Move": "move_button",
    "Cancel post": "head.more",
}
_OF_THE_COMPOSER: Final = {
    "accounts": "accounts",
    "text": "writing",
    "file": "file",
    "board and link": "pin",
    "time": "when",
    "Schedule": "schedule",
}


def _found(controller: MainController, place: tuple[str, ...]) -> Any:
    """Return the widget at a place. Raises KeyError for an unknown place."""
    pane, part = place
    if pane == "Post":
        return attrgetter(_OF_THE_POST[part])(controller.window.side)
    if pane == "Composer":
        composer: Any = controller.window.side
        return composer.frame.schedule if part == "Schedule" else getattr(composer, _OF_THE_COMPOSER[part])
    return _PLACES[place](controller)


def test_every_place_is_there(tmp_path: Path, play: Play) -> None:
    places = {row.place for title in ("Endpoints", "Fields") for row in rows(title) if row.place}
    panels = {
        "Post": lambda controller: controller.panels.inspect("none"),
        "Composer": lambda controller: controller.panels.compose(),
    }

    async def journey() -> None:
        application = begun(tmp_path / "app")
        try:
            await application.begin_here(practice=False)
            controller = controller_of(application)
            await until(lambda: controller.workspace.sync.last_synced is not None, patience=60)
            for pane, part in sorted(places):
                if pane in panels:
                    panels[pane](controller)
                    await asyncio.sleep(0)
                widget = _found(controller, (pane, part))
                assert widget.window() is controller.window, f"{pane}: {part}"
        finally:
            await application.close()

    play(journey())


def test_no_place_is_known_that_nobody_names() -> None:
    named = {row.place for title in ("Endpoints", "Fields") for row in rows(title) if row.place}
    known = {*_PLACES, *(("Post", part) for part in _OF_THE_POST)}
    known |= {("Composer", part) for part in _OF_THE_COMPOSER}

    assert known == named
