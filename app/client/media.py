"""Calls for files: upload and view links, imports, and stored files."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import BinaryIO, Final, TypeVar
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import pages, read, require_stored
from app.client.bodies import Answer
from app.client.errors import Forbidden, NotFound, RetryPolicy, ValidationRefused
from app.client.transfers import Progress, Throttle
from app.client.wire import Wire
from app.contract.companion import DescribeMedia, MediaFile
from app.contract.limits import API_PREFIX, COMPANION_PREFIX, VIEW_URL_SECONDS_DEFAULT
from app.contract.media import (
    AttachFromUrl,
    MediaDeleteResult,
    MediaImport,
    MediaView,
    MediaViewQuery,
    RequestUploadUrl,
    UploadUrl,
)
from app.contract.pagination import Page, PageQuery
from app.contract.tiktok import NewTikTokChoice, TikTokChoice

Model = TypeVar("Model", bound=BaseModel)

_IMPORT_S: Final = 660
"""Timeout of an import. Our service allows ten minutes for a download."""


class MediaCalls:
    """``ServiceClient.media``. A failed call always raises ClientError."""

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        self._wire = wire
        self._retries = retries

    async def request_upload(self, new: RequestUploadUrl) -> UploadUrl:
        """Request an upload link. Never retried: each call reserves storage for another file."""
        body = new.model_dump_json(exclude_unset=True)
        return await read(
            await self._wire.call("POST", f"{API_PREFIX}/media/upload-url", body=body), UploadUrl
        )

    async def upload(
        self, link: UploadUrl, file: Path, content_type: str, progress: Progress | None = None
    ) -> None:
        """Upload a file with constant memory. Can be cancelled.

        ``progress`` receives the number of bytes sent. Never retried, but uploading again to the same link is
        safe. Also raises OSError if the file can't be read.
        """
        url = link.upload_url
        require_stored(await self._wire.send_file(url, file, content_type=content_type, progress=progress))

    @property
    def throttle(self) -> Throttle:
        """Rate limit for all uploads together."""
        return self._wire.throttle

    async def holds(self, storage_path: str, size: int) -> bool:
        """Whether the service already has a file of this size at a path, so it needn't be sent again."""
        try:
            view = await self.view(storage_path)
        except (NotFound, Forbidden, ValidationRefused):
            return False
        return await self._wire.size_of(view.view_url) == size

    async def attach(self, wanted: AttachFromUrl) -> MediaImport:
        """Import a file from a URL, which can take minutes. Never retried."""
        body = wanted.model_dump_json(exclude_unset=True)
        path = f"{API_PREFIX}/media/attach-from-url"
        return await read(await self._wire.call("POST", path, body=body, patience_s=_IMPORT_S), MediaImport)

    async def view(self, storage_path: str, seconds: int = VIEW_URL_SECONDS_DEFAULT) -> MediaView:
        """Return a link to a file that's valid for ``seconds``."""
        query = MediaViewQuery(expires_in_seconds=seconds).model_dump()
        path = f"{API_PREFIX}/media/{quote(storage_path)}"
        return await self._safely(lambda: self._wire.call("GET", path, query=query), MediaView)

    async def download(self, view: MediaView, into: BinaryIO, most: int) -> None:
        """Write a linked file to an open file.

        Raises AnswerNotUnderstood for more than ``most`` bytes, and OSError if they can't be written.
        """
        require_stored(await self._wire.fetch(view.view_url, into, most))

    async def delete(self, storage_path: str) -> MediaDeleteResult:
        """Delete a file or cancel an upload; ``deleted`` is false while a post needs the file."""
        path = f"{API_PREFIX}/media/{quote(storage_path)}"
        done = MediaDeleteResult(storage_path=storage_path, deleted=True)
        return await self._safely(lambda: self._wire.call("DELETE", path), MediaDeleteResult, unsaid=done)

    async def list_files(self, query: PageQuery | None = None) -> Page[MediaFile]:
        """Return a page of stored files.

        Like ``files`` and ``describe``, this requires the companion feature ``media``.
        """
        params = (query or PageQuery()).model_dump(exclude_none=True)
        path = f"{COMPANION_PREFIX}/media"
        return await self._safely(lambda: self._wire.call("GET", path, query=params), Page[MediaFile])

    def files(self) -> AsyncIterator[Page[MediaFile]]:
        """Yield every page of stored files, newest first."""
        return pages(self.list_files, PageQuery(limit=100))

    async def describe(self, storage_path: str, alt_text: str | None) -> MediaFile:
        """Set a file's alt text; None removes it."""
        return await self._describe(storage_path, DescribeMedia(alt_text=alt_text))

    async def choose_cover(self, storage_path: str, cover_ms: int | None) -> MediaFile:
        """Set the time of a video's cover frame; None for the first frame."""
        return await self._describe(storage_path, DescribeMedia(cover_ms=cover_ms))

    async def choose_for_tiktok(
        self, storage_path: str, connection_id: UUID, choice: TikTokChoice
    ) -> MediaFile:
        """Set an account's TikTok choice for posts created with this file."""
        body = DescribeMedia(tiktok={connection_id: NewTikTokChoice.model_validate(choice.model_dump())})
        return await self._describe(storage_path, body)

    async def _describe(self, storage_path: str, changes: DescribeMedia) -> MediaFile:
        body = changes.model_dump_json(exclude_unset=True)
        path = f"{COMPANION_PREFIX}/media/{quote(storage_path)}"
        return await self._safely(lambda: self._wire.call("PATCH", path, body=body), MediaFile)

    async def _safely(
        self, call: Callable[[], Awaitable[Answer]], model: type[Model], *, unsaid: Model | None = None
    ) -> Model:
        async def call_and_read() -> Model:
            return await read(await call(), model, unsaid=unsaid)

        return await self._retries.run(call_and_read)
