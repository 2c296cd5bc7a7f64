"""Catalogues: every string is translated, and keeps its values."""

import gettext
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import read_po

from app.resources import root

CATALOGUES = sorted((root() / "locale").glob("*/LC_MESSAGES/kalends.po"))


def _messages(path: Path) -> Iterator[Message]:
    with path.open("rb") as file:
        yield from (message for message in read_po(file, locale=path.parents[1].name) if message.id)


def _forms(words: object) -> tuple[str, ...]:
    return tuple(map(str, words)) if isinstance(words, (tuple, list)) else (str(words),)


def _values(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name is not None}


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parents[1].name)
def test_every_sentence_is_translated_with_the_same_values(path: Path) -> None:
    for message in _messages(path):
        for ours, words in zip(_forms(message.id), _forms(message.string), strict=True):
            assert words, message.id
            # A single thing may be told with or without its number: "one disabled".
            assert _values(words) - {"n"} == _values(ours) - {"n"}, (ours, words)
            assert "n" not in _values(words) or len(_forms(message.id)) > 1 or "n" in _values(ours), words


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parents[1].name)
def test_what_the_app_reads_is_what_was_translated(path: Path) -> None:
    spoken = gettext.translation("kalends", str(root() / "locale"), [path.parents[1].name])
    for message in _messages(path):
        first, *more = _forms(message.id)
        if more:
            assert spoken.ngettext(first, more[0], 2) == _forms(message.string)[1]
        elif message.context:
            assert spoken.pgettext(message.context, first) == message.string
        else:
            assert spoken.gettext(first) == message.string
