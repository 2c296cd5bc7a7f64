"""The system's dictionaries: Hunspell and others on Linux, the built-in speller on macOS.

Enchant finds them. Its packages for macOS and Windows include its library; on Linux it's the system's.
"""

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Protocol

_importing: Final = threading.Lock()


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
