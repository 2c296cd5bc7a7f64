"""Lengths, links, mentions and tags are those of Bluesky's own library, which is asked in the test."""

from random import Random
from typing import Any

import pytest

from app.platforms.bluesky.text import Facet, Feature, find_facets
from app.platforms.card import TextUnit
from app.platforms.rules.tables import count
from tests.node import Peer, installed

_PACKAGE = "@atproto/api@0.19.19"
_SCRIPT = """
import { readFileSync } from "node:fs";
import { RichText } from "@atproto/api";
import { isValidUri } from "@atproto/syntax";
const texts = JSON.parse(readFileSync(0, "utf8"));
const read = (text) => {
  const rich = new RichText({ text });
  const length = rich.graphemeLength;
  rich.detectFacetsWithoutResolution();
  // Servers refuse records whose links are no URIs, such as "https://".
  const isGood = ({ features: [{ uri }] }) => uri === undefined || isValidUri(uri);
  const facets = (rich.facets ?? []).filter(isGood);
  return [length, facets.map(({ index, features }) => [index.byteStart, index.byteEnd, features[0]])];
};
console.log(JSON.stringify(texts.map(read)));
"""
_PIECES = (
    *("example.com", "https://linen.shop/a?q=1", "HTTPS://LINEN.SHOP", "Linen.Shop", "a.b.co.uk", "http://"),
    *("//example.org", "example.notatld", "x.COM", "(https://a.de/b)", "https://a.de/(b)", "example.com."),
    *("café.fr", "@robin.bsky.social", "@a.test", "@a.com.x_y", "@foo.com_x", "@b.co.", "(@c.de)", "@"),
    *("@münchen.de", "#wool", "#1", "#1a", "#\ufe0f\u20e3", "\uff03tag", "##a", "#a!?", "#über", "#日本"),
    *("#" + "a" * 65, "#👩\u200d💻", "#a.b,", "$ABC", "$a", "$abcdef", "($x)", "$A1b2\u2019", "$1a", "$"),
    *("a", "é", "e\u0301", "日", "語", "한국", "ﬁ", " ", " ", " ", " ", "\n", "\n", "\t", "\r\n", "\x0b"),
    *("\x1c", "\x85", "\xa0", "\u2003", "\u2028", "\u200a", "\ufeff", "\xad", "\u200b", "\u200d", "\u2060"),
    *("\ufe0f", "(", ")", ".", ",", ";", ":", "!", "?", "'", "-", "_", "👩\u200d💻", "🇩🇪", "🇩", "❤️", "👍🏽"),
    *("1️⃣", "👨🏿", "🏳️\u200d🌈", "⌚", "กำ", "नि", "क्षि", "각", "\u0600a"),
)  # fmt: skip


def _facet(told: list[Any]) -> Facet:
    start, end, feature = told
    kind = Feature(feature["$type"].partition("#")[2])
    return Facet(kind, start, end, feature.get("uri") or feature.get("did") or feature.get("tag"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Peer:
    return installed(tmp_path_factory.mktemp("atproto-api"), _SCRIPT, [_PACKAGE])


@pytest.mark.variation
def test_texts_of_every_kind_are_read_as_the_library_reads_them(library: Peer) -> None:
    random = Random(300)  # noqa: S311  chooses what to try, keeps no secret
    texts = ["".join(random.choices(_PIECES, k=random.randrange(1, 40))) for _ in range(3_000)]
    theirs = library.ask(texts)
    differing = [
        (text, told, count(TextUnit.GRAPHEMES, text), find_facets(text))
        for text, told in zip(texts, theirs, strict=True)
        if told[0] != count(TextUnit.GRAPHEMES, text)
        or sorted(map(_facet, told[1]), key=repr) != sorted(find_facets(text), key=repr)
    ]
    assert differing[:3] == []


def test_a_domain_that_begins_like_a_scheme_is_a_link_with_a_scheme(library: Peer) -> None:
    """The library makes a link without a scheme of it, which servers refuse."""
    assert library.ask(["httpbin.org"]) == [[11, []]]
    assert find_facets("httpbin.org") == [Facet(Feature.LINK, 0, 11, "https://httpbin.org")]
