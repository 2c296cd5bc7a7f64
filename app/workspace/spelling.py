"""A workspace's spell checker: the system's dictionaries, and the user's words."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import regex
from pydantic import BaseModel, ConfigDict, TypeAdapter

from app.workspace.core import Core
from app.workspace.store.stored_value import StoredValue

_JUDGED: Final = regex.compile(
    r"""
    (?:https?://|www\.)\S+                  # addresses,
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)*          # also of mail
    | [@#\$]\w+(?:\.\w+)*                   # mentions, hashtags, cashtags
    | \w+(?:\.\w{2,})+(?:/\S*)?             # domains without http
    | \w*\d[\w.,:]*                         # figures
    | (?P<word>\p{L}[\p{L}\p{M}]*(?:['’]\p{L}[\p{L}\p{M}]*)*)
    """,  # noqa: RUF001  the apostrophe of printers
    regex.VERBOSE,
)
_SCRIPTS: Final = {
    "Arabic": ("ar", "fa", "ur"),
    "Armenian": ("hy",),
    "Cyrillic": ("be", "bg", "kk", "mk", "mn", "ru", "sr", "uk"),
    "Devanagari": ("hi", "mr", "ne"),
    "Georgian": ("ka",),
    "Greek": ("el",),
    "Hangul": ("ko",),
    "Hebrew": ("he", "yi"),
    "Thai": ("th",),
}
_SCRIPT_OF: Final = {language: script for script, languages in _SCRIPTS.items() for language in languages}


class Word(NamedTuple):
    """A word and its position, in characters."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after its last character."""
        return self.start + len(self.text)


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text, without URLs, hashtags, mentions, numbers, emoji and acronyms."""
    for found in _JUDGED.finditer(text):
        if (word := found["word"]) and not (word.isupper() and len(word) > 1):
            yield Word(word, found.start())


def fits(word: str, language: str) -> bool:
    """Whether a word consists of the letters of a language, such as ``en_GB``."""
    script = _SCRIPT_OF.get(language.replace("-", "_").partition("_")[0], "Latin")
    return bool(regex.fullmatch(rf"[\p{{{script}}}\p{{M}}'’]+", word))  # noqa: RUF001


_importing: Final = threading.Lock()
OFF: Final = "off"
"""Instead of a language: check nothing."""
SUGGESTIONS_MAX: Final = 6
T = TypeVar("T")
_NAME: Final = "spelling"


class Dictionaries(Protocol):
    """Blocking; for use in a single thread."""

    def languages(self) -> list[str]:
        """Return the available languages, such as ``en_GB``; none if the system has no speller."""

    def unknown(self, language: str, words: Iterable[str]) -> set[str]:
        """Return the words that a language's dictionary doesn't know."""

    def suggest(self, language: str, word: str) -> list[str]:
        """Return suggestions, the most likely first."""


class SystemDictionaries:
    """Opened on first use, which takes a moment."""

    def __init__(self) -> None:
        self._broker: Any = None
        self._opened: dict[str, Any] = {}

    def languages(self) -> list[str]:
        broker = self._find()
        return sorted(set(broker.list_languages())) if broker is not None else []

    def unknown(self, language: str, words: Iterable[str]) -> set[str]:
        found = self._open(language)
        return {word for word in words if not found.check(word)} if found is not None else set()

    def suggest(self, language: str, word: str) -> list[str]:
        found = self._open(language)
        return [str(one) for one in found.suggest(word)] if found is not None else []

    def _find(self) -> Any:
        if self._broker is None:
            # If two threads import it simultaneously, one may get a partially initialized module.
            with _importing, suppress(ImportError):  # raised if the system has no library
                import enchant

                self._broker = enchant.Broker()
        return self._broker

    def _open(self, language: str) -> Any:
        """None if the dictionary no longer exists."""
        if language not in self._opened and self._find() is not None:
            from enchant.errors import Error

            self._opened[language] = None
            with suppress(Error):
                self._opened[language] = self._broker.request_dict(language)
        return self._opened.get(language)


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True)

    words: frozenset[str] = frozenset()
    language: str = ""


_SHAPE: Final = TypeAdapter(_Kept)


class Spelling:
    """Queries dictionaries in its own thread. Words are ignored until the app ends."""

    def __init__(self, core: Core, dictionaries: Dictionaries | None = None) -> None:
        self._dictionaries = dictionaries or SystemDictionaries()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spelling")
        self._kept, self._is_loaded = StoredValue(core, _NAME, _SHAPE), False
        self._ignored: set[str] = set()
        self.languages: tuple[str, ...] = ()
        """The available languages, once loaded."""

    async def load(self) -> None:
        """Load the available languages, once. Raises Problem."""
        if not self._is_loaded:
            self.languages = tuple(await self._ask(self._dictionaries.languages))
            await self._kept.load()
            self._is_loaded = True

    def usual(self, locale: str) -> str:
        """Return the language of new drafts: the last choice, or the closest to a locale like ``de_AT``."""
        chosen = self._language
        if chosen == OFF or chosen in self.languages:
            return chosen
        same = [one for one in self.languages if one.partition("_")[0] == locale.partition("_")[0]]
        return locale if locale in self.languages else next(iter([*same, *self.languages]), OFF)

    async def prefer(self, language: str) -> None:
        """Set the language of new drafts, or ``OFF``. Raises Problem."""
        await self.load()
        await self._kept.put(_Kept(words=self._mine, language=language))

    async def unknown(self, language: str, words: Iterable[str]) -> set[str]:
        """Return the unknown words."""
        asked = {word for word in words if not self.is_known(word) and fits(word, language)}
        return await self._ask(self._dictionaries.unknown, language, asked) if asked else set()

    async def suggest(self, language: str, word: str) -> list[str]:
        """Return suggestions, the most likely first."""
        return (await self._ask(self._dictionaries.suggest, language, word))[:SUGGESTIONS_MAX]

    def is_known(self, word: str) -> bool:
        """Whether the user added or ignored a word."""
        return word in self._ignored or self.is_mine(word)

    def is_mine(self, word: str) -> bool:
        """Whether the user added a word; capitalized, it's the same word."""
        return not self._mine.isdisjoint({word, word[:1].lower() + word[1:]})

    def ignore(self, word: str) -> None:
        self._ignored.add(word)

    async def add(self, word: str) -> None:
        """Add a word to the user's words. Raises Problem."""
        await self.load()
        await self._kept.put(_Kept(words=self._mine | {word}, language=self._language))

    async def remove(self, word: str) -> None:
        """Remove a word from the user's words. Raises Problem."""
        await self.load()
        gone = {word, word[:1].lower() + word[1:]}
        await self._kept.put(_Kept(words=self._mine - gone, language=self._language))

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    @property
    def _mine(self) -> frozenset[str]:
        return self._kept.value.words if self._kept.value else frozenset()

    @property
    def _language(self) -> str:
        return self._kept.value.language if self._kept.value else ""

    async def _ask(self, work: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)
