"""Sends one upload: reserves a storage path at the service, then sends the bytes, within the speed limit."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import NonNegativeInt, TypeAdapter

from app.client import (
    ClientError,
    Forbidden,
    NotFound,
    RateLimited,
    RetryPolicy,
    ServerFailed,
    ServiceAnswered,
    ServiceClient,
    TimedOut,
)
from app.contract.media import RequestUploadUrl, UploadUrl
from app.language import data_size, tr
from app.workspace import foreign_texts
from app.workspace.changes import Listeners
from app.workspace.core import Core
from app.workspace.foreign_texts import in_own_language
from app.workspace.media.local_file import GONE, look_again_at
from app.workspace.media.upload import Upload
from app.workspace.problems import problem_of, reason_of
from app.workspace.store.stored_value import StoredValue

_WINDOW_S: Final = 4.0
_LIMIT: Final = "upload_limit"
_BYTES_PER_SECOND: Final[TypeAdapter[int]] = TypeAdapter(NonNegativeInt)
_SPARE_S: Final = 60
"""Minimum remaining lifetime of an upload link, in s."""
_CHANGED: Final = tr("“{name}” has changed since you added it. Try again to upload the current version.")
_NO_ROOM: Final = tr(
    "Not enough storage for {what}: {need} needed, {left} left. Delete unused files, or choose smaller ones."
)


class Speed:
    """Collects progress over time, in s of any monotonic clock."""

    def __init__(self, now: float) -> None:
        self._marks: deque[tuple[float, int]] = deque([(now, 0)])

    def note(self, now: float, done: int) -> float:
        """Note the progress so far; return the speed per second."""
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[1][0] >= _WINDOW_S:
            self._marks.popleft()
        since, before = self._marks[0]
        return (done - before) / max(now - since, 0.001)


class SpeedLimit:
    """Bytes per second for all uploads together; 0 for no limit."""

    def __init__(self, core: Core) -> None:
        self._throttle = core.client.media.throttle
        self._told: Listeners[int] = Listeners()
        self._kept = StoredValue(core, _LIMIT, _BYTES_PER_SECOND, self._apply)

    @property
    def rate(self) -> int:
        return self._throttle.rate

    def listen(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Subscribe to changes of the limit; call the result to unsubscribe."""
        return self._told.add(listener)

    async def set(self, rate: int) -> None:
        """Set the limit, also for running uploads, and store it.

        Raises Problem if it can't be stored. Then the stored limit applies, unless that can't be read.
        """
        await self._kept.put(rate or None)

    async def load(self) -> None:
        """Apply the stored limit, unless another one was set in the meantime. Raises Problem."""
        await self._kept.load()

    def _apply(self, rate: int | None) -> None:
        self._throttle.set_rate(rate or 0)
        self._told.tell(rate or 0)


class CannotUploadError(Exception):
    """The upload failed for a reason that only the user can fix: a sentence."""


class BrokenUploadError(Exception):
    """The bytes didn't arrive; a retry may succeed. A sentence that says why.

    ``lasts``: the user may have to act if it keeps happening.
    ``wait``: the delay requested by the service, in s; None if it requested none.
    """

    def __init__(self, why: str, *, lasts: bool = True, wait: float | None = None) -> None:
        super().__init__(why)
        self.lasts = lasts
        self.wait = wait


@dataclass(frozen=True, slots=True)
class _Place:
    link: UploadUrl
    until: float
    """On the event loop's clock."""


