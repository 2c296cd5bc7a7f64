"""The service's usage: requested, cached, stored hourly, and everything known about it for display."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, TypeAdapter
from sqlalchemy import Connection, delete, insert, select

from app.client import ClientError
from app.contract.companion import Quota
from app.contract.enums import PostType
from app.contract.usage import Usage
from app.database import DatabaseError
from app.language import tr
from app.workspace.catalogues import KeptFile
from app.workspace.clock import from_millis, to_millis
from app.workspace.core import Core
from app.workspace.exchange.csv_table import csv_file, write_table
from app.workspace.store.tables import get_setting, put_setting, usage_readings
from app.workspace.time.wall import DAY_MS

_SETTING: Final = "usage"
_HOUR_MS: Final = 3_600_000
_KEPT_MS: Final = 400 * 24 * _HOUR_MS
_log = logging.getLogger(__name__)


class Told(BaseModel):
    """The service's whole response, and its time in ms; ``quotas`` if the service has them."""

    model_config = ConfigDict(frozen=True)

    at: int
    usage: Usage
    quotas: tuple[Quota, ...] = ()


class Reading(NamedTuple):
    """The counts at a moment in ms: calls of the period so far, and bytes stored."""

    at: int
    calls: int
    used_bytes: int


def reading_of(told: Told) -> Reading:
    """Return the part of a response to store permanently."""
    usage = told.usage
    return Reading(told.at, sum(usage.actions.values()), usage.storage.used_bytes)


_SHAPE: Final = TypeAdapter(Told)


class UsageBook:
    """Every response of the service becomes a reading, whatever requested it."""

    def __init__(self, core: Core, offers: Callable[[], frozenset[str]]) -> None:
        """``offers`` returns what the companion API offers."""
        self._core = core
        self._offers = offers

    async def ask(self) -> Usage:
        """Ask the service. Raises ClientError, but not if the reading can't be stored."""
        usage = await self._core.client.usage()
        await self._keep(Told(at=self._core.clock(), usage=usage))
        return usage

    async def refresh(self) -> Told:
        """Request everything that the pane shows. Raises Problem."""
        usage = await self._core.call(self._core.client.usage(), tr("This service doesn't report usage."))
        told = Told(at=self._core.clock(), usage=usage, quotas=await self._quotas())
        await self._keep(told)
        return told

    async def last(self) -> Told | None:
        """Return the last response, even from an earlier run of the app. Raises Problem."""
        return await self._core.read(lambda rows: get_setting(rows, _SETTING, _SHAPE))

    async def readings(self, since: int) -> list[Reading]:
        """Return the readings from a moment in ms on, oldest first. Raises Problem."""
        return await self._core.read(lambda rows: _read(rows, since))

    async def _quotas(self) -> tuple[Quota, ...]:
        """Return the quotas; None if the service has none or fails: they're optional."""
        if "quotas" not in self._offers():
            return ()
        try:
            return tuple((await self._core.client.quotas()).data)
        except ClientError as error:
            _log.info("the quotas are not known: %s", type(error).__name__)
            return ()

    async def _keep(self, told: Told) -> None:
        try:
            await self._core.commit(lambda rows: _write(rows, told))
        except DatabaseError as error:
            _log.warning("a reading of the usage could not be kept: %s", error)


def _write(rows: Connection, told: Told) -> None:
    """Store the reading, replacing an earlier one of the same hour."""
    put_setting(rows, _SETTING, told, _SHAPE)
    reading = reading_of(told)
    hour = reading.at - reading.at % _HOUR_MS
    rows.execute(delete(usage_readings).where(usage_readings.c.at.between(hour, hour + _HOUR_MS - 1)))
    rows.execute(delete(usage_readings).where(usage_readings.c.at < reading.at - _KEPT_MS))
    rows.execute(insert(usage_readings).values(reading._asdict()))


def _read(rows: Connection, since: int) -> list[Reading]:
    chosen = select(usage_readings).where(usage_readings.c.at >= since).order_by(usage_readings.c.at)
    return [Reading(*row) for row in rows.execute(chosen)]


_LONGEST_GAP_MS: Final = DAY_MS * 3 // 2
"""Longest gap between readings in ms. Calls counted in a longer one can't be assigned to days."""
_WHOLE: Final = 0.999
_PACE_DAYS: Final = 7
_PACE_DAYS_LEAST: Final = 3
_GROWTH_SPAN_DAYS: Final = 7
_GROWTH_DAYS_LEAST: Final = 5
_HORIZON_DAYS: Final = 730
_MONTH_DAYS: Final = 30.44
_PERIOD_MOST: Final = timedelta(days=32)


