"""The posts that are being written: a dashed card on their day, which nobody can choose or drag."""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.calendar.placement import DayLayout, PlacedCard
from app.language import trn
from app.workspace.posts.planned import PlannedPost

_KEY = ""
"""No post has this key."""


@dataclass(frozen=True, slots=True)
class Composing:
    """So many new posts on a day (its ordinal) at a time (milliseconds since 1970 UTC)."""

    day: int
    at: int
    count: int

    def among(self, posts: Sequence[PlannedPost]) -> Sequence[PlannedPost]:
        """A day's posts with the new ones at their time, as one, so that it is given room."""
        together = list(posts)
        if self.count:
            insort(together, self._stand_in(), key=lambda post: (post.at, post.key))
        return together

    def _stand_in(self) -> PlannedPost:
        return PlannedPost(
            key=_KEY,
            at=self.at,
            account_key="",
            platform=PostingPlatform.X,
            post_type=PostType.TEXT,
            status=PostStatus.SCHEDULED,
            headline=trn("{n} new post", "{n} new posts", self.count),
        )


def set_apart(layout: DayLayout) -> DayLayout:
    """Takes the card of the new posts out from among those of posts."""
    placed: dict[bool, list[PlacedCard]] = {True: [], False: []}
    for card in layout.cards:
        placed[card.post.key == _KEY].append(card)
    hidden = tuple(post for post in layout.hidden if post.key != _KEY)
    new = placed[True][0] if placed[True] else None
    return DayLayout(tuple(placed[False]), hidden, layout.more if hidden else None, new)
