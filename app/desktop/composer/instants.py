"""From a day and a time of day in a zone to an instant, with the gaps and overlaps of clock changes."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_MINUTE = timedelta(minutes=1)
_LONGEST_GAP = timedelta(hours=26)  # whole days were skipped where the date line moved


def readings(local: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """Return the instants at which the clocks of `zone` show the naive `local`, earliest first.

    None while clocks are put forward over it, two when they are put back over it, else one.
    """
    found = []
    for fold in (0, 1):
        moment = local.replace(tzinfo=zone, fold=fold)
        there = moment.astimezone(UTC).astimezone(zone)
        if there.replace(tzinfo=None, fold=0) == local.replace(fold=0):
            found.append(there)
    return tuple({moment.astimezone(UTC): moment for moment in found}.values())


def next_valid(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the first whole minute from the naive `local` on that the clocks of `zone` do show."""
    moment = local
    while not readings(moment, zone) and moment - local < _LONGEST_GAP:
        moment += _MINUTE
    return moment


def at_millis(moment: datetime) -> int:
    """Return an aware moment in milliseconds since 1970 UTC."""
    return round(moment.timestamp() * 1000)


def in_zone(at: int, zone: ZoneInfo) -> datetime:
    """Return the moment that is `at` milliseconds after 1970 UTC, as the clocks of `zone` show it."""
    return datetime.fromtimestamp(at / 1000, zone)


def suggested(now: int, zone: ZoneInfo) -> int:
    """Return the time for a new post when nobody named one: the first full hour at least 30 minutes ahead."""
    ahead = in_zone(now, zone) + timedelta(minutes=90)
    return at_millis(ahead.replace(minute=0, second=0, microsecond=0))
