"""Catalogues of other languages contain every string of the code, with valid translations."""

from collections.abc import Sequence
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from words import LOCALE, as_text, brought_up_to_date, compiled, sentences, untranslated

from app.language import LANGUAGES

CATALOGUES = [LOCALE / language / "LC_MESSAGES" / "kalends.po" for language in LANGUAGES if language != "en"]


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parents[1].name)


@pytest.fixture(scope="module")
def code() -> Catalog:
    return sentences()


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_a_catalogue_has_the_sentences_of_the_code_and_no_others(path: Path, code: Catalog) -> None:
    """If this fails, run `packaging/words.py` and translate what it lists."""
    assert path.read_bytes() == as_text(brought_up_to_date(path, code))


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_every_sentence_is_translated(path: Path) -> None:
    assert [message.id for message in untranslated(read(path))] == []


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_translations_have_the_values_of_the_sentence(path: Path) -> None:
    assert [message.id for message in read(path) if message.id and not has_its_values(message)] == []


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_what_the_app_reads_is_what_was_translated(path: Path) -> None:
    assert path.with_suffix(".mo").read_bytes() == compiled(read(path))


def has_its_values(message: Message) -> bool:
    """Whether a translation's forms contain the string's values; the singular needs no ``n``."""
    said, told = forms(message.id), forms(message.string)
    if len(said) == 1:
        return [values(text) for text in told] == [values(said[0])]
    free = {"n"}
    return values(told[0]) - free == values(said[0]) - free and values(told[-1]) == values(said[-1])


def forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ())


def values(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_values_that_are_lost_or_misspelt_are_noticed() -> None:
    assert has_its_values(Message("{n} of {total}", "{n} von {total}"))
    assert not has_its_values(Message("{n} of {total}", "{n} von allen"))
    assert not has_its_values(Message("Go to {day}", "Zu {tag}"))
    assert has_its_values(Message(("Cancel post", "Cancel {n} posts"), ("Absagen", "{n} absagen")))
    assert not has_its_values(Message(("Cancel post", "Cancel {n} posts"), ("Absagen", "Absagen")))
