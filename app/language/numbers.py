"""Numbers as the language that is spoken writes them."""

from app.language.catalogue import trc


def number(value: float, digits: int = 0) -> str:
    """``1,234`` and, with a digit after the point, ``1,234.5``; in German ``1.234,5``."""
    point, thousands = trc("decimal point", "."), trc("between thousands", ",")
    return f"{value:,.{digits}f}".translate({ord("."): point, ord(","): thousands})
