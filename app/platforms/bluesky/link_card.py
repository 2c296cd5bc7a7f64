"""The card below a text with a link: title, description and picture of the linked page.

Bluesky builds none itself. A post never fails or waits for its card: without one, it has only the link.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urljoin

from pydantic import AwareDatetime, BaseModel

from app.platforms.base import Clock, FailureKind, PlatformError, Publication, WebContent
from app.platforms.bluesky.blobs import KEPT, Blob
from app.platforms.bluesky.files import BlueskyFiles
from app.platforms.bluesky.text import Feature, find_facets
from app.platforms.markup import Tag, tokens
from app.platforms.publication import recall, remember
from app.platforms.rest import web_address

_PATIENCE_S: Final = 6.0
_PAGE_BYTES: Final = 512 * 1024
"""How much of a page is read; what describes it is at its beginning."""
_THUMB_BYTES: Final = 1_000_000
"""Lexicon app.bsky.embed.external."""
_THUMBS: Final = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})
_TITLE_MAX: Final = 300
_DESCRIPTION_MAX: Final = 1_000
_CHARSET: Final = re.compile(rb"charset=[\"']?([A-Za-z0-9_-]{2,40})")
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Characters that would show nothing, or turn the text around."""
_NAMES: Final = frozenset({"og:title", "og:description", "og:image", "description"})


class _Card(BaseModel):
    """A card that was built; its picture is only kept for a while."""

    uri: str
    title: str
    description: str
    thumb: Blob | None
    at: AwareDatetime


def describe(page: WebContent) -> Mapping[str, str]:
    """Return the title, description and picture's address of a page; empty for missing ones."""
    found = _found(_decoded(page))
    picture = found.get("og:image", "").strip()
    try:
        picture = urljoin(page.url, picture) if picture else ""
    except ValueError:
        picture = ""
    return {
        "title": _line(found.get("og:title") or found.get("title") or "", _TITLE_MAX),
        "description": _line(found.get("og:description") or found.get("description") or "", _DESCRIPTION_MAX),
        "picture": web_address(picture) or "",
    }


class LinkCards:
    """Builds the card of a publication and uploads its picture."""

    def __init__(self, files: BlueskyFiles, clock: Clock) -> None:
        self._files = files
        self._clock = clock

    async def embed(self, publication: Publication) -> dict[str, object] | None:
        """Return what a record says of the first linked page; None without a link or a title."""
        links = [one for one in find_facets(publication.text) if one.feature is Feature.LINK]
        if not links:
            return None
        uri = min(links, key=lambda link: link.start).value
        card = await recall(publication, "card", _Card)
        if card is None or card.uri != uri or self._clock() - card.at >= KEPT:
            card = await self._built(publication, uri)
        if card is None:
            return None
        external: dict[str, object] = {"uri": uri, "title": card.title, "description": card.description}
        if card.thumb is not None:
            external["thumb"] = card.thumb.model_dump(by_alias=True)
        return {"$type": "app.bsky.embed.external", "external": external}

    async def _built(self, publication: Publication, uri: str) -> _Card | None:
        card: _Card | None = None
        try:
            async with asyncio.timeout(_PATIENCE_S):
                page = await publication.fetch(uri, _PAGE_BYTES)
                if page is None or page.content_type not in {"text/html", "application/xhtml+xml"}:
                    return None
                about = await asyncio.to_thread(describe, page)
                if not about["title"]:
                    return None
                title, description = about["title"], about["description"]
                card = _Card(uri=uri, title=title, description=description, thumb=None, at=self._clock())
                card = card.model_copy(update={"thumb": await self._thumb(publication, about["picture"])})
        except TimeoutError:
            pass
        if card is not None:
            await remember(publication, "card", card)
        return card

    async def _thumb(self, publication: Publication, address: str) -> Blob | None:
        if not address:
            return None
        picture = await publication.fetch(address, _THUMB_BYTES)
        if picture is None or not picture.is_whole or picture.content_type not in _THUMBS:
            return None
        try:
            return await self._files.upload_bytes(picture.body, picture.content_type)
        except PlatformError as error:
            if error.kind is FailureKind.AUTH_EXPIRED:  # the post will be refused, too, and tried again
                raise
            return None


def _found(page: str) -> Mapping[str, str]:
    """Return what a page says about itself, each by its first mention."""
    found: dict[str, str] = {}
    is_in_title = False
    for token in tokens(page):
        if isinstance(token, str):
            if is_in_title:
                found.setdefault("title", token)
            continue
        is_in_title = token.name == "title" and not token.is_end
        if token.name == "meta":
            _note(token, found)
    return found


def _note(meta: Tag, found: dict[str, str]) -> None:
    name = (meta.attributes.get("property") or meta.attributes.get("name") or "").lower()
    if name in _NAMES:
        found.setdefault(name, meta.attributes.get("content", ""))


def _decoded(page: WebContent) -> str:
    """Decode a page. Almost all are in UTF-8; others name their encoding at their beginning."""
    named = _CHARSET.search(page.body[:1_024])
    try:
        return page.body.decode(named[1].decode() if named else "utf-8", errors="replace")
    except LookupError:
        return page.body.decode(errors="replace")


def _line(text: str, length_max: int) -> str:
    line = " ".join(_UNSEEN.sub("", text).split())
    return line if len(line) <= length_max else f"{line[: length_max - 1].rstrip()}…"
