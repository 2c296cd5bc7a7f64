"""The words of a text that a dictionary can check."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import regex

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
