"""The dictionaries that the system has: Hunspell and others on Linux, its own speller on macOS.

Enchant finds them. Its packages for macOS and Windows bring its library along; on Linux it is the system's.
"""

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Protocol

_importing: Final = threading.Lock()


class Dictionaries(Protocol):
    """Blocking; used from one thread alone."""

    def languages(self) -> list[str]:
        """What there is, such as ``en_GB``; nothing where the system has no speller."""

    def unknown(self, language: str, words: Iterable[str]) -> set[str]:
        """Those of these words that the dictionary of a language does not know."""

    def suggest(self, language: str, word: str) -> list[str]:
        """What may have been meant, the likeliest first."""


class SystemDictionaries:
    """Opened when they are asked for first, which takes a moment."""

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
            # Of two threads that import it at a time, one may get it half done.
            with _importing, suppress(ImportError):  # raised where the system has no library
                import enchant

                self._broker = enchant.Broker()
        return self._broker

    def _open(self, language: str) -> Any:
        """None for a dictionary that is no longer there."""
        if language not in self._opened and self._find() is not None:
            from enchant.errors import Error

            self._opened[language] = None
            with suppress(Error):
                self._opened[language] = self._broker.request_dict(language)
        return self._opened.get(language)
