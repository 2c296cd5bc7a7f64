"""What a composer knows of its file, and the way from a chosen file to an upload."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QObject, Qt, Signal
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog

from app.contract.enums import PostType
from app.contract.media_kinds import KINDS
from app.desktop.aio import OnError, TaskScope
from app.desktop.carried import Carried
from app.desktop.composer.file_field import FileField
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload

_PASTED = "Pasted picture.png"
_ENDINGS = " ".join(f"*.{ending}" for kind in KINDS for ending in kind.extensions)
_CHOICES = (f"Images and videos ({_ENDINGS})", "All files (*)")


class Attachment(QObject):
    """A draft's upload in a field; ``changed``: it is another file, ``moved``: its state is another."""

    changed = Signal()
    moved = Signal()
    pictured = Signal(QImage)
    """A small picture of the file; a null one while there is none."""

    def __init__(self, field: FileField, media: Media, report: OnError) -> None:
        super().__init__(field)
        self.field = field
        self.upload_id = ""
        self._media = media
        self._scope = TaskScope(self, report)
        field.attach.connect(self.ask)
        field.retry.connect(lambda: self._scope.start(media.retry(self.upload_id)))
        field.remove.connect(self.remove)
        stop = media.listen(self._told)
        self.destroyed.connect(lambda _object=None: stop())

    @property
    def upload(self) -> Upload | None:
        return self._media.uploads.get(self.upload_id)

    @property
    def post_type(self) -> PostType:
        """The kind of post that the file makes."""
        return self.upload.post_type if self.upload else PostType.TEXT

    @property
    def storage_path(self) -> str:
        """What the service calls the file; empty until it is there."""
        return self.upload.storage_path if self.upload and self.upload.is_done else ""

    @property
    def is_on_its_way(self) -> bool:
        """Whether the file will be there by itself."""
        return self.upload is not None and self.upload.is_underway

    def problem(self) -> str:
        """Return what is to be done about the file before the post can be planned; empty for nothing."""
        if not self.upload_id or self.storage_path or self.is_on_its_way:
            return ""
        if self.upload is None:
            return "The file is no longer known here. Attach it again, or remove it."
        if self.upload.is_failed:
            return f"{self.upload.reason} Try again, or remove the file."
        return f"“{self.upload.name}” is paused. Let it go on, or remove it."

    def restore(self, upload_id: str) -> None:
        """Show the file of a draft."""
        self.upload_id = upload_id
        self._show()
        self._show_picture()

    def ask(self) -> None:
        """Let the person choose a file."""
        dialog = QFileDialog(self.field.window(), "Attach image or video")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(_CHOICES)
        dialog.filesSelected.connect(lambda names: self.take([Path(name) for name in names]))
        dialog.open()

    def take(self, paths: Sequence[Path]) -> None:
        """Attach the first of these files in place of the one that is there, and begin its upload."""
        if paths:
            self._scope.start(self.take_one(paths[0]))

    def take_carried(self, found: Carried) -> None:
        """Attach the first of the files, or of the stored ones, that were pasted or dropped."""
        if found.media:
            self._scope.start(self._take_stored(found.media[0]))
        else:
            self.take(found.files)

    def take_picture(self, picture: QImage) -> None:
        """Attach a picture that has no file yet."""
        self._scope.start(self._take_picture(picture))

    def remove(self) -> None:
        """Take the file away; an upload that still runs is given up."""
        self._become("")

    async def take_one(self, path: Path) -> Upload:
        """Attach a file in place of the one that is there, once its upload has begun. Raises Problem."""
        (upload,) = await self._media.add_files([path])
        self._put(upload)
        return upload

    async def _take_stored(self, storage_path: str) -> None:
        self._put(await self._media.library.upload_of(storage_path))

    async def _take_picture(self, picture: QImage) -> None:
        content = await asyncio.to_thread(as_png, picture)
        await self.take_one(await self._media.repairs.keep(_PASTED, content))

    def _put(self, upload: Upload) -> None:
        self._become(upload.id)

    def _become(self, upload_id: str) -> None:
        before, self.upload_id = self._media.uploads.get(self.upload_id), upload_id
        self._show()
        self._show_picture()
        self.changed.emit()
        if before is not None and not before.is_done and before.id != upload_id:
            self._scope.start(self._media.cancel(before.id))

    def _told(self, upload: Upload) -> None:
        if upload.id == self.upload_id:
            self._show()
            self.moved.emit()

    def _show(self) -> None:
        self.field.show_upload(self.upload, is_lost=bool(self.upload_id) and self.upload is None)

    def _show_picture(self) -> None:
        self._show_small(QImage())
        if self.upload is not None:
            self._scope.start(self._read_picture(self.upload))

    async def _read_picture(self, upload: Upload) -> None:
        picture = QImage.fromData(await self._small(upload) or b"")
        if upload.id == self.upload_id:
            self._show_small(picture)

    async def _small(self, upload: Upload) -> bytes | None:
        """A small picture of a file, of a video its first frame; None where there is none."""
        if upload.path != Path():
            return await self._media.pictures.of_local(upload)
        stored = await self._media.catalogue([upload.storage_path])
        return await self._media.pictures.of(stored[0]) if stored else None

    def _show_small(self, picture: QImage) -> None:
        self.field.tile.set_picture(picture)
        self.pictured.emit(picture)


def as_png(picture: QImage) -> bytes:
    """Return the bytes of a picture's file. Blocking."""
    content = QBuffer()
    QImageWriter(content, QByteArray(b"png")).write(picture)
    return bytes(content.data().data())
