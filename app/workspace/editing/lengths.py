"""Lengths of texts, as the platforms count them."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import regex

from app.contract.enums import PostingPlatform, PostType
from app.contract.graphemes import GRAPHEME
from app.language import number
from app.workspace.rules import Length, PlatformRules, length_of, post_rules

if TYPE_CHECKING:
    from app.contract.places import PlaceLimits

FEW: Final = 20
"""Remaining length from which the user is alerted, in the platform's unit."""
_WORD: Final = regex.compile(r"\S+")
_LONG_WORD: Final = 40
"""Maximum length of a word in characters; longer ones, or texts without spaces, are cut within."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """The rules for counting the texts of one account. A content ``warning`` counts, too."""

    platform: PostingPlatform
    post_type: PostType
    rules: PlatformRules
    warning: str = ""

    @classmethod
    def of(
        cls,
        platform: PostingPlatform,
        post_type: PostType,
        limits: "PlaceLimits | None" = None,
        warning: str = "",
    ) -> Self | None:
        """Return the ruler of an account whose server has these limits; None if the rules are unknown."""
        rules = post_rules(platform, limits)
        return None if rules is None else cls(platform, post_type, rules, warning)

    def length(self, text: str) -> Length:
        """Return the length of a text, and the limit."""
        return length_of(self.platform, text, self.post_type, self.rules, self.warning)


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
        """Whether the limit is nearly reached or exceeded."""
        return self.room < FEW

    def __str__(self) -> str:
        return f"{number(self.used)}/{number(self.allowed)}"


def counts(texts: Iterable[tuple[Ruler, str]]) -> list[Count]:
    """Return one count for each platform, the one with the fewest remaining characters first.

    If a platform has several texts, the one with the fewest remaining characters counts.
    """
    lengths = ((ruler.platform, ruler.length(text)) for ruler, text in dict.fromkeys(texts))
    found = [Count(platform.value, length.used, length.allowed) for platform, length in lengths]
    ordered = sorted(found, key=lambda count: (count.room, count.platform))
    return list({count.platform: count for count in reversed(ordered)}.values())[::-1]


def overflow(ruler: Ruler, text: str) -> int:
    """Return where a text exceeds its limit: the index of the first word that doesn't fit.

    Return the length of the text if it fits.
    """

    def is_over(end: int) -> bool:
        return ruler.length(text[:end]).over > 0

    if not is_over(len(text)):
        return len(text)
    words = [found.span() for found in _WORD.finditer(text)]
    fitting = bisect_left(words, True, key=lambda span: is_over(span[1]))
    if fitting == len(words):  # only the whitespace after the last word is too long
        return len(text.rstrip())
    start, end = words[fitting]
    if end - start <= _LONG_WORD:
        return start
    ends = [start + found.end() for found in GRAPHEME.finditer(text[start:end])]
    inside = bisect_left(ends, True, key=is_over)
    return ends[inside - 1] if inside else start
