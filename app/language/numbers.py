"""Numbers as the language that is spoken writes them."""

from app.language.catalogue import trc


def number(value: float, digits: int = 0) -> str:
    """``1,234`` and, with a digit after the point, ``1,234.5``; in German ``1.234,5``."""
    return figure(f"{value:,.{digits}f}")


def figure(written: str) -> str:
    """Numbers that are written as in English: ``1,234.5`` becomes ``1.234,5`` in German."""
    point, thousands = trc("decimal point", "."), trc("between thousands", ",")
    return written.translate({ord("."): point, ord(","): thousands})
