"""Every place that the page of endpoints and fields names is there, in a window on a real service."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from app.desktop.shell.house import House
from tests.journeys.conftest import Play
from tests.journeys.test_backup import begun, house_of
from tests.places import rows
from tests.workspace.opened import until

_PLACES: Final[dict[tuple[str, ...], Callable[[House], Any]]] = {
    ("Calendar", "days"): lambda house: house.calendar.grid.view,
    ("Calendar", "filters"): lambda house: house.calendar.filters,
    ("Media", "files"): lambda house: house.media.grid,
    ("Media", "details"): lambda house: house.media.details,
    ("Media", "Add files"): lambda house: house.media.toolbar.add_button,
    ("Media", "Import from URL"): lambda house: house.media.toolbar.import_button,
    ("Connections", "cards"): lambda house: house.connections,
    ("Connections", "Connect account"): lambda house: house.connections.connect_button,
    ("Connections", "Needs attention"): lambda house: house.connections.chips["ended"],
    ("Analytics", "charts"): lambda house: house.analytics,
    ("Analytics", "sources"): lambda house: house.analytics.sources,
    ("Analytics", "days"): lambda house: house.analytics.span,
    ("Analytics", "last sample"): lambda house: house.analytics.sampled,
    ("History", "list"): lambda house: house.history.list,
    ("History", "filters"): lambda house: house.history.toolbar.platform,
    ("History", "details"): lambda house: house.history.details,
    ("Usage", "plan"): lambda house: house.usage.plan,
    ("Usage", "storage"): lambda house: house.usage.storage,
    ("Usage", "actions"): lambda house: house.usage.actions_,
    ("Webhooks", "New webhook"): lambda house: house.webhooks.new_button,
    ("Webhooks", "subscriptions"): lambda house: house.webhooks.list,
    ("Webhooks", "subscription"): lambda house: house.webhooks.card,
    ("Webhooks", "Delete"): lambda house: house.webhooks.card.remove,
    ("Webhooks", "Send test"): lambda house: house.webhooks.card.test,
    ("Webhooks", "Enable again"): lambda house: house.webhooks.card.enable,
    ("Webhooks", "deliveries"): lambda house: house.webhooks.log.list,
    ("Webhooks", "delivery"): lambda house: house.webhooks.log.panel,
    ("Webhooks", "Replay"): lambda house: house.webhooks.log.panel.replay,
    ("Messages", "newest"): lambda house: house.window.messages,
}
_OF_THE_POST: Final = {
    "text": "text",
    "title": "title",
    "time": "time",
    "status": "status",
    "origin": "origin",
    "Move": "move_button",
    "Cancel post": "cancel_button",
}
_OF_THE_COMPOSER: Final = {
    "accounts": "accounts",
    "text": "writing",
    "file": "file",
    "board and link": "pin",
    "time": "when",
    "Schedule": "schedule",
}


def _found(house: House, place: tuple[str, ...]) -> Any:
    """The widget at a place; raises KeyError for a place that nobody knows."""
    pane, part = place
    if pane == "Post":
        return getattr(house.window.side, _OF_THE_POST[part])
    if pane == "Composer":
        composer: Any = house.window.side
        return composer.frame.schedule if part == "Schedule" else getattr(composer, _OF_THE_COMPOSER[part])
    return _PLACES[place](house)


def test_every_place_is_there(tmp_path: Path, play: Play) -> None:
    places = {row.place for title in ("Endpoints", "Fields") for row in rows(title) if row.place}
    panels = {"Post": lambda house: house.inspect("none"), "Composer": lambda house: house.compose()}

    async def journey() -> None:
        application = begun(tmp_path / "app")
        try:
            await application.begin_here(practice=False)
            house = house_of(application)
            await until(lambda: house.workspace.sync.last_synced is not None, patience=60)
            for pane, part in sorted(places):
                if pane in panels:
                    panels[pane](house)
                    await asyncio.sleep(0)
                widget = _found(house, (pane, part))
                assert widget.window() is house.window, f"{pane}: {part}"
        finally:
            await application.close()

    play(journey())


def test_no_place_is_known_that_nobody_names() -> None:
    named = {row.place for title in ("Endpoints", "Fields") for row in rows(title) if row.place}
    known = {*_PLACES, *(("Post", part) for part in _OF_THE_POST)}
    known |= {("Composer", part) for part in _OF_THE_COMPOSER}

    assert known == named
