"""What a workspace knows of files, and what can be done with them."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from app.workspace.accounts.account import Account
from app.workspace.catalogues.catalogues import Catalogues, KeptFile
from app.workspace.core import Core
from app.workspace.media.fitting import refused_by_all
from app.workspace.media.local_file import LocalFile, look_at
from app.workspace.media.upload import Upload
from app.workspace.media.uploads import Uploads
from app.workspace.sync.link import Link


class Media:
    """``uploads`` is the queue. Everything here is for the event loop's thread; files are read in others."""

    def __init__(
        self,
        core: Core,
        link: Link,
        catalogues: Catalogues,
        kept: Iterable[Upload],
        accounts: Callable[[], Mapping[str, Account]],
    ) -> None:
        self.uploads = Uploads(core, link, kept)
        self._catalogues = catalogues
        self._accounts = accounts

    async def look_at(self, paths: Sequence[Path]) -> list[LocalFile]:
        """What the files are; one that cannot be posted by any account has a ``problem``."""
        return [self._judged(file) for file in await asyncio.to_thread(look_at, paths)]

    async def add_files(self, paths: Sequence[Path]) -> list[Upload]:
        """Looks at files and queues their uploads, all or none; from then on they survive a restart.

        Raises Problem, also for a file that cannot be posted.
        """
        return await self.uploads.add(await self.look_at(paths))

    async def retry(self, upload_id: str) -> None:
        """Begins a failed upload again, with the file as it is now. Raises Problem."""
        await self.uploads.retry(upload_id)

    async def cancel(self, upload_id: str) -> None:
        """Ends and forgets an upload; a file that is stored already stays stored. Raises Problem."""
        await self.uploads.cancel(upload_id)

    def listen(self, listener: Callable[[Upload], None]) -> Callable[[], None]:
        """Subscribes to how uploads get on, some times a second; call the result to unsubscribe."""
        return self.uploads.listen(listener)

    async def catalogue(self, paths: Sequence[str] | None = None) -> list[KeptFile]:
        """Files that are stored, newest first: uploaded here, named by posts, listed by the service.

        Those with these paths, or all. Raises Problem.
        """
        return await self._catalogues.media(paths)

    async def refresh(self) -> None:
        """Asks for all files, where the service lists them. Raises Problem."""
        await self._catalogues.refresh_media()

    def _judged(self, file: LocalFile) -> LocalFile:
        if file.problem:
            return file
        why = refused_by_all(self._accounts().values(), file.post_type, file.facts)
        return replace(file, problem=f"“{file.name}” cannot be posted. {why}") if why else file
