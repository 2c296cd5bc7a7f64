"""The files that the service keeps: which there are, which posts use them, and what can be done with them."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Final
from uuid import uuid4

from app.client import NotFound
from app.contract.enums import PostStatus, PostType
from app.contract.media_kinds import KINDS, kind_of
from app.contract.usage import Storage
from app.language import tr
from app.workspace.catalogues.catalogues import Catalogues, KeptFile
from app.workspace.core import Core
from app.workspace.media.copying import COPY_MAX, SPARED, GuardedFile, Heard, refusal
from app.workspace.media.pictures import Pictures
from app.workspace.media.upload import Upload, UploadState
from app.workspace.media.uploads import Uploads
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost
from app.workspace.problems import as_problem
from app.workspace.rules import MediaFacts

_MARK: Final = re.compile(r"-[0-9a-f]{8}(?=\.[^.]+$|$)")
"""What our service puts behind a file's name, so that no two are the same."""
_NEEDING: Final = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})
_TYPES: Final = {f".{ending}": kind.content_type for kind in KINDS for ending in kind.extensions}


class Removal(Enum):
    """What came of removing a file."""

    REMOVED = "removed"
    KEPT = "kept"  # a post that is not out yet needs it
    WAS_GONE = "was_gone"


@dataclass(frozen=True, slots=True)
class MediaItem:
    """A stored file as people see it. ``used_in`` are the posts that name it, the earliest first."""

    file: KeptFile
    used_in: tuple[PlannedPost, ...] = ()

    @property
    def path(self) -> str:
        """What the service calls it: its key everywhere."""
        return self.file.storage_path

    @property
    def name(self) -> str:
        """As it was called when it was uploaded, as far as that can be told."""
        told = self.file.storage_path.partition("/")[2]
        return _MARK.sub("", self.file.name) if self.file.name == told else self.file.name

    @property
    def needed_by(self) -> tuple[PlannedPost, ...]:
        """The posts that are not out yet, for whose sake the service keeps the file."""
        return tuple(post for post in self.used_in if post.status in _NEEDING)

    @property
    def facts(self) -> MediaFacts:
        """What the platforms' rules need to know of the file."""
        file = self.file
        return MediaFacts(self.content_type, file.size_bytes or 1, file.width, file.height, file.duration_ms)

    @property
    def content_type(self) -> str:
        """As it was told, or by the ending of its name; empty where neither says it."""
        ending = PurePosixPath(self.file.storage_path).suffix.lower()
        return self.file.content_type or _TYPES.get(ending, "")

    @property
    def endings(self) -> tuple[str, ...]:
        """What a copy's name may end in, without dots; the usual one first."""
        kind = kind_of(self.content_type)
        if kind is None or kind.post_type is not self.file.kind:
            kinds = [kind for kind in KINDS if kind.post_type is self.file.kind] or KINDS
            return tuple(ending for kind in kinds for ending in kind.extensions)
        return kind.extensions


