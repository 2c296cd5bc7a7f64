"""The pane of what was published: full, searched, empty, away, and failed."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from app.contract.base import format_timestamp
from app.contract.history import ContentRecord
from app.desktop.history import HistoryPane
from tests.gallery.hands import click
from tests.gallery.samples import LONG_TEXT, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage
from tests.gallery.troubles import be_away, refuse_key, take_time
from tests.workspace.model_history import keep_history, record

SCREEN = Screen()


def published_studio() -> StudioService:
    """What is out of the studio's posts, and a few pieces that were made elsewhere."""
    service = full_studio()
    service.tells_usage = True
    out = [post for post in service.posts.values() if post["status"] == "posted"]
    records = [_of(number, post) for number, post in enumerate(out)]
    records += [
        _elsewhere(1, "A note from the train", "threads", "web"),
        _elsewhere(2, LONG_TEXT, "linkedin", "mcp", content_id="urn:li:share:7133456789012345678"),
        _elsewhere(3, "Hem in a minute", "tiktok", "x402", media_type="video", status="in_review"),
        _elsewhere(4, "", "snapgram", "carrier_pigeon", media_type="hologram", status="PUBLIC"),
    ]
    keep_history(service, records)
    return service


def _of(number: int, post: dict[str, Any]) -> dict[str, Any]:
    return record(
        number,
        post["description"],
        platform=post["platform"],
        scheduled_post_id=post["id"],
        media_type=post["post_type"],
        created_at=post["posted_at"],
    )


def _elsewhere(number: int, text: str, platform: str, via: str, **more: Any) -> dict[str, Any]:
    moment = datetime.now(UTC) - timedelta(hours=7 * number)
    told = record(1_000 + number, text, platform=platform, created_via=via, **more)
    return told | {"created_at": format_timestamp(moment)}


@SCREEN.scene("history", has_mockup=True)
async def full(stage: Stage) -> None:
    pane = await _opened(stage, published_studio())
    await stage.until(lambda: pane.model.rowCount() > 10)
    await stage.until(pane.details.isVisible)
    row = next(
        row for row in range(pane.model.rowCount()) if (one := pane.model.record(row)) and _is_ours(one)
    )
    pane.list.setCurrentIndex(pane.model.index(row))


@SCREEN.scene("history-elsewhere")
async def elsewhere(stage: Stage) -> None:
    """A piece that was made through another surface, with a page of its own."""
    pane = await _opened(stage, published_studio())
    pane.toolbar.search.setText("wool coat")
    await stage.until(lambda: pane.model.rowCount() == 1)
    await stage.until(pane.details.look.isVisible)


@SCREEN.scene("history-no-match")
async def no_match(stage: Stage) -> None:
    pane = await _opened(stage, published_studio())
    await stage.until(lambda: pane.model.rowCount() > 10)
    pane.toolbar.search.setText("parsley")
    await stage.until(pane.no_match.isVisible)


@SCREEN.scene("history-empty")
async def empty(stage: Stage) -> None:
    service = full_studio()
    keep_history(service, [])
    pane = await _opened(stage, service)
    await stage.until(pane.empty.isVisible)


@SCREEN.scene("history-offline")
async def offline(stage: Stage) -> None:
    """The service is away; what is known stays."""
    service = published_studio()
    pane = await _read(stage, service)
    await be_away(stage, service, pane.strip, partial(click, pane.toolbar.refresh_button))


@SCREEN.scene("history-dead-key")
async def dead_key(stage: Stage) -> None:
    """The service no longer takes the key; what is known stays."""
    service = published_studio()
    pane = await _read(stage, service)
    await refuse_key(stage, service, pane.strip, partial(click, pane.toolbar.refresh_button))


@SCREEN.scene("history-loading")
async def loading(stage: Stage) -> None:
    """The service takes its time, and nothing is known yet."""
    await take_time(stage, published_studio(), "history")


@SCREEN.scene("history-failed")
async def failed(stage: Stage) -> None:
    """A service without a history."""
    pane = await _opened(stage, full_studio())
    await stage.until(pane.failed.isVisible)


async def _opened(stage: Stage, service: StudioService) -> HistoryPane:
    controller = await stage.controller(service)
    controller.window.go("history")
    return controller.history


async def _read(stage: Stage, service: StudioService) -> HistoryPane:
    """The pane, once it has read what there is."""
    pane = await _opened(stage, service)
    await stage.until(lambda: pane.model.rowCount() > 10)
    await stage.until(pane.toolbar.refresh_button.isEnabled)
    return pane


def _is_ours(one: ContentRecord | None) -> bool:
    return one is not None and one.scheduled_post_id is not None
