"""How long texts are by the platforms' limits."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import regex

from app.contract.enums import PostingPlatform, PostType
from app.language import number
from app.workspace.rules import RULES, length_of

FEW: Final = 20
"""The room from which on it is worth a person's attention, in the platform's own unit."""
_WORD: Final = regex.compile(r"\S+")
_LONG_WORD: Final = 40
"""Characters; a longer word, or a text without spaces, is divided between characters."""


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

    @property
    def is_close(self) -> bool:
        """Whether little room is left, or none."""
        return self.room < FEW

    def __str__(self) -> str:
        return f"{number(self.used)}/{number(self.allowed)}"


def counts(texts: Iterable[tuple[PostingPlatform, str]], post_type: PostType) -> list[Count]:
    """Return the counts of texts for platforms, the least room first, one for each platform.

    Platforms without known rules are left out; of several texts for one platform the longest counts.
    """
    lengths = (
        (platform, length_of(platform, text, post_type))
        for platform, text in dict.fromkeys(texts)
        if platform in RULES
    )
    found = [Count(platform.value, length.used, length.allowed) for platform, length in lengths]
    ordered = sorted(found, key=lambda count: (count.room, count.platform))
    return list({count.platform: count for count in reversed(ordered)}.values())[::-1]


def overflow(platform: PostingPlatform, text: str, post_type: PostType) -> int:
    """Return where a text exceeds its platform's room: the index of the first word that doesn't fit.

    The length of the text when it fits, or when the platform's rules aren't known.
    """
    if platform not in RULES:
        return len(text)

    def is_over(end: int) -> bool:
        return length_of(platform, text[:end], post_type).over > 0

    if not is_over(len(text)):
        return len(text)
    words = [found.span() for found in _WORD.finditer(text)]
    fitting = bisect_left(words, True, key=lambda span: is_over(span[1]))
    if fitting == len(words):  # only the space behind the last word is too much
        return len(text.rstrip())
    start, end = words[fitting]
    if end - start <= _LONG_WORD:
        return start
    ends = [start + found.end() for found in regex.finditer(r"\X", text[start:end])]
    inside = bisect_left(ends, True, key=is_over)
    return ends[inside - 1] if inside else start