@dataclass(frozen=True, slots=True)
class DayCalls:
    """The calls of a day in the calendar's zone; None if unknown. ``so_far``: the day isn't over."""

    day: date
    calls: int | None
    so_far: bool = False


@dataclass(frozen=True, slots=True)
class Growth:
    """The forecast for storage. ``full_on`` is None if it won't be full within two years."""

    bytes_a_month: float
    full_on: date | None


def calls_by_day(readings: Sequence[Reading], zone: ZoneInfo, first: date, today: date) -> list[DayCalls]:
    """Return every day from ``first`` to today. Calls between two readings are spread evenly."""
    calls: dict[date, float] = defaultdict(float)
    seen: dict[date, int] = defaultdict(int)
    for start, end, count in _known(readings):
        for day, part in _by_day(start, end, zone):
            calls[day] += count * part / max(1, end - start)
            seen[day] += part
    return [_day_calls(day, calls[day], seen[day], zone, today) for day in _days(first, today)]


def calls_at_end(days: Sequence[DayCalls], counted: int, today: date, ends: date) -> int | None:
    """Return the expected calls at the end of the last day, at the rate of the last week."""
    known = [day.calls for day in days if day.calls is not None and not day.so_far][-_PACE_DAYS:]
    if len(known) < _PACE_DAYS_LEAST or ends < today:
        return None
    pace = sum(known) / len(known)
    so_far = next((day.calls for day in days if day.day == today), None) or 0
    rest = max(0.0, pace - so_far) + pace * (ends - today).days
    return _rounded(counted + rest)


