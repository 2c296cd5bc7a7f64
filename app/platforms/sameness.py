"""Whether an item on a platform is the one that was sent, even though platforms change texts slightly."""

import re
from collections.abc import Iterable
from typing import Final

from app.platforms.base import LookBack, LookBackOutcome, Published
from app.platforms.composition import composed

_SCHEME: Final = re.compile(r"https?://", re.IGNORECASE)
_LONGEST: Final = 40_000  # four times the longest post; a longer text isn't ours
_LAST_SLASH: Final = re.compile(r"/(?=\s|$)")


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal, ignoring white space, composition, and the form of links."""
    return max(len(one), len(other)) <= _LONGEST and _canonical(one) == _canonical(other)


def judge(
    items: Iterable[tuple[Published, bool | None]], *, read_all: bool, by_steps: bool = False
) -> LookBack:
    """Return what a platform's items, oldest first, prove about a publication.

    Args:
        items: Each item, with whether it is the publication; None if a field that would tell is missing.
        read_all: Whether these are all items the publication could be among.
        by_steps: Whether the publication's steps were needed to tell its item from others.
    """
    is_proof = read_all
    for item, is_it in items:
        if is_it:
            return LookBack(LookBackOutcome.FOUND, item)
        is_proof = is_proof and is_it is False
    absent = LookBackOutcome.UNSENT if by_steps else LookBackOutcome.ABSENT
    return LookBack(absent if is_proof else LookBackOutcome.UNKNOWABLE)


def _canonical(text: str) -> str:
    plain = _SCHEME.sub("", composed(text))
    return " ".join(_LAST_SLASH.sub("", plain).split())
