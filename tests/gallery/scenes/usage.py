"""The pane of the usage: full, new, near its end, away, and failed."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import insert

from app.contract.base import format_timestamp
from app.contract.enums import PostType
from app.desktop.usage import UsagePane
from app.workspace.catalogues import KeptFile
from app.workspace.clock import wall_clock
from app.workspace.media.upload import UploadState
from app.workspace.store.tables import usage_readings
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.scenes.media import clip
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage
from tests.gallery.troubles import be_away, refuse_key, take_time
from tests.workspace.model_usage import count, limit, store

SCREEN = Screen()
GIB = 1024**3
MIB = 1024**2
_HOUR_MS = 3_600_000
_COUNTERS = {
    "posts.create": 148,
    "posts.bulk": 12,
    "posts.reschedule": 63,
    "posts.delete": 9,
    "posts.list": 412,
    "posts.analytics": 96,
    "connections.initiate": 3,
    "connections.reauth": 2,
    "connections.list": 104,
    "connections.boards": 14,
    "media.upload_url": 187,
    "media.attach": 6,
    "media.view": 334,
    "media.delete": 21,
    "webhooks.test": 8,
    "webhooks.deliveries": 57,
    "webhooks.replay": 3,
    "analytics.list": 118,
    "history.list": 44,
}
_DAYS = (92, 86, 74, 112, 90, 35, 34, 126, 85, 82, 105, 79, 32, 36, 143, 90, 76, 82, 107, 61, 46)


def busy_studio() -> StudioService:
    """A month of work; one action is near its limit."""
    service = full_studio()
    store(service, round(12.4 * GIB), 50 * GIB)
    ends = (
        datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0) + timedelta(days=32)
    ).replace(day=1)
    count(service, _COUNTERS, plan="creator", current_period_end=format_timestamp(ends))
    limits = {name: (10 if name == "posts.bulk" else 300, 280) for name in _COUNTERS}
    limits |= {"posts.create": (60, 58), "media.upload_url": (60, 9), "posts.bulk": (10, 10)}
    limit(service, limits)
    return service


@SCREEN.scene("usage", has_mockup=True)
async def full(stage: Stage) -> None:
    """Readings of eight weeks, and uploads on their way."""
    service = busy_studio()
    service.held = {"PUT"}
    pane = await _opened(stage, service, readings=56)
    catalogues = pane._workspace.catalogues
    for name, kind, size in (("lookbook.mp4", PostType.VIDEO, 9.6), ("coat.jpg", PostType.IMAGE, 2.5)):
        told = (f"studio/{name}", name, kind, None, round(size * GIB), None, None, None, None, None)
        await catalogues.add_file(KeptFile(*told))
    pane.refresh()
    await stage.until(lambda: pane.seen is not None and pane.seen.videos)
    await pane._workspace.media.add_files([clip(stage.folder, "studio-tour.mp4", 1, 3 * MIB)])
    await stage.until(lambda: pane._workspace.media.uploads.all()[0].state is UploadState.SENDING)
    await stage.until(lambda: "1 " in pane.storage.free.text().partition(". ")[2])


@SCREEN.scene("usage-new")
async def new(stage: Stage) -> None:
    """The first reading of a service on this computer: nothing is said of what is not known."""
    service = full_studio()
    store(service, 0, 50 * GIB)
    count(service, {"posts.list": 4, "connections.list": 3}, plan="local")
    await _opened(stage, service)


@SCREEN.scene("usage-late")
async def late(stage: Stage) -> None:
    """Past due, hardly any room, and counters of a service that knows more than this version."""
    service = full_studio()
    store(service, round(24.6 * GIB), 25 * GIB)
    more = {"posts.create": 12_480, "reels.publish_now": 310, "posts.list": 90_112}
    count(service, more, plan="studio", status="past_due")
    await _opened(stage, service, readings=30, used=24.6, total=102_902, times=60)


@SCREEN.scene("usage-offline")
async def offline(stage: Stage) -> None:
    """The service is away; what it said before stays."""
    service = busy_studio()
    pane = await _opened(stage, service, readings=56)
    await be_away(stage, service, pane.strip, pane.refresh)


@SCREEN.scene("usage-dead-key")
async def dead_key(stage: Stage) -> None:
    """The service no longer takes the key; what it said before stays."""
    service = busy_studio()
    pane = await _opened(stage, service, readings=56)
    await refuse_key(stage, service, pane.strip, pane.refresh)


@SCREEN.scene("usage-plain")
async def plain(stage: Stage) -> None:
    """A service without the companion interface names no limits."""
    service = full_studio()
    store(service, round(12.4 * GIB), 50 * GIB)
    count(service, _COUNTERS, plan="creator")
    await _opened(stage, service, readings=56)


@SCREEN.scene("usage-loading")
async def loading(stage: Stage) -> None:
    """The service takes its time, and nothing is known yet."""
    await take_time(stage, busy_studio(), "usage")


@SCREEN.scene("usage-failed")
async def failed(stage: Stage) -> None:
    """Nothing was ever read."""
    controller = await stage.controller(full_studio())
    controller.window.go("usage")
    await stage.until(controller.usage.failed.isVisible)


async def _opened(
    stage: Stage,
    service: StudioService,
    readings: int = 0,
    used: float = 12.4,
    total: int = sum(_COUNTERS.values()),
    times: int = 1,
) -> UsagePane:
    """``readings``: of how many days; ``times``: as many calls as in a quiet studio."""
    controller = await stage.controller(service)
    if rows := _readings(readings, used, total, times):
        await controller.workspace._core.write(lambda rowset: rowset.execute(insert(usage_readings), rows))
    controller.window.go("usage")
    await stage.until(lambda: controller.usage.seen is not None)
    await stage.settle()
    return controller.usage


def _readings(days: int, used: float, total: int, times: int) -> list[dict[str, int]]:
    """Four a day, so that the last one leads to what is counted now; counters begin again with the month."""
    now = wall_clock()
    found: list[dict[str, int]] = []
    for quarter in range(1, days * 4):
        day, part = divmod(quarter, 4)
        total -= times * _DAYS[-1 - day % len(_DAYS)] // 4
        size = (used - 0.31 * day - (0.05 if part else 0) + 0.06 * (day % 3)) * GIB
        at, calls = now - quarter * 6 * _HOUR_MS, total % 1_000_000
        found.append({"at": at, "calls": calls, "used_bytes": max(0, round(size))})
    return found[::-1]
