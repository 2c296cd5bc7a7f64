"""X counts as its own library does, which is asked in the test."""

import json
from pathlib import Path
from random import Random

import pytest

from app.platforms.x.text import weighted_length
from tests.node import Peer, installed

_FIXTURE = Path(__file__).parents[1] / "fixtures" / "twitter_text.json"
_PACKAGE = "twitter-text@3.1.0"
_EMOJI = {"twemoji-parser": "14.0.0"}  # as the fixture was written: the one it names knows fewer emoji
_SCRIPT = """
import { readFileSync } from "node:fs";
import twitter from "twitter-text";
const texts = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => twitter.parseTweet(text).weightedLength)));
"""
# Links stand alone: beside an emoji the library goes by halves of characters.
_PIECES = (
    *(" example.com ", " https://linen.shop/a?q=1 ", "a", "é", "e\u0301", "日", "語"),
    *(".", "-", "_", "/", "@", "#"),
    *("$", " ", "\n", "(", ")", "&", "عربي", "한국", "ﬁ", "…", "\u200d", "\u2028", "\ufe0f"),
    *("👩\u200d💻", "🇩🇪", "❤️", "👍🏽", "1️⃣", "👩", "🔥", "👨🏿", "💋", "👧", "🏳️", "🌈", "♀️", "⌚", "♾"),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Peer:
    return installed(tmp_path_factory.mktemp("twitter-text"), _SCRIPT, [_PACKAGE], _EMOJI)


def test_the_library_still_counts_as_the_vectors_say(library: Peer) -> None:
    cases = json.loads(_FIXTURE.read_text("utf-8"))["cases"]
    assert library.ask([text for _, text in cases]) == [weight for weight, _ in cases]


def test_texts_of_every_kind_weigh_what_the_library_says(library: Peer) -> None:
    random = Random(280)  # noqa: S311  chooses what to try, keeps no secret
    texts = ["".join(random.choices(_PIECES, k=random.randrange(1, 40))) for _ in range(3_000)]
    theirs = library.ask(texts)
    differing = [
        (text, weight, weighted_length(text))
        for text, weight in zip(texts, theirs, strict=True)
        if weight != weighted_length(text)
    ]
    assert differing == []
