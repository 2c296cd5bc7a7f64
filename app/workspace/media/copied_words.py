"""What a file shows stands in words beside it; a copy that is made of it gets the same words."""

import asyncio
from typing import Final

from pydantic import TypeAdapter

from app.database import DatabaseError
from app.workspace.catalogues.catalogues import Catalogues
from app.workspace.core import Core
from app.workspace.media.library import Library
from app.workspace.media.upload import Upload
from app.workspace.media.uploads import Uploads
from app.workspace.messages import Problem
from app.workspace.problems import problem_of
from app.workspace.store.settings import get_setting, put_setting

_NAME: Final = "words_of_copies"
_SHAPE: Final = TypeAdapter(dict[str, str])


class CopiedWords:
    """Remembers, also across restarts, which uploads are to be described once they are stored."""

    def __init__(self, core: Core, catalogues: Catalogues, uploads: Uploads, library: Library) -> None:
        self._core, self._catalogues, self._uploads, self._library = core, catalogues, uploads, library
        self._waiting: dict[str, str] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        uploads.listen(self._told)

    async def begin(self) -> None:
        """Reads what was left over, and gives words to what is stored by now. Raises Problem."""
        await self._load()
        for upload in self._uploads.all():
            self._told(upload)

    async def carry(self, original: Upload, copy: Upload) -> None:
        """Gives a copy the words of its original, if there are any. Raises Problem."""
        files = await self._catalogues.media([original.storage_path]) if original.is_done else []
        words = (files[0].alt_text or "") if files else ""
        if words:
            await self._keep(await self._load() | {copy.id: words})
            self._told(self._uploads.get(copy.id) or copy)

    async def close(self) -> None:
        """Gives up what is under way; it is done after the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _told(self, upload: Upload) -> None:
        if upload.is_done and self._waiting and upload.id in self._waiting:
            task = asyncio.get_running_loop().create_task(self._describe(upload))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _describe(self, upload: Upload) -> None:
        words = (self._waiting or {}).get(upload.id)
        if not words:
            return
        try:
            await self._library.describe(upload.storage_path, words)
            await self._keep(
                {kept: text for kept, text in (self._waiting or {}).items() if kept != upload.id}
            )
        except Problem:
            return  # tried again after the next start

    async def _load(self) -> dict[str, str]:
        if self._waiting is None:
            try:
                kept = await self._core.database.read(lambda rows: get_setting(rows, _NAME, _SHAPE))
            except DatabaseError as error:
                raise problem_of(error) from error
            if self._waiting is None:
                self._waiting = kept or {}
        return self._waiting

    async def _keep(self, waiting: dict[str, str]) -> None:
        self._waiting = waiting
        try:
            await self._core.write(lambda rows: put_setting(rows, _NAME, waiting or None, _SHAPE))
        except DatabaseError as error:
            raise problem_of(error) from error
