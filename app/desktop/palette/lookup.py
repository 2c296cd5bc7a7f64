"""Looks up what the user types: in threads, the newest text only; and how well a name matches it."""

import asyncio
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import regex
from PySide6.QtCore import QObject, Signal

from app.desktop.aio import TaskScope
from app.workspace.catalogues import KeptFile
from app.workspace.messages import Problem
from app.workspace.search import SearchHits
from app.workspace.workspace import Workspace

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


_COUNT_AFTER_S = 0.05
"""Delay before counting, in s, so that the list is painted first."""


@dataclass(frozen=True, slots=True)
class Found:
    """The hits for a text.

    ``uses`` are the keys of the posts that a file is in, by storage path. ``matching`` are the keys of all
    posts with the words; None until they are known, and for no words.
    """

    typed: str
    hits: SearchHits
    files: tuple[KeptFile, ...] = ()
    uses: dict[str, list[str]] = field(default_factory=dict)
    matching: frozenset[str] | None = None


class Lookup(QObject):
    """Runs one query at a time. Of texts typed meanwhile, only the last one is looked up."""

    found = Signal(object)
    """A Found for the last text."""
    failed = Signal(str)
    """Why the lookup failed."""

    def __init__(self, workspace: Workspace, most: int, parent: QObject) -> None:
        """``most`` is the number of hits of each kind."""
        super().__init__(parent)
        self._workspace = workspace
        self._most = most
        self._wanted: str | None = None
        self._busy = False
        self._typed = asyncio.Event()
        self._scope = TaskScope(self, self._report)

    def look(self, typed: str) -> None:
        """Look up a text instead of the previous one."""
        self._wanted = typed
        self._typed.set()
        if not self._busy:
            self._busy = True
            self._scope.start(self._work())

    async def _work(self) -> None:
        try:
            while (typed := self._wanted) is not None:
                self._wanted = None
                self._typed.clear()
                await self._answer(typed)
        finally:
            self._busy = False

    async def _answer(self, typed: str) -> None:
        """Emit the best hits immediately, then the number of all posts."""
        hits = await self._workspace.search(typed, self._most)
        files = tuple(await self._workspace.catalogues.media(hits.media)) if hits.media else ()
        found = Found(typed, hits, files, self._uses(hits.media))
        if self._wanted is not None:
            return
        self.found.emit(found)
        if await self._is_more_typed():
            return
        matching = await self._workspace.matching(typed)
        if self._wanted is None:
            self.found.emit(replace(found, matching=matching))

    async def _is_more_typed(self) -> bool:
        """Whether the user has typed on, so the number is no longer needed."""
        try:
            await asyncio.wait_for(self._typed.wait(), _COUNT_AFTER_S)
        except TimeoutError:
            return False
        return True

    def _uses(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        uses: dict[str, list[str]] = defaultdict(list)
        for post in self._workspace.posts if paths else ():
            if post.media in paths:
                uses[post.media].append(post.key)
        return uses

    def _report(self, problem: Problem) -> None:
        self.failed.emit(problem.text)
