"""Texts as Bluesky reads them: their length, and the links, mentions and tags in them.

Detection follows ``@atproto/api`` 0.19.19, Copyright 2022-2026 Bluesky Social PBC, Apache License 2.0.
White space, digits and word boundaries are written out, because JavaScript's differ from Python's.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

import regex

from app.platforms.bluesky.domain_endings import DOMAIN_ENDINGS

_SPACE: Final = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_UNSEEN: Final = r"\xad\u2060\u200a-\u200d\u20e2"
_AFTER_SPACE: Final = rf"(?:\A|(?<=[{_SPACE}]))"
_AFTER_SPACE_OR_BRACKET: Final = rf"(?:\A|(?<=[{_SPACE}(]))"

_MENTION: Final = re.compile(rf"{_AFTER_SPACE_OR_BRACKET}@([a-zA-Z0-9.-]+)(?a:\b)")
_LINK: Final = re.compile(
    rf"{_AFTER_SPACE_OR_BRACKET}(?:[hH][tT][tT][pP][sS]?://[^{_SPACE}]+"
    rf"|(?P<domain>[a-zA-Z][a-zA-Z0-9]*(?:\.[a-zA-Z0-9]+)+)[^{_SPACE}]*)"
)
_TAG: Final = re.compile(rf"{_AFTER_SPACE}[#\uff03](?!\ufe0f)([^{_SPACE}{_UNSEEN}]+)")
_NAMES: Final = regex.compile(rf"[^0-9{_SPACE}\p{{P}}{_UNSEEN}]")
"""What at least one character of a tag has to be."""
_PUNCTUATION: Final = regex.compile(r"\p{P}")
_TICKER: Final = re.compile(
    rf"{_AFTER_SPACE_OR_BRACKET}\$([A-Za-z][A-Za-z0-9]{{0,4}})(?=[{_SPACE}.,;:!?)\"'\u2019]|\Z)"
)
_URI: Final = re.compile(rf"[a-zA-Z0-9_]+:(?://)?[^{_SPACE}/][^{_SPACE}]*")
"""What the lexicon takes for the address of a link; a post with any other is refused."""
_URI_BYTES_MAX: Final = 8 * 1024
_TAG_UNITS_MAX: Final = 64


class Feature(Enum):
    """The meaning of a part of a text."""

    MENTION = "mention"
    LINK = "link"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class Facet:
    """A part of a text that is more than text.

    Attributes:
        start: Its first byte in UTF-8.
        end: The byte after its last.
        value: Handle of a mention, address of a link, or name of a tag.
    """

    feature: Feature
    start: int
    end: int
    value: str


def find_facets(text: str) -> list[Facet]:
    """Return mentions, links, tags and cashtags, in this order and each by place."""
    found = [one for finder in (_mentions, _links, _tags, _tickers) for one in finder(text)]
    offsets = _offsets(text, {place for _, start, end, _ in found for place in (start, end)})
    return [Facet(feature, offsets[start], offsets[end], value) for feature, start, end, value in found]


def _offsets(text: str, places: Collection[int]) -> Mapping[int, int]:
    """Return the place of each character in the UTF-8 of a text, which is encoded once."""
    offsets, last, size = dict[int, int](), 0, 0
    for place in sorted(places):
        size += _bytes(text[last:place])
        offsets[place], last = size, place
    return offsets


_Found = Iterator[tuple[Feature, int, int, str]]


def _mentions(text: str) -> _Found:
    for match in _MENTION.finditer(text):
        handle = match[1]
        if _is_domain(handle) or handle.endswith(".test"):
            yield Feature.MENTION, match.start(), match.end(), handle


def _links(text: str) -> _Found:
    for match in _LINK.finditer(text):
        address, end = match[0], match.end()
        if match["domain"]:
            if not _is_domain(match["domain"]):
                continue
            address = f"https://{address}"
        elif not address.startswith("http"):
            continue
        if address[-1] in ".,;:!?":
            address, end = address[:-1], end - 1
        if address[-1] == ")" and "(" not in address:
            address, end = address[:-1], end - 1
        if _URI.fullmatch(address) and _bytes(address) <= _URI_BYTES_MAX:
            yield Feature.LINK, match.start(), end, address


def _tags(text: str) -> _Found:
    for match in _TAG.finditer(text):
        if _NAMES.search(match[1]):
            tag = _without_punctuation(match[1])
            if tag and _units(tag) <= _TAG_UNITS_MAX:
                yield Feature.TAG, match.start(), match.start(1) + len(tag), tag


def _tickers(text: str) -> _Found:
    for match in _TICKER.finditer(text):
        yield Feature.TAG, match.start(), match.end(), match[0].upper()


def _without_punctuation(tag: str) -> str:
    end = len(tag)
    while end and _PUNCTUATION.match(tag[end - 1]):
        end -= 1
    return tag[:end]


def _is_domain(name: str) -> bool:
    _, dot, ending = name.rpartition(".")
    return bool(dot) and ending in DOMAIN_ENDINGS


def _bytes(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)
