"""What a workspace knows of files, and what can be done with them."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from app.client import ClientError
from app.contract.enums import PostingPlatform
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.catalogues.catalogues import Catalogues, KeptFile
from app.workspace.core import Core
from app.workspace.media.alt_texts import AltTexts
from app.workspace.media.fingerprint import are_equal, covers_all, fingerprint
from app.workspace.media.fitting import refused_by_all
from app.workspace.media.imports import Import, Imports
from app.workspace.media.library import Library
from app.workspace.media.local_file import LocalFile, look_at, look_at_one
from app.workspace.media.pictures import Pictures
from app.workspace.media.sending import no_room
from app.workspace.media.shown import KeptShown
from app.workspace.media.thumbnails import Thumbnails
from app.workspace.media.upload import Upload
from app.workspace.media.uploads import Uploads
from app.workspace.media.watching import Watching
from app.workspace.messages import Problem
from app.workspace.repair.repairs import Repairs, can_be_repaired
from app.workspace.sync.link import Link

_ROOM_S: Final = 1.0
"""So long the service may take to say how much room is left."""


class Media:
    """``uploads`` is the queue, ``library`` what is stored, ``imports`` what the service fetches for us.

    ``pictures`` gives small pictures, ``watching`` videos, ``repairs`` copies that platforms take,
    ``alt_texts`` what files show in words, ``shown`` how the list of files looks. Everything is for the event
    loop's thread; files are read in others.
    """

    def __init__(
        self,
        core: Core,
        link: Link,
        catalogues: Catalogues,
        kept: Iterable[Upload],
        imports: Iterable[Import],
        accounts: Callable[[], Mapping[str, Account]],
        *,
        pictures: Path,
        copies: Path,
        thumbnails: Thumbnails,
        lists_files: Callable[[], bool],
    ) -> None:
        """Folders for small pictures and for repaired copies; ``lists_files``: the service can list files."""
        self.uploads = Uploads(core, link, kept)
        self.pictures = Pictures(pictures, core.client, self.uploads.all, thumbnails)
        self.library = Library(core, catalogues, self.uploads, self.pictures, lists_files)
        self.shown = KeptShown(core)
        self.watching = Watching(core.client, self.uploads.all)
        self.repairs = Repairs(copies)
        self.alt_texts = AltTexts(core, catalogues, self.uploads, self.library)
        self.imports = Imports(core, catalogues, imports)
        self._client = core.client
        self._catalogues = catalogues
        self._accounts = accounts

    async def look_at(self, paths: Sequence[Path]) -> list[LocalFile]:
        """What the files are; one that no account can post, not even as a copy, has a ``problem``."""
        files = await self.repairs.look_inside(await asyncio.to_thread(look_at, paths))
        return [self._judged(file) for file in files]

    async def look_inside(self, upload_id: str) -> None:
        """Looks into the file of an upload of an earlier run; listeners are told."""
        upload = self.uploads.get(upload_id)
        if upload is None or upload.probed is not None:
            return
        file = await asyncio.to_thread(look_at_one, upload.path)
        if (file.size, file.modified_ns) == (upload.size, upload.modified_ns):
            (file,) = await self.repairs.look_inside([file])
            if file.probed is not None:
                self.uploads.know(upload_id, file.probed)

    async def small_picture(self, upload: Upload) -> bytes | None:
        """A small picture of a file, of a video its first frame; None where there is none. Raises Problem."""
        if upload.path != Path():
            return await self.pictures.of_local(upload)
        stored = await self.catalogue([upload.storage_path])
        return await self.pictures.of(stored[0]) if stored else None

    async def forget_copies(self) -> None:
        """Removes repaired copies that no upload holds."""
        await self.repairs.forget_all_but([upload.path for upload in self.uploads.all()])

    async def add_files(self, paths: Sequence[Path]) -> list[Upload]:
        """Looks at files and queues their uploads, all or none; from then on they survive a restart.

        A file that is stored already is not uploaded again: its upload is given. Raises Problem, also for a
        file that cannot be posted, or for which there is no room.
        """
        files = await self._fingerprinted(await self.look_at(paths))
        stored = {file.path: found for file in files if (found := await self._stored(file))}
        added = iter(await self.queue([file for file in files if file.path not in stored]))
        return [stored.get(file.path) or next(added) for file in files]

    async def queue(self, files: Sequence[LocalFile]) -> list[Upload]:
        """Queues files that were looked at, all or none. Raises Problem like ``add_files``."""
        await self._require_room(files)
        return await self.uploads.add(await self._fingerprinted(files))

    def same(self, file: LocalFile) -> Upload | None:
        """The upload of the very same file, unchanged since; None where there is none."""
        as_is = (file.path, file.size, file.modified_ns)
        found = (one for one in self.uploads.all() if (one.path, one.size, one.modified_ns) == as_is)
        return next(found, None)

    async def known(self, files: Sequence[LocalFile]) -> list[LocalFile]:
        """Those of the files that are on their way or were uploaded before, also under another name."""
        return [file for file in await self._fingerprinted(files) if self._twin(file)]

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

    async def picture(self, storage_path: str) -> bytes | None:
        """A small picture of a stored file, as of `Pictures.of`; None where there is none. Raises Problem."""
        files = await self._catalogues.media([storage_path])
        return await self.pictures.of(files[0]) if files else None

    async def refresh(self) -> None:
        """Asks for all files, where the service lists them. Raises Problem."""
        await self._catalogues.refresh_media()

    async def close(self) -> None:
        """Gives up what is being looked at and fetched."""
        await self.alt_texts.close()
        await self.imports.close()
        await self.pictures.close()

    def _twin(self, file: LocalFile) -> Upload | None:
        if (same := self.same(file)) is not None or not file.fingerprint:
            return same
        return next((one for one in self.uploads.all() if one.fingerprint == file.fingerprint), None)

    async def _stored(self, file: LocalFile) -> Upload | None:
        """The upload of a file that the service still has; None where that is not certain."""
        twin = self.same(file) or await asyncio.to_thread(self._equal, file)
        if twin is None or not twin.is_done or file.problem:
            return None
        try:
            holds = await self._client.media.holds(twin.storage_path, twin.size)
        except ClientError:
            return None
        return twin if holds else None

    def _equal(self, file: LocalFile) -> Upload | None:
        """An upload of the same bytes, as far as that is certain. Blocking."""
        alike = (
            one for one in self.uploads.all() if file.fingerprint and one.fingerprint == file.fingerprint
        )
        return next((one for one in alike if _is_certain(file, one)), None)

    async def _fingerprinted(self, files: Sequence[LocalFile]) -> list[LocalFile]:
        def take() -> list[LocalFile]:
            return [
                file
                if file.problem or file.fingerprint
                else replace(file, fingerprint=fingerprint(file.path, file.size))
                for file in files
            ]

        return await asyncio.to_thread(take)

    async def _require_room(self, files: Sequence[LocalFile]) -> None:
        """Without an answer of the service files are queued: they wait for it anyway."""
        try:
            async with asyncio.timeout(_ROOM_S):
                storage = await self.library.storage()
        except (Problem, TimeoutError):
            return
        waiting = sum(one.size for one in self.uploads.all() if one.is_underway and not one.storage_path)
        left = storage.cap_bytes - storage.used_bytes - waiting
        need = sum(file.size for file in files if not file.problem)
        if need > left:
            what = tr("“{name}”", name=files[0].name) if len(files) == 1 else tr("these files")
            raise Problem(no_room(what, need, left), kind="no_room")

    def _judged(self, file: LocalFile) -> LocalFile:
        if file.problem:
            return file
        accounts = [one for one in self._accounts().values() if one.is_available]
        why = refused_by_all(accounts, file.post_type, file.facts)
        if why and any(can_be_repaired(file, PostingPlatform(one.platform.value)) for one in accounts):
            return file
        if not why:
            return file
        return replace(file, problem=tr("“{name}” can't be posted. {why}", name=file.name, why=why))


def _is_certain(file: LocalFile, upload: Upload) -> bool:
    """Whether files of one fingerprint are the same: a large one was renamed, or is compared byte by byte."""
    if covers_all(file.size) or file.modified_ns == upload.modified_ns:
        return True
    return _is_unchanged(upload) and are_equal(file.path, upload.path)


def _is_unchanged(upload: Upload) -> bool:
    """Whether what was uploaded is still there to be compared with."""
    try:
        found = upload.path.stat()
    except OSError:
        return False
    return (found.st_size, found.st_mtime_ns) == (upload.size, upload.modified_ns)
