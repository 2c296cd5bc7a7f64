"""Bluesky: texts, images and videos, over AT Protocol with an app password."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import quote, urlencode

from pydantic import BaseModel, Field

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.base import (
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Publication,
    Published,
)
from app.platforms.bluesky.blobs import KEPT
from app.platforms.bluesky.calls import PdsApi
from app.platforms.bluesky.discovery import Did
from app.platforms.bluesky.files import BlueskyFiles
from app.platforms.bluesky.keys import record_key
from app.platforms.bluesky.link_card import LinkCards
from app.platforms.bluesky.login import BlueskyLogin
from app.platforms.bluesky.text import Facet, Feature, find_facets
from app.platforms.bluesky.video import VideoService
from app.platforms.publication import require_publishable
from app.platforms.rest import batched

_POSTS: Final = "app.bsky.feed.post"
_PAGE: Final = 25
_MENTIONS_MAX: Final = 20
"""How many handles of a text are looked up; each takes a call at the time of the post."""
_POST_ADDRESS: Final = re.compile(rf"at://(did:[a-z]+:[\w.:%-]+)/{re.escape(_POSTS)}/(\w+)", re.ASCII)
_APP_PASSWORD: Final = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){3}")
"""Any other password would open the whole account, so it isn't sent."""
_DEFAULT_DOMAIN: Final = "bsky.social"
_UNSEEN: Final = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
"""Bluesky puts such characters around handles, and they're copied along."""
_Did = Annotated[str, Field(pattern=r"^did:[a-z]+:[A-Za-z0-9._:%-]{1,500}$")]


class _Resolved(BaseModel):
    did: Did


class _Record(BaseModel):
    uri: str


class _Counted(BaseModel):
    uri: str
    likes: Annotated[int | None, Field(alias="likeCount")] = None
    replies: Annotated[int | None, Field(alias="replyCount")] = None
    reposts: Annotated[int | None, Field(alias="repostCount")] = None
    quotes: Annotated[int | None, Field(alias="quoteCount")] = None


class _CountedAnswer(BaseModel):
    posts: list[_Counted]


class Bluesky(BlueskyLogin):
    """The adapter. Access tokens are texts of ``Access``, which name the server they're for."""

    platform: Final = ConnectionPlatform("bluesky")
    repeat_window: Final = None
    keeps: Final = KEPT

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform("bluesky"), publication.post_type)
        if publication.post_type is not PostType.TEXT:
            await self._files(publication).upload(publication)

    async def publish(self, publication: Publication) -> Published:
        """Store the post's record under its key, unless the key is taken.

        Raises PlatformError (DUPLICATE) with the existing post if an earlier attempt has published it.
        """
        require_publishable(PostingPlatform("bluesky"), publication.post_type)
        record: dict[str, object] = {"$type": _POSTS, "text": publication.text}
        if publication.post_type is not PostType.TEXT:
            record["embed"] = await self._files(publication).embed(publication)
        elif card := await LinkCards(self._files(publication), self._clock).embed(publication):
            record["embed"] = card
        await publication.departure.depart()
        if publication.options is not None and publication.options.language:
            record["langs"] = [publication.options.language]
        if facets := await self._facets(publication):
            record["facets"] = facets
        record["createdAt"] = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        key = record_key(publication.post_id)
        body = {
            "repo": publication.account_identifier,
            "collection": _POSTS,
            "rkey": key,
            "record": record,
            "swapRecord": None,  # the key must be free
        }
        api, departure = self._api(publication.access_token), publication.departure
        try:
            await api.post("com.atproto.repo.putRecord", _Record, json=body, creating=departure)
        except PlatformError as error:
            if error.kind is FailureKind.DUPLICATE:
                error.existing = self._published(publication)
            raise
        return self._published(publication)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Look for a record under the post's key."""
        del since
        wanted = self._published(publication)
        asked = {
            "repo": publication.account_identifier,
            "collection": _POSTS,
            "rkey": record_key(publication.post_id),
        }
        api = self._api(publication.access_token)
        try:
            found = await api.get("com.atproto.repo.getRecord", _Record, asked)
        except PlatformError as error:
            if error.kind is FailureKind.INVALID and error.code == "RecordNotFound":
                return LookBack(LookBackOutcome.ABSENT)
            raise
        if found.uri != wanted.content_id or found.uri in known:
            return LookBack(LookBackOutcome.UNKNOWABLE)
        return LookBack(LookBackOutcome.FOUND, wanted)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return _PAGE

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return likes, replies, reposts and quotes. Bluesky doesn't count views."""
        del account_identifier
        api, found = self._api(access_token), list[ContentMetrics]()
        for uris in batched(filter(_POST_ADDRESS.fullmatch, content_ids), _PAGE):
            query = urlencode([("uris", uri) for uri in uris])
            page = await api.get(f"app.bsky.feed.getPosts?{query}", _CountedAnswer)
            found += map(_metrics, page.posts)
        return found

    async def _facets(self, publication: Publication) -> list[Mapping[str, object]]:
        """Return the facets of the text, by position. Mentions of unknown handles stay plain text."""
        found = find_facets(publication.text)
        handles = dict.fromkeys(one.value for one in found if one.feature is Feature.MENTION)
        api, known = self._api(publication.access_token), dict[str, str]()
        for handle in list(handles)[:_MENTIONS_MAX]:
            if did := await self._did_of(api, handle):
                known[handle] = did
        shown = [one for one in found if one.feature is not Feature.MENTION or one.value in known]
        return [_facet(one, known) for one in sorted(shown, key=lambda one: one.start)]

    async def _did_of(self, api: PdsApi, handle: str) -> str | None:
        try:
            return (await api.get("com.atproto.identity.resolveHandle", _Resolved, {"handle": handle})).did
        except PlatformError as error:
            if error.kind in {FailureKind.AUTH_EXPIRED, FailureKind.RATE_LIMITED}:
                raise
            return None

    def _files(self, publication: Publication) -> BlueskyFiles:
        api = self._api(publication.access_token)
        videos = VideoService(api, self._http, self._hosts, self._directory, self._clock)
        return BlueskyFiles(api, videos, self._clock)

    def _published(self, publication: Publication) -> Published:
        did, key = publication.account_identifier, record_key(publication.post_id)
        author = quote(publication.username or did, safe=":")
        return Published(f"at://{did}/{_POSTS}/{key}", f"{self._hosts.seen_at}/profile/{author}/post/{key}")


def _facet(facet: Facet, dids: Mapping[str, str]) -> Mapping[str, object]:
    name = {"mention": "did", "link": "uri", "tag": "tag"}[facet.feature.value]
    value = dids[facet.value] if facet.feature is Feature.MENTION else facet.value
    return {
        "index": {"byteStart": facet.start, "byteEnd": facet.end},
        "features": [{"$type": f"app.bsky.richtext.facet#{facet.feature.value}", name: value}],
    }


def _metrics(post: _Counted) -> ContentMetrics:
    shared = [count for count in (post.reposts, post.quotes) if count is not None]
    return ContentMetrics(
        content_id=post.uri,
        views=None,
        likes=post.likes,
        comments=post.replies,
        shares=sum(shared) if shared else None,
    )
