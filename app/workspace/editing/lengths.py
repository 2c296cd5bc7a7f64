"""How long texts are by the platforms' limits."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.contract.enums import PostingPlatform, PostType
from app.language import number
from app.workspace.rules import RULES, measure


@dataclass(frozen=True, slots=True)
class Count:
    """The length of a text by a platform's rules, and its limit."""

    platform: str
    used: int
    allowed: int

    @property
    def room(self) -> int:
        """The remaining length; negative if the text is too long."""
        return self.allowed - self.used

    def __str__(self) -> str:
        return f"{number(self.used)}/{number(self.allowed)}"


def counts(texts: Iterable[tuple[PostingPlatform, str]], post_type: PostType) -> list[Count]:
    """Return the counts of texts for platforms, the least room first, one for each platform.

    Platforms without known rules are left out; of several texts for one platform the longest counts.
    """
    found = [
        Count(platform.value, measure(platform, text), RULES[platform].text_max_of(post_type))
        for platform, text in dict.fromkeys(texts)
        if platform in RULES
    ]
    ordered = sorted(found, key=lambda count: (count.room, count.platform))
    return list({count.platform: count for count in reversed(ordered)}.values())[::-1]
