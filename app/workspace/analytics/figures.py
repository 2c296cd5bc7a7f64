"""What the dashboard counts, and of whom."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Figure(StrEnum):
    """A number that is shown over time. The order is that of columns and tiles."""

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
        key: Of the account; of what belongs to no account that is known, its platform and a colon.
        platform: Its name in the contract.
        name: What people call it; empty where the account is not known.
        handle: Without an at sign; empty where there is none.
        color_index: Its place in the row of account colours.
    """

    key: str
    platform: str
    name: str = ""
    handle: str = ""
    color_index: int = 7

    @property
    def is_known(self) -> bool:
        """Whether there is an account behind it."""
        return not self.key.endswith(":")


class Item(NamedTuple):
    """Something that was published, or that samples are told of.

    Attributes:
        platform: Its name in the contract.
        content_id: What the platform calls it.
        source: The key of its source.
        post_key: Of the post that it came from; None where that is not known here.
        published_at: In milliseconds since 1970 UTC; None where nobody told.
        headline: Its first words; empty for none.
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
