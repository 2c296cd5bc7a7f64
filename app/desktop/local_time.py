"""The calendar's time zone, in which all times are shown: one setting for the whole app, like the theme."""

from datetime import UTC, date, datetime, tzinfo

_zone: list[tzinfo | None] = [None]


def use_zone(zone: tzinfo | None) -> None:
    """Set the calendar's zone; None for this computer's. Widgets that show times must be rebuilt."""
    _zone[0] = zone


def local(moment: datetime) -> datetime:
    """Return an aware moment in the calendar's zone."""
    return moment.astimezone(_zone[0])


def today() -> date:
    """Return the current day in the calendar's zone."""
    return local(datetime.now(UTC)).date()
