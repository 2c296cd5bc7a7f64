"""Dictionaries of a few words."""

from collections.abc import Iterable
from difflib import get_close_matches

from app.workspace.spelling import Spelling
from app.workspace.workspace import Workspace

ENGLISH = frozenset(
    {"the", "coat", "is", "back", "wool", "and", "linen", "made", "by", "hand", "in", "orders"}
)


class FewWords:
    """English and German, with what tests need of them."""

    def __init__(self, languages: tuple[str, ...] = ("de_DE", "en_GB")) -> None:
        self._languages = languages
        self.asked: list[str] = []

    def languages(self) -> list[str]:
        return list(self._languages)

    def unknown(self, language: str, words: Iterable[str]) -> set[str]:
        asked = set(words)
        self.asked += sorted(asked)
        known = ENGLISH if language == "en_GB" else frozenset({"der", "mantel", "ist", "zurück"})
        return {word for word in asked if word.lower() not in known}

    def suggest(self, language: str, word: str) -> list[str]:
        assert language in self._languages
        return get_close_matches(word, sorted(ENGLISH), cutoff=0.3)


async def give(workspace: Workspace, dictionaries: FewWords) -> None:
    """Has a workspace spell by these dictionaries."""
    workspace.spelling.close()
    workspace.spelling = Spelling(workspace._core, dictionaries)
    await workspace.spelling.load()
    await workspace.spelling.prefer(dictionaries.languages()[-1])
