"""Selecting a language, translating messages, and capitalization within sentences."""

import gettext
from typing import Final

from app import resources

LANGUAGES: Final = {"en": "English", "de": "Deutsch"}
"""All languages, by code and with their own names."""

_spoken = "en"
_catalogue: gettext.NullTranslations = gettext.NullTranslations()


def use(language: str) -> None:
    """Switch to a language, or to English if there's no catalogue for it.

    Call this before importing modules with translated constants: they aren't updated later.
    """
    global _spoken, _catalogue  # noqa: PLW0603  one language per process
    _spoken = language if language in LANGUAGES else "en"
    _catalogue = gettext.NullTranslations()
    if _spoken != "en":
        _catalogue = gettext.translation("kalends", str(resources.root() / "locale"), [_spoken])


def current() -> str:
    """Return the code of the current language, such as ``en``."""
    return _spoken


def tr(text: str, /, **values: object) -> str:
    """Translate a message and insert ``values`` for ``{name}``.

    Integers are formatted like ``1,234``. Pass a year or a port as a string.
    """
    return _filled(_catalogue.gettext(text), values)


def gettext_noop(text: str, /) -> str:
    """Mark a message for translation and return it unchanged, for a later ``tr``."""
    return text


def trn(one: str, many: str, number: int, /, **values: object) -> str:
    """Translate a message about ``{n}`` things, with its singular ``one`` and plural ``many``."""
    return _filled(_catalogue.ngettext(one, many, number), {"n": number} | values)


def trc(context: str, text: str, /, **values: object) -> str:
    """Translate a message that's ambiguous in English; ``context`` tells the meanings apart."""
    return _filled(_catalogue.pgettext(context, text), values)


def filled(text: str, /, **values: object) -> str:
    """Insert values into a message that's already translated. Integers from 1,000 on are grouped.

    Pass numbers that aren't counts, such as a year or a port, as strings.
    """
    return _filled(text, values)


def figure(written: str) -> str:
    """Localize numbers in English notation: ``1,234.5`` becomes ``1.234,5`` in German."""
    point, thousands = trc("decimal point", "."), trc("between thousands", ",")
    return written.translate({ord("."): point, ord(","): thousands})


def _filled(text: str, values: dict[str, object]) -> str:
    return text.format(**{name: _shown(value) for name, value in values.items()}) if values else text


def _shown(value: object) -> object:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return figure(f"{value:,}") if is_count else value


def mid_sentence(name: str) -> str:
    """Return a name for use within a sentence, in lowercase. German keeps its capitals."""
    return name.lower() if current() == "en" else name


def sentence_start(words: str) -> str:
    """Capitalize the first letter."""
    return words[:1].upper() + words[1:]
