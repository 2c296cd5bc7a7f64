"""Numbers as axes write them. No Qt."""

from typing import Final

from app.language import number, trc

_UNITS: Final = (
    (1_000_000_000, trc("on an axis", "{number}bn")),
    (1_000_000, trc("on an axis", "{number}m")),
    (1_000, trc("on an axis", "{number}k")),
)


def short_number(value: float) -> str:
    """Return ``12k`` or ``1.5m``."""
    for unit, words in _UNITS:
        if abs(value) >= unit:
            share = round(value / unit, 1)
            return words.format(number=number(share, 0 if share.is_integer() else 1))
    return f"{value:g}"
