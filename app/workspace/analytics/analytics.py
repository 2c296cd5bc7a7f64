"""The metrics of published posts: requested now and then, stored here, and read in several ways."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, TypeAdapter
from sqlalchemy import Connection

from app.client import PublishingCalls
from app.contract.analytics import Metric
from app.contract.limits import ANALYTICS_DAYS_MAX
from app.language import tr
from app.workspace.analytics import rows as metric_rows
from app.workspace.analytics.best_times import FIRST_DAY, LAST_DAY, BestTimes, best_times
from app.workspace.analytics.counts import Counts, Scale
from app.workspace.analytics.dataset import Figure
from app.workspace.analytics.rows import read_accounts, read_items, read_sampled
from app.workspace.catalogues import Ground, Listing, Source, put
from app.workspace.changes import Changes
from app.workspace.clock import from_millis
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.problems import as_problem
from app.workspace.published import Published
from app.workspace.store.tables import get_setting, metrics, put_setting
from app.workspace.time.wall import DAY_MS, WallClock

if TYPE_CHECKING:
    from app.workspace.analytics.counts import Curve
    from app.workspace.analytics.dataset import Dataset

SETTING: Final = "metrics"
_SETTLES: Final = timedelta(days=2)
"""A day's samples may change until the day is over in all zones, and arrive a day late."""
_LOOK_BACK_MS: Final = 365 * DAY_MS
_NOBODY_THERE: Final = ("unreachable", "proxy", "timeout", "key_refused", "certificate")
"""Kinds of problems that the next call would have too."""


class Asked(BaseModel):
    """Time of the last complete request, in ms (0 for never), and how far the stored data is complete.

    ``places`` is the same for companion networks.
    """

    model_config = ConfigDict(frozen=True)

    at: int = 0
    ground: Ground = Ground()
    places: Ground = Ground()


_SHAPE: Final = TypeAdapter(Asked)


