"""What a composer knows of its file, and the way from a chosen file to an upload."""

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QObject, Signal
from PySide6.QtGui import QImage, QImageWriter

from app.contract.enums import PostType
from app.contract.media_kinds import KINDS
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.carried import Carried
from app.desktop.composer.file_field import FileField
from app.desktop.file_dialogs import ask_to_open
from app.desktop.media.preview import Preview
from app.desktop.media.viewed import attached, stored
from app.language import tr
from app.workspace.editing.draft import SHARED, LinkedText
from app.workspace.media.library import MediaItem
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload
from app.workspace.messages import Problem

_PASTED = tr("Pasted picture.png")
_ENDINGS = " ".join(f"*.{ending}" for kind in KINDS for ending in kind.extensions)
_OTHER_KIND = tr("A post can hold images or a video, not both. Create a second post for the other.")
_CHOICES = (tr("Images and videos ({patterns})", patterns=_ENDINGS), tr("All files (*)"))


class Attachment(QObject):
    """A draft's file in a field, and those that take its place for single accounts.

    All are of one kind, that of the file for all. ``changed``: there is another file, ``moved``: the state of
    one is another, ``pictured``: there is another small picture.
    """

    changed = Signal()
    moved = Signal()
    pictured = Signal()

    def __init__(self, field: FileField, media: Media, report: OnProblem) -> None:
        super().__init__(field)
        self.field = field
        self.version = SHARED
        """The version whose file is shown, which another one would be attached to."""
        self._files = LinkedText()
        self._accounts: tuple[str, ...] = ()
        self._pictures: dict[str, QImage] = {}
        self._media = media
        self._scope = TaskScope(self, report)
        field.attach.connect(self.ask)
        field.retry.connect(lambda: self._scope.start(media.retry(self.upload_id)))
        field.remove.connect(self.remove)
        field.link.connect(self.link)
        field.looked_at.connect(self.look)
        stop = media.listen(self._told)
        self.destroyed.connect(lambda _object=None: stop())

    @property
    def files(self) -> LinkedText:
        """Ids of uploads, by version."""
        return self._files

    @property
    def upload_id(self) -> str:
        """Of the file that is shown; empty for none."""
        return self._files.of(self.version)

    @property
    def upload(self) -> Upload | None:
        """What is known of the file that is shown."""
        return self.upload_for(self.version)

    @property
    def post_type(self) -> PostType:
        """The kind of post that the files make."""
        shared = self.upload_for(SHARED)
        return shared.post_type if shared else PostType.TEXT

    @property
    def storage_path(self) -> str:
        """What the service calls the file that is shown; empty until it is there."""
        return self.storage_path_for(self.version)

    @property
    def is_on_its_way(self) -> bool:
        """Whether files that the accounts need will be there by themselves."""
        return any(upload is not None and upload.is_underway for _id, upload in self._needed())

    @property
    def awaited(self) -> Upload | None:
        """The first file that is on its way."""
        return next((one for _id, one in self._needed() if one is not None and one.is_underway), None)

    def upload_for(self, account_key: str) -> Upload | None:
        """What is known of an account's file."""
        return self._media.uploads.get(self._files.of(account_key))

    def storage_path_for(self, account_key: str) -> str:
        """What the service calls the file of an account; empty until it is there."""
        upload = self.upload_for(account_key)
        return upload.storage_path if upload is not None and upload.is_done else ""

    def picture_for(self, account_key: str) -> QImage:
        """A small picture of an account's file; a null one where there is none."""
        return self._pictures.get(self._files.of(account_key), QImage())

    def show_for(self, account_keys: Sequence[str]) -> None:
        """Go by these accounts: their files are needed."""
        self._accounts = tuple(account_keys)

    def show_version(self, version: str) -> None:
        """Show the file of a version."""
        self.version = version
        self._show()

    def accounts_with(self, version: str) -> list[str]:
        """The chosen accounts that a change of a version's file would be for."""
        linked = [key for key in self._accounts if not self._files.differs(key)]
        return linked if version == SHARED else [key for key in self._accounts if key == version]

    def problem(self) -> str:
        """Return what is to be done about a file before posts can be planned; empty for nothing."""
        return next((words for id_, upload in self._needed() if (words := _problem(id_, upload))), "")

    def restore(self, files: LinkedText) -> None:
        """Show the files of a draft."""
        self._files = files
        self._show()
        for id_ in self._ids():
            self._begin_picture(id_)

    def ask(self) -> None:
        """Let the person choose a file."""
        ask_to_open(
            self.field, tr("Attach image or video"), _CHOICES, lambda file: self.take([file]), "pictures"
        )

    def look(self) -> None:
        """Show the file as large as the window; a video can be played there."""
        if self.upload is not None:
            self._scope.start(self._look(self.upload))

    def take(self, paths: Sequence[Path]) -> None:
        """Attach the first of these files in place of the one that is there, and begin its upload."""
        if paths:
            self._scope.start(self.take_one(paths[0], self.version))

    def take_carried(self, found: Carried) -> None:
        """Attach the first of the files, or of the stored ones, that were pasted or dropped."""
        if found.media:
            self._scope.start(self._take_stored(found.media[0], self.version))
        else:
            self.take(found.files)

    def take_picture(self, picture: QImage) -> None:
        """Attach a picture that has no file yet."""
        self._scope.start(self._take_picture(picture, self.version))

    def remove(self) -> None:
        """Take the file away, for all accounts or the one that has its own; what still runs is given up."""
        if self._files.differs(self.version):
            self.link()
            return
        before = self._ids()
        self._files = LinkedText()
        self._replaced(before)

    def link(self) -> None:
        """Give the file of a single account up for the one for all."""
        before = self._ids()
        self._files = self._files.link(self.version)
        self._replaced(before)

    async def take_one(self, path: Path, version: str) -> Upload:
        """Attach a file in place of a version's, once its upload has begun. Raises Problem."""
        (upload,) = await self._media.add_files([path])
        await self._put(upload, version)
        return upload

    async def _look(self, upload: Upload) -> None:
        files = await self._media.catalogue([upload.storage_path]) if upload.is_done else []
        sheet = Preview(self.field, walks=False)
        sheet.show_file(stored(MediaItem(files[0]), self._media) if files else attached(upload, self._media))
        sheet.present()

    async def _take_stored(self, storage_path: str, version: str) -> None:
        await self._put(await self._media.library.upload_of(storage_path), version)

    async def _take_picture(self, picture: QImage, version: str) -> None:
        content = await asyncio.to_thread(as_png, picture)
        await self.take_one(await self._media.repairs.keep(_PASTED, content), version)

    async def _put(self, upload: Upload, version: str) -> None:
        """Without a file for all there is none to take the place of: then it is for all."""
        before, shared = self._ids(), self.upload_for(SHARED)
        if version != SHARED and shared is not None and upload.post_type is not shared.post_type:
            await self._give_up([upload.id])
            raise Problem(_OTHER_KIND, kind="invalid")
        if version == SHARED or shared is None:
            alike = shared is not None and shared.post_type is upload.post_type
            self._files = LinkedText(upload.id, self._files.own if alike else {})
        else:
            self._files = self._files.write(version, upload.id)
        self._begin_picture(upload.id)
        self._replaced(before)

    def _replaced(self, before: Collection[str]) -> None:
        """There are other files than before: uploads that nobody needs any longer are given up."""
        self._show()
        self.changed.emit()
        if gone := [id_ for id_ in before if id_ not in self._ids()]:
            self._scope.start(self._give_up(gone))

    async def _give_up(self, upload_ids: Collection[str]) -> None:
        for id_ in upload_ids:
            upload = self._media.uploads.get(id_)
            if upload is not None and not upload.is_done:
                await self._media.cancel(id_)

    def _ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(id_ for id_ in (self._files.shared, *self._files.own.values()) if id_))

    def _needed(self) -> list[tuple[str, Upload | None]]:
        """Ids and uploads of what the chosen accounts need."""
        keys = self._accounts or (SHARED,)
        ids = dict.fromkeys(id_ for key in keys if (id_ := self._files.of(key)))
        return [(id_, self._media.uploads.get(id_)) for id_ in ids]

    def _told(self, upload: Upload) -> None:
        if upload.id == self.upload_id:
            self._show()
        if upload.id in self._ids():
            self.moved.emit()

    def _show(self) -> None:
        self.field.show_upload(self.upload, is_lost=bool(self.upload_id) and self.upload is None)
        is_own = self._files.differs(self.version)
        self.field.show_whose("own" if is_own else "all" if self.version == SHARED else "linked")
        self.field.tile.set_picture(self.picture_for(self.version))

    def _begin_picture(self, upload_id: str) -> None:
        if (upload := self._media.uploads.get(upload_id)) is not None and upload_id not in self._pictures:
            self._scope.start(self._read_picture(upload))

    async def _read_picture(self, upload: Upload) -> None:
        self._pictures[upload.id] = QImage.fromData(await self._media.small_picture(upload) or b"")
        self.field.tile.set_picture(self.picture_for(self.version))
        self.pictured.emit()


def _problem(upload_id: str, upload: Upload | None) -> str:
    if upload is None:
        return tr("Kalends no longer has this file. Attach it again, or remove it.") if upload_id else ""
    if upload.is_done or upload.is_underway:
        return ""
    if upload.is_failed:
        return tr("{reason} Try again, or remove the file.", reason=upload.reason)
    return tr("The upload of “{name}” is paused. Resume it, or remove the file.", name=upload.name)


def as_png(picture: QImage) -> bytes:
    """Return the bytes of a picture's file. Blocking."""
    content = QBuffer()
    QImageWriter(content, QByteArray(b"png")).write(picture)
    return bytes(content.data().data())
