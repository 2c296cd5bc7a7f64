"""The cards: complete, plain and quick to import."""

import re
import subprocess
import sys

import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.platforms.by_hand import BY_HAND
from app.platforms.card import Card
from app.platforms.cards import CALLED_PLATFORMS, CARDS, brand_of, name_of
from app.platforms.registry import build_adapters
from app.resources import path
from tests.architecture.sources import ROOT

_HEAVY = {"PySide6", "aiohttp", "app.platforms.base", "app.platforms.registry", "pydantic", "regex"}


def test_every_platform_of_the_specification_has_a_card() -> None:
    assert {platform.value for platform in ConnectionPlatform} <= CARDS.keys()
    assert {key for key, card in CARDS.items() if card.posts} >= {one.value for one in PostingPlatform}


def test_every_card_has_an_adapter() -> None:
    assert {platform.value for platform in build_adapters()} == set(CALLED_PLATFORMS)
    assert CARDS.keys() - CALLED_PLATFORMS == {card.key for card in BY_HAND}


@pytest.mark.parametrize("card", CARDS.values(), ids=lambda card: card.key)
def test_a_card_is_whole(card: Card) -> None:
    assert CARDS[card.key] is card
    assert name_of(card.key) == card.name
    assert card.registration.steps
    steps = [step.text for step in card.registration.steps]
    assert all(sentence.endswith(".") for sentence in (*steps, *card.registration.remarks))
    assert all(step.link.startswith("https://") for step in card.registration.steps if step.link)
    assert card.brand.color == "" or re.fullmatch("#[0-9A-F]{6}", card.brand.color)
    assert path(f"icons/brands/{card.brand.mark or card.key}.svg").is_file()
    assert bool(card.pages.content_id) == ("{}" in card.pages.content)
    if card.posts is not None:
        with_files = {kind for kind in card.posts.post_types if kind.value != "text"}
        assert card.files.keys() == with_files


def test_nothing_that_tells_platforms_apart_is_used_twice() -> None:
    names = [name for card in CARDS.values() for name in {card.key, card.name.lower(), *card.other_names}]
    colors = [color for card in CARDS.values() if (color := card.brand.account_color) is not None]
    assert len(names) == len(set(names))
    assert len(colors) == len(set(colors))


def test_an_unknown_platform_goes_by_its_key() -> None:
    assert name_of("peertube") == "peertube"
    assert brand_of("peertube").color == ""


@pytest.mark.parametrize("card", BY_HAND, ids=lambda card: card.key)
def test_nothing_of_the_api_limits_posts_by_hand(card: Card) -> None:
    assert card.is_by_hand
    assert card.is_companion
    assert card.posts is not None
    assert card.posts.publishable == card.posts.post_types
    assert not card.posts.board_needed
    assert (card.daily_cap, card.pace) == (None, None)
    assert not any(rules.pulled for rules in card.files.values())
    assert card.pages.compose.startswith("https://")


def test_cards_are_imported_without_adapters_http_and_qt() -> None:
    program = f"import sys, app.platforms.cards; print(*({_HEAVY!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
