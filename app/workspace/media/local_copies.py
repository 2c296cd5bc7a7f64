"""Stored files as files on this computer, for programs that the user drags them to."""

import asyncio
import logging
from pathlib import Path
from typing import Final
from uuid import uuid4

from app.language import tr
from app.workspace.catalogues import Catalogues
from app.workspace.media.library import Library, MediaItem, not_saved
from app.workspace.media.uploads import Uploads
from app.workspace.media.video import is_there
from app.workspace.messages import Problem
from app.workspace.repair.repairs import clear_all_but
from app.workspace.safe_names import safe_name

_GONE: Final = tr("This file no longer exists.")
_log = logging.getLogger(__name__)


class LocalCopies:
    """Uses the uploaded file where it's unchanged, and otherwise downloads a copy, once per start."""

    def __init__(self, folder: Path, catalogues: Catalogues, library: Library, uploads: Uploads) -> None:
        self._folder = folder
        self._catalogues, self._library, self._uploads = catalogues, library, uploads
        self._made: dict[str, Path] = {}
        self._turn = asyncio.Lock()

    async def of(self, storage_path: str) -> Path:
        """Return a local file with the content of a stored one. Raises Problem."""
        for upload in self._uploads.all():
            if upload.is_done and upload.storage_path == storage_path and await is_there(upload):
                return upload.path
        async with self._turn:
            made = self._made.get(storage_path)
            if made is None or not await asyncio.to_thread(made.is_file):
                made = self._made[storage_path] = await self._download(storage_path)
            return made

    async def clear(self) -> None:
        """Delete the copies of earlier starts."""
        async with self._turn:
            needed = {made.parent for made in self._made.values()}
            await asyncio.to_thread(clear_all_but, self._folder, needed)

    async def _download(self, storage_path: str) -> Path:
        files = await self._catalogues.media([storage_path])
        if not files:
            raise Problem(_GONE, kind="not_found")
        item = MediaItem(files[0])
        target = self._folder / str(uuid4()) / safe_name(item.name, item.endings)
        try:
            await asyncio.to_thread(target.parent.mkdir, parents=True, mode=0o700)
        except OSError as error:
            _log.warning("no folder for copies: %s", error.strerror)
            raise Problem(not_saved(target.name, error)) from error
        await self._library.save(item, target)
        return target
