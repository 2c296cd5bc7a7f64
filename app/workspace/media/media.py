"""The files of a workspace, and the actions on them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final
from uuid import uuid4

from app.client import ClientError
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.catalogues import Catalogues, KeptFile
from app.workspace.core import Core
from app.workspace.media.alt_texts import AltTexts
from app.workspace.media.imports import Import, Imports
from app.workspace.media.library import KeptShown, Library, MediaItem, not_saved, refused_by_all
from app.workspace.media.local_file import LocalFile, are_equal, covers_all, fingerprint, look_at, look_at_one
from app.workspace.media.sending import no_room
from app.workspace.media.thumbnails import Pictures, Thumbnails
from app.workspace.media.upload import Upload
from app.workspace.media.uploads import Uploads
from app.workspace.media.video import Watching, is_there
from app.workspace.messages import Problem
from app.workspace.repair.planning import Target
from app.workspace.repair.repairs import Repairs, can_be_repaired, clear_all_but
from app.workspace.safe_names import safe_name
from app.workspace.sync.link import Link

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


_ROOM_S: Final = 1.0
"""Timeout for asking the service for its free storage, in s."""


AttachedUploads = Callable[[bool], Awaitable[Sequence[Collection[str]]]]
"""Returns the IDs of the uploads of each draft, with or without the composer's."""


