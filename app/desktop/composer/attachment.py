"""Attaches files to a draft. They're inspected before they become its uploads."""

import asyncio
from collections.abc import Collection, Coroutine, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from PySide6.QtCore import QBuffer, QByteArray, QObject, Signal
from PySide6.QtGui import QImage, QImageWriter
from shiboken6 import isValid

from app.contract.media_kinds import KINDS
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.carried import Carried
from app.desktop.composer.file_field import FileField
from app.desktop.file_dialogs import ask_to_open
from app.desktop.media.preview import Preview, attached, stored
from app.language import tr
from app.workspace.editing.draft import SHARED
from app.workspace.editing.model import DraftModel
from app.workspace.media.library import MediaItem
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload
from app.workspace.messages import Problem

_PASTED = tr("Pasted picture.png")
_ENDINGS = " ".join(f"*.{ending}" for kind in KINDS for ending in kind.extensions)
_CHOICES = (tr("Images and videos ({patterns})", patterns=_ENDINGS), tr("All files (*)"))


class Attachment(QObject):
    """Attaches files to a draft, and shows the current version's file in a field."""

    pictured = Signal()
    """There is another small picture."""
    moved = Signal()
    """A file begins to arrive, or has arrived."""
    failed = Signal(str)
    """A file won't be attached. Has the problem's text, or "" if the user removed the file."""

    def __init__(self, field: FileField, model: DraftModel, media: Media, report: OnProblem) -> None:
        super().__init__(field)
        self.field = field
        self.ready = asyncio.Event()
        """Set once the draft is loaded, which would replace the files attached before; they wait for it."""
        self._model = model
        self._arriving: dict[asyncio.Task[Any], tuple[str, str]] = {}
        """The name of each file that is being inspected, and the version that it's for."""
        self._held: tuple[str, ...] = ()
        self._pictures: dict[str, QImage] = {}
        self._media = media
        self._scope = TaskScope(self, report)
        field.attach.connect(self.ask)
        field.retry.connect(self._retry)
        field.remove.connect(self._remove)
        field.link.connect(model.use_shared_file)
        field.looked_at.connect(self.look)

    @property
    def arriving(self) -> str:
        """The name of a file that is being inspected, before it's an upload of the draft; "" for none."""
        return next((name for task, (name, _) in self._arriving.items() if not task.done()), "")

    def stop(self) -> None:
        """Cancel the files that are arriving, without a message."""
        stopped, self._arriving = self._arriving, {}
        for task in stopped:
            task.cancel()
        if stopped:
            self._show()

    def picture_for(self, version: str) -> QImage:
        """Return a thumbnail of a version's file; a null one without a file."""
        return self._pictures.get(self._model.files.ids.of(version), QImage())

    def refresh(self, *, is_loaded: bool = False) -> None:
        """Show the current version's file; cancel previous uploads of the draft that it replaces."""
        ids = self._model.files.all_ids
        gone = () if is_loaded else tuple(id_ for id_ in self._held if id_ not in ids)
        self._held = ids
        self._show()
        for id_ in ids:
            self._begin_picture(id_)
        if gone:
            self._scope.start(self._give_up(gone))

    def ask(self) -> None:
        """Open the file dialog."""
        ask_to_open(
            self.field, tr("Attach image or video"), _CHOICES, lambda file: self.take([file]), "pictures"
        )

    def look(self) -> None:
        """Open the preview, in which videos can be played."""
        if self._model.upload is not None:
            self._scope.start(self._look(self._model.upload))

    def take(self, paths: Sequence[Path]) -> None:
        """Attach the first of these files instead of the current one, and start its upload."""
        if paths:
            version = self._model.version
            self._begin(paths[0].name, version, self.take_one(paths[0], version))

    def take_carried(self, found: Carried) -> None:
        """Attach the first pasted or dropped file, stored or local."""
        if found.media:
            name, version = PurePosixPath(found.media[0]).name, self._model.version
            self._begin(name, version, self._take_stored(found.media[0], version))
        else:
            self.take(found.files)

    def take_picture(self, picture: QImage) -> None:
        """Attach a picture without a file."""
        version = self._model.version
        self._begin(_PASTED, version, self._take_picture(picture, version))

    async def take_one(self, path: Path, version: str) -> Upload:
        """Replace a version's file, once its upload has started. Raises Problem."""
        await self.ready.wait()
        (upload,) = await self._media.add_files([path])
        await self._put(upload, version)
        return upload

    def _begin(self, name: str, version: str, taking: Coroutine[Any, Any, object]) -> None:
        """Note that a file is arriving until it's attached, instead of an earlier one for the version."""
        for earlier in [task for task, (_, of) in self._arriving.items() if of == version]:
            del self._arriving[earlier]
            earlier.cancel()  # or it would replace this one if its inspection takes longer
        task = self._scope.start(taking)
        self._arriving[task] = name, version
        task.add_done_callback(self._end)
        self._show()
        self.moved.emit()

    def _end(self, task: asyncio.Task[Any]) -> None:
        if self._arriving.pop(task, None) is None or not isValid(self):
            return
        self._show()
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or error is not None:
            self.failed.emit(error.text if isinstance(error, Problem) else "")
        self.moved.emit()

    def _remove(self) -> None:
        """Remove the file that is shown: the one that is arriving, or the draft's."""
        if self.arriving:
            self.stop()
            self.failed.emit("")
            self.moved.emit()
        else:
            self._model.remove_file()

    def _retry(self) -> None:
        self._scope.start(self._media.retry(self._model.files.ids.of(self._model.version)))

    async def _look(self, upload: Upload) -> None:
        files = await self._media.catalogue([upload.storage_path]) if upload.is_done else []
        sheet = Preview(self.field, walks=False)
        sheet.show_file(stored(MediaItem(files[0]), self._media) if files else attached(upload, self._media))
        sheet.present()

    async def _take_stored(self, storage_path: str, version: str) -> None:
        await self.ready.wait()
        await self._put(await self._media.library.upload_of(storage_path), version)

    async def _take_picture(self, picture: QImage, version: str) -> None:
        content = await asyncio.to_thread(as_png, picture)
        await self.take_one(await self._media.repairs.keep(_PASTED, content), version)

    async def _put(self, upload: Upload, version: str) -> None:
        try:
            self._model.attach(upload, version)
        except Problem:
            await self._give_up([upload.id])
            raise

    async def _give_up(self, upload_ids: Collection[str]) -> None:
        for id_ in upload_ids:
            upload = self._media.uploads.get(id_)
            if upload is not None and not upload.is_done:
                await self._media.cancel(id_, by_composer=True)

    def _show(self) -> None:
        version, ids = self._model.version, self._model.files.ids
        upload = self._model.upload
        is_lost = bool(ids.of(version)) and upload is None
        self.field.show_upload(upload, is_lost=is_lost, arriving=self.arriving)
        is_own = ids.differs(version)
        self.field.show_whose("own" if is_own else "all" if version == SHARED else "linked")
        self.field.tile.set_picture(QImage() if self.arriving else self.picture_for(version))

    def _begin_picture(self, upload_id: str) -> None:
        if (upload := self._media.uploads.get(upload_id)) is not None and upload_id not in self._pictures:
            self._pictures[upload_id] = QImage()  # until it is read
            self._scope.start(self._read_picture(upload))

    async def _read_picture(self, upload: Upload) -> None:
        self._pictures[upload.id] = QImage.fromData(await self._media.small_picture(upload) or b"")
        self.field.tile.set_picture(self.picture_for(self._model.version))
        self.pictured.emit()


def as_png(picture: QImage) -> bytes:
    """Return the bytes of a picture's file. Blocking."""
    content = QBuffer()
    QImageWriter(content, QByteArray(b"png")).write(picture)
    return bytes(content.data().data())