def growth(readings: Sequence[Reading], cap_bytes: int, now: int) -> Growth | None:
    """Fit a straight line through the last reading of each day."""
    last = {reading.at // DAY_MS: reading for reading in readings}
    points = [(reading.at / DAY_MS, float(reading.used_bytes)) for reading in last.values()]
    if len(points) < _GROWTH_DAYS_LEAST or points[-1][0] - points[0][0] < _GROWTH_SPAN_DAYS:
        return None
    slope = _slope(points)
    left = cap_bytes - points[-1][1]
    days = left / slope if slope > 0 and left > 0 else None
    if days is None or days > _HORIZON_DAYS:
        return Growth(slope * _MONTH_DAYS, None)
    return Growth(slope * _MONTH_DAYS, (from_millis(now) + timedelta(days=days)).date())


def period_of(usage: Usage, now: datetime) -> tuple[date, date] | None:
    """Return the first and the last day of the current period, in UTC; None if unknown.

    It ends with the paid period if that ends within a month, otherwise with the calendar month.
    """
    if usage.period != "month":
        return None
    ends = usage.current_period_end
    if ends is None:
        first = now.astimezone(UTC).date().replace(day=1)
        return first, _month_on(first) - timedelta(days=1)
    if not now < ends <= now + _PERIOD_MOST:
        return None
    end = ends.astimezone(UTC)
    return _month_back(end.date()), (end - timedelta(milliseconds=1)).date()


def _known(readings: Sequence[Reading]) -> Iterator[tuple[int, int, int]]:
    """Start, end and calls of the times between readings; a smaller count has restarted at 0."""
    for before, after in pairwise(readings):
        count = after.calls - before.calls if after.calls >= before.calls else after.calls
        if after.at - before.at <= _LONGEST_GAP_MS or not count:
            yield before.at, after.at, count


def _by_day(start: int, end: int, zone: ZoneInfo) -> Iterator[tuple[date, int]]:
    """The days of a period, and how many of its milliseconds are in each."""
    day = datetime.fromtimestamp(start / 1_000, zone).date()
    while start < end:
        following = _midnight(day + timedelta(days=1), zone)
        yield day, min(end, following) - start
        start, day = following, day + timedelta(days=1)


def _day_calls(day: date, calls: float, seen: int, zone: ZoneInfo, today: date) -> DayCalls:
    if day == today:
        return DayCalls(day, round(calls) if seen else None, so_far=True)
    length = _midnight(day + timedelta(days=1), zone) - _midnight(day, zone)
    return DayCalls(day, round(calls) if seen >= length * _WHOLE else None)


def _days(first: date, last: date) -> Iterable[date]:
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def _midnight(day: date, zone: ZoneInfo) -> int:
    return to_millis(datetime.combine(day, time(), zone))


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Least squares."""
    middle_x = sum(x for x, _y in points) / len(points)
    middle_y = sum(y for _x, y in points) / len(points)
    spread = sum((x - middle_x) ** 2 for x, _y in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread


def _rounded(count: float) -> int:
    """Round to two digits: more would be false precision."""
    return int(round(count, min(0, 2 - len(str(int(count))))))


def _month_on(first: date) -> date:
    return (first + timedelta(days=32)).replace(day=1)


def _month_back(day: date) -> date:
    """The same day of the previous month, or its last day."""
    before = day.replace(day=1) - timedelta(days=1)
    return before.replace(day=min(day.day, before.day))


_LOOK_BACK_DAYS: Final = 40
_GROWTH_DAYS: Final = 60


@dataclass(frozen=True, slots=True)
class Overview:
    """The usage as shown to the user.

    Attributes:
        told: The service's last response.
        today: The day of that response, in the calendar's zone.
        period: The first and the last day of the period; None if unknown.
        days: Calls by day since the start of the period, or of the last weeks.
        at_end: Expected calls at the end of the period, at the rate of the last week.
        growth: The forecast for storage; None if too little is known.
        stored: The last reading of each of the last days.
        videos: Bytes of the known videos.
        images: Bytes of the known images.
    """

    told: Told
    today: date
    period: tuple[date, date] | None = None
    days: Sequence[DayCalls] = ()
    at_end: int | None = None
    growth: Growth | None = None
    stored: Sequence[Reading] = ()
    videos: int = 0
    images: int = 0

    @property
    def calls(self) -> int:
        """Total calls of the period so far."""
        return sum(self.told.usage.actions.values())


async def overview(book: UsageBook, told: Told, files: Sequence[KeptFile], zone: ZoneInfo) -> Overview:
    """Return the overview for a response. Raises Problem."""
    readings = await book.readings(told.at - max(_LOOK_BACK_DAYS, _GROWTH_DAYS) * DAY_MS)
    return await asyncio.to_thread(_put_together, told, readings, files, zone)


async def export(path: Path, seen: Overview) -> None:
    """Export it as a table. Raises Problem."""
    await write_table(path, lambda: table(seen))


def table(seen: Overview) -> bytes:
    """Return a row for every number."""
    usage, read = seen.told.usage, from_millis(seen.told.at)
    limits = {quota.action.value: quota for quota in seen.told.quotas}
    ends = usage.current_period_end
    rows = [
        ("Read", "at", read.isoformat(timespec="seconds"), ""),
        ("Plan", "name", usage.plan or "", ""),
        ("Plan", "status", usage.status.value, ""),
        ("Plan", "period ends", ends.isoformat(timespec="seconds") if ends else "", ""),
        ("Storage", "used bytes", str(usage.storage.used_bytes), str(usage.storage.cap_bytes)),
    ]
    for action, count in sorted(usage.actions.items()):
        quota = limits.get(action)
        allowed = f"{quota.limit} in {quota.window_seconds} s" if quota and quota.limit is not None else ""
        rows.append(("Action", action, str(count), allowed))
    rows += [("Calls", day.day.isoformat(), str(day.calls), "") for day in seen.days if day.calls is not None]
    return csv_file(("What", "Name", "Value", "Limit"), rows)


def _put_together(
    told: Told, readings: Sequence[Reading], files: Sequence[KeptFile], zone: ZoneInfo
) -> Overview:
    today = datetime.fromtimestamp(told.at / 1_000, zone).date()
    period = period_of(told.usage, from_millis(told.at))
    recent = today - timedelta(days=_LOOK_BACK_DAYS - 10)
    days = calls_by_day(readings, zone, recent, today)
    first = period[0] if period else recent
    counted = sum(told.usage.actions.values())
    since = told.at - _GROWTH_DAYS * DAY_MS
    last_of_day = {reading.at // DAY_MS: reading for reading in readings if reading.at >= since}
    stored = list(last_of_day.values())
    return Overview(
        told,
        today,
        period,
        [day for day in days if day.day >= first],
        calls_at_end(days, counted, today, period[1]) if period else None,
        growth(stored, told.usage.storage.cap_bytes, told.at),
        stored,
        videos=sum(file.size_bytes or 0 for file in files if file.kind is PostType.VIDEO),
        images=sum(file.size_bytes or 0 for file in files if file.kind is PostType.IMAGE),
    )


def full_at(seen: Overview) -> int:
    """When the storage will be full, in ms; 0 if that can't be foreseen."""
    ends = seen.growth.full_on if seen.growth else None
    return to_millis(datetime.combine(ends, datetime.min.time(), from_millis(0).tzinfo)) if ends else 0