class Library:
    """For the event loop's thread. Every coroutine raises Problem."""

    def __init__(
        self,
        core: Core,
        catalogues: Catalogues,
        uploads: Uploads,
        pictures: Pictures,
        lists_files: Callable[[], bool],
    ) -> None:
        """``lists_files`` says whether the service can list what it keeps."""
        self._core = core
        self._catalogues = catalogues
        self._uploads = uploads
        self._pictures = pictures
        self._lists_files = lists_files

    async def items(self) -> list[MediaItem]:
        """Every file that is known here, newest first. Posts that were cancelled use none."""
        files = await self._catalogues.media()
        uses: dict[str, list[PlannedPost]] = defaultdict(list)
        for post in self._core.mirror.timeline:
            if post.media and post.status is not PostStatus.CANCELLED:
                uses[post.media].append(post)
        return [MediaItem(file, tuple(uses.get(file.storage_path, ()))) for file in files]

    async def refresh(self) -> None:
        """Brings the list up to date, where the service can list files; elsewhere there is nothing to do."""
        if self._lists_files():
            await self._catalogues.refresh_media()

    async def storage(self) -> Storage:
        """How much room files take at the service, and how much they may."""
        return (await self._core.call(self._core.client.usage())).storage

    async def link(self, storage_path: str, seconds: int) -> str:
        """An address at which anybody can look at a file for so many seconds (1 to 3600)."""
        return (await self._core.call(self._core.client.media.view(storage_path, seconds))).view_url

    async def save(
        self, item: MediaItem, target: Path, heard: Heard = lambda _written: None, spared: int = SPARED
    ) -> None:
        """Writes a copy of a stored file on this computer: whole, or not at all. Cancelling leaves none.

        ``heard`` hears how many bytes are written, ``spared`` bytes of the disk are left free.
        """
        size = item.file.size_bytes or COPY_MAX
        if size > COPY_MAX:
            raise Problem(
                tr("“{name}” is larger than 5 GB, which is too large to save a copy.", name=item.name)
            )
        loop = asyncio.get_running_loop()
        part = target.with_name(f".{target.name}.part")

        def written(count: int) -> None:
            loop.call_soon_threadsafe(heard, count)

        try:
            with await asyncio.to_thread(GuardedFile, part, written, spared) as opened, as_problem():
                view = await self._core.client.media.view(item.path)
                await self._core.client.media.download(view, opened, size)
            await asyncio.to_thread(part.replace, target)
        except OSError as error:
            raise Problem(refusal(target.name, error)) from error
        finally:
            await asyncio.to_thread(part.unlink, missing_ok=True)

    @property
    def can_describe(self) -> bool:
        """Whether the service keeps words for those who cannot see a file."""
        return self._lists_files()

    async def remove(self, storage_path: str) -> Removal:
        """Removes a file for good, unless a post that is not out yet needs it."""
        with as_problem():
            try:
                answer = await self._core.client.media.delete(storage_path)
                outcome = Removal.REMOVED if answer.deleted else Removal.KEPT
            except NotFound:
                outcome = Removal.WAS_GONE
        if outcome is not Removal.KEPT:
            await self._uploads.forget_file(storage_path)
            await self._catalogues.forget_file(storage_path)
            await self._pictures.forget(storage_path)
        return outcome

    async def describe(self, storage_path: str, alt_text: str) -> None:
        """Keeps the words for those who cannot see a file; empty ones take them away."""
        media = self._core.client.media
        file = await self._core.call(media.describe(storage_path, alt_text.strip() or None))
        await self._catalogues.take_file(file)

    async def choose_cover(self, storage_path: str, cover_ms: int | None) -> None:
        """Has the picture of a moment stand for a video; None: that of no moment in particular."""
        file = await self._core.call(self._core.client.media.choose_cover(storage_path, cover_ms))
        await self._catalogues.take_file(file)

    async def upload_of(self, storage_path: str) -> Upload:
        """The upload by whose id a draft names a stored file; one is made where there is none yet."""
        for upload in self._uploads.all():
            if upload.is_done and upload.storage_path == storage_path:
                return upload
        found = await self._catalogues.media([storage_path])
        if not found:
            raise Problem(tr("This file no longer exists."), kind="not_found")
        made = self._adopted(MediaItem(found[0]))
        await self._uploads.adopt(made)
        return made

    def _adopted(self, item: MediaItem) -> Upload:
        file = item.file
        if not item.content_type:
            text = tr(
                "Kalends can't tell what type of file “{name}” is. Upload it again to use it.", name=item.name
            )
            raise Problem(text, kind="invalid")
        return Upload(
            id=str(uuid4()),
            path=Path(),
            name=item.name,
            post_type=PostType(file.kind),
            content_type=item.content_type,
            size=file.size_bytes or 0,
            modified_ns=0,
            added_at=self._core.clock(),
            width=file.width,
            height=file.height,
            state=UploadState.DONE,
            storage_path=file.storage_path,
        )
