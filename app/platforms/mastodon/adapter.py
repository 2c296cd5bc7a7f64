"""Mastodon, and servers with the same API: texts, images and videos."""

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from pydantic import TypeAdapter, ValidationError

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.contract.places import PlaceOptions
from app.platforms.base import (
    Clock,
    ContentMetrics,
    FailureKind,
    LookBack,
    PlatformError,
    Publication,
    Published,
)
from app.platforms.card import Hosts
from app.platforms.http import PlatformHttp, TheirClock
from app.platforms.likeness import compare
from app.platforms.mastodon.calls import Servers
from app.platforms.mastodon.files import MastodonFiles
from app.platforms.mastodon.login import MastodonLogin
from app.platforms.mastodon.servers import Access, host_of
from app.platforms.mastodon.statuses import (
    Source,
    Status,
    is_before,
    is_from,
    looks_like,
    may_be,
    published,
)
from app.platforms.publication import KEPT, judge, require_publishable
from app.platforms.rest import unexpected

_PLATFORM: Final = PostingPlatform("mastodon")
_PAGE: Final = 20
_PAGES_MAX: Final = 10
_KEY_KEPT: Final = timedelta(hours=1)
"""How long servers recognize a key: docs.joinmastodon.org/methods/statuses, as of 2026-11."""
_STATUSES: Final = TypeAdapter(list[Status])
_CONTENT_ID: Final = re.compile(r"([A-Za-z0-9_-]{1,100})@([a-z0-9.:-]+)")
_NO_SOURCE: Final = frozenset({FailureKind.INVALID, FailureKind.PERMISSION})


class Mastodon(MastodonLogin):
    """The adapter. Access tokens are texts of ``Access``, which name the server they're for."""

    platform: Final = ConnectionPlatform("mastodon")
    repeat_window: Final = None
    keeps: Final = KEPT

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._servers = Servers(http, hosts.api, clock)

    async def prepare(self, publication: Publication) -> None:
        require_publishable(_PLATFORM, publication.post_type)
        if publication.post_type is not PostType.TEXT:
            await self._upload(publication, Access.read(publication.access_token))

    async def publish(self, publication: Publication) -> Published:
        """Create the status. Servers that recognize its key return the first one for an hour."""
        require_publishable(_PLATFORM, publication.post_type)
        access = Access.read(publication.access_token)
        status: dict[str, object] = {"status": publication.text, **_fields(publication.options)}
        if publication.post_type is not PostType.TEXT:
            status["media_ids"] = [await self._upload(publication, access)]
        rest = self._servers.rest(access.server)
        call = rest.call("POST", "statuses", access.token, json=status, creating=publication.departure)
        key = sha256(publication.post_id.bytes).hexdigest()
        call = replace(call, headers={**call.headers, "Idempotency-Key": key})
        return published(await rest.fetch(call, Status), access.server)

    async def ask_time(self, server: str) -> None:
        """Make the smallest call whose response contains a server's time. Raises PlatformError."""
        await self._servers.ask_time(server)

    def repeat_window_at(self, access_token: str) -> timedelta | None:
        """Return how long the server recognizes a key; None if its software may not."""
        return _KEY_KEPT if Access.read(access_token).keeps_keys else None

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Look for the post among the account's statuses, by the text it was written with."""
        access = Access.read(publication.access_token)
        statuses, read_all = await self._statuses(publication, access, since)
        judged = [
            (item, await self._is_ours(publication, access, status))
            for status in statuses
            if (item := published(status, access.server)).content_id not in known
        ]
        return judge(judged, read_all=read_all)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return 1

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return favourites, replies and boosts. Mastodon doesn't count views."""
        del account_identifier
        access = Access.read(access_token)
        rest, found = self._servers.rest(access.server), list[ContentMetrics]()
        for match in filter(None, map(_CONTENT_ID.fullmatch, content_ids)):
            if match[2] != host_of(access.server):
                continue
            try:
                status = await rest.get(f"statuses/{match[1]}", access.token, Status)
            except PlatformError as error:
                if error.kind is not FailureKind.INVALID:
                    raise
            else:
                counts = ContentMetrics(match[0], None, status.likes, status.replies, status.reposts)
                found.append(counts)
        return found

    async def _upload(self, publication: Publication, access: Access) -> str:
        first, second = (self._servers.rest(access.server, version) for version in ("v1", "v2"))
        return await MastodonFiles(first, second, self._servers.clock).upload(publication, access.token)

    async def _statuses(
        self, publication: Publication, access: Access, since: datetime
    ) -> tuple[list[Status], bool]:
        """Return the account's statuses since then, oldest first, and whether these are all."""
        rest = self._servers.rest(access.server)
        path = f"accounts/{publication.account_identifier.rpartition('@')[0]}/statuses"
        params = {"limit": str(_PAGE), "exclude_reblogs": "true"}
        # Each server has its own clock.
        clock, found = TheirClock(self._servers.clock), list[Status]()
        for _ in range(_PAGES_MAX):
            answer = await rest.ask(rest.call("GET", path, access.token, params=params))
            clock.note(answer.headers)
            first = clock.since(since)
            try:
                page = _STATUSES.validate_json(answer.body)
            except ValidationError:
                raise unexpected(answer, rest.http.name) from None
            found += [status for status in page if not is_before(status, first)]
            if not page or is_before(page[-1], first):
                return found[::-1], True
            params["max_id"] = page[-1].id
        return found[::-1], False

    async def _is_ours(self, publication: Publication, access: Access, status: Status) -> bool | None:
        """Whether a status is the publication; None if it can't be told."""
        if not may_be(status):
            return False
        rest = self._servers.rest(access.server)
        try:
            source = await rest.get(f"statuses/{status.id}/source", access.token, Source)
        except PlatformError as error:
            if error.kind not in _NO_SOURCE:
                raise
            # Servers of users decide what this reads, and 256 KB of tags take half a second.
            return await asyncio.to_thread(looks_like, status, publication)
        return compare(is_from(source, publication), is_edited=status.edited_at is not None)


def _fields(options: PlaceOptions | None) -> dict[str, object]:
    """Return the fields of a status for the options of a post."""
    if options is None:
        return {}
    found: dict[str, object] = {}
    if options.content_warning:
        found |= {"spoiler_text": options.content_warning, "sensitive": True}
    if options.visibility is not None:
        found["visibility"] = options.visibility.value
    if options.language:
        found["language"] = options.language
    return found
