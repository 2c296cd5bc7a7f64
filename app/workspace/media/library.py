"""The files stored by the service: the list, the accounts that accept each, and the actions on them."""

import asyncio
import errno
import io
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Final
from uuid import uuid4

from pydantic import TypeAdapter

from app.client import NotFound
from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.contract.media_kinds import KINDS, kind_of
from app.contract.usage import Storage
from app.disk import replace
from app.language import tr
from app.platforms.cards import is_by_hand
from app.workspace import foreign_texts
from app.workspace.accounts.account import Account
from app.workspace.catalogues import Catalogues, KeptFile
from app.workspace.core import Core
from app.workspace.media.thumbnails import Pictures
from app.workspace.media.upload import Upload, UploadState
from app.workspace.media.uploads import Uploads
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost
from app.workspace.problems import as_problem
from app.workspace.rules import RULES, MediaFacts, check, check_file
from app.workspace.store.tables import get_setting, put_setting

COPY_MAX: Final = 5 * 1024**3
"""Maximum size of a file in bytes, also if its size is unknown."""
SPARED: Final = 1024**3
"""Bytes to leave free on the disk."""
_LOOK_EVERY: Final = 8 * 1024**2
"""Bytes written between two checks of the free space."""

OnWritten = Callable[[int], None]
"""Called with the number of bytes written."""
_NOT_OF_THE_FILE = ("description", "title", "pinterest_board_id")
"""Fields that the author of the post still fills in."""
_SHOWN: Final = "media_shown"
_MARK: Final = re.compile(r"-[0-9a-f]{8}(?=\.[^.]+$|$)")
"""What our service appends to a file's name to make it unique."""
_NEEDING: Final = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})
_TYPES: Final = {f".{ending}": kind.content_type for kind in KINDS for ending in kind.extensions}


class GuardedFile(io.BufferedWriter):
    """A new file that raises OSError (ENOSPC) rather than leave less than ``spared`` bytes of its disk."""

    def __init__(self, path: Path, heard: OnWritten = lambda _written: None, spared: int = SPARED) -> None:
        super().__init__(io.FileIO(path, "wb"))
        self._folder, self._heard, self._spared = path.parent, heard, spared
        self._written, self._looked_at = 0, -_LOOK_EVERY

    def write(self, piece: bytes) -> int:  # type: ignore[override]  # of whatever buffer
        """Write a piece."""
        if self._written - self._looked_at >= _LOOK_EVERY:
            self._looked_at = self._written
            if shutil.disk_usage(self._folder).free < self._spared + _LOOK_EVERY:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        size = super().write(piece)
        self._written += size
        self._heard(self._written)
        return size


def not_saved(name: str, error: OSError) -> str:
    """Why a file could not be written, and what to do."""
    if error.errno == errno.ENOSPC:
        return tr("“{name}” wasn't saved: the disk is almost full. Free up space, then try again.", name=name)
    return tr(
        "Couldn't write “{name}”: {why}. Choose another location.", name=name, why=foreign_texts.why(error)
    )


def refusals(account: Account, post_type: PostType, facts: MediaFacts) -> list[str]:
    """Return why an account's platform would refuse a file, as sentences; empty if it wouldn't.

    On a platform without known rules, the service decides, unless the platform takes no posts at all.
    """
    platform = PostingPlatform(account.platform.value)
    issues = check(
        platform=platform, post_type=post_type, title=None, text="", media=facts, limits=account.limits
    )
    return [issue.message for issue in issues if issue.field not in _NOT_OF_THE_FILE]


def refused_by_all(accounts: Iterable[Account], post_type: PostType, facts: MediaFacts) -> str:
    """Return why none of the accounts accepts a file; empty if one does, or there are no accounts."""
    said: dict[str, None] = {}
    for account in accounts:
        if not account.is_available or PostingPlatform(account.platform.value) not in RULES:
            continue
        found = refusals(account, post_type, facts)
        if not found:
            return ""
        said.update(dict.fromkeys(found[:1]))
    return " ".join(said)


def cover_takers() -> list[PostingPlatform]:
    """Return the platforms that show the chosen cover of a video."""
    return [platform for platform, rules in RULES.items() if rules.takes_cover]


def takers(post_type: PostType, facts: MediaFacts) -> list[PostingPlatform]:
    """Return the platforms whose rules a file meets without changes, as far as known."""
    return [
        platform
        for platform, rules in RULES.items()
        if not is_by_hand(platform)
        and post_type in rules.publishable
        and not list(check_file(platform, post_type, facts))
    ]


@dataclass(frozen=True, slots=True)
class Shown:
    """Names of a form and an order, defined by the pane; empty for its defaults."""

    form: str = ""
    order: str = ""


_SHOWN_SHAPE: Final = TypeAdapter(Shown)