class Sender:
    """Makes the calls. A reserved path is reused while it's valid, so failed attempts use up no storage."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client
        self._places: dict[str, _Place] = {}
        self._passing = RetryPolicy().is_passing

    async def send(
        self, upload: Upload, reserved: Callable[[str], Awaitable[None]], progress: Callable[[int], None]
    ) -> str:
        """Upload a file and return its path; ``reserved`` is called with it before the first byte is sent.

        A file that arrived in an earlier attempt isn't sent again. Raises CannotUploadError,
        BrokenUploadError, ClientError if no path was reserved, and anything that ``reserved`` raises.
        """
        await self._require_unchanged(upload)
        if upload.storage_path and await self._client.media.holds(upload.storage_path, upload.size):
            self._places.pop(upload.id, None)
            return upload.storage_path
        link = await self._place(upload)
        if link.storage_path != upload.storage_path:
            await reserved(link.storage_path)
        await self._put(upload, link, progress)
        self._places.pop(upload.id, None)
        try:
            await self._require_unchanged(upload)
        except CannotUploadError:
            await self.give_up(replace(upload, storage_path=link.storage_path))
            raise
        return link.storage_path

    async def give_up(self, upload: Upload) -> None:
        """Release an upload's reservation if the service can be reached; otherwise it expires by itself."""
        self._places.pop(upload.id, None)
        if upload.storage_path:
            with suppress(ClientError):
                await self._client.media.delete(upload.storage_path)

    async def _put(self, upload: Upload, link: UploadUrl, progress: Callable[[int], None]) -> None:
        try:
            await self._client.media.upload(link, upload.path, upload.content_type, progress)
        except OSError as error:
            raise CannotUploadError(_unreadable(upload.path, upload.name, error)) from error
        except ClientError as error:
            raise self._judged(upload, error) from error

    async def _place(self, upload: Upload) -> UploadUrl:
        now = asyncio.get_running_loop().time()
        place = self._places.get(upload.id)
        if place is not None and place.until > now:
            return place.link
        await self.give_up(upload)  # from an earlier run of the app, or expired
        announced = RequestUploadUrl(
            filename=upload.name, content_type=upload.content_type, size_bytes=upload.size
        )
        try:
            link = await self._client.media.request_upload(announced)
        except Forbidden:
            await self._require_room(upload)
            raise
        self._places[upload.id] = _Place(link, now + link.expires_in_seconds - _SPARE_S)
        return link

    async def _require_room(self, upload: Upload) -> None:
        """Raise an error with numbers if the quota is the reason."""
        with suppress(ClientError):
            storage = (await self._client.usage()).storage
            if (left := storage.cap_bytes - storage.used_bytes) < upload.size:
                raise CannotUploadError(no_room(tr("“{name}”", name=upload.name), upload.size, left))

    async def _require_unchanged(self, upload: Upload) -> None:
        found = await asyncio.to_thread(look_again_at, upload.path)
        if found.problem:
            raise CannotUploadError(found.problem)
        if (found.size, found.modified_ns) != (upload.size, upload.modified_ns):
            raise CannotUploadError(_CHANGED.format(name=upload.name))

    def _judged(self, upload: Upload, error: ClientError) -> Exception:
        if isinstance(error, Forbidden | NotFound):
            self._places.pop(upload.id, None)
            return BrokenUploadError(tr("The upload link expired."))
        if self._passing(error):
            return _broken(error)
        self._places.pop(upload.id, None)
        if isinstance(error, ServiceAnswered):
            said = in_own_language(error.message).rstrip(".")
            text = tr("The service rejected “{name}”: {why}.", name=upload.name, why=said)
            return CannotUploadError(text if said else tr("The service rejected “{name}”.", name=upload.name))
        return CannotUploadError(problem_of(error).text)


def no_room(what: str, need: int, left: int) -> str:
    """Return a sentence for files of ``need`` bytes with ``left`` bytes free."""
    return _NO_ROOM.format(what=what, need=data_size(need), left=data_size(max(0, left)))


def _broken(error: ClientError) -> BrokenUploadError:
    if isinstance(error, RateLimited):
        return BrokenUploadError(
            tr("The service is rate limiting requests."), lasts=False, wait=error.retry_after
        )
    if isinstance(error, ServerFailed):
        said = reason_of(error)
        return BrokenUploadError(f"{said}." if said else tr("The service had an internal error."))
    still = isinstance(error, TimedOut)
    return BrokenUploadError(tr("The upload stalled.") if still else tr("The connection was lost."))


def _unreadable(path: Path, name: str, error: OSError) -> str:
    if not path.exists():
        return GONE
    return tr("Couldn't read “{name}”: {why}.", name=name, why=foreign_texts.why(error))
