"""The calls about files: links to upload to and to look at, imports, and what is stored."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import BinaryIO, Final, TypeVar
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import read, require_success
from app.client.bodies import Answer
from app.client.errors import Forbidden, NotFound, ValidationRefused
from app.client.file_body import Progress
from app.client.pages import pages
from app.client.retries import RetryPolicy
from app.client.throttle import Throttle
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
"""Our service gives a download ten minutes."""


class MediaCalls:
    """Part of a ServiceClient, as its ``media``. A failed call raises ClientError and nothing else."""

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        self._wire = wire
        self._retries = retries

    async def request_upload(self, new: RequestUploadUrl) -> UploadUrl:
        """Never tried again by itself: each call reserves room for another file."""
        body = new.model_dump_json(exclude_unset=True)
        return await read(
            await self._wire.call("POST", f"{API_PREFIX}/media/upload-url", body=body), UploadUrl
        )

    async def upload(
        self, link: UploadUrl, file: Path, content_type: str, progress: Progress | None = None
    ) -> None:
        """Sends a file to its link; memory stays small however large it is. Cancelling ends the upload.

        ``progress`` hears how many bytes have gone out. Never tried again by itself; once more with the same
        link does no harm. Also raises OSError when the file cannot be read.
        """
        url = link.upload_url
        require_success(await self._wire.send_file(url, file, content_type=content_type, progress=progress))

    @property
    def throttle(self) -> Throttle:
        """How fast files may go out, all together."""
        return self._wire.throttle

    async def holds(self, storage_path: str, size: int) -> bool:
        """Whether a file of so many bytes has arrived at a place, so that it need not be sent again."""
        try:
            view = await self.view(storage_path)
        except (NotFound, Forbidden, ValidationRefused):
            return False
        return await self._wire.size_of(view.view_url) == size

    async def attach(self, wanted: AttachFromUrl) -> MediaImport:
        """Has the service download a file, which may take minutes. Never tried again by itself."""
        body = wanted.model_dump_json(exclude_unset=True)
        path = f"{API_PREFIX}/media/attach-from-url"
        return await read(await self._wire.call("POST", path, body=body, patience_s=_IMPORT_S), MediaImport)

    async def view(self, storage_path: str, seconds: int = VIEW_URL_SECONDS_DEFAULT) -> MediaView:
        """A link to look at a file, for that many seconds."""
        query = MediaViewQuery(expires_in_seconds=seconds).model_dump()
        path = f"{API_PREFIX}/media/{quote(storage_path)}"
        return await self._safely(lambda: self._wire.call("GET", path, query=query), MediaView)

    async def download(self, view: MediaView, into: BinaryIO, most: int) -> None:
        """Writes the bytes behind a link into an opened file.

        Raises AnswerNotUnderstood when there are more than ``most``, and OSError when they cannot be written.
        """
        require_success(await self._wire.fetch(view.view_url, into, most))

    async def delete(self, storage_path: str) -> MediaDeleteResult:
        """Removes a file, or gives up an upload; ``deleted`` is false while a post needs the file."""
        path = f"{API_PREFIX}/media/{quote(storage_path)}"
        done = MediaDeleteResult(storage_path=storage_path, deleted=True)
        return await self._safely(lambda: self._wire.call("DELETE", path), MediaDeleteResult, unsaid=done)

    async def list_files(self, query: PageQuery | None = None) -> Page[MediaFile]:
        """What is stored; only where the companion offers ``media``, like ``files`` and ``describe``."""
        params = (query or PageQuery()).model_dump(exclude_none=True)
        path = f"{COMPANION_PREFIX}/media"
        return await self._safely(lambda: self._wire.call("GET", path, query=params), Page[MediaFile])

    def files(self) -> AsyncIterator[Page[MediaFile]]:
        """Every page of stored files, newest first."""
        return pages(self.list_files, PageQuery(limit=100))

    async def describe(self, storage_path: str, alt_text: str | None) -> MediaFile:
        """Keeps the words for those who cannot see the file; None takes them away."""
        return await self._tell(storage_path, DescribeMedia(alt_text=alt_text))

    async def choose_cover(self, storage_path: str, cover_ms: int | None) -> MediaFile:
        """Has the picture of a moment stand for a video; None: the first one."""
        return await self._tell(storage_path, DescribeMedia(cover_ms=cover_ms))

    async def choose_for_tiktok(
        self, storage_path: str, connection_id: UUID, choice: TikTokChoice
    ) -> MediaFile:
        """Keeps what was chosen for TikTok: an account's posts created with the file take it over."""
        body = DescribeMedia(tiktok={connection_id: NewTikTokChoice.model_validate(choice.model_dump())})
        return await self._tell(storage_path, body)

    async def _tell(self, storage_path: str, told: DescribeMedia) -> MediaFile:
        body = told.model_dump_json(exclude_unset=True)
        path = f"{COMPANION_PREFIX}/media/{quote(storage_path)}"
        return await self._safely(lambda: self._wire.call("PATCH", path, body=body), MediaFile)

    async def _safely(
        self, call: Callable[[], Awaitable[Answer]], model: type[Model], *, unsaid: Model | None = None
    ) -> Model:
        async def call_and_read() -> Model:
            return await read(await call(), model, unsaid=unsaid)

        return await self._retries.run(call_and_read)
