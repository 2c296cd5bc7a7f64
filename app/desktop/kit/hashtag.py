"""What counts as a hashtag in a text."""

from collections.abc import Iterator
from typing import Final

import regex

HASHTAG: Final = regex.compile(r"(?<![\w&/])#\w+")
"""A tag with its sign, but no anchor of an address and no character reference."""


def places(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each hashtag in Qt's unit, UTF-16 code units."""
    for found in HASHTAG.finditer(text):
        start, end = (len(text[:index].encode("utf-16-le", "surrogatepass")) // 2 for index in found.span())
        yield start, end