class KeptShown:
    """For the event loop's thread. Every coroutine raises Problem."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def load(self) -> Shown:
        """Return the stored setting."""
        return await self._core.read(lambda rows: get_setting(rows, _SHOWN, _SHOWN_SHAPE)) or Shown()

    async def keep(self, shown: Shown) -> None:
        """Store the setting."""
        await self._core.write(lambda rows: put_setting(rows, _SHOWN, shown, _SHOWN_SHAPE))


class Removal(Enum):
    """The result of removing a file."""

    REMOVED = "removed"
    KEPT = "kept"  # a post that isn't published yet needs it
    WAS_GONE = "was_gone"


@dataclass(frozen=True, slots=True)
class MediaItem:
    """A stored file as shown to the user. ``used_in`` are the posts with it, earliest first."""

    file: KeptFile
    used_in: tuple[PlannedPost, ...] = ()

    @property
    def path(self) -> str:
        """The storage path, which is the file's key everywhere."""
        return self.file.storage_path

    @property
    def name(self) -> str:
        """The file name at upload, as far as it's known."""
        told = self.file.storage_path.partition("/")[2]
        return _MARK.sub("", self.file.name) if self.file.name == told else self.file.name

    @property
    def needed_by(self) -> tuple[PlannedPost, ...]:
        """The posts that aren't published yet and need the file."""
        return tuple(post for post in self.used_in if post.status in _NEEDING)

    @property
    def facts(self) -> MediaFacts:
        """The facts that the platforms' rules need."""
        file = self.file
        return MediaFacts(self.content_type, file.size_bytes or 1, file.width, file.height, file.duration_ms)

    @property
    def content_type(self) -> str:
        """The reported type, or the one of the name's extension; empty if unknown."""
        ending = PurePosixPath(self.file.storage_path).suffix.lower()
        return self.file.content_type or _TYPES.get(ending, "")

    @property
    def endings(self) -> tuple[str, ...]:
        """Valid extensions for a copy's name, without dots, the usual one first."""
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
        """``lists_files`` says whether the service can list its files."""
        self._core = core
        self._catalogues = catalogues
        self._uploads = uploads
        self._pictures = pictures
        self._lists_files = lists_files

    async def items(self) -> list[MediaItem]:
        """Return every known file, newest first. Cancelled posts don't count as using a file."""
        files = await self._catalogues.media()
        uses: dict[str, list[PlannedPost]] = defaultdict(list)
        for post in self._core.mirror.timeline:
            if post.media and post.status is not PostStatus.CANCELLED:
                uses[post.media].append(post)
        return [MediaItem(file, tuple(uses.get(file.storage_path, ()))) for file in files]

    def cancelled_with(self, paths: Container[str]) -> int:
        """Return how many cancelled posts would need these files to be scheduled again."""
        posts = self._core.mirror.timeline
        return sum(post.status is PostStatus.CANCELLED and post.media in paths for post in posts)

    async def refresh(self) -> None:
        """Update the list, if the service can list files."""
        if self._lists_files():
            await self._catalogues.refresh_media()

    async def storage(self) -> Storage:
        """Return the used storage and the quota."""
        return (await self._core.call(self._core.client.usage())).storage

    async def link(self, storage_path: str, seconds: int) -> str:
        """Return a public link to a file that is valid for a number of seconds (1 to 3600)."""
        return (await self._core.call(self._core.client.media.view(storage_path, seconds))).view_url

    async def save(
        self, item: MediaItem, target: Path, heard: OnWritten = lambda _written: None, spared: int = SPARED
    ) -> None:
        """Save a copy of a stored file on this computer, atomically. Cancelling leaves no file.

        ``heard`` is called with the number of bytes written; ``spared`` bytes are left free on the disk.
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
            await asyncio.to_thread(replace, part, target)
        except OSError as error:
            raise Problem(not_saved(target.name, error)) from error
        finally:
            await asyncio.to_thread(part.unlink, missing_ok=True)

    @property
    def can_describe(self) -> bool:
        """Whether the service stores alt texts."""
        return self._lists_files()

    async def remove(self, storage_path: str) -> Removal:
        """Delete a file permanently, unless a post that isn't published yet needs it, sent or not."""
        if any(post.media == storage_path and post.status in _NEEDING for post in self._core.mirror.timeline):
            return Removal.KEPT
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
        """Set a file's alt text; empty removes it."""
        media = self._core.client.media
        file = await self._core.call(media.describe(storage_path, alt_text.strip() or None))
        await self._catalogues.take_file(file)

    async def choose_cover(self, storage_path: str, cover_ms: int | None) -> None:
        """Choose the frame at a moment as the cover of a video; None for the default."""
        file = await self._core.call(self._core.client.media.choose_cover(storage_path, cover_ms))
        await self._catalogues.take_file(file)

    async def upload_of(self, storage_path: str) -> Upload:
        """Return the upload through which a draft refers to a stored file, creating it if needed."""
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
