"""Numbers as the language that is spoken writes them."""

from app.language.catalogue import figure


def number(value: float, digits: int = 0) -> str:
    """``1,234`` and, with a digit after the point, ``1,234.5``; in German ``1.234,5``."""
    return figure(f"{value:,.{digits}f}")
