"""Thumbnails of stored files, made by a helper process and cached next to the workspace's file.

A bad file can only crash the helper.
"""

import asyncio
import hashlib
import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from app.client import ClientError, ServiceClient
from app.contract.enums import PostType
from app.disk import replace
from app.media.helper import BACKGROUND_COMMAND, PATIENCE_S, Helper, HelperError
from app.media.protocol import Line
from app.workspace.catalogues import KeptFile
from app.workspace.media.upload import Upload

EDGE: Final = 480
"""Longest side of a thumbnail in pixels: a tile of the grid at 200 %."""
_IDLE_S: Final = 10.0
"""Idle time before the process is ended, in s."""
_PARALLEL: Final = 2
_LARGE: Final = 2_560
_FETCHED_MAX: Final = 64 * 1024 * 1024
"""Maximum size of a file that is downloaded for its thumbnail, in bytes."""
_FETCHED_WITHIN_S: Final = 180.0
"""Timeout for the whole download, in s, because all other thumbnails wait for it."""
_log = logging.getLogger(__name__)


class Thumbnails:
    """Makes one thumbnail at a time. For the event loop's thread.

    ``command`` starts a process with the protocol of `app.media.worker`; the other two are in s.
    """

    def __init__(
        self,
        *,
        command: Sequence[str] = BACKGROUND_COMMAND,
        patience: float = PATIENCE_S,
        idle: float = _IDLE_S,
    ) -> None:
        self._command, self._patience, self._idle = command, patience, idle
        self._turn = asyncio.Semaphore(1)
        self._helper: Helper | None = None
        self._end: asyncio.TimerHandle | None = None

    async def make(
        self, file: Path, post_type: PostType, edge: int = EDGE, cover_ms: int | None = None
    ) -> bytes | None:
        """Return a JPEG of an image, or of a moment of a video, with no side longer than ``edge``.

        None for a file that can't be read, or would need too much memory or time.
        """
        asked = {"do": "thumbnail", "path": str(file), "post_type": post_type.value}
        async with self._turn:
            return await self._ask(asked | {"edge": edge, "cover_ms": cover_ms})

    async def close(self) -> None:
        """End the process; it's started again for the next thumbnail."""
        if (helper := self._forget()) is not None:
            helper.stop()
            await asyncio.to_thread(helper.close)

    async def _ask(self, asked: Line) -> bytes | None:
        if self._end is not None:
            self._end.cancel()
        self._helper = helper = self._helper or Helper(self._command, self._patience)
        try:
            _, picture = await asyncio.to_thread(helper.ask, asked)
        except HelperError:
            return None
        except asyncio.CancelledError:
            self._forget()
            helper.stop()
            # Not a task: it must go on if this one is cancelled again, as all are at the end of the loop.
            await asyncio.wait([asyncio.get_running_loop().run_in_executor(None, helper.close)])
            raise
        else:
            return picture or None
        finally:
            if self._helper is not None:
                self._end = asyncio.get_running_loop().call_later(self._idle, self._rest)

    def _rest(self) -> None:
        if (helper := self._forget()) is not None:
            asyncio.get_running_loop().run_in_executor(None, helper.close)

    def _forget(self) -> Helper | None:
        if self._end is not None:
            self._end.cancel()
        helper, self._helper, self._end = self._helper, None, None
        return helper


