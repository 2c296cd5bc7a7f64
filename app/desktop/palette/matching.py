"""How well a name matches a typed text: word beginnings, then parts of words, then single letters."""

import unicodedata
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import regex

_WORD = regex.compile(r"[\p{L}\p{N}]+")
_SPREAD = 3
"""Single letters may span this multiple of their number."""

_SEPARATE = regex.compile(r"\p{M}+")


class Fit(IntEnum):
    """Kinds of matches, best first."""

    BEGINNING = 0
    WORDS = 1
    INITIALS = 2
    ALSO_KNOWN = 3
    """By hidden words."""
    PART = 4
    LETTERS = 5


class Match(NamedTuple):
    """``spans`` are the matching parts of the name, as half-open ranges."""

    fit: Fit
    spans: tuple[tuple[int, int], ...] = ()


@lru_cache(maxsize=2_048)
def folded(text: str) -> str:
    """Return the text without case and accents, with the same length."""
    return text.lower() if text.isascii() else "".join(map(_fold, text))


def match(typed: str, name: str) -> Match | None:
    """Return how ``name`` matches a typed text, None if it does not. An empty text matches everything."""
    wanted, whole = _WORD.findall(folded(typed)), folded(name)
    if not wanted:
        return Match(Fit.BEGINNING)
    starts = [word.start() for word in _WORD.finditer(whole)]
    if (spans := _words(wanted, whole, starts)) is not None:
        return Match(Fit.BEGINNING if spans[0][0] == 0 else Fit.WORDS, spans)
    letters = "".join(wanted)
    if (spans := _letters(letters, whole, starts)) is not None:
        return Match(Fit.INITIALS, spans)
    if all(word in whole for word in wanted):
        return Match(Fit.PART, tuple((at := whole.index(word), at + len(word)) for word in wanted))
    spans = _near_letters(letters, whole, starts) if len(letters) > 2 else None
    return Match(Fit.LETTERS, spans) if spans is not None else None


def word_spans(typed: str, text: str) -> tuple[tuple[int, int], ...]:
    """Return where words of ``text`` begin with a typed word."""
    wanted = _WORD.findall(folded(typed))
    found = []
    for word in _WORD.finditer(folded(text)):
        begun = max((len(one) for one in wanted if word[0].startswith(one)), default=0)
        if begun:
            found.append((word.start(), word.start() + begun))
    return tuple(found)


def _words(wanted: list[str], whole: str, starts: list[int]) -> tuple[tuple[int, int], ...] | None:
    """Match each typed word to the beginning of a different word."""
    free, spans = list(starts), []
    for word in wanted:
        at = next((start for start in free if whole.startswith(word, start)), None)
        if at is None:
            return None
        free.remove(at)
        spans.append((at, at + len(word)))
    return tuple(spans)


def _letters(letters: str, whole: str, places: list[int]) -> tuple[tuple[int, int], ...] | None:
    """Match all letters in their order."""
    spans, following = [], iter(places)
    for letter in letters:
        at = next((place for place in following if whole[place] == letter), None)
        if at is None:
            return None
        spans.append((at, at + 1))
    return tuple(spans)


def _near_letters(letters: str, whole: str, starts: list[int]) -> tuple[tuple[int, int], ...] | None:
    """Match the letters in their order, starting at a word, close to each other."""
    for start in starts:
        spans = _letters(letters, whole, list(range(start, min(len(whole), start + _SPREAD * len(letters)))))
        if spans is not None and spans[0][0] == start:
            return spans
    return None


@lru_cache(maxsize=2_048)
def _fold(character: str) -> str:
    bare = _SEPARATE.sub("", unicodedata.normalize("NFD", character)).casefold()
    return bare if len(bare) == 1 else character
