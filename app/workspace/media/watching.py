"""Opens videos for playback, wherever the file is."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from app.client import ServiceClient
from app.language import tr
from app.workspace import system_words
from app.workspace.catalogues.catalogues import KeptFile
from app.workspace.media.upload import Upload
from app.workspace.media.video import Video
from app.workspace.messages import Problem
from app.workspace.problems import as_problem

_FETCHED_MAX: Final = 256 * 1024 * 1024
"""Maximum size of a file that is downloaded for playback, in bytes."""
_TOO_LARGE: Final = tr(
    "This video isn't on this computer and is too large to stream. Save a copy to watch it."
)
_GONE: Final = tr("“{name}” has changed or moved since you added it. Add it again to watch it.")


class Watching:
    """Opens videos; the caller closes them. For the event loop's thread; every coroutine raises Problem."""

    def __init__(self, client: ServiceClient, uploads: Callable[[], Iterable[Upload]]) -> None:
        """``uploads`` returns all uploads: local files don't have to be downloaded."""
        self._client, self._uploads = client, uploads

    async def of_stored(self, file: KeptFile) -> Video:
        """Open the video of a stored file; it's downloaded first if it isn't on this computer."""
        for upload in self._uploads():
            if upload.is_done and upload.storage_path == file.storage_path and await _is_there(upload):
                return await Video.open(upload.path)
        if file.size_bytes is not None and file.size_bytes > _FETCHED_MAX:
            raise Problem(_TOO_LARGE, kind="invalid")
        return await self._fetched(file)

    async def of_local(self, upload: Upload) -> Video:
        """Open the video of a local file that is attached, being uploaded, or stored."""
        if not await _is_there(upload):
            raise Problem(_GONE.format(name=upload.name), kind="not_found")
        return await Video.open(upload.path)

    async def _fetched(self, file: KeptFile) -> Video:
        handle, name = await asyncio.to_thread(tempfile.mkstemp, prefix="kalends-")
        path = Path(name)
        try:
            with os.fdopen(handle, "wb") as opened, as_problem():
                view = await self._client.media.view(file.storage_path)
                await self._client.media.download(view, opened, _FETCHED_MAX)
        except BaseException as error:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            if isinstance(error, OSError):
                why = system_words.why(error)
                text = tr("Couldn't download this video: {why}. Free up space.", why=why)
                raise Problem(text) from error
            raise
        return await Video.open(path, own_file=path)


async def _is_there(upload: Upload) -> bool:
    """Whether a local file is still the one that was added."""
    try:
        found = await asyncio.to_thread(upload.path.stat)
    except (OSError, ValueError):
        return False
    return (found.st_size, found.st_mtime_ns) == (upload.size, upload.modified_ns)
