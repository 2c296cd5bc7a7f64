"""What platforms count, and samples of it with their posts."""

from enum import StrEnum
from typing import NamedTuple


class Measure(StrEnum):
    """A metric, by how much it says about a post's reach, best first; named as in the contract."""

    VIEWS = "views"
    LIKES = "likes"
    COMMENTS = "comments"
    SHARES = "shares"


class Sample(NamedTuple):
    """A post's counts up to a day.

    A service also sends 0 for metrics that a platform doesn't report, so a 0 alone means nothing.

    Attributes:
        account_key: Account of the post.
        post_key: Key of the post.
        published_at: When it was published, in ms since 1970 UTC.
        day: Days in UTC since then.
        views: Total up to that day, like all that follow.
        likes: The same.
        comments: The same.
        shares: The same.
    """

    account_key: str
    post_key: str
    published_at: int
    day: int
    views: int
    likes: int
    comments: int
    shares: int

    def count(self, measure: Measure) -> int:
        """Return the count of one metric."""
        found: int = getattr(self, measure.value)
        return found