class Pictures:
    """For the event loop's thread; files are downloaded two at a time, and decoded by ``thumbnails``.

    ``uploads`` returns all uploads: local files don't have to be downloaded.
    """

    def __init__(
        self,
        folder: Path,
        client: ServiceClient,
        uploads: Callable[[], Iterable[Upload]],
        thumbnails: Thumbnails | None = None,
    ) -> None:
        self._thumbnails = thumbnails or Thumbnails()
        self._folder = folder
        self._client = client
        self._uploads = uploads
        self._turn = asyncio.Semaphore(_PARALLEL)
        self._making: dict[str, asyncio.Task[bytes | None]] = {}
        self._none: set[str] = set()

    async def of(self, file: KeptFile) -> bytes | None:
        """Return a JPEG of at most ``thumbnails.EDGE`` pixels per side; None if none is available now."""
        name = _name(file.storage_path, file.cover_ms)
        if name in self._none:
            return None
        if name not in self._making:
            task = asyncio.get_running_loop().create_task(self._get(file))
            self._making[name] = task
            task.add_done_callback(lambda _task: self._making.pop(name, None))
        return await asyncio.shield(self._making[name])

    async def large(self, file: KeptFile) -> bytes | None:
        """Return a JPEG as large as a screen, uncached; None if none is available now."""
        async with self._turn:
            try:
                return await self._make(file, _LARGE)
            except (OSError, ClientError):
                return None

    def original(self, file: KeptFile) -> Path | None:
        """Return the file's local path; None if it was uploaded elsewhere. It may no longer exist."""
        found = (one.path for one in self._uploads() if one.is_done and one.storage_path == file.storage_path)
        return next((path for path in found if path != Path()), None)

    async def of_local(self, upload: Upload) -> bytes | None:
        """Like ``of`` for a local file that is being uploaded; uncached."""
        async with self._turn:
            return await self._thumbnails.make(upload.path, upload.post_type)

    async def large_of_local(self, upload: Upload) -> bytes | None:
        """Like ``large`` for a local file."""
        async with self._turn:
            return await self._thumbnails.make(upload.path, upload.post_type, _LARGE)

    async def forget(self, storage_path: str) -> None:
        """Delete the thumbnail of a file that no longer exists."""
        self._none.discard(_name(storage_path))
        await asyncio.to_thread(self._clear, storage_path)

    async def close(self) -> None:
        """Cancel everything in progress."""
        running = list(self._making.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._thumbnails.close()

    async def _get(self, file: KeptFile) -> bytes | None:
        async with self._turn:
            try:
                place = self._place(file.storage_path, file.cover_ms)
                if kept := await asyncio.to_thread(_read, place):
                    return kept
                made = await self._make(file, EDGE)
            except (ClientError, TimeoutError):
                return None  # requested again when the service is back
            except OSError as error:
                _log.warning("a small picture could not be kept or made: %s", error.strerror)
                return None
            if made is None:
                self._none.add(_name(file.storage_path, file.cover_ms))
            else:
                await asyncio.to_thread(_write, place, made)
            return made

    async def _make(self, file: KeptFile, edge: int) -> bytes | None:
        for upload in self._uploads():
            if upload.is_done and upload.storage_path == file.storage_path:
                if not await asyncio.to_thread(_is_unchanged, upload):
                    continue
                made = await self._thumbnails.make(upload.path, upload.post_type, edge, file.cover_ms)
                if made is not None:
                    return made
        if file.size_bytes is not None and file.size_bytes > _FETCHED_MAX:
            return None
        return await self._make_of_fetched(file, edge)

    async def _make_of_fetched(self, file: KeptFile, edge: int) -> bytes | None:
        handle, name = await asyncio.to_thread(tempfile.mkstemp, prefix="kalends-")
        try:
            with os.fdopen(handle, "wb") as opened:
                async with asyncio.timeout(_FETCHED_WITHIN_S):
                    view = await self._client.media.view(file.storage_path)
                    await self._client.media.download(view, opened, _FETCHED_MAX)
            return await self._thumbnails.make(Path(name), file.kind, edge, file.cover_ms)
        finally:
            await asyncio.to_thread(Path(name).unlink, missing_ok=True)

    def _place(self, storage_path: str, cover_ms: int | None = None) -> Path:
        return self._folder / f"{_name(storage_path, cover_ms)}.jpg"

    def _clear(self, storage_path: str) -> None:
        """Also those of previously chosen covers."""
        for place in self._folder.glob(f"{_name(storage_path)}*.jpg"):
            place.unlink(missing_ok=True)


def _name(storage_path: str, cover_ms: int | None = None) -> str:
    """The file name of a thumbnail; another cover has another one."""
    name = hashlib.sha256(storage_path.encode()).hexdigest()
    return f"{name}-{cover_ms}" if cover_ms else name


def _is_unchanged(upload: Upload) -> bool:
    try:
        found = upload.path.stat()
    except (OSError, ValueError):
        return False
    return (found.st_size, found.st_mtime_ns) == (upload.size, upload.modified_ns)


def _read(place: Path) -> bytes | None:
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None


def _write(place: Path, content: bytes) -> None:
    """Write atomically: half a picture would stay in the cache."""
    place.parent.mkdir(mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as written:
        written.write(content)
    replace(Path(written.name), place)
