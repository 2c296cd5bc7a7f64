"""What the dashboard counts, and for which source."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Figure(StrEnum):
    """A number that is shown over time, in the order of columns and tiles."""

    VIEWS = "views"
    LIKES = "likes"
    COMMENTS = "comments"
    SHARES = "shares"
    FOLLOWERS = "followers"

    @property
    def place(self) -> int:
        """Its place among them all."""
        return _PLACES[self]


_PLACES = {figure: place for place, figure in enumerate(Figure)}
COUNTED = (Figure.VIEWS, Figure.LIKES, Figure.COMMENTS, Figure.SHARES)
"""Figures of a post; followers are an account's."""


@dataclass(frozen=True, slots=True)
class Source:
    """An account whose posts were sampled.

    Attributes:
        key: Key of the account; for items without a known account, the platform and a colon.
        platform: Its name in the contract.
        name: Display name; empty if the account is unknown.
        handle: Handle without an at sign; may be empty.
        color_index: Its place in the row of account colours.
    """

    key: str
    platform: str
    name: str = ""
    handle: str = ""
    color_index: int = 7

    @property
    def is_known(self) -> bool:
        """Whether it's a known account."""
        return not self.key.endswith(":")


class Item(NamedTuple):
    """A published item, or one that is only known from its samples.

    Attributes:
        platform: Its name in the contract.
        content_id: The platform's ID.
        source: The key of its source.
        post_key: Key of its post; None if unknown.
        published_at: In ms since 1970 UTC; None if unknown.
        headline: Its first words; may be empty.
    """

    platform: str
    content_id: str
    source: str
    post_key: str | None = None
    published_at: int | None = None
    headline: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Days from ``first`` to ``last``, both of them included; days are ordinals."""

    first: int
    last: int

    @property
    def days(self) -> int:
        """How many."""
        return self.last - self.first + 1

    @property
    def before(self) -> "Span":
        """As many days, ending the day before."""
        return Span(self.first - self.days, self.first - 1)
