"""The instants that the cells of a row mean, and what is wrong with them. Pure."""

from collections.abc import Iterator
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from app.language import tr
from app.workspace.clock import LAST_MOMENT
from app.workspace.exchange.csv_columns import Column
from app.workspace.exchange.csv_issues import Issue
from app.workspace.exchange.csv_times import UnreadableError, read_time
from app.workspace.time.wall import Landing, Reading, WallClock
from app.workspace.time.written import DayOrder, WrittenClock

_NO_DATE: Final = tr("The date is missing. Enter it like 2026-11-25 14:30.")
_NO_TIME: Final = tr("The time is missing. Enter it like 14:30.")
_UTC: Final = WallClock(ZoneInfo("UTC"))
_SHOWN_MAX: Final = 60


class Instants:
    """Reads the times of many rows; each zone's clock is made once."""

    def __init__(self, zone: str, order: DayOrder, now: int, *, own_column: bool) -> None:
        """``zone`` is for rows that name none; ``own_column``: times of day have a column of their own."""
        self._zone = zone
        self._order = order
        self._now = now
        self._of_time = Column.TIME if own_column else Column.DATE
        self._clocks: dict[str, WallClock] = {}

    def read(self, day: str, time: str, zone: str) -> tuple[int | None, list[Issue]]:
        """The instant in milliseconds since 1970 UTC, None where none can be told, and what is to be said."""
        if not day.strip():
            return None, [Issue(Column.DATE, _NO_DATE)]
        try:
            date, written = read_time(day, time, self._order)
        except UnreadableError as error:
            return None, [Issue(self._of_time if error.of_time else Column.DATE, str(error))]
        if written is None:
            return None, [Issue(self._of_time, _NO_TIME)]
        clock = self._clock(zone.strip() or self._zone)
        if clock is None:
            text = tr(
                "“{zone}” isn't a time zone. Enter it like Europe/Berlin.", zone=zone.strip()[:_SHOWN_MAX]
            )
            return None, [Issue(Column.ZONE, text)]
        landing = _landing(clock, date.toordinal(), written)
        return landing.at, [*_remarks(clock, landing, self._of_time), *self._limits(landing.at)]

    def _clock(self, name: str) -> WallClock | None:
        if (clock := self._clocks.get(name)) is None and (known := _zones().get(name.casefold())):
            clock = self._clocks[name] = WallClock(ZoneInfo(known))
        return clock

    def _limits(self, at: int) -> Iterator[Issue]:
        if at <= self._now:
            yield Issue(Column.DATE, tr("That time has passed."))
        if at > LAST_MOMENT:
            yield Issue(Column.DATE, tr("That date is too far in the future."))


def _landing(clock: WallClock, day: int, written: WrittenClock) -> Landing:
    if written.offset_ms is None:
        return clock.land(day, written.minute, written.second_ms)
    return Landing(_UTC.instant(day, written.minute, written.second_ms) - written.offset_ms)


@cache
def _zones() -> dict[str, str]:
    return {name.casefold(): name for name in available_timezones()}


def _remarks(clock: WallClock, landing: Landing, column: Column) -> Iterator[Issue]:
    if landing.reading is Reading.TWICE:
        said = tr("The clocks go back then, so this time happens twice. The first one is used.")
        yield Issue(column, said, blocks=False)
    elif landing.reading is Reading.SKIPPED:
        minute = clock.place(landing.at).minute
        shown = f"{minute // 60:02}:{minute % 60:02}"
        said = tr("The clocks go forward then, so this time doesn't exist. It becomes {time}.", time=shown)
        yield Issue(column, said, blocks=False)
