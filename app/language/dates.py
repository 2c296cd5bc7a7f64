"""Days and months in the current language."""

from datetime import date

from app.language.catalogue import tr, trc


def weekday_name(day: date) -> str:
    """Return a name such as ``Wednesday``."""
    return (
        trc("weekday", "Monday"),
        trc("weekday", "Tuesday"),
        trc("weekday", "Wednesday"),
        trc("weekday", "Thursday"),
        trc("weekday", "Friday"),
        trc("weekday", "Saturday"),
        trc("weekday", "Sunday"),
    )[day.weekday()]


def weekday_short(day: date) -> str:
    """Return a name such as ``Wed``."""
    return (
        trc("weekday", "Mon"),
        trc("weekday", "Tue"),
        trc("weekday", "Wed"),
        trc("weekday", "Thu"),
        trc("weekday", "Fri"),
        trc("weekday", "Sat"),
        trc("weekday", "Sun"),
    )[day.weekday()]


def month_name(day: date) -> str:
    """Return a name such as ``November``."""
    return (
        trc("month", "January"),
        trc("month", "February"),
        trc("month", "March"),
        trc("month", "April"),
        trc("month", "May"),
        trc("month", "June"),
        trc("month", "July"),
        trc("month", "August"),
        trc("month", "September"),
        trc("month", "October"),
        trc("month", "November"),
        trc("month", "December"),
    )[day.month - 1]


def month_short(day: date) -> str:
    """Return a name such as ``Nov``; German adds a period if it's shortened."""
    return (
        trc("month, short", "Jan"),
        trc("month, short", "Feb"),
        trc("month, short", "Mar"),
        trc("month, short", "Apr"),
        trc("month, short", "May"),
        trc("month, short", "Jun"),
        trc("month, short", "Jul"),
        trc("month, short", "Aug"),
        trc("month, short", "Sep"),
        trc("month, short", "Oct"),
        trc("month, short", "Nov"),
        trc("month, short", "Dec"),
    )[day.month - 1]


def day(moment: date) -> str:
    """``Wed 25 Nov``."""
    return tr(
        "{weekday} {day} {month}",
        weekday=weekday_short(moment),
        day=moment.day,
        month=month_short(moment),
    )