class Analytics:
    """For the event loop's thread. Every coroutine raises Problem."""

    def __init__(self, core: Core, published: Published, offers: Callable[[], Collection[str]]) -> None:
        """``published`` knows the posts of samples, ``offers`` returns what the companion API offers."""
        self._core = core
        self._published = published
        self._offers = offers
        self._refreshing = asyncio.Lock()

    async def refresh(self) -> None:
        """Request what was published and sampled since the last request."""
        async with self._refreshing:
            await self._refresh()

    async def refresh_when_due(self) -> None:
        """Call ``refresh`` unless that was done in the last few hours."""
        async with self._refreshing:
            since_then = self._core.clock() - await self.asked_at()
            if not 0 <= since_then < self._core.pace.metrics * 1_000:
                await self._refresh()

    async def asked_at(self) -> int:
        """Time of the last complete request, in ms; 0 for never."""
        return (await self._asked()).at

    async def samples(self, since: date, content_id: str | None = None) -> list[Metric]:
        """Return samples from a day on, oldest first, of one item or of all."""
        return await self._core.read(lambda rows: metric_rows.read_metrics(rows, since, content_id))

    async def samples_of_post(self, key: str) -> list[Metric]:
        """Return all samples of a post, by its key, oldest first."""
        return await self._core.read(lambda rows: metric_rows.read_metrics_of_post(rows, key))

    async def counts(self, places: Sequence[int]) -> dict[int, Counts]:
        """Return the last counts of some hundred places of published content; none without a sample."""
        return await self._core.read(lambda rows: metric_rows.read_counts(rows, places))

    async def views(self, keys: Sequence[str]) -> dict[str, int]:
        """Return the last number of views of some hundred posts, by key; those without views are left out."""
        return await self._core.read(lambda rows: metric_rows.read_views(rows, keys))

    async def scale(self) -> Scale:
        """Return the highest counts, by platform."""
        return await self._core.read(metric_rows.read_scale)

    async def growth(self, place: int, days: int) -> "Curve":
        """Return the views of published content on its first days, next to its account's other posts."""
        from app.workspace.analytics.counts import curve

        samples = await self._core.read(lambda rows: metric_rows.read_growth(rows, place, days))
        return curve(samples, place)

    async def best_times(self, zone: ZoneInfo) -> dict[str, BestTimes]:
        """Return the hours of the week, in a zone, in which each account did best within a year."""
        now = self._core.clock()
        since = now - _LOOK_BACK_MS
        samples = await self._core.read(
            lambda rows: metric_rows.read_samples(rows, since, FIRST_DAY, LAST_DAY)
        )
        last_days = await self._core.read(metric_rows.read_last_days)
        return await asyncio.to_thread(best_times, samples, last_days, WallClock(zone), now)

    async def dataset(self, zone: ZoneInfo) -> "Dataset":
        """Return all numbers of the last 200 days, laid out for the dashboard by days in a zone."""
        await self.pack()
        now, clock = self._core.clock(), WallClock(zone)
        return await self._core.read(lambda rows: _dataset(rows, now, clock))

    async def curve(self, data: "Dataset", place: int, figure: Figure, zone: ZoneInfo) -> "Curve":
        """Return how an item of the dataset has grown since it was published, by its place there."""
        today, clock = from_millis(self._core.clock()).date(), WallClock(zone)
        return await self._core.read(lambda rows: _curve(rows, today, data, place, figure, clock))

    async def pack(self) -> None:
        """Pack samples day by day, so that they are read quickly; other writes can happen in between."""
        today = from_millis(self._core.clock()).date()
        if await self._core.read(lambda rows: metric_rows.unpacked(rows, today, 1)):
            while await self._core.write(lambda rows: metric_rows.pack_some(rows, today)):
                pass

    async def _refresh(self) -> None:
        unpublished = await self._unpublished()
        asked, now = await self._asked(), self._core.clock()
        listing = Listing(self._source(self._core.client, now), asked.ground)
        of_places = Listing(self._source(self._core.client.places, now), asked.places)
        at = asked.at
        try:
            with as_problem(tr("This service doesn't provide post metrics.")):
                async for _ in listing.run():
                    pass
                if "places" in self._offers():
                    async for _ in of_places.run():
                        pass
            await self.pack()
            at = now if unpublished is None else at
        finally:
            known = Asked(at=at, ground=listing.ground, places=of_places.ground)
            await self._core.write(lambda rows: put_setting(rows, SETTING, known, _SHAPE))
            self._core.changes.tell(Changes(metrics=True))
        if unpublished is not None:
            raise unpublished

    async def _unpublished(self) -> Problem | None:
        """Request published items; return why that failed. The metrics may be available anyway."""
        try:
            await self._published.refresh()
        except Problem as problem:
            if problem.kind in _NOBODY_THERE:
                raise
            return problem if problem.kind != "not_found" else None
        return None

    def _source(self, calls: PublishingCalls, now: int) -> Source[Metric]:
        # A service that sends samples of future days says nothing about the days in between.
        return Source(
            lambda cursor: calls.metrics(ANALYTICS_DAYS_MAX, cursor),
            self._put,
            lambda one: min(_stamp(one), from_millis(now)),
            _SETTLES,
        )

    async def _put(self, found: list[Metric]) -> int:
        values = [metric_rows.metric_row(metric) for metric in found]
        return await self._core.write(lambda rows: _put(rows, values))

    async def _asked(self) -> Asked:
        return await self._core.read(lambda rows: get_setting(rows, SETTING, _SHAPE)) or Asked()


def _put(rows: Connection, values: list[dict[str, Any]]) -> int:
    """Store samples. A newer sample of the same item and day replaces the stored one."""
    count = put(rows, metrics, values)
    if count:
        metric_rows.unpack(rows, {row["metric_date"] for row in values})
    return count


def _dataset(rows: Connection, now: int, clock: WallClock) -> "Dataset":
    from app.workspace.analytics.tally import Told, load

    asked, today = get_setting(rows, SETTING, _SHAPE) or Asked(), from_millis(now).date()
    told = Told(
        packs=metric_rows.read_packs(rows, today),
        published=read_items(rows, now - _LOOK_BACK_MS),
        sampled=None,
        accounts=read_accounts(rows),
        now=now,
        asked_at=asked.at,
    )
    found = load(told, clock)
    if found is None:
        sampled = read_sampled(rows)
        found = load(told._replace(packs=metric_rows.read_packs(rows, today), sampled=sampled), clock)
    assert found is not None  # noqa: S101  it is known what samples are of
    return found


def _curve(
    rows: Connection, today: date, data: "Dataset", place: int, figure: Figure, clock: WallClock
) -> "Curve":
    from app.workspace.analytics.tally import load_curve

    return load_curve(metric_rows.read_packs(rows, today), data, place, figure, clock)


def _stamp(metric: Metric) -> datetime:
    return datetime.combine(metric.metric_date, time(), UTC)