class Media:
    """``uploads`` is the queue, ``library`` the stored files, ``imports`` what the service downloads for us.

    ``pictures`` makes thumbnails, ``watching`` plays videos, ``repairs`` makes copies that platforms accept,
    ``local_copies`` downloads files for other programs, ``alt_texts`` has alt texts, ``shown`` is how the
    list of files looks. Everything is for the event loop's thread; files are read in others.
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
        attached: AttachedUploads,
    ) -> None:
        """``pictures`` and ``copies`` are folders; ``lists_files``: whether the service can list files."""
        self._attached = attached
        self.uploads = Uploads(core, link, kept)
        self.pictures = Pictures(pictures, core.client, self.uploads.all, thumbnails)
        self.library = Library(core, catalogues, self.uploads, self.pictures, lists_files)
        self.shown = KeptShown(core)
        downloads = copies.with_suffix(".downloads")
        self.local_copies = LocalCopies(downloads, catalogues, self.library, self.uploads)
        self.watching = Watching(core.client, self.uploads.all)
        self.repairs = Repairs(copies)
        self.alt_texts = AltTexts(core, catalogues, self.uploads, self.library)
        self.imports = Imports(core, catalogues, imports)
        self._client = core.client
        self._catalogues = catalogues
        self._accounts = accounts

    async def look_at(self, paths: Sequence[Path]) -> list[LocalFile]:
        """Inspect files; one that no account can post, not even as a copy, has a ``problem``."""
        files = await self.repairs.look_inside(await asyncio.to_thread(look_at, paths))
        return [self._judged(file) for file in files]

    async def look_inside(self, upload_id: str) -> None:
        """Probe the file of an upload from an earlier run; listeners are notified."""
        upload = self.uploads.get(upload_id)
        if upload is None or upload.probed is not None:
            return
        file = await asyncio.to_thread(look_at_one, upload.path)
        if (file.size, file.modified_ns) == (upload.size, upload.modified_ns):
            (file,) = await self.repairs.look_inside([file])
            if file.probed is not None:
                self.uploads.know(upload_id, file.probed)

    async def small_picture(self, upload: Upload) -> bytes | None:
        """Return a thumbnail of a file or of a video's first frame; None if impossible. Raises Problem."""
        if upload.path != Path():
            return await self.pictures.of_local(upload)
        stored = await self.catalogue([upload.storage_path])
        return await self.pictures.of(stored[0]) if stored else None

    async def forget_copies(self) -> None:
        """Delete repaired copies that no upload uses, and downloaded ones."""
        await self.local_copies.clear()
        await self.repairs.forget_all_but([upload.path for upload in self.uploads.all()])

    async def add_files(self, paths: Sequence[Path]) -> list[Upload]:
        """Inspect files and queue their uploads, all or none. Uploads survive a restart.

        A stored file isn't uploaded again: its upload is returned. Raises Problem, also for a file that can't
        be posted, or if the storage is full.
        """
        files = await self._fingerprinted(await self.look_at(paths))
        stored = {file.path: found for file in files if (found := await self._stored(file))}
        added = iter(await self.queue([file for file in files if file.path not in stored]))
        return [stored.get(file.path) or next(added) for file in files]

    async def queue(self, files: Sequence[LocalFile]) -> list[Upload]:
        """Queue inspected files, all or none. Raises Problem like ``add_files``."""
        await self._require_room(files)
        return await self.uploads.add(await self._fingerprinted(files))

    def same(self, file: LocalFile) -> Upload | None:
        """Return the upload of exactly this file, unchanged since, or None."""
        as_is = (file.path, file.size, file.modified_ns)
        found = (one for one in self.uploads.all() if (one.path, one.size, one.modified_ns) == as_is)
        return next(found, None)

    async def known(self, files: Sequence[LocalFile]) -> list[LocalFile]:
        """Return the files that are being uploaded or were uploaded before, even under another name."""
        return [file for file in await self._fingerprinted(files) if self._twin(file)]

    async def retry(self, upload_id: str) -> None:
        """Restart a failed upload, with the file as it is now. Raises Problem."""
        await self.uploads.retry(upload_id)

    async def cancel(self, upload_id: str, *, by_composer: bool = False) -> bool:
        """Cancel and remove an upload, unless a draft needs it; a file that is already stored stays.

        ``by_composer``: the composer doesn't need it any more, even if its saved draft has it. Returns
        whether no draft needs it. Raises Problem.
        """
        if any(upload_id in uploads for uploads in await self._attached(not by_composer)):
            return False
        await self.uploads.cancel(upload_id)
        return True

    async def drafts_with(self, paths: Collection[str]) -> int:
        """Return how many drafts use stored files, with the post in the composer. Raises Problem."""
        drafts = [map(self.uploads.get, uploads) for uploads in await self._attached(True)]
        return sum(any(one is not None and one.storage_path in paths for one in each) for each in drafts)

    def listen(self, listener: Callable[[Upload], None]) -> Callable[[], None]:
        """Subscribe to the progress of uploads, a few times per second; call the result to unsubscribe."""
        return self.uploads.listen(listener)

    async def catalogue(self, paths: Sequence[str] | None = None) -> list[KeptFile]:
        """Return stored files, newest first: uploaded here, used by posts, or listed by the service.

        Only those with these paths, or all. Raises Problem.
        """
        return await self._catalogues.media(paths)

    async def picture(self, storage_path: str) -> bytes | None:
        """Return a thumbnail of a stored file, like `Pictures.of`, or None. Raises Problem."""
        files = await self._catalogues.media([storage_path])
        return await self.pictures.of(files[0]) if files else None

    async def refresh(self) -> None:
        """Request all files, if the service lists them. Raises Problem."""
        await self._catalogues.refresh_media()

    async def close(self) -> None:
        """Cancel probes and downloads."""
        await self.alt_texts.close()
        await self.imports.close()
        await self.pictures.close()

    def _twin(self, file: LocalFile) -> Upload | None:
        if (same := self.same(file)) is not None or not file.fingerprint:
            return same
        return next((one for one in self.uploads.all() if one.fingerprint == file.fingerprint), None)

    async def _stored(self, file: LocalFile) -> Upload | None:
        """The upload of a file that the service still has; None if that isn't certain."""
        twin = self.same(file) or await asyncio.to_thread(self._equal, file)
        if twin is None or not twin.is_done or file.problem:
            return None
        try:
            holds = await self._client.media.holds(twin.storage_path, twin.size)
        except ClientError:
            return None
        return twin if holds else None

    def _equal(self, file: LocalFile) -> Upload | None:
        """An upload of the same bytes, if that's certain. Blocking."""
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
        """Raise Problem if the storage is full. Without an answer, files are queued and wait."""
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
        if why and any(can_be_repaired(file, Target.of(one)) for one in accounts):
            return file
        if not why:
            return file
        return replace(file, problem=tr("“{name}” can't be posted. {why}", name=file.name, why=why))


def _is_certain(file: LocalFile, upload: Upload) -> bool:
    """Whether files with equal fingerprints are equal: large ones if renamed, or compared byte by byte."""
    if covers_all(file.size) or file.modified_ns == upload.modified_ns:
        return True
    return _is_unchanged(upload) and are_equal(file.path, upload.path)


def _is_unchanged(upload: Upload) -> bool:
    """Whether the uploaded file is still unchanged on this computer."""
    try:
        found = upload.path.stat()
    except OSError:
        return False
    return (found.st_size, found.st_mtime_ns) == (upload.size, upload.modified_ns)
