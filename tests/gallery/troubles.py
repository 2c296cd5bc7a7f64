"""What a pane makes of a service that takes its time, is away, or no longer takes the key."""

from collections.abc import Callable

from app.desktop.widgets import StateStrip
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage


async def take_time(stage: Stage, service: StudioService, place: str) -> None:
    """Opens a pane, by its name in the window and the controller, that gets no answer."""
    controller = await stage.controller(service)
    service.held = {"GET"}
    stage.waits_for_pictures = False
    controller.window.go(place)
    await stage.until(getattr(controller, place).loading.is_ripe)


async def be_away(stage: Stage, service: StudioService, strip: StateStrip, ask: Callable[[], object]) -> None:
    """The service is asked, and cannot be reached; the strip says so."""
    service.online = False
    ask()
    await _told(stage, strip)


async def refuse_key(
    stage: Stage, service: StudioService, strip: StateStrip, ask: Callable[[], object]
) -> None:
    """The service is asked, and no longer takes the key; the strip says so."""
    service.key_is_good = False
    ask()
    await _told(stage, strip)


async def _told(stage: Stage, strip: StateStrip) -> None:
    """Until the strip and the status line say so."""
    await stage.until(strip.isVisible)
    window = stage.window
    assert window is not None
    await stage.until(lambda: window.status.role in {"warn", "bad"})
