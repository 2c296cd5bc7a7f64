"""Number formatting in the current language."""

from app.language.catalogue import figure


def number(value: float, digits: int = 0) -> str:
    """Format a number: ``1,234``, or ``1,234.5`` with one digit; in German ``1.234,5``."""
    return figure(f"{value:,.{digits}f}")
