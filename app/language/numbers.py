"""Number formatting in the current language."""

from app.language.catalogue import figure, trc

_THOUSAND = 1_000
_MILLION = 1_000_000


def number(value: float, digits: int = 0) -> str:
    """Format a number: ``1,234``, or ``1,234.5`` with one digit; in German ``1.234,5``."""
    return figure(f"{value:,.{digits}f}")


def compact(value: int) -> str:
    """Format a count in a few characters: ``980``, ``1.2k``, ``41k``, ``3.1M``; in German ``1,2 Tsd.``."""
    if value < _THOUSAND:
        return number(value)
    if value < 999_500:
        return trc("thousands", "{n}k", n=_two_digits(value / _THOUSAND))
    return trc("millions", "{n}M", n=_two_digits(value / _MILLION))


def _two_digits(value: float) -> str:
    """Format a number with a decimal below 100."""
    digits = 1 if value < 99.95 and round(value, 1) % 1 else 0
    return number(value, digits)
