"""Everything known about the usage, for display."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from app.contract.enums import PostType
from app.workspace.catalogues.catalogues import KeptFile
from app.workspace.clock import from_millis, to_millis
from app.workspace.exchange.csv_writing import csv_file, write_table
from app.workspace.time.wall import DAY_MS
from app.workspace.usage.forecast import (
    DayCalls,
    Growth,
    calls_at_end,
    calls_by_day,
    growth,
    period_of,
)
from app.workspace.usage.usage import Reading, Told, UsageBook

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
