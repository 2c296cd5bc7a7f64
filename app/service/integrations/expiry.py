"""When a new key ends: a few lengths to choose from."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class Expiry:
    """A choice in the form; no ``days`` means that the key never ends."""

    value: str
    days: int | None
    name: str

    def at(self, now: datetime) -> datetime | None:
        return None if self.days is None else now + timedelta(days=self.days)

    def words(self, now: datetime) -> str:
        """As the form shows it, such as ``In 30 days, on 21 Dec 2026``."""
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
    """The choice with that value; None for what is no choice."""
    return next((choice for choice in EXPIRIES if choice.value == value), None)
