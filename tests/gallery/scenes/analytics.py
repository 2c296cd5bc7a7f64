"""The pane of the analytics: full, as tables, empty, away, failed, and of a service without numbers."""

from datetime import UTC, date, datetime, timedelta
from math import exp
from random import Random
from typing import Any

from app.contract.base import format_timestamp
from app.desktop.analytics import AnalyticsPane
from app.workspace.analytics.dataset import Figure
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage
from tests.gallery.troubles import be_away, refuse_key, take_time
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric

SCREEN = Screen()
_DAYS = 130
_TITLES = (
    "Fold, press, repeat",
    "Studio tour, one year on",
    "60-second hem",
    "Moodboard: winter whites",
    "Behind the dye bath",
    "Steam against press",
    "Swatch day",
    "How we price a coat",
    "Autumn capsule: the making of",
    "A thread on thread counts",
)
_REACH = {"tiktok": 9_000, "youtube": 5_000, "instagram": 3_400, "linkedin": 900, "x": 700}
_HOURS = (7, 8, 9, 12, 12, 12, 13, 17, 18, 18, 19, 20)
_SILENT = {"youtube": "shares", "linkedin": "subscribers"}


def measured_studio(*, days: int = _DAYS) -> StudioService:
    """A studio whose posts of some months were sampled every day."""
    service = full_studio()
    random = Random(8)  # noqa: S311  the same pictures each time
    today = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    records: list[dict[str, Any]] = []
    samples: list[dict[str, Any]] = []
    accounts = [one for one in service.connections if one["platform"] != "threads"]
    for number in range(days):
        account = accounts[random.randrange(len(accounts))]
        age = random.randrange(1, days)
        at = (today - timedelta(days=age)).replace(hour=random.choice(_HOURS))
        key = service.add_post(str(account["id"]), round(at.timestamp() * 1_000), status="posted")
        told = record(
            5_000 + number,
            title=_TITLES[number % len(_TITLES)],
            platform=account["platform"],
            scheduled_post_id=key,
            created_at=format_timestamp(at),
            content_id=f"content-{number}",
        )
        records.append(told)
        samples += _samples(told["content_id"], account, at, today, random)
    keep_history(service, records)
    keep_metrics(service, samples)
    return service


def _samples(
    content_id: str, account: dict[str, Any], at: datetime, today: datetime, random: Random
) -> list[dict[str, Any]]:
    platform = str(account["platform"])
    reach = _REACH.get(platform, 500) * random.uniform(0.3, 1.8) * (1 + (at.hour in (12, 18)))
    found = []
    for age in range(min(90, (today.date() - at.date()).days + 1)):
        day: date = at.date() + timedelta(days=age)
        share = 1 - exp(-(age + 0.4) / 3)
        numbers = {
            "likes": round(reach * 0.05 * share),
            "comments": round(reach * 0.004 * share),
            "shares": round(reach * 0.01 * share),
            "subscribers": round(_REACH.get(platform, 500) * 0.8) + (day.toordinal() % 1_000) * 2,
        }
        numbers |= {name: 0 for name in (_SILENT.get(platform, ""),) if name}
        made = format_timestamp(datetime(day.year, day.month, day.day, 6, 10, tzinfo=UTC))
        found.append(
            metric(content_id, day, round(reach * share), platform=platform, created_at=made, **numbers)
        )
    return found


@SCREEN.scene("analytics", has_mockup=True)
async def full(stage: Stage) -> None:
    """Views of 30 days, with a day that is asked for."""
    pane = await _opened(stage, measured_studio())
    assert pane.board is not None
    pane.board.lines.plot._ask(14)


@SCREEN.scene("analytics-followers")
async def followers(stage: Stage) -> None:
    """Levels instead of what came in, over 90 days, worst posts first."""
    pane = await _opened(stage, measured_studio())
    assert pane.board is not None
    pane.span.usual.set_value("90")
    pane.board.tiles.buttons[Figure.FOLLOWERS].click()
    pane.board.posts.order.set_value("worst")
    await _settled(stage, pane)


@SCREEN.scene("analytics-tables")
async def tables(stage: Stage) -> None:
    """Every chart as a table."""
    pane = await _opened(stage, measured_studio())
    pane.show_tables(True)


@SCREEN.scene("analytics-one")
async def one(stage: Stage) -> None:
    """One account over a week in which it published little."""
    pane = await _opened(stage, measured_studio())
    assert pane.data is not None
    pane.sources.choose([next(one.key for one in pane.data.sources if one.platform == "youtube")])
    pane.span.usual.set_value("7")
    await _settled(stage, pane)


@SCREEN.scene("analytics-empty")
async def empty(stage: Stage) -> None:
    service = full_studio()
    keep_history(service, [])
    keep_metrics(service, [])
    controller = await stage.controller(service)
    controller.window.go("analytics")
    await stage.until(controller.analytics.empty.isVisible)


@SCREEN.scene("analytics-loading")
async def loading(stage: Stage) -> None:
    """The service takes its time, and nothing is known yet."""
    await take_time(stage, full_studio(), "analytics")


@SCREEN.scene("analytics-offline")
async def offline(stage: Stage) -> None:
    """The service is away; what it told stays."""
    service = measured_studio()
    pane = await _opened(stage, service)
    await be_away(stage, service, pane.strip, pane.refresh)


@SCREEN.scene("analytics-dead-key")
async def dead_key(stage: Stage) -> None:
    """The service no longer takes the key; what it told stays."""
    service = measured_studio()
    pane = await _opened(stage, service)
    await refuse_key(stage, service, pane.strip, pane.refresh)


@SCREEN.scene("analytics-failed")
async def failed(stage: Stage) -> None:
    """A service without numbers."""
    service = full_studio()
    keep_history(service, [])
    controller = await stage.controller(service)
    controller.window.go("analytics")
    await stage.until(controller.analytics.failed.isVisible)


async def _opened(stage: Stage, service: StudioService) -> AnalyticsPane:
    controller = await stage.controller(service)
    controller.window.go("analytics")
    pane = controller.analytics
    await stage.until(lambda: pane.board is not None and pane.board.isVisible())
    await stage.until(pane.refresh_button.isEnabled)
    await stage.until(lambda: pane.data is not None and pane.data.asked_at)
    await _settled(stage, pane)
    return pane


async def _settled(stage: Stage, pane: AnalyticsPane) -> None:
    """Until the last numbers and the curve show."""
    await stage.until(lambda: not (pane._news.isActive() or pane._loading.is_busy or pane._curves.is_busy))
    await stage.settle()
