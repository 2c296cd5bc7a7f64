"""Signed uploads: bytes that arrive at a link, kept only when they are what was announced."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Final

from starlette.requests import Request

from app.contract.media import MediaImport
from app.contract.media_kinds import HEAD_BYTES, sniffed
from app.database import Database
from app.service.api.errors import ApiError, invalid, not_found
from app.service.clock import Clock
from app.service.media import rows
from app.service.media.intake import peek
from app.service.media.keeping import Keeper, other_bytes, wrong_length
from app.service.media.signing import LinkSigner, UploadClaims

_IDLE: Final = timedelta(seconds=60)
_TOTAL: Final = timedelta(hours=12)
"""Shorter than what keeps a part or a lapsed reservation from being swept away."""


class Uploads:
    """Receives what is PUT to upload links."""

    def __init__(
        self,
        database: Database,
        keeper: Keeper,
        signer: LinkSigner,
        clock: Clock,
        *,
        idle: timedelta = _IDLE,
    ) -> None:
        """``idle`` is how long an upload may stand still."""
        self._database = database
        self._keeper = keeper
        self._signer = signer
        self._clock = clock
        self._idle = idle
        self._newest: dict[str, object] = {}

    async def receive(self, storage_path: str, claims: UploadClaims, request: Request) -> MediaImport:
        """Takes in the body of a PUT; the same bytes again are as good as the first time.

        Raises ApiError: 403 for the link or for want of room, 404 for an upload that was given up, 400 for
        bytes that are not what was announced; DiskFullError; ClientDisconnect.
        """
        self._signer.check_upload(storage_path, claims, self._clock())
        _check_announced_length(request, claims.size)
        row = await self._database.read(lambda connection: rows.find(connection, storage_path))
        if row is None:
            raise not_found("upload")
        turn = self._newest[storage_path] = object()
        try:
            async with asyncio.timeout(None) as limit:
                chunks = self._watched(request.stream(), storage_path, turn, limit, claims.size)
                await self._take_in(chunks, storage_path, claims, stored=row["expires_at"] is None)
        except TimeoutError as error:
            raise _stalled() from error
        finally:
            if self._newest.get(storage_path) is turn:
                del self._newest[storage_path]
        return MediaImport(
            success=True, storage_path=storage_path, content_type=claims.type, size_bytes=claims.size
        )

    async def _take_in(
        self, chunks: AsyncIterator[bytes], storage_path: str, claims: UploadClaims, *, stored: bool
    ) -> None:
        head, whole = await peek(chunks, HEAD_BYTES)
        kind = sniffed(head)
        if kind is None or kind.content_type != claims.type:
            found = kind.content_type if kind else "of no kind that is taken"
            raise invalid("", f"The file was announced as {claims.type} but is {found}.", "wrong_kind")
        if stored:
            await self._compare(whole, storage_path, claims.size)
        else:
            await self._keeper.keep(storage_path, whole, size=claims.size)

    async def _compare(self, chunks: AsyncIterator[bytes], storage_path: str, size: int) -> None:
        arrived = await self._keeper.digest(chunks)
        row = await self._database.read(lambda connection: rows.find(connection, storage_path))
        if row is None or row["sha256"] != arrived or row["size_bytes"] != size:
            raise other_bytes()

    async def _watched(
        self,
        chunks: AsyncIterator[bytes],
        storage_path: str,
        turn: object,
        limit: asyncio.Timeout,
        size: int,
    ) -> AsyncIterator[bytes]:
        """The same bytes, as long as they keep coming, are not too many, and no later upload took over."""
        clock = asyncio.get_running_loop().time
        end = clock() + _TOTAL.total_seconds()
        limit.reschedule(clock() + self._idle.total_seconds())
        received = 0
        async for chunk in chunks:
            limit.reschedule(min(end, clock() + self._idle.total_seconds()))
            received += len(chunk)
            if received > size:
                raise wrong_length(received, size)
            if self._newest.get(storage_path) is not turn:
                raise invalid("", "The upload was begun again elsewhere.", "upload_superseded")
            yield chunk
        limit.reschedule(None)  # what is left to do is ours


def _check_announced_length(request: Request, size: int) -> None:
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) != size:
        raise wrong_length(int(announced), size)


def _stalled() -> ApiError:
    return invalid("", "The upload stood still for too long. Send it again.", "upload_stalled")
