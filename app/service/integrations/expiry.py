"""Lifetimes of new keys."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class Expiry:
    """An option in the form. Without ``days``, the key never expires."""

    value: str
    days: int | None
    name: str

    def at(self, now: datetime) -> datetime | None:
        return None if self.days is None else now + timedelta(days=self.days)

    def words(self, now: datetime) -> str:
        """Return the label in the form, such as ``In 30 days, on 21 Dec 2026``."""
        end = self.at(now)
        return self.name if end is None else f"{self.name}, on {end.day} {end:%b %Y}"


EXPIRIES: Final = (
    Expiry("never", None, "Never"),
    Expiry("7", 7, "In 7 days"),
    Expiry("30", 30, "In 30 days"),
    Expiry("90", 90, "In 90 days"),
    Expiry("365", 365, "In a year"),
)


def chosen(value: str) -> Expiry | None:
    """Return the option with that value; None if there is none."""
    return next((choice for choice in EXPIRIES if choice.value == value), None)
