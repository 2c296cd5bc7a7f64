"""Imports: downloading a file from a public URL and storing it like an upload."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from app.contract.media import AttachFromUrl, MediaImport
from app.contract.media_kinds import HEAD_BYTES, MediaKind, sniffed
from app.database import Database
from app.service.accounts.accounts import Caller
from app.service.accounts.callers import write_for
from app.service.api.responses import RateLimitedError, invalid
from app.service.clock import Clock
from app.service.media import rows
from app.service.media.intake import Keeper, peek
from app.service.media.stores import name_in_url
from app.service.outbound import Download, OutboundClient, OutboundError

_TOTAL: Final = timedelta(minutes=10)
_REDIRECTS: Final = 3
_OK: Final = 200
_LEASE: Final = _TOTAL + timedelta(minutes=5)
_STEP: Final = 16 * 1024 * 1024
"""How many bytes at a time to reserve for a file of unknown length."""
PER_ACCOUNT: Final = 4
"""Maximum number of concurrent imports per account."""
AT_ONCE: Final = 32
"""Maximum number of concurrent imports in this process: each takes three open files and a connection."""
_RETRY_S: Final = 10.0
_PIECE: Final = 512 * 1024
_PIECE_WITHIN: Final = timedelta(minutes=1)
"""Minimum speed: each piece, or the rest of the file, must arrive within this time."""


class Imports:
    """Stores files from URLs that users enter. The URL itself isn't stored."""

    def __init__(
        self,
        database: Database,
        keeper: Keeper,
        outbound: OutboundClient,
        clock: Clock,
        *,
        piece_within: timedelta = _PIECE_WITHIN,
    ) -> None:
        """``piece_within`` is how long half a megabyte may take."""
        self._database = database
        self._keeper = keeper
        self._outbound = outbound
        self._clock = clock
        self._piece_within = piece_within
        self._running: Counter[UUID] = Counter()

    async def fetch(self, caller: Caller, wanted: AttachFromUrl) -> MediaImport:
        """Download and store a file.

        Raises ApiError: 400 on ``url`` if it can't be downloaded or isn't an image or video, 403 without
        enough storage, 429 for too many at the same time; DiskFullError.
        """
        with self._counted(caller.account_id):
            longest = await self._database.read(lambda opened: rows.file_bytes_max(opened, caller.account_id))
            limit = asyncio.timeout(self._piece_within.total_seconds())
            try:
                async with (
                    limit,
                    self._outbound.stream_get(
                        wanted.url, redirects=_REDIRECTS, timeout=_TOTAL, bytes_max=longest
                    ) as download,
                ):
                    return await self._receive(caller, wanted, download, limit)
            except OutboundError as error:
                raise invalid("url", str(error), "not_downloaded") from None
            except TimeoutError:
                if not limit.expired():
                    raise
                raise invalid("url", "The server is sending the file too slowly.", "not_downloaded") from None

    @contextmanager
    def _counted(self, account_id: UUID) -> Iterator[None]:
        """Count an import in progress. Raises RateLimitedError at the limit."""
        if self._running[account_id] >= PER_ACCOUNT or self._running.total() >= AT_ONCE:
            raise RateLimitedError(
                "Too many imports at once. Wait until one has finished and try again.", retry_after=_RETRY_S
            )
        self._running[account_id] += 1
        try:
            yield
        finally:
            self._running[account_id] -= 1
            if not self._running[account_id]:
                del self._running[account_id]

    async def _fast_enough(
        self, chunks: AsyncIterator[bytes], limit: asyncio.Timeout
    ) -> AsyncIterator[bytes]:
        """Pass the chunks on; ``limit`` expires if a piece takes too long."""
        clock, missing = asyncio.get_running_loop().time, _PIECE
        async for chunk in chunks:
            missing -= len(chunk)
            if missing <= 0:
                missing = _PIECE
                limit.reschedule(clock() + self._piece_within.total_seconds())
            yield chunk
        limit.reschedule(None)  # the rest is our own work

    async def _receive(
        self, caller: Caller, wanted: AttachFromUrl, download: Download, limit: asyncio.Timeout
    ) -> MediaImport:
        _check_answer(download)
        head, whole = await peek(self._fast_enough(download.chunks, limit), HEAD_BYTES)
        kind = _kind(head, download.content_type)
        name = wanted.filename or name_in_url(wanted.url)
        owner, size = caller.account_id, download.length or len(head)
        room = await write_for(
            self._database,
            caller,
            self._clock(),
            lambda opened: self._reserve(opened, owner, name, kind, size),
        )
        try:
            stored = await self._keeper.keep(caller, room.storage_path, self._reserving(whole, caller, room))
        except BaseException:
            await self._database.write(lambda opened: rows.give_up(opened, room.storage_path))
            raise
        return MediaImport(
            success=True,
            storage_path=room.storage_path,
            content_type=kind.content_type,
            size_bytes=stored.size,
        )

    def _reserve(
        self, connection: Connection, account_id: UUID, name: str, kind: MediaKind, size: int
    ) -> "_Room":
        now = self._clock()
        rows.require_room(connection, account_id, size, now)
        path = rows.reserve(connection, account_id, name, kind, size, now=now, expires_at=now + _LEASE)
        return _Room(account_id, path, size)

    async def _reserving(
        self, chunks: AsyncIterator[bytes], caller: Caller, room: "_Room"
    ) -> AsyncIterator[bytes]:
        """Pass the chunks on, reserving storage before each."""
        received = 0
        async for chunk in chunks:
            received += len(chunk)
            if received > room.size:
                grow = partial(self._grow, room=room, needed=received)
                room.size = await write_for(self._database, caller, self._clock(), grow)
            yield chunk

    def _grow(self, connection: Connection, room: "_Room", needed: int) -> int:
        now = self._clock()
        rows.require_room(connection, room.account_id, needed - room.size, now)
        ahead = min(rows.room(connection, room.account_id, now), needed - room.size + _STEP)
        rows.resize(connection, room.storage_path, room.size + ahead)
        return room.size + ahead


@dataclass(slots=True)
class _Room:
    """The reservation of one import."""

    account_id: UUID
    storage_path: str
    size: int


def _check_answer(download: Download) -> None:
    if download.status != _OK:
        raise invalid("url", f"The server responded with status {download.status}.", "not_downloaded")
    if not download.content_type.startswith(("image/", "video/")):
        raise invalid("url", "The server says this isn't an image or video.", "unsupported")


def _kind(head: bytes, declared: str) -> MediaKind:
    """Return the type the bytes show, as long as the server agrees on image or video."""
    kind = sniffed(head)
    if kind is None or not declared.startswith(f"{kind.post_type.value}/"):
        raise invalid("url", "The file isn't a supported image or video.", "unsupported")
    return kind
