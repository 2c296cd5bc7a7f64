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
    """A sentence in the language that is spoken; ``{name}`` in it becomes the value of that name."""
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


def _filled(text: str, values: dict[str, object]) -> str:
    return text.format(**values) if values else text
