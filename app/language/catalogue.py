"""Which language is spoken, and sentences in it."""

import gettext
from typing import Final

from app import resources

LANGUAGES: Final = {"en": "English", "de": "Deutsch"}
"""Every language that there is, by its code and in its own words."""

_spoken = "en"
_catalogue: gettext.NullTranslations = gettext.NullTranslations()


def use(language: str) -> None:
    """Speaks a language from now on, English where there is no such catalogue.

    To be called before the modules whose sentences are constants are imported: those stay as they are.
    """
    global _spoken, _catalogue  # noqa: PLW0603  a program speaks one language
    _spoken = language if language in LANGUAGES else "en"
    _catalogue = gettext.NullTranslations()
    if _spoken != "en":
        _catalogue = gettext.translation("kalends", str(resources.root() / "locale"), [_spoken])


def current() -> str:
    """The code of the language that is spoken, such as ``en``."""
    return _spoken


def tr(text: str, /, **values: object) -> str:
    """A sentence in the language that is spoken; ``{name}`` in it becomes the value of that name.

    Whole numbers are grouped as in ``1,234``; a year or a port is passed as text.
    """
    return _filled(_catalogue.gettext(text), values)


def gettext_noop(text: str, /) -> str:
    """The sentence itself: it goes into the catalogues, and ``tr`` says it where it comes from elsewhere."""
    return text


def trn(one: str, many: str, number: int, /, **values: object) -> str:
    """A sentence about ``{n}`` things: ``one`` for a single one, ``many`` otherwise."""
    return _filled(_catalogue.ngettext(one, many, number), {"n": number} | values)


def trc(context: str, text: str, /, **values: object) -> str:
    """A sentence that has several meanings in English; ``context`` says which is meant."""
    return _filled(_catalogue.pgettext(context, text), values)


def filled(text: str, /, **values: object) -> str:
    """A sentence that was said before, with its values; whole numbers from a thousand on are grouped.

    A number that isn't a count, such as a year or a port, is passed as text.
    """
    return _filled(text, values)


def figure(written: str) -> str:
    """Numbers that are written as in English: ``1,234.5`` becomes ``1.234,5`` in German."""
    point, thousands = trc("decimal point", "."), trc("between thousands", ",")
    return written.translate({ord("."): point, ord(","): thousands})


def _filled(text: str, values: dict[str, object]) -> str:
    return text.format(**{name: _shown(value) for name, value in values.items()}) if values else text


def _shown(value: object) -> object:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return figure(f"{value:,}") if is_count else value
