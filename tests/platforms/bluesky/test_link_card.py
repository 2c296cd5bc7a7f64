"""The card below a text with a link."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Publication, Published, WebContent
from app.platforms.bluesky import link_card
from app.platforms.bluesky.adapter import Bluesky
from app.platforms.bluesky.link_card import describe
from tests.platforms.bluesky.test_adapter import DID, connected, record_of, stored
from tests.platforms.scripted import Script, json_answer, publication
from tests.platforms.world import Practice, picture

PLATFORM = ConnectionPlatform("bluesky")
PAGE = "https://linen.example/coat"
HEAD = """<!doctype html><head><title>Plain
title</title><meta property="og:title" content="A coat &amp; more"><meta name="description" content="Warm.">
<meta property="og:image" content="/coat.jpg"></head><body><title>Not this one</title>"""
BLOB = {"$type": "blob", "ref": {"$link": "bafkreia"}, "mimeType": "image/jpeg", "size": 3}
UPLOADED = json_answer(200, {"blob": BLOB})


class Web:
    """What is at a few addresses; keeps what was asked."""

    def __init__(self, found: Mapping[str, WebContent]) -> None:
        self._found = found
        self.asked: list[str] = []

    async def fetch(self, url: str, bytes_max: int) -> WebContent | None:
        assert bytes_max <= 1_000_000
        self.asked.append(url)
        return self._found.get(url)


def html(text: str, url: str = PAGE) -> WebContent:
    return WebContent(url, "text/html", text.encode())


COAT = WebContent("https://linen.example/coat.jpg", "image/jpeg", b"jpg")


def card_of(post: Publication, *before: httpx.Response) -> dict[str, Any] | None:
    """The card in the record that is published after these calls."""
    script = Script(*before, stored(post))
    script.run(PLATFORM, lambda adapter: adapter.publish(post))
    embed = record_of(script.requests[-1])["record"].get("embed")
    found: dict[str, Any] | None = embed and embed["external"]
    return found


def post(web: Web, text: str = f"See {PAGE} and https://other.example") -> Publication:
    return replace(publication(DID, text), fetch=web.fetch)


def test_a_card_shows_the_first_linked_page_with_its_picture() -> None:
    web = Web({PAGE: html(HEAD), COAT.url: COAT})
    card = card_of(post(web), UPLOADED)
    assert card == {"uri": PAGE, "title": "A coat & more", "description": "Warm.", "thumb": BLOB}
    assert web.asked == [PAGE, COAT.url]


@pytest.mark.parametrize(
    "found",
    [
        {},
        {PAGE: html("<p>No title</p>")},
        {PAGE: html("<title> </title>")},
        {PAGE: WebContent(PAGE, "application/pdf", b"%PDF")},
        {PAGE: WebContent(PAGE, "text/html", b"\xff\xfe\x00")},
    ],
)
def test_a_page_that_says_nothing_gives_no_card(found: Mapping[str, WebContent]) -> None:
    assert card_of(post(Web(found))) is None


@pytest.mark.parametrize(
    ("picture_", "answers"),
    [
        (None, []),
        (replace(COAT, is_whole=False), []),
        (replace(COAT, content_type="image/svg+xml"), []),
        (COAT, [json_answer(500, {"error": "InternalServerError"})]),
        (COAT, [json_answer(400, {"error": "BlobTooLarge"})]),
    ],
)
def test_a_card_may_be_without_its_picture(
    picture_: WebContent | None, answers: list[httpx.Response]
) -> None:
    found = {PAGE: html(HEAD)} | ({} if picture_ is None else {COAT.url: picture_})
    card = card_of(post(Web(found)), *answers)
    assert card is not None
    assert "thumb" not in card


def test_texts_without_links_ask_nothing() -> None:
    web = Web({})
    assert card_of(post(web, "Wool #wool")) is None
    assert web.asked == []


def test_a_page_that_takes_too_long_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_card, "_PATIENCE_S", 0.05)

    async def fetch(_url: str, _bytes_max: int) -> WebContent | None:
        await asyncio.sleep(60)
        return html(HEAD)

    assert card_of(replace(publication(DID, PAGE), fetch=fetch)) is None


def test_a_second_attempt_uses_the_card_again() -> None:
    web = Web({PAGE: html(HEAD), COAT.url: COAT})
    one = post(web)
    first = card_of(one, UPLOADED)
    assert card_of(one) == first
    assert web.asked == [PAGE, COAT.url]


@pytest.mark.parametrize(
    ("page", "title", "picture_"),
    [
        ("<title>a</title><meta property=og:image content='javascript:alert(1)'>", "a", ""),
        ("<title>a</title><meta property=og:image content='//b.example/c'>", "a", "https://b.example/c"),
        ("<title>" + "a " * 1_000, "a " * 149 + "a…", ""),
        ("<meta charset=nonsense><title>a</title>", "a", ""),
        ("<title>a", "a", ""),
        ("<title>a</title><meta property=og:image content='http://[b'>", "a", ""),
        ("<TITLE>a\u202e\x00b</TITLE>", "ab", ""),
        ("<" * 10_000 + "<title>late</title>", "late", ""),
    ],
)
def test_strange_pages_are_described_safely(page: str, title: str, picture_: str) -> None:
    about = describe(html(page))
    assert (about["title"], about["picture"]) == (title, picture_)


def test_the_encoding_that_a_page_names_is_used() -> None:
    page = "<meta charset='iso-8859-1'><title>Grüße</title>".encode("iso-8859-1")
    assert describe(WebContent(PAGE, "text/html", page))["title"] == "Grüße"


def test_the_stand_in_shows_the_card(practice: Practice) -> None:
    member = connected(practice, "mira-lind")
    file = picture("JPEG", 100, 50)

    async def fetch(url: str, _bytes_max: int) -> WebContent | None:
        if url == PAGE:
            return html(HEAD)
        async with file.open(0) as chunks:
            return WebContent(url, "image/jpeg", b"".join([chunk async for chunk in chunks]))

    async def publish(adapter: Bluesky) -> Published:
        return await adapter.publish(replace(member.post(f"See {PAGE}"), fetch=fetch))

    published: Published = practice.run(PLATFORM, publish)
    ledger = practice.ledger(member.profile.account_identifier)
    [entry] = [one for one in ledger if one["content_id"] == published.content_id]
    assert (entry["labels"], entry["media_sha256"]) == ("Link card: A coat & more", file.sha256)


@pytest.mark.parametrize(
    "odd", ["<![", "<![CDATA[", "<!x", "&#" + "9" * 5_000 + ";", "<a b='", "<!--", "<title>"]
)
def test_a_malformed_page_is_described_as_far_as_it_can_be_read(odd: str) -> None:
    assert describe(html(f"<title>A coat</title>{odd}"))["title"] == "A coat"
