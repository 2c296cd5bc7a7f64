"""The speller of a workspace: the system's dictionaries, and the words that the person added."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from app.workspace.core import Core
from app.workspace.spelling.dictionaries import Dictionaries, SystemDictionaries
from app.workspace.spelling.words import fits
from app.workspace.store.settings import get_setting, put_setting

OFF: Final = "off"
"""In place of a language: nothing is checked."""
SUGGESTIONS_MAX: Final = 6

T = TypeVar("T")

_NAME: Final = "spelling"


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True)

    words: frozenset[str] = frozenset()
    language: str = ""


_SHAPE: Final = TypeAdapter(_Kept)


class Spelling:
    """Dictionaries are asked in a thread of their own. What is ignored is so until the app ends."""

    def __init__(self, core: Core, dictionaries: Dictionaries | None = None) -> None:
        self._core = core
        self._dictionaries = dictionaries or SystemDictionaries()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spelling")
        self._kept: _Kept | None = None
        self._ignored: set[str] = set()
        self.languages: tuple[str, ...] = ()
        """What the system has, once it was loaded."""

    async def load(self) -> None:
        """Finds out what there is, once. Raises Problem."""
        if self._kept is None:
            self.languages = tuple(await self._ask(self._dictionaries.languages))
            kept = await self._core.read(lambda rows: get_setting(rows, _NAME, _SHAPE))
            self._kept = kept or _Kept()

    def usual(self, locale: str) -> str:
        """The language of new drafts: the one chosen last, else the nearest to a locale such as ``de_AT``."""
        chosen = self._kept.language if self._kept else ""
        if chosen == OFF or chosen in self.languages:
            return chosen
        same = [one for one in self.languages if one.partition("_")[0] == locale.partition("_")[0]]
        return locale if locale in self.languages else next(iter([*same, *self.languages]), OFF)

    async def prefer(self, language: str) -> None:
        """Takes a language, or ``OFF``, for new drafts. Raises Problem."""
        await self._keep(_Kept(words=self._mine, language=language))

    async def unknown(self, language: str, words: Iterable[str]) -> set[str]:
        """Those of these words that nobody knows."""
        asked = {word for word in words if not self.is_known(word) and fits(word, language)}
        return await self._ask(self._dictionaries.unknown, language, asked) if asked else set()

    async def suggest(self, language: str, word: str) -> list[str]:
        """What may have been meant, the likeliest first."""
        return (await self._ask(self._dictionaries.suggest, language, word))[:SUGGESTIONS_MAX]

    def is_known(self, word: str) -> bool:
        """Whether the person said that a word is right."""
        return word in self._ignored or self.is_mine(word)

    def is_mine(self, word: str) -> bool:
        """Whether the person added a word; with a capital it is the same one."""
        return not self._mine.isdisjoint({word, word[:1].lower() + word[1:]})

    def ignore(self, word: str) -> None:
        self._ignored.add(word)

    async def add(self, word: str) -> None:
        """Takes a word for right from now on. Raises Problem."""
        await self._keep(_Kept(words=self._mine | {word}, language=self._language))

    async def remove(self, word: str) -> None:
        """Leaves a word to the dictionaries again. Raises Problem."""
        gone = {word, word[:1].lower() + word[1:]}
        await self._keep(_Kept(words=self._mine - gone, language=self._language))

    def close(self) -> None:
        """Lets go of the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    @property
    def _mine(self) -> frozenset[str]:
        return self._kept.words if self._kept else frozenset()

    @property
    def _language(self) -> str:
        return self._kept.language if self._kept else ""

    async def _keep(self, kept: _Kept) -> None:
        self._kept = kept
        await self._core.write(lambda rows: put_setting(rows, _NAME, kept, _SHAPE))

    async def _ask(self, work: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)
