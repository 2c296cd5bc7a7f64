"""What platforms count of single posts, as a list shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Counts(NamedTuple):
    """The last counts of a post; None for what its platform doesn't report."""

    views: int | None = None
    likes: int | None = None
    comments: int | None = None
    shares: int | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """The highest counts among the newest samples, by platform.

    A service writes 0 also for what a platform doesn't report, so a platform whose highest count is 0
    doesn't report it.
    """

    highest: Mapping[str, Counts] = field(default_factory=dict)

    @property
    def views(self) -> int:
        """The most views of a post on any platform."""
        return max((counts.views or 0 for counts in self.highest.values()), default=0)

    def reported(self, platform: str, counts: Counts) -> Counts:
        """Return counts without those that the platform doesn't report."""
        highest = self.highest.get(platform, Counts())
        return Counts(*(count if count or top else None for count, top in zip(counts, highest, strict=True)))
