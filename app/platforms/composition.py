"""Unicode's composed form (NFC) in time linear in the length of a text."""

import unicodedata
from itertools import groupby
from typing import Final

import regex

# Python sorts the marks on a letter by insertion, in quadratic time. Normal texts have only a few per letter.
_MANY_MARKS: Final = regex.compile(r"\p{M}{16,}")


def composed(text: str) -> str:
    """Return the text in NFC."""
    return unicodedata.normalize("NFC", _MANY_MARKS.sub(lambda found: _sorted(found[0]), text))


def _sorted(marks: str) -> str:
    """Return the marks decomposed and in NFD order, so that normalizing has nothing left to sort."""
    single = "".join(unicodedata.normalize("NFD", mark) for mark in marks)
    runs = groupby(single, key=lambda mark: unicodedata.combining(mark) > 0)
    return "".join(
        "".join(sorted(run, key=unicodedata.combining)) if is_combining else "".join(run)
        for is_combining, run in runs
    )
