"""The names of emoji: complete, found by what people type, and whole in every tone."""

from functools import cache
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from app import resources
from app.desktop.emoji.catalogue import Catalogue, Emoji

_ONE = regex.compile(r"\X")


@cache
def catalogue() -> Catalogue:
    return Catalogue.read(resources.path("emoji/en.json"))


def every() -> list[Emoji]:
    plain = [one for group in catalogue().groups for one in group.emoji]
    return [*plain, *(one.in_tone(tone) for one in plain if one.tones for tone in range(1, 6))]


def test_every_sequence_is_one_character_to_a_reader_and_stands_once() -> None:
    texts = [one.text for one in every()]
    assert [text for text in texts if len(_ONE.findall(text)) != 1] == []
    assert len(texts) == len(set(texts))
    assert len(texts) > 3_000


def test_a_tone_is_a_whole_sequence_and_what_has_none_stays_as_it_is() -> None:
    (artist, fox) = catalogue().named(["👩‍🎨", "🦊"])
    assert artist.in_tone(3).text == "👩🏽‍🎨"
    assert artist.in_tone(3).name == "woman artist, medium skin tone"
    assert artist.in_tone(0) is artist
    assert fox.in_tone(5) is fox


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("fox", "🦊"),
        ("star", "⭐"),
        ("cat", "🐈"),
        ("red heart", "❤️"),
        ("heart red", "❤️"),
        ("portugal", "🇵🇹"),
        ("yarn", "🧶"),
        ("THREAD", "🧵"),
        ("couch", "🛋️"),
    ],
)
def test_the_best_name_comes_first(typed: str, first: str) -> None:
    assert catalogue().find(typed)[0].text == first


def test_other_words_find_it_too() -> None:
    assert "🎉" in [one.text for one in catalogue().find("party")]


@given(st.text(max_size=20))
def test_whatever_is_typed_finds_a_part_of_all_each_once(typed: str) -> None:
    found = [one.text for one in catalogue().find(typed)]
    assert len(found) == len(set(found))
    assert {one.text for one in catalogue().named(found)} == set(found)


def test_unknown_sequences_are_left_out() -> None:
    assert [one.text for one in catalogue().named(["not one", "👍🏽", ""])] == ["👍🏽"]


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "en.json"
    damaged.write_text('[{"name": "Flags"}]')
    with pytest.raises(ValueError, match="emoji"):
        Catalogue.read(damaged)
