"""Days, months, numbers and amounts of data in the current language."""

from datetime import date

from app.language.catalogue import figure, tr, trc, trn


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


_THOUSAND = 1_000
_MILLION = 1_000_000


def number(value: float, digits: int = 0) -> str:
    """Format a number: ``1,234``, or ``1,234.5`` with one digit; in German ``1.234,5``."""
    return figure(f"{value:,.{digits}f}")


def percent(value: float, digits: int = 0) -> str:
    """Format a percentage: ``62%``; in German ``62 %``."""
    return tr("{n}%", n=number(value, digits))


def compact(value: int) -> str:
    """Format a count in a few characters: ``980``, ``1.2k``, ``41k``, ``3.1M``; in German ``1,2k``."""
    if value < _THOUSAND:
        return number(value)
    if value < 999_500:
        return trc("thousands", "{n}k", n=_two_digits(value / _THOUSAND))
    return trc("millions", "{n}M", n=_two_digits(value / _MILLION))


def _two_digits(value: float) -> str:
    """Format a number with a decimal below 100."""
    digits = 1 if value < 99.95 and round(value, 1) % 1 else 0
    return number(value, digits)


def data_size(size: int, next_to: int = 0) -> str:
    """``640 KB``, ``12.4 MB``; the units of file managers, in steps of 1024.

    Args:
        size: in bytes.
        next_to: a larger size that is shown next to it, whose unit is used if one digit is enough for that.
    """
    for unit, name in ((1024**3, "GB"), (1024**2, "MB"), (1024, "KB")):
        if size >= unit or (next_to >= unit and size * 10 >= unit):
            return figure(f"{size / unit:.1f}".removesuffix(".0")) + f" {name}"
    return trn("{n} byte", "{n} bytes", size)
