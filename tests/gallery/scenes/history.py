"""The pane of what was published: full, searched, filtered, long, empty, away, and failed."""

from collections.abc import Iterator
from datetime import UTC, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from app.contract.base import format_timestamp, parse_timestamp
from app.desktop.history import HistoryPane
from app.workspace.clock import now_in
from tests.gallery.hands import click
from tests.gallery.samples import LONG_TEXT, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.shelf import with_files
from tests.gallery.stage import Stage
from tests.gallery.troubles import be_away, refuse_key, take_time
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric

SCREEN = Screen()


_VIEWS = {"tiktok": 24_610, "instagram": 15_120, "youtube": 3_080, "pinterest": 1_830, "linkedin": 212}
"""After a week; X reports likes alone."""
_LIKES_SHARE = {"tiktok": 0.058, "instagram": 0.074, "youtube": 0.04, "pinterest": 0.048, "linkedin": 0.085}


def published_studio() -> StudioService:
    """The studio's published posts with their files and numbers, and posts created elsewhere."""
    service = with_files(full_studio())
    service.tells_usage = True
    out = [post for post in service.posts.values() if post["status"] == "posted"]
    for post in out:
        service.publish(UUID(post["id"]), f"https://{post['platform']}.com/okafor/{post['id']}")
    records = [_of(number, post) for number, post in enumerate(out)]
    keep_metrics(service, [sample for number, one in enumerate(records) for sample in _samples(number, one)])
    records += [
        _elsewhere(1, "A note from the train", "threads", "web"),
        _elsewhere(2, LONG_TEXT, "linkedin", "mcp", content_id="urn:li:share:7133456789012345678"),
        _elsewhere(3, "Hem in a minute", "tiktok", "x402", media_type="video", status="in_review"),
        _elsewhere(4, "", "snapgram", "carrier_pigeon", media_type="hologram", status="IN_HOLOGRAM"),
    ]
    keep_history(service, records)
    return service


def _samples(number: int, told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A sample a day since the post was published, which grows less from day to day."""
    platform, published = told["platform"], parse_timestamp(told["created_at"]).date()
    most = _VIEWS.get(platform, 0) * (4 + 7 * number % 9) // 10
    for age in range((now_in(UTC).date() - published).days + 1):
        views = round(most * (1 - 0.45 ** (age + 1)))
        likes = round(views * _LIKES_SHARE[platform]) if views else 31 * (age + 1)
        yield metric(
            told["content_id"],
            published + timedelta(days=age),
            views,
            platform=platform,
            likes=likes,
            comments=likes // 16,
            shares=likes // 9 if platform in ("tiktok", "x") else 0,
        )


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
    moment = now_in(UTC) - timedelta(hours=7 * number)
    told = record(1_000 + number, text, platform=platform, created_via=via, **more)
    return told | {"created_at": format_timestamp(moment)}


@SCREEN.scene("history", has_mockup=True)
async def full(stage: Stage) -> None:
    """A video that did better than usual is selected."""
    pane = await _read(stage, published_studio())
    await _select(stage, pane, "Steam vs. press")


@SCREEN.scene("history-text")
async def text_post(stage: Stage) -> None:
    """A post without a file, on a platform that reports no views."""
    pane = await _read(stage, published_studio())
    await _select(stage, pane, "What the customer sees last")


@SCREEN.scene("history-elsewhere")
async def elsewhere(stage: Stage) -> None:
    """A post that another program created, with a page of its own."""
    pane = await _read(stage, published_studio())
    pane.toolbar.search.setText("wool coat")
    await stage.until(lambda: len(pane.model.places) == 1)
    await stage.until(pane.details.look.isVisible)


@SCREEN.scene("history-filter")
async def filtered(stage: Stage) -> None:
    """The filters are open, and one is chosen."""
    pane = await _read(stage, published_studio())
    popover = pane.toolbar.ask()
    popover.platform.setCurrentIndex(popover.platform.findData("instagram"))
    await stage.until(lambda: 0 < len(pane.model.places) < 10)
    await stage.until(lambda: pane.is_at_rest)


@SCREEN.scene("history-long")
async def long_history(stage: Stage) -> None:
    """Ten thousand posts of years, in the middle."""
    service = published_studio()
    apart = timedelta(hours=3)
    posts = [record(number, f"Note {number}", apart=apart, media_type=None) for number in range(10_000)]
    keep_history(service, posts)
    service.parts.insert(0, service.parts.pop())
    pane = await _opened(stage, service)
    await stage.until(lambda: len(pane.model.places) == len(posts))
    await stage.until(pane.toolbar.refresh_button.isEnabled)
    bar = pane.list.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    row = pane.list.indexAt(pane.list.viewport().rect().center()).row()
    await stage.until(lambda: pane.model.record(row) is not None)
    pane.list.choose(row)


@SCREEN.scene("history-no-match")
async def no_match(stage: Stage) -> None:
    pane = await _read(stage, published_studio())
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
    """The pane, once it shows records, numbers and pictures."""
    pane = await _opened(stage, service)
    await stage.until(lambda: len(pane.model.places) > 10)
    await stage.until(pane.toolbar.refresh_button.isEnabled)
    await stage.until(lambda: pane.is_at_rest)
    return pane


async def _select(stage: Stage, pane: HistoryPane, headline: str) -> None:
    rows = range(pane.model.rowCount())
    pane.list.choose(next(row for row in rows if pane.model.index(row).data() == headline))
    await stage.until(lambda: pane.is_at_rest)
