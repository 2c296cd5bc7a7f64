"""What platforms count, and samples of it beside the posts that they belong to."""

from enum import StrEnum
from typing import NamedTuple


class Measure(StrEnum):
    """Something that is counted, what says most about a post's reach first; named as in the contract."""

    VIEWS = "views"
    LIKES = "likes"
    COMMENTS = "comments"
    SHARES = "shares"


class Sample(NamedTuple):
    """What was counted of a post by a day.

    A service writes 0 also for what a platform does not report, so that a 0 alone is no number.

    Attributes:
        account_key: Whose post it is.
        post_key: Of the post.
        published_at: When it went out, in milliseconds since 1970 UTC.
        day: Days of UTC from then on.
        views: Up to that day, like all that follow.
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
        """What was counted of one measure."""
        found: int = getattr(self, measure.value)
        return found
