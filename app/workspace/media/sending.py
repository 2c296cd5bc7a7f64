"""One upload: a place is reserved at the service, then the bytes go there."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.client import ClientError, Forbidden, NotFound, RetryPolicy, ServiceAnswered, ServiceClient
from app.contract.media import RequestUploadUrl, UploadUrl
from app.workspace.media.local_file import look_at_one
from app.workspace.media.upload import Upload

_SPARE_S: Final = 60
"""A link that ends sooner than this is not begun with."""
_CHANGED: Final = "“{name}” was changed since it was added. Try again to upload it as it is now."


class CannotUploadError(Exception):
    """The upload has failed, for a reason that only a person can change: a sentence."""


class BrokenUploadError(Exception):
    """The bytes did not arrive; the same may succeed later."""


@dataclass(frozen=True, slots=True)
class _Place:
    link: UploadUrl
    until: float
    """On the event loop's clock."""


class Sender:
    """Makes the calls. A place is used again as long as it lasts, so that failed attempts take no room."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client
        self._places: dict[str, _Place] = {}
        self._passing = RetryPolicy().is_passing

    async def send(
        self, upload: Upload, reserved: Callable[[str], Awaitable[None]], progress: Callable[[int], None]
    ) -> str:
        """Uploads a file and gives its storage path; ``reserved`` hears it before the first byte goes out.

        Raises CannotUploadError, BrokenUploadError, or ClientError when the service gave no place.
        """
        await self._require_unchanged(upload)
        link = await self._place(upload, reserved)
        try:
            await self._client.media.upload(link, upload.path, upload.content_type, progress)
        except OSError as error:
            raise CannotUploadError(_unreadable(upload.path, upload.name, error)) from error
        except ClientError as error:
            raise self._judged(upload, error) from error
        self._places.pop(upload.id, None)
        return link.storage_path

    async def give_up(self, upload: Upload) -> None:
        """Frees what an upload reserved, as far as the service can be reached; it sweeps up by itself."""
        self._places.pop(upload.id, None)
        if upload.storage_path:
            with suppress(ClientError):
                await self._client.media.delete(upload.storage_path)

    async def _place(self, upload: Upload, reserved: Callable[[str], Awaitable[None]]) -> UploadUrl:
        now = asyncio.get_running_loop().time()
        place = self._places.get(upload.id)
        if place is not None and place.until > now:
            return place.link
        await self.give_up(upload)  # of an earlier run of the app, or one that has ended
        announced = RequestUploadUrl(
            filename=upload.name, content_type=upload.content_type, size_bytes=upload.size
        )
        link = await self._client.media.request_upload(announced)
        await reserved(link.storage_path)
        self._places[upload.id] = _Place(link, now + link.expires_in_seconds - _SPARE_S)
        return link

    async def _require_unchanged(self, upload: Upload) -> None:
        found = await asyncio.to_thread(look_at_one, upload.path)
        if found.problem:
            raise CannotUploadError(found.problem)
        if (found.size, found.modified_ns) != (upload.size, upload.modified_ns):
            raise CannotUploadError(_CHANGED.format(name=upload.name))

    def _judged(self, upload: Upload, error: ClientError) -> Exception:
        if self._passing(error):
            return BrokenUploadError("The connection broke. The upload begins again by itself.")
        if isinstance(error, Forbidden | NotFound):  # the link has ended
            self._places.pop(upload.id, None)
            return BrokenUploadError(
                "The place for the file was given up. The upload begins again by itself."
            )
        self._places.pop(upload.id, None)
        said = error.message.rstrip(".") if isinstance(error, ServiceAnswered) else "its answer is not clear"
        return CannotUploadError(f"The service did not take “{upload.name}”: {said}.")


def _unreadable(path: Path, name: str, error: OSError) -> str:
    if not path.exists():
        return f"“{name}” is no longer there. Put it back, or attach it from where it is now."
    return f"“{name}” cannot be read: {(error.strerror or str(error)).lower()}."
